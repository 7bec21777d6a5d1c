/* deepfield devices: what is there to compute with, and which rank would drive it? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "app/json.h"
#include "kernels/backend.h"
#include "render/devices.h"

/* What rank 0 tells the others. Plain data. */
struct devices_order {
    char backend[16];
    struct devices_wanted wanted;
};

struct devices_facts { /* on rank 0: what is printed */
    char cpu[DEVICE_NAME_BYTES];
    const char *vectors[8]; /* instruction sets, best last */
    int vector_count;
    const char *automatic; /* backend that "auto" takes on rank 0's machine */
    struct device_row *rows;
    int count;
};

/* ---- what there is ---- */

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

static enum status machine_find(struct devices_facts *facts)
{
    const struct backend_kind *kind;
    struct device_facts cpu;
    TRY(backend_kind_find(&kind, "scalar"));
    TRY(kind->facts(0, &cpu));
    memcpy(facts->cpu, cpu.name, sizeof facts->cpu);
    facts->vector_count = vector_sets(facts->vectors, sizeof facts->vectors / sizeof(char *));
    TRY(backend_kind_find(&kind, "auto"));
    facts->automatic = kind->name;
    return STATUS_OK;
}

static enum status order_share(struct devices_order *order, struct world *world)
{
    void *bytes = order;
    size_t length = sizeof *order;
    TRY(world_share(world, &bytes, &length));
    if (bytes == order)
        return STATUS_OK;
    if (length == sizeof *order)
        memcpy(order, bytes, length);
    free(bytes);
    return length == sizeof *order ? STATUS_OK
                                   : status_fail(STATUS_INTERNAL,
                                                 "%zu bytes came, %zu were expected: are all ranks "
                                                 "running the same program?",
                                                 length, sizeof *order);
}

/* The devices that this rank would drive; none on a rank that does not compute. */
static enum status rows_make(struct device_row *rows, int *count, const struct world *world,
                             const struct devices_order *order)
{
    const struct backend_kind *kind;
    struct devices_question question = {.wanted = order->wanted};
    int device[DEVICES_MAX] = {0}, devices = 1; /* of a CPU kind */
    *count = 0;
    TRY(backend_kind_find(&kind, order->backend));
    devices_worker(world, &question.worker, &question.workers);
    if (question.worker < 0)
        return STATUS_OK;
    question.visible = kind->devices();
    if (kind->memory)
        TRY(devices_assign(&question, device, &devices));
    for (; *count < devices; ++*count)
        TRY(device_row_make(&rows[*count], world, kind, device[*count]));
    return STATUS_OK;
}

/* ---- in words ---- */

static void backends_print(const struct devices_facts *facts)
{
    printf("backends\n");
    for (int i = 0; i < backend_kinds_count; i++) {
        const struct backend_kind *kind = backend_kinds[i];
        char why[256] = "";
        if (!kind->devices())
            kind->missing(why, sizeof why);
        printf("  %-8s %-9s %s%s%s%s\n", kind->name, *why ? "missing" : "available", kind->summary,
               *why ? ": " : "", why,
               strcmp(kind->name, facts->automatic) ? "" : " <- auto takes this");
    }
}

/* "8.36", or "-" where the device does not say. */
static const char *limit_words(double limit, char text[16])
{
    snprintf(text, 16, limit > 0 ? "%.2f" : "-", 1e-12 * limit);
    return text;
}

static void peers_words(uint64_t peers, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "%s", peers ? "" : "-");
    for (int d = 0; d < DEVICES_MAX && used < bytes; d++)
        if (peers >> d & 1)
            used += (size_t)snprintf(text + used, bytes - used, "%s%d", used ? "," : "", d);
}

static void row_print(const struct device_row *row)
{
    const struct device_facts *facts = &row->facts;
    char fp32[16], fp64[16], peers[200], memory[40] = "-";
    peers_words(facts->peers, peers, sizeof peers);
    if (facts->memory_bytes)
        snprintf(memory, sizeof memory, "%.1f, %.1f free", (double)facts->memory_bytes / 0x1p30,
                 (double)facts->memory_free / 0x1p30);
    printf("  %4d  %-12s %-7s %3d  %-24s %-12s  %-18s %5d %7s %6s  %s", row->rank, row->host,
           row->backend, row->device, facts->name, *facts->bus ? facts->bus : "-", memory,
           facts->units, limit_words(facts->limit[NUMBER_FP32], fp32),
           limit_words(facts->limit[NUMBER_FP64], fp64), peers);
    if (row->shared_with)
        printf("  shared with %d other rank%s", row->shared_with, row->shared_with > 1 ? "s" : "");
    putchar('\n');
}

