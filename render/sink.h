/* Where does a finished frame go? A list of kinds, chosen by the suffix of a file name.
 *
 * A file appears whole or not at all (render/whole_file.h). A device or a pipe without a suffix, as
 * /dev/full or /dev/stdout, takes the first kind. */
#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/field.h"
#include "render/colour.h"
#include "render/whole_set.h"

enum { SINK_PATH_BYTES = 4096 }; /* as PATH_MAX; longer paths are refused */

struct sink_order {
    const char *path;
    const struct field *field;
    const struct look *look;
    const float (*light)[3]; /* [height][width]; NULL: as the look colours the field */
    const char *view_text; /* ini text that brings the view back; embedded where the format can; may
                              be NULL */
    const char *title;     /* may be NULL */
    int png_bits;          /* 8 or 16 */
    unsigned planes;       /* that kinds of numbers write; 0: all that the field has */
    enum overwrite overwrite;
    uint64_t beside_bytes;    /* that other files of this run can take on the same disk */
    const volatile int *stop; /* non-zero: give up with STATUS_STOPPED; may be NULL */
};

struct sink_kind {
    const char *name;
    const char *suffix; /* ".png" */
    const char *summary;
    unsigned needs; /* planes that it reads, whatever sink_order.planes says */
    /* Path of the file number `index` (from 0) that the order writes, into path[SINK_PATH_BYTES];
     * false beyond the last. */
    bool (*file)(const struct sink_order *order, int index, char *path);
    /* Most bytes that writing the order can take on the disk; UINT64_MAX if more than that. */
    uint64_t (*bytes_max)(const struct sink_order *order);
    /* Adds the finished files to the set. */
    enum status (*write)(const struct sink_order *order, struct whole_set *set);
};

extern const struct sink_kind *const sink_kinds[];
extern const int sink_kinds_count;

/* By suffix, case ignored. STATUS_USAGE for an unknown one, naming the known. */
enum status sink_for_path(const struct sink_kind **kind, const char *path);

/* Could the order be written? Before anything is computed: folder there and writable
 * (STATUS_CANNOT_CREATE), file absent or overwritable (STATUS_CANNOT_CREATE, says --force), space
 * on the disk (STATUS_TOO_LARGE, sums shown). order->field needs sizes and planes, not data. */
enum status sink_check(const struct sink_order *order);

/* Bytes that the order can take on the disk that `path` is on; 0 if it goes to another. For summing
 * up beside_bytes. */
uint64_t sink_bytes_beside(const struct sink_order *order, const char *path);

/* Writes all files of the order to the disk and adds them to the set, which gives them their names.
 * STATUS_IO, STATUS_CANNOT_CREATE, STATUS_OUT_OF_MEMORY, STATUS_STOPPED. */
enum status sink_write_to(const struct sink_order *order, struct whole_set *set);

/* The same for one order alone, names too. All files appear, or none. */
enum status sink_write(const struct sink_order *order);

/* Do two orders write the same file? Its path to path[SINK_PATH_BYTES]. */
bool sink_orders_meet(const struct sink_order *order, const struct sink_order *other, char *path);

/* For the kinds: has somebody asked to stop? To be asked every few megabytes. */
enum status sink_stopped(const struct sink_order *order);

/* Paths that the order would write (one for .png, one per plane for .npy: x.count.npy), each as a
 * line, into `text`; cut at `bytes`. Empty for a path that sink_for_path refuses. */
void sink_paths(const struct sink_order *order, char *text, size_t bytes);

#endif
