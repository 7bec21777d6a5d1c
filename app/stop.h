/* Has somebody asked us to stop? INT, TERM, HUP (unless ignored, as under nohup), USR1 and USR2 set
 * a flag; a second INT ends the process. */
#ifndef APP_STOP_H
#define APP_STOP_H

#include <stdbool.h>

/* Non-zero once a signal came. Handed to the picture, the job, the kernels and the files. */
extern volatile int stop_requested;

/* To be called after world_open: MPI, and what it loads, replaces handlers. A rank that was started
 * for --ranks calls it before, too, so that no request is lost. Also ignores PIPE, so
 * that writing to a closed pipe, and XFSZ, so that a file beyond its limit, is an error that can be
 * told, not a death. */
void stop_listen(void);

/* While files get their names a second INT does not end the process: it would hide them until the
 * next run finishes that. */
void stop_hold(bool hold);

#endif
