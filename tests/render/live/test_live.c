/* The engine of the viewer in one process: what comes to rest is the headless picture, byte for
 * byte, whatever was asked for before. */
#include "tests/render/live/live_bench.h"

#include <stdio.h>

static uint64_t field_sum(const struct field *field)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < (size_t)field->width * (size_t)field->height; i++)
        sum = sum * 31 + field_count_at(field, i);
    return sum;
}

static void settle_and_compare(struct bench *bench, struct live_request *request)
{
    bench_ask(bench, request);
    bench_wait(bench, "settled", bench_settled);
    bench_compare(bench, request);
    view_destroy(&request->view);
}

static void shallow_pictures_settle(const char *backend)
{
    struct bench bench;
    bench_open(&bench, backend);
    static const char *const zooms[] = {"0.4", "1", "30", "40000"};
    for (size_t i = 0; i < sizeof zooms / sizeof zooms[0]; i++) {
        struct live_request request =
            bench_request(&bench, "-0.743643887", "0.131825904", zooms[i], 333, 222, 700);
        settle_and_compare(&bench, &request);
    }
    bench_close(&bench);
}

TEST(shallow_pictures_settle_on_scalar)
{
    shallow_pictures_settle("scalar");
}

TEST(shallow_pictures_settle_on_auto)
{
    shallow_pictures_settle("auto");
}

/* As a GPU gets them: rows of cells, and pictures at once that are cheap. */
TEST(pictures_in_rows_settle)
{
    struct bench bench;
    bench_open_as(&bench, "auto", 1000);
    for (int i = 0; i < 6; i++) {
        struct live_request request = bench_request(
            &bench, "-1.7499", "0.0001", i % 2 ? "300" : "1e17", 200, 150, i % 3 ? 300 : 0);
        request.samples = 1 + i % 2;
        request.pace = i < 3 ? LIVE_SETTLED : LIVE_MOVING;
        bench_ask(&bench, &request);
        usleep(3000);
        request.pace = LIVE_SETTLED;
        request.samples = 1;
        request.serial = ++bench.serial;
        settle_and_compare(&bench, &request);
    }
    bench_close(&bench);
}

static bool is_covered(const struct live_state *state)
{
    return state->covered;
}

/* Pictures that are computed at once, but not coloured: squares of four pixels come first. The
 * limit of the second is searched on them. On a busy machine no picture may be computed at once:
 * then their pixels alone are compared. */
TEST(large_pictures_are_covered_first)
{
    enum { WIDE = 2048, HIGH = 1100 };
    struct bench bench;
    int coarse = 0;
    bench_open_as(&bench, "auto", 1 << 17);
    for (int i = 0; i < 5; i++) {
        struct live_request request =
            bench_request(&bench, i % 2 ? "5" : "5.01", "0", "30", WIDE, HIGH, i == 1 ? 0 : 50);
        bench_ask(&bench, &request);
        bench_wait(&bench, "covered", is_covered);
        coarse += bench.state.stride == 4;
        settle_and_compare(&bench, &request);
    }
    printf("%d of 5 pictures were covered by squares first\n", coarse);
    bench_close(&bench);
}

TEST(deep_pictures_settle)
{
    struct bench bench;
    bench_open(&bench, "auto");
    static const char *const zooms[] = {"1e8", "1e13", "1e14", "3e14", "1e30", "1e300"};
    for (size_t i = 0; i < sizeof zooms / sizeof zooms[0]; i++) {
        struct live_request request = bench_request(
            &bench,
            "-1."
            "749957683706093503602214506070699707271105797262520779302428378202860080829"
            "72804887218672784431700831100544507655659531379747541999999995",
            "0."
            "000000000000002787937065633794021782947537909443649270850545001630813790439"
            "30650189386849765202169477470552201325772332454726999999999995",
            zooms[i], 131, 90, 3000);
        settle_and_compare(&bench, &request);
    }
    bench_close(&bench);
}

TEST(julia_sets_settle)
{
    struct bench bench;
    bench_open(&bench, "auto");
    static const char *const zooms[] = {"0.5", "3", "3e4", "1e11"};
    for (int i = 0; i < 4; i++) {
        struct live_request request =
            bench_request(&bench, "0.10123", "0.02", zooms[i], 200, 150, i % 2 ? 400 : 0);
        request.formula =
            (struct formula){.plane = DYNAMIC_PLANE, .c_re = -0.8 + 1e-3, .c_im = 0.156};
        settle_and_compare(&bench, &request);
        assert_true(bench.state.count_max > 20);
    }
    bench_close(&bench);
}

