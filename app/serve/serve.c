#include "app/serve/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/http/socket_path.h"
#include "app/serve/page_server.h"

struct serve {
    struct access access;
    struct serve_session *session;
    struct page_server *server;
    const volatile int *stop;
};

static bool is_any(const char *address)
{
    return !strcmp(address, "0.0.0.0") || !strcmp(address, "::");
}

/* The name by which the page is called where it is opened: through a tunnel or on this machine it
 * is localhost. With a certificate, which needs no tunnel, a page for the whole network has the
 * first name that the user gives, or this machine's. */
static void host_make(const struct serve_options *options, const char *machine, char host[256])
{
    const char *address = options->address, *names = options->hosts ? options->hosts : "";
    bool any = is_any(address);
    bool own = !strcmp(address, "127.0.0.1") || !strcmp(address, "::1") || socket_path_is(address);
    names += strspn(names, ", ");
    if (!any || !options->tls.certificate)
        snprintf(host, 256, "%s", any || own ? "localhost" : address);
    else if (*names)
        snprintf(host, 256, "%.*s", (int)strcspn(names, ", "), names);
    else
        snprintf(host, 256, "%s", machine);
}

/* The address of the page for those who have a right, with its token. */
static void url_print(const struct serve *serve, const struct serve_options *options,
                      const char *what, const char *host, const char *page, enum access_right right)
{
    bool six = strchr(host, ':') != NULL;
    printf("%s%s://%s%s%s:%d/%s%s/%s?t=%s\n", what, options->tls.certificate ? "https" : "http",
           six ? "[" : "", host, six ? "]" : "", options->port, serve->access.folder,
           access_folder_end(right), page, access_token(&serve->access, right));
}

static void address_print(const struct serve *serve, const struct serve_options *options)
{
    char machine[256] = "HOST", host[256];
    if (gethostname(machine, sizeof machine - 1) != 0)
        snprintf(machine, sizeof machine, "HOST");
    host_make(options, machine, host);
    url_print(serve, options, "page           ", host, "", ACCESS_LEAD);
    if (options->staff)
        url_print(serve, options, "for staff      ", host, "", ACCESS_STAFF);
    if (options->watchers)
        url_print(serve, options, "only to look   ", host, "", ACCESS_WATCH);
    if (options->session.wall)
        url_print(serve, options, "screens        ", host, "wall.html", ACCESS_SCREEN);
    if (socket_path_is(options->address)) { /* the port is that of the tunnel's other end */
        char *whole = realpath(options->address, NULL);
        printf("from elsewhere ssh -L %d:%s %s   and then the same address\n", options->port,
               whole ? whole : options->address, machine);
        free(whole);
    } else if (is_any(options->address) && options->tls.certificate)
        printf("from elsewhere the same address\n");
    else
        printf("from elsewhere ssh -L %d:localhost:%d %s   and then the same address\n",
               options->port, options->port, machine);
    fflush(stdout);
}

/* The address itself, and this machine's name if it is not on this machine alone. */
static void hosts_make(const struct serve_options *options, char *hosts, size_t bytes)
{
    char machine[256] = "";
    bool path = socket_path_is(options->address);
    bool alone = path || !strcmp(options->address, "127.0.0.1") || !strcmp(options->address, "::1");
    if (!alone && gethostname(machine, sizeof machine - 1) != 0)
        *machine = '\0';
    snprintf(hosts, bytes, "%s,%s,%s", path ? "" : options->address, machine,
             options->hosts ? options->hosts : "");
}

enum status serve_open(struct serve **serve, const struct serve_options *options)
{
    static char hosts[1024];
    struct serve *made = *serve = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a server");
    made->stop = options->stop;
    hosts_make(options, hosts, sizeof hosts);
    TRY(access_create(&made->access, options->port, options->watchers, hosts, options->hosts));
    if (options->staff)
        TRY(access_staff_create(&made->access));
    if (options->session.wall)
        TRY(access_screen_create(&made->access));
    TRY(serve_session_create(&made->session, &options->session));
    const struct page_server_options server = {.address = options->address,
                                               .port = options->port,
                                               .pages = options->pages,
                                               .tls = options->tls,
                                               .access = &made->access,
                                               .session = made->session,
                                               .first =
                                                   options->staff ? "kiosk.html" : "page.html"};
    TRY(page_server_open(&made->server, &server));
    address_print(made, options);
    return STATUS_OK;
}

enum status serve_run(struct serve *serve)
{
    return page_server_run(serve->server, serve->stop);
}

void serve_wake(void *serve)
{
    page_server_wake(((struct serve *)serve)->server);
}

void serve_close(struct serve *serve)
{
    if (!serve)
        return;
    page_server_close(serve->server);
    serve_session_destroy(serve->session);
    free(serve);
}

struct serve_session_sums serve_sums(const struct serve *serve)
{
    return serve_session_sums(serve->session);
}
