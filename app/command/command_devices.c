/* deepfield devices: the devices there are, and the ranks that would drive them. */
#include <stdio.h>

#include "app/command/command.h"
#include "app/launch/probe.h"
#include "app/process/gpu_queues.h"
#include "app/report/document.h"
#include "app/settings/engine.h"
#include "include/deepfield/deepfield.h"
#include "render/disk/json.h"

struct devices_facts { /* on rank 0: what is printed */
    struct json_object *machine, *backends, *devices, *ranks;
    struct probe_answer mpi_device;
};

/* ---- what there is ---- */

static enum status value_take(struct json_object **value, deepfield_status status, char *text)
{
    TRY(status_take(status));
    *value = json_read(text);
    deepfield_free(text);
    return *value ? STATUS_OK : STATUS_OUT_OF_MEMORY;
}

static enum status list_take(struct json_object **value, struct deepfield_world *world,
                             const char *kind)
{
    char *text;
    deepfield_status status = deepfield_list(world, kind, &text);
    return value_take(value, status, text);
}

static enum status renderer_ask(struct deepfield_renderer *renderer, struct devices_facts *facts)
{
    char *text;
    deepfield_status status = deepfield_renderer_describe(renderer, &text);
    TRY(value_take(&facts->devices, status, text));
    status = deepfield_renderer_ranks(renderer, &text);
    return value_take(&facts->ranks, status, text);
}

static enum status facts_find(struct invocation *invocation, struct deepfield_world *world,
                              void *facts_found)
{
    struct devices_facts *facts = facts_found;
    struct deepfield_renderer *renderer;
    TRY(engine_renderer(&renderer, world, invocation, 0, true));
    enum status status = renderer_ask(renderer, facts);
    deepfield_renderer_destroy(renderer);
    if (status == STATUS_OK)
        status = list_take(&facts->machine, world, "machine");
    return status == STATUS_OK ? list_take(&facts->backends, world, "backends") : status;
}

static void facts_free(struct devices_facts *facts)
{
    json_free(facts->machine);
    json_free(facts->backends);
    json_free(facts->devices);
    json_free(facts->ranks);
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

static enum status devices_show(const struct devices_facts *facts, bool as_json)
{
    static const char *const names[] = {"name", "summary", "auto", NULL};
    struct json json = {.stream = stdout};
    struct json_object *machine = json_element(facts->machine, 0);
    if (!as_json) {
        json.table = tables;
        json.tables = sizeof tables / sizeof *tables;
    }
    json_begin(&json, "devices/1");
    json_text(&json, "cpu", json_text_of(machine, "name"));
    json_add_members(&json, machine, names);
    json_text(&json, "mpi_device", facts->mpi_device.name);
    json_text(&json, "mpi_device_why", facts->mpi_device.why);
    if (*facts->mpi_device.setting)
        json_text(&json, "mpi_device_setting", facts->mpi_device.setting);
    json_text(&json, "auto", json_text_of(machine, "auto"));
    json_add(&json, "backends", facts->backends);
    json_add(&json, "devices", facts->devices);
    json_add(&json, "transports", facts->ranks);
    return as_json ? document_end(&json) : json_end(&json);
}

/* ---- the command ---- */

enum status command_devices(struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    struct devices_facts facts = {.machine = NULL};
    gpu_queues_few();
    enum status status = engine_run_for(invocation, facts_find, &facts);
    status = probe_answer_find(invocation->world, status, arguments_has(arguments, OPTION_PROVE),
                               config_boolean(&invocation->config, OPTION_COMPUTE_MPI_DEVICE),
                               &facts.mpi_device);
    if (status == STATUS_OK && facts.machine)
        status = devices_show(&facts, arguments_has(arguments, OPTION_JSON));
    facts_free(&facts);
    return status;
}
