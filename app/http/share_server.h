/* The server of pictures that visitors of a stand have taken away, for phones in the same network:
 * read only, for some minutes, from memory.
 *
 * `/NAME` is a page with the picture, `/NAME.jpg` the picture, `/NAME.ini` its place; NAME is
 * random, so that nobody sees the pictures of others; all else is refused. */
#ifndef APP_HTTP_SHARE_SERVER_H
#define APP_HTTP_SHARE_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "app/http/shared_pictures.h"
#include "kernels/status.h"

enum {
    SHARE_CONNECTIONS = 48, /* more are closed at once */
    SHARE_REQUEST_S = 5,    /* time for a request, and for a connection without one */
    SHARE_URL_BYTES = 128
};

struct share_server;

/* Is libwebsockets in this build? Otherwise share_server_open fails with STATUS_CONFIG. */
bool share_server_is_built(void);

/* address: of this machine in the network of the phones, in digits, which is what codes name.
 * STATUS_CONFIG for an invalid address, or one that no phone can call; STATUS_SYSTEM when the port
 * is taken, which is tried again until the server is closed. *server can be used after any failure
 * but the first. */
enum status share_server_open(struct share_server **server, const char *address, int port,
                              double minutes);
void share_server_close(struct share_server *server); /* accepts NULL */

struct share_request {
    const uint32_t *pixels; /* 0xAARRGGBB, [height][stride] */
    int32_t width, height, stride;
    const char *place; /* its ini text */
    struct shared_words words;
};

/* Keeps a copy of the picture as JPEG, and writes its address; "" while the port is taken, for then
 * nobody could fetch it. Cost: 10 ms for 1920x1080. */
enum status share_server_add(struct share_server *server, const struct share_request *request,
                             char url[SHARE_URL_BYTES]);

#endif
