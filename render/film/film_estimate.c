#include "render/film/film_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "render/film/film_resample.h"
#include "render/film/film_timing.h"
#include "render/film/video/film_yuv.h"
#include "render/picture/picture_plan.h"

enum { SAMPLED = 5 }; /* sampled pictures, evenly along the film */

/* Error of the cost between two samples, as a share of their difference. */
#define BETWEEN 0.25

/* Mean size of a key picture's pixel in pixels of a frame. */
#define MIDDLE_SCALE 0.6

struct sampler {
    const struct film *film;
    struct film_keys keys;
    struct look look;
};

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    struct sampler *sampler = context;
    const struct film *film = sampler->film;
    struct distribution distribution;
    distribution_measure(&distribution, field);
    look_make(&sampler->look, &film->look_options, &distribution, film->palette, film->height);
    *look = &sampler->look;
    return STATUS_OK;
}

/* View of the picture at `part` of the film, 0 ... 1. */
static enum status view_at(const struct sampler *sampler, double part, struct view *view)
{
    const struct film *film = sampler->film;
    const struct film_keys *keys = &sampler->keys;
    int64_t frame = film->first + (int64_t)(part * (double)(film_frames_moving(film) - 1));
    int number = (int)(part * (keys->count - 1));
    TRY(film_view(film, frame, view));
    if (film->method != FILM_KEYFRAMES)
        return STATUS_OK;
    return film_view_zoomed(view, film_key_log2_zoom(keys, number, film->height), 0, keys->width,
                            keys->height, view);
}

/* Seconds that a frame takes after its picture, of which these are windows, is computed. */
static enum status frame_time(const struct sampler *sampler, const struct estimate *of,
                              double *seconds)
{
    const struct film *film = sampler->film;
    const struct field *field = &of->mosaic;
    int threads = backend_cores_usable();
    bool keys = film->method == FILM_KEYFRAMES, turns = !film_path_is_upright(&film->path);
    double scale = keys ? MIDDLE_SCALE : 1; /* part of the picture that is a frame */
    int32_t width = (int32_t)(field->width * scale) / 2 * 2;
    int32_t height = (int32_t)(field->height * scale) / 2 * 2;
    struct film_yuv yuv = film->video.yuv;
    yuv.width = width;
    yuv.height = height;
    size_t pixels = (size_t)width * (size_t)height;
    float(*light)[3] = calloc(pixels, sizeof *light);
    float(*room)[3] = calloc((size_t)field->width * (size_t)field->height + 1, sizeof *room);
    uint8_t *frame = malloc(film_yuv_bytes(&yuv) + 1);
    const struct film_source source = {.field = field,
                                       .scale = scale,
                                       .cosine = turns ? M_SQRT1_2 : 1,
                                       .sine = turns ? M_SQRT1_2 : 0,
                                       .light = room};
    enum status status = STATUS_OK;
    if (!light || !room || !frame || pixels == 0)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for samples of a film");
    for (int round = 0; round < 2 && status == STATUS_OK;
         round++) { /* the first round touches memory */
        double begin_s = clock_s();
        if (keys)
            status = film_resample(&source, &sampler->look, width, height, light, threads);
        if (status == STATUS_OK && !film->video.kind->frames)
            status = film_yuv_make(&yuv, (const float(*)[3])light, frame, threads);
        *seconds = (clock_s() - begin_s) / (double)pixels * film->width * film->height;
    }
    free(light);
    free(room);
    free(frame);
    return status;
}

/* Samples one more picture. */
static enum status picture_add(struct film_estimate *estimate, struct sampler *sampler,
                               struct renderer *renderer, double budget_s, const volatile int *stop)
{
    const struct film *film = sampler->film;
    const struct picture_hooks hooks = {.look = look_give, .look_context = sampler, .stop = stop};
    struct picture picture = film->picture;
    struct estimate one = {.orbit_s = budget_s, .budget_s = budget_s / SAMPLED};
    struct plan plan;
    double frame_s = 0;
    int goes_on = 1;
    picture.view = (struct view){.re = NULL};
    picture.of_many = true;
    picture.samples = film->method == FILM_KEYFRAMES ? 1 : film->picture.samples;
    enum status status = view_at(sampler, (estimate->sampled + 0.5) / SAMPLED, &picture.view);
    if (status == STATUS_OK)
        status = picture_plan(&picture, &renderer_info(renderer)->facts, stop, NULL, &plan);
    if (status == STATUS_OK)
        status = world_tell(renderer_world(renderer), STATUS_OK, &goes_on, sizeof goes_on);
    if (status == STATUS_OK) {
        status = estimate_make(&one, renderer, &picture, &hooks, &plan);
        estimate->over = status != STATUS_OK || one.cut;
    }
    if (status == STATUS_OK && !one.cut) {
        const struct look *look;
        status = look_give(sampler, &one.mosaic, &look);
        if (status == STATUS_OK)
            status = frame_time(sampler, &one, &frame_s);
    }
    struct estimate *sum = &estimate->sum;
    double each = one.compute_s + one.prepare_s;
    sum->cut |= one.cut;
    sum->compute_s += each;
    sum->squares += each * each;
    sum->error += one.error * each * one.error * each;
    sum->files_s += frame_s;
    sum->windows += one.windows;
    sum->side = one.side;
    sum->reference_s = fmax(sum->reference_s, one.reference_s);
    sum->reference_most_s = fmax(sum->reference_most_s, one.reference_most_s);
    estimate_close(&one);
    view_destroy(&picture.view);
    estimate->sampled++;
    return status;
}

