/* The view and the settings that the words of a command line name, on rank 0. */
#ifndef APP_COMMAND_INVOCATION_LOAD_H
#define APP_COMMAND_INVOCATION_LOAD_H

#include "app/settings/invocation.h"

/* Fills view and config or, of several views, config and batch. What was filled is the caller's to
 * destroy, also after a failure: STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_CONFIG, STATUS_USAGE. */
enum status invocation_load(struct invocation *invocation);

/* The same of one view, whatever -o says. */
enum status invocation_load_view(struct invocation *invocation);

/* STATUS_USAGE: there is nothing to compute. */
enum status invocation_view_missing(const struct command *command);

#endif
