#include "render/colour/palette_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <xxhash.h>

#include "render/colour/palette.h"

enum { KEY_BYTES = 1024, OFFSETS = 10 };

/* Palettes of one or two bands of light in a run: more of them make confetti of fine structure.
 * meridian and vesper are safe. */
static const char *const curated[] = {
    "meridian", "lagoon", "nebula",    "aurora", "glacier", "ember",   "ocean",
    "moss",     "orchid", "porcelain", "opal",   "lapis",   "peacock", "vesper",
};

/* Palettes that are tested under the three dichromacies (palette_about.cvd_safe), but grey. Of
 * these some are not cyclic, and run there and back. */
static const char *const safe[] = {
    "meridian", "vesper", "harbour", "copper", "dusk",    "fire",
    "ice",      "magma",  "inferno", "plasma", "viridis", "sepia",
};

/* The one of 40 million for which the whole set has its colours, no two neighbours of a sheet of 36
 * published deep places have the same palette, and the fewest, 14 of 341 pairs, of the places of
 * configs/views/formulas.places. */
#define SEED 18929426

struct palette_choice palette_choose(enum palette_set set, const char *formula,
                                     const double *numbers, int count)
{
    char key[KEY_BYTES];
    int used = snprintf(key, sizeof key, "%.800s", formula);
    for (int i = 0; i < count && i < PALETTE_CHOICE_NUMBERS; i++) {
        double number = i % 2 ? fabs(numbers[i]) : numbers[i];
        used += snprintf(key + used, sizeof key - (size_t)used, " %" PRId64,
                         (int64_t)(number * PALETTE_CHOICE_SCALE));
    }
    uint64_t hash = XXH3_64bits_withSeed(key, (size_t)used, SEED);
    uint32_t names =
        set == PALETTES_SAFE ? sizeof safe / sizeof *safe : sizeof curated / sizeof *curated;
    const char *name = (set == PALETTES_SAFE ? safe : curated)[hash % names];
    bool reversed = hash >> 32 & 1;
    struct palette_choice choice = {.offset = (double)((hash >> 40) % OFFSETS) / OFFSETS};
    snprintf(choice.name, sizeof choice.name, "%s%s", name, reversed ? PALETTE_REVERSED : "");
    return choice;
}
