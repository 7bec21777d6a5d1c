#include "kernels/orbit/taper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMB_BITS = 64,
    LEVELS_EXACT = 24,     /* limbs up to which each number of them is a level */
    LEVELS_AN_OCTAVE = 8,  /* levels from n to 2 n limbs beyond */
    TEAM_LIMBS_LEAST = 192 /* a step takes some 40 us; shorter ones are not tried with a team, as
                              those of orbit.c are, because their length changes all the time */
};

/* Limbs of the shortest number that holds so many bits, as in fixed_create. */
static mp_size_t limbs_of(long bits)
{
    return (mp_size_t)(fixed_bits(bits) / LIMB_BITS) + 1;
}

/* The next level that is not shorter. */
static mp_size_t level_of(mp_size_t limbs)
{
    mp_size_t grain = 1;
    while (limbs > LEVELS_EXACT && grain * 2 * LEVELS_AN_OCTAVE <= limbs)
        grain *= 2;
    return (limbs + grain - 1) / grain * grain;
}

/* Copies the upper limbs; others are 0. */
static void real_move(struct fixed_real *to, mp_size_t to_limbs, const struct fixed_real *from,
                      mp_size_t from_limbs)
{
    mp_size_t both = to_limbs < from_limbs ? to_limbs : from_limbs, zeros = to_limbs - both;
    memset(to->limb, 0, (size_t)zeros * sizeof *to->limb);
    memcpy(to->limb + zeros, from->limb + (from_limbs - both), (size_t)both * sizeof *to->limb);
    to->negative = from->negative;
}

/* Moves z into the number that holds so many bits. */
static enum status level_set(struct taper *taper, long bits)
{
    if (bits > taper->bits_most)
        bits = taper->bits_most;
    mp_size_t limbs = level_of(limbs_of(bits < 1 ? 1 : bits));
    struct fixed *to = &taper->level[limbs], *from = taper->now;
    if (to == from)
        return STATUS_OK;
    long held = LIMB_BITS * limbs; /* fixed_bits of a number that has so many limbs, found below */
    while (limbs_of(held) > limbs)
        held -= LIMB_BITS / 4;
    held = fixed_bits(held);
    if (!to->block)
        TRY(fixed_create(to, held, taper->cx, taper->cy));
    if (from) {
        fixed_settle(from);
        real_move(&to->x, to->limbs, &from->x, from->limbs);
        real_move(&to->y, to->limbs, &from->y, from->limbs);
        fixed_changed(to);
    }
    taper->now = to;
    taper->bits = held;
    return STATUS_OK;
}

enum status taper_create(struct taper *taper, mpfr_srcptr cx, mpfr_srcptr cy, long bits_most)
{
    *taper = (struct taper){.cx = cx, .cy = cy, .bits_most = bits_most};
    taper->levels = level_of(limbs_of(bits_most));
    taper->level = calloc((size_t)taper->levels + 1, sizeof *taper->level);
    if (!taper->level)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for an orbit of %ld bits", bits_most);
    return level_set(taper, bits_most);
}

void taper_destroy(struct taper *taper)
{
    for (mp_size_t i = 0; taper->level && i <= taper->levels; i++)
        fixed_destroy(&taper->level[i]);
    free(taper->level);
    *taper = (struct taper){0};
}

enum status taper_fit(struct taper *taper, struct complex_scaled slope, long bits_least)
{
    const int64_t grown_most = 1000000000;
    int64_t grown = scaled_log2_floor(slope);
    grown = grown < 0 ? 0 : grown < grown_most ? grown : grown_most;
    long bits = taper->bits_most - (long)grown;
    return level_set(taper, bits < bits_least ? bits_least : bits);
}

bool taper_is_long(const struct taper *taper)
{
    return taper->now->limbs >= TEAM_LIMBS_LEAST;
}

void taper_step(struct taper *taper)
{
    if (!taper->team || !taper_is_long(taper)) {
        fixed_step(taper->now);
        return;
    }
    taper->team->fixed = taper->now;
    team_step(taper->team);
}

enum status taper_batch(struct taper *taper, int threads, team_steps *steps, void *argument)
{
    return team_size(threads) > 1 && taper_is_long(taper)
               ? team_run(taper->now, threads, steps, argument)
               : steps(argument, NULL);
}

struct complex_scaled taper_point(const struct taper *taper)
{
    const struct fixed *fixed = taper->now;
    double x = fixed_double(fixed, &fixed->x), y = fixed_double(fixed, &fixed->y);
    if (fabs(x) > 0x1p-190 || fabs(y) > 0x1p-190)
        return (struct complex_scaled){x, y, 0};
    struct scaled sx = fixed_scaled(fixed, &fixed->x), sy = fixed_scaled(fixed, &fixed->y);
    return scaled_add(scaled_settle(sx.mantissa, 0, sx.exponent),
                      scaled_settle(0, sy.mantissa, sy.exponent));
}
