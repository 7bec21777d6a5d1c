/* deepfield view: the certificate of the page and of the status feed. */
#ifndef APP_COMMAND_VIEW_TLS_H
#define APP_COMMAND_VIEW_TLS_H

#include "app/http/tls.h"
#include "app/settings/invocation.h"

/* The files that the settings name; none without a server that would use them. */
struct tls_files view_tls_files(const struct config *config);

/* Checks them, and refuses their flags where nothing is served. */
enum status view_tls_check(const struct invocation *invocation);

#endif
