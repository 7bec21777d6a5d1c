/* Check of what Open MPI needs for ranks on this machine, made beforehand: where it lacks space or
 * files it does not fail but waits for ever. */
#ifndef APP_LAUNCH_LAUNCH_CHECK_H
#define APP_LAUNCH_LAUNCH_CHECK_H

#include <stdint.h>

#include "app/launch/launch.h"
#include "kernels/status.h"

struct launch_room { /* bytes; UINT64_MAX: no limit, or not known */
    int cores;
    const char *session_folder; /* session folder of mpirun */
    uint64_t session_free, shared_free, file_most, files_most;
};

/* Raises the limit of open files as far as the ranks need and the system permits. */
void launch_room_read(long ranks, struct launch_room *room);

/* STATUS_CONFIG for too many ranks, STATUS_TOO_LARGE for too little space, STATUS_SYSTEM for limits
 * of the system, with the figures. Pure. */
enum status launch_room_check(long ranks, enum crowd crowd, const struct launch_room *room);

/* Removes segments of Open MPI 4 and 5 in `shared` that killed jobs of this user have left: older
 * than a minute, and mapped by no process. Returns how many there were. */
int launch_segments_remove(const char *shared);

/* A session folder may be of a container with process numbers of its own, whose job is seldom as
 * old. */
enum { SESSION_OLD_S = 86400 };

/* Removes session folders in `sessions` that launchers of this user, who are gone, left at least
 * `old_s` ago. Returns how many there were. */
int launch_sessions_remove(const char *sessions, int old_s);

/* Removes the session folder that a launcher with this process's number has left: the launcher of
 * Open MPI 5 that this process is about to become ends where there is one. */
void launch_own_session_remove(const char *sessions);

/* The folder in which mpirun keeps its sessions. */
const char *launch_session_folder(void);

/* Kills ranks of this program and user that mpirun has started and that have outlived it. Returns
 * how many there were. */
int launch_orphans_end(void);

#endif
