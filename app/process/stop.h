/* The stop flag of the program. INT, TERM, HUP (unless ignored, as under nohup), USR1 and USR2 set
 * a flag; a second INT ends the process. */
#ifndef APP_PROCESS_STOP_H
#define APP_PROCESS_STOP_H

#include "render/disk/atomic_file_set.h"

/* Non-zero once a signal came. Handed to the picture, the job, the kernels and the files. */
extern volatile int stop_requested;

/* To be called after world_open: MPI, and what it loads, replaces handlers. A rank of
 * a job calls it before, too, so that no request is lost. Also ignores PIPE, so
 * that writing to a closed pipe, and XFSZ, so that a file beyond its limit, is an error that can be
 * told, not a death. */
void stop_listen(void);

/* atomic_file_set_commit, during which a second INT does not end the process: it would hide the
 * files until the next run in their folder. */
enum status stop_held_commit(struct atomic_file_set *set);

#endif
