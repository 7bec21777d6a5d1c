/* The engine as a guest of a program that has started MPI itself: pictures over a part of its
 * ranks, again and again, and nothing of the program is another afterwards.
 *
 * usage: mpi_guest CASE: calm · single: MPI is started for one thread, which is refused · lost: a
 * rank stops within a tile, and goes on when its world is lost · threads: two of each rank, each
 * with a world of its own over the same ranks. Three ranks. */
#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

#include "decomposition/thread/patience.h"
#include "decomposition/world/world_comm.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"
#include "tests/support/wrap_compute.h"

enum { RANKS = 3, SIGNALS = 32, LETTER = 4711, LETTER_TAG = 5, PICTURES = 3 };

static int rank;       /* among all */
static int tiles_left; /* until this rank stops; 0: never */
static int awaited;    /* process that must have stopped before this rank computes; 0: none */

static void fail(const char *what)
{
    fprintf(stderr, "rank %d: %s (%s)\n", rank, what, status_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(bool good, const char *what)
{
    if (!good)
        fail(what);
}

static void must(enum status status)
{
    expect(status == STATUS_OK, "failed");
}

static bool has_stopped(int process)
{
    char path[32], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "re");
    const char *end = file && fgets(text, sizeof text, file) ? strrchr(text, ')') : NULL;
    bool stopped = end && !strncmp(end, ") T", 3);
    if (file)
        fclose(file);
    return stopped;
}

enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work)
{
    while (awaited && !has_stopped(awaited))
        patience_nap(NAP_MOST_US);
    if (tiles_left && __atomic_sub_fetch(&tiles_left, 1, __ATOMIC_RELAXED) == 0)
        raise(SIGSTOP);
    return __real_backend_compute(backend, spec, grid, out, work);
}

/* --- what belongs to the program -------------------------------------------------------------- */

extern char **environ;

struct host {
    struct sigaction action[SIGNALS];
    char *variables; /* all, one after the other */
    size_t variables_length;
    int threads;
    MPI_Errhandler of_world, of_part;
};

static char *variables_copy(size_t *length)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, length);
    for (char **variable = environ; *variable; variable++)
        fwrite(*variable, 1, strlen(*variable) + 1, file);
    fclose(file);
    return text;
}

static struct host host_note(MPI_Comm part)
{
    struct host host = {.threads = omp_get_max_threads()};
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, NULL, &host.action[i]);
    host.variables = variables_copy(&host.variables_length);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &host.of_world);
    MPI_Comm_get_errhandler(part, &host.of_part);
    return host;
}

static void host_check(struct host *before, MPI_Comm part)
{
    struct host now = host_note(part);
    int ended = 1;
    for (int i = 1; i < SIGNALS; i++)
        expect(now.action[i].sa_handler == before->action[i].sa_handler &&
                   now.action[i].sa_flags == before->action[i].sa_flags,
               "a signal has another handler");
    expect(now.variables_length == before->variables_length &&
               !memcmp(now.variables, before->variables, now.variables_length),
           "a variable has changed");
    expect(now.threads == before->threads, "OpenMP has other threads");
    expect(now.of_world == before->of_world && now.of_part == before->of_part,
           "a communicator has another error handler");
    expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "there is a child process");
    MPI_Finalized(&ended);
    expect(!ended, "MPI has ended");
    free(now.variables);
    free(before->variables);
}

