/* Unix sockets that a server listens on: their names, in a folder of this user alone, since whoever
 * may write there could put a server of his own in the place of ours. */
#ifndef APP_HTTP_SOCKET_PATH_H
#define APP_HTTP_SOCKET_PATH_H

#include <stdbool.h>
#include <sys/types.h>

#include "kernels/status.h"

/* Is this address a path, rather than an IP address? It has a '/'. */
bool socket_path_is(const char *address);

/* Makes the name free: a socket that nobody answers at any more is removed. STATUS_CONFIG: the path
 * is too long, or its folder is not of this user alone. STATUS_SYSTEM: a server or a file has the
 * name. */
enum status socket_path_free(const char *path);

enum { SOCKET_PATH_BYTES = 108 }; /* with the NUL */

/* Writes a path to the same name through a descriptor of its folder, which is returned: it leads
 * nowhere once that is closed. For libwebsockets, which at its end removes whatever has the name
 * that it was given, be it another server's by then. -1, and the path itself: there is no such way
 * here. */
int socket_path_passing(const char *path, char passing[SOCKET_PATH_BYTES]);

struct socket_file { /* zeroed: none */
    dev_t device;
    ino_t inode;
};

/* The socket that has the name now. */
struct socket_file socket_path_file(const char *path);

/* Removes the socket of a server that has ended, unless the name is another one's by now. */
void socket_path_remove(const char *path, struct socket_file own);

#endif
