#include "render/film/film_limit.h"

#include <math.h>

#include "kernels/stop.h"
#include "render/colour/distribution.h"
#include "render/live/limit.h"

enum { PLACES = 3 }; /* positions on the path */

static void counts_take(struct limit_counts *counts, const struct field *field)
{
    *counts = (struct limit_counts){.samples = 0};
    for (int32_t y = 0; y < field->height; y++)
        for (int32_t x = 0; x < field->width; x++)
            limit_count(counts, field_count_at(field, (size_t)y * (size_t)field->stride + x));
}

static enum status counts_make(struct renderer *renderer, const struct picture *picture,
                               const volatile int *stop, struct limit_counts *counts, bool *over)
{
    struct picture_hooks hooks = {.stop = stop};
    struct picture_report report = {.plan_s = 0};
    struct field field;
    int goes_on = 1;
    if (stop_asked(stop))
        return status_fail(STATUS_STOPPED, "stopped");
    TRY(world_tell(renderer_world(renderer), STATUS_OK, &goes_on, sizeof goes_on));
    enum status status = picture_render(renderer, picture, &hooks, &field, &report);
    *over = status != STATUS_OK;
    if (status == STATUS_OK)
        counts_take(counts, &field);
    picture_report_destroy(&report);
    return status;
}

enum status film_limit_raise(struct renderer *renderer, struct picture *picture,
                             const volatile int *stop, int64_t most, int64_t *limit, bool *over)
{
    struct view_numbers numbers;
    struct limit_counts counts;
    TRY(view_numbers(&picture->view, &numbers));
    double log10_zoom = view_log10_zoom(&numbers);
    int64_t next = limit_guess(log10_zoom);
    next = next > *limit ? next : *limit;
    do {
        picture->spec.limit = next;
        TRY(counts_make(renderer, picture, stop, &counts, over));
        next = limit_next(&counts, picture->spec.limit, log10_zoom);
    } while (next > picture->spec.limit && next <= most);
    next = next < picture->spec.limit ? next : picture->spec.limit;
    *limit = next > *limit ? next : *limit;
    return STATUS_OK;
}

enum status film_limit(struct renderer *renderer, struct film *film, const struct film_hooks *hooks,
                       bool *over)
{
    int64_t limit = 0;
    double seconds = film_path_seconds(&film->path);
    for (int i = seconds > 0 ? 0 : PLACES - 1; i < PLACES; i++) {
        struct picture picture = film->picture;
        picture.samples = 1;
        picture.of_many = true;
        picture.spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
        picture.view = (struct view){.re = NULL};
        enum status status = film_path_view(&film->path, seconds * i / (PLACES - 1), SUBGRID_WIDTH,
                                            SUBGRID_HEIGHT, &picture.view);
        if (status == STATUS_OK)
            status = film_limit_raise(renderer, &picture, hooks->stop, INT64_MAX, &limit, over);
        view_destroy(&picture.view);
        TRY(status);
    }
    film->picture.spec.limit = limit;
    return STATUS_OK;
}
