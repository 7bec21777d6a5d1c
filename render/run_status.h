/* What a run that is under way says of itself: a small file, which other programs read while it is
 * written. It is replaced as a whole every few seconds, so a reader never sees half of one. */
#ifndef RENDER_RUN_STATUS_H
#define RENDER_RUN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/json.h"

#define RUN_STATUS_FILE "status.json"
#define RUN_STATUS_SUFFIX                                                  \
    ".deepfield" /* of the folder, behind the name of the run's first file \
                  */

enum { RUN_HOST_BYTES = 64, RUN_RANKS_MOST = 1 << 20 };

struct run_rank {
    char host[RUN_HOST_BYTES];
    bool computes;
    uint64_t tiles, iterations;
    double busy_s;    /* computing, all threads together */
    double unheard_s; /* rank 0 has looked for a word of it in vain */
};

struct run_status {
    char host[RUN_HOST_BYTES]; /* of rank 0, ... */
    int64_t process;           /* ... and its process there */
    double written_s;          /* seconds since 1970 */
    uint64_t pixels_done, pixels, iterations;
    double share;   /* of the work that is done */
    double seconds; /* since it began */
    double left_s;  /* until it ends; negative: not known */
    struct run_rank *rank;
    int ranks;
};

/* Members of an object that is open. */
void run_status_json(struct json *json, const struct run_status *status);

/* Replaces the file in the folder. False: it could not be written, errno says why; ENOENT: there
 * is no such folder. */
bool run_status_write(const struct run_status *status, const char *folder);

/* Reads the file of a folder. STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. To be
 * destroyed after success. */
enum status run_status_read(struct run_status *status, const char *folder);
void run_status_destroy(struct run_status *status); /* accepts a zeroed one */

/* The same of a text of `bytes` bytes; `path` is for the sentence. */
enum status run_status_parse(struct run_status *status, const char *text, size_t bytes,
                             const char *path);

/* Is its process alive? True also when it ran on another host, where that cannot be seen. */
bool run_status_lives(const struct run_status *status);

#endif
