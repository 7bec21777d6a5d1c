#include "tests/kernels/played_orbit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/device/digit_transform.h"

struct played_orbit played_orbit;

typedef struct transform_value value;
typedef int64_t digits_of_lanes[TRANSFORM_LANES];

struct state {
    struct transform_shape shape;
    int digits, zeros;
    value *root, *block[TRANSFORM_BLOCKS],
        *below[TRANSFORM_BLOCKS];    /* root is the block of memory */
    struct orbit_digit *c, *history; /* digits of each z */
};

static int digits_for(int64_t limbs)
{
    struct transform_shape shape = transform_shape(limbs);
    return shape.length * shape.chunks;
}

static double step_s(int device, int64_t limbs)
{
    (void)device;
    (void)limbs;
    return 1e-3;
}

static bool serves(int device, char *why, size_t bytes)
{
    (void)device;
    snprintf(why, bytes, "%s", "");
    return true;
}

static int below_count(const struct state *state)
{
    return TRANSFORM_BELOW * TRANSFORM_BLOCKS * transform_groups(state->shape.length);
}

static enum status state_open(void **out, int device, int64_t limbs, const struct orbit_digit *c)
{
    (void)device;
    struct state *state = *out = calloc(1, sizeof *state);
    played_orbit.open++;
    int length = (state->shape = transform_shape(limbs)).length, roots = TRANSFORM_BLOCKS * length;
    state->digits = length * state->shape.chunks;
    state->zeros = state->digits - 4 * (int)limbs;
    state->c = malloc((size_t)state->digits * sizeof *c);
    memcpy(state->c, c, (size_t)state->digits * sizeof *c);
    state->history = malloc(ORBIT_DEVICE_STEPS * (size_t)state->digits * sizeof *c);
    state->root =
        malloc((size_t)(2 * roots + TRANSFORM_BLOCKS * below_count(state)) * sizeof(value));
    for (int i = 0; i < roots; i++) {
        long double angle = -6.283185307179586476925286766559L * i / roots;
        state->root[i] = (value){(double)cosl(angle), (double)sinl(angle)};
    }
    for (int q = 0; q < TRANSFORM_BLOCKS; q++) {
        state->block[q] = state->root + roots + q * length;
        state->below[q] = state->root + 2 * roots + q * below_count(state);
    }
    return STATUS_OK;
}

static void state_close(void *opened)
{
    struct state *state = opened;
    if (state) {
        played_orbit.open--;
        free(state->root);
        free(state->c);
        free(state->history);
    }
    free(state);
}

static void block_square(const struct state *state, value *a)
{
    const int length = state->shape.length, whole = transform_odd(length) ? length / 2 : length;
    for (int i = 0; transform_odd(length) && i < length / 2; i++)
        stage_two(a, state->root, length, false, i);
    for (int span = whole; span > 4; span /= 4)
        for (int i = 0; i < length / 4; i++)
            stage_four(a, state->root, length, span, false, i);
    for (int i = 0; i < length / 4; i++)
        stage_square(a, length, i);
    for (int span = 16; span <= whole; span *= 4)
        for (int i = 0; i < length / 4; i++)
            stage_four(a, state->root, length, span, true, i);
    for (int i = 0; transform_odd(length) && i < length / 2; i++)
        stage_two(a, state->root, length, true, i);
}

static void below_copy(const struct state *state, int q)
{
    const int length = state->shape.length, groups = transform_groups(length);
    for (int i = 0; i < below_count(state); i++) {
        int group = i / TRANSFORM_BELOW;
        struct transform_lane of =
            transform_lane(length, group / groups, group % groups, i % TRANSFORM_BELOW);
        state->below[q][i] = state->block[q][of.column];
    }
}

static void carry_round(digits_of_lanes digit, int top_lane)
{
    digits_of_lanes carry;
    for (int lane = 0; lane < TRANSFORM_LANES; lane++)
        carry[lane] = digit_carry(digit[lane]);
    for (int lane = 0; lane < TRANSFORM_LANES; lane++) {
        digit[lane] -= lane == top_lane ? 0 : carry[lane] * 65536;
        digit[lane] += lane ? carry[lane - 1] : carry[lane]; /* as a shuffle up does */
    }
}

struct play { /* of a call */
    const struct state *state;
    const struct orbit_digit *z;
    struct orbit_step *step;
    int64_t s;
    bool undecided, far;
};

static void digit_take(struct play *play, int index, int64_t x, int64_t y)
{
    const struct state *state = play->state;
    int64_t most = llabs(x) > llabs(y) ? llabs(x) : llabs(y);
    if (index < state->digits - 1 && most > played_orbit.largest)
        played_orbit.largest = (int32_t)most;
    struct orbit_step *step = &play->step[play->s - 1];
    struct orbit_digit digit = {(int32_t)x, (int32_t)y};
    uint32_t place = 2 * (uint32_t)index;
    if (index == state->zeros - 1 && !(digit_decides(x) && digit_decides(y)))
        play->undecided = true;
    if (index >= state->digits - ORBIT_TOP_DIGITS)
        step->top[state->digits - 1 - index] = digit;
    if (index >= state->zeros && index < state->zeros + ORBIT_LOW_DIGITS)
        step->low[index - state->zeros] = digit;
    play->far |= index == state->digits - 1 && most > TRANSFORM_TOP_MOST;
    if (index < state->zeros)
        digit = (struct orbit_digit){0, 0};
    if (digit.x && place >= step->lead_x)
        step->lead_x = place | (digit.x > 0);
    if (digit.y && place >= step->lead_y)
        step->lead_y = place | (digit.y > 0);
    state->history[(play->s - 1) * state->digits + index] = digit;
}

