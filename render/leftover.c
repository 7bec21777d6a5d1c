#include "render/leftover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOST_BYTES = 33, OF_BYTES = 150, RECORD_BYTES_MAX = 1 << 20, ATTEMPTS = 100 };

static const char record_magic[] = "deepfield set 1";

/* ---- names ---- */

/* Without dots, which end it in a name. */
static void host_name(char host[HOST_BYTES])
{
    memset(host, 0, HOST_BYTES);
    if (gethostname(host, HOST_BYTES - 1) != 0 || !*host)
        snprintf(host, HOST_BYTES, "host");
    for (char *c = host; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '-';
}

void leftover_name(char name[LEFTOVER_NAME_BYTES], const char *of, const char *suffix)
{
    char host[HOST_BYTES];
    struct timespec now;
    static unsigned turn; /* clocks may be coarse */
    host_name(host);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, LEFTOVER_NAME_BYTES, ".%.*s.%s.%ld.%llx%x%s", OF_BYTES, of, host, (long)getpid(),
             (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec,
             __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED) % 16, suffix);
}

/* Is it `.….HOST.PID.TIME` and the suffix, of this host? */
static bool is_leftover(const char *name, const char *suffix)
{
    char host[HOST_BYTES];
    host_name(host);
    size_t length = strlen(name), end = strlen(suffix), host_length = strlen(host);
    if (name[0] != '.' || length <= end || strcmp(name + length - end, suffix) != 0)
        return false;
    const char *at = name + length - end;
    for (int field = 0; field < 2; field++) {
        const char *field_end = at;
        while (at > name && isxdigit((unsigned char)at[-1]))
            at--;
        if (at == field_end || at == name || *--at != '.')
            return false;
    }
    return (size_t)(at - name) > host_length + 1 && at[-(ptrdiff_t)host_length - 1] == '.' &&
           !memcmp(at - host_length, host, host_length);
}

/* ---- locks ---- */

/* Where a disk knows no locks nobody gets one, and nothing is taken for a leftover. */
void leftover_claim(int file)
{
    (void)flock(file, LOCK_EX | LOCK_NB);
}

/* Before it has its lock somebody may take it for a leftover. */
int leftover_create(int folder, const char *of, const char *suffix, mode_t mode,
                    char name[LEFTOVER_NAME_BYTES])
{
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        struct stat about;
        leftover_name(name, of, suffix);
        int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST)
            return -1;
        bool taken = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (file >= 0 && !taken && fstat(file, &about) == 0 && about.st_nlink > 0)
            return file;
        if (file >= 0)
            close(file);
        errno = EAGAIN;
    }
    return -1;
}

/* Opens a regular file of this user whose process is dead, and holds its lock. -1: it is none. */
static int dead_open(int folder, const char *name, struct stat *about)
{
    enum { FLAGS = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC };
    struct stat now;
    int file = openat(folder, name, O_RDWR | FLAGS); /* NFS locks what may be written */
    if (file < 0 && errno == EACCES)
        file = openat(folder, name, O_RDONLY | FLAGS);
    if (file < 0)
        return -1;
    if (fstat(file, about) == 0 && S_ISREG(about->st_mode) && about->st_uid == geteuid() &&
        flock(file, LOCK_EX | LOCK_NB) == 0 &&
        fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == about->st_ino &&
        now.st_dev == about->st_dev)
        return file;
    close(file);
    return -1;
}

/* ---- sets ---- */

/* In the folder, as it was when the record was written. */
static bool is_at(int folder, const char *name, uint64_t inode)
{
    struct stat about;
    return fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
           (uint64_t)about.st_ino == inode && S_ISREG(about.st_mode);
}

/* The record: the magic, then for each pair its inode, whether it replaces, the temporary and the
 * name, then "end"; all texts, each with its NUL. */
static char *record_text(int folder, const struct leftover_pair *pairs, size_t count,
                         size_t *length)
{
    char *text = NULL;
    struct stat about;
    bool good = true;
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        return NULL;
    fprintf(stream, "%s%c", record_magic, 0);
    for (size_t i = 0; i < count; i++) {
        good = good && fstatat(folder, pairs[i].temporary, &about, AT_SYMLINK_NOFOLLOW) == 0;
        fprintf(stream, "%llu%c%d%c%s%c%s%c", good ? (unsigned long long)about.st_ino : 0, 0,
                pairs[i].replaces, 0, pairs[i].temporary, 0, pairs[i].name, 0);
    }
    fprintf(stream, "end%c", 0);
    if (fclose(stream) == 0 && good)
        return text;
    free(text);
    return NULL;
}

