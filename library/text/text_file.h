/* Reader of text files, whole or their heads; what has no end is rejected. */
#ifndef LIBRARY_TEXT_TEXT_FILE_H
#define LIBRARY_TEXT_TEXT_FILE_H

#include <stddef.h>

#include "kernels/status.h"

/* *bytes: NUL-ended copy, freed by the caller. STATUS_NO_INPUT when it is not there or may not be
 * read, STATUS_BAD_DATA when it is a folder, a device, empty, or longer than `most`. A pipe is read
 * to its end; one without a writer is empty. */
enum status text_file_read(const char *path, size_t most, char **bytes, size_t *length);

/* text_file_read, but of a longer file the first `most` bytes. */
enum status text_file_head(const char *path, size_t most, char **bytes, size_t *length);

/* text_file_head of a descriptor that is open for reading, a pipe or a terminal, too; `name` is for
 * messages. */
enum status text_stream_head(int stream, const char *name, size_t most, char **bytes,
                             size_t *length);

/* "/a/b/seahorse.ini" -> "seahorse"; freed by the caller, NULL without memory. */
char *path_stem(const char *path);

#endif
