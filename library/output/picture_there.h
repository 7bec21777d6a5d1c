/* Files that an earlier run has completed: which of a picture need not be made again. */
#ifndef LIBRARY_OUTPUT_PICTURE_THERE_H
#define LIBRARY_OUTPUT_PICTURE_THERE_H

#include "library/settings/picture_settings.h"

/* Takes the files that are there, and hold the view of these settings, off settings->paths; *all:
 * none is left. A picture with a journal keeps all, which the journal knows. STATUS_CANNOT_CREATE
 * for a file that is there and holds another view, naming the first setting that differs;
 * STATUS_OUT_OF_MEMORY. */
enum status picture_there_take(struct picture_settings *settings, bool *all);

/* Is the view of a file, read as `ini`, that of these settings, whatever distribution it has
 * measured? STATUS_CANNOT_CREATE as above; STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
enum status picture_there_check(const char *path, const struct ini *ini,
                                const struct picture_settings *settings);

#endif
