/* One stored field coloured anew: rows out of its files, and coloured rows into others, so that it
 * may be larger than memory. Nothing is computed. */
#ifndef APP_COMMAND_RECOLOUR_H
#define APP_COMMAND_RECOLOUR_H

#include <stddef.h>

#include "app/arguments/arguments.h"
#include "kernels/status.h"

struct recolour_job {
    const char *path; /* the field: an .exr, or .npy planes */
    char **out;       /* files to write, .png and others; [out_count] */
    size_t out_count;
    bool quality, overviews; /* one of them is of a kind that has a quality, smaller copies */
    const struct arguments *arguments; /* what colours there are to be, over what the field says */
};

/* The look is that of the field's own view, with the settings of this run over it; that view goes
 * into the new files. All files appear, or none. Uses as many threads as OpenMP may. Thread: any,
 * at the same time. STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_CONFIG, STATUS_CANNOT_CREATE,
 * STATUS_IO, STATUS_TOO_LARGE, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status recolour(const struct recolour_job *job);

#endif
