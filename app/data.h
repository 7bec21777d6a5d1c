/* Where are the program's own views and palettes? */
#ifndef APP_DATA_H
#define APP_DATA_H

#include <stddef.h>

#include "kernels/status.h"

/* The folder that holds configs/ and assets/: DEEPFIELD_DATA, else ../share/deepfield beside the
 * program's folder, else the source tree it was built from. STATUS_NO_INPUT when none is there. */
enum status data_folder(char *path, size_t bytes);

/* "FOLDER/configs/views/NAME.ini". STATUS_NO_INPUT when there is none, with the nearest name. */
enum status data_view(const char *name, char *path, size_t bytes);

#endif
