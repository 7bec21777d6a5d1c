/* Unix sockets that a server listens on: their names, in a folder of this user alone, since whoever
 * may write there could put a server of his own in the place of ours. */
#ifndef APP_HTTP_SOCKET_PATH_H
#define APP_HTTP_SOCKET_PATH_H

#include <stdbool.h>

#include "kernels/status.h"

/* Is this address a path, rather than an IP address? It has a '/'. */
bool socket_path_is(const char *address);

/* Makes the name free: a socket that nobody answers at any more is removed. STATUS_CONFIG: the path
 * is too long, or its folder is not of this user alone. STATUS_SYSTEM: a server or a file has the
 * name. */
enum status socket_path_free(const char *path);

/* Removes the socket of a server that has ended. */
void socket_path_remove(const char *path);

#endif
