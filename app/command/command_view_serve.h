/* deepfield view --serve: a page in place of the window, or beside it. */
#ifndef APP_COMMAND_COMMAND_VIEW_SERVE_H
#define APP_COMMAND_COMMAND_VIEW_SERVE_H

#include "app/settings/invocation.h"
#include "include/deepfield/deepfield.h"

enum view_shown {
    VIEW_WINDOW,
    VIEW_PAGE,
    VIEW_WINDOW_AND_PAGE,
    VIEW_STAND_PAGE /* a stand, whose window nobody sees, as a page */
};
enum view_shown view_shown_of(const struct invocation *invocation);

/* Refuses flags of a window where nobody sees one. */
enum status view_serve_flags_check(const struct invocation *invocation);

/* Shows a page alone, until the program is to end. */
enum status view_serve_run(struct invocation *invocation, struct deepfield_world *world);

/* ---- beside a window ---- */

struct remote;
struct service;

/* Serves what a window hands over, on a thread of its own. view_service_close also after a failure.
 */
enum status view_service_open(struct service **service, const struct invocation *invocation,
                              struct deepfield_world *world, struct remote *window);

/* Ends the program's other threads, too; the window has closed. Accepts NULL. */
enum status view_service_close(struct service *service);

#endif