int leftover_record(int folder, const struct leftover_pair *pairs, size_t count,
                    char name[LEFTOVER_NAME_BYTES])
{
    size_t length = 0;
    char *text = record_text(folder, pairs, count, &length);
    int file = text ? leftover_create(folder, "deepfield", ".set", 0600, name) : -1;
    bool good = file >= 0 && write(file, text, length) == (ssize_t)length && fsync(file) == 0;
    int reason = errno;
    free(text);
    if (good)
        return file;
    if (file >= 0) {
        unlinkat(folder, name, 0);
        close(file);
    }
    errno = reason;
    return -1;
}

struct found { /* a pair of a record that was read */
    uint64_t inode;
    bool replaces;
    const char *temporary, *name;
};

static const char *text_next(const char **at, const char *end)
{
    const char *text = *at, *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    *at = nul ? nul + 1 : end;
    return nul ? text : "";
}

/* False at the end. Names lead nowhere else: they have no slash. */
static bool pair_next(const char **at, const char *end, struct found *pair)
{
    pair->inode = strtoull(text_next(at, end), NULL, 10);
    pair->replaces = *text_next(at, end) == '1';
    pair->temporary = text_next(at, end);
    pair->name = text_next(at, end);
    return *pair->name && !strchr(pair->name, '/') && is_leftover(pair->temporary, ".part");
}

/* Can every file of the set get its name, or has it? Files that came after the record stay. */
static bool set_is_whole(int folder, const char *at, const char *end, time_t written)
{
    struct found pair;
    struct stat about;
    while (pair_next(&at, end, &pair)) {
        if (is_at(folder, pair.name, pair.inode))
            continue;
        if (!is_at(folder, pair.temporary, pair.inode) ||
            (fstatat(folder, pair.name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
             (!pair.replaces || about.st_ctime > written)))
            return false;
    }
    return true;
}

/* First no old file is there any more, then the new ones come: they are never seen together. */
static void set_place(int folder, const char *begin, const char *end)
{
    struct found pair;
    for (const char *at = begin; pair_next(&at, end, &pair);)
        if (pair.replaces && !is_at(folder, pair.name, pair.inode))
            unlinkat(folder, pair.name, 0);
    fsync(folder);
    for (const char *at = begin; pair_next(&at, end, &pair);)
        if (is_at(folder, pair.temporary, pair.inode))
            renameat(folder, pair.temporary, folder, pair.name);
    fsync(folder);
}

/* True: there is no such record any more. */
static bool record_finish(int folder, const char *name)
{
    struct stat about;
    int file = dead_open(folder, name, &about);
    if (file < 0)
        return false;
    size_t length = about.st_size < RECORD_BYTES_MAX ? (size_t)about.st_size : 0;
    char *text = malloc(length + 1);
    if (text && pread(file, text, length, 0) == (ssize_t)length && length >= sizeof record_magic &&
        !memcmp(text, record_magic, sizeof record_magic) && !memcmp(text + length - 4, "end", 4)) {
        const char *at = text + sizeof record_magic;
        if (set_is_whole(folder, at, text + length, about.st_mtime))
            set_place(folder, at, text + length);
    }
    free(text);
    bool gone = unlinkat(folder, name, 0) == 0;
    close(file);
    return gone;
}

/* ---- clearing ---- */

static void part_remove(int folder, const char *name)
{
    struct stat about;
    int file = dead_open(folder, name, &about);
    if (file < 0)
        return;
    unlinkat(folder, name, 0);
    close(file);
}

void leftovers_clear(int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again >= 0 ? fdopendir(again) : NULL;
    bool sets = false; /* whose temporaries are still needed */
    if (!stream) {
        if (again >= 0)
            close(again);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream));)
        if (is_leftover(entry->d_name, ".set"))
            sets = !record_finish(folder, entry->d_name) || sets;
    rewinddir(stream);
    for (struct dirent *entry; !sets && (entry = readdir(stream));)
        if (is_leftover(entry->d_name, ".part"))
            part_remove(folder, entry->d_name);
    closedir(stream);
}
