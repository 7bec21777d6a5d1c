/* What killed jobs have left, see launch_check.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "app/launch/launch_check.h"
#include "app/launch/rank.h"
#include "kernels/number_text.h"

/* Longer than it takes to map a segment that one has made. */
enum { SEGMENT_OLD_S = 60 };

/* Is it of this user, no link, and as old? */
static bool is_old_and_ours(int folder, const char *name, mode_t kind, int old_s)
{
    struct stat facts;
    return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           (facts.st_mode & S_IFMT) == kind && facts.st_uid == geteuid() &&
           time(NULL) - facts.st_mtime >= old_s;
}

/* Rest of a name after "PREFIX.HOST." of this host; NULL for other names. Other hosts may share the
 * folder, and their processes cannot be seen. */
static const char *after_host(const char *name, const char *prefix)
{
    char host[256] = "", begin[300];
    gethostname(host, sizeof host - 1);
    int length = snprintf(begin, sizeof begin, "%s.%s.", prefix, host);
    if (strncmp(name, begin, (size_t)length) == 0)
        return name + length;
    host[strcspn(host, ".")] = '\0'; /* some versions cut the domain off */
    length = snprintf(begin, sizeof begin, "%s.%s.", prefix, host);
    return strncmp(name, begin, (size_t)length) == 0 ? name + length : NULL;
}

/* ---- segments ---- */

/* "vader_segment.HOST.UID.JOB.RANK", from version 5 on "sm_segment..." */
static bool is_segment(const char *name)
{
    const char *rest = after_host(name, "vader_segment");
    if (!rest)
        rest = after_host(name, "sm_segment");
    char user[24];
    int length = snprintf(user, sizeof user, "%u.", (unsigned)geteuid());
    return rest && strncmp(rest, user, (size_t)length) == 0;
}

/* Is the file among what the process has mapped? What hides its maps from its own user is no rank.
 */
static bool process_maps(const char *process, const char *path)
{
    char file[300], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(file, sizeof file, "/proc/%s/maps", process);
    FILE *maps = fopen(file, "re");
    while (!found && maps && getline(&line, &room, maps) > 0)
        found = strstr(line, path) != NULL;
    free(line);
    if (maps)
        fclose(maps);
    return found;
}

/* The sum of what `take` makes of each entry of an open folder, which is closed; 0 for NULL. */
static int entries_each(DIR *folder, int (*take)(int folder, const char *name, const void *what),
                        const void *what)
{
    int sum = 0;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        sum += take(dirfd(folder), entry->d_name, what);
    if (folder)
        closedir(folder);
    return sum;
}

/* Only processes of this user may have a segment open. */
static bool is_process_of_ours(int folder, const char *name)
{
    struct stat facts;
    return isdigit((unsigned char)*name) && fstatat(folder, name, &facts, 0) == 0 &&
           facts.st_uid == geteuid();
}

static int maps_count(int processes, const char *name, const void *path)
{
    return is_process_of_ours(processes, name) && process_maps(name, path);
}

static bool is_mapped(const char *path)
{
    DIR *processes = opendir("/proc");
    return !processes || entries_each(processes, maps_count, path) > 0;
}

static int segment_remove(int folder, const char *name, const void *unused)
{
    (void)unused;
    return is_segment(name) && is_old_and_ours(folder, name, S_IFREG, SEGMENT_OLD_S) &&
           !is_mapped(name) && unlinkat(folder, name, 0) == 0;
}

int launch_segments_remove(const char *shared)
{
    return entries_each(opendir(shared), segment_remove, NULL);
}

/* ---- session folders ---- */