static void devices_print(const struct devices_facts *facts)
{
    printf("cpu        %s\ncores      %d usable\nvectors   ", facts->cpu, backend_cores_usable());
    for (int i = 0; i < facts->vector_count; i++)
        printf(" %s", facts->vectors[i]);
    printf("\nmpi        %s\n", world_library());
    backends_print(facts);
    printf("devices: memory in GiB; units are multiprocessors or cores; limits in T iterations/s\n"
           "  %4s  %-12s %-7s %3s  %-24s %-12s  %-18s %5s %7s %6s  %s\n",
           "rank", "host", "backend", "no", "name", "PCI id", "memory", "units", "fp32", "fp64",
           "peers");
    for (int i = 0; i < facts->count; i++)
        row_print(&facts->rows[i]);
    /* PLACE: the road home of every rank, and why (struct studio_road). */
}

/* ---- for programs ---- */

static void backends_json(struct json *json)
{
    json_open(json, "backends", '[');
    for (int i = 0; i < backend_kinds_count; i++) {
        const struct backend_kind *kind = backend_kinds[i];
        bool available = kind->devices() > 0;
        char why[256] = "";
        json_open(json, NULL, '{');
        json_text(json, "name", kind->name);
        json_text(json, "summary", kind->summary);
        json_boolean(json, "available", available);
        if (!available)
            kind->missing(why, sizeof why);
        json_text(json, "missing", available ? NULL : why);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void row_json(struct json *json, const struct device_row *row)
{
    const struct device_facts *facts = &row->facts;
    json_open(json, NULL, '{');
    json_integer(json, "rank", row->rank);
    json_text(json, "host", row->host);
    json_text(json, "backend", row->backend);
    json_integer(json, "device", row->device);
    json_text(json, "name", facts->name);
    json_text(json, "bus", *facts->bus ? facts->bus : NULL);
    json_count(json, "memory_bytes", facts->memory_bytes);
    json_count(json, "memory_free", facts->memory_free);
    json_integer(json, "units", facts->units);
    json_real(json, "limit_fp32", facts->limit[NUMBER_FP32]);
    json_real(json, "limit_fp64", facts->limit[NUMBER_FP64]);
    json_open(json, "peers", '[');
    for (int d = 0; d < DEVICES_MAX; d++)
        if (facts->peers >> d & 1)
            json_integer(json, NULL, d);
    json_close(json, ']');
    json_integer(json, "shared_with", row->shared_with);
    json_close(json, '}');
}

static void devices_json(const struct devices_facts *facts)
{
    struct json json = {.stream = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "cpu", facts->cpu);
    json_integer(&json, "cores", backend_cores_usable());
    json_open(&json, "vectors", '[');
    for (int i = 0; i < facts->vector_count; i++)
        json_text(&json, NULL, facts->vectors[i]);
    json_close(&json, ']');
    json_text(&json, "mpi", world_library());
    json_text(&json, "auto", facts->automatic);
    backends_json(&json);
    json_open(&json, "devices", '[');
    for (int i = 0; i < facts->count; i++)
        row_json(&json, &facts->rows[i]);
    json_close(&json, ']');
    /* PLACE: "roads": of every rank, and why (struct studio_road). */
    json_close(&json, '}');
    putchar('\n');
}

/* ---- the command ---- */

static struct devices_order order_of(const struct config *config)
{
    struct devices_order order = {
        .wanted = {.chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES),
                   .per_rank = (int)config_integer(config, OPTION_COMPUTE_DEVICES_PER_RANK)}};
    snprintf(order.backend, sizeof order.backend, "%s",
             config_text(config, OPTION_COMPUTE_BACKEND));
    return order;
}

/* Collective: the rows of all ranks, on rank 0. */
static enum status rows_collect(struct devices_facts *facts, struct world *world,
                                struct devices_order *order)
{
    struct device_row mine[DEVICES_MAX];
    int count = 0;
    TRY(world_agree(world, order_share(order, world)));
    TRY(world_agree(world, rows_make(mine, &count, world, order)));
    return devices_gather(world, mine, count, &facts->rows, &facts->count);
}

static int gpus_of(const struct devices_facts *facts)
{
    int gpus = 0;
    for (int i = 0; i < facts->count; i++)
        gpus += *facts->rows[i].facts.bus != '\0';
    return gpus;
}

enum status command_devices(struct invocation *invocation)
{
    struct world *world = invocation->world;
    struct devices_facts facts = {.count = 0};
    struct devices_order order = {.backend = ""};
    bool root = world_rank(world) == 0;
    if (root)
        order = order_of(&invocation->config);
    TRY(rows_collect(&facts, world, &order));
    enum status status = root ? devices_wanted_check(&order.wanted, gpus_of(&facts)) : STATUS_OK;
    if (root && status == STATUS_OK)
        status = machine_find(&facts);
    if (root && status == STATUS_OK) {
        if (arguments_has(&invocation->arguments, OPTION_JSON))
            devices_json(&facts);
        else
            devices_print(&facts);
    }
    free(facts.rows);
    return status;
}
