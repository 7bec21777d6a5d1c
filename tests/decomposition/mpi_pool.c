/* The program that runs on all ranks: what the tests of pools share, and main. The MPI_
 * functions defined here stand before the library's, and make trouble when asked to. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "decomposition/pool/worker.h"
#include "mpi_pool.h"

struct play play;
struct pool *pool;
struct seen seen[64];
uint64_t present;
double closed_s;

static struct {
    volatile int give_up;
    int in_compute, in_context; /* atomic */
    uint64_t epoch, sum;        /* of the context that is prepared */
    double clock_s;             /* at the first MEASURING context */
    struct seen seen;           /* counted atomically */
} here;

static int add(int *number, int change)
{
    return __atomic_add_fetch(number, change, __ATOMIC_ACQ_REL);
}

/* --- trouble on the way ----------------------------------------------------------------------- */

int damage_kind = -1;
size_t damage_at;
bool damage_context, scarce, broken;
static int64_t silent_until_us; /* atomic */

void check_undo(void)
{
    damage_kind = -1;
    damage_context = scarce = broken = false;
}

/* Linked with --wrap. */
enum status __real_context_make(struct context **out, uint64_t epoch, size_t length);
enum status __wrap_context_make(struct context **out, uint64_t epoch, size_t length);
enum status __wrap_context_make(struct context **out, uint64_t epoch, size_t length)
{
    if (!scarce || world_rank(world) != 1 || length < 1 << 20)
        return __real_context_make(out, epoch, length);
    *out = NULL;
    return status_fail(STATUS_OUT_OF_MEMORY, "this test plays it");
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
    add(&here.seen.looks, 1);
    if (broken && world_rank(world) == 0)
        return MPI_ERR_OTHER;
    return PMPI_Improbe(from, tag, comm, flag, message, status);
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    unsigned char *copy = NULL; /* of a context, which goes to others too */
    if (tag == damage_kind && comm == world->tiles)
        ((unsigned char *)(uintptr_t)bytes)[damage_at] ^= 0x10;
    if (damage_context && comm == world->pixels && to == 1) {
        copy = malloc((size_t)count * 64); /* never freed: it has to last */
        memcpy(copy, bytes, (size_t)count * 64);
        copy[damage_at] ^= 0x10;
    }
    return PMPI_Isend(copy ? copy : bytes, count, type, to, tag, comm, request);
}

/* --- the calls, on every rank ----------------------------------------------------------------- */

