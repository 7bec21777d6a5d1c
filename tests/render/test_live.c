/* The engine of the viewer in one process: what comes to rest is the headless picture, byte for
 * byte, whatever was asked for before. */
#include "tests/render/live_bench.h"

static void settle_and_compare(struct bench *bench, struct live_wish *wish)
{
    bench_ask(bench, wish);
    bench_wait(bench, "settled", bench_settled);
    bench_compare(bench, wish);
    view_destroy(&wish->view);
}

static void shallow_pictures_settle(const char *backend)
{
    struct bench bench;
    bench_open(&bench, backend);
    static const char *const zooms[] = {"0.4", "1", "30", "40000"};
    for (size_t i = 0; i < sizeof zooms / sizeof zooms[0]; i++) {
        struct live_wish wish =
            bench_wish(&bench, "-0.743643887", "0.131825904", zooms[i], 333, 222, 700);
        settle_and_compare(&bench, &wish);
    }
    bench_close(&bench);
}

static void shallow_pictures_settle_on_scalar(void **state)
{
    (void)state;
    shallow_pictures_settle("scalar");
}

static void shallow_pictures_settle_on_auto(void **state)
{
    (void)state;
    shallow_pictures_settle("auto");
}

static void deep_pictures_settle(void **state)
{
    (void)state;
    struct bench bench;
    bench_open(&bench, "auto");
    static const char *const zooms[] = {"1e8", "1e13", "1e14", "3e14", "1e30", "1e300"};
    for (size_t i = 0; i < sizeof zooms / sizeof zooms[0]; i++) {
        struct live_wish wish =
            bench_wish(&bench,
                       "-1."
                       "749957683706093503602214506070699707271105797262520779302428378202860080829"
                       "72804887218672784431700831100544507655659531379747541999999995",
                       "0."
                       "000000000000002787937065633794021782947537909443649270850545001630813790439"
                       "30650189386849765202169477470552201325772332454726999999999995",
                       zooms[i], 131, 90, 3000);
        settle_and_compare(&bench, &wish);
    }
    bench_close(&bench);
}

static bool fine(const struct live_state *state)
{
    return state->stage == LIVE_DONE && !state->settled;
}

/* A hand that moves gets previews; when it rests, the picture settles without another beginning. */
static void a_hand_that_comes_to_rest(const char *re, const char *im, const char *zoom)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_wish wish = bench_wish(&bench, re, im, zoom, 200, 160, 900);
    wish.pace = LIVE_MOVING;
    bench_ask(&bench, &wish);
    bench_wait(&bench, "previewed", fine);
    assert_true(bench.state.covered);
    uint64_t picture = bench.state.picture;
    wish.serial = ++bench.serial;
    wish.pace = LIVE_SETTLED;
    settle_and_compare(&bench, &wish);
    assert_int_equal(bench.state.picture, picture);
    bench_close(&bench);
}

static void a_hand_that_comes_to_rest_in_the_shallow(void **state)
{
    (void)state;
    a_hand_that_comes_to_rest("-0.743643887", "0.131825904", "100000");
}

static void a_hand_that_comes_to_rest_in_the_deep(void **state)
{
    (void)state;
    a_hand_that_comes_to_rest("-1.9", "0", "1e40");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shallow_pictures_settle_on_scalar),
        cmocka_unit_test(shallow_pictures_settle_on_auto),
        cmocka_unit_test(deep_pictures_settle),
        cmocka_unit_test(a_hand_that_comes_to_rest_in_the_shallow),
        cmocka_unit_test(a_hand_that_comes_to_rest_in_the_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
