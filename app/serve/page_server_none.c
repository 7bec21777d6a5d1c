/* The server of a build without libwebsockets. */
#include "app/serve/page_server.h"

bool page_server_is_built(void)
{
    return false;
}

enum status page_server_open(struct page_server **server, const struct page_server_options *options)
{
    (void)options;
    *server = NULL;
    return status_fail(STATUS_CONFIG, "--serve: this program was built without libwebsockets; "
                                      "install libwebsockets-dev and build it again");
}

void page_server_close(struct page_server *server)
{
    (void)server;
}

enum status page_server_run(struct page_server *server, const volatile int *stop)
{
    (void)server;
    (void)stop;
    return STATUS_OK;
}

void page_server_wake(struct page_server *server)
{
    (void)server;
}
