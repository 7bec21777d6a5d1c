/* A place at the border of a formula's set, at any depth, as a view file on stdout: to prove
 * pictures at.
 *
 *     border_place FORMULA parameter|dynamic DIGITS SEED
 *
 * The zoom is about 10^DIGITS. Of a dynamic plane c is a double at the border of the parameter
 * plane. From the whole set on boxes are taken one in the other, a quarter as wide each, about a
 * random point that escapes, or converges, with the set in its box: so that orbits stay near
 * repelling points for long, pass near 0 and near folds, as those at borders do. The same SEED
 * finds the same place, or none: some ways lead along lines of Simonbrots for a quarter of an hour,
 * and are given up after as many steps as take a minute. From SEED 4 on the point of the smallest
 * count of several is taken: other ways of Nova lead to the borders of its components, where orbits
 * converge ever more slowly. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpfr.h>

#include "kernels/formula_text.h"
#include "render/truth/truth.h"
#include "render/view/view_motion.h"

enum {
    LIMIT_LEAST = 1000, /* of iterations; where orbits are chaotic, proofs want a bit for each */
    LIMIT_DIGIT = 30,
    TRIES = 48,    /* points of a box */
    ROUNDS = 40,   /* boxes of one size, where the set is beside them */
    RESTARTS = 12, /* from the whole set */
    CHOICE = 5,    /* points with the set beside them, from SEED_CHOOSES on */
    SEED_CHOOSES = 4,
    STEPS_MOST = 10000000
};

struct search {
    struct formula formula;
    uint64_t random;
    int64_t limit;
    int choice;
    long box; /* log2 of half its width */
    mpfr_t re, im;
    int64_t count, steps; /* of the last point taken; of all that were asked for */
};

/* SplitMix64; -1 ... 1 in steps of 2^-20 */
static double random_offset(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (double)((int64_t)(z >> 43) - (1 << 20)) * 0x1p-20;
}

static char *number_text(const mpfr_t number, long box)
{
    char *text = NULL;
    long digits = (long)ceil((double)-box * M_LN2 / M_LN10) + 12;
    if (mpfr_asprintf(&text, "%.*RNf", (int)(digits < 16 ? 16 : digits), number) < 0)
        exit(70);
    return text;
}

static char *zoom_text(long box)
{
    char *text = NULL;
    mpfr_t zoom;
    mpfr_init2(zoom, 53);
    mpfr_set_ui_2exp(zoom, 1, -box, MPFR_RNDN);
    if (mpfr_asprintf(&text, "%.6RNe", zoom) < 0)
        exit(70);
    mpfr_clear(zoom);
    return text;
}

/* How many times the box is the set away from (re, im)? Infinity if that does not escape. */
static double distance_at(struct search *search, const mpfr_t re, const mpfr_t im)
{
    struct truth truth;
    char *texts[] = {number_text(re, search->box), number_text(im, search->box),
                     zoom_text(search->box)};
    const struct view view = {
        .re = texts[0], .im = texts[1], .zoom = texts[2], .width = 1, .height = 1};
    if (truth_pixel(&view, &search->formula, 0, 0, search->limit, 1024, NULL, &truth) != STATUS_OK)
        exit(70);
    for (int i = 0; i < 3; i++)
        mpfr_free_str(texts[i]);
    search->steps += truth.count ? truth.count : search->limit;
    if (!truth.certified || !truth.count || !(truth.distance_px > 0))
        return INFINITY;
    search->count = truth.count;
    return 4 * truth.distance_px; /* such a pixel is 4 / zoom */
}

static void offset_take(struct search *search, mpfr_t to, const mpfr_t from)
{
    mpfr_set_d(to, random_offset(&search->random), MPFR_RNDN);
    mpfr_mul_2si(to, to, search->box, MPFR_RNDN);
    mpfr_add(to, to, from, MPFR_RNDN);
}

/* To a point of the box with the set at most so wide away; else to the one nearest to the set, if
 * there is one: 1, 0, -1. */
