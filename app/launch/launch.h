/* Launcher of `--ranks N`: mpirun on this machine, with this program as its program.
 *
 * The ranks write to our stdout and stderr themselves (rank.h). What mpirun and MPI say is kept,
 * and shown only when the job fails and rank 0 has not said why. */
#ifndef APP_LAUNCH_LAUNCH_H
#define APP_LAUNCH_LAUNCH_H

#include <stdbool.h>

#include "kernels/status.h"

enum crowd { CROWD_REFUSED, CROWD_WANTED }; /* more ranks than the cores can serve well */

struct launch_order {
    long ranks;
    enum crowd crowd;
    long restarts;   /* at most */
    const char *log; /* path of the event log (event_log.h); NULL: none */
};

/* Runs `argv` in ranks and waits; *code receives the exit code. Works with Open MPI 4 and 5. INT,
 * TERM, HUP, USR1 and USR2 reach the ranks as USR1, so a stopped job ends with 75; the second goes
 * to mpirun, which kills ranks that do not end within a second, the third kills all. TSTP and CONT
 * reach the ranks too.
 *
 * A job that ends by a fault is started again, with a line on stderr: rank 0 or mpirun is killed,
 * rank 0 is stopped for half a minute, or rank 0 says that it was a fault of ranks or devices. It
 * has one rank fewer then, if one was lost. Not after a request to stop, nor when results have
 * begun to leave (rank.h).
 *
 * STATUS_CONFIG, STATUS_TOO_LARGE and STATUS_SYSTEM when launch_check refuses, STATUS_NO_DEVICE
 * when there is no mpirun, STATUS_SYSTEM when the job fails and rank 0 has not said why. Blocks. */
enum status launch_ranks(const struct launch_order *order, char **argv, int *code);

#endif