static DIR *folder_open(int parent, const char *name)
{
    int inside =
        TEMP_FAILURE_RETRY(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return inside >= 0 ? fdopendir(inside) : NULL;
}

static int tree_remove(int parent, const char *name);

static int leaf_remove(int folder, const char *name, const void *unused)
{
    (void)unused;
    bool inside = strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
    if (inside && unlinkat(folder, name, 0) != 0 && errno == EISDIR)
        tree_remove(folder, name);
    return 0;
}

/* The folder with all that is in it, which belongs to this user alone. */
static int tree_remove(int parent, const char *name)
{
    entries_each(folder_open(parent, name), leaf_remove, NULL);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* The process that a name is of: "PREFIX.HOST.PID.UID" with this user. 0: the name has another
 * form. */
static pid_t process_of(const char *name, const char *prefix)
{
    const char *rest = after_host(name, prefix);
    char user[24];
    int64_t process;
    snprintf(user, sizeof user, ".%u", (unsigned)geteuid());
    bool whole = rest && isdigit((unsigned char)*rest) && number_whole_take(&rest, &process) &&
                 strcmp(rest, user) == 0 && process > 1 && process <= INT_MAX;
    return whole ? (pid_t)process : 0;
}

static bool is_gone(pid_t process)
{
    return process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

static int session_remove(int folder, const char *name, const void *old_s)
{
    return is_old_and_ours(folder, name, S_IFDIR, *(const int *)old_s) && tree_remove(folder, name);
}

/* Version 4: "ompi.HOST.UID", in which are "pid.PID". */
static int older_session_remove(int folder, const char *name, const void *old_s)
{
    const char *number = name + strlen("pid.");
    int64_t process;
    return strncmp(name, "pid.", strlen("pid.")) == 0 && isdigit((unsigned char)*number) &&
           number_whole_take(&number, &process) && *number == '\0' && process > 1 &&
           process <= INT_MAX && is_gone((pid_t)process) && session_remove(folder, name, old_s);
}

static int older_sessions_remove(int folder, const char *name, const void *old_s)
{
    const char *rest = after_host(name, "ompi");
    char user[24];
    snprintf(user, sizeof user, "%u", (unsigned)geteuid());
    return rest && strcmp(rest, user) == 0 && is_old_and_ours(folder, name, S_IFDIR, 0)
               ? entries_each(folder_open(folder, name), older_session_remove, old_s)
               : 0;
}

/* Version 5: "prterun.HOST.PID.UID", or "prte....". */
static int dead_session_remove(int folder, const char *name, const void *old_s)
{
    if (is_gone(process_of(name, "prterun")) || is_gone(process_of(name, "prte")))
        return session_remove(folder, name, old_s);
    return older_sessions_remove(folder, name, old_s);
}

int launch_sessions_remove(const char *sessions, int old_s)
{
    return entries_each(opendir(sessions), dead_session_remove, &old_s);
}

static int own_session_remove(int folder, const char *name, const void *old_s)
{
    return process_of(name, "prterun") == getpid() && session_remove(folder, name, old_s);
}

void launch_own_session_remove(const char *sessions)
{
    static const int old_s = 0;
    entries_each(opendir(sessions), own_session_remove, &old_s);
}

/* ---- processes ---- */

static bool is_this_program(const char *process)
{
    char path[300];
    struct stat its, ours;
    snprintf(path, sizeof path, "/proc/%s/exe", process);
    return stat(path, &its) == 0 && stat("/proc/self/exe", &ours) == 0 &&
           its.st_ino == ours.st_ino && its.st_dev == ours.st_dev;
}

/* Bytes of a file in the folder of a process, ended by two NULs. */
static size_t facts_read(const char *process, const char *file, char *text, size_t bytes)
{
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/%s", process, file);
    FILE *stream = fopen(path, "re");
    size_t length = stream ? fread(text, 1, bytes - 2, stream) : 0;
    if (stream)
        fclose(stream);
    text[length] = text[length + 1] = '\0';
    return length;
}

/* The parent of a process, and the parent's name; false: the process is gone. */
static bool parent_find(const char *process, char parent[32], char name[32])
{
    char facts[600];
    long number = 0;
    facts_read(process, "stat", facts, sizeof facts);
    const char *name_end = strrchr(facts, ')');
    if (!name_end || sscanf(name_end, ") %*c %ld", &number) != 1)
        return false;
    snprintf(parent, 32, "%ld", number);
    facts_read(parent, "comm", name, 32);
    return true;
}

/* Started as a rank of --ranks, and whoever started it is gone: it is a child of the first process,
 * or of one that takes in what is left of sessions. MPICH's mpiexec has a proxy in between, which
 * outlives it. */
static bool is_orphaned_rank(const char *process)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "prte", "orted"};
    char words[4200], parent[32], name[32], proxy[32];
    size_t length = facts_read(process, "cmdline", words, sizeof words);
    if (length == 0 || strcmp(words + strlen(words) + 1, RANK_WORD) != 0 ||
        !parent_find(process, parent, name))
        return false;
    if (strncmp(name, "hydra", 5) == 0) {
        memcpy(proxy, parent, sizeof proxy);
        if (!parent_find(proxy, parent, name))
            return false;
    }
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (strncmp(name, launchers[i], strlen(launchers[i])) == 0)
            return false;
    return true;
}

/* A number may pass to another process between a look and a signal; a descriptor does not. */
static bool orphan_end(const char *process)
{
    int descriptor = (int)syscall(SYS_pidfd_open, (pid_t)number_whole(process), 0);
    bool ended = descriptor >= 0 && is_this_program(process) && is_orphaned_rank(process) &&
                 syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return ended;
}

static int orphan_end_of(int processes, const char *name, const void *unused)
{
    (void)unused;
    return is_process_of_ours(processes, name) && orphan_end(name);
}

int launch_orphans_end(void)
{
    return entries_each(opendir("/proc"), orphan_end_of, NULL);
}