static int point_take(struct search *search)
{
    mpfr_t re, im, best_re, best_im;
    double best = INFINITY;
    int64_t count = 0;
    mpfr_inits2(mpfr_get_prec(search->re), re, im, best_re, best_im, (mpfr_ptr)NULL);
    for (int i = 0, near = 0; i < TRIES && near < search->choice; i++) {
        offset_take(search, re, search->re);
        offset_take(search, im, search->im);
        double distance = distance_at(search, re, im);
        near += distance <= 1;
        if (distance == INFINITY ||
            (best <= 1 ? distance > 1 || search->count >= count : distance >= best))
            continue;
        best = distance;
        count = search->count;
        mpfr_set(best_re, re, MPFR_RNDN);
        mpfr_set(best_im, im, MPFR_RNDN);
    }
    if (best < INFINITY) {
        search->count = count;
        mpfr_set(search->re, best_re, MPFR_RNDN);
        mpfr_set(search->im, best_im, MPFR_RNDN);
    }
    mpfr_clears(re, im, best_re, best_im, (mpfr_ptr)NULL);
    return best <= 1 ? 1 : best < INFINITY ? 0 : -1;
}

/* Boxes down to 2^least; 0 where they come to where nothing escapes. */
static int boxes_take(struct search *search, long least)
{
    const struct view_range *range = view_range_of(&search->formula);
    mpfr_set_str(search->re, range->home_re, 10, MPFR_RNDN);
    mpfr_set_str(search->im, range->home_im, 10, MPFR_RNDN);
    search->box = 1 - (long)floor(log2(range->home_zoom));
    for (int round = 0; search->box > least && round < ROUNDS && search->steps < STEPS_MOST;
         round++) {
        int found = point_take(search);
        if (found < 0)
            return 0;
        if (!found)
            continue;
        search->box -= 2;
        round = 0;
    }
    return search->box <= least;
}

static void place_find(struct search *search, int digits)
{
    long least = -(long)ceil(digits * M_LN10 / M_LN2);
    search->limit = LIMIT_LEAST + LIMIT_DIGIT * digits;
    mpfr_set_prec(search->re, 64 - least);
    mpfr_set_prec(search->im, 64 - least);
    search->steps = 0;
    for (int i = 0; i < RESTARTS && search->steps < STEPS_MOST; i++)
        if (boxes_take(search, least))
            return;
    fprintf(stderr, "border_place: no border down to 1e-%d\n", digits);
    exit(1);
}

/* Views are read in lines of up to 1,000 characters. */
static void coordinate_print(const char *key, const mpfr_t number, long box)
{
    enum { LINE = 800 };
    char *text = number_text(number, box);
    for (size_t i = 0; i * LINE < strlen(text); i++)
        printf("%s.%zu = %.*s\n", key, i, LINE, text + i * LINE);
    mpfr_free_str(text);
}

static void place_print(const struct search *search)
{
    char *zoom = zoom_text(search->box);
    printf("[view]\nformula = %s\n", formula_name(&search->formula));
    if (search->formula.plane == DYNAMIC_PLANE && formula_has_c(&search->formula))
        printf("julia = %.17g,%.17g\n", search->formula.c_re, search->formula.c_im);
    coordinate_print("re", search->re, search->box);
    coordinate_print("im", search->im, search->box);
    printf("zoom = %s\nlimit = %lld\n", zoom, (long long)(2 * search->count + 500));
    mpfr_free_str(zoom);
}

int main(int argc, char **argv)
{
    struct search search = {.count = 0};
    char *end = NULL;
    uint64_t seed = argc == 5 ? strtoull(argv[4], &end, 10) : 0;
    if (argc != 5 || end == argv[4] || *end ||
        formula_of_text(&search.formula, argv[1], strlen(argv[1])) != STATUS_OK) {
        fprintf(stderr, "usage: border_place FORMULA parameter|dynamic DIGITS SEED\n");
        return 64;
    }
    enum { DIGITS_OF_C = 9 };
    search.random = seed;
    search.choice = seed < SEED_CHOOSES ? 1 : CHOICE;
    mpfr_inits2(64, search.re, search.im, (mpfr_ptr)NULL);
    if (!strcmp(argv[2], "dynamic") && formula_has_c(&search.formula)) {
        place_find(&search, DIGITS_OF_C);
        search.formula.plane = DYNAMIC_PLANE;
        search.formula.c_re = mpfr_get_d(search.re, MPFR_RNDN);
        search.formula.c_im = mpfr_get_d(search.im, MPFR_RNDN);
    }
    place_find(&search, atoi(argv[3]));
    place_print(&search);
    mpfr_clears(search.re, search.im, (mpfr_ptr)NULL);
    return 0;
}