static double distance(value z)
{
    return fmax(fabs(z.x - rint(z.x)), fabs(z.y - rint(z.y)));
}

/* Digits `chunk` of a group's columns from their coefficients. */
static void digits_make(struct play *play, const struct transform_lane of[TRANSFORM_LANES],
                        value coefficient[TRANSFORM_LANES][TRANSFORM_BLOCKS], int chunk,
                        value digit[TRANSFORM_LANES][TRANSFORM_BLOCKS])
{
    const struct state *state = play->state;
    const int length = state->shape.length, chunks = state->shape.chunks;
    digits_of_lanes x, y;
    int index[TRANSFORM_LANES], top_lane = -1;
    for (int lane = 0; lane < TRANSFORM_LANES; lane++) {
        struct orbit_digit c = {0, 0};
        value z = coefficient[lane][of[lane].wraps ? chunk + chunks - 1 : chunk + chunks];
        index[lane] = digit_index(of[lane], length, chunk);
        if (index[lane] >= 0)
            c = state->c[index[lane]];
        if (index[lane] == state->digits - 1)
            top_lane = lane;
        if (of[lane].own)
            played_orbit.farthest = fmax(played_orbit.farthest, distance(z));
        x[lane] = digit_begin(z.x, c.x);
        y[lane] = digit_begin(z.y, c.y);
    }
    for (int round = 0; round < TRANSFORM_BELOW; round++) {
        carry_round(x, top_lane);
        carry_round(y, top_lane);
    }
    for (int lane = 0; lane < TRANSFORM_LANES; lane++) {
        bool kept = index[lane] >= state->zeros;
        if (of[lane].own)
            digit_take(play, index[lane], x[lane], y[lane]);
        digit[lane][chunk] = (value){kept ? (double)x[lane] : 0, kept ? (double)y[lane] : 0};
    }
}

static void group_take(struct play *play, int block, int group)
{
    const struct state *state = play->state;
    const int length = state->shape.length, groups = transform_groups(length);
    struct transform_lane of[TRANSFORM_LANES];
    static value v[TRANSFORM_LANES][TRANSFORM_BLOCKS], d[TRANSFORM_LANES][TRANSFORM_BLOCKS];
    memset(d, 0, sizeof d);
    for (int lane = 0; lane < TRANSFORM_LANES; lane++) {
        of[lane] = transform_lane(length, block, group, lane);
        int below = TRANSFORM_BELOW * (block * groups + group) + (of[lane].below ? lane : 0);
        for (int q = 0; q < TRANSFORM_BLOCKS && play->s; q++)
            v[lane][q] = of[lane].own ? state->block[q][of[lane].column] : state->below[q][below];
        if (play->s)
            column_join(v[lane], state->root, of[lane].column);
    }
    for (int chunk = 0; chunk < state->shape.chunks; chunk++) {
        if (play->s)
            digits_make(play, of, v, chunk, d);
        for (int lane = 0; lane < TRANSFORM_LANES && !play->s; lane++)
            if (of[lane].own) {
                struct orbit_digit z = play->z[digit_index(of[lane], length, chunk)];
                d[lane][chunk] = (value){z.x, z.y};
            }
    }
    for (int lane = 0; lane < TRANSFORM_LANES; lane++) {
        column_part(d[lane], state->root, of[lane].column);
        for (int q = 0; q < TRANSFORM_BLOCKS && of[lane].own; q++)
            state->block[q][of[lane].column] = d[lane][q];
    }
}

static enum status steps_take(void *opened, const struct orbit_digit *z, int64_t count,
                              struct orbit_step *step, int64_t *done)
{
    const struct state *state = opened;
    struct play play = {.state = state, .z = z, .step = step};
    memset(step, 0, (size_t)count * sizeof *step);
    const int groups = transform_groups(state->shape.length);
    if (++played_orbit.calls == played_orbit.fails_at)
        return status_fail(STATUS_DEVICE_LOST, "the played device failed");
    for (;; play.s++) {
        for (int i = 0; i < TRANSFORM_BLOCKS * groups; i++)
            group_take(&play, i / groups, i % groups);
        play.undecided |= play.s && play.s == played_orbit.stops_at;
        if (play.s == count || play.undecided || play.far)
            break;
        for (int q = 0; q < TRANSFORM_BLOCKS; q++) {
            block_square(state, state->block[q]);
            below_copy(state, q);
        }
    }
    *done = play.s - play.undecided;
    played_orbit.undecided += play.undecided;
    return STATUS_OK;
}

static enum status fetch(void *opened, int64_t steps, struct orbit_digit *z)
{
    const struct state *state = opened;
    played_orbit.fetches++;
    if (++played_orbit.calls == played_orbit.fails_at)
        return status_fail(STATUS_DEVICE_LOST, "the played device failed");
    memcpy(z, state->history + (steps - 1) * state->digits, (size_t)state->digits * sizeof *z);
    return STATUS_OK;
}

const struct orbit_device_kind played_orbit_kind = {.name = "played",
                                                    .digits = digits_for,
                                                    .step_s = step_s,
                                                    .serves = serves,
                                                    .open = state_open,
                                                    .steps = steps_take,
                                                    .fetch = fetch,
                                                    .close = state_close};
