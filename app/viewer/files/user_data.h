/* The folder of the user's data: history, bookmarks, favourites, palettes. */
#ifndef APP_VIEWER_FILES_USER_DATA_H
#define APP_VIEWER_FILES_USER_DATA_H

#include <stddef.h>

#include "kernels/status.h"

enum { USER_DATA_PATH_BYTES = 4096 };

/* $XDG_DATA_HOME/deepfield, or ~/.local/share/deepfield; does not make it. STATUS_CANNOT_CREATE if
 * neither variable names an absolute path, or it is too long. */
enum status user_data_folder(char path[USER_DATA_PATH_BYTES]);

/* $XDG_CACHE_HOME/deepfield, or ~/.cache/deepfield: what can be made again. As above. */
enum status user_cache_folder(char path[USER_DATA_PATH_BYTES]);

/* FOLDER/name, in path[USER_DATA_PATH_BYTES]. STATUS_CANNOT_CREATE if that is too long. */
enum status user_data_path(char path[USER_DATA_PATH_BYTES], const char *folder, const char *name);

/* Makes the folder and those above it if they are not there; other users cannot read what is made.
 * The folder must be of this user. STATUS_CANNOT_CREATE. */
enum status user_data_make(const char *folder);

/* Writes or replaces a file of the folder; a link is not followed. Waits for the disk.
 * STATUS_CANNOT_CREATE, STATUS_IO. */
enum status user_data_replace(const char *path, const char *bytes, size_t length);

/* Writes or replaces a small text as FOLDER/name; the folder is made if need be. Waits for the
 * disk. STATUS_CANNOT_CREATE, STATUS_IO. */
enum status user_data_write(const char *folder, const char *name, const char *text);

#endif
