/* Do several ranks compute whatever rank 0 asks for next, and nothing that it asked for before? */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "mpi_session.h"

struct play play;
struct session *session;
struct seen seen[64];
uint64_t present;

/* --- trouble on the way ----------------------------------------------------------------------- */

int damage_kind = -1;
size_t damage_at;
bool damage_scene;
static int64_t silent_until_us; /* atomic */

void check_undo(void)
{
    damage_kind = -1;
    damage_scene = false;
}

void nap(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)(1e9 * (seconds - (double)time.tv_sec));
    nanosleep(&time, NULL);
}

static bool is_silent(void)
{
    return 1e6 * clock_s() < (double)__atomic_load_n(&silent_until_us, __ATOMIC_ACQUIRE);
}

/* A rank that is silent does not look for messages, and sends none. */
int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    while (is_silent())
        nap(0.001);
    return PMPI_Improbe(from, tag, comm, flag, message, status);
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    unsigned char *copy = NULL; /* of a scene, which goes to others too */
    if (tag == damage_kind && comm == world->tiles)
        ((unsigned char *)(uintptr_t)bytes)[damage_at] ^= 0x10;
    if (damage_scene && comm == world->pixels && to == 1) {
        copy = malloc((size_t)count * 64); /* never freed: it has to last */
        memcpy(copy, bytes, (size_t)count * 64);
        copy[damage_at] ^= 0x10;
    }
    return PMPI_Isend(copy ? copy : bytes, count, type, to, tag, comm, request);
}

/* --- the calls, on every rank ----------------------------------------------------------------- */

static struct {
    volatile int give_up;
    int in_compute, in_scene; /* atomic */
    uint64_t epoch, sum;      /* of the scene that is prepared */
    double cpu_s, clock_s;    /* at the first MEASURING scene */
    struct seen seen;         /* counted atomically */
} here;

static void add(int *number, int change)
{
    __atomic_add_fetch(number, change, __ATOMIC_ACQ_REL);
}

static bool given_up(void)
{
    return __atomic_load_n(&here.give_up, __ATOMIC_RELAXED) != 0;
}

static enum status act(const struct words *words)
{
    double until_s = clock_s() + 1e-6 * words->microseconds;
    if (words->deed == SILENT)
        __atomic_store_n(&silent_until_us, (int64_t)(1e6 * until_s), __ATOMIC_RELEASE);
    if (words->deed == FAILING)
        return status_fail(STATUS_IO, "failing on purpose");
    if (words->deed == LOSING)
        return status_fail(STATUS_DEVICE_LOST, "device of rank %d", world_rank(world));
    bool deaf = words->deed == DEAF || words->deed == SILENT;
    while (words->deed == ENDLESS || clock_s() < until_s) {
        if (!deaf && given_up())
            return status_fail(STATUS_STOPPED, "given up");
        nap(0.0002);
    }
    return STATUS_OK;
}

static void measure(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double cpu_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                   1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    if (here.clock_s > 0)
        here.seen.cpu_share = (cpu_s - here.cpu_s) / (clock_s() - here.clock_s);
    here.cpu_s = cpu_s;
    here.clock_s = clock_s();
}

static uint64_t sum_of(uint64_t epoch, size_t length)
{
    uint64_t state = epoch + length;
    return check_random(&state);
}

static enum status prepare(void *context, uint64_t epoch, const void *bytes, size_t length)
{
    (void)context;
    struct words words;
    memcpy(&words, bytes, sizeof words);
    add(&here.seen.scenes, 1);
    add(&here.in_scene, 1);
    add(&here.seen.wrong, here.in_compute > 0 || here.in_scene > 1 || epoch <= here.epoch);
    const unsigned char *rest = bytes;
    for (size_t i = sizeof words; i < length; i += 997)
        add(&here.seen.wrong, rest[i] != (unsigned char)(epoch + i));
    here.epoch = epoch;
    here.sum = sum_of(epoch, length);
    if (words.deed == MEASURING)
        measure();
    enum status status = act(&words);
    add(&here.seen.scenes_given_up, status == STATUS_STOPPED);
    add(&here.in_scene, -1);
    return status;
}

static void fill(unsigned char *bytes, size_t length, uint64_t sum, uint64_t id)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(sum + id + i);
}

