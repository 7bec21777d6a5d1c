/* The engine of the viewer over several ranks: pictures that come to rest are the headless ones,
 * whatever becomes of a rank.
 *
 * usage: mpi_live CASE: calm: nothing happens · slow: rank 1 takes long for each piece · lost: rank
 * 1 loses its device · silent: rank 1 stands still for a while · sets: workers are left out and
 * take part again while they compute, and each computes a picture alone. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "kernels/backend.h"
#include "render/live/live.h"
#include "render/picture/picture.h"
#include "tests/support/world_end.h"
#include "tests/support/wrap_compute.h"

enum { RESTS = 6, REQUESTS_BETWEEN = 12, WIDTH = 200, HEIGHT = 150 };

#define PATIENCE_S 240.0

/* ---- what becomes of rank 1 ------------------------------------------------------------------ */

static int pieces_slow, pieces_lost; /* of this rank: microseconds for each; lost after so many */
static int pieces;

enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work)
{
    int before = __atomic_fetch_add(&pieces, 1, __ATOMIC_RELAXED);
    if (pieces_slow)
        usleep((useconds_t)pieces_slow);
    if (pieces_lost && before >= pieces_lost)
        return status_fail(STATUS_DEVICE_LOST, "a device that is played was lost");
    return __real_backend_compute(backend, spec, grid, out, work);
}

/* ---- the hand -------------------------------------------------------------------------------- */

struct rest { /* a place where the hand rests */
    char re[32], zoom[32];
    struct live_field settled;
    int64_t limit;
};

static struct rest rests[RESTS];

static void rest_choose(struct rest *rest, int i)
{
    static const char *const zooms[RESTS] = {"1", "250", "3e4", "1e9", "2e16", "1e25"};
    snprintf(rest->re, sizeof rest->re, "-1.9%02d", 7 * i);
    snprintf(rest->zoom, sizeof rest->zoom, "%s", zooms[i]);
}

_Noreturn static void hand_fail(const char *why, const struct live_state *state)
{
    fprintf(stderr, "mpi_live: %s: stage %d, %.3f done, %s\n", why, state->stage, state->done,
            state->error);
    _Exit(1);
}

static void ask(struct live *live, struct live_request *request, const char *re, const char *zoom)
{
    if (view_set(&request->view, re, "0.0003", zoom, 5, WIDTH, HEIGHT) != STATUS_OK ||
        live_ask(live, request) != STATUS_OK) {
        fprintf(stderr, "mpi_live: %s\n", status_text());
        _Exit(1);
    }
}

static void settle(struct live *live, uint64_t serial, struct rest *rest)
{
    static struct live_state state;
    double begin = clock_s();
    do {
        usleep(1000);
        live_poll(live, &state, NULL);
        if (state.stage == LIVE_FAILED || clock_s() - begin > PATIENCE_S)
            hand_fail("not settled", &state);
    } while (state.serial != serial || !state.settled);
    if (live_field_hold(live, serial, &rest->settled) != STATUS_OK)
        hand_fail(status_text(), &state);
    rest->limit = rest->settled.limit;
}

static void compare(const struct field *live, const struct field *field, int i);

/* Leaves workers out and takes them back while the picture is computed: all sets in turn, that of
 * nobody, which is that of all, among them. */
static void sets_change(struct live *live, struct live_request *request, const struct rest *rest)
{
    static struct live_state state;
    for (unsigned k = 0; k < 24; k++) {
        request->without.bits[0] = k % 8;
        request->workers = k % 5 == 4 ? 2 : 0;
        request->serial++;
        ask(live, request, rest->re, rest->zoom);
        usleep(2000);
        live_poll(live, &state, NULL);
    }
    request->without.bits[0] = 0;
    request->workers = 0;
    request->serial++;
    ask(live, request, rest->re, rest->zoom);
}

/* The picture again, by one worker alone: the same field, and no piece of it by another. */
static void alone_compute(struct live *live, struct live_request *request, const struct rest *rest,
                          int i)
{
    static struct live_state before, after;
    struct rest again = *rest;
    live_poll(live, &before, NULL);
    int worker = i % before.workers;
    request->without.bits[0] = ~(UINT64_C(1) << worker);
    request->again++;
    request->serial++;
    ask(live, request, rest->re, rest->zoom);
    settle(live, request->serial, &again);
    live_poll(live, &after, NULL);
    compare(&again.settled.field, &rest->settled.field, i);
    live_field_release(&again.settled);
    for (int w = 0; w < after.workers; w++)
        if (w != worker && after.worker[w].tiles != before.worker[w].tiles)
            hand_fail("a worker that is left out has computed", &after);
    if (after.computing != 1 || !after.worker[worker].computes || !(after.picture_one_s > 0) ||
        after.picture_s != after.picture_one_s || after.arrivals <= before.arrivals ||
        after.arrival[after.arrivals % LIVE_ARRIVALS].worker != worker)
        hand_fail("the times of a single worker are not told", &after);
    request->without.bits[0] = 0;
}

struct hand {
    struct live *live;
    bool sets;
    pid_t silent; /* stands still while the second picture is to settle; 0: nobody */
};