static bool failed_or_settled(const struct live_state *state)
{
    return state->stage == LIVE_FAILED || (state->settled && state->error[0]);
}

static void ask_and_see_error(struct bench *bench, struct live_request *request)
{
    double begin = clock_s();
    bench_ask(bench, request);
    do {
        usleep(1000);
        live_poll(bench->live, &bench->state, &bench->shown);
        if (clock_s() - begin > BENCH_PATIENCE_S)
            fail_msg("no error");
    } while (bench->state.serial != bench->serial || !failed_or_settled(&bench->state));
    assert_true(bench->state.error[0] != '\0');
}

/* What cannot be is refused in words, and the next request is as good as ever. */
TEST(requests_that_cannot_be_are_refused)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request = bench_request(&bench, "-0.5", "0", "1", 100, 80, 300);
    snprintf(request.palette, sizeof request.palette, "no such palette");
    ask_and_see_error(&bench, &request);
    request.serial = ++bench.serial;
    snprintf(request.palette, sizeof request.palette, "aurora");
    settle_and_compare(&bench, &request);
    request = bench_request(&bench, "0.1", "0.02", "1e16", 100, 80, 300);
    request.formula =
        (struct formula){.step = STEP_OWN,
                         .own = {.phases = 1,
                                 .end = {3},
                                 .operation = {OPERATION_SQR, OPERATION_ADD,
                                               OPERATION_SQR}}}; /* it has no perturbation */
    ask_and_see_error(&bench, &request);
    assert_int_equal(bench.state.stage, LIVE_FAILED);
    view_destroy(&request.view);
    request = bench_request(&bench, "-0.5", "0", "2", 100, 80, 300);
    bench_ask(&bench, &request);
    bench_wait(&bench, "settled", bench_settled);
    request.serial = ++bench.serial;
    snprintf(request.palette, sizeof request.palette, "no such palette");
    ask_and_see_error(&bench, &request); /* the one before stays */
    assert_true(bench.state.settled);
    bench_compare(&bench, &request);
    request.serial = ++bench.serial;
    snprintf(request.palette, sizeof request.palette, "aurora");
    bench_ask(&bench, &request);
    bench_wait(&bench, "settled", bench_settled);
    assert_int_equal(bench.state.error[0], '\0');
    view_destroy(&request.view);
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
    struct live_request request = bench_request(&bench, re, im, zoom, 200, 160, 900);
    request.pace = LIVE_MOVING;
    bench_ask(&bench, &request);
    bench_wait(&bench, "previewed", fine);
    assert_true(bench.state.covered);
    uint64_t picture = bench.state.picture;
    request.serial = ++bench.serial;
    request.pace = LIVE_SETTLED;
    settle_and_compare(&bench, &request);
    assert_int_equal(bench.state.picture, picture);
    bench_close(&bench);
}

TEST(a_hand_that_comes_to_rest_in_the_shallow)
{
    a_hand_that_comes_to_rest("-0.743643887", "0.131825904", "100000");
}

TEST(a_hand_that_comes_to_rest_in_the_deep)
{
    a_hand_that_comes_to_rest("-1.9", "0", "1e40");
}

/* Requests come faster than orbits are made, and yet there is something to see. */
TEST(a_hand_that_moves_in_the_deep_sees_previews)
{
    struct bench bench;
    bench_open(&bench, "auto");
    double begin = clock_s();
    for (int i = 0; !bench.state.covered; i++) {
        char re[400], zoom[32];
        snprintf(re, sizeof re,
                 "-1.7499576837060935036022145060706997072711057972625207793024%0200d%02d", 7,
                 i % 90);
        snprintf(zoom, sizeof zoom, "%.3fe250", 1 + i % 90 * 1e-3);
        struct live_request request = bench_request(&bench, re, "0", zoom, 100, 80, 300000);
        request.pace = LIVE_MOVING;
        bench_ask(&bench, &request);
        usleep(2000);
        live_poll(bench.live, &bench.state, &bench.shown);
        view_destroy(&request.view);
        if (clock_s() - begin > BENCH_PATIENCE_S)
            fail_msg("nothing to see after %d requests", i);
    }
    bench_close(&bench);
}

/* Another look of the same picture computes nothing, and is what it would have been from the start.
 */
TEST(another_look_computes_nothing)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request = bench_request(&bench, "-0.75", "0.1", "20", 300, 200, 500);
    bench_ask(&bench, &request);
    bench_wait(&bench, "settled", bench_settled);
    uint64_t iterations = bench.state.iterations, picture = bench.state.picture;
    request.serial = ++bench.serial;
    request.look.density = 2.5;
    request.look.offset = 0.3;
    bench_ask(&bench, &request);
    bench_wait(&bench, "settled", bench_settled);
    bench_compare(&bench, &request);
    assert_int_equal(bench.state.iterations, iterations);
    assert_int_equal(bench.state.picture, picture);
    view_destroy(&request.view);
    bench_close(&bench);
}

