/* The status feed of a build without libwebsockets. */
#include "app/http/status_server.h"

bool status_server_is_built(void)
{
    return false;
}

enum status status_server_open(struct status_server **server, const char *address, int port,
                               const char *hosts, const struct tls_files *tls)
{
    (void)address;
    (void)port;
    (void)hosts;
    (void)tls;
    *server = NULL;
    return status_fail(STATUS_CONFIG,
                       "--status-port: this program was built without libwebsockets; install "
                       "libwebsockets-dev and build it again");
}

void status_server_close(struct status_server *server)
{
    (void)server;
}

void status_server_tell(struct status_server *server, const struct status_facts *facts)
{
    (void)server;
    (void)facts;
}

double status_server_interval_s(const struct status_server *server)
{
    (void)server;
    return 1;
}
