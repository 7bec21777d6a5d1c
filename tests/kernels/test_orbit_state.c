/* An orbit that was saved and restored is the one that computing gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/orbit/orbit_state.h"
#include "kernels/orbit/orbit_work.h"
#include "tests/support/check.h"
#include "tests/support/same_orbit.h"

struct place {
    const char *name, *re, *im;
    double log2_disc;
    enum orbit_end end;  /* at LIMIT_MOST */
    const char *formula; /* NULL: z^2 + c */
    enum formula_plane plane;
    double c_re, c_im; /* of the dynamic plane */
};

enum { BITS = 1200, LIMIT_MOST = 5000 };
#define LOG2_STEP -1000

#define OF_SQUARES NULL, PARAMETER_PLANE, 0, 0
static const struct place places[] = {
    {"goes on", "-0.75", "0", -200, ORBIT_LIMIT, OF_SQUARES},
    {"escapes", "-1.7686104930146770", "0.0012666135038687", -INFINITY, ORBIT_ESCAPED, OF_SQUARES},
    {"closes a cycle", "-0.9", "0.05", -200, ORBIT_CYCLE, OF_SQUARES},
    {"closes a cycle, and meets zero", "-1", "0", -INFINITY, ORBIT_CYCLE, OF_SQUARES},
    {"has a nucleus", "-1.7548776662466927600495", "0", -60, ORBIT_NUCLEUS, OF_SQUARES},
    {"comes near zero", "-1", "1e-170", -2000, ORBIT_CYCLE, OF_SQUARES},
};

#define HYBRID "pow 3, absy, add c; swap, sqr, scale 0.5 1, add c; absx, sqr, add c"
static const struct place formulas[] = {
    {"a ship escapes", "-1.7", "1e-30", 0, ORBIT_ESCAPED, "burning_ship", PARAMETER_PLANE, 0, 0},
    {"a ship meets zero", "-1", "1e-170", 0, ORBIT_CYCLE, "burning_ship", PARAMETER_PLANE, 0, 0},
    {"a tape", "-1.2", "1e-200", 0, ORBIT_LIMIT, "celtic", PARAMETER_PLANE, 0, 0},
    {"a Julia set", "0.3", "0.4", 0, ORBIT_ESCAPED, NULL, DYNAMIC_PLANE, -0.8, 0.156},
    {"and a cycle", "0.1", "0.4", 0, ORBIT_CYCLE, NULL, DYNAMIC_PLANE, -1, 0},
    {"from near 0", "1e-160", "1e-400", 0, ORBIT_CYCLE, NULL, DYNAMIC_PLANE, -1, 0},
    {"cubes", "0.5", "1e-180", 0, ORBIT_CYCLE, "multibrot_3", DYNAMIC_PLANE, 0.3, 0.4},
    {"lists", "-0.5", "0.25", 0, ORBIT_CYCLE, HYBRID, PARAMETER_PLANE, 0, 0},
    {"lists, and z_0", "-0.5", "0.25", 0, ORBIT_CYCLE, HYBRID, DYNAMIC_PLANE, -0.5, 0},
    {"lambda", "0.5", "0.2", 0, ORBIT_ESCAPED, "lambda", DYNAMIC_PLANE, 1, 1},
    {"phoenix", "-0.45", "0.1", 0, ORBIT_CYCLE, "phoenix", PARAMETER_PLANE, 0, 0},
    {"phoenix, and z_0", "0.1", "0.1", 0, ORBIT_ESCAPED, "phoenix", DYNAMIC_PLANE, 0.56, -0.1},
    {"Newton", "0.1", "0.3", 0, ORBIT_OVER, "newton_3", DYNAMIC_PLANE, 0, 0},
    {"Newton at a pole", "0", "0", 0, ORBIT_OVER, "newton_4", DYNAMIC_PLANE, 0, 0},
    {"Newton near a pole", "1e-160", "0", 0, ORBIT_OVER, "newton_3", DYNAMIC_PLANE, 0, 0},
    {"Nova", "-0.35", "0.1", 0, ORBIT_OVER, "nova", PARAMETER_PLANE, 0, 0},
    {"Nova, and z_0", "0.35", "0.1", 0, ORBIT_OVER, "nova_6", DYNAMIC_PLANE, -0.3, 0.3},
    {"Nova at a pole", "0", "0", 0, ORBIT_OVER, "nova", DYNAMIC_PLANE, -0.3, 0.3},
    {"Nova at a root", "1", "0", 0, ORBIT_OVER, "nova_4", DYNAMIC_PLANE, -1e-170, 0},
    {"a magnet", "1.5", "0.1", 0, ORBIT_OVER, "magnet_1", PARAMETER_PLANE, 0, 0},
    {"a magnet, and z_0", "1", "1e-170", 0, ORBIT_OVER, "magnet_2", DYNAMIC_PLANE, 1.5, 0.5},
};

