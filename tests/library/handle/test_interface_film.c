/* Films of the C interface: paths that keys say, and films into files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/library/handle/interface_bench.h"

static const deepfield_film_options replaced = {.size = sizeof replaced, .replace = 1};
static const deepfield_film_options planned = {.size = sizeof planned, .plan = 1};
static const deepfield_film_options tried = {.size = sizeof tried, .dry_run = 1};

static void path_write(const char *name)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs("[a]\ntime = 0\nzoom = 10\n[b]\ntime = 0.5\nzoom = 40\nrotation = 90\nrelief = 0.25\n",
          file);
    assert_int_equal(fclose(file), 0);
}

/* Bytes of a file; freed by the caller. */
static char *file_read(const char *name, size_t *bytes)
{
    struct stat about;
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_int_equal(stat(name, &about), 0);
    *bytes = (size_t)about.st_size;
    char *text = malloc(*bytes);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *bytes, file), *bytes);
    fclose(file);
    return text;
}

static void same_files(const char *one, const char *other)
{
    size_t bytes, more;
    char *a = file_read(one, &bytes), *b = file_read(other, &more);
    assert_int_equal(bytes, more);
    assert_memory_equal(a, b, bytes);
    free(a);
    free(b);
}

static void film_open_by(struct bench *bench, deepfield_film **film, const char *key,
                         const char *value)
{
    bench_open(bench, "cpu", "seahorse", "48x32");
    must(deepfield_picture_set(bench->picture, "film.fps", "10"));
    must(deepfield_picture_set(bench->picture, key, value));
    must(deepfield_film_open(film, NULL, bench->picture));
}

TEST(keyframes_are_a_path)
{
    struct bench bench;
    deepfield_film *film;
    deepfield_picture *frame;
    const char *value;
    path_write("interface_path.ini");
    film_open_by(&bench, &film, "film.path", "interface_path.ini");
    assert_int_equal(deepfield_film_frames(film), 5);
    must(deepfield_film_picture(film, 0, &frame));
    must(deepfield_picture_get(frame, "view.zoom", &value));
    assert_true(strtod(value, NULL) > 9.99 && strtod(value, NULL) < 10.01);
    deepfield_picture_destroy(frame);
    must(deepfield_film_picture(film, 4, &frame));
    must(deepfield_picture_get(frame, "view.rotation", &value));
    assert_true(strtod(value, NULL) > 45);
    must(deepfield_render(bench.renderer, frame, DEEPFIELD_COLOURS, bench.field));
    deepfield_picture_destroy(frame);
    deepfield_film_destroy(film);
    bench_close(&bench);
}

/* The autopilot flies the same way each time. */
TEST(an_autopilot_has_frames)
{
    char *zoom[2];
    for (int i = 0; i < 2; i++) {
        struct bench bench;
        deepfield_film *film;
        deepfield_picture *frame;
        const char *value;
        bench_open(&bench, "cpu", "seahorse", "48x32");
        must(deepfield_picture_set(bench.picture, "film.fps", "10"));
        must(deepfield_picture_set(bench.picture, "film.seconds", "0.5"));
        must(deepfield_picture_set(bench.picture, "film.autopilot", "3"));
        must(deepfield_film_open(&film, NULL, bench.picture));
        assert_int_equal(deepfield_film_frames(film), 5);
        must(deepfield_film_picture(film, 4, &frame));
        must(deepfield_picture_get(frame, "view.zoom", &value));
        zoom[i] = strdup(value);
        deepfield_picture_destroy(frame);
        deepfield_film_destroy(film);
        bench_close(&bench);
    }
    assert_string_equal(zoom[0], zoom[1]);
    free(zoom[0]);
    free(zoom[1]);
}

static int stop_at_two(void *calls, const deepfield_progress *progress)
{
    if (!strcmp(progress->stage, "frames"))
        ++*(int *)calls;
    return !strcmp(progress->stage, "frames") && progress->count >= 2;
}

/* Cancelled and called again, it is the same video, and frames that were made are kept. */
TEST(a_film_goes_on)
{
    struct bench bench;
    deepfield_film *film;
    char *json;
    int calls = 0;
    film_open_by(&bench, &film, "film.method", "frames");
    deepfield_film_destroy(film);
    must(deepfield_picture_set(bench.picture, "film.seconds", "0.5"));
    must(deepfield_film_open(&film, NULL, bench.picture));
    must(deepfield_film_save(bench.renderer, film, "interface_whole.y4m", &replaced, &json));
    assert_non_null(strstr(json, "\"complete\":true"));
    assert_non_null(strstr(json, "\"frames_made\":5"));
    deepfield_free(json);
    assert_int_equal(deepfield_film_save(bench.renderer, film, "interface_whole.y4m", NULL, NULL),
                     DEEPFIELD_CANNOT_CREATE);
    deepfield_renderer_progress(bench.renderer, stop_at_two, &calls);
    assert_int_equal(deepfield_film_save(bench.renderer, film, "interface_again.y4m", NULL, NULL),
                     DEEPFIELD_STOPPED);
    assert_non_null(strstr(deepfield_error(), "the same call goes on"));
    assert_true(calls > 0);
    deepfield_renderer_progress(bench.renderer, NULL, NULL);
    must(deepfield_film_save(bench.renderer, film, "interface_again.y4m", NULL, &json));
    assert_null(strstr(json, "\"frames_made\":5"));
    deepfield_free(json);
    same_files("interface_whole.y4m", "interface_again.y4m");
    assert_int_not_equal(access("interface_again.y4m.deepfield", F_OK), 0);
    remove("interface_whole.y4m");
    remove("interface_again.y4m");
    deepfield_film_destroy(film);
    bench_close(&bench);
}

