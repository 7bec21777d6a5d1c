/* A picture and its files, as the command line wants them. */
#ifndef APP_SETTINGS_PICTURE_REQUEST_H
#define APP_SETTINGS_PICTURE_REQUEST_H

#include "app/settings/invocation.h"
#include "library/settings/output_settings.h"

/* Makes the request, which borrows from the invocation and refuses flags without effect.
 * STATUS_USAGE for names of files; STATUS_OUT_OF_MEMORY. */
enum status picture_request_make(struct output_request *request, struct invocation *invocation);

#endif