static void create_of(struct orbit *orbit, const struct place *place, double log2_disc, long bits)
{
    struct orbit_options options = {
        .bits = bits, .radius = 1e5, .log2_disc = log2_disc, .log2_step = LOG2_STEP};
    const char *text = place->formula;
    if (text)
        assert_int_equal(formula_of_text(&options.formula, text, strlen(text)), STATUS_OK);
    options.formula.plane = place->plane;
    options.formula.c_re = place->c_re;
    options.formula.c_im = place->c_im;
    assert_int_equal(orbit_create(orbit, &options, place->re, place->im), STATUS_OK);
}

static void create(struct orbit *orbit, const struct place *place, double log2_disc)
{
    create_of(orbit, place, log2_disc, BITS);
}

static void *copy(const void *array, int64_t count, size_t bytes)
{
    void *made = count ? malloc((size_t)count * bytes) : NULL;
    if (count)
        memcpy(made, array, (size_t)count * bytes);
    return made;
}

/* One orbit, as it comes back for `limit`. */
static void return_of(struct orbit_return *from, const struct orbit *orbit, int64_t limit)
{
    const struct orbit_saved *saved = &from->saved;
    int64_t points = orbit_return_points(saved, limit), steps = orbit_return_steps(saved, limit);
    while (from->tiny_count < saved->tiny_count && orbit->tiny[from->tiny_count].index < points)
        from->tiny_count++;
    while (from->small_count < saved->small_count &&
           orbit_small_within(&orbit->small[from->small_count], points, steps))
        from->small_count++;
    from->z = copy(orbit->z, points, sizeof *orbit->z);
    from->tape = copy(orbit->tape, steps * orbit->tape_width, sizeof *orbit->tape);
    from->tiny = copy(orbit->tiny, from->tiny_count, sizeof *orbit->tiny);
    from->small = copy(orbit->small, from->small_count, sizeof *orbit->small);
    from->numbers = malloc(orbit_numbers_bytes(orbit));
    assert_non_null(from->numbers);
    orbit_save_numbers(orbit, from->numbers);
}

static void returns_of(struct orbit_return from[ORBIT_CHAIN_MOST], const struct orbit *orbit,
                       int64_t limit)
{
    struct orbit_saved saved[ORBIT_CHAIN_MOST];
    assert_true(orbit_save(orbit, saved));
    memset(from, 0, ORBIT_CHAIN_MOST * sizeof *from);
    for (int i = 0; orbit; orbit = orbit->critical, i++) {
        from[i].saved = saved[i];
        return_of(&from[i], orbit, limit);
    }
}

/* As another process takes it up, for `limit` and another disc; false: refused. */
static bool taken_up(struct orbit *back, const struct orbit *orbit, const struct place *place,
                     int64_t limit, double log2_disc, void (*spoil)(struct orbit_return *))
{
    struct orbit_return from[ORBIT_CHAIN_MOST];
    create_of(back, place, log2_disc, orbit->bits);
    returns_of(from, orbit, limit);
    if (spoil)
        spoil(from);
    bool good = orbit_restore(back, from, limit);
    orbit_return_free(from);
    return good;
}