struct work_told {
    int frames, ranks;
    uint64_t iterations;
};

static int work_note(void *context, const deepfield_progress *progress)
{
    struct work_told *told = context;
    if (progress->frame) {
        assert_int_equal(progress->frame->frame, told->frames++);
        assert_true(progress->frame->iterations > 0);
    }
    if (progress->rank)
        told->ranks = progress->ranks;
    for (int i = 0; progress->rank && i < progress->ranks; i++)
        told->iterations = progress->rank[i].iterations;
    return 0;
}

TEST(frames_and_ranks_say_what_they_did)
{
    struct bench bench;
    struct work_told told = {0};
    deepfield_film *film;
    bench_open(&bench, "cpu", "seahorse", "48x32");
    must(deepfield_picture_set(bench.picture, "film.method", "frames"));
    must(deepfield_picture_set(bench.picture, "film.fps", "10"));
    must(deepfield_picture_set(bench.picture, "film.seconds", "0.5"));
    must(deepfield_film_open(&film, NULL, bench.picture));
    deepfield_renderer_progress(bench.renderer, work_note, &told);
    must(deepfield_film_save(bench.renderer, film, "interface_work.y4m", &replaced, NULL));
    assert_int_equal(told.frames, 5);
    assert_int_equal(told.ranks, 1);
    assert_true(told.iterations > 0);
    remove("interface_work.y4m");
    deepfield_film_destroy(film);
    bench_close(&bench);
}

/* A plan of another renderer, which is gone, is not used. */
TEST(a_plan_is_of_its_renderer)
{
    struct bench bench;
    deepfield_film *film;
    film_open_by(&bench, &film, "film.seconds", "0.5");
    must(deepfield_film_save(bench.renderer, film, "interface_other.y4m", &planned, NULL));
    deepfield_renderer_destroy(bench.renderer);
    must(deepfield_renderer_create(&bench.renderer, bench.world));
    must(deepfield_renderer_set(bench.renderer, "compute.backend", "scalar"));
    must(deepfield_film_save(bench.renderer, film, "interface_other.y4m", NULL, NULL));
    must(deepfield_film_save(bench.renderer, film, "interface_other.y4m", &replaced, NULL));
    remove("interface_other.y4m");
    deepfield_film_destroy(film);
    bench_close(&bench);
}

TEST(a_plan_makes_nothing)
{
    struct bench bench;
    deepfield_film *film;
    char *json;
    film_open_by(&bench, &film, "film.seconds", "0.5");
    must(deepfield_film_save(bench.renderer, film, "interface_plan.y4m", &planned, &json));
    assert_non_null(strstr(json, "\"frames\":5"));
    assert_non_null(strstr(json, "\"file_bytes\":"));
    deepfield_free(json);
    must(deepfield_film_save(bench.renderer, film, "interface_plan.y4m", &tried, &json));
    assert_non_null(strstr(json, "\"seconds_least\":"));
    deepfield_free(json);
    assert_int_not_equal(access("interface_plan.y4m", F_OK), 0);
    assert_int_not_equal(access("interface_plan.y4m.deepfield", F_OK), 0);
    deepfield_film_destroy(film);
    bench_close(&bench);
}

/* Stops of a tour are scenes, each with the formula and the limit of its place. */
TEST(a_tour_has_scenes)
{
    struct bench bench;
    deepfield_film *film;
    deepfield_picture *frame;
    const char *formula;
    FILE *file = fopen("interface_tour.ini", "w");
    assert_non_null(file);
    fputs("[tour]\n[a]\nre = -0.5\nim = 0\nzoom = 1\nflight = 0.2\ndwell = 0.1\ntext-en = A\n"
          "[b]\nre = 0\nim = 0\nzoom = 1\nflight = 0.2\ndwell = 0.1\nformula = tricorn\n"
          "limit = 300\n",
          file);
    assert_int_equal(fclose(file), 0);
    film_open_by(&bench, &film, "film.tour", "./interface_tour.ini");
    int64_t frames = deepfield_film_frames(film);
    must(deepfield_film_picture(film, frames - 1, &frame));
    must(deepfield_picture_get(frame, "view.formula", &formula));
    assert_string_equal(formula, "tricorn");
    must(deepfield_render(bench.renderer, frame, DEEPFIELD_COLOURS, bench.field));
    deepfield_picture_destroy(frame);
    must(deepfield_film_save(bench.renderer, film, "interface_tour.y4m", &replaced, NULL));
    assert_int_equal(access("interface_tour.srt", F_OK), 0);
    remove("interface_tour.y4m");
    remove("interface_tour.srt");
    deepfield_film_destroy(film);
    must(deepfield_picture_set(bench.picture, "film.path", "interface_path.ini")); /* two paths */
    assert_int_equal(deepfield_film_open(&film, NULL, bench.picture), DEEPFIELD_CONFIG);
    bench_close(&bench);
}
