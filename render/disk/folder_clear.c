#include "render/disk/folder_clear.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "render/disk/file_swap.h"
#include "render/disk/folder.h"

/* ---- telling ---- */

static void (*_Atomic listener)(const char *text);

void folder_clear_listen(void (*tell)(const char *text))
{
    listener = tell;
}

/* Tells the path of the folder, then `after` and a name. */
static void notice_send(int folder, const char *after, const char *name)
{
    char link[64], path[4096], text[sizeof path + 1024];
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char said[sizeof text]; /* a run comes here once for each of its files */
    void (*tell)(const char *text) = listener;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    snprintf(text, sizeof text, "%s%s%s", *path ? path : "the folder", after, name);
    pthread_mutex_lock(&mutex);
    bool again = !tell || !strcmp(text, said);
    if (!again)
        snprintf(said, sizeof said, "%s", text);
    pthread_mutex_unlock(&mutex);
    if (!again)
        tell(text);
}

static void outcome_say(int folder, enum swap_outcome outcome, const char *first)
{
    static const char *const after[] = {
        [SWAP_FINISHED] = ": the files that a killed run was giving names to are complete: ",
        [SWAP_UNDONE] = ": a killed run was replacing files; the old ones are back: ",
        [SWAP_STUCK] = ": a killed run was replacing files, and that can be neither finished nor "
                       "undone; see hidden files beside ",
    };
    if (outcome != SWAP_NOTHING)
        notice_send(folder, after[outcome], first);
}

/* Is it a record of this user that was written on another host? */
static bool is_elsewhere(int folder, const char *name)
{
    static const char begin[] = ".deepfield.", end[] = ".set";
    struct stat about;
    size_t length = strlen(name);
    return length > sizeof begin + sizeof end && !strncmp(name, begin, sizeof begin - 1) &&
           !strcmp(name + length - (sizeof end - 1), end) &&
           fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode) &&
           about.st_uid == geteuid();
}

/* ---- clearing ---- */

static void part_remove(int folder, const char *name)
{
    struct stat about;
    int file = temporary_open(folder, name, &about);
    if (file < 0)
        return;
    folder_remove(folder, name);
    close(file);
}

/* Finishes or undoes the swap of a record. True: its temporaries are still needed. */
static bool record_clear(int folder, const char *name)
{
    char first[TEMPORARY_NAME_BYTES];
    if (temporary_is(name, ".set")) {
        enum swap_outcome outcome = file_swap_recover(folder, name, first);
        outcome_say(folder, outcome, first);
        return outcome == SWAP_STUCK;
    }
    if (is_elsewhere(folder, name))
        notice_send(folder,
                    ": files of a run on another host have not all got their names; once "
                    "deepfield writes there on that host, they do: ",
                    name);
    return false;
}

void folder_clear_locked(int folder)
{
    DIR *stream = folder_list(folder);
    bool stuck = false;
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream));)
        stuck = record_clear(folder, entry->d_name) || stuck;
    rewinddir(stream);
    for (struct dirent *entry; !stuck && (entry = readdir(stream));)
        if (temporary_is(entry->d_name, ".part"))
            part_remove(folder, entry->d_name);
    closedir(stream);
}

static _Atomic bool seldom;

void folder_clear_seldom(void)
{
    seldom = true;
}

bool folder_clear_is_seldom(void)
{
    return seldom;
}

/* Has this folder been cleared within the last second? Notes that it is now, if not. */
static bool is_clear(int folder)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct stat last;
    static time_t last_s;
    struct stat about;
    struct timespec now;
    if (!seldom || fstat(folder, &about) != 0 || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return false;
    pthread_mutex_lock(&mutex);
    bool clear =
        about.st_dev == last.st_dev && about.st_ino == last.st_ino && now.tv_sec - last_s <= 1;
    if (!clear) {
        last = about;
        last_s = now.tv_sec;
    }
    pthread_mutex_unlock(&mutex);
    return clear;
}

void folder_clear(int folder)
{
    if (is_clear(folder))
        return;
    int lock = folder_lock(folder, 0, NULL);
    if (lock < 0 && errno == EWOULDBLOCK)
        return;
    folder_clear_locked(folder);
    if (lock >= 0)
        close(lock);
}
