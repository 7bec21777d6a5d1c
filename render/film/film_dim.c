#include "render/film/film_dim.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, ROUNDS = 3, GAIN_MOST = 64 };

/* Parts of the way to the wanted frame, tried in this order. */
static const double parts[STEPS] = {0.75, 0.5, 0.3, 0.15, 0.05, 0};

struct film_dim {
    int32_t width, height;
    int fps;
    int64_t last, dimmed;
    struct flash_state *state;
    struct flash_frame before;
    float gain[FLASH_CELLS];
    float (*original)[3]; /* light of the frame that is being changed */
    float (*shown)[3];    /* the frame before, as it was shown */
};

enum status film_dim_create(struct film_dim **dim, int32_t width, int32_t height, int fps)
{
    struct film_dim *made = *dim = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to limit flashes");
    *made = (struct film_dim){.width = width, .height = height, .fps = fps, .last = -2};
    made->original = malloc((size_t)width * (size_t)height * sizeof *made->original);
    made->shown = malloc((size_t)width * (size_t)height * sizeof *made->shown);
    return made->original && made->shown
               ? STATUS_OK
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory to limit flashes");
}

void film_dim_destroy(struct film_dim *dim)
{
    if (!dim)
        return;
    flash_destroy(dim->state);
    free(dim->original);
    free(dim->shown);
    free(dim);
}

int64_t film_dim_count(const struct film_dim *dim)
{
    return __atomic_load_n(&dim->dimmed, __ATOMIC_RELAXED);
}

static double luminance(const uint16_t light[3])
{
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] + 1;
}

/* Corrects the gains towards those by which cells go `part` of the way from the frame before to the
 * wanted one; `seen` is the frame by the present gains. */
static void gains_adapt(struct film_dim *dim, const struct flash_frame *wanted,
                        const struct flash_frame *seen, double part)
{
    for (int i = 0; i < FLASH_CELLS; i++) {
        double was = luminance(dim->before.light[i]), is = luminance(wanted->light[i]);
        double target = was + part * (is - was);
        dim->gain[i] =
            (float)fmin((double)dim->gain[i] * target / luminance(seen->light[i]), GAIN_MOST);
    }
}

/* Gain interpolated at a position in units of cells. */
static float gain_at(const float *gain, float x, float y)
{
    x = fminf(fmaxf(x - 0.5f, 0), FLASH_COLUMNS - 1);
    y = fminf(fmaxf(y - 0.5f, 0), FLASH_ROWS - 1);
    int i = (int)x, j = (int)y;
    i = i < FLASH_COLUMNS - 1 ? i : FLASH_COLUMNS - 2;
    j = j < FLASH_ROWS - 1 ? j : FLASH_ROWS - 2;
    const float *at = gain + j * FLASH_COLUMNS + i;
    float u = x - (float)i, v = y - (float)j;
    return (1 - v) * ((1 - u) * at[0] + u * at[1]) +
           v * ((1 - u) * at[FLASH_COLUMNS] + u * at[FLASH_COLUMNS + 1]);
}

static void gains_apply(const struct film_dim *dim, float (*light)[3])
{
    float across = (float)FLASH_COLUMNS / (float)dim->width;
    float down = (float)FLASH_ROWS / (float)dim->height;
    for (int32_t y = 0; y < dim->height; y++)
        for (int32_t x = 0; x < dim->width; x++) {
            size_t at = (size_t)y * (size_t)dim->width + (size_t)x;
            float gain = gain_at(dim->gain, ((float)x + 0.5f) * across, ((float)y + 0.5f) * down);
            for (int c = 0; c < 3; c++)
                light[at][c] = fminf(gain * dim->original[at][c], 1);
        }
}

/* Is the frame safe if cells go this part of the way? Interpolated gains and clipped light change
 * the way, so the result is measured, and the gains corrected. */
static bool part_is_safe(struct film_dim *dim, float (*light)[3], const struct flash_frame *wanted,
                         struct flash_frame *flash, double part)
{
    const struct flash_frame *seen = wanted;
    for (int i = 0; i < FLASH_CELLS; i++)
        dim->gain[i] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        gains_adapt(dim, wanted, seen, part);
        gains_apply(dim, light);
        flash_frame_make(flash, (const float(*)[3])light, dim->width, dim->height, 1);
        seen = flash;
        if (flash_try(dim->state, flash) <= 2 * FLASH_MOST)
            return true;
    }
    return false;
}

/* Holds the frame before. */
static void frame_hold(struct film_dim *dim, float (*light)[3], struct flash_frame *flash)
{
    memcpy(light, dim->shown, (size_t)dim->width * (size_t)dim->height * sizeof *light);
    *flash = dim->before;
}

static void frame_dim(struct film_dim *dim, float (*light)[3], struct flash_frame *flash)
{
    const struct flash_frame wanted = *flash;
    memcpy(dim->original, light, (size_t)dim->width * (size_t)dim->height * sizeof *light);
    for (int step = 0; step < STEPS; step++)
        if (part_is_safe(dim, light, &wanted, flash, parts[step]))
            return;
    frame_hold(dim, light, flash);
}

static enum status state_begin(struct film_dim *dim, int64_t number)
{
    if (number == dim->last + 1 && dim->state)
        return STATUS_OK;
    flash_destroy(dim->state);
    dim->state = NULL;
    return flash_create(&dim->state, dim->fps);
}

enum status film_dim_past(struct film_dim *dim, const struct flash_frame *flash, int64_t number)
{
    TRY(state_begin(dim, number));
    flash_add(dim->state, flash);
    dim->before = *flash;
    dim->last = number;
    return STATUS_OK;
}

float (*film_dim_shown(struct film_dim *dim))[3]
{
    return dim->shown;
}

enum status film_dim_frame(struct film_dim *dim, float (*light)[3], struct flash_frame *flash,
                           int64_t number)
{
    TRY(state_begin(dim, number));
    if (flash_try(dim->state, flash) > 2 * FLASH_MOST) {
        frame_dim(dim, light, flash);
        __atomic_add_fetch(&dim->dimmed, 1, __ATOMIC_RELAXED);
    }
    memcpy(dim->shown, light, (size_t)dim->width * (size_t)dim->height * sizeof *light);
    return film_dim_past(dim, flash, number);
}