static void assert_same(const struct orbit *a, const struct orbit *b, const char *where)
{
    bool same = same_orbits(a, b);
    for (const struct orbit *x = a, *y = b; x && same; x = x->critical, y = y->critical)
        same = x->shortest == y->shortest && orbit_bits_short(x) == orbit_bits_short(y) &&
               x->work->formula.log2_need == y->work->formula.log2_need;
    if (!same)
        fail_msg("%s: %lld points, %lld tiny, end %d, period %lld; %lld, %lld, %d, %lld", where,
                 (long long)a->length, (long long)a->tiny_count, a->end, (long long)a->period,
                 (long long)b->length, (long long)b->tiny_count, b->end, (long long)b->period);
}

/* An orbit of so many steps, for another limit, against one that is computed for that. */
static void expect_same(const struct place *place, long bits, int64_t first, double disc,
                        int64_t then, double other)
{
    struct orbit saved, fresh, back;
    struct orbit_saved any[ORBIT_CHAIN_MOST];
    char where[128];
    snprintf(where, sizeof where, "%s, %lld steps for %lld, discs 2^%g for 2^%g", place->name,
             (long long)first, (long long)then, disc, other);
    create_of(&saved, place, disc, bits);
    assert_int_equal(orbit_extend(&saved, first), STATUS_OK);
    if (orbit_save(&saved, any)) {
        create_of(&fresh, place, other, bits);
        assert_int_equal(orbit_extend(&fresh, then), STATUS_OK);
        if (!taken_up(&back, &saved, place, then, other, NULL))
            fail_msg("%s: refused", where);
        assert_int_equal(orbit_extend(&back, then), STATUS_OK);
        assert_same(&back, &fresh, where);
        orbit_destroy(&back);
        orbit_destroy(&fresh);
    } else
        assert_true(place < formulas || place >= formulas + sizeof formulas / sizeof *formulas);
    orbit_destroy(&saved);
}

TEST(test_same_as_computed)
{
    static const int64_t limits[] = {1, 2, 3, 7, 40, 2000, LIMIT_MOST};
    static const double discs[] = {-INFINITY, -2000, -60, -2};
    enum { LIMITS = sizeof limits / sizeof *limits, DISCS = sizeof discs / sizeof *discs };
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        /* By 5 every pair of two of the four is met. */
        for (int i = 0; i < LIMITS * LIMITS * DISCS * DISCS; i += check_long() ? 1 : 5) {
            const struct place *place = &places[p];
            int64_t first = limits[i % LIMITS], then = limits[i / LIMITS % LIMITS];
            double disc = discs[i / LIMITS / LIMITS % DISCS];
            double other = discs[i / LIMITS / LIMITS / DISCS];
            expect_same(place, BITS, first, disc, then, other);
        }
}

TEST(test_same_as_computed_of_formulas)
{
    static const int64_t limits[] = {1, 2, 3, 7, 40, 300};
    enum { LIMITS = sizeof limits / sizeof *limits };
    for (size_t p = 0; p < sizeof formulas / sizeof *formulas; p++)
        for (int i = check_long() ? 0 : (int)p % 5; i < LIMITS * LIMITS; i += check_long() ? 1 : 5)
            expect_same(&formulas[p], BITS, limits[i % LIMITS], -200, limits[i / LIMITS], -200);
}

/* Longer than what is taken anew. */
TEST(test_long_orbits_of_formulas)
{
    enum { MANY_BITS = 16000, FIRST = 600, THEN = 650 };
    static const struct place goes_on[] = {
        {"a tape", "-1.2", "1e-200", 0, ORBIT_LIMIT, "celtic", PARAMETER_PLANE, 0, 0},
        {"a Julia set", "-0.5", "1e-200", 0, ORBIT_LIMIT, NULL, DYNAMIC_PLANE, -1.9, 0},
        {"lists", "-0.5", "0", 0, ORBIT_LIMIT, "sqr, add c; absx, sqr, add c", PARAMETER_PLANE, 0,
         0},
        {"phoenix", "-1.2", "0", 0, ORBIT_LIMIT, "phoenix", PARAMETER_PLANE, 0, 0}};
    for (size_t p = 0; p < sizeof goes_on / sizeof *goes_on; p++) {
        expect_same(&goes_on[p], MANY_BITS, FIRST, -200, THEN, -200);
        expect_same(&goes_on[p], MANY_BITS, THEN, -200, FIRST, -200);
    }
}

