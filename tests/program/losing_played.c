/* Any device: one tile after the other is computed, until none is. LOSING_FILE: as long as there is
 * no such file nothing fails; LOSING_TIMES: so many calls fail, and those after them do not, as if
 * another device had been called. LOSING_MOVES: so many motions of views fail. */
#include "losing.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels/backend.h"
#include "render/view/view_motion.h"
#include "tests/support/wrap_compute.h"

static int victim = -2, left; /* -2: none */
static int times = INT_MAX;
static const char *file;

void losing_begin(int device, int after)
{
    victim = device;
    left = after;
    file = getenv("LOSING_FILE");
    if (getenv("LOSING_TIMES"))
        times = (int)strtol(getenv("LOSING_TIMES"), NULL, 10);
}

/* Linked with --wrap. */
enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work)
{
    bool mine = victim == -1 || victim == backend_device(backend);
    bool now = mine && (!file || access(file, F_OK) == 0);
    if (now && __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) < 0 &&
        __atomic_sub_fetch(&times, 1, __ATOMIC_RELAXED) >= 0)
        return status_fail(STATUS_DEVICE_LOST, "device %d fell off the bus",
                           backend_device(backend));
    return __real_backend_compute(backend, spec, grid, out, work);
}

enum status __real_view_move(struct view *view, const struct view_range *range,
                             const struct view_motion *step, unsigned *stops);
enum status __wrap_view_move(struct view *view, const struct view_range *range,
                             const struct view_motion *step, unsigned *stops);

enum status __wrap_view_move(struct view *view, const struct view_range *range,
                             const struct view_motion *step, unsigned *stops)
{
    static int failed;
    const char *moves = getenv("LOSING_MOVES"), *since = getenv("LOSING_FILE");
    if (moves && since && access(since, F_OK) == 0 && failed++ < strtol(moves, NULL, 10))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the digits of a view");
    return __real_view_move(view, range, step, stops);
}
