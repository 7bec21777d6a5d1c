/* What a run that is under way says of itself: a small file, which other programs read while it is
 * written. It is replaced as a whole every few seconds, so a reader never sees half of one. */
#ifndef RENDER_DISK_RUN_STATUS_H
#define RENDER_DISK_RUN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/disk/json.h"

#define RUN_STATUS_FILE "status.json"
#define RUN_STATUS_SUFFIX                                                  \
    ".deepfield" /* of the folder, behind the name of the run's first file \
                  */

enum { RUN_HOST_BYTES = 64, RUN_RANKS_MOST = 1 << 20 };
enum { RUN_SILENT_S = 30 };  /* so long without a sign is longer than any run is silent */
enum { RUN_UNDER_WAY = -1 }; /* instead of an exit code */

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
    int code;                     /* with which it has ended, or RUN_UNDER_WAY */
    char text[STATUS_TEXT_BYTES]; /* why, when that is not 0 */
};

enum run_state {
    RUN_RUNNING,
    RUN_SILENT, /* no sign of it for RUN_SILENT_S, and its process is alive, or cannot be seen */
    RUN_GONE,   /* ended without a word: it was killed */
    RUN_ENDED
};

/* Members of an object that is open: how far it is, and how it has ended (null: it has not). */
void run_status_json(struct json *json, const struct run_status *status);
void run_status_end_json(struct json *json, const struct run_status *status);

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

/* What has become of it by `now_s`, in seconds since 1970. Whether its process is alive is seen on
 * its own host alone. */
enum run_state run_status_state(const struct run_status *status, double now_s);

const char *run_state_name(enum run_state state);

#endif
