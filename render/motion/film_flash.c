#include "render/motion/film_flash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/motion/light_mean.h"

#define CHANGE 0.1
#define DARKER 0.8
#define RED_CHANGE (20.0 / 320)
#define RED_SHARE 0.8

enum { KINDS = 2, HALVES_MOST = 60, SECOND_MOST = 240 };

/* Last extremum of a value, and its direction since. */
struct flash_extremum {
    float extreme;
    int8_t way; /* 1 up, -1 down, 0 not known yet */
    bool red;   /* was it saturated? */
};

struct flash_state {
    int fps;
    int64_t frames; /* frames so far */
    int at;         /* index of the newest frame in the ring */
    struct flash_extremum extremum[KINDS][FLASH_CELLS];
    /* Changes of each of the last fps frames. */
    uint8_t changed[SECOND_MOST][KINDS][FLASH_CELLS];
    uint16_t sum[KINDS][FLASH_CELLS];
};

/* ---- frames ---------------------------------------------------------------------------------- */

static void cell_mean(const float (*light)[3], int32_t width, int32_t x0, int32_t x1, int32_t y0,
                      int32_t y1, uint16_t mean[3])
{
    double exact[3];
    light_mean(light, width, x0, y0, x1 - x0, y1 - y0, exact);
    for (int c = 0; c < 3; c++)
        mean[c] = (uint16_t)lrint(fmin(exact[c], 1) * 65535);
}

static int32_t edge(int64_t number, int64_t of, int64_t length)
{
    return (int32_t)(number * length / of);
}

void flash_frame_make(struct flash_frame *frame, const float (*light)[3], int32_t width,
                      int32_t height, int threads)
{
#pragma omp parallel for collapse(2) num_threads(threads) schedule(dynamic, 9)
    for (int j = 0; j < FLASH_ROWS; j++)
        for (int i = 0; i < FLASH_COLUMNS; i++) {
            int32_t x0 = edge(i, FLASH_COLUMNS, width), x1 = edge(i + 1, FLASH_COLUMNS, width);
            int32_t y0 = edge(j, FLASH_ROWS, height), y1 = edge(j + 1, FLASH_ROWS, height);
            /* Cells share pixels in a picture with fewer pixels than cells. */
            cell_mean(light, width, x0, x1 > x0 ? x1 : x0 + 1, y0, y1 > y0 ? y1 : y0 + 1,
                      frame->light[j * FLASH_COLUMNS + i]);
        }
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Has the value changed against its previous direction? */
static bool extremum_step(struct flash_extremum *extremum, float value, bool red, double least,
                          bool counts)
{
    double rise = (double)value - (double)extremum->extreme;
    if (extremum->way * rise > 0 || extremum->way == 0) {
        if (extremum->way == 0 && fabs(rise) < least)
            return false;
        bool first = extremum->way == 0 && counts;
        extremum->way = rise > 0 ? 1 : -1;
        extremum->extreme = value;
        extremum->red = red;
        return first;
    }
    if (fabs(rise) < least)
        return false;
    extremum->way = (int8_t)-extremum->way;
    extremum->extreme = value;
    extremum->red = red;
    return counts;
}

/* Changes of a cell in this frame: bit 0 a general change, bit 1 a red one. */
static unsigned cell_changes(struct flash_extremum *general, struct flash_extremum *saturated,
                             const uint16_t light[3])
{
    double r = light[0] / 65535.0, g = light[1] / 65535.0, b = light[2] / 65535.0;
    double luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    double redness = fmax(r - g - b, 0);
    bool red = r > 0 && r >= RED_SHARE * (r + g + b);
    bool dark = fmin(luminance, (double)general->extreme) < DARKER;
    bool of_red = red || saturated->red;
    unsigned changes = extremum_step(general, (float)luminance, false, CHANGE, dark) ? 1 : 0;
    if (extremum_step(saturated, (float)redness, red, RED_CHANGE, of_red))
        changes |= 2;
    return changes;
}

/* Is there a third of the picture, a quarter of whose cells have so many changes? */
static bool wide(uint16_t const sum[FLASH_CELLS], int changes)
{
    enum { W = FLASH_COLUMNS / 3, H = FLASH_ROWS / 3, QUARTER = W * H / 4 };
    int area[FLASH_ROWS + 1][FLASH_COLUMNS + 1] = {{0}};
    for (int j = 0; j < FLASH_ROWS; j++)
        for (int i = 0; i < FLASH_COLUMNS; i++)
            area[j + 1][i + 1] = area[j][i + 1] + area[j + 1][i] - area[j][i] +
                                 (sum[j * FLASH_COLUMNS + i] >= changes);
    for (int j = H; j <= FLASH_ROWS; j++)
        for (int i = W; i <= FLASH_COLUMNS; i++)
            if (area[j][i] - area[j - H][i] - area[j][i - W] + area[j - H][i - W] >= QUARTER)
                return true;
    return false;
}

static int halves(uint16_t const sum[FLASH_CELLS])
{
    int most = 0;
    while (most < HALVES_MOST && wide(sum, most + 1))
        most++;
    return most;
}

/* ---- seconds --------------------------------------------------------------------------------- */

enum status flash_create(struct flash_state **state, int fps)
{
    *state = calloc(1, sizeof **state);
    if (!*state)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to look for flashes");
    (*state)->fps = fps < SECOND_MOST ? fps : SECOND_MOST;
    return STATUS_OK;
}

void flash_destroy(struct flash_state *state)
{
    free(state);
}

static void first_take(struct flash_state *state, const struct flash_frame *frame)
{
    for (int i = 0; i < FLASH_CELLS; i++) {
        const uint16_t *light = frame->light[i];
        double r = light[0] / 65535.0, g = light[1] / 65535.0, b = light[2] / 65535.0;
        state->extremum[0][i].extreme = (float)(0.2126 * r + 0.7152 * g + 0.0722 * b);
        state->extremum[1][i].extreme = (float)fmax(r - g - b, 0);
        state->extremum[1][i].red = r > 0 && r >= RED_SHARE * (r + g + b);
    }
}

static int worst(const struct flash_state *state)
{
    int general = halves(state->sum[0]), red = halves(state->sum[1]);
    return general > red ? general : red;
}

static void slot_clear(struct flash_state *state)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < FLASH_CELLS; i++)
            state->sum[kind][i] =
                (uint16_t)(state->sum[kind][i] - state->changed[state->at][kind][i]);
    memset(state->changed[state->at], 0, sizeof state->changed[state->at]);
}

