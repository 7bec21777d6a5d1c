/* Times of the C interface, by hand: CONTRIBUTING.md, Measuring.
 *
 *     bench_interface PLACE SIZE BACKEND   one picture into memory of the field, of the caller, and
 *                                          of a CUDA device: milliseconds of the call, and of the
 *                                          engine in it; medians of 7 after 2
 *     bench_interface PLACE SIZE BACKEND THREADS  pictures a second by so many threads, each with a
 *                                          world of its own */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "include/deepfield/deepfield.h"
#include "kernels/number_text.h"

enum { ROUNDS = 7, BEFORE = 2, PICTURES = 100, THREADS_MOST = 16 };

static const char *const *words; /* place, size, backend */

static void must(deepfield_status status)
{
    if (status == DEEPFIELD_OK)
        return;
    fprintf(stderr, "%s\n", deepfield_error());
    exit(1);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

struct bench {
    deepfield_world *world;
    deepfield_renderer *renderer;
    deepfield_picture *picture;
};

static void bench_open(struct bench *bench)
{
    const char *data = getenv("DEEPFIELD_DATA");
    const deepfield_world_options options = {.size = sizeof options, .data = data};
    must(deepfield_world_open(&bench->world, &options));
    must(deepfield_renderer_create(&bench->renderer, bench->world));
    must(deepfield_renderer_set(bench->renderer, "compute.backend", words[2]));
    must(deepfield_picture_open(&bench->picture, bench->world, words[0]));
    must(deepfield_picture_set(bench->picture, "view.size", words[1]));
    must(deepfield_picture_set(bench->picture, "output.planes", "count,fraction"));
}

static void bench_close(struct bench *bench)
{
    deepfield_picture_destroy(bench->picture);
    deepfield_renderer_destroy(bench->renderer);
    deepfield_world_close(bench->world);
}

/* ---- one picture ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of the engine, among the facts. */
static double engine_ms(const deepfield_field *field)
{
    char *facts, *at;
    double seconds = 0;
    must(deepfield_field_facts(field, &facts));
    at = strstr(facts, "\"seconds\"");
    const char *from = at ? at + strlen("\"seconds\":") : NULL;
    if (from)
        number_real_take(&from, &seconds);
    deepfield_free(facts);
    return 1e3 * seconds;
}

static void measure(struct bench *bench, const char *name, deepfield_field *field)
{
    double call[BEFORE + ROUNDS], engine[BEFORE + ROUNDS];
    for (int i = 0; i < BEFORE + ROUNDS; i++) {
        double begin = now_ms();
        must(deepfield_render(bench->renderer, bench->picture, DEEPFIELD_NUMBERS, field));
        call[i] = now_ms() - begin;
        engine[i] = engine_ms(field);
    }
    qsort(call + BEFORE, ROUNDS, sizeof *call, compare);
    qsort(engine + BEFORE, ROUNDS, sizeof *engine, compare);
    double whole = call[BEFORE + ROUNDS / 2], inside = engine[BEFORE + ROUNDS / 2];
    printf("%-28s call %9.3f ms, engine %9.3f ms, first call %9.1f ms\n", name, whole, inside,
           call[0]);
}

static void placed(deepfield_field *field, const char *plane, const deepfield_array *array)
{
    must(deepfield_field_place(field, plane, array));
}

/* Memory of another field serves as the caller's: of a device, or of the host. */
static void measure_placed(struct bench *bench, const char *name, deepfield_field *memory)
{
    deepfield_field *field;
    deepfield_array count = {.size = sizeof count}, fraction = {.size = sizeof fraction};
    must(deepfield_render(bench->renderer, bench->picture, DEEPFIELD_NUMBERS, memory));
    must(deepfield_field_get(memory, "count", &count));
    must(deepfield_field_get(memory, "fraction", &fraction));
    must(deepfield_field_create(&field));
    placed(field, "count", &count);
    placed(field, "fraction", &fraction);
    measure(bench, name, field);
    deepfield_field_destroy(field);
}

static void bench_picture(void)
{
    const deepfield_array there = {.size = sizeof there, .space = DEEPFIELD_CUDA, .device = -1};
    struct bench bench;
    deepfield_field *field;
    bench_open(&bench);
    must(deepfield_field_create(&field));
    measure(&bench, "host, of the field", field);
    measure_placed(&bench, "host, of the caller", field);
    if (deepfield_field_place(field, NULL, &there) == DEEPFIELD_OK) {
        measure(&bench, "device, of the field", field);
        measure_placed(&bench, "device, of the caller", field);
    } else {
        printf("%s\n", deepfield_error());
    }
    deepfield_field_destroy(field);
    bench_close(&bench);
}

/* ---- threads ---- */

static void *pictures_run(void *argument)
{
    struct bench bench;
    deepfield_field *field;
    double *seconds = argument;
    bench_open(&bench);
    must(deepfield_field_create(&field));
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, field));
    double begin = now_ms();
    for (int i = 0; i < PICTURES; i++)
        must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, field));
    *seconds = 1e-3 * (now_ms() - begin);
    deepfield_field_destroy(field);
    bench_close(&bench);
    return NULL;
}

static void bench_threads(int threads)
{
    pthread_t thread[THREADS_MOST];
    double seconds[THREADS_MOST], rate = 0;
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, pictures_run, &seconds[i]);
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        rate += PICTURES / seconds[i];
    }
    printf("%d threads: %.1f pictures a second\n", threads, rate);
}

int main(int argc, char **argv)
{
    int64_t threads = 0;
    const char *at = argc > 4 ? argv[4] : "0";
    if (argc < 4 || !number_whole_take(&at, &threads) || threads > THREADS_MOST) {
        fprintf(stderr, "usage: bench_interface PLACE SIZE BACKEND [THREADS]\n");
        return 2;
    }
    words = (const char *const *)argv + 1;
    if (threads > 0)
        bench_threads((int)threads);
    else
        bench_picture();
    return 0;
}
