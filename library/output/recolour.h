/* One stored field coloured anew: rows out of its files, and coloured rows into others, so that it
 * may be larger than memory. Nothing is computed. */
#ifndef LIBRARY_OUTPUT_RECOLOUR_H
#define LIBRARY_OUTPUT_RECOLOUR_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/formula.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "library/text/ini.h"
#include "render/colour/look_options.h"
#include "render/disk/atomic_file.h"
#include "render/disk/atomic_file_set.h"

struct recolour_request {
    const char *path;       /* the field: an .exr, or .npy planes */
    const char *const *out; /* files to write, .png and others; [out_count] */
    size_t out_count;
    enum overwrite overwrite;
    int threads;              /* threads that it uses; 0: as many as OpenMP may */
    const volatile int *stop; /* non-zero: STATUS_STOPPED; may be NULL */
    /* Makes all settings of those of the field's own view, which may be empty, and of the caller's
     * over them. */
    enum status (*settings)(void *context, struct config *config, const struct ini *view,
                            const char *path);
    /* Has the caller set it? Then colours by a plane that is not there are a failure; those of the
     * field's own view are left out. */
    bool (*is_chosen)(void *context, enum option_key option);
    /* Judges the look, `relief`: with what is automatic; may be NULL. */
    enum status (*look)(void *context, const struct look_options *options,
                        const struct formula *formula, bool relief);
    void (*notice)(void *context, const char *sentence); /* may be NULL */
    enum status (*commit)(struct atomic_file_set *set);  /* NULL: atomic_file_set_commit */
    void *context;
};

/* The view with these settings goes into the new files. All files appear, or none. Thread: any, at
 * the same time. STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_CONFIG, STATUS_CANNOT_CREATE, STATUS_IO,
 * STATUS_TOO_LARGE, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status recolour(const struct recolour_request *request);

#endif
