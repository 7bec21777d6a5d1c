/* The plan of a picture before anything is computed: can it be computed here, and how? */
#ifndef RENDER_PICTURE_PICTURE_PLAN_H
#define RENDER_PICTURE_PICTURE_PLAN_H

#include "kernels/spec.h"
#include "kernels/status.h"
#include "render/device/renderer_facts.h"
#include "render/plan/plan.h"
#include "render/reference/picture_orbit.h"
#include "render/view/description.h"
#include "render/view/view.h"

/* The plan for a picture, without computing anything, for the devices that `facts` speaks of.
 * stop: as that of struct picture_hooks. view: the numbers of its view; NULL: nobody wants them.
 * Any thread; the statuses of plan_choose. */
enum status picture_plan(const struct picture *picture, const struct renderer_facts *facts,
                         const volatile int *stop, struct view_numbers *view, struct plan *plan);

/* For a picture of many that may take that orbit (NULL: there is none). After a stop the plan will
 * be STATUS_STOPPED. Any thread. */
struct picture_known picture_know(const struct picture *picture, const struct picture_orbit *orbit,
                                  const volatile int *stop);

/* Refuses (STATUS_TOO_LARGE, sums shown) what does not fit into the memory that there is, on rank
 * 0's machine or on another. */
enum status picture_admit(const struct plan *plan);

/* Specification of the computation at each pixel, as `plan` has it. */
struct spec picture_spec(const struct picture *picture, const struct plan *plan);

#endif
