#include "render/film/film_dim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 16, GAIN_MOST = 64 };

struct film_dim {
    int32_t width, height;
    int fps;
    int64_t last, dimmed;
    struct flash_state *state;
    struct flash_frame before;
    float gain[FLASH_CELLS];
    float (*original)[3]; /* of the frame that is being changed */
};

enum status film_dim_create(struct film_dim **dim, int32_t width, int32_t height, int fps)
{
    struct film_dim *made = *dim = calloc(1, sizeof *made);
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to limit flashes");
    *made = (struct film_dim){.width = width, .height = height, .fps = fps, .last = -2};
    made->original = malloc((size_t)width * (size_t)height * sizeof *made->original);
    return made->original ? STATUS_OK
                          : status_fail(STATUS_OUT_OF_MEMORY, "no memory to limit flashes");
}

void film_dim_destroy(struct film_dim *dim)
{
    if (!dim)
        return;
    flash_destroy(dim->state);
    free(dim->original);
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

/* So that cells are `part` of the way from the frame before to this one. */
static void gains_make(struct film_dim *dim, const struct flash_frame *frame, double part)
{
    for (int i = 0; i < FLASH_CELLS; i++) {
        double was = luminance(dim->before.light[i]), is = luminance(frame->light[i]);
        dim->gain[i] = (float)fmin((was + part * (is - was)) / is, GAIN_MOST);
    }
}

/* Of the cells about a place that is counted in cells. */
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

/* The largest part of the way that is safe. What is seen at the end is looked at: between the
 * middles of cells, and where light cannot be more than all, the way is another. */
static void frame_dim(struct film_dim *dim, float (*light)[3], struct flash_frame *flash)
{
    const struct flash_frame wanted = *flash;
    memcpy(dim->original, light, (size_t)dim->width * (size_t)dim->height * sizeof *dim->original);
    for (int step = STEPS - 1; step >= 0; step--) {
        gains_make(dim, &wanted, (double)step / STEPS);
        gains_apply(dim, light);
        flash_frame_make(flash, (const float(*)[3])light, dim->width, dim->height);
        if (flash_try(dim->state, flash) <= 2 * FLASH_MOST)
            break;
    }
}

enum status film_dim_frame(struct film_dim *dim, float (*light)[3], struct flash_frame *flash,
                           int64_t number)
{
    if (number != dim->last + 1 || !dim->state) {
        flash_destroy(dim->state);
        dim->state = NULL;
        TRY(flash_create(&dim->state, dim->fps));
    }
    if (flash_try(dim->state, flash) > 2 * FLASH_MOST) {
        frame_dim(dim, light, flash);
        __atomic_add_fetch(&dim->dimmed, 1, __ATOMIC_RELAXED);
    }
    flash_add(dim->state, flash);
    dim->before = *flash;
    dim->last = number;
    return STATUS_OK;
}