/* What somebody writes to a file stays as it was, though the engine has gone on. */
TEST(a_field_that_is_held_stays)
{
    struct bench bench;
    struct live_field held[3] = {0};
    uint64_t sum[3];
    bench_open(&bench, "auto");
    for (int i = 0; i < 3; i++) {
        struct live_request request =
            bench_request(&bench, "-0.75", "0.1", i == 1 ? "21" : "20", 300 - i / 2, 200, 500);
        settle_and_compare(&bench, &request);
        assert_int_equal(live_field_hold(bench.live, bench.serial - 1, &held[i]), STATUS_NO_INPUT);
        assert_int_equal(live_field_hold(bench.live, bench.serial, &held[i]), STATUS_OK);
        sum[i] = field_sum(&held[i].field);
    }
    bench_close(&bench);
    for (int i = 0; i < 3; i++) {
        assert_true(sum[i] != 0 && sum[i] == field_sum(&held[i].field));
        live_field_release(&held[i]);
        live_field_release(&held[i]); /* nothing is left of it */
    }
}

TEST(the_limit_is_found)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request = bench_request(&bench, "-0.75", "0", "0.8", 200, 200, 0);
    settle_and_compare(&bench, &request);
    assert_int_equal(bench.state.limit, 1000);
    request = bench_request(&bench, "0", "0", "100", 200, 200, 0); /* all inside */
    settle_and_compare(&bench, &request);
    assert_true(bench.state.limit >= 8000 && bench.state.undecided == 1);
    request = bench_request(&bench, "-0.743643887037158704752191506114774",
                            "0.131825904205311970493132056385139", "1e20", 200, 200, 0);
    settle_and_compare(&bench, &request);
    int64_t found = bench.state.limit;
    assert_true(bench.state.undecided < 0.01);
    request = bench_request(&bench, "-0.75", "0", "0.8", 200, 200, 0);
    settle_and_compare(&bench, &request);
    assert_int_equal(bench.state.limit, 1000); /* whatever was before */
    assert_true(found > 1000);
    bench_close(&bench);
}

static bool smooth(const struct live_state *state)
{
    return state->smooth && state->samples_done == 5;
}

/* Further samples leave the field alone; the picture becomes smoother, and is the same each time.
 */
TEST(samples_average)
{
    struct bench bench;
    uint32_t *first = NULL;
    size_t bytes = sizeof *first * 200 * 150;
    bench_open(&bench, "auto");
    for (int round = 0; round < 2; round++) {
        struct live_request request = bench_request(&bench, "-0.75", "0.1", "20", 200, 150, 500);
        request.samples = 5;
        request.bailout += round ? 1e-9 : 0; /* another picture with the same pixels */
        bench_ask(&bench, &request);
        bench_wait(&bench, "averaged", smooth);
        assert_true(bench.state.settled && bench.state.stage == LIVE_DONE);
        if (!first) {
            first = malloc(bytes);
            memcpy(first, bench.shown.pixels, bytes);
        }
        assert_memory_equal(first, bench.shown.pixels, bytes);
        request.serial = ++bench.serial;
        request.samples = 1;
        settle_and_compare(&bench, &request);
        assert_memory_not_equal(first, bench.shown.pixels, bytes);
    }
    free(first);
    bench_close(&bench);
}

static bool stopped(const struct live_state *state)
{
    return state->stage == LIVE_DONE;
}

/* Esc: what is there stays, and the next picture comes as ever. */
TEST(stopping_leaves_an_engine_that_works)
{
    struct bench bench;
    bench_open(&bench, "scalar");
    struct live_request request =
        bench_request(&bench, "-0.743643887", "0.131825904", "3000", 1500, 1200, 1000000);
    bench_ask(&bench, &request);
    while (!bench.state.covered)
        live_poll(bench.live, &bench.state, &bench.shown);
    live_stop(bench.live);
    bench_wait(&bench, "stopped", stopped);
    assert_false(bench.state.settled);
    view_destroy(&request.view);
    request = bench_request(&bench, "-0.743643887", "0.131825904", "30", 100, 100, 300);
    settle_and_compare(&bench, &request);
    bench_close(&bench);
}

/* Hundreds of requests in some seconds: most are overtaken, some come to rest, and those are right.
 */
