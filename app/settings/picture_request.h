/* A picture and its files, as the command line wants them. */
#ifndef APP_SETTINGS_PICTURE_REQUEST_H
#define APP_SETTINGS_PICTURE_REQUEST_H

#include "app/settings/invocation.h"
#include "library/settings/picture_settings.h"

/* Makes all settings, with the plan for the devices there are; the names of files are borrowed from
 * the invocation. settings_destroy also after a failure. */
enum status picture_request_make(struct picture_settings *settings, struct invocation *invocation,
                                 const struct renderer_facts *facts);

/* Checks every file for being writable, before anything is computed. */
enum status picture_request_check(struct picture_settings *settings);

#endif