static void raise_to(int *most, int number)
{
    int before = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (before < number && !__atomic_compare_exchange_n(most, &before, number, true,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
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
    while (words->deed == LOSING && words->microseconds && !given_up())
        nap(0.0002);
    if (words->deed == LOSING)
        return status_fail(STATUS_DEVICE_LOST, "device of rank %d", world_rank(world));
    bool deaf = words->deed == DEAF || words->deed == SILENT;
    while (words->deed == ENDLESS || clock_s() < until_s) {
        if (!deaf && given_up())
            return status_fail(STATUS_STOPPED, "given up");
        nap(0.0002);
    }
    if (deaf)
        __atomic_store(&here.seen.deaf_until_s, &until_s, __ATOMIC_RELAXED);
    return STATUS_OK;
}

/* How often does a rank look for messages that has nothing to do? */
static void measure(void)
{
    int looks = __atomic_exchange_n(&here.seen.looks, 0, __ATOMIC_ACQ_REL);
    if (here.clock_s > 0) {
        here.seen.idle_looks = looks;
        here.seen.idle_s = clock_s() - here.clock_s;
    }
    here.clock_s = clock_s();
}

static uint32_t clock_us(void)
{
    return (uint32_t)(int64_t)(1e6 * clock_s());
}

static void note_waking(uint32_t shown_us)
{
    uint32_t took_us = clock_us() - shown_us; /* the clock is the same for all ranks */
    if (here.seen.wakings < WAKINGS)
        here.seen.waking_s[here.seen.wakings++] = 1e-6 * took_us;
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
    add(&here.seen.contexts, 1);
    int contexts = add(&here.in_context, 1), tasks = add(&here.in_compute, 0);
    add(&here.seen.wrong, tasks > 0 || contexts > 1 || epoch <= here.epoch);
    const unsigned char *rest = bytes;
    for (size_t i = sizeof words; i < length; i += 997)
        add(&here.seen.wrong, rest[i] != (unsigned char)(epoch + i));
    here.epoch = epoch;
    here.sum = sum_of(epoch, length);
    if (words.deed == MEASURING)
        measure();
    if (words.deed == WAKING)
        note_waking(words.microseconds);
    enum status status = words.deed == WAKING ? STATUS_OK : act(&words);
    add(&here.seen.contexts_given_up, status == STATUS_STOPPED);
    add(&here.in_context, -1);
    return status;
}

static void fill(unsigned char *bytes, size_t length, uint64_t sum, uint64_t id)
{
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(sum + id + i);
}

static enum status compute(void *context, int thread, const struct pool_task *task,
                           struct field *out, uint64_t *iterations)
{
    (void)context, (void)thread;
    struct words words;
    memcpy(&words, task->words, sizeof words);
    add(&here.seen.computes, 1);
    raise_to(&here.seen.most_at_once, add(&here.in_compute, 1));
    add(&here.seen.wrong, add(&here.in_context, 0) > 0 || task->epoch != here.epoch);
    fill(out->base, task->result_bytes, here.sum, task->id);
    *iterations += 10;
    enum status status = act(&words);
    add(&here.in_compute, -1);
    return status;
}

/* --- the frame -------------------------------------------------------------------------------- */

static size_t context_bytes; /* of the context shown last */

/* Files of this process may have no byte: so there is no memory to share. */
static enum status open_apart(const struct pool_options *options)
{
    struct rlimit before, none;
    getrlimit(RLIMIT_FSIZE, &before);
    none = before;
    none.rlim_cur = 0;
    setrlimit(RLIMIT_FSIZE, &none);
    enum status status = pool_open(&pool, world, options);
    setrlimit(RLIMIT_FSIZE, &before);
    return status;
}

enum status perform(void (*scenario)(void))
{
    int rank = world_rank(world), last = world_size(world) - 1;
    bool works =
        rank > 0 ? rank < last || !play.last_idles : world_size(world) == 1 || play.root_works;
    memset(&here, 0, sizeof here);
    struct pool_options options = {.calls = {.context = &here,
                                             .prepare = prepare,
                                             .compute = compute,
                                             .give_up = &here.give_up},
                                   .threads = works ? play.threads : 0,
                                   .credits = works ? play.credits : 0,
                                   .patience_s = play.patience_s};
    enum status status = play.apart ? open_apart(&options) : pool_open(&pool, world, &options);
    EXPECT(status == STATUS_OK);
    if (status != STATUS_OK)
        return status;
    present = 0;
    if (world_rank(world) == 0)
        scenario();
    else
        pool_serve(pool);
    status = pool_close(pool);
    closed_s = clock_s();
    while (add(&here.in_compute, 0) > 0) /* what does not give up ends at last */
        nap(0.01);
    EXPECT(here.seen.wrong == 0);
    EXPECT(here.seen.most_at_once <= play.threads);
    EXPECT(world_gather(world, &here.seen, sizeof here.seen, seen) == STATUS_OK);
    return status;
}

void show(enum deed deed, uint32_t microseconds, size_t bytes)
{
    struct words words = {deed, deed == WAKING ? clock_us() : microseconds};
    unsigned char *context = malloc(bytes);
    present++;
    for (size_t i = 0; i < bytes; i++)
        context[i] = (unsigned char)(present + i);
    memcpy(context, &words, sizeof words);
    context_bytes = bytes;
    EXPECT(pool_context(pool, present, context, bytes) == STATUS_OK);
    free(context);
}

void give(int worker, uint64_t id, size_t bytes, enum deed deed, uint32_t microseconds)
{
    struct words words = {deed, microseconds};
    struct pool_task task = {.epoch = present, .id = id, .result_bytes = bytes};
    memcpy(task.words, &words, sizeof words);
    EXPECT(pool_may_give(pool, worker));
    EXPECT(pool_give(pool, worker, &task) == STATUS_OK);
}

static void check_result(const struct pool_result *result)
{
    EXPECT(result->task.epoch == present);
    if (result->kind != POOL_TASK || result->status != STATUS_OK)
        return;
    unsigned char *expected = malloc(result->task.result_bytes + 1);
    fill(expected, result->task.result_bytes, sum_of(present, context_bytes), result->task.id);
    EXPECT(!memcmp(expected, result->bytes, result->task.result_bytes));
    EXPECT((uintptr_t)result->bytes % 64 == 0 && result->iterations == 10);
    free(expected);
}

static bool take(struct pool_result *result)
{
    bool any = pool_take(pool, result);
    if (any && result->kind == POOL_TASK)
        check_result(result);
    return any;
}

bool step(struct pool_result *result, double within_s)
{
    if (take(result))
        return true;
    pool_wait(pool, (int64_t)(1e6 * within_s) + 1);
    return take(result);
}

bool next(struct pool_result *result, double within_s)
{
    double until_s = clock_s() + within_s;
    for (double left_s = within_s; left_s > 0; left_s = until_s - clock_s())
        if (step(result, left_s))
            return true;
    return take(result);
}

bool heard_again(int worker, double within_s)
{
    struct pool_result result;
    double until_s = clock_s() + within_s, before_s = 0;
    while (clock_s() < until_s) {
        double heard_s = pool_worker(pool, worker)->heard_s;
        if (heard_s < before_s)
            return true;
        before_s = heard_s;
        EXPECT(!step(&result, 0.02));
    }
    return false;
}

static bool all_ready(void)
{
    for (int i = 0; i < pool_workers(pool); i++) {
        const struct pool_worker *worker = pool_worker(pool, i);
        if (worker->alive && !worker->ready)
            return false;
    }
    return true;
}

void wait_until_ready(void)
{
    struct pool_result result;
    double until_s = clock_s() + 60;
    while (!all_ready() && clock_s() < until_s) {
        EXPECT(!pool_take(pool, &result));
        pool_wait(pool, 1000000);
    }
    EXPECT(all_ready());
}

int contexts_begun(void)
{
    return add(&here.seen.contexts, 0);
}

int worker_of_rank(int rank)
{
    int i = 0;
    while (i < pool_workers(pool) && pool_worker(pool, i)->rank != rank)
        i++;
    return i;
}

int last_worker(void)
{
    return pool_workers(pool) - 1;
}

/* --- main ------------------------------------------------------------------------------------- */

int main(void)
{
    if (!check_begin())
        return 1;
    int failed = check_run(NULL, NULL);
    world_close(world);
    return failed != 0;
}
