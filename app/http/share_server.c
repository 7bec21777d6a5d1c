#include "app/http/share_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#include "app/http/http_thread.h"
#include "decomposition/thread/clock.h"

enum { QUALITY = 92 };
#define SWEEP_S 5.0 /* time between looks for pictures whose time is over */

struct share_server {
    struct http_thread thread;
    struct access access;
    struct shared_pictures pictures;
    double keep_s;
};

struct shared_answer {         /* to a request */
    struct shared_bytes *body; /* held */
    size_t sent;
};

static void sweep(void *owner)
{
    struct share_server *server = owner;
    double now_s = clock_s();
    shared_pictures_expire(&server->pictures, now_s);
    http_timer_set(&server->thread.http, now_s + SWEEP_S);
}

/* ---- requests ---- */

static const char policy[] = "default-src 'none'; img-src 'self'; base-uri 'none'; "
                             "form-action 'none'; frame-ancestors 'none'";

static void answer_drop(struct shared_answer *answer)
{
    if (!answer)
        return;
    shared_bytes_release(answer->body);
    *answer = (struct shared_answer){.body = NULL};
}

static int request_begin(struct lws *wsi, struct shared_answer *answer, const char *path)
{
    static const char *const types[SHARED_FILES] = {[SHARED_PAGE] = "text/html; charset=utf-8",
                                                    [SHARED_JPEG] = "image/jpeg",
                                                    [SHARED_PLACE] = "text/plain; charset=utf-8"};
    struct share_server *server = http_owner(wsi);
    char host[256], name[SHARED_NAME_BYTES];
    enum shared_file file;
    struct http_headers headers;
    answer_drop(answer);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return http_refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    if (!http_host_known(wsi, &server->access, host, sizeof host))
        return http_refuse(wsi, HTTP_STATUS_FORBIDDEN);
    double now_s = clock_s();
    if (!server->thread.http.due_s)
        http_timer_set(&server->thread.http, now_s + SWEEP_S);
    if (!shared_path_split(path, name, &file) ||
        !(answer->body = shared_pictures_hold(&server->pictures, name, file, now_s)))
        return http_refuse(wsi, HTTP_STATUS_NOT_FOUND);
    if (http_headers_begin(wsi, &headers, types[file], answer->body->length, policy) ||
        http_headers_send(wsi, &headers))
        return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

/* Sends a part of the file, from a copy of that part: the library may write before it and change
 * it, and keeps what the socket does not take, so a slow phone costs a part at most. */
static int answer_go_on(struct lws *wsi, struct shared_answer *answer)
{
    enum { PART = 1 << 14 };
    unsigned char copy[LWS_PRE + PART];
    const struct shared_bytes *body = answer->body;
    size_t left = body->length - answer->sent, part = left < PART ? left : PART;
    memcpy(copy + LWS_PRE, body->bytes + answer->sent, part);
    if (lws_write(wsi, copy + LWS_PRE, part, part == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)part)
        return -1;
    answer->sent += part;
    if (part < left) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    answer_drop(answer);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int share_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                          size_t length)
{
    http_called(wsi);
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return request_begin(wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return ((struct shared_answer *)user)->body ? answer_go_on(wsi, user) : 0;
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        answer_drop(user);
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: /* there are no sockets here */
        return -1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: /* the loop looks whether to end */
        return 0;
    default:
        return http_callback(wsi, reason, user, in, length);
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "http",
     .callback = share_callback,
     .per_session_data_size = sizeof(struct shared_answer)},
    {.name = NULL}};

/* ---- the server ---- */

bool share_server_is_built(void)
{
    return true;
}

enum status share_server_open(struct share_server **server, const char *address, int port,
                              double minutes)
{
    *server = NULL;
    if (!http_address_is_valid(address) || !strcmp(address, "0.0.0.0") || !strcmp(address, "::"))
        return status_fail(STATUS_CONFIG,
                           "stand.share_address: '%.60s' is no address that phones can call; give "
                           "that of this machine in their network, as 192.168.1.5 (`ip address` "
                           "lists them)",
                           address);
    struct share_server *made = *server = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for shared pictures");
    made->keep_s = 60 * minutes;
    shared_pictures_open(&made->pictures);
    made->access = (struct access){.numbers = true, .port = port, .hosts = "", .proxies = ""};
    const struct http_options options = {.address = address,
                                         .port = port,
                                         .connections = SHARE_CONNECTIONS,
                                         .request_s = SHARE_REQUEST_S,
                                         .owner = made,
                                         .protocols = protocols,
                                         .ring = sweep};
    return http_thread_open(&made->thread, &options, "share", "stand.share_port");
}

void share_server_close(struct share_server *server)
{
    if (!server)
        return;
    http_thread_close(&server->thread);
    shared_pictures_close(&server->pictures);
    free(server);
}

/* ---- pictures ---- */

static enum status jpeg_make(const struct share_request *request, struct shared_bytes **file)
{
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    tjhandle encoder = tjInitCompress();
    bool good =
        encoder && tjCompress2(encoder, (const unsigned char *)request->pixels, request->width,
                               4 * request->stride, request->height, TJPF_BGRX, &bytes, &length,
                               TJSAMP_444, QUALITY, TJFLAG_ACCURATEDCT) == 0;
    *file = good ? shared_bytes_create(bytes, length) : NULL;
    tjFree(bytes);
    if (encoder)
        tjDestroy(encoder);
    return *file ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a shared picture");
}

static enum status text_make(const char *text, struct shared_bytes **file)
{
    *file = text ? shared_bytes_create(text, strlen(text)) : NULL;
    return *file ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a shared picture");
}

enum status share_server_add(struct share_server *server, const struct share_request *request,
                             char url[SHARE_URL_BYTES])
{
    double now_s = clock_s();
    struct shared_picture picture = {.until_s = now_s + server->keep_s};
    const char *address = server->thread.address;
    bool six = strchr(address, ':') != NULL;
    *url = '\0';
    if (!__atomic_load_n(&server->thread.listens, __ATOMIC_ACQUIRE))
        return STATUS_OK;
    shared_pictures_expire(&server->pictures, now_s); /* also where no phone ever calls */
    enum status status = access_name(picture.name, sizeof picture.name);
    if (status == STATUS_OK)
        status = jpeg_make(request, &picture.file[SHARED_JPEG]);
    if (status == STATUS_OK)
        status = text_make(request->place, &picture.file[SHARED_PLACE]);
    if (status == STATUS_OK) {
        char *page = shared_page(picture.name, &request->words);
        status = text_make(page, &picture.file[SHARED_PAGE]);
        free(page);
    }
    snprintf(url, SHARE_URL_BYTES, "http://%s%s%s:%d/%s", six ? "[" : "", address, six ? "]" : "",
             server->access.port, picture.name);
    if (status == STATUS_OK)
        shared_pictures_add(&server->pictures, &picture);
    for (int i = 0; i < SHARED_FILES; i++) /* none after it was added */
        shared_bytes_release(picture.file[i]);
    return status;
}