int flash_wait(struct flash_state *state, int64_t frames)
{
    for (int64_t i = 0; i < frames && i < state->fps; i++) {
        state->at = (state->at + 1) % state->fps;
        slot_clear(state);
    }
    return worst(state);
}

int flash_change(struct flash_state *state, const struct flash_frame *frame)
{
    if (!state->frames++) {
        first_take(state, frame);
        return 0;
    }
    for (int i = 0; i < FLASH_CELLS; i++) {
        unsigned changes =
            cell_changes(&state->extremum[0][i], &state->extremum[1][i], frame->light[i]);
        for (int kind = 0; kind < KINDS; kind++) {
            uint8_t *changed = &state->changed[state->at][kind][i];
            if (!(changes >> kind & 1) || *changed == UINT8_MAX)
                continue;
            ++*changed;
            state->sum[kind][i]++;
        }
    }
    return worst(state);
}

int flash_add(struct flash_state *state, const struct flash_frame *frame)
{
    state->at = (state->at + 1) % state->fps;
    slot_clear(state);
    return flash_change(state, frame);
}

static int tried(const struct flash_state *state, const struct flash_frame *frame,
                 int (*add)(struct flash_state *state, const struct flash_frame *frame))
{
    struct flash_state *copy = malloc(sizeof *copy);
    int flashes = HALVES_MOST; /* out of memory: assumes the worst */
    if (copy) {
        memcpy(copy, state, sizeof *copy);
        flashes = add(copy, frame);
    }
    free(copy);
    return flashes;
}

int flash_try(const struct flash_state *state, const struct flash_frame *frame)
{
    return tried(state, frame, flash_add);
}

int flash_try_change(const struct flash_state *state, const struct flash_frame *frame)
{
    return tried(state, frame, flash_change);
}