/* Every row in both planes, about its whole set, with few bits and with more than doubles have. */
TEST(test_every_formula_is_taken_up)
{
    enum { STEPS = 100 };
    struct formula formula;
    uint64_t seed = 20261124;
    for (int i = 0; formula_name_at(i, &formula); i++)
        for (int plane = 0; plane < FORMULA_PLANES; plane++) {
            char re[32], im[32], name[FORMULA_TEXT_BYTES];
            snprintf(re, sizeof re, "%.9f", 3 * check_random_unit(&seed) - 1.5);
            snprintf(im, sizeof im, "%.9f", 3 * check_random_unit(&seed) - 1.5);
            if (plane == PARAMETER_PLANE && !formula_has_c(&formula))
                continue;
            struct place place = {name,
                                  re,
                                  im,
                                  -200,
                                  ORBIT_LIMIT,
                                  formula_text(&formula, name),
                                  (enum formula_plane)plane,
                                  0,
                                  0};
            if (plane == DYNAMIC_PLANE && formula_has_c(&formula)) {
                place.c_re = check_random_unit(&seed) - 0.5;
                place.c_im = check_random_unit(&seed) - 0.5;
            }
            expect_same(&place, i % 2 ? 64 : 300, STEPS, -200, 2 * STEPS, -200);
        }
}

TEST(test_places_are_what_they_are_called)
{
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        struct orbit orbit;
        create(&orbit, &places[p], places[p].log2_disc);
        assert_int_equal(orbit_extend(&orbit, LIMIT_MOST), STATUS_OK);
        if (orbit.end != places[p].end)
            fail_msg("%s: end %d after %lld points", places[p].name, orbit.end,
                     (long long)orbit.length);
        orbit_destroy(&orbit);
    }
    for (size_t p = 0; p < sizeof formulas / sizeof *formulas; p++) {
        struct orbit orbit;
        create(&orbit, &formulas[p], formulas[p].log2_disc);
        assert_int_equal(orbit_extend(&orbit, LIMIT_MOST), STATUS_OK);
        if (orbit.end != formulas[p].end)
            fail_msg("%s: end %d after %lld points", formulas[p].name, orbit.end,
                     (long long)orbit.length);
        orbit_destroy(&orbit);
    }
}

TEST(test_identity)
{
    static const struct place same[] = {{"a", "-0.75", "0.5", 0, ORBIT_LIMIT, OF_SQUARES},
                                        {"b", "-75e-2", "0.50", 0, ORBIT_LIMIT, OF_SQUARES}};
    struct orbit_options options = {.bits = BITS, .radius = 1e5, .log2_disc = -200};
    struct {
        const char *re;
        long bits;
        double radius;
        bool same;
    } others[] = {
        {"-0.75", BITS, 1e5, true},
        {"-7.5e-1", BITS + 4, 1e5, true}, /* as many limbs */
        {"-0.75", BITS + 64, 1e5, false},
        {"-0.75", BITS, 1e6, false},
        {"-0.750000000000000000000000000000000000000000000000000000000001", BITS, 1e5, false}};
    struct orbit orbit;
    char *text, *other;
    assert_int_equal(orbit_create(&orbit, &options, same[0].re, same[0].im), STATUS_OK);
    assert_int_equal(orbit_identity(&orbit, &text), STATUS_OK);
    orbit_destroy(&orbit);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        options.bits = others[i].bits;
        options.radius = others[i].radius;
        options.log2_disc = -100;
        assert_int_equal(orbit_create(&orbit, &options, others[i].re, same[1].im), STATUS_OK);
        assert_int_equal(orbit_identity(&orbit, &other), STATUS_OK);
        if (!strcmp(text, other) != others[i].same)
            fail_msg("%s\n%s", text, other);
        free(other);
        orbit_destroy(&orbit);
    }
    free(text);
}