static void errors_take(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static int files_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

/* --- pictures --------------------------------------------------------------------------------- */

static const struct place {
    const char *re, *im, *zoom;
} places[PICTURES] = {
    {"-0.75", "0.1", "3"}, {"-1.7687402", "0.0017", "1e9"}, {"-1.7687402", "0.0017", "1e25"}};

static struct picture_sums picture_make(struct renderer *renderer, int number)
{
    bool root = world_rank(renderer_world(renderer)) == 0;
    const struct place *place = &places[number % PICTURES];
    struct picture picture = {.spec = {.limit = 500,
                                       .bailout = 1024,
                                       .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                       .shortcuts = SHORTCUTS_ON},
                              .accuracy_px = ACCURACY_DEFAULT_PX,
                              .tile_px = 16,
                              .schedule = "auto",
                              .transport = number % 2 ? "staged" : "auto"};
    struct picture_report report = {.iterations = 0};
    struct picture_hooks hooks = {.context = NULL};
    struct picture_sums sums = {.pixels = 0};
    struct field field;
    must(view_set(&picture.view, place->re, place->im, place->zoom, 0, 64 + number, 48));
    must(picture_render(renderer, root ? &picture : NULL, &hooks, &field, &report));
    if (root)
        sums = picture_sum(&field);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    return sums;
}

static struct renderer *renderer_begin(struct world *world)
{
    struct renderer_options options = {.backend = "scalar", .threads = 1};
    struct renderer *renderer;
    must(renderer_open(&renderer, world, world_rank(world) == 0 ? &options : NULL));
    return renderer;
}

static struct picture_sums picture_alone(int number)
{
    struct world *world;
    must(world_alone(&world));
    struct renderer *renderer = renderer_begin(world);
    struct picture_sums sums = picture_make(renderer, number);
    renderer_close(renderer);
    world_close(world);
    return sums;
}

/* The picture as ranks make it together is the one that a process makes alone. */
static void picture_check(struct renderer *renderer, int number)
{
    struct picture_sums together = picture_make(renderer, number);
    if (world_rank(renderer_world(renderer)) != 0)
        return;
    struct picture_sums alone = picture_alone(number);
    expect(together.pixels == alone.pixels && together.interior == alone.interior &&
               !memcmp(together.checksum, alone.checksum, sizeof alone.checksum),
           "another picture");
}

/* --- cases ------------------------------------------------------------------------------------ */

/* Two of the ranks, the last of which is rank 0 there; the one between is alone. */
static MPI_Comm part_of(void)
{
    MPI_Comm part;
    MPI_Errhandler own;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, -rank, &part);
    MPI_Comm_create_errhandler(errors_take, &own);
    MPI_Comm_set_errhandler(part, own);
    MPI_Errhandler_free(&own);
    return part;
}

static struct world *adopt(MPI_Comm comm)
{
    struct world *world;
    int of_rank, size;
    MPI_Comm_rank(comm, &of_rank);
    MPI_Comm_size(comm, &size);
    must(world_adopt(&world, &comm));
    expect(world_rank(world) == of_rank && world_size(world) == size, "other ranks");
    expect(world_node_rank(world) == of_rank && world_root_node_size(world) == size, "other nodes");
    return world;
}

static void refusals_check(void)
{
    struct world *world;
    MPI_Comm none = MPI_COMM_NULL;
    expect(world_adopt(&world, &none) == STATUS_CONFIG && !world, "no communicator is adopted");
    expect(world_adopt(&world, NULL) == STATUS_CONFIG && !world, "nothing is adopted");
    expect(world_open(&world, NULL) == STATUS_CONFIG && !world, "MPI is started twice");
}

/* Two worlds at a time, over a part of the ranks and over all, in turn. */
static void worlds_check(MPI_Comm part, int pictures)
{
    struct world *world = adopt(part), *all = adopt(MPI_COMM_WORLD), *again = adopt(part);
    struct renderer *renderer = renderer_begin(world), *of_all = renderer_begin(all);
    struct renderer *of_again = renderer_begin(again);
    for (int i = 0; i < pictures; i++) {
        picture_check(renderer, i);
        picture_check(of_all, i + 1);
        picture_check(of_again, i + 2);
    }
    renderer_close(renderer);
    world_close(world);
    picture_check(of_all, PICTURES);
    picture_check(of_again, PICTURES);
    renderer_close(of_again);
    renderer_close(of_all);
    world_close(all);
    world_close(again);
}