static enum status compute(void *context, int lane, const struct session_task *task, void *result,
                           uint64_t *iterations)
{
    (void)context, (void)lane;
    struct words words;
    memcpy(&words, task->words, sizeof words);
    add(&here.seen.computes, 1);
    add(&here.in_compute, 1);
    if (here.in_compute > here.seen.most_at_once)
        here.seen.most_at_once = here.in_compute;
    add(&here.seen.wrong, here.in_scene > 0 || task->epoch != here.epoch);
    fill(result, task->result_bytes, here.sum, task->id);
    *iterations += 10;
    enum status status = act(&words);
    add(&here.in_compute, -1);
    return status;
}

/* --- the frame -------------------------------------------------------------------------------- */

static size_t scene_bytes; /* of the scene shown last */

enum status perform(void (*scenario)(void))
{
    bool works = world_rank(world) > 0 || world_size(world) == 1 || play.root_works;
    memset(&here, 0, sizeof here);
    struct session_options options = {
        .calls = {.context = &here, .scene = prepare, .compute = compute, .give_up = &here.give_up},
        .lanes = works ? play.lanes : 0,
        .credits = works ? play.credits : 0,
        .patience_s = play.patience_s};
    enum status status = session_open(&session, world, &options);
    EXPECT(status == STATUS_OK);
    if (status != STATUS_OK)
        return status;
    present = 0;
    if (world_rank(world) == 0)
        scenario();
    else
        session_serve(session);
    status = session_close(session);
    EXPECT(here.seen.wrong == 0);
    EXPECT(here.seen.most_at_once <= play.lanes);
    EXPECT(world_gather(world, &here.seen, sizeof here.seen, seen) == STATUS_OK);
    return status;
}

void show(enum deed deed, uint32_t microseconds, size_t bytes)
{
    struct words words = {deed, microseconds};
    unsigned char *scene = malloc(bytes);
    present++;
    for (size_t i = 0; i < bytes; i++)
        scene[i] = (unsigned char)(present + i);
    memcpy(scene, &words, sizeof words);
    scene_bytes = bytes;
    EXPECT(session_scene(session, present, scene, bytes) == STATUS_OK);
    free(scene);
}

void give(int worker, uint64_t id, size_t bytes, enum deed deed, uint32_t microseconds)
{
    struct words words = {deed, microseconds};
    struct session_task task = {.epoch = present, .id = id, .result_bytes = bytes};
    memcpy(task.words, &words, sizeof words);
    EXPECT(session_may_give(session, worker));
    EXPECT(session_give(session, worker, &task) == STATUS_OK);
}

static void check_result(const struct session_result *result)
{
    EXPECT(result->task.epoch == present);
    if (result->news != SESSION_TASK || result->status != STATUS_OK)
        return;
    unsigned char *expected = malloc(result->task.result_bytes + 1);
    fill(expected, result->task.result_bytes, sum_of(present, scene_bytes), result->task.id);
    EXPECT(!memcmp(expected, result->bytes, result->task.result_bytes));
    EXPECT((uintptr_t)result->bytes % 64 == 0 && result->iterations == 10);
    free(expected);
}

static bool take(struct session_result *result)
{
    bool any = session_take(session, result);
    if (any && result->news == SESSION_TASK)
        check_result(result);
    return any;
}

bool step(struct session_result *result, double within_s)
{
    if (take(result))
        return true;
    session_wait(session, (int64_t)(1e6 * within_s) + 1);
    return take(result);
}

bool next(struct session_result *result, double within_s)
{
    double until_s = clock_s() + within_s;
    for (double left_s = within_s; left_s > 0; left_s = until_s - clock_s())
        if (step(result, left_s))
            return true;
    return take(result);
}

static bool all_ready(void)
{
    for (int i = 0; i < session_workers(session); i++) {
        const struct session_worker *worker = session_worker(session, i);
        if (worker->alive && !worker->ready)
            return false;
    }
    return true;
}

void wait_until_ready(void)
{
    struct session_result result;
    double until_s = clock_s() + 20;
    while (!all_ready() && clock_s() < until_s) {
        EXPECT(!session_take(session, &result));
        session_wait(session, 1000000);
    }
    EXPECT(all_ready());
}

