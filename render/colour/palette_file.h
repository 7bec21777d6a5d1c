/* Files of palettes: the gradients of a file of several, and writing. */
#ifndef RENDER_COLOUR_PALETTE_FILE_H
#define RENDER_COLOUR_PALETTE_FILE_H

#include "render/colour/palette.h"
#include "render/disk/atomic_file.h"

/* most gradients that are listed of a file; any can be loaded by its name */
enum { PALETTE_GRADIENTS_MAX = 4096 };

enum palette_want { PALETTE_NAMES, PALETTE_COLOURS };

/* One gradient of a file, named as palette_load takes it behind FILE and a colon. The palette is
 * NULL when only names are wanted, and is valid only during the call. A failure ends the visits. */
typedef enum status palette_visit(void *context, const char *gradient,
                                  const struct palette *palette);

/* Visits the gradients of a file of several. *several is false, and nothing visited, for names that
 * palette_load reads as one palette. Fails as palette_load; STATUS_BAD_DATA for a file of several
 * without one. */
enum status palette_gradients(const char *name, enum palette_want want, palette_visit *visit,
                              void *context, bool *several);

/* The name of one palette in a list: "blues" of "x/blues.ggr", "Gold" of "x/all.ugr:Gold"; a name
 * is its own. Returns `label`. */
char *palette_label(const char *name, char *label, size_t bytes);

/* Does palette_save know the suffix? STATUS_USAGE names those that it knows. */
enum status palette_save_check(const char *path);

/* Writes a file of the kind that its suffix names: .csv or .ggr. Read back it is the same table
 * within 0.001 of light. STATUS_USAGE for other suffixes; fails as atomic_file.h. */
enum status palette_save(const struct palette *palette, const char *path, enum overwrite overwrite);

#endif
