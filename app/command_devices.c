/* deepfield devices: what can this machine compute with? */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "kernels/backend.h"

/* "model name : X" of /proc/cpuinfo; false where there is none (not x86). */
static bool cpu_model(char *text, size_t bytes)
{
    FILE *file = fopen("/proc/cpuinfo", "re");
    char line[512];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(text, bytes, "%s", colon + 1 + strspn(colon + 1, " \t"));
        text[strcspn(text, "\n")] = '\0';
        found = true;
    }
    if (file)
        fclose(file);
    return found;
}

/* Cores that this process may run on: a container or a batch system may give fewer than there are.
 */
static int cores_usable(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* Names of the vector instruction sets, best last. */
static int vector_sets(const char *names[], int most)
{
    int count = 0;
#if defined(__x86_64__)
    const struct {
        const char *name;
        int there;
    } sets[] = {{"sse2", __builtin_cpu_supports("sse2")},
                {"avx", __builtin_cpu_supports("avx")},
                {"fma", __builtin_cpu_supports("fma")},
                {"avx2", __builtin_cpu_supports("avx2")},
                {"avx512f", __builtin_cpu_supports("avx512f")},
                {"avx512dq", __builtin_cpu_supports("avx512dq")}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets && count < most; i++)
        if (sets[i].there)
            names[count++] = sets[i].name;
#else
    (void)names;
    (void)most;
#endif
    return count;
}

/* The row that "auto" takes: the first available. */
static const char *backend_automatic(void)
{
    for (int i = 0; i < backend_kinds_count; i++)
        if (backend_kinds[i]->devices())
            return backend_kinds[i]->name;
    return NULL;
}

static void devices_print(const char *model, const char *const sets[], int set_count)
{
    const char *automatic = backend_automatic();
    printf("cpu        %s\ncores      %d usable\nvectors   ", model, cores_usable());
    for (int i = 0; i < set_count; i++)
        printf(" %s", sets[i]);
    printf("\nmpi        %s\nbackends\n", world_library());
    for (int i = 0; i < backend_kinds_count; i++) {
        const struct backend_kind *kind = backend_kinds[i];
        printf("  %-8s %-9s %s%s\n", kind->name, kind->devices() ? "available" : "missing",
               kind->summary,
               !kind->devices()                 ? " (this processor lacks it)"
               : !strcmp(kind->name, automatic) ? " <- auto takes this"
                                                : "");
    }
}

static void devices_json(const char *model, const char *const sets[], int set_count)
{
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "cpu", model);
    json_integer(&json, "cores", cores_usable());
    json_open(&json, "vectors", '[');
    for (int i = 0; i < set_count; i++)
        json_text(&json, NULL, sets[i]);
    json_close(&json, ']');
    json_text(&json, "mpi", world_library());
    json_text(&json, "auto", backend_automatic());
    json_open(&json, "backends", '[');
    for (int i = 0; i < backend_kinds_count; i++) {
        json_open(&json, NULL, '{');
        json_text(&json, "name", backend_kinds[i]->name);
        json_text(&json, "summary", backend_kinds[i]->summary);
        json_boolean(&json, "available", backend_kinds[i]->devices());
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_close(&json, '}');
    putchar('\n');
}

enum status command_devices(struct invocation *invocation)
{
    char model[256] = "unknown";
    const char *sets[8];
    int set_count = vector_sets(sets, 8);
    cpu_model(model, sizeof model);
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        devices_json(model, sets, set_count);
    else
        devices_print(model, sets, set_count);
    return STATUS_OK;
}
