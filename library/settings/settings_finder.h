/* Settings read as a search. */
#ifndef LIBRARY_SETTINGS_SETTINGS_FINDER_H
#define LIBRARY_SETTINGS_SETTINGS_FINDER_H

#include "kernels/status.h"
#include "library/config/config.h"
#include "render/find/finder.h"
#include "render/view/description.h"

/* The search that the settings describe in the view of `picture`, which is borrowed; without `stop`
 * and progress. STATUS_CONFIG for a formula or a point that is not searched, STATUS_USAGE for a box
 * outside of the picture. */
enum status settings_finder(const struct config *config, const struct picture *picture,
                            struct finder_request *request);

/* Do settings describe a search? Computes nothing. Fails as settings_picture and settings_finder.
 */
enum status settings_finder_check(const struct config *config);

#endif