/* Of a formula all that decides about it, not its name alone; not the pixel. */
TEST(test_identity_of_formulas)
{
    struct formula formula;
    struct orbit_options options = {
        .bits = BITS, .radius = 1e5, .log2_disc = -200, .log2_step = -9};
    char *text[6];
    assert_int_equal(formula_of_text(&formula, "absx, swap, sqr, add c", 22), STATUS_OK);
    formula.plane = DYNAMIC_PLANE;
    formula.c_re = 0.5;
    for (int i = 0; i < 6; i++) {
        struct orbit orbit;
        struct orbit_options other = options;
        other.formula = formula;
        other.log2_step = i == 1 ? -19 : other.log2_step;
        other.bits += i == 2;
        other.formula.c_im = i == 3 ? 0x1p-60 : 0;
        if (i == 4)
            other.formula.own.operation[0] = OPERATION_ABS_Y;
        if (i == 5)
            other.formula.plane = PARAMETER_PLANE;
        assert_int_equal(orbit_create(&orbit, &other, "0.5", "0.25"), STATUS_OK);
        assert_int_equal(orbit_identity(&orbit, &text[i]), STATUS_OK);
        assert_int_equal(!strcmp(text[i], text[0]), i < 2);
        orbit_destroy(&orbit);
    }
    for (int i = 0; i < 6; i++)
        free(text[i]);
}

/* Every number of bits with the same limbs gives the same orbit. */
TEST(test_nearby_bits)
{
    struct orbit_options options = {.radius = 1e5, .log2_disc = -INFINITY};
    struct orbit first = {0}, orbit;
    int different = 0;
    for (long bits = 1000; bits < 1000 + 64; bits++) {
        options.bits = bits;
        assert_int_equal(orbit_create(&orbit, &options, "-1.4011551890920506004953", "1e-30"),
                         STATUS_OK);
        assert_true(orbit.bits >= bits && orbit.bits < bits + 64);
        assert_int_equal(orbit_extend(&orbit, 2000), STATUS_OK);
        if (first.length && first.bits == orbit.bits) {
            assert_same(&orbit, &first, "more bits");
            orbit_destroy(&orbit);
        } else {
            different++;
            orbit_destroy(&first);
            first = orbit;
        }
    }
    orbit_destroy(&first);
    assert_true(different <= 2);
}

static void spoil_length(struct orbit_return *from)
{
    from->saved.seen = from->saved.length;
}
static void spoil_next(struct orbit_return *from)
{
    from->saved.next++;
}
static void spoil_end(struct orbit_return *from)
{
    from->saved.end = 4;
}
static void spoil_period(struct orbit_return *from)
{
    from->saved.period = 1;
}
static void spoil_limbs(struct orbit_return *from)
{
    from->saved.limbs--;
}
static void spoil_tiny(struct orbit_return *from)
{
    from->tiny[1].index = from->tiny[0].index;
}
static void spoil_tiny_last(struct orbit_return *from)
{
    from->tiny[from->saved.tiny_count - 1].index = from->saved.length;
}
static void spoil_point(struct orbit_return *from)
{
    from->z[from->saved.length - 1].x += 1;
}
static void spoil_steps(struct orbit_return *from)
{
    from->saved.steps++;
}
static void spoil_tape(struct orbit_return *from)
{
    from->tape[3].y += 0x1p-40;
}
static void spoil_small(struct orbit_return *from)
{
    from->small[1].x_exponent++;
    from->small[1].y_exponent++;
}
static void spoil_small_slot(struct orbit_return *from)
{
    from->small[0].slot = 1;
}
static void spoil_small_last(struct orbit_return *from)
{
    from->small_count--;
}
static void spoil_number(struct orbit_return *from)
{
    from->numbers[0] ^= 1;
}
static void spoil_exponent(struct orbit_return *from)
{
    from->saved.exponent[2] = INT64_MIN;
}
static void spoil_sign(struct orbit_return *from)
{
    from->saved.negative ^= 1;
}

