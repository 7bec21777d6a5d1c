#include "app/settings/engine.h"

#include "app/process/environment.h"
#include "app/process/gpu_queues.h"
#include "app/process/message.h"
#include "app/process/probe_result.h"
#include "app/process/stop.h"
#include "render/disk/json.h"

static void notice_print(void *unused, const char *sentence)
{
    (void)unused;
    message_print(sentence);
}

/* Work without anything found. */
static enum status work_do(struct invocation *invocation, struct deepfield_world *world, void *work)
{
    return (*(engine_work **)work)(invocation, world);
}

static enum status world_run(struct invocation *invocation, struct world *ranks,
                             engine_search *search, void *found)
{
    struct deepfield_world *world;
    struct program_parts parts = {
        .world = ranks, .data = environment_data(), .stop = &stop_requested};
    if (!config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        parts.log = notice_print;
    TRY(program_world(&world, &parts));
    const bool root = deepfield_world_rank(world, &invocation->ranks) == 0;
    enum status status =
        root ? search(invocation, world, found) : status_take(deepfield_serve(world));
    deepfield_world_close(world);
    return status;
}

enum status engine_run_for(struct invocation *invocation, engine_search *search, void *found)
{
    return world_run(invocation, invocation->world, search, found);
}

enum status engine_run(struct invocation *invocation, engine_work *work)
{
    return engine_run_for(invocation, work_do, &work);
}

enum status engine_run_alone(struct invocation *invocation, engine_work *work)
{
    return world_run(invocation, NULL, work_do, &work);
}

static enum status renderer_make(struct deepfield_renderer **renderer,
                                 struct deepfield_world *world, struct program_devices *devices)
{
    char why[256];
    if (config_boolean(devices->config, OPTION_COMPUTE_MPI_DEVICE)) {
        probe_result_of_rank(&devices->mpi_proven, &devices->mpi_faster, why, sizeof why);
        devices->mpi_why = why;
    }
    return program_renderer(renderer, world, devices);
}

enum status engine_renderer(struct deepfield_renderer **renderer, struct deepfield_world *world,
                            const struct invocation *invocation, double iterations, bool once)
{
    struct program_devices devices = {
        .config = &invocation->config, .joins = true, .iterations = iterations, .once = once};
    return renderer_make(renderer, world, &devices);
}

enum status engine_renderer_of_one(struct deepfield_renderer **renderer,
                                   struct deepfield_world *world,
                                   const struct invocation *invocation, double iterations)
{
    struct program_devices devices = {.config = &invocation->config,
                                      .joins = true,
                                      .iterations = iterations,
                                      .once = true,
                                      .picture = &invocation->config,
                                      .few_queues = gpu_queues_few};
    return renderer_make(renderer, world, &devices);
}

struct json_object *engine_list(const char *kind)
{
    const struct program_parts parts = {.data = environment_data(), .stop = &stop_requested};
    struct deepfield_world *world;
    struct json_object *list = NULL;
    char *text;
    if (program_world(&world, &parts) != STATUS_OK)
        return NULL;
    if (deepfield_list(world, kind, &text) == DEEPFIELD_OK)
        list = json_read(text);
    deepfield_free(text);
    deepfield_world_close(world);
    return list;
}
