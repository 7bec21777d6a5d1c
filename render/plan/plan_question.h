/* Inputs of a plan, and its decisions one by one, as plan.c takes them. */
#ifndef RENDER_PLAN_PLAN_QUESTION_H
#define RENDER_PLAN_PLAN_QUESTION_H

#include <stdbool.h>
#include <stdint.h>

#include "render/plan/plan.h"

struct plan_question {
    const struct picture *picture;
    const struct view_numbers *view; /* view of the picture, or of a strip of it */
    const struct renderer_facts *facts;
    const volatile int *stop; /* non-zero: give up; may be NULL */
};

/* The cheapest that is accurate enough: fp32 takes half the time of fp64, and perturbation, at the
 * 13 views of configs/views for which both can be had, 1 to 9 times that of fp64, 3 in the median
 * (960 x 540, AVX-512). The statuses of plan_choose. */
enum status plan_number_choose(struct plan *plan, const struct plan_question *question);

/* Pixels that perturbation in fp32 may be asked to come within: 16 roundings of the longest offset.
 */
double plan_floats_least_px(const struct view_numbers *view);

/* Has perturbation of the formula a kernel in fp32? */
bool plan_floats_formula(const struct formula *formula);

/* Where the mean of samples is made. */
void plan_lights_choose(struct plan *plan, const struct plan_question *question);

/* Schedule, and the transports of both kinds of ranks. After plan_lights_choose. STATUS_CONFIG. */
enum status plan_transports_choose(struct plan *plan, const struct plan_question *question);

/* Does the picture name a transport whose frame lies on rank 0's device? */
bool plan_asks_for_device(const struct plan_question *question);

/* Size and number of tiles. STATUS_CONFIG, STATUS_TOO_LARGE. */
enum status plan_tiles_choose(struct plan *plan, const struct plan_question *question);

/* Are they cut by a coarse pass? After the schedule is known. */
void plan_forecast_choose(struct plan *plan, const struct plan_question *question);

/* Side of tiles of further samples of parts, in pixels. */
int32_t plan_cells_px(const struct plan_question *question);

/* Fields of the frame, samples at once, and all bytes. After all others. */
void plan_memory_sum(struct plan *plan, const struct plan_question *question);

#endif
