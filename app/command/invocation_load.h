/* The view and the settings that the words of a command line name, on rank 0. */
#ifndef APP_COMMAND_INVOCATION_LOAD_H
#define APP_COMMAND_INVOCATION_LOAD_H

#include "app/settings/invocation.h"

/* Fills view and config or, for several views, config and batch. What was filled is the caller's to
 * destroy, also after a failure: STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_CONFIG, STATUS_USAGE. */
enum status invocation_load(struct invocation *invocation);

/* Does the same for one view, whatever -o says. */
enum status invocation_load_view(struct invocation *invocation);

/* Returns STATUS_USAGE, with the sentence that no view is given. */
enum status invocation_view_missing(const struct command *command);

#endif
