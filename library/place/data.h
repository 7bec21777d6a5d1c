/* Names of the views and other files that come with deepfield. */
#ifndef LIBRARY_PLACE_DATA_H
#define LIBRARY_PLACE_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"
#include "library/config/data_folder.h"

/* "FOLDER/configs/views/NAME.ini", or ".../FILE.places:PLACE" for FILE:PLACE. STATUS_NO_INPUT when
 * there is no such file, with the nearest name. */
enum status data_view(const struct data_source *data, const char *name, char *path, size_t bytes);

/* Names of the files of a folder that end in `suffix`, without it; sorted. */
enum { DATA_NAME_BYTES = 64 }; /* longer ones are left out */
struct data_names {
    char (*name)[DATA_NAME_BYTES]; /* owned */
    size_t count;
    int longest;
};
enum status data_names_list(struct data_names *names, const char *folder, const char *suffix);
/* The views of configs/views: its .ini files, and FILE:PLACE of its .places files; sorted. */
enum status data_views_list(struct data_names *names, const char *folder);
/* The file of such a name, as view_file_load takes it. False: too long. */
bool data_view_path(char *path, size_t bytes, const char *folder, const char *name);

/* Behind the others; cut at DATA_NAME_BYTES. STATUS_OUT_OF_MEMORY. */
enum status data_names_add(struct data_names *names, const char *name, size_t length);
void data_names_destroy(struct data_names *names); /* accepts a zeroed one */

#endif