static void *hand_move(void *context)
{
    const struct hand *hand = context;
    struct live_request request = {.bailout = 1024,
                                   .look = {.density = 1},
                                   .palette = "aurora",
                                   .pointer_x = 30,
                                   .pointer_y = 40};
    for (int i = 0; i < RESTS; i++) {
        request.pace = LIVE_MOVING;
        request.limit = i % 2 ? 0 : 500;
        for (int k = 0; k < REQUESTS_BETWEEN; k++) {
            char zoom[32];
            snprintf(zoom, sizeof zoom, "%d", 1 + k * k * (i + 1));
            request.serial++;
            ask(hand->live, &request, rests[i].re, zoom);
            usleep((useconds_t)(k % 4) * 4000);
        }
        request.serial++;
        request.pace = LIVE_SETTLED;
        ask(hand->live, &request, rests[i].re, rests[i].zoom);
        if (hand->silent && i == 1) {
            usleep(20000); /* it has two pieces by now, which take it 30 ms each */
            kill(hand->silent, SIGSTOP);
        }
        if (hand->sets)
            sets_change(hand->live, &request, &rests[i]);
        settle(hand->live, request.serial, &rests[i]);
        if (hand->sets)
            alone_compute(hand->live, &request, &rests[i], i);
        if (hand->silent && i == 1)
            kill(hand->silent, SIGCONT);
    }
    view_destroy(&request.view);
    live_quit(hand->live);
    return NULL;
}

/* ---- the headless pictures ------------------------------------------------------------------- */

static void compare(const struct field *live, const struct field *field, int i)
{
    size_t pixels = (size_t)field->width * (size_t)field->height;
    for (size_t p = 0; p < pixels; p++)
        if (field_count_at(live, p) != field_count_at(field, p)) {
            fprintf(stderr, "mpi_live: rest %d, pixel %zu: %" PRIu64 " instead of %" PRIu64 "\n", i,
                    p, field_count_at(live, p), field_count_at(field, p));
            _Exit(1);
        }
    if (memcmp(live->plane[PLANE_FRACTION], field->plane[PLANE_FRACTION], pixels * sizeof(float))) {
        fprintf(stderr, "mpi_live: rest %d: fractions differ\n", i);
        _Exit(1);
    }
}

static enum status headless(struct world *world, int i)
{
    bool root = world_rank(world) == 0;
    struct rest *rest = &rests[i];
    struct renderer_options options = {.backend = "auto", .threads = 1};
    struct picture picture = {.spec.limit = rest->limit,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = "auto",
                              .transport = "auto"};
    struct renderer *renderer;
    struct field field;
    struct picture_report report = {.plan_s = 0};
    TRY(view_set(&picture.view, rest->re, "0.0003", rest->zoom, 5, WIDTH, HEIGHT));
    TRY(renderer_open(&renderer, world, root ? &options : NULL));
    TRY(picture_render(renderer, root ? &picture : NULL, NULL, &field, &report));
    if (root)
        compare(&rest->settled.field, &field, i);
    picture_report_destroy(&report);
    renderer_close(renderer);
    view_destroy(&picture.view);
    return STATUS_OK;
}

/* ---- all ranks ------------------------------------------------------------------------------- */

static enum status engine_run(struct world *world, const char *what)
{
    struct live_options options = {.renderer = {.backend = "auto", .threads = 1},
                                   .assets = DEEPFIELD_ASSETS,
                                   .accuracy_px = ACCURACY_EXACT_PX};
    int rank = world_rank(world);
    pid_t pid = getpid(), *pids = calloc((size_t)world_size(world), sizeof *pids);
    struct hand hand = {.sets = !strcmp(what, "sets")};
    pthread_t thread;
    if (rank == 1 && (!strcmp(what, "slow") || !strcmp(what, "silent")))
        pieces_slow = 30000;
    if (rank == 1 && !strcmp(what, "lost"))
        pieces_lost = 40;
    if (hand.sets)
        pieces_slow = 1000;
    TRY(world_gather(world, &pid, sizeof pid, pids));
    TRY(live_open(&hand.live, world, rank == 0 ? &options : NULL));
    enum status status;
    if (rank == 0) {
        hand.silent = !strcmp(what, "silent") && world_size(world) > 1 ? pids[1] : 0;
        pthread_create(&thread, NULL, hand_move, &hand);
        status = live_run(hand.live);
        pthread_join(thread, NULL);
    } else
        status = live_serve(hand.live);
    live_close(hand.live);
    free(pids);
    pieces_slow = pieces_lost = 0;
    return status;
}

int main(int count, char **argument)
{
    struct world *world;
    const char *what = count > 1 ? argument[1] : "calm";
    if (world_open(&world, NULL) != STATUS_OK)
        return 1;
    for (int i = 0; i < RESTS; i++)
        rest_choose(&rests[i], i);
    enum status status = engine_run(world, what);
    status = world_agree(world, status);
    for (int i = 0; status == STATUS_OK && i < RESTS; i++) {
        status = world_tell(world, status, &rests[i].limit, sizeof rests[i].limit);
        if (status == STATUS_OK)
            status = headless(world, i);
    }
    if (status != STATUS_OK) {
        fprintf(stderr, "mpi_live: %s\n", status_text());
        world_end(world, status);
    }
    for (int i = 0; i < RESTS; i++)
        live_field_release(&rests[i].settled);
    world_close(world);
    return 0;
}
