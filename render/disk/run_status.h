/* Status of a run that is under way: a small file that other programs read. It is replaced as a
 * whole every few seconds, so a reader never sees half of one. */
#ifndef RENDER_DISK_RUN_STATUS_H
#define RENDER_DISK_RUN_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/disk/json.h"

#define RUN_STATUS_FILE "status.json"
/* Suffix of the folder of a run, behind the name of its first file. */
#define RUN_STATUS_SUFFIX ".deepfield"
/* Files of the folder of a film: what it is, and a lock of whoever makes it. */
#define RUN_FILM_FILE "film.txt"
#define RUN_LOCK_FILE "lock"

enum { RUN_HOST_BYTES = 64, RUN_RANKS_MOST = 1 << 20 };
enum { RUN_SILENT_S = 30 };  /* longest silence of a live run; it writes more often than this */
enum { RUN_UNDER_WAY = -1 }; /* instead of an exit code */

struct run_rank {
    char host[RUN_HOST_BYTES];
    bool computes;
    uint64_t tiles, iterations;
    double busy_s;    /* time spent computing, sum over threads */
    double unheard_s; /* time for which rank 0 has polled without a message from it */
};

struct run_status {
    char host[RUN_HOST_BYTES]; /* host of rank 0 */
    int64_t process;           /* process of rank 0 on that host */
    double written_s;          /* seconds since 1970 */
    uint64_t pixels_done, pixels, iterations;
    double share;   /* done part of the work, 0 ... 1 */
    double seconds; /* seconds since the run began */
    double left_s;  /* seconds until the run ends; negative: not known */
    struct run_rank *rank;
    int ranks;
    int code;                     /* exit code, or RUN_UNDER_WAY */
    char text[STATUS_TEXT_BYTES]; /* reason, when `code` is not 0 */
};

enum run_state {
    RUN_RUNNING,
    RUN_SILENT, /* not written for RUN_SILENT_S; its process is alive, or cannot be seen */
    RUN_GONE,   /* process ended without an exit code: it was killed */
    RUN_ENDED
};

/* Write members of an open object: the progress of the run, and its end (null: it is under way). */
void run_status_json(struct json *json, const struct run_status *status);
void run_status_end_json(struct json *json, const struct run_status *status);

/* Replaces the file in the folder. False with errno if it could not be written; ENOENT: there is no
 * such folder. */
bool run_status_write(const struct run_status *status, const char *folder);

/* Reads the file of a folder. STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. To be
 * destroyed after success. */
enum status run_status_read(struct run_status *status, const char *folder);
void run_status_destroy(struct run_status *status); /* accepts a zeroed one */

/* Reads a text of `bytes` bytes; `path` is for the sentence of an error. */
enum status run_status_parse(struct run_status *status, const char *text, size_t bytes,
                             const char *path);

/* State of the run at `now_s`, in seconds since 1970. Whether its process is alive can be seen on
 * its own host only. */
enum run_state run_status_state(const struct run_status *status, double now_s);

const char *run_state_name(enum run_state state);

/* Path of the folder of a film that is written to `path`; frames: its files are numbered pictures.
 * STATUS_CANNOT_CREATE: it is too long, as names in it take up to 300 bytes. */
enum { RUN_PATH_BYTES = 4096 };
enum status run_film_folder(char folder[RUN_PATH_BYTES], const char *path, bool frames);

/* Is the open folder that of a film? */
bool run_folder_is_of_film(int folder);

#endif
