/* Whether the processor's cores make a picture sooner than a GPU opens, by a trial: windows of the
 * picture are computed on the cores as estimate.h does, for at most at most 0.06 s. */
#ifndef RENDER_PICTURE_CORES_CHOICE_H
#define RENDER_PICTURE_CORES_CHOICE_H

#include <stdbool.h>

#include "kernels/status.h"
#include "render/device/renderer.h"

struct picture;

/* Seconds after which a GPU has made a picture at the earliest, on a machine with one H200 (0.34 to
 * 0.40 at 4K; with two 0.52 to 0.60): the driver wakes, the GPU is opened and given back. */
#define CORES_CHOICE_GPU_S 0.4

struct cores_choice {
    bool tried;       /* else the rest is 0 */
    bool cores;       /* the cores are sooner */
    double picture_s; /* seconds of the whole picture on the cores; INFINITY: longer than the trial
                         may take */
};

/* Has the picture so few samples of pixels that cores might compute all of them by then? Samples 0
 * are as many as its plan will say (plan_samples). Pure. */
bool cores_choice_small(const struct picture *picture);

/* Is a trial worth its time? For a small picture, in a process that is alone, where a GPU may be
 * taken and nobody has chosen one. Pure but for a look whether a
 * driver is there. */
bool cores_choice_due(const struct renderer_options *options, const struct world *world,
                      const struct picture *picture);

/* Tries, in a world of this process alone. STATUS_STOPPED when `stop` asks for it; what else fails
 * is left to those who make the picture: the choice is then not tried. */
enum status cores_choose(struct cores_choice *choice, struct world *world,
                         const struct renderer_options *options, const struct picture *picture,
                         const volatile int *stop);

#endif
