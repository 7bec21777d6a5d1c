#include "render/root_only.h"

#include <stdio.h>

static enum status parts_open(struct root_only *root, const struct studio *lost,
                              const struct field *shape, bool is_static)
{
    TRY(world_alone(&root->world));
    TRY(studio_open_alone(&root->studio, root->world, lost));
    return studio_prepare(root->studio, shape, ROOT_ONLY_TRANSPORT, is_static);
}

enum status root_only_open(struct root_only *root, const struct studio *lost,
                           const struct field *shape, bool is_static)
{
    char why[STATUS_TEXT_BYTES], reason[STATUS_TEXT_BYTES];
    enum status status = parts_open(root, lost, shape, is_static);
    if (status == STATUS_OK)
        return STATUS_OK;
    snprintf(why, sizeof why, "%s", status_text());
    status = world_lost(lost->world);
    snprintf(reason, sizeof reason, "%s", status_text());
    return status_fail(status, "%.400s; rank 0 cannot go on alone: %.400s", reason, why);
}

void root_only_close(struct root_only *root)
{
    if (root->studio)
        crew_deep_close(&root->studio->crew);
    studio_close(root->studio);
    world_close(root->world);
}
