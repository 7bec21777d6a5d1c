#include "render/picture/root_only.h"

#include <stdio.h>

static enum status parts_open(struct root_only *root, const struct renderer *lost,
                              const struct field *shape)
{
    TRY(world_alone(&root->world));
    TRY(renderer_open_alone(&root->renderer, root->world, lost, 0));
    renderer_join_lend(root->renderer, lost);
    return renderer_prepare(root->renderer, STATUS_OK, shape, ROOT_ONLY_TRANSPORT, 0);
}

enum status root_only_open(struct root_only *root, const struct renderer *lost,
                           const struct field *shape)
{
    char why[STATUS_TEXT_BYTES], reason[STATUS_TEXT_BYTES];
    enum status status = parts_open(root, lost, shape);
    if (status == STATUS_OK)
        return STATUS_OK;
    snprintf(why, sizeof why, "%s", status_text());
    status = world_lost(renderer_world(lost));
    snprintf(reason, sizeof reason, "%s", status_text());
    return status_fail(status, "%.400s; rank 0 cannot go on alone: %.400s", reason, why);
}

void root_only_close(struct root_only *root)
{
    if (root->renderer)
        device_set_deep_close(renderer_device_set(root->renderer));
    renderer_close(root->renderer);
    world_close(root->world);
}
