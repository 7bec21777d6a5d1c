#include "render/disk/memory.h"
#include "render/film/film.h"
#include "render/film/video/film_writer.h"
#include "render/picture/picture_plan.h"

enum { LIGHT_BYTES = 3 * sizeof(float), UNDER_WAY_LEAST = 3, UNDER_WAY_MOST = 16 };

#define UNDER_WAY_BYTES 0x1p29

int film_under_way(const struct film *film, const struct renderer_facts *facts)
{
    double bytes = (double)film->width * (double)film->height * LIGHT_BYTES;
    double fit = UNDER_WAY_BYTES / bytes;
    if (facts->gpus == 0 || fit < UNDER_WAY_LEAST)
        return UNDER_WAY_LEAST;
    return fit < UNDER_WAY_MOST ? (int)fit : UNDER_WAY_MOST;
}

int film_renderers_most(const struct renderer_facts *facts, const struct film *film)
{
    bool one = film->method == FILM_KEYFRAMES || film->video.kind->numbers || world_launched() ||
               facts->ranks > 1 || facts->gpus < 1 || facts->joins;
    int most = facts->gpus * FILM_RENDERERS_OF_GPU;
    return one ? 1 : most < FILM_RENDERERS_MOST ? most : FILM_RENDERERS_MOST;
}

/* Plan of the frame at the deepest point of the path, or the key picture there: their memory
 * depends on size and method only. */
static enum status plan_make(const struct film *film, const struct film_keys *keys,
                             const struct renderer_facts *facts, const volatile int *stop,
                             struct plan *plan)
{
    struct picture picture = film->picture;
    struct film_depth depth = film_path_depth(&film->path);
    double time = film->path.keyframe[depth.deepest].time_s;
    picture.view = (struct view){.re = NULL};
    picture.of_many = true;
    picture.light_alone = film->method != FILM_KEYFRAMES && !film->video.kind->numbers;
    enum status status =
        film_path_view(&film->path, time, film->width, film->height, &picture.view);
    if (status == STATUS_OK && film->method == FILM_KEYFRAMES) {
        picture.samples = 1;
        status =
            film_view_zoomed(&picture.view, film_key_log2_zoom(keys, keys->count - 1, film->height),
                             0, keys->width, keys->height, &picture.view);
    }
    if (status == STATUS_OK)
        status = picture_plan(&picture, facts, stop, NULL, plan);
    view_destroy(&picture.view);
    return status;
}

static enum status scene_sum(const struct film *film, const struct renderer_facts *facts,
                             const volatile int *stop, struct film_memory *memory)
{
    struct film_depth depth = film_path_depth(&film->path);
    struct film_keys keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                                         !film_path_is_upright(&film->path));
    uint64_t pixels = (uint64_t)film->width * (uint64_t)film->height;
    uint64_t key_pixels = (uint64_t)keys.width * (uint64_t)keys.height;
    *memory = (struct film_memory){.keys = 0};
    TRY(plan_make(film, &keys, facts, stop, &memory->plan));
    int frames = film_under_way(film, facts) + film_renderers_most(facts, film) +
                 (film->dwell_s > 0 ? 1 : 0);
    memory->under_way = pixels * LIGHT_BYTES * (uint64_t)frames;
    if (!film->video.kind->frames)
        memory->under_way += film_yuv_bytes(&film->video.yuv);
    if (film->method == FILM_KEYFRAMES)
        memory->keys = key_pixels * (FILM_KEYS_WHOLE * planes_bytes(film->picture.spec.planes,
                                                                    memory->plan.count_bytes) +
                                     LIGHT_BYTES);
    return STATUS_OK;
}

enum status film_memory_sum(const struct film *film, const struct renderer_facts *facts,
                            const volatile int *stop, struct film_memory *memory)
{
    TRY(scene_sum(film, facts, stop, memory));
    for (film = film->next; film; film = film->next) {
        struct film_memory scene;
        TRY(scene_sum(film, facts, stop, &scene));
        if (film_memory_all(&scene) > film_memory_all(memory))
            *memory = scene;
    }
    return STATUS_OK;
}

uint64_t film_memory_all(const struct film_memory *memory)
{
    return plan_memory(&memory->plan) + memory->keys + memory->under_way;
}

enum status film_admit(const struct film_memory *memory)
{
    uint64_t needed = film_memory_all(memory), there = memory_available();
    if (needed > there / 10 * 8)
        return status_fail(
            STATUS_TOO_LARGE,
            "needs %.1f GiB (%s %.1f, kept key pictures %.1f, frames under way %.1f), but of the "
            "%.1f GiB free on this machine only 80 %% may be used; choose a smaller --size",
            (double)needed / 0x1p30, memory->keys ? "key picture" : "frame",
            (double)plan_memory(&memory->plan) / 0x1p30, (double)memory->keys / 0x1p30,
            (double)memory->under_way / 0x1p30, (double)there / 0x1p30);
    return picture_admit(&memory->plan);
}
