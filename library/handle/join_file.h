/* The file by which a job finds the run that it joins: its machine, port and token. */
#ifndef LIBRARY_HANDLE_JOIN_FILE_H
#define LIBRARY_HANDLE_JOIN_FILE_H

#include "kernels/status.h"

struct join_file {
    char host[256];
    int port;
    char token[64];
};

/* Writes it for this user's eyes alone, in place of one that a run has left there; any other
 * file stays: STATUS_CANNOT_CREATE. address: where the run listens; NULL: at all of
 * this machine, whose name is written. */
enum status join_file_write(const char *path, const char *address, int port, const char *token);

/* Removes it, unless it is another run's by now. */
void join_file_remove(const char *path, int port, const char *token);

/* STATUS_NO_INPUT: there is none. STATUS_BAD_DATA. */
enum status join_file_read(struct join_file *file, const char *path);

#endif
