#include "kernels/orbit/device/device_steps.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/device/orbit_digits.h"

enum { STEPS_FIRST = 64 }; /* steps of the first batch, and fewest that are measured */
#define BATCH_S 0.01

struct device_steps {
    const struct orbit_device_kind *kind;
    void *state; /* NULL: not open, or given up */
    int digits;
    double step_s;
    int64_t taken;         /* steps in all */
    int64_t at;            /* steps of the batch up to the orbit's state */
    struct orbit_digit *z; /* number on its way to or from the device */
    struct orbit_step *step;
    char why[STATUS_TEXT_BYTES];
};

/* ---- opening ---- */

/* Takes a part of c, two's complement, as a number with a sign. */
static enum status constant_take(const struct fixed *fixed, const mp_limb_t *from,
                                 struct fixed_real *real)
{
    real->limb = malloc((size_t)fixed->limbs * sizeof *real->limb);
    if (!real->limb)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for c of a device's orbit");
    memcpy(real->limb, from, (size_t)fixed->limbs * sizeof *real->limb);
    real->negative = real->limb[fixed->limbs - 1] >> (GMP_NUMB_BITS - 1);
    if (real->negative)
        mpn_neg(real->limb, real->limb, fixed->limbs);
    return STATUS_OK;
}

static enum status state_open(struct device_steps *device, const struct orbit_work *work)
{
    const struct fixed *fixed = &work->fixed;
    struct fixed_real x = {.limb = NULL}, y = {.limb = NULL};
    enum status status = constant_take(fixed, fixed->cx, &x);
    if (status == STATUS_OK)
        status = constant_take(fixed, fixed->cy, &y);
    if (status == STATUS_OK) {
        orbit_digits_set(device->z, device->digits, &x, &y, fixed->limbs);
        status =
            device->kind->open(&device->state, work->device_asked.number, fixed->limbs, device->z);
    }
    free(x.limb);
    free(y.limb);
    return status;
}

/* Gives the device's memory back. */
static void device_leave(struct device_steps *device)
{
    if (device->state)
        device->kind->close(device->state);
    device->state = NULL;
}

/* Gives the device up; `why` is the sentence of the thread's last status. */
static void device_lose(struct orbit *orbit)
{
    struct device_steps *device = orbit->work->device;
    strncpy(device->why, status_text(), sizeof device->why - 1);
    device_leave(device);
}

static void device_open(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    struct device_steps *device = work->device;
    enum status status = device->z && device->step
                             ? state_open(device, work)
                             : status_fail(STATUS_OUT_OF_MEMORY,
                                           "no memory for numbers of %d digits", device->digits);
    if (status != STATUS_OK)
        device_lose(orbit);
}

/* Makes what an orbit keeps of its device, without one where that takes no such numbers. */
static void device_create(struct orbit_work *work)
{
    const struct orbit_device_kind *kind = work->device_asked.kind;
    struct device_steps *device = work->device = calloc(1, sizeof *device);
    int digits = kind->digits(work->fixed.limbs);
    if (!device || !digits)
        return;
    device->kind = kind;
    device->digits = digits;
    device->z = malloc((size_t)digits * sizeof *device->z);
    device->step = malloc(ORBIT_DEVICE_STEPS * sizeof *device->step);
}

void orbit_device_set(struct orbit *orbit, struct orbit_device device)
{
    for (; orbit; orbit = orbit->critical)
        orbit->work->device_asked = device;
}

void orbit_device_leave(struct orbit *orbit)
{
    for (; orbit; orbit = orbit->critical)
        if (orbit->work && orbit->work->device)
            device_leave(orbit->work->device);
}

int64_t orbit_device_steps(const struct orbit *orbit)
{
    int64_t steps = 0;
    for (; orbit; orbit = orbit->critical)
        steps += orbit->work && orbit->work->device ? orbit->work->device->taken : 0;
    return steps;
}

const char *orbit_device_lost(const struct orbit *orbit)
{
    const struct device_steps *device = NULL;
    for (; orbit; orbit = orbit->critical)
        if (orbit->work && orbit->work->device && *orbit->work->device->why)
            device = orbit->work->device;
    return device ? device->why : NULL;
}

bool device_serves(struct orbit *orbit)
{
    struct orbit_work *work = orbit->work;
    if (work->stage != STAGE_FIXED || !work->device_asked.kind)
        return false;
    if (!work->device)
        device_create(work);
    struct device_steps *device = work->device;
    if (device && device->kind && !device->state && !*device->why)
        device_open(orbit);
    return device && device->state;
}

void device_steps_close(struct device_steps *device)
{
    if (!device)
        return;
    if (device->kind)
        device->kind->close(device->state);
    free(device->z);
    free(device->step);
    free(device);
}

