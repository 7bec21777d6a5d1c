/* deepfield devices: the devices there are, and the ranks that would drive them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/command.h"
#include "app/launch/probe.h"
#include "app/process/gpu_queues.h"
#include "app/process/probe_result.h"
#include "app/report/document.h"
#include "app/report/idle_report.h"
#include "app/settings/renderer_probed.h"
#include "kernels/backend.h"
#include "render/device/renderer.h"
#include "render/disk/json.h"

struct devices_facts { /* on rank 0: what is printed */
    char cpu[DEVICE_NAME_BYTES];
    const char *vectors[8]; /* instruction sets, best last */
    int vector_count;
    const char *automatic;     /* backend that "auto" takes on rank 0's machine */
    enum mpi_device mpi_level; /* can MPI send device memory? */
    char mpi_why[256];
    char mpi_result[512]; /* setting of a variable for other jobs; "": none */
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

/* ---- as JSON, or the same for people ---- */

static const struct json_column backend_columns[] = {
    {"name", "name", -8, 0, 0},
    {"available", "there", -5, 0, 0},
    {"summary", "", 0, 0, 0},
    {"missing", "", 0, 0, 0},
};
static const struct json_column device_columns[] = {
    {"rank", "rank", 4, 0, 0},
    {"host", "host", -12, 0, 0},
    {"backend", "backend", -7, 0, 0},
    {"device", "no", 3, 0, 0},
    {"name", "name", -24, 0, 0},
    {"bus", "PCI id", -12, 0, 0},
    {"memory_bytes", "memory", 6, 1, 1 / 0x1p30},
    {"units", "units", 5, 0, 0},
    {"limit_fp32", "fp32", 6, 2, 1e-12},
    {"limit_fp64", "fp64", 6, 2, 1e-12},
    {"shared_with", "shared", 6, 0, 0},
    {"peers", "peers", 0, 0, 0},
};
static const struct json_column transport_columns[] = {
    {"rank", "rank", 4, 0, 0},
    {"transport", "by", -8, 0, 0},
    {"reason", "", 0, 0, 0},
    {"why_no_better", "", 0, 0, 0},
};
#define TABLE(key, title, columns)                            \
    {                                                         \
        key, title, columns, sizeof columns / sizeof *columns \
    }
static const struct json_table tables[] = {
    TABLE("backends", "backends", backend_columns),
    TABLE("devices",
          "devices: memory in GiB; units are multiprocessors or cores; limits in T iterations/s;\n"
          "shared: with so many other ranks",
          device_columns),
    TABLE("transports", "transports that auto takes, under a dynamic schedule", transport_columns),
};

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

/* 0: the device does not report it. */
static double known(double value)
{
    return value > 0 ? value : NAN;
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
    json_real(json, "memory_bytes", known((double)facts->memory_bytes));
    json_integer(json, "units", facts->units);
    json_real(json, "limit_fp32", known(facts->limit[NUMBER_FP32]));
    json_real(json, "limit_fp64", known(facts->limit[NUMBER_FP64]));
    json_open(json, "peers", '[');
    for (int d = 0; d < DEVICES_MAX; d++)
        if (facts->peers >> d & 1)
            json_integer(json, NULL, d);
    json_close(json);
    json_integer(json, "shared_with", row->shared_with);
    json_close(json);
}

/* why_no_better appears for ranks that have reported why they cannot use the best transport. */
static void transports_json(struct json *json, const struct renderer *renderer)
{
    json_open(json, "transports", '[');
    for (int rank = 0; rank < renderer_info(renderer)->facts.ranks; rank++) {
        const struct renderer_link *link = renderer_link(renderer, rank);
        json_open(json, NULL, '{');
        json_integer(json, "rank", rank);
        json_boolean(json, "computes", link->computes);
        json_text(json, "transport",
                  link->computes ? renderer_transport(renderer, rank)->name : NULL);
        json_text(json, "reason", link->computes ? link->reason : "coordinates");
        json_text(json, "why_no_better", *link->why ? link->why : NULL);
        json_close(json);
    }
    json_close(json);
}

