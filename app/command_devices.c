/* deepfield devices: what is there to compute with, and which rank would drive it? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command.h"
#include "render/json.h"
#include "app/probe.h"
#include "kernels/backend.h"
#include "app/picture_settings.h"
#include "render/renderer.h"

struct devices_facts { /* on rank 0: what is printed */
    char cpu[DEVICE_NAME_BYTES];
    const char *vectors[8]; /* instruction sets, best last */
    int vector_count;
    const char *automatic;     /* backend that "auto" takes on rank 0's machine */
    enum mpi_device mpi_level; /* can MPI send device memory? */
    char mpi_why[256];
    const struct renderer *renderer;
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
    char fp32[16], fp64[16], peers[200], memory[24] = "-";
    peers_words(facts->peers, peers, sizeof peers);
    if (facts->memory_bytes)
        snprintf(memory, sizeof memory, "%.1f", (double)facts->memory_bytes / 0x1p30);
    printf("  %4d  %-12s %-7s %3d  %-24s %-12s  %-6s %5d %7s %6s  %s", row->rank, row->host,
           row->backend, row->device, facts->name, *facts->bus ? facts->bus : "-", memory,
           facts->units, limit_words(facts->limit[NUMBER_FP32], fp32),
           limit_words(facts->limit[NUMBER_FP64], fp64), peers);
    if (row->shared_with)
        printf("  shared with %d other rank%s", row->shared_with, row->shared_with > 1 ? "s" : "");
    putchar('\n');
}

/* Why a rank that is not on the best transport cannot take it, if it said so. */
static void link_print(const struct renderer *renderer, int rank)
{
    const struct renderer_link *link = &renderer->link[rank];
    if (!link->computes)
        printf("  %4d  coordinates\n", rank);
    else
        printf("  %4d  %-8s %s%s%s\n", rank, renderer->transports[rank]->name, link->reason,
               *link->why ? "; " : "", link->why);
}

static void devices_print(const struct devices_facts *facts)
{
    printf("cpu        %s\ncores      %d usable\nvectors   ", facts->cpu, backend_cores_usable());
    for (int i = 0; i < facts->vector_count; i++)
        printf(" %s", facts->vectors[i]);
    printf("\nmpi        %s\nmpi gpu    %s: %s\n", world_library(),
           mpi_device_name(facts->mpi_level), facts->mpi_why);
    backends_print(facts);
    printf("devices: memory in GiB; units are multiprocessors or cores; limits in T iterations/s\n"
           "  %4s  %-12s %-7s %3s  %-24s %-12s  %-6s %5s %7s %6s  %s\n",
           "rank", "host", "backend", "no", "name", "PCI id", "memory", "units", "fp32", "fp64",
           "peers");
    const struct renderer *renderer = facts->renderer;
    for (int i = 0; i < renderer->row_count; i++)
        row_print(&renderer->rows[i]);
    printf("transports that auto takes, under a dynamic schedule\n");
    for (int rank = 0; rank < renderer->facts.ranks; rank++)
        link_print(renderer, rank);
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
        json_close(json);
    }
    json_close(json);
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
    json_text(json, "uuid", *facts->uuid ? facts->uuid : NULL);
    json_count(json, "memory_bytes", facts->memory_bytes);
    json_integer(json, "units", facts->units);
    json_real(json, "limit_fp32", facts->limit[NUMBER_FP32]);
    json_real(json, "limit_fp64", facts->limit[NUMBER_FP64]);
    json_open(json, "peers", '[');
    for (int d = 0; d < DEVICES_MAX; d++)
        if (facts->peers >> d & 1)
            json_integer(json, NULL, d);
    json_close(json);
    json_integer(json, "shared_with", row->shared_with);
    json_close(json);
}

static void transports_json(struct json *json, const struct renderer *renderer)
{
    json_open(json, "transports", '[');
    for (int rank = 0; rank < renderer->facts.ranks; rank++) {
        const struct renderer_link *link = &renderer->link[rank];
        json_open(json, NULL, '{');
        json_integer(json, "of_rank", rank);
        json_boolean(json, "computes", link->computes);
        json_text(json, "transport", link->computes ? renderer->transports[rank]->name : NULL);
        json_text(json, "reason", link->reason);
        json_text(json, "why_no_better", *link->why ? link->why : NULL);
        json_close(json);
    }
    json_close(json);
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
    json_close(&json);
    json_text(&json, "mpi", world_library());
    json_text(&json, "mpi_device", mpi_device_name(facts->mpi_level));
    json_text(&json, "mpi_device_why", facts->mpi_why);
    json_text(&json, "auto", facts->automatic);
    backends_json(&json);
    json_open(&json, "devices", '[');
    for (int i = 0; i < facts->renderer->row_count; i++)
        row_json(&json, &facts->renderer->rows[i]);
    json_close(&json);
    transports_json(&json, facts->renderer);
    json_close(&json);
    putchar('\n');
}

/* ---- the command ---- */

/* Rank 0, after all ranks have been asked. */
static enum status facts_show(const struct invocation *invocation, const struct renderer *renderer)
{
    struct devices_facts facts = {.renderer = renderer};
    bool prove = arguments_has(&invocation->arguments, OPTION_PROVE);
    TRY(machine_find(&facts));
    enum mpi_device (*ask)(char *, size_t) = mpi_device_claim;
    if (prove)
        ask = probe_mpi_device;
    else if (renderer->mpi_device.asked && world_launched())
        ask = probe_told;
    facts.mpi_level = ask(facts.mpi_why, sizeof facts.mpi_why);
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        devices_json(&facts);
    else
        devices_print(&facts);
    return STATUS_OK;
}

/* A small picture is prepared and not computed: so every rank finds out which transport it would
 * take.
 */
static enum status transports_find(struct renderer *renderer)
{
    struct field shape = {.width = 64, .height = 64, .planes = PLANE_MASK_COUNT, .count_bytes = 4};
    return renderer_prepare(renderer, STATUS_OK, &shape, "auto", false);
}

enum status command_devices(struct invocation *invocation)
{
    bool root = world_rank(invocation->world) == 0;
    struct renderer_options options = {.backend = ""};
    struct renderer *renderer;
    if (root)
        options = settings_renderer(&invocation->config, FRAME_MEMORY_ONCE);
    TRY(renderer_open(&renderer, invocation->world, root ? &options : NULL));
    enum status status = transports_find(renderer);
    if (root && status == STATUS_OK)
        status = facts_show(invocation, renderer);
    renderer_close(renderer);
    return status;
}
