/* Stored fields coloured anew by the program, many at a time: deepfield_recolour with settings of a
 * command line. */
#ifndef LIBRARY_HANDLE_PROGRAM_RECOLOUR_H
#define LIBRARY_HANDLE_PROGRAM_RECOLOUR_H

#include "library/output/recolour.h"

/* Thread: any, at the same time. */
enum status program_recolour(const struct recolour_request *request);

/* Base name of the files of a field without folder and suffix, "folder/x.count.npy" -> "x"; freed
 * by the caller, NULL without memory. */
char *program_field_stem(const char *path);

/* Is the name one of a file that can be written, of a kind with a quality, with smaller copies?
 * STATUS_USAGE. */
enum status program_output_kind(const char *path, bool *quality, bool *overviews);

/* Cores that this process may use. */
int program_cores(void);

#endif
