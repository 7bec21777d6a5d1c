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
#include <time.h>
#include <unistd.h>

#include "app/launch_check.h"

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

static void segments_remove(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        if (is_segment(entry->d_name) && is_old_and_ours(dirfd(folder), entry->d_name, S_IFREG) &&
            !somebody_maps(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

/* ---- session folders ---- */

/* The folder with all that is in it, which belongs to this user alone. */
static void tree_remove(int parent, const char *name)
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
    unlinkat(parent, name, AT_REMOVEDIR);
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
static void older_sessions_remove(int sessions, const char *name)
{
    int inside = openat(sessions, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = inside >= 0 ? fdopendir(inside) : NULL;
    const struct dirent *entry;
    struct stat facts;
    if (folder && (fstat(inside, &facts) != 0 || facts.st_uid != geteuid())) {
        closedir(folder);
        return;
    }
    while (folder && (entry = readdir(folder)))
        if (!strncmp(entry->d_name, "pid.", 4) && is_gone(entry->d_name + 4) &&
            is_old_and_ours(inside, entry->d_name, S_IFDIR))
            tree_remove(inside, entry->d_name);
    if (folder)
        closedir(folder);
}

static void sessions_remove(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (session_is_dead(name) && is_old_and_ours(dirfd(folder), name, S_IFDIR))
            tree_remove(dirfd(folder), name);
        else if (after_host(name, "ompi"))
            older_sessions_remove(dirfd(folder), name);
    }
    if (folder)
        closedir(folder);
}

void launch_leftovers_remove(const char *shared, const char *sessions)
{
    segments_remove(shared);
    sessions_remove(sessions);
}
