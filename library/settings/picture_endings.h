/* Endings of names by which kinds of picture files are chosen. */
#ifndef LIBRARY_SETTINGS_PICTURE_ENDINGS_H
#define LIBRARY_SETTINGS_PICTURE_ENDINGS_H

#include "kernels/status.h"

enum { PICTURE_PATH_BYTES = 4096 }; /* PATH_MAX; longer paths are rejected */

/* The ending of kind `number`, from 0, such as ".png"; NULL: there are no more. Parts of pictures,
 * which several runs make together, are none of them. */
const char *picture_ending(int number);

/* STATUS_USAGE for a name of no kind, or one that is too long. */
enum status picture_path_check(const char *path);

#endif