static void calm(MPI_Comm part)
{
    int part_rank, part_size, letter = LETTER;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status from;
    MPI_Comm_rank(part, &part_rank);
    MPI_Comm_size(part, &part_size);
    if (part_rank > 0)
        MPI_Isend(&letter, 1, MPI_INT, 0, LETTER_TAG, part, &request);
    refusals_check();
    worlds_check(part, PICTURES);
    int files = files_open();
    worlds_check(part, 1);
    expect(files_open() == files, "a file is left open");
    if (part_rank == 0 && part_size > 1) {
        letter = 0;
        MPI_Recv(&letter, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, part, &from);
        expect(letter == LETTER && from.MPI_TAG == LETTER_TAG, "another message");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The last rank of all stops in its second tile. The others have their picture, and go on in a
 * world of their own; then it goes on, and learns that its world is lost. */
static void lost(void)
{
    int process = (int)getpid(), processes[RANKS];
    MPI_Comm two;
    MPI_Comm_split(MPI_COMM_WORLD, rank == RANKS - 1, rank, &two);
    MPI_Allgather(&process, 1, MPI_INT, processes, 1, MPI_INT, MPI_COMM_WORLD);
    struct world *world = adopt(MPI_COMM_WORLD);
    world->silent_s = 2;
    struct renderer *renderer = renderer_begin(world);
    tiles_left = rank == RANKS - 1 ? 2 : 0;
    awaited = rank == RANKS - 1 ? 0 : processes[RANKS - 1];
    struct picture picture = {.spec = {.limit = 500, .bailout = 1024, .planes = PLANE_MASK_COUNT},
                              .accuracy_px = ACCURACY_DEFAULT_PX,
                              .tile_px = 8,
                              .schedule = "dynamic",
                              .transport = "staged"};
    struct picture_report report = {.iterations = 0};
    struct picture_hooks hooks = {.context = NULL};
    struct field field;
    must(view_set(&picture.view, "-0.75", "0.1", "3", 0, 64, 48));
    enum status status =
        picture_render(renderer, rank == 0 ? &picture : NULL, &hooks, &field, &report);
    if (rank == 0) {
        must(status);
        expect(world_lost(world) == STATUS_SYSTEM && strstr(status_text(), "rank 2"),
               "nobody is lost");
        expect(world_tell(world, STATUS_OK, &rank, sizeof rank) == STATUS_SYSTEM,
               "a collective of a lost world");
    } else {
        expect(status == STATUS_SYSTEM && strstr(status_text(), "rank 0"), "rank 0 is not lost");
        expect(world_lost(world) == STATUS_SYSTEM, "the world is not lost");
    }
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    renderer_close(renderer);
    world_close(world);
    awaited = 0;
    if (rank < RANKS - 1) {
        world = adopt(two);
        renderer = renderer_begin(world);
        picture_check(renderer, 0);
        renderer_close(renderer);
        world_close(world);
    }
    if (rank == 0)
        kill((pid_t)processes[RANKS - 1], SIGCONT);
    MPI_Comm_free(&two);
}

static void *thread_run(void *comm)
{
    struct world *world = adopt(*(MPI_Comm *)comm);
    struct renderer *renderer = renderer_begin(world);
    for (int i = 0; i < PICTURES; i++)
        picture_check(renderer, i);
    renderer_close(renderer);
    world_close(world);
    return NULL;
}

static void threads(int level)
{
    enum { THREADS = 2 };
    pthread_t thread[THREADS];
    MPI_Comm comm[THREADS];
    if (level < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
        return;
    }
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    for (int i = 0; i < THREADS; i++)
        expect(pthread_create(&thread[i], NULL, thread_run, &comm[i]) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comm[i]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "calm";
    int level = MPI_THREAD_SINGLE, size;
    struct world *world;
    MPI_Comm all = MPI_COMM_WORLD;
    expect(world_adopt(&world, &all) == STATUS_CONFIG, "MPI is not started");
    if (!strcmp(what, "single"))
        MPI_Init(&argc, &argv);
    else
        MPI_Init_thread(&argc, &argv,
                        strcmp(what, "threads") ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE,
                        &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect(size == RANKS, "three ranks are needed");
    MPI_Comm part = part_of();
    struct host before = host_note(part);
    if (!strcmp(what, "single"))
        expect(world_adopt(&world, &all) == STATUS_CONFIG &&
                   strstr(status_text(), "MPI_THREAD_FUNNELED"),
               "a process of one thread is taken");
    else if (!strcmp(what, "lost"))
        lost();
    else if (!strcmp(what, "threads"))
        threads(level);
    else
        calm(part);
    host_check(&before, part);
    MPI_Comm_free(&part);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    expect(world_adopt(&world, &all) == STATUS_CONFIG && strstr(status_text(), "ended"),
           "MPI has ended");
    return 0;
}
