/* How does a file appear whole or not at all? */
#ifndef RENDER_WHOLE_FILE_H
#define RENDER_WHOLE_FILE_H

#include <stdio.h>

#include "kernels/status.h"
#include "render/sink.h"

struct whole_file {
    FILE *stream;    /* write here */
    char *path;      /* final name; owned */
    char *temporary; /* name while unfinished, in the same folder; owned */
    enum overwrite overwrite;
};

/* Creates the temporary file. STATUS_CANNOT_CREATE with the system's reason. */
enum status whole_file_open(struct whole_file *file, const char *path, enum overwrite overwrite);

/* Flush, sync, close, rename (without replacing unless overwrite), sync the folder; every return
 * code checked. On failure the temporary file is gone and the old file, if any, untouched.
 * STATUS_IO, or STATUS_CANNOT_CREATE when the name has been taken meanwhile. */
enum status whole_file_commit(struct whole_file *file);

/* Removes the temporary file. Accepts a zeroed or committed one. */
void whole_file_abandon(struct whole_file *file);

#endif