TEST(many_requests)
{
    const int requests = check_long() ? 1000 : 250;
    struct bench bench;
    uint64_t seed = 20;
    int rested = 0;
    bench_open(&bench, "auto");
    for (int i = 0; i < requests; i++) {
        char re[32], zoom[32];
        bool deep = check_random(&seed) % 4 == 0;
        snprintf(re, sizeof re, "-1.9%02d", (int)(check_random(&seed) % 60));
        snprintf(zoom, sizeof zoom, "%.3fe%d", 1 + check_random_unit(&seed),
                 (int)(check_random(&seed) % 12) + (deep ? 12 : 0));
        struct live_request request =
            bench_request(&bench, re, "0.0003", zoom, 160 + (int32_t)(check_random(&seed) % 3), 120,
                          check_random(&seed) % 3 ? 400 : 0);
        request.pace = check_random(&seed) % 3 ? LIVE_MOVING : LIVE_SETTLED;
        request.samples = 1 + check_random(&seed) % 2;
        bench_ask(&bench, &request);
        if (check_random(&seed) % 4 == 0) { /* colours change while samples come */
            usleep((useconds_t)(check_random(&seed) % 3000));
            request.serial = ++bench.serial;
            request.look.density = 1 + check_random_unit(&seed);
            bench_ask(&bench, &request);
        }
        live_poll(bench.live, &bench.state, &bench.shown);
        if (i % 25 == 24) {
            request.serial = ++bench.serial;
            request.pace = LIVE_SETTLED;
            request.samples = 1;
            bench_ask(&bench, &request);
            bench_wait(&bench, "settled", bench_settled);
            bench_compare(&bench, &request);
            rested++;
        } else
            usleep((useconds_t)(check_random(&seed) % 12000));
        view_destroy(&request.view);
    }
    assert_int_equal(rested, requests / 25);
    print_message("late results dropped: %llu\n", (unsigned long long)bench.state.late);
    bench_close(&bench);
}

/* A Julia set beside a parabolic one, whose plan follows orbits for millions of steps. */
static struct live_request request_hard(struct bench *bench, int width)
{
    struct live_request request = bench_request(bench, "0", "0", "1", width, 48, 300000);
    request.formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = 0.25 + 1e-15};
    return request;
}

static double runner_s(const struct bench *bench)
{
    clockid_t clock;
    struct timespec time;
    assert_int_equal(pthread_getcpuclockid(bench->runner, &clock), 0);
    assert_int_equal(clock_gettime(clock, &time), 0);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Until the request has been taken, and its plan is being made. */
static void wait_taken(struct bench *bench, uint64_t serial)
{
    double begin = clock_s();
    do {
        usleep(100);
        live_poll(bench->live, &bench->state, NULL);
        assert_true(clock_s() - begin < BENCH_PATIENCE_S);
    } while (bench->state.serial < serial);
}

static bool planned(const struct live_state *state)
{
    return state->stage != LIVE_ORBIT;
}

/* A plan that another picture has made useless takes no more of the engine's time, which is that of
 * its processor: the machine may be loaded. And what is asked for again is planned as if nothing
 * had been. */
TEST(plans_are_given_up)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request hard = request_hard(&bench, 64);
    double begin_s = runner_s(&bench);
    bench_ask(&bench, &hard);
    bench_wait(&bench, "planned", planned);
    double whole_s = runner_s(&bench) - begin_s, least_s = whole_s;
    for (int i = 0; i < 3; i++) {
        struct live_request other = request_hard(&bench, 65 + i);
        bench_ask(&bench, &other);
        wait_taken(&bench, other.serial);
        begin_s = runner_s(&bench);
        struct live_request easy = bench_request(&bench, "-0.5", "0", "1", 64, 48, 200);
        bench_ask(&bench, &easy);
        wait_taken(&bench, easy.serial);
        least_s = fmin(least_s, runner_s(&bench) - begin_s);
        view_destroy(&other.view);
        view_destroy(&easy.view);
    }
    print_message("a plan takes %.3f s, one that is given up %.3f s\n", whole_s, least_s);
    assert_true(least_s < whole_s / 4);
    hard.serial = ++bench.serial;
    bench_ask(&bench, &hard);
    live_stop(bench.live);
    view_destroy(&hard.view);
    bench_close(&bench);
}

static bool has_gpu(void)
{
    for (int i = 0; i < backend_kinds_count; i++)
        if (backend_kinds[i]->memory && backend_kinds[i]->devices() > 0)
            return true;
    return false;
}

/* usage: test_live [gpu]: for what "auto" is then; ends with 77 where there is none. */
int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "gpu") && !has_gpu())
        return 77;
    return check_run(NULL, NULL);
}
