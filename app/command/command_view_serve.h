/* deepfield view --serve, on rank 0: the page instead of the window. */
#ifndef APP_COMMAND_COMMAND_VIEW_SERVE_H
#define APP_COMMAND_COMMAND_VIEW_SERVE_H

#include "app/settings/invocation.h"
#include "include/deepfield/deepfield.h"

bool view_serve_wanted(const struct invocation *invocation);

/* Serves the live picture until a signal asks for the end. */
enum status view_serve_run(struct invocation *invocation, struct deepfield_world *world);

#endif
