/* Files of palettes beyond loading one: what a file of several holds, and how one is written. */
#ifndef RENDER_PALETTE_FILE_H
#define RENDER_PALETTE_FILE_H

#include "render/palette.h"
#include "render/whole_file.h"

/* The names of the gradients of a file of several, as palette_load takes them behind FILE and a
 * colon; calls `visit` until it says false. *several is false, and nothing visited, for names that
 * palette_load takes whole. Fails as palette_load. */
enum status palette_gradients(const char *name, bool (*visit)(void *context, const char *gradient),
                              void *context, bool *several);

/* Would palette_save know the suffix? STATUS_USAGE names those that it knows. */
enum status palette_save_check(const char *path);

/* Writes a file of the kind that its suffix says: .csv or .ggr. Read back it is the same table
 * within 0.001 of light. STATUS_USAGE for other suffixes; fails as whole_file.h. */
enum status palette_save(const struct palette *palette, const char *path, enum overwrite overwrite);

#endif
