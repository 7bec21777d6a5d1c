/* Where does a finished frame go? A list of kinds, chosen by the suffix of a file name.
 *
 * A file appears whole or not at all: written under a temporary name in the same folder, flushed,
 * synced, renamed, the folder synced (render/whole_file.h). */
#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include <stdint.h>

#include "kernels/field.h"
#include "render/colour.h"

enum overwrite { OVERWRITE_NO, OVERWRITE_YES };

struct sink_order {
    const char *path;
    const struct field *field;
    const struct look *look;
    const char *view_text; /* ini text that brings the view back; embedded where the format can */
    const char *title;
    int png_bits; /* 8 or 16 */
    enum overwrite overwrite;
};

struct sink_kind {
    const char *name;
    const char *suffix; /* ".png" */
    const char *summary;
    /* Most bytes that writing the order can take on the disk. */
    uint64_t (*bytes_max)(const struct sink_order *order);
    enum status (*write)(const struct sink_order *order);
};

extern const struct sink_kind *const sink_kinds[];
extern const int sink_kinds_count;

/* By suffix, case ignored. STATUS_USAGE for an unknown one, naming the known. */
enum status sink_for_path(const struct sink_kind **kind, const char *path);

/* Could the order be written? Before anything is computed: folder there and writable
 * (STATUS_CANNOT_CREATE), file absent or overwritable (STATUS_CANNOT_CREATE, says --force), space
 * on the disk (STATUS_TOO_LARGE, sums shown). order->field needs sizes and planes, not data. */
enum status sink_check(const struct sink_order *order);

enum status sink_write(const struct sink_order *order);

/* Paths that the order would write (one for .png, one per plane for .npy: x.count.npy), each as a
 * line, into `text`. */
void sink_paths(const struct sink_order *order, char *text, size_t bytes);

#endif
