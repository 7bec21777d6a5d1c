#include "app/viewer/screen/flash_guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "render/colour/srgb.h"
#include "render/motion/film_flash.h"

enum {
    SLOTS = 60,
    SAMPLES = 8, /* pixels of a cell, both ways */
    ACROSS = FLASH_COLUMNS * SAMPLES,
    DOWN = FLASH_ROWS * SAMPLES,
    ALL = ACROSS * DOWN,
    HALVES_MOST = 2 * FLASH_MOST,
    SHARES = 8,
    WHOLE = 256,
    EDGE_TOP = 3, /* rows of cells */
    EDGE_BOTTOM = 6,
    FLAT = 1000 /* most difference, of 65535, between the cells of a picture of one colour */
};
#define SLOT_S (1.0 / (SLOTS - 1))

/* Shares of the wanted picture in a blend with the picture before, in 1 / WHOLE. */
static const uint32_t shares[SHARES] = {0, 13, 26, 52, 77, 128, 160, 205};

struct flash_guard {
    struct flash_state *state;
    int64_t slot;
    int halves;              /* changes, two a flash, in the second until the slot */
    struct warp_image shown; /* the last picture; current only where `has_shown` */
    bool has_shown;
    double flat_s;
    uint16_t linear[256];           /* linear values of sRGB values */
    uint32_t now[ALL], before[ALL]; /* pixels that are metered; before: of `shown`, which may have
                                       another size since: in fine patterns they differ then */
    struct flash_report report;
};

enum status flash_guard_create(struct flash_guard **guard)
{
    struct flash_guard *made = *guard = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to look for flashes");
    for (int i = 0; i < 256; i++)
        made->linear[i] = (uint16_t)lrint(65535 * srgb_decode(i / 255.0));
    return flash_create(&made->state, SLOTS);
}

void flash_guard_destroy(struct flash_guard *guard)
{
    if (!guard)
        return;
    flash_destroy(guard->state);
    free(guard->shown.pixels);
    free(guard);
}

const struct flash_report *flash_guard_report(const struct flash_guard *guard)
{
    return &guard->report;
}

double flash_guard_flat_s(const struct flash_guard *guard)
{
    return guard->flat_s;
}

/* ---- pixels ---- */

/* Blend of two pixels; two channels are computed at once. */
static uint32_t mixed(uint32_t from, uint32_t to, uint32_t share)
{
    const uint32_t outer = UINT32_C(0xff00ff), middle = UINT32_C(0xff00);
    uint32_t red_blue = ((from & outer) * (WHOLE - share) + (to & outer) * share) >> 8 & outer;
    uint32_t green = ((from & middle) * (WHOLE - share) + (to & middle) * share) >> 8 & middle;
    return UINT32_C(0xff000000) | red_blue | green;
}

/* The pixels that are metered. */
static void samples_take(const struct warp_image *image, uint32_t samples[ALL])
{
    int32_t across[ACROSS];
    for (int i = 0; i < ACROSS; i++)
        across[i] = (int32_t)(((int64_t)2 * i + 1) * image->width / (2 * ACROSS));
    for (int j = 0; j < DOWN; j++) {
        int64_t y = ((int64_t)2 * j + 1) * image->height / (2 * DOWN);
        const uint32_t *row = image->pixels + y * image->stride;
        for (int i = 0; i < ACROSS; i++)
            samples[j * ACROSS + i] = row[across[i]];
    }
}

/* Cells of the blend of the shown picture with `share` of the wanted one. */
static void frame_make(const struct flash_guard *guard, uint32_t share, struct flash_frame *frame)
{
    for (int cell = 0; cell < FLASH_CELLS; cell++) {
        uint32_t sum[3] = {0};
        int first = cell / FLASH_COLUMNS * SAMPLES * ACROSS + cell % FLASH_COLUMNS * SAMPLES;
        for (int i = 0; i < SAMPLES * SAMPLES; i++) {
            int at = first + i / SAMPLES * ACROSS + i % SAMPLES;
            uint32_t pixel =
                share < WHOLE ? mixed(guard->before[at], guard->now[at], share) : guard->now[at];
            for (int c = 0; c < 3; c++)
                sum[c] += guard->linear[pixel >> (16 - 8 * c) & 255];
        }
        for (int c = 0; c < 3; c++)
            frame->light[cell][c] = (uint16_t)(sum[c] / (SAMPLES * SAMPLES));
    }
}

static void image_mix(const struct flash_guard *guard, struct warp_image *image, uint32_t share)
{
    for (int32_t y = 0; y < image->height; y++) {
        const uint32_t *from = guard->shown.pixels + (int64_t)y * guard->shown.stride;
        uint32_t *to = image->pixels + (int64_t)y * image->stride;
        for (int32_t x = 0; x < image->width; x++)
            to[x] = mixed(from[x], to[x], share);
    }
}

