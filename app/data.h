/* The folders of the program's own views and palettes. */
#ifndef APP_DATA_H
#define APP_DATA_H

#include <stddef.h>

#include "kernels/status.h"

/* The folder that holds configs/ and assets/: DEEPFIELD_DATA, else ../share/deepfield beside the
 * program's folder, else the source tree it was built from. STATUS_NO_INPUT when none is there. */
enum status data_folder(char *path, size_t bytes);

/* "FOLDER/configs/views/NAME.ini". STATUS_NO_INPUT when there is none, with the nearest name. */
enum status data_view(const char *name, char *path, size_t bytes);

/* Names of the files of a folder that end in `suffix`, without it; sorted. */
enum { DATA_NAME_BYTES = 64 }; /* longer ones are left out */
struct data_names {
    char (*name)[DATA_NAME_BYTES]; /* owned */
    size_t count;
    int longest;
};
enum status data_names_list(struct data_names *names, const char *folder, const char *suffix);
/* Behind the others; cut at DATA_NAME_BYTES. STATUS_OUT_OF_MEMORY. */
enum status data_names_add(struct data_names *names, const char *name, size_t length);
void data_names_destroy(struct data_names *names); /* accepts a zeroed one */

#endif
