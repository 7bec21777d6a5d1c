/* Stored fields in other colours. */
#include <string.h>

#include "library/handle/handle.h"
#include "library/output/recolour.h"

struct recolouring { /* what deepfield_recolour was called with */
    struct deepfield_world *world;
    const struct config *look; /* values of its picture that were set go over those of the field;
                                  NULL: none */
};

static bool is_shown(enum option_key option)
{
    const char *section = option_rows[option].section;
    return section && (!strcmp(section, "look") || !strcmp(section, "output"));
}

static bool is_set(void *context, enum option_key option)
{
    const struct recolouring *job = context;
    const char *origin = job->look ? job->look->value[option].origin : NULL;
    return origin && !strcmp(origin, PICTURE_ORIGIN);
}

static enum status settings_make(void *context, struct config *config, const struct ini *view,
                                 const char *path)
{
    const struct recolouring *job = context;
    TRY(config_create(config));
    config->data = job->world->data;
    TRY(config_apply(config, view, path, STATUS_BAD_DATA));
    for (int i = 0; i < OPTIONS; i++) {
        const enum option_key option = (enum option_key)i;
        if (is_set(context, option) && (is_shown(option) || option == OPTION_VIEW_TITLE))
            TRY(config_set(config, option, config_text(job->look, option), PICTURE_ORIGIN,
                           STATUS_CONFIG));
    }
    config_settle(config);
    return STATUS_OK;
}

static void notice_give(void *context, const char *sentence)
{
    const struct recolouring *job = context;
    world_notice(job->world, sentence);
}

deepfield_status deepfield_recolour(deepfield_renderer *renderer, const char *field,
                                    const deepfield_picture *look, const char *const *paths,
                                    int count, int replace)
{
    NEED(renderer);
    NEED(field);
    NEED(paths);
    struct recolouring job = {renderer->world, look ? &look->config : NULL};
    const struct recolour_request request = {.path = field,
                                             .out = paths,
                                             .out_count = (size_t)count,
                                             .overwrite = replace ? OVERWRITE_YES : OVERWRITE_NO,
                                             .stop = renderer->stop,
                                             .settings = settings_make,
                                             .is_chosen = is_set,
                                             .notice = notice_give,
                                             .context = &job};
    if (count < 1)
        return status_give(status_fail(STATUS_USAGE, "%d files: at least one is written", count));
    for (int i = 0; i < count; i++)
        if (!paths[i] || !*paths[i])
            return status_give(
                status_fail(STATUS_USAGE, "file %d of %d has no name", i + 1, count));
    TRY_GIVE(renderer_call_begin(renderer));
    enum status status = recolour(&request);
    renderer_call_end(renderer);
    return status_give(status);
}
