#include "app/launch/launch_check.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#define MIB ((uint64_t)1 << 20)

/* Open MPI 4.1.4 takes 8.1 MiB and 4 KiB a rank in its session folder, 5.0.7 0.1 MiB; in shared
 * memory 0.2 MiB a rank are touched at once, and version 4 wants a whole segment to be free. mpirun
 * has 22 files open and 3 a rank, 6 while it starts one; its launcher, we, 1 a rank. Segments are
 * files of 4 MiB (version 4) and 16 MiB (5). */
static const uint64_t session_least = 12 * MIB, session_rank = 16 << 10;
static const uint64_t shared_least = 16 * MIB, shared_rank = MIB / 2;
static const uint64_t file_least = 17 * MIB;
static const uint64_t files_least = 64, files_rank = 4;

/* Number of ranks that are started without --oversubscribe. */
static long ranks_unasked(int cores)
{
    enum { A_FEW = 16, EACH = 4 };
    return cores > A_FEW / EACH ? (long)cores * EACH : A_FEW;
}

static uint64_t space_free(const char *folder)
{
    struct statvfs facts;
    if (statvfs(folder, &facts) != 0)
        return UINT64_MAX;
    return (uint64_t)facts.f_bavail * facts.f_frsize;
}

static uint64_t limit_of(int resource, uint64_t wanted)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return UINT64_MAX;
    if (limit.rlim_cur < wanted && limit.rlim_max > limit.rlim_cur) {
        limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
        if (setrlimit(resource, &limit) != 0)
            getrlimit(resource, &limit);
    }
    return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
}

/* Finds the folder as Open MPI does. */
const char *launch_session_folder(void)
{
    static const char *const names[] = {"TMPDIR", "TEMP", "TMP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *folder = getenv(names[i]);
        if (folder && *folder)
            return folder;
    }
    return "/tmp";
}

void launch_room_read(long ranks, struct launch_room *room)
{
    cpu_set_t cores;
    bool known = sched_getaffinity(0, sizeof cores, &cores) == 0;
    *room = (struct launch_room){
        .cores = known ? CPU_COUNT(&cores) : CPU_SETSIZE,
        .session_folder = launch_session_folder(),
        .session_free = space_free(launch_session_folder()),
        .shared_free = space_free("/dev/shm"),
        .file_most = limit_of(RLIMIT_FSIZE, 0),
        .files_most = limit_of(RLIMIT_NOFILE, files_least + files_rank * (uint64_t)ranks)};
}

static double mib(uint64_t bytes)
{
    return (double)bytes / (double)MIB;
}

enum status launch_room_check(long ranks, enum crowd crowd, const struct launch_room *room)
{
    uint64_t count = (uint64_t)ranks;
    uint64_t session = session_least + session_rank * count;
    uint64_t shared = shared_least + shared_rank * count;
    uint64_t files = files_least + files_rank * count;
    if (crowd == CROWD_REFUSED && ranks > ranks_unasked(room->cores))
        return status_fail(STATUS_CONFIG,
                           "--ranks %ld on %d core%s: more than %ld need --oversubscribe", ranks,
                           room->cores, room->cores > 1 ? "s" : "", ranks_unasked(room->cores));
    if (room->session_free < session)
        return status_fail(STATUS_TOO_LARGE,
                           "%s has %.1f MiB free, and mpirun needs %.1f for %ld ranks; make room, "
                           "or set TMPDIR to another folder",
                           room->session_folder, mib(room->session_free), mib(session), ranks);
    if (room->shared_free < shared)
        return status_fail(STATUS_TOO_LARGE,
                           "/dev/shm has %.1f MiB free, and %ld ranks need %.1f; make room, or "
                           "enlarge it (docker run --shm-size)",
                           mib(room->shared_free), ranks, mib(shared));
    if (room->file_most < file_least)
        return status_fail(
            STATUS_SYSTEM,
            "files may have %.1f MiB (ulimit -f), and ranks share memory in files of "
            "%.1f; raise the limit, or leave --ranks out",
            mib(room->file_most), mib(file_least));
    if (room->files_most < files)
        return status_fail(STATUS_SYSTEM,
                           "%llu files may be open (ulimit -n), and mpirun needs %llu for %ld "
                           "ranks; raise the limit, or take fewer ranks",
                           (unsigned long long)room->files_most, (unsigned long long)files, ranks);
    return STATUS_OK;
}
