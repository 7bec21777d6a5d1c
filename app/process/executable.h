/* Programs that execvp would find. */
#ifndef APP_PROCESS_EXECUTABLE_H
#define APP_PROCESS_EXECUTABLE_H

#include <stddef.h>

/* The first of the names that a folder of PATH has, folder by folder: its index, and its file in
 * `path`; -1: there is none. */
int executable_find(const char *const names[], int count, char *path, size_t bytes);

#endif
