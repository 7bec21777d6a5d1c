#include "app/settings/engine.h"

#include "app/process/environment.h"
#include "app/process/message.h"
#include "app/process/probe_result.h"
#include "app/process/stop.h"

static void notice_print(void *unused, const char *sentence)
{
    (void)unused;
    message_print(sentence);
}

enum status engine_run(struct invocation *invocation, engine_work *work)
{
    struct deepfield_world *world;
    struct program_parts parts = {
        .world = invocation->world, .data = environment_data(), .stop = &stop_requested};
    const bool root = world_rank(invocation->world) == 0;
    if (root && !config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        parts.log = notice_print;
    TRY(program_world(&world, &parts));
    enum status status = root ? work(invocation, world) : status_take(deepfield_serve(world));
    deepfield_world_close(world);
    return status;
}

enum status engine_renderer(struct deepfield_renderer **renderer, struct deepfield_world *world,
                            const struct invocation *invocation, double iterations, bool once)
{
    char why[256] = "one rank sends nothing";
    struct program_devices devices = {
        .config = &invocation->config, .iterations = iterations, .once = once, .mpi_why = why};
    if (config_boolean(&invocation->config, OPTION_COMPUTE_MPI_DEVICE) && world_launched()) {
        enum mpi_device level = probe_result_read(why, sizeof why);
        devices.mpi_proven = level >= MPI_DEVICE_PROVEN;
        devices.mpi_faster = level >= MPI_DEVICE_FASTER;
    }
    return program_renderer(renderer, world, &devices);
}
