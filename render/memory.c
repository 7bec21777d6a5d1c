#include "render/memory.h"

#include <stdio.h>
#include <string.h>

/* The number behind `key` in a file of "key value" lines, or alone in it when key is "". */
static uint64_t number_in_file(const char *path, const char *key)
{
    char line[256];
    unsigned long long number = 0;
    int found = 0;
    FILE *file = fopen(path, "r");
    if (!file)
        return UINT64_MAX;
    while (!found && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            found = sscanf(line + strlen(key), "%llu", &number) == 1;
    fclose(file);
    return found ? number : UINT64_MAX;
}

static uint64_t system_available(void)
{
    uint64_t kib = number_in_file("/proc/meminfo", "MemAvailable:");
    return kib > UINT64_MAX / 1024 ? UINT64_MAX : kib * 1024;
}

/* Version 2 of control groups at its usual place; "max" is not a number and means no limit. */
static uint64_t group_available(void)
{
    uint64_t limit = number_in_file("/sys/fs/cgroup/memory.max", "");
    uint64_t used = number_in_file("/sys/fs/cgroup/memory.current", "");
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    return limit > used ? limit - used : 0;
}

uint64_t memory_available(void)
{
    uint64_t system = system_available(), group = group_available();
    return system < group ? system : group;
}