int worker_of_rank(int rank)
{
    int i = 0;
    while (i < session_workers(session) && session_worker(session, i)->rank != rank)
        i++;
    return i;
}

int last_worker(void)
{
    return session_workers(session) - 1;
}

/* --- what is promised ------------------------------------------------------------------------- */

/* Both kinds of world: rank 0 only coordinates, or computes too. */
static void play_both(void (*scenario)(void))
{
    for (int works = 0; works < 2; works++) {
        play = (struct play){.root_works = works, .lanes = 1 + works, .credits = 2 + works};
        EXPECT(perform(scenario) == STATUS_OK);
    }
    settle();
}

static void give_all(uint64_t *given, uint64_t tasks)
{
    for (int i = 0; i < session_workers(session); i++)
        while (*given < tasks && session_may_give(session, i)) {
            give(i, *given, *given % 7 * 10007, PLAIN, 300);
            ++*given;
        }
}

static void four_hundred_tasks(void)
{
    enum { TASKS = 400 };
    int home[TASKS] = {0}, back = 0;
    uint64_t given = 0, bytes = 0, tiles = 0;
    show(PLAIN, 0, 3000);
    wait_until_ready();
    struct session_result result;
    for (give_all(&given, TASKS); back < TASKS && next(&result, 20); back++) {
        EXPECT(result.news == SESSION_TASK && result.status == STATUS_OK);
        EXPECT(home[result.task.id]++ == 0);
        give_all(&given, TASKS);
    }
    EXPECT(back == TASKS && !session_take(session, &result));
    for (int i = 0; i < session_workers(session); i++) {
        const struct session_worker *worker = session_worker(session, i);
        EXPECT(worker->tiles > 0 && worker->iterations == 10 * worker->tiles);
        EXPECT(worker->busy_s >= 300e-6 * (double)worker->tiles);
        EXPECT(worker->outstanding == 0 && worker->late == 0 && worker->heard_s == 0);
        EXPECT((worker->rank == 0) == !strcmp(worker->road, "local"));
        EXPECT(worker->host[0] && worker->lanes == play.lanes);
        bytes += worker->bytes;
        tiles += worker->rank > 0 ? worker->tiles : 0;
    }
    EXPECT(tiles == 0 || bytes > 0);
}

static void tasks_come_home_from_every_rank(void **state)
{
    (void)state;
    play_both(four_hundred_tasks);
}

/* Scenes of all sizes, as fast as a hand cannot ask for them, with tasks under way at every change;
 * then the last one is finished whole. */
static void thousand_scenes(void)
{
    uint64_t seed = 5, id = 0, delivered = 0, late = 0, given = 0;
    struct session_result result;
    for (int i = 0; i < 1000; i++) {
        size_t bytes = 8 + check_random(&seed) % (i % 50 ? 20000 : 3000000);
        show(PLAIN, check_random(&seed) % 4 ? 0 : 500, bytes);
        double until_s = clock_s() + 0.004 * check_random_unit(&seed);
        for (double left_s; (left_s = until_s - clock_s()) > 0;) {
            for (int w = 0; w < session_workers(session); w++)
                while (session_may_give(session, w))
                    give(w, id++, 5000, check_random(&seed) % 5 ? PLAIN : ENDLESS, 100);
            delivered += step(&result, left_s);
        }
        if (i % 7 == 0)
            session_cancel(session);
    }
    show(PLAIN, 0, 1000);
    wait_until_ready();
    int back = 0;
    for (give_all(&given, 50); back < 50 && next(&result, 20); back++)
        give_all(&given, 50);
    EXPECT(back == 50 && !session_take(session, &result));
    for (int w = 0; w < session_workers(session); w++)
        late += session_worker(session, w)->late;
    EXPECT(delivered > 0);
    print_message("%d ranks, 1,000 scenes: %llu tasks, %llu delivered, %llu late\n",
                  world_size(world), (unsigned long long)id, (unsigned long long)delivered,
                  (unsigned long long)late);
}