static void expect_refused(const struct place *place, int64_t steps,
                           void (*const spoil[])(struct orbit_return *))
{
    struct orbit orbit, back;
    create(&orbit, place, place->log2_disc);
    assert_int_equal(orbit_extend(&orbit, steps), STATUS_OK);
    assert_true(orbit.end == ORBIT_LIMIT && (orbit.tiny_count > 1 || orbit.small_count > 1));
    for (size_t i = 0; spoil[i]; i++) {
        if (taken_up(&back, &orbit, place, 1000, place->log2_disc, spoil[i]))
            fail_msg("%s: nonsense number %zu was restored", place->name, i);
        orbit_destroy(&back);
    }
    orbit_destroy(&orbit);
}

TEST(test_nonsense_is_refused)
{
    void (*const spoil[])(struct orbit_return *) = {
        spoil_length,    spoil_next,  spoil_end,   spoil_period, spoil_limbs, spoil_tiny,
        spoil_tiny_last, spoil_point, spoil_steps, spoil_number, spoil_sign,  NULL};
    expect_refused(&places[5], 5, spoil);
}

TEST(test_nonsense_of_formulas_is_refused)
{
    void (*const spoil[])(struct orbit_return *) = {
        spoil_length,     spoil_next,   spoil_end,      spoil_period, spoil_limbs,
        spoil_point,      spoil_steps,  spoil_tape,     spoil_small,  spoil_small_slot,
        spoil_small_last, spoil_number, spoil_exponent, spoil_sign,   NULL};
    expect_refused(&formulas[2], 30, spoil);
}

/* Of orbits that go on, however long they are. */
TEST(test_invented_ends_are_refused)
{
    static const struct place nova = {"Nova", "-0.3",          "0.3", 0, ORBIT_LIMIT,
                                      "nova", PARAMETER_PLANE, 0,     0};
    static const struct place *const goes_on[] = {&places[0], &formulas[2], &nova};
    static const enum orbit_end ends[] = {ORBIT_CYCLE, ORBIT_OVER, ORBIT_ESCAPED};
    for (int i = 0; i < 3 * 3; i++) {
        struct orbit orbit, back;
        struct orbit_return from[ORBIT_CHAIN_MOST];
        struct orbit_saved *saved = &from->saved;
        const struct place *place = goes_on[i / 3];
        create(&orbit, place, -INFINITY);
        create(&back, place, -INFINITY);
        assert_int_equal(orbit_extend(&orbit, 100), STATUS_OK);
        assert_int_equal(orbit.end, ORBIT_LIMIT);
        returns_of(from, &orbit, 100);
        assert_true(orbit_values_hold(&back, from, 101));
        saved->end = (int32_t)ends[i % 3];
        saved->period = ends[i % 3] == ORBIT_CYCLE ? orbit.length - saved->seen : 0;
        saved->steps += ends[i % 3] != ORBIT_ESCAPED;
        from->tape = realloc(from->tape, 101 * sizeof *from->tape);
        if (orbit.tape_width)
            from->tape[100] = from->z[100];
        assert_false(orbit_values_hold(&back, from, 101));
        orbit_return_free(from);
        orbit_destroy(&orbit);
        orbit_destroy(&back);
    }
}

TEST(test_what_was_cut_does_not_go_on)
{
    struct orbit orbit, back;
    struct orbit_saved any[ORBIT_CHAIN_MOST];
    create(&orbit, &places[0], -200);
    assert_int_equal(orbit_extend(&orbit, 100), STATUS_OK);
    assert_true(taken_up(&back, &orbit, &places[0], 50, -200, NULL));
    assert_int_equal(back.length, 51);
    assert_int_equal(orbit_extend(&back, 50), STATUS_OK);
    assert_int_equal(orbit_extend(&back, 51), STATUS_INTERNAL);
    assert_false(orbit_save(&back, any));
    orbit_destroy(&back);
    orbit_destroy(&orbit);
}
