/* One process that renders again and again: what was cancelled leaves nothing behind, memory stays
 * as it is, and small pictures take no longer than their pixels. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/library/handle/interface_bench.h"

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- cancelling ---- */

struct canceller {
    deepfield_renderer *renderer;
    atomic_int computing; /* progress has been told */
    double cancelled_s;
};

static int computing_note(void *user, const deepfield_progress *progress)
{
    struct canceller *canceller = user;
    assert_true(progress->size == sizeof *progress && progress->seconds >= 0);
    assert_true(progress->done >= 0 && progress->done <= 1 && *progress->stage);
    atomic_store(&canceller->computing, 1);
    return 0;
}

static void *cancel_later(void *context)
{
    struct canceller *canceller = context;
    while (!atomic_load(&canceller->computing))
        usleep(1000);
    usleep(20000);
    canceller->cancelled_s = now_s();
    deepfield_renderer_cancel(canceller->renderer);
    return NULL;
}

/* Seconds from deepfield_renderer_cancel of another thread to the return of deepfield_render. */
static double cancel_seconds(struct bench *objects)
{
    struct canceller canceller = {.renderer = objects->renderer};
    pthread_t thread;
    deepfield_renderer_progress(objects->renderer, computing_note, &canceller);
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, &canceller), 0);
    deepfield_status status =
        deepfield_render(objects->renderer, objects->picture, DEEPFIELD_COLOURS, objects->field);
    double returned_s = now_s();
    pthread_join(thread, NULL);
    deepfield_renderer_progress(objects->renderer, NULL, NULL);
    assert_int_equal(status, DEEPFIELD_STOPPED);
    return returned_s - canceller.cancelled_s;
}

/* Pictures that would take minutes: direct iteration, perturbation, the orbit of a deep place. */
static void cancelled(const char *view, const char *size, const char *limit, const char *re)
{
    struct bench objects;
    deepfield_array count = {.size = sizeof count};
    bench_open(&objects, "auto", view, size);
    if (limit)
        must(deepfield_picture_set(objects.picture, "view.limit", limit));
    if (re)
        must(deepfield_picture_set(objects.picture, "view.re", re));
    double seconds = cancel_seconds(&objects);
    print_message("%.0f ms\n", 1e3 * seconds);
    if (check_long())
        assert_true(seconds < 0.1);
    assert_int_equal(deepfield_field_get(objects.field, "count", &count), DEEPFIELD_USAGE);
    must(deepfield_picture_set(objects.picture, "view.size", "32x18")); /* the next one is whole */
    must(deepfield_picture_set(objects.picture, "view.limit", "1000"));
    must(deepfield_render(objects.renderer, objects.picture, DEEPFIELD_NUMBERS, objects.field));
    bench_close(&objects);
}

TEST(a_direct_picture_is_cancelled)
{
    cancelled("seahorse", "8000x6000", NULL, NULL);
}

TEST(a_deep_picture_is_cancelled)
{
    cancelled("seahorse-deep", "8000x6000", NULL, NULL);
}

TEST(a_long_orbit_is_cancelled)
{
    /* A point of the real axis that never leaves and comes back to nothing. */
    cancelled("[view]\nre = 0\nim = 0\nzoom = 1e40\n", "64x64", "4000000000", "-1.9999");
}

TEST(a_cancel_before_the_call_is_for_the_next_one)
{
    struct bench objects;
    bench_open(&objects, "auto", NULL, "16x16");
    deepfield_renderer_cancel(objects.renderer);
    assert_int_equal(
        deepfield_render(objects.renderer, objects.picture, DEEPFIELD_NUMBERS, objects.field),
        DEEPFIELD_STOPPED);
    must(deepfield_render(objects.renderer, objects.picture, DEEPFIELD_NUMBERS, objects.field));
    bench_close(&objects);
}

/* ---- one after the other ---- */

/* A sanitizer keeps what was freed for a while. */
#ifdef DEEPFIELD_SANITIZED
enum { KEPT_KIB = 1 << 20 };
#else
enum { KEPT_KIB = 0 };
#endif

/* Memory of this process in KiB. */
static long resident_kib(void)
{
    long pages = 0, resident = 0;
    FILE *stream = fopen("/proc/self/statm", "r");
    assert_non_null(stream);
    assert_int_equal(fscanf(stream, "%ld %ld", &pages, &resident), 2);
    fclose(stream);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Seconds of the plan and the pixels, which the field says. */
static double picture_render(struct bench *objects, int i)
{
    static const char key[] = "\"seconds\":";
    char zoom[32];
    snprintf(zoom, sizeof zoom, "%de4", 1 + i % 50);
    must(deepfield_picture_set(objects->picture, "view.zoom", zoom));
    must(deepfield_render(objects->renderer, objects->picture, DEEPFIELD_NUMBERS, objects->field));
    char *facts;
    must(deepfield_field_facts(objects->field, &facts));
    const char *at = strstr(facts, key);
    assert_non_null(at);
    double seconds = strtod(at + strlen(key), NULL);
    deepfield_free(facts);
    return seconds;
}

/* A renderer that is kept: nothing is kept for each of its pictures, and little is done but their
 * pixels. */
TEST(pictures_take_no_memory_and_no_time_of_their_own)
{
    struct bench objects;
    int pictures = check_long() ? 1000 : 60, settled = pictures / 3;
    long before_kib = 0;
    bench_open(&objects, "auto", "seahorse", check_long() ? "256x256" : "32x32");
    double begun_s = 0, computing_s = 0;
    for (int i = 0; i < pictures; i++) {
        if (i == settled)
            before_kib = resident_kib();
        if (i == 1)
            begun_s = now_s(); /* the first one opened the devices */
        double seconds = picture_render(&objects, i);
        computing_s += i ? seconds : 0;
    }
    double seconds = now_s() - begun_s;
    long more_kib = resident_kib() - before_kib;
    print_message("%d pictures in %.2f s, %.2f s of them for pixels, %ld KiB more\n", pictures,
                  seconds, computing_s, more_kib);
    if (check_long())
        assert_true(seconds < 1.2 * computing_s);
    assert_true(more_kib < 1024 + KEPT_KIB);
    bench_close(&objects);
}

/* Worlds that are closed leave nothing behind. */
TEST(memory_stays_from_world_to_world)
{
    int worlds = check_long() ? 300 : 24, settled = worlds / 2;
    long before_kib = 0;
    for (int i = 0; i < worlds; i++) {
        struct bench objects;
        char *text;
        if (i == settled)
            before_kib = resident_kib();
        bench_open(&objects, "auto", i % 2 ? "seahorse" : "seahorse-deep", "32x18");
        must(deepfield_render(objects.renderer, objects.picture, DEEPFIELD_COLOURS, objects.field));
        must(deepfield_field_facts(objects.field, &text));
        deepfield_free(text);
        bench_close(&objects);
    }
    long more_kib = resident_kib() - before_kib;
    print_message("%d worlds, %ld KiB more\n", worlds, more_kib);
    assert_true(more_kib < 2048 + KEPT_KIB);
}