static void every_result_is_of_the_present_scene(void **state)
{
    (void)state;
    play_both(thousand_scenes);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From a scene to the first result of every worker, all of which were at work for ever. */
static void fifty_cancels(void)
{
    enum { ROUNDS = 50 };
    double took_s[ROUNDS];
    struct session_result result;
    int workers = session_workers(session);
    for (int round = 0; round < ROUNDS; round++) {
        double start_s = clock_s();
        show(PLAIN, 0, 100000);
        int given = 0, home = 0;
        while (home < workers && clock_s() < start_s + 20) {
            for (int w = 0; w < workers; w++)
                if (session_may_give(session, w) &&
                    session_worker(session, w)->tiles == (uint64_t)round &&
                    session_worker(session, w)->outstanding == 0) {
                    give(w, (uint64_t)given++, 1000, PLAIN, 0);
                }
            home += step(&result, 0.5);
        }
        took_s[round] = clock_s() - start_s;
        for (int w = 0; w < workers; w++)
            while (session_may_give(session, w))
                give(w, (uint64_t)given++, 1000, ENDLESS, 0);
        EXPECT(!next(&result, 0.01));
    }
    qsort(took_s, ROUNDS, sizeof *took_s, by_value);
    print_message("%d ranks: from a new scene to new results of all: p50 %.1f, most %.1f ms\n",
                  world_size(world), 1e3 * took_s[ROUNDS / 2], 1e3 * took_s[ROUNDS - 1]);
    EXPECT(took_s[ROUNDS / 2] < 0.05); /* the machine may be busy with other things */
}

static void cancels_are_quick(void **state)
{
    (void)state;
    play_both(fifty_cancels);
}

/* They have arrived, or lie in the lanes, when a newer scene comes. */
static void too_late(void)
{
    struct session_result result;
    show(PLAIN, 0, 100);
    wait_until_ready();
    int given = 0;
    for (int w = 0; w < session_workers(session); w++)
        while (session_may_give(session, w))
            give(w, (uint64_t)given++, 1000, PLAIN, 0);
    nap(0.3);
    show(PLAIN, 0, 100);
    wait_until_ready();
    EXPECT(!next(&result, 0.1));
    uint64_t late = 0;
    for (int w = 0; w < session_workers(session); w++) {
        EXPECT(session_worker(session, w)->tiles == 0);
        late += session_worker(session, w)->late;
    }
    EXPECT(late == (uint64_t)given);
}

static void late_results_are_dropped_and_counted(void **state)
{
    (void)state;
    play_both(too_late);
}

/* Meanwhile every rank is heard of. */
static void long_scenes(void)
{
    struct session_result result;
    show(ENDLESS, 0, 100);
    EXPECT(!next(&result, 1.5));
    for (int w = 0; w < session_workers(session); w++) {
        const struct session_worker *worker = session_worker(session, w);
        EXPECT(!worker->ready && worker->heard_s < 1.2);
    }
    show(PLAIN, 0, 100);
    wait_until_ready();
}

static void a_scene_that_takes_long_gives_way(void **state)
{
    (void)state;
    play_both(long_scenes);
    for (int rank = 0; world_rank(world) == 0 && rank < world_size(world); rank++)
        EXPECT(seen[rank].scenes == 2 && seen[rank].scenes_given_up == 1);
    settle();
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void idle(void)
{
    struct session_result result;
    show(MEASURING, 0, 100);
    wait_until_ready();
    next(&result, 0.1); /* what has just been awake looks on for some milliseconds */
    double before_s = cpu_s();
    EXPECT(!next(&result, 2));
    EXPECT(cpu_s() - before_s < 0.01); /* rank 0 sleeps, whether there are others or not */
    show(MEASURING, 0, 100);
    wait_until_ready();
}

static void idle_ranks_cost_little(void **state)
{
    (void)state;
    play_both(idle);
    for (int rank = 1; world_rank(world) == 0 && rank < world_size(world); rank++) {
        print_message("rank %d, idle: %.2f %% of a core\n", rank, 100 * seen[rank].cpu_share);
        EXPECT(seen[rank].cpu_share < 0.03);
    }
    settle();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_come_home_from_every_rank),
        cmocka_unit_test(every_result_is_of_the_present_scene),
        cmocka_unit_test(cancels_are_quick),
        cmocka_unit_test(late_results_are_dropped_and_counted),
        cmocka_unit_test(a_scene_that_takes_long_gives_way),
        cmocka_unit_test(idle_ranks_cost_little),
    };
    if (!check_begin())
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    world_close(world);
    return failed != 0;
}
