/* deepfield join: this job computes for a run of another job. */
#include <stdio.h>

#include "app/command/command.h"
#include "app/process/stop.h"
#include "app/settings/engine.h"
#include "library/handle/program_live.h"

static void joined_print(void *context, int rank)
{
    const char *path = context;
    printf("joined %s as rank %d\n", path, rank);
    fflush(stdout);
}

static enum status join_run(struct invocation *invocation, struct deepfield_world *world)
{
    const char *path = invocation->arguments.operand;
    deepfield_renderer *renderer = NULL;
    deepfield_live *live = NULL;
    struct join_file run;
    char text[STATUS_TEXT_BYTES] = "";
    if (!path)
        return status_fail(STATUS_USAGE,
                           "deepfield join needs the FILE that --join-file of another "
                           "run has written");
    TRY(program_live_place(&run, path));
    TRY(engine_renderer(&renderer, world, invocation, 0, true));
    enum status status = program_live_open(&live, renderer, NULL);
    if (status == STATUS_OK)
        status = program_live_join(live, &run, &stop_requested, joined_print,
                                   (void *)(uintptr_t)path); /* only read */
    if (status != STATUS_OK)
        snprintf(text, sizeof text, "%s", status_text());
    enum status closed = program_live_close(live);
    if (closed == STATUS_OK)
        deepfield_renderer_destroy(renderer);
    else if (status == STATUS_OK)
        return closed;
    return status == STATUS_OK ? STATUS_OK : status_fail(status, "%s", text);
}

enum status command_join(struct invocation *invocation)
{
    return engine_run(invocation, join_run);
}
