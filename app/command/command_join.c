/* deepfield join: this job computes for a viewer of another job. */
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
    struct live_join_file viewer;
    char text[STATUS_TEXT_BYTES] = "";
    if (!path)
        return status_fail(STATUS_USAGE, "deepfield join needs the FILE that deepfield view "
                                         "--join-file has written");
    TRY(program_live_viewer(&viewer, path));
    /* A configuration that is shared with the viewer names its file: nobody joins this job. */
    TRY(config_set(&invocation->config, OPTION_VIEWER_JOIN_FILE, "", "deepfield join",
                   STATUS_INTERNAL));
    TRY(engine_renderer(&renderer, world, invocation, 0, true));
    enum status status = program_live_open(&live, renderer, NULL);
    if (status == STATUS_OK)
        status = program_live_join(live, &viewer, &stop_requested, joined_print,
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
