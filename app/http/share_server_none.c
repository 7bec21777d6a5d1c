/* The server of shared pictures of a build without libwebsockets. */
#include "app/http/share_server.h"

bool share_server_is_built(void)
{
    return false;
}

enum status share_server_open(struct share_server **server, const char *address, int port,
                              double minutes)
{
    (void)address;
    (void)port;
    (void)minutes;
    *server = NULL;
    return status_fail(STATUS_CONFIG,
                       "--share: this program was built without libwebsockets; install "
                       "libwebsockets-dev and build it again");
}

void share_server_close(struct share_server *server)
{
    (void)server;
}

enum status share_server_add(struct share_server *server, const struct share_request *request,
                             char url[SHARE_URL_BYTES])
{
    (void)server;
    (void)request;
    *url = '\0';
    return STATUS_OK;
}
