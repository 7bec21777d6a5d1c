#include "render/alone.h"

#include <stdio.h>

static enum status parts_open(struct alone *alone, const struct studio *lost,
                              const struct field *shape, bool is_static)
{
    TRY(world_alone(&alone->world));
    TRY(studio_open_alone(&alone->studio, alone->world, lost));
    return studio_prepare(alone->studio, shape, ALONE_TRANSPORT, is_static);
}

enum status alone_open(struct alone *alone, const struct studio *lost, const struct field *shape,
                       bool is_static)
{
    char why[STATUS_TEXT_BYTES], reason[STATUS_TEXT_BYTES];
    enum status status = parts_open(alone, lost, shape, is_static);
    if (status == STATUS_OK)
        return STATUS_OK;
    snprintf(why, sizeof why, "%s", status_text());
    status = world_lost(lost->world);
    snprintf(reason, sizeof reason, "%s", status_text());
    return status_fail(status, "%.400s; rank 0 cannot go on alone: %.400s", reason, why);
}

void alone_close(struct alone *alone)
{
    if (alone->studio)
        crew_deep_close(&alone->studio->crew);
    studio_close(alone->studio);
    world_close(alone->world);
}
