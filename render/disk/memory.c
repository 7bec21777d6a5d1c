#include "render/disk/memory.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define MEMORY_KEPT_S 0.1

enum { PATH_BYTES = 4096 };

/* The number behind `key` in a file of "key value" lines, or alone in it when key is "". */
static uint64_t number_in_file(const char *path, const char *key)
{
    char line[256];
    unsigned long long number = 0;
    int found = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    while (!found && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            found = sscanf(line + strlen(key), "%llu", &number) == 1;
    fclose(file);
    return found ? number : UINT64_MAX;
}

static uint64_t system_available(const char *root)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    uint64_t kib = number_in_file(path, "MemAvailable:");
    return kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024;
}

/* ---- control groups ---- */

/* Names of the files of a version of control groups; "max" in a file means no limit. */
struct cgroup_version {
    const char *type, *limit, *soft_limit, *used, *cache;
};

/* Files of both versions. Pages of files that have not been used lately count as used, but the
 * kernel drops them before it refuses any. Above soft_limit processes are slowed down until they
 * stand still. */
static const struct cgroup_version versions[] = {
    {"cgroup", "memory.limit_in_bytes", NULL, "memory.usage_in_bytes", "total_inactive_file "},
    {"cgroup2", "memory.max", "memory.high", "memory.current", "inactive_file "}};

static uint64_t number_of(const char *folder, const char *name, const char *key)
{
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return number_in_file(path, key);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t group_available(const struct cgroup_version *version, const char *folder)
{
    uint64_t limit = number_of(folder, version->limit, "");
    uint64_t used = number_of(folder, version->used, "");
    uint64_t cache = number_of(folder, "memory.stat", version->cache);
    if (version->soft_limit)
        limit = least(limit, number_of(folder, version->soft_limit, ""));
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    used -= cache == UINT64_MAX ? 0 : least(cache, used);
    return limit > used ? limit - used : 0;
}

/* Bytes available to a group and to all groups around it, up to the first `top` bytes of the
 * folder's name. */
static uint64_t groups_available(const struct cgroup_version *version, char *folder, size_t top)
{
    uint64_t available = group_available(version, folder);
    while (strlen(folder) > top) {
        *strrchr(folder, '/') = '\0';
        available = least(available, group_available(version, folder));
    }
    return available;
}

/* Does "ID:CONTROLLERS:PATH" name this process's group for memory? Version 2 has no controllers
 * there. */
static bool is_of_memory(const struct cgroup_version *version, const char *line, const char **path)
{
    const char *controllers = strchr(line, ':');
    const char *end = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!end)
        return false;
    *path = end + 1;
    if (version == &versions[1])
        return end == controllers + 1;
    size_t length = strlen("memory");
    for (const char *at = controllers + 1; at < end; at += strcspn(at, ",:") + 1)
        if (strcspn(at, ",:") == length && !strncmp(at, "memory", length))
            return true;
    return false;
}

/* The path of this process's group within its hierarchy, as the kernel gives it. */
static bool group_find(const struct cgroup_version *version, const char *root,
                       char group[PATH_BYTES])
{
    char file_path[PATH_BYTES], line[PATH_BYTES];
    bool found = false;
    snprintf(file_path, sizeof file_path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(file_path, "re");
    while (!found && file && fgets(line, sizeof line, file)) {
        const char *path;
        line[strcspn(line, "\n")] = '\0';
        found = is_of_memory(version, line, &path);
        if (found)
            snprintf(group, PATH_BYTES, "%s", path);
    }
    if (file)
        fclose(file);
    return found;
}

/* Is a line of mountinfo a mount of this version, with memory? top: the visible part of the
 * hierarchy, at: its mount point. */
static bool is_mount(const struct cgroup_version *version, const char *line, char top[PATH_BYTES],
                     char at[PATH_BYTES])
{
    char type[32], options[PATH_BYTES];
    const char *rest = strstr(line, " - ");
    if (!rest || sscanf(rest, " - %31s %*s %4095s", type, options) != 2 ||
        strcmp(type, version->type) != 0)
        return false;
    if (version == &versions[0] && !strstr(options, "memory"))
        return false;
    return sscanf(line, "%*d %*d %*s %4095s %4095s", top, at) == 2;
}

/* Bytes available by this version. Containers see a part of the hierarchy as if it were all: limits
 * above it cannot be read. */
static uint64_t version_available(const struct cgroup_version *version, const char *root)
{
    char file_path[PATH_BYTES], line[2 * PATH_BYTES], group[PATH_BYTES];
    char top[PATH_BYTES], at[PATH_BYTES], folder[3 * PATH_BYTES];
    uint64_t available = UINT64_MAX;
    if (!group_find(version, root, group))
        return available;
    snprintf(file_path, sizeof file_path, "%s/proc/self/mountinfo", root);
    FILE *file = fopen(file_path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (!is_mount(version, line, top, at))
            continue;
        size_t seen = strcmp(top, "/") ? strlen(top) : 0;
        bool inside = !strncmp(group, top, seen) && (group[seen] == '/' || group[seen] == '\0');
        int above = snprintf(folder, sizeof folder, "%s%s", root, at);
        snprintf(folder + above, sizeof folder - (size_t)above, "%s",
                 inside && strcmp(group + seen, "/") ? group + seen : "");
        available = least(available, groups_available(version, folder, (size_t)above));
    }
    if (file)
        fclose(file);
    return available;
}

uint64_t memory_available_in(const char *root)
{
    uint64_t available = system_available(root);
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        available = least(available, version_available(&versions[i], root));
    return available;
}

/* Last answer. A picture asks four times, and each answer takes a dozen files and 0.3 ms. */
static struct {
    pthread_mutex_t mutex;
    struct timespec read; /* time of it; 0: there is none */
    uint64_t bytes;
} last = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static double seconds_since(const struct timespec *time)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - time->tv_sec) + 1e-9 * (double)(now.tv_nsec - time->tv_nsec);
}

uint64_t memory_available(void)
{
    pthread_mutex_lock(&last.mutex);
    if (last.read.tv_sec == 0 || seconds_since(&last.read) > MEMORY_KEPT_S) {
        last.bytes = memory_available_in("");
        clock_gettime(CLOCK_MONOTONIC, &last.read);
    }
    uint64_t bytes = last.bytes;
    pthread_mutex_unlock(&last.mutex);
    return bytes;
}

void memory_changed(void)
{
    pthread_mutex_lock(&last.mutex);
    last.read = (struct timespec){0};
    pthread_mutex_unlock(&last.mutex);
}

uint64_t memory_available_less(uint64_t bytes)
{
    uint64_t available = memory_available();
    return available / 2 > bytes ? available - bytes : available - available / 2;
}

/* ---- large memory ---------------------------------------------------------------------------- */

enum { HUGE_PAGE_BYTES = 2 << 20 };

void *memory_large(size_t bytes)
{
    if (bytes < 2 * HUGE_PAGE_BYTES || bytes > SIZE_MAX - HUGE_PAGE_BYTES)
        return malloc(bytes);
    size_t whole = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    void *memory = aligned_alloc(HUGE_PAGE_BYTES, whole);
    if (memory) /* a kernel without huge pages only loses speed */
        madvise(memory, whole, MADV_HUGEPAGE);
    return memory;
}

enum { TOUCHED_BYTES_LEAST = 1 << 28, PAGE_BYTES = 4096 };

void memory_touch(void *memory, size_t bytes, int threads)
{
    volatile char *at = memory;
    if (bytes < TOUCHED_BYTES_LEAST)
        return;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t i = 0; i < bytes; i += PAGE_BYTES)
        at[i] = at[i];
}
