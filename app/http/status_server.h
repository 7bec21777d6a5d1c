/* The status feed: facts about the running viewer by HTTP, read only, on a thread of its own.
 *
 * `/` is a page for people, `/status.json` its facts for programs, `/events` the same as
 * server-sent events, STATUS_EVENTS_A_S a second; all else is refused. Everybody who reaches the
 * address may read; pages of other origins and names that others made mean this machine are
 * refused. A client that does not read gets fewer events, and is closed after STATUS_STUCK_S; none
 * delays another. */
#ifndef APP_HTTP_STATUS_SERVER_H
#define APP_HTTP_STATUS_SERVER_H

#include "app/http/status_facts.h"
#include "app/http/tls.h"
#include "kernels/status.h"

enum {
    STATUS_EVENTS_A_S = 20,
    STATUS_CONNECTIONS = 24, /* more are closed at once */
    STATUS_FOLLOWERS = 8,    /* connections that get events; more are told 503 */
    STATUS_REQUEST_S = 2     /* time for a request, and for a connection without one */
};
#define STATUS_STUCK_S 10.0

struct status_server;

/* Is libwebsockets in this build? Otherwise status_server_open fails with STATUS_CONFIG. */
bool status_server_is_built(void);

/* hosts: names by which it may be called besides this machine's own and addresses in digits,
 * separated by commas; may be NULL. tls: were checked; NULL: it does not encrypt. STATUS_CONFIG for
 * an invalid address; STATUS_SYSTEM when the port is taken, which is tried again until the server
 * is closed, or when there is no thread. *server can be used after any failure but the first. */
enum status status_server_open(struct status_server **server, const char *address, int port,
                               const char *hosts, const struct tls_files *tls);
void status_server_close(struct status_server *server); /* accepts NULL */

/* Sets the facts that are served from now on. Any thread. */
void status_server_tell(struct status_server *server, const struct status_facts *facts);

/* Time until facts should be told again: 1 / STATUS_EVENTS_A_S while somebody follows, else longer.
 * Any thread. */
double status_server_interval_s(const struct status_server *server);

#endif