static enum status devices_show(const struct devices_facts *facts, bool as_json)
{
    struct json json = {.stream = stdout};
    if (!as_json) {
        json.table = tables;
        json.tables = sizeof tables / sizeof *tables;
    }
    json_begin(&json, "devices/1");
    json_text(&json, "cpu", facts->cpu);
    json_integer(&json, "cores", backend_cores_usable());
    json_open(&json, "vectors", '[');
    for (int i = 0; i < facts->vector_count; i++)
        json_text(&json, NULL, facts->vectors[i]);
    json_close(&json);
    json_text(&json, "mpi", world_library());
    json_text(&json, "mpi_device", mpi_device_name(facts->mpi_level));
    json_text(&json, "mpi_device_why", facts->mpi_why);
    if (*facts->mpi_result)
        json_text(&json, "mpi_device_setting", facts->mpi_result);
    json_text(&json, "auto", facts->automatic);
    backends_json(&json);
    json_open(&json, "devices", '[');
    for (int i = 0; i < renderer_info(facts->renderer)->row_count; i++)
        row_json(&json, &renderer_info(facts->renderer)->rows[i]);
    json_close(&json);
    transports_json(&json, facts->renderer);
    return as_json ? document_end(&json) : json_end(&json);
}

/* ---- the command ---- */

/* Makes the trial in the two ranks of this job, which the user has started for it: what they prove
 * holds between their machines, for other jobs that get the variable. */
static enum status trial_make(struct world *world, struct devices_facts *facts)
{
    char text[256];
    bool faster;
    enum status status = probe_trip(world, &faster);
    if (status == STATUS_OUT_OF_MEMORY || status == STATUS_SYSTEM)
        return status;
    facts->mpi_level = status == STATUS_NO_DEVICE ? MPI_DEVICE_NO
                       : status != STATUS_OK      ? MPI_DEVICE_CLAIMED
                       : faster                   ? MPI_DEVICE_FASTER
                                                  : MPI_DEVICE_PROVEN;
    snprintf(facts->mpi_why, sizeof facts->mpi_why, "%s",
             status == STATUS_OK ? "tried between the two ranks of this job" : status_text());
    if (status != STATUS_OK)
        return STATUS_OK;
    mpi_device_testify(facts->mpi_level, "", world_library(), text, sizeof text);
    snprintf(facts->mpi_result, sizeof facts->mpi_result, PROBE_RESULT_VARIABLE "='%s'", text);
    return STATUS_OK;
}

/* Collective. */
static enum status mpi_device_find(const struct invocation *invocation,
                                   const struct renderer *renderer, struct devices_facts *facts)
{
    struct world *world = invocation->world;
    bool prove = arguments_has(&invocation->arguments, OPTION_PROVE);
    bool told = getenv(PROBE_RESULT_VARIABLE) != NULL;
    bool here = prove && !told && world_size(world) == 2;
    TRY(world_exchange(world, STATUS_OK, &here, sizeof here));
    if (*(const bool *)world_said(world, 0))
        return trial_make(world, facts);
    enum mpi_device (*ask)(char *, size_t) = mpi_device_claim;
    if (prove)
        ask = probe_mpi_device;
    else if (renderer_info(renderer)->mpi_device.asked && world_launched())
        ask = probe_result_read;
    if (world_rank(world) == 0)
        facts->mpi_level = ask(facts->mpi_why, sizeof facts->mpi_why);
    return STATUS_OK;
}

/* Collective, when all ranks have reported their devices. */
static enum status facts_show(const struct invocation *invocation, const struct renderer *renderer)
{
    struct devices_facts facts = {.renderer = renderer};
    TRY(mpi_device_find(invocation, renderer, &facts));
    if (world_rank(invocation->world) > 0)
        return STATUS_OK;
    TRY(machine_find(&facts));
    return devices_show(&facts, arguments_has(&invocation->arguments, OPTION_JSON));
}

/* Prepares a small picture without computing it: so every rank finds out which transport it would
 * use. */
static enum status transports_find(struct renderer *renderer)
{
    struct field shape = {.width = 64, .height = 64, .planes = PLANE_MASK_COUNT, .count_bytes = 4};
    return renderer_prepare(renderer, STATUS_OK, &shape, "auto", 0);
}

enum status command_devices(struct invocation *invocation)
{
    bool root = world_rank(invocation->world) == 0;
    struct renderer_options options = {.backend = ""};
    struct renderer *renderer;
    if (root)
        options = renderer_probed(&invocation->config);
    gpu_queues_few();
    TRY(renderer_open(&renderer, invocation->world, root ? &options : NULL));
    if (root)
        idle_report(invocation, &renderer_info(renderer)->idle);
    enum status status = transports_find(renderer);
    if (status == STATUS_OK)
        status = facts_show(invocation, renderer);
    renderer_close(renderer);
    return status;
}
