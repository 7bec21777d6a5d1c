/* An orbit that was put aside and taken up is the one that computing gives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/orbit/orbit_state.h"
#include "tests/support/check.h"

struct place {
    const char *name, *re, *im;
    double log2_disc;
    enum orbit_end end; /* at LIMIT_MOST */
};

enum { BITS = 1200, LIMIT_MOST = 5000 };

static const struct place places[] = {
    {"goes on", "-0.75", "0", -200, ORBIT_LIMIT},
    {"escapes", "-1.7686104930146770", "0.0012666135038687", -INFINITY, ORBIT_ESCAPED},
    {"closes a cycle", "-0.9", "0.05", -200, ORBIT_CYCLE},
    {"closes a cycle, and meets zero", "-1", "0", -INFINITY, ORBIT_CYCLE},
    {"has a nucleus", "-1.7548776662466927600495", "0", -60, ORBIT_NUCLEUS},
    {"comes near zero", "-1", "1e-170", -2000, ORBIT_CYCLE},
};

static void create(struct orbit *orbit, const struct place *place, double log2_disc)
{
    struct orbit_options options = {.bits = BITS, .radius = 1e5, .log2_disc = log2_disc};
    assert_int_equal(orbit_create(orbit, &options, place->re, place->im), STATUS_OK);
}

/* `orbit` as another process would take it up, for `limit` and another disc; false: refused. */
static bool taken_up(struct orbit *back, const struct orbit *orbit, const struct place *place,
                     int64_t limit, double log2_disc, void (*spoil)(struct orbit_return *))
{
    struct orbit_return from = {.z = NULL};
    assert_true(orbit_save(orbit, &from.saved));
    int64_t points = orbit_return_points(&from.saved, limit);
    while (from.tiny_count < orbit->tiny_count && orbit->tiny[from.tiny_count].index < points)
        from.tiny_count++;
    size_t tiny_bytes = (size_t)from.tiny_count * sizeof *from.tiny;
    uint64_t *numbers = malloc(ORBIT_NUMBERS * (size_t)from.saved.limbs * sizeof *numbers);
    assert_non_null(numbers);
    orbit_save_numbers(orbit, numbers);
    from.z = malloc((size_t)points * sizeof *from.z);
    from.tiny = tiny_bytes ? malloc(tiny_bytes) : NULL;
    memcpy(from.z, orbit->z, (size_t)points * sizeof *from.z);
    if (tiny_bytes)
        memcpy(from.tiny, orbit->tiny, tiny_bytes);
    from.numbers = numbers;
    if (spoil)
        spoil(&from);
    create(back, place, log2_disc);
    bool good = orbit_restore(back, &from, limit);
    free(numbers);
    return good;
}

static void assert_same(const struct orbit *a, const struct orbit *b, const char *where)
{
    if (a->length != b->length || a->tiny_count != b->tiny_count || a->end != b->end ||
        a->period != b->period || a->bits != b->bits ||
        memcmp(a->z, b->z, (size_t)a->length * sizeof *a->z) != 0 ||
        (a->tiny_count && memcmp(a->tiny, b->tiny, (size_t)a->tiny_count * sizeof *a->tiny) != 0))
        fail_msg("%s: %lld points, %lld tiny, end %d, period %lld; %lld, %lld, %d, %lld", where,
                 (long long)a->length, (long long)a->tiny_count, a->end, (long long)a->period,
                 (long long)b->length, (long long)b->tiny_count, b->end, (long long)b->period);
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
            struct orbit saved, fresh, back;
            create(&saved, place, disc);
            assert_int_equal(orbit_extend(&saved, first), STATUS_OK);
            create(&fresh, place, other);
            assert_int_equal(orbit_extend(&fresh, then), STATUS_OK);
            struct orbit_saved any;
            if (orbit_save(&saved, &any)) {
                char where[128];
                snprintf(where, sizeof where, "%s, %lld steps for %lld, discs 2^%g for 2^%g",
                         place->name, (long long)first, (long long)then, disc, other);
                assert_true(taken_up(&back, &saved, place, then, other, NULL));
                assert_int_equal(orbit_extend(&back, then), STATUS_OK);
                assert_same(&back, &fresh, where);
                orbit_destroy(&back);
            }
            orbit_destroy(&fresh);
            orbit_destroy(&saved);
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
}

TEST(test_identity)
{
    static const struct place same[] = {{"a", "-0.75", "0.5", 0, 0}, {"b", "-75e-2", "0.50", 0, 0}};
    struct orbit_options options = {.bits = BITS, .radius = 1e5, .log2_disc = -200};
    struct {
        const char *re;
        long bits;
        double radius;
        bool same;
    } others[] = {
        {"-0.75", BITS, 1e5, true},
        {"-7.5e-1", BITS + 10, 1e5, true}, /* as many limbs */
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

TEST(test_nonsense_is_refused)
{
    void (*const spoil[])(struct orbit_return *) = {spoil_length,    spoil_next,  spoil_end,
                                                    spoil_period,    spoil_limbs, spoil_tiny,
                                                    spoil_tiny_last, spoil_point};
    const struct place *place = &places[5];
    struct orbit orbit, back;
    create(&orbit, place, place->log2_disc);
    assert_int_equal(orbit_extend(&orbit, 5), STATUS_OK);
    assert_true(orbit.tiny_count > 1 && orbit.end == ORBIT_LIMIT);
    for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
        if (taken_up(&back, &orbit, place, 1000, place->log2_disc, spoil[i]))
            fail_msg("nonsense number %zu was taken up", i);
        orbit_destroy(&back);
    }
    orbit_destroy(&orbit);
}

TEST(test_what_was_cut_does_not_go_on)
{
    struct orbit orbit, back;
    struct orbit_saved any;
    create(&orbit, &places[0], -200);
    assert_int_equal(orbit_extend(&orbit, 100), STATUS_OK);
    assert_true(taken_up(&back, &orbit, &places[0], 50, -200, NULL));
    assert_int_equal(back.length, 51);
    assert_int_equal(orbit_extend(&back, 50), STATUS_OK);
    assert_int_equal(orbit_extend(&back, 51), STATUS_INTERNAL);
    assert_false(orbit_save(&back, &any));
    orbit_destroy(&back);
    orbit_destroy(&orbit);
}