/* ---- batches ---- */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Steps of a batch: those of BATCH_S, or STEPS_FIRST while the device's time is not known. */
static int64_t batch_steps(const struct orbit *orbit, int64_t limit)
{
    double step_s = orbit->work->device->step_s;
    double fit = step_s > 0 ? BATCH_S / step_s : STEPS_FIRST;
    int64_t count = fit < ORBIT_DEVICE_STEPS ? (int64_t)fit + 1 : ORBIT_DEVICE_STEPS;
    return least(count, limit - (orbit->length - 1));
}

/* Makes the state that after `steps` of the batch. Where the device fails, the processor takes the
 * steps. */
static void state_take(struct orbit *orbit, int64_t steps)
{
    struct device_steps *device = orbit->work->device;
    struct fixed *fixed = &orbit->work->fixed;
    if (device->at == steps)
        return;
    if (device->state && device->kind->fetch(device->state, steps, device->z) != STATUS_OK)
        device_lose(orbit);
    if (device->state) {
        orbit_digits_get(device->z, device->digits, &fixed->x, &fixed->y, fixed->limbs);
        fixed_changed(fixed);
    } else {
        for (int64_t i = device->at; i < steps; i++)
            fixed_step(fixed);
        fixed_settle(fixed);
    }
    device->at = steps;
}

/* Is the lowest limb of a part another one than that of the remembered number? */
static bool low_differs(const struct orbit_step *step, int part, const struct fixed_real *seen)
{
    mp_limb_t low = seen->negative ? -seen->limb[0] : seen->limb[0];
    return orbit_step_low(step, part) != low;
}

/* The point of a step; false: more of its z is needed. */
static bool point_of(const struct orbit *orbit, const struct orbit_step *step,
                     struct orbit_point *point)
{
    const struct fixed *fixed = &orbit->work->fixed;
    int digits = orbit->work->device->digits;
    bool differs = low_differs(step, 0, &fixed->seen_x) || low_differs(step, 1, &fixed->seen_y);
    return orbit_step_double(step, digits, 0, &point->x) &&
           orbit_step_double(step, digits, 1, &point->y) &&
           !orbit_point_needs(orbit, *point, differs);
}

static bool goes_on(const struct orbit *orbit)
{
    return orbit->end == ORBIT_LIMIT && orbit->work->stage == STAGE_FIXED;
}

/* Judges the points of `done` steps, while the orbit goes on; the state is then the last one. */
static enum status points_take(struct orbit *orbit, int64_t done, int64_t limit)
{
    enum status status = STATUS_OK;
    int64_t taken = 0;
    while (taken < done && goes_on(orbit)) {
        struct orbit_point point;
        status = orbit_room_make(orbit, limit);
        if (status != STATUS_OK)
            break;
        if (point_of(orbit, &orbit->work->device->step[taken++], &point))
            orbit_point_judge(orbit, point);
        else {
            state_take(orbit, taken);
            orbit_point_take(orbit);
        }
    }
    state_take(orbit, taken);
    return status;
}

/* Takes the step whose rounding the device could not decide. */
static enum status exact_step_take(struct orbit *orbit, int64_t limit)
{
    TRY(orbit_room_make(orbit, limit));
    fixed_step_exact(&orbit->work->fixed);
    orbit_point_take(orbit);
    return STATUS_OK;
}

/* Lets the device take the steps; false: it is lost. */
static bool batch_run(struct orbit *orbit, int64_t count, int64_t *done)
{
    struct device_steps *device = orbit->work->device;
    struct fixed *fixed = &orbit->work->fixed;
    fixed_settle(fixed);
    orbit_digits_set(device->z, device->digits, &fixed->x, &fixed->y, fixed->limbs);
    device->at = 0;
    double begin_s = omp_get_wtime();
    if (device->kind->steps(device->state, device->z, count, device->step, done) != STATUS_OK) {
        device_lose(orbit);
        return false;
    }
    if (*done >= STEPS_FIRST)
        device->step_s = (omp_get_wtime() - begin_s) / (double)*done;
    return true;
}

enum status device_steps_take(struct orbit *orbit, int64_t limit)
{
    int64_t count = batch_steps(orbit, limit), before = orbit->length, done = 0;
    if (!batch_run(orbit, count, &done))
        return STATUS_OK; /* the processor goes on */
    orbit->threads = 1;
    enum status status = points_take(orbit, done, limit);
    if (status == STATUS_OK && done < count && goes_on(orbit))
        status = exact_step_take(orbit, limit);
    orbit->work->device->taken += orbit->length - before;
    if (!goes_on(orbit))
        device_leave(orbit->work->device);
    return status;
}
