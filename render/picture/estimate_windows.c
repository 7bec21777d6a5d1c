#include "render/picture/estimate_windows.h"

#include <math.h>

#include "kernels/grid.h"

enum {
    SIDE_CPU = 32,     /* side of a window for one processor */
    SIDE_MOST = 4096,  /* larger windows tell no more */
    WINDOWS_LEAST = 4, /* windows that show how much they differ */
    WINDOWS_MOST = 400,
    ALIGNED_PX = GRID_BAND /* squares that kernels prove as a whole */
};

#define WINDOW_S 4e-3      /* a window that takes less measures the job around it */
#define PICTURE_SHARE 0.05 /* largest share of the picture's time */
#define ERROR_ENOUGH 0.03

static int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

int32_t estimate_side(int devices, int32_t tile_px)
{
    int32_t side = tile_px > SIDE_CPU ? tile_px : SIDE_CPU;
    while (side < SIDE_MOST && (int64_t)(side / SIDE_CPU) * (side / SIDE_CPU) < 2 * devices)
        side *= 2;
    return smaller(side, SIDE_MOST);
}

double estimate_window_s(const struct estimate *estimate)
{
    return estimate->windows ? estimate->sum_s / estimate->windows : 0;
}

double estimate_error(const struct estimate *estimate)
{
    int n = estimate->windows;
    double mean = estimate_window_s(estimate);
    if (n < 2 || mean <= 0)
        return 1;
    double variance = (estimate->squares / n - mean * mean) * n / (n - 1);
    return variance > 0 ? sqrt(variance / n) / mean : 0;
}

double estimate_window_pixels(const struct estimate *estimate)
{
    return (double)smaller(estimate->side, estimate->width) *
           (double)smaller(estimate->side, estimate->height);
}

double estimate_picture_s(const struct estimate *estimate)
{
    return estimate_window_s(estimate) / estimate_window_pixels(estimate) * estimate->width *
           estimate->height;
}

/* Is it known on which side of enough_s the picture is? Small windows make it seem longer than it
 * is, and a few may be of a part that is twice as dear as the rest, or half. */
static bool is_decided(const struct estimate *estimate)
{
    double picture_s = estimate_picture_s(estimate);
    bool large = estimate_window_s(estimate) >= WINDOW_S;
    return (estimate->windows >= WINDOWS_LEAST && picture_s < estimate->enough_s / 2) ||
           (estimate->windows >= 2 && large && picture_s > estimate->enough_s * 2);
}

static bool is_enough(const struct estimate *estimate, double now_s)
{
    if (estimate->enough_s > 0 && is_decided(estimate))
        return true;
    double took_s = now_s - estimate->begin_s;
    bool whole = estimate->side >= estimate->width && estimate->side >= estimate->height;
    if (took_s >= estimate->budget_s || estimate->windows >= WINDOWS_MOST)
        return estimate->windows > 0;
    if (whole || estimate_error(estimate) < ERROR_ENOUGH ||
        took_s > PICTURE_SHARE * estimate_picture_s(estimate))
        return estimate->windows >= (whole ? 1 : WINDOWS_LEAST);
    return false;
}

/* Larger windows, where the job around them is what takes the time. */
static void side_grow(struct estimate *estimate)
{
    bool quick = estimate->warm && estimate->windows > 0 && estimate_window_s(estimate) < WINDOW_S;
    bool room = 4 * (int64_t)estimate->side <= estimate->width &&
                4 * (int64_t)estimate->side <= estimate->height && 2 * estimate->side <= SIDE_MOST;
    if (!quick || !room)
        return;
    estimate->side *= 2;
    estimate->windows = 0;
    estimate->warm = false;
    estimate->sum_s = estimate->squares = 0;
}

/* Position of a window, by the sequence of the powers of the roots of x^3 = x + 1, which is even in
 * the plane. */
static int32_t place_of(uint32_t number, double step, int32_t length, int32_t side)
{
    double place = fmod(0.5 + number * step, 1.0);
    int32_t room = length - smaller(side, length);
    return (int32_t)(place * (room + 1.0)) / ALIGNED_PX * ALIGNED_PX;
}

struct estimate_window estimate_next(struct estimate *estimate, double now_s)
{
    if (estimate->next == 0)
        estimate->begin_s = now_s;
    else if (is_enough(estimate, now_s))
        return (struct estimate_window){.side = 0};
    side_grow(estimate);
    uint32_t number = estimate->next++;
    return (struct estimate_window){
        .side = estimate->side,
        .x = place_of(number, 0.75487766624669, estimate->width, estimate->side),
        .y = place_of(number, 0.56984029099805, estimate->height, estimate->side)};
}

void estimate_note(struct estimate *estimate, double seconds)
{
    /* The first of a size opens devices and touches memory. */
    bool counts = estimate->warm || seconds >= estimate->budget_s / 4;
    estimate->warm = true;
    if (!counts)
        return;
    estimate->windows++;
    estimate->sum_s += seconds;
    estimate->squares += seconds * seconds;
}