/* Extrapolates from samples to the film. */
static void sum_settle(struct film_estimate *estimate, const struct film *film,
                       const struct film_keys *keys)
{
    struct estimate *sum = &estimate->sum;
    double n = estimate->sampled, mean = sum->compute_s / n;
    double spread = sqrt(fmax(0, sum->squares / n - mean * mean));
    double of_each = sqrt(sum->error) / n;
    sum->error = mean > 0 ? hypot(of_each, BETWEEN * spread) / mean : 0;
    sum->compute_s = mean * (double)estimate->pictures;
    if (film->method == FILM_KEYFRAMES) /* without pixels that no frame reads */
        sum->compute_s =
            mean * film_keys_pixels(keys) / ((double)keys->width * (double)keys->height);
    sum->files_s = sum->files_s / n * (double)(film_scene_end(film) - film->first);
}

/* Samples whole frames where they are cheap. Windows do not show how long a GPU, or a small
 * picture, takes to begin. */
static enum status frames_sample(struct film_estimate *estimate, struct renderer *renderer,
                                 const struct film *film, double budget_s, const volatile int *stop)
{
    struct estimate *sum = &estimate->sum;
    struct film_timing timing;
    enum status status = film_time(&timing, sum, renderer, film, budget_s, stop);
    estimate->over = timing.over;
    if (status != STATUS_OK || timing.frames == 0)
        return status;
    estimate->sampled = sum->windows = timing.frames;
    sum->side = film->width;
    sum->reference_s = timing.begin_s;
    sum->compute_s = timing.frame_s * (double)estimate->pictures;
    sum->error = timing.error;
    return STATUS_OK;
}

static enum status scene_estimate(struct film_estimate *estimate, struct renderer *renderer,
                                  const struct film *film, double budget_s,
                                  const volatile int *stop)
{
    struct film_depth depth = film_path_depth(&film->path);
    struct sampler sampler = {.film = film,
                              .keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                                                   !film_path_is_upright(&film->path))};
    enum status status = STATUS_OK;
    *estimate = (struct film_estimate){
        .pictures = film->method == FILM_KEYFRAMES ? sampler.keys.count : film_frames_moving(film)};
    if (film->method == FILM_FRAMES)
        status = frames_sample(estimate, renderer, film, budget_s, stop);
    if (status != STATUS_OK || estimate->sampled > 0)
        return status;
    while (status == STATUS_OK && estimate->sampled < SAMPLED && !estimate->sum.cut)
        status = picture_add(estimate, &sampler, renderer, budget_s, stop);
    if (status == STATUS_OK && !estimate->sum.cut)
        sum_settle(estimate, film, &sampler.keys);
    return status;
}

static void scene_add(struct film_estimate *estimate, const struct film_estimate *scene)
{
    struct estimate *sum = &estimate->sum;
    const struct estimate *more = &scene->sum;
    double error = hypot(sum->error * sum->compute_s, more->error * more->compute_s);
    sum->compute_s += more->compute_s;
    sum->error = sum->compute_s > 0 ? error / sum->compute_s : 0;
    sum->files_s += more->files_s;
    sum->windows += more->windows;
    sum->side = more->side;
    sum->reference_s += more->reference_s;
    sum->reference_most_s = fmax(sum->reference_most_s, more->reference_most_s);
    sum->cut |= more->cut;
    estimate->pictures += scene->pictures;
    estimate->sampled += scene->sampled;
}

enum status film_estimate(struct film_estimate *estimate, struct renderer *renderer,
                          const struct film *film, double budget_s, const volatile int *stop)
{
    int scenes = 0;
    for (const struct film *scene = film; scene; scene = scene->next)
        scenes++;
    *estimate = (struct film_estimate){.pictures = 0};
    for (; film && !estimate->sum.cut; film = film->next) {
        struct film_estimate scene;
        enum status status = scene_estimate(&scene, renderer, film, budget_s / scenes, stop);
        estimate->over = scene.over;
        TRY(status);
        scene_add(estimate, &scene);
    }
    return STATUS_OK;
}
