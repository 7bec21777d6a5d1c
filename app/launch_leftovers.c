/* What killed jobs have left, see launch_check.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "app/launch_check.h"
#include "app/rank.h"

/* Longer than it takes to map a segment that one has made; and a day for folders, whose process may
 * be that of a container with numbers of its own. */
enum { SEGMENT_OLD_S = 60, SESSION_OLD_S = 86400 };

/* Of this user, no link, and old. */
static bool is_old_and_ours(int folder, const char *name, mode_t kind)
{
    const int old_s = kind == S_IFDIR ? SESSION_OLD_S : SEGMENT_OLD_S;
    struct stat facts;
    return fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
           (facts.st_mode & S_IFMT) == kind && facts.st_uid == geteuid() &&
           time(NULL) - facts.st_mtime > old_s;
}

/* After "PREFIX.HOST.", on this host: other hosts may share a folder, and their processes cannot be
 * seen. NULL if it is not so. */
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

/* Only processes of this user may have it open. */
static bool somebody_maps(const char *path)
{
    DIR *processes = opendir("/proc");
    bool found = !processes;
    const struct dirent *entry;
    while (!found && (entry = readdir(processes))) {
        struct stat facts;
        if (isdigit((unsigned char)*entry->d_name) &&
            fstatat(dirfd(processes), entry->d_name, &facts, 0) == 0 && facts.st_uid == geteuid())
            found = process_maps(entry->d_name, path);
    }
    if (processes)
        closedir(processes);
    return found;
}

static int segments_remove(const char *path)
{
    int removed = 0;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (is_segment(entry->d_name) && is_old_and_ours(dirfd(folder), entry->d_name, S_IFREG) &&
            !somebody_maps(entry->d_name))
            removed += unlinkat(dirfd(folder), entry->d_name, 0) == 0;
    }
    if (folder)
        closedir(folder);
    return removed;
}

/* ---- session folders ---- */

/* The folder with all that is in it, which belongs to this user alone. */
static int tree_remove(int parent, const char *name)
{
    int inside = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = inside >= 0 ? fdopendir(inside) : NULL;
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (unlinkat(inside, entry->d_name, 0) != 0 && errno == EISDIR)
            tree_remove(inside, entry->d_name);
    }
    if (folder)
        closedir(folder);
    return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* The process that the text begins with is gone. */
static bool is_gone(const char *text)
{
    char *end;
    long process = strtol(text, &end, 10);
    return end != text && process > 1 && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* Version 5: "prterun.HOST.PID.UID", or "prte...." */
static bool session_is_dead(const char *name)
{
    const char *rest = after_host(name, "prterun");
    if (!rest)
        rest = after_host(name, "prte");
    return rest && is_gone(rest);
}

/* Version 4: "ompi.HOST.UID", in which are "pid.PID". */
static int older_sessions_remove(int sessions, const char *name)
{
    int removed = 0;
    int inside = openat(sessions, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = inside >= 0 ? fdopendir(inside) : NULL;
    const struct dirent *entry;
    struct stat facts;
    if (folder && (fstat(inside, &facts) != 0 || facts.st_uid != geteuid())) {
        closedir(folder);
        return 0;
    }
    while (folder && (entry = readdir(folder)))
        if (!strncmp(entry->d_name, "pid.", 4) && is_gone(entry->d_name + 4) &&
            is_old_and_ours(inside, entry->d_name, S_IFDIR))
            removed += tree_remove(inside, entry->d_name);
    if (folder)
        closedir(folder);
    return removed;
}

static int sessions_remove(const char *path)
{
    int removed = 0;
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (session_is_dead(name) && is_old_and_ours(dirfd(folder), name, S_IFDIR))
            removed += tree_remove(dirfd(folder), name);
        else if (after_host(name, "ompi"))
            removed += older_sessions_remove(dirfd(folder), name);
    }
    if (folder)
        closedir(folder);
    return removed;
}

int launch_leftovers_remove(const char *shared, const char *sessions)
{
    return segments_remove(shared) + sessions_remove(sessions);
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

/* Started as a rank of --ranks, and whoever started it is gone: it is a child of the first process,
 * or of one that takes in what is left of sessions. */
static bool is_orphaned_rank(const char *process)
{
    char path[300], words[4200] = "", facts[600] = "", parent[32];
    snprintf(path, sizeof path, "/proc/%s/cmdline", process);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(words, 1, sizeof words - 2, file) : 0;
    if (file)
        fclose(file);
    const char *second = words + strlen(words) + 1;
    if (length == 0 || strcmp(second, RANK_WORD) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%s/stat", process);
    file = fopen(path, "re");
    length = file ? fread(facts, 1, sizeof facts - 1, file) : 0;
    if (file)
        fclose(file);
    const char *name_end = length ? strrchr(facts, ')') : NULL;
    long number = 0;
    if (!name_end || sscanf(name_end, ") %*c %ld", &number) != 1)
        return false;
    snprintf(parent, sizeof parent, "%ld", number);
    snprintf(path, sizeof path, "/proc/%s/comm", parent);
    file = fopen(path, "re");
    char name[32] = "";
    if (file) {
        (void)!fgets(name, sizeof name, file);
        fclose(file);
    }
    return strncmp(name, "mpirun", 6) != 0 && strncmp(name, "prte", 4) != 0 &&
           strncmp(name, "orted", 5) != 0;
}

/* A number may pass to another process between a look and a signal; a descriptor does not. */
static bool orphan_end(const char *process)
{
    int descriptor = (int)syscall(SYS_pidfd_open, (pid_t)strtol(process, NULL, 10), 0);
    bool ended = descriptor >= 0 && is_this_program(process) && is_orphaned_rank(process) &&
                 syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return ended;
}

int launch_orphans_end(void)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    int ended = 0;
    while (processes && (entry = readdir(processes))) {
        struct stat facts;
        if (isdigit((unsigned char)*entry->d_name) &&
            fstatat(dirfd(processes), entry->d_name, &facts, 0) == 0 && facts.st_uid == geteuid())
            ended += orphan_end(entry->d_name);
    }
    if (processes)
        closedir(processes);
    return ended;
}
