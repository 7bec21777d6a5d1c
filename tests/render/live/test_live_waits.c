/* Whoever shows the picture never waits for it: not while a large one is made, coloured anew, kept
 * for a file, averaged, given up, or replaced by one of another size. */
#include "tests/render/live/live_bench.h"
#include "tests/support/sanitized.h"

/* So large only where times are judged. */
static int32_t side(void)
{
    return check_long() && !SANITIZED ? 8192 : 1024;
}

/* No work on a picture may be waited for; all of it takes far longer on one of this size. The bound
 * leaves room for threads that have to wait for a core. */
#define LONGEST_S 0.25

static void call_took(const char *call, const char *what, double since_s)
{
    double took = clock_s() - since_s;
    if (check_long() && took > LONGEST_S)
        fail_msg("%s waited for %.0f ms while a picture was being %s", call, took * 1e3, what);
}

static void ask(struct bench *bench, struct live_request *request, const char *what)
{
    request->serial = ++bench->serial;
    double since_s = clock_s();
    assert_int_equal(live_ask(bench->live, request), STATUS_OK);
    call_took("live_ask", what, since_s);
}

/* Looks as often as it can, until all is done or for so long. */
static void watch(struct bench *bench, double seconds, const char *what)
{
    struct live_owners owners = {0};
    double begin = clock_s();
    const struct live_state *state = &bench->state;
    do {
        usleep(200);
        double since_s = clock_s();
        live_poll(bench->live, &bench->state, NULL);
        (void)live_version(bench->live);
        call_took("live_poll", what, since_s);
        since_s = clock_s();
        assert_int_equal(live_who(bench->live, &owners), STATUS_OK);
        call_took("live_who", what, since_s);
        if (clock_s() - begin > seconds) {
            assert_true(seconds < BENCH_PATIENCE_S);
            break;
        }
    } while (state->serial != bench->serial || !state->settled || state->stage != LIVE_DONE);
    free(owners.cell);
}

static void go(struct bench *bench, struct live_request *request, double seconds, const char *what)
{
    ask(bench, request, what);
    watch(bench, seconds, what);
}

/* Its orbit takes a while, during which no device computes for another picture. */
TEST(the_first_picture_cancels_nothing)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request = bench_request(&bench, "-0.75", "0.1", "1e40", 32, 32, 400);
    go(&bench, &request, BENCH_PATIENCE_S, "made");
    const struct live_moments *moments = &bench.state.moments;
    assert_true(moments->asked > 0 && moments->cancelled == moments->asked);
    bench_close(&bench);
}

TEST(nobody_waits_for_a_large_picture)
{
    struct bench bench;
    bench_open(&bench, "auto");
    struct live_request request = bench_request(&bench, "-0.5", "0", "0.02", side(), side(), 20);
    go(&bench, &request, BENCH_PATIENCE_S, "made");
    request.look.density = 2;
    go(&bench, &request, BENCH_PATIENCE_S, "coloured");
    request.bailout += 1;
    go(&bench, &request, 0.1, "begun anew");
    request.view.width /= 2;
    request.view.height /= 2;
    go(&bench, &request, BENCH_PATIENCE_S, "made smaller");
    struct live_field field;
    double since_s = clock_s();
    assert_int_equal(live_field_hold(bench.live, bench.serial, &field), STATUS_OK);
    call_took("live_field_hold", "held", since_s);
    request.bailout += 1;
    go(&bench, &request, BENCH_PATIENCE_S, "replaced");
    live_field_release(&field);
    request.samples = 2;
    go(&bench, &request, BENCH_PATIENCE_S, "averaged");
    request.look.density = 3;
    go(&bench, &request, 0.1, "coloured again");
    request.view.width *= 2;
    go(&bench, &request, 0.1, "made larger");
    view_destroy(&request.view);
    bench_close(&bench);
}
