/* Settings read as the colours of a picture. */
#ifndef LIBRARY_SETTINGS_SETTINGS_LOOK_H
#define LIBRARY_SETTINGS_SETTINGS_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/formula.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "render/colour/colour.h"
#include "render/colour/distribution.h"
#include "render/colour/interior.h"
#include "render/colour/palette.h"

struct plan;

/* The colours that the settings describe. */
enum status settings_look_options(const struct config *config, struct look_options *options);

/* Has a picture of this plan relief and lines by itself? Perturbation in fp64 has the derivatives
 * along: distances cost 1.1 to 1.35 times the pixels without, where direct iteration takes twice as
 * long; fp32 has none. */
bool settings_shaded(const struct plan *plan);

/* Removes relief and lines, which a place or a file of settings may set, where the formula has no
 * distances. */
void settings_shading_drop(struct look_options *options, const struct formula *formula);

/* Why pixels inside have one colour although others are set; NULL: they have those. */
const char *settings_interior_missing(enum interior_kind kind, bool deep,
                                      const struct formula *formula);

/* The palette is the caller's to destroy. */
enum status settings_palette(const struct config *config, struct palette **palette);

/* The distribution that the settings hold, or an unmeasured one. */
struct distribution settings_distribution(const struct config *config);

/* Do the settings want a distribution that they do not hold? */
bool settings_wants_distribution(const struct config *config);

/* Distribution for automatic density: the one of the settings, or else measured in `field`, which
 * is a finished picture of `height` rows or its subgrid. `field` may be NULL if the settings have
 * one, or nothing escapes. */
struct distribution settings_measure(const struct config *config, const struct field *field,
                                     int32_t height);

/* The look of a finished picture, of which `shape` is the size and the planes; what was settled is
 * put into `config`, and so into the view. */
enum status settings_look(struct config *config, const struct distribution *distribution,
                          const struct palette *palette, const struct field *shape,
                          struct look_options *options, struct look *look);

#endif
