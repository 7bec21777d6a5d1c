/* The limit that a view gets by itself: the smallest that leaves little to find, whichever was
 * tried first. */
#include "tests/support/check.h"

#include "render/live/limit.h"

static struct limit_counts counted(const uint64_t *count, size_t counts, uint64_t times,
                                   int64_t limit)
{
    struct limit_counts all = {.samples = 0};
    for (size_t i = 0; i < counts; i++)
        for (uint64_t k = 0; k < times; k++)
            limit_count(&all, count[i] <= (uint64_t)limit ? count[i] : 0);
    return all;
}

/* Tries limits as the engine does, on counts that are what they are. */
static int64_t found(const uint64_t *count, size_t counts, int64_t first, double log10_zoom)
{
    for (int64_t limit = first;;) {
        struct limit_counts all = counted(count, counts, 10, limit);
        int64_t next = limit_next(&all, limit, log10_zoom);
        if (next <= limit)
            return next;
        assert_int_equal(next, 2 * limit);
        limit = next;
    }
}

TEST(the_answer_does_not_depend_on_what_was_tried_first)
{
    uint64_t seed = 11, count[400];
    for (int round = 0; round < 200; round++) {
        uint64_t spread = 1 + check_random(&seed) % 100000;
        double zoom = 60 * check_random_unit(&seed);
        for (size_t i = 0; i < 400; i++)
            count[i] = check_random(&seed) % 5 ? 1 + check_random(&seed) % spread : 0;
        int64_t wanted = found(count, 400, 1000, zoom);
        for (int64_t first = 2000; first <= limit_most(zoom); first *= 2)
            assert_int_equal(found(count, 400, first, zoom), wanted);
    }
}

TEST(literal_cases)
{
    static const uint64_t shallow[] = {3, 10, 40, 0}, late[] = {3, 999, 7000, 0}, none[] = {0, 0};
    assert_int_equal(found(shallow, 4, 1000, 0), 1000);
    assert_int_equal(found(late, 4, 1000, 0), 2000); /* a gap: 7000 is beyond what it shows */
    static const uint64_t deep[] = {7000, 7100, 7900, 15000};
    assert_int_equal(found(deep, 4, 1000, 0), 32000); /* nothing before; then until half is empty */
    assert_int_equal(found(none, 2, 1000, 0), 64000);
    assert_int_equal(found(none, 2, 1000, 40), 1024000);
    assert_int_equal(limit_guess(0), 1000);
    assert_true(limit_guess(100) > limit_guess(10));
    struct limit_counts all = {.samples = 0};
    limit_count(&all, UINT64_MAX);
    assert_int_equal(all.step[LIMIT_STEPS - 1], 1);
}

/* A sample that escapes late never makes the limit smaller. */
TEST(late_samples_never_lower_it)
{
    uint64_t seed = 5, count[300];
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < 300; i++)
            count[i] = 1 + check_random(&seed) % 3000;
        int64_t before = found(count, 300, 1000, 0);
        for (size_t i = 0; i < 20; i++)
            count[i] += (uint64_t)before / 2;
        assert_true(found(count, 300, 1000, 0) >= before);
    }
}
