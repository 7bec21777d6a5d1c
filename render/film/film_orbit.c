#include "render/film/film_orbit.h"
#include "render/picture/picture_plan.h"

/* View with the smallest pixels. */
static enum status deepest_view(const struct film *film, const struct film_keys *keys,
                                struct view *view)
{
    struct film_depth depth = film_path_depth(&film->path);
    double time = film->path.keyframe[depth.deepest].time_s;
    TRY(film_path_view(&film->path, time, film->width, film->height, view));
    if (film->method != FILM_KEYFRAMES)
        return STATUS_OK;
    return film_view_zoomed(view, film_key_log2_zoom(keys, keys->count - 1, film->height), 0,
                            keys->width, keys->height, view);
}

enum status film_orbit_make(struct film_orbit *orbit, const struct film *film,
                            const struct film_keys *keys, const struct renderer *renderer,
                            const struct reference_hooks *hooks)
{
    struct picture picture = film->picture;
    struct view_numbers view;
    struct plan plan;
    TRY(deepest_view(film, keys, &orbit->deepest));
    picture.view = orbit->deepest; /* borrowed */
    TRY(picture_plan(&picture, &renderer_info(renderer)->facts, hooks ? hooks->stop : NULL, &view,
                     &plan));
    if (plan.method != METHOD_PERTURBATION)
        return STATUS_OK;
    struct spec spec = {.limit = picture.spec.limit,
                        .bailout = picture.spec.bailout,
                        .formula = picture.spec.formula};
    struct reference_hooks own = *hooks;
    own.device = renderer_orbit_device(renderer, NULL, 0);
    TRY(reference_make(&orbit->reference, &orbit->deepest, &view, &spec, renderer_world(renderer),
                       picture.orbit_cache, &own));
    orbit->orbit = (struct picture_orbit){.view = &orbit->deepest,
                                          .orbit = &orbit->reference.orbit,
                                          .number = orbit->reference.number};
    return STATUS_OK;
}

void film_orbit_close(struct film_orbit *orbit)
{
    reference_close(&orbit->reference);
    view_destroy(&orbit->deepest);
    orbit->orbit = (struct picture_orbit){.orbit = NULL};
}
