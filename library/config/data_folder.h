/* The folder of the views and palettes that come with deepfield. */
#ifndef LIBRARY_CONFIG_DATA_FOLDER_H
#define LIBRARY_CONFIG_DATA_FOLDER_H

#include <stddef.h>

#include "kernels/status.h"

/* What the caller says of it. */
struct data_source {
    const char *folder; /* holds configs/ and assets/; NULL: the one that is installed */
    const char *name;   /* where the caller has it from, for sentences; NULL: "data" */
};

/* The folder that holds configs/ and assets/: that of the source, else share/deepfield beside the
 * folder of the library or program that has this code. STATUS_NO_INPUT when none is there. */
enum status data_folder(const struct data_source *source, char *path, size_t bytes);

#endif
