#include "render/picture/cores_choice.h"

#include <math.h>
#include <string.h>

#include "kernels/backend.h"
#include "kernels/stop.h"
#include "render/picture/estimate.h"
#include "render/picture/picture.h"
#include "render/picture/picture_plan.h"
#include "render/picture/region.h"
#include "render/plan/plan_samples.h"

static const double ORBIT_S = 0.1, WINDOWS_S = 0.06; /* longest times of a trial */
/* Samples of all pixels. Sixteen cores colour and save about so many in CORES_CHOICE_GPU_S, where
 * none has more than some iterations. */
static const double ALL_SAMPLES_MOST = 1 << 25;

/* Is there a row that drives GPUs, and perhaps one to drive? */
static bool gpu_likely(void)
{
    for (int i = 0; i < backend_kinds_count; i++)
        if (backend_kinds[i]->memory && backend_kinds[i]->likely())
            return true;
    return false;
}

static double samples_of(const struct picture *picture, int samples)
{
    const struct tile wanted = region_wanted(picture);
    return (double)wanted.width * wanted.height * samples_most(samples);
}

bool cores_choice_small(const struct picture *picture)
{
    int samples = picture->samples ? picture->samples : PLAN_SAMPLES_LEAST;
    return samples_of(picture, samples) <= ALL_SAMPLES_MOST;
}

/* Samples a pixel; where the picture does not say, as many as its plan. */
static int samples_wanted(const struct picture *picture, const struct plan *plan,
                          const volatile int *stop)
{
    if (picture->samples)
        return picture->samples;
    struct picture_known known = picture_know(picture, NULL, stop);
    return plan_samples(plan, &known, picture->spec.limit);
}

bool cores_choice_due(const struct renderer_options *options, const struct world *world,
                      const struct picture *picture)
{
    bool free_to_choose = !strcmp(options->backend, "auto") && !options->devices.chosen &&
                          !options->devices.per_rank && world_size(world) == 1 &&
                          !strcmp(picture->transport, "auto");
    return free_to_choose && cores_choice_small(picture) && gpu_likely();
}

/* Computes the windows by the centres of their pixels, which need no colours. */
static enum status trial_run(struct cores_choice *choice, struct renderer *renderer,
                             const struct picture *picture, const volatile int *stop)
{
    struct estimate estimate = {
        .orbit_s = ORBIT_S, .budget_s = WINDOWS_S, .enough_s = CORES_CHOICE_GPU_S};
    struct picture_hooks hooks = {.stop = stop};
    struct picture centres = *picture;
    struct plan plan;
    centres.samples = 1;
    enum status status = picture_plan(&centres, &renderer_info(renderer)->facts, stop, NULL, &plan);
    if (status == STATUS_OK)
        status = estimate_make(&estimate, renderer, &centres, &hooks, &plan);
    estimate_close(&estimate);
    TRY(status);
    double samples = samples_of(picture, samples_wanted(picture, &plan, stop)) / estimate.width /
                     estimate.height;
    choice->tried = true;
    choice->picture_s =
        estimate.cut ? INFINITY
                     : estimate.reference_s + estimate.prepare_s + samples * estimate.compute_s;
    choice->cores = choice->picture_s < CORES_CHOICE_GPU_S;
    return STATUS_OK;
}

enum status cores_choose(struct cores_choice *choice, struct world *world,
                         const struct renderer_options *options, const struct picture *picture,
                         const volatile int *stop)
{
    struct renderer_options cores = *options;
    struct renderer *renderer;
    *choice = (struct cores_choice){.tried = false};
    cores.backend = "cpu";
    if (renderer_open(&renderer, world, &cores) != STATUS_OK)
        return STATUS_OK;
    enum status status = trial_run(choice, renderer, picture, stop);
    renderer_close(renderer);
    return stop_asked(stop) ? status : STATUS_OK;
}
