/* What the environment says besides settings: the folder of data, the language. */
#ifndef APP_PROCESS_ENVIRONMENT_H
#define APP_PROCESS_ENVIRONMENT_H

#include <stddef.h>

#include "kernels/status.h"
#include "library/config/data_folder.h"
#include "library/config/language.h"

/* DEEPFIELD_DATA; borrowed. */
struct data_source environment_data(void);

/* The folder that holds configs/ and assets/: DEEPFIELD_DATA, else the one that is installed.
 * STATUS_NO_INPUT when none is there. */
enum status environment_data_folder(char *path, size_t bytes);

/* What LC_ALL, LC_MESSAGES and LANG ask for. */
enum language environment_language(void);

#endif