static void shown_keep(struct flash_guard *guard, const struct warp_image *image)
{
    struct warp_image *shown = &guard->shown;
    guard->has_shown = false;
    if (shown->width != image->width || shown->height != image->height) {
        free(shown->pixels);
        *shown = (struct warp_image){
            .width = image->width, .height = image->height, .stride = image->width};
        shown->pixels =
            malloc((size_t)image->width * (size_t)image->height * sizeof *shown->pixels);
    }
    if (!shown->pixels) {
        *shown = (struct warp_image){.pixels = NULL};
        return;
    }
    warp_copy(image, shown, 0, 0, image->width, image->height);
    memcpy(guard->before, guard->now, sizeof guard->before);
    guard->has_shown = true;
}

/* The picture before gets the size of this one: the window may have another now. */
static bool shown_fit(struct flash_guard *guard, const struct warp_image *image)
{
    struct warp_image *shown = &guard->shown;
    if (shown->width == image->width && shown->height == image->height)
        return true;
    struct warp_image fit = {
        .width = image->width, .height = image->height, .stride = image->width};
    fit.pixels = malloc((size_t)fit.width * (size_t)fit.height * sizeof *fit.pixels);
    for (int32_t y = 0; fit.pixels && y < fit.height; y++) {
        const uint32_t *row =
            shown->pixels + (int64_t)y * shown->height / fit.height * shown->stride;
        for (int32_t x = 0; x < fit.width; x++)
            fit.pixels[(int64_t)y * fit.stride + x] = row[(int64_t)x * shown->width / fit.width];
    }
    free(shown->pixels);
    *shown = fit;
    return guard->has_shown = fit.pixels != NULL;
}

/* ---- time ---- */

static void advance(struct flash_guard *guard, double now_s)
{
    int64_t slot = (int64_t)floor(now_s / SLOT_S);
    if (slot > guard->slot)
        guard->halves = flash_wait(guard->state, slot - guard->slot);
    guard->slot = slot > guard->slot ? slot : guard->slot;
}

double flash_guard_ease(struct flash_guard *guard, double now_s)
{
    static const double eases[HALVES_MOST] = {1, 1, 0.7, 0.4, 0.2, 0.1};
    advance(guard, now_s);
    return guard->halves < HALVES_MOST ? eases[guard->halves] : 0;
}

/* Blends the picture with the greatest share that is safe; 0 always is. Bisection finds it, since
 * changes grow with the share. */
static bool limit(struct flash_guard *guard, struct warp_image *image, struct flash_frame *frame)
{
    if (flash_try_change(guard->state, frame) <= HALVES_MOST || !guard->has_shown)
        return false;
    int safe = 0, unsafe = SHARES;
    if (!shown_fit(guard, image))
        return false;
    while (unsafe - safe > 1) {
        int tried = (safe + unsafe) / 2;
        frame_make(guard, shares[tried], frame);
        if (flash_try_change(guard->state, frame) <= HALVES_MOST)
            safe = tried;
        else
            unsafe = tried;
    }
    frame_make(guard, shares[safe], frame);
    image_mix(guard, image, shares[safe]);
    for (int i = 0; i < ALL; i++)
        guard->now[i] = mixed(guard->before[i], guard->now[i], shares[safe]);
    guard->report.limited++;
    return true;
}

static void flat_note(struct flash_guard *guard, const struct flash_frame *frame, double now_s)
{
    const uint16_t(*first)[3] = &frame->light[EDGE_TOP * FLASH_COLUMNS];
    const uint16_t(*end)[3] = &frame->light[(FLASH_ROWS - EDGE_BOTTOM) * FLASH_COLUMNS];
    if (guard->flat_s > 0)
        guard->report.flat_s = fmax(guard->report.flat_s, now_s - guard->flat_s);
    for (const uint16_t(*cell)[3] = first; cell < end; cell++)
        for (int c = 0; c < 3; c++)
            if (abs((*cell)[c] - (*first)[c]) > FLAT) {
                guard->flat_s = 0;
                return;
            }
    if (!(guard->flat_s > 0))
        guard->flat_s = now_s;
}

bool flash_guard_show(struct flash_guard *guard, struct warp_image *image, double now_s)
{
    struct flash_frame frame;
    double begin_s = clock_s();
    advance(guard, now_s);
    samples_take(image, guard->now);
    frame_make(guard, WHOLE, &frame);
    bool limited = guard->halves >= HALVES_MOST && limit(guard, image, &frame);
    guard->halves = flash_change(guard->state, &frame);
    /* A picture adds one change at most: the next may have to be mixed with this one. */
    if (guard->halves >= HALVES_MOST)
        shown_keep(guard, image);
    else
        guard->has_shown = false;
    if (guard->halves > 2 * guard->report.flashes) {
        guard->report.flashes = guard->halves / 2.0;
        guard->report.at_s = now_s;
    }
    guard->report.pictures++;
    flat_note(guard, &frame, now_s);
    measure_add(&guard->report.meter, clock_s() - begin_s);
    return limited;
}
