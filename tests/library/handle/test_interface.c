/* The C interface as a caller uses it: each object in turn, and what is refused. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/library/handle/interface_bench.h"

#define DEEP "[view]\nversion = 1\nre = -1.76858\nim = 0.00170\nzoom = 1e25\nlimit = 20000\n"

TEST(numbers_are_there)
{
    struct bench bench;
    deepfield_array count = {.size = sizeof count}, fraction = {.size = sizeof fraction};
    bench_open(&bench, "cpu", "seahorse", "96x54");
    must(deepfield_picture_set(bench.picture, "output.planes", "count,fraction"));
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field));
    must(deepfield_field_get(bench.field, "count", &count));
    must(deepfield_field_get(bench.field, "fraction", &fraction));
    assert_int_equal(count.width, 96);
    assert_int_equal(count.height, 54);
    assert_int_equal(count.type, DEEPFIELD_U32);
    assert_int_equal(fraction.type, DEEPFIELD_F32);
    assert_true(((const uint32_t *)count.data)[0] > 0);
    assert_int_equal(deepfield_field_get(bench.field, "light", &count), DEEPFIELD_USAGE);
    bench_close(&bench);
}

/* A title and a distribution are of the centre that they were read with. */
TEST(another_centre_is_another_place)
{
    static const char place[] = "[view]\nversion = 1\nre = -0.7\nim = 0.3\nzoom = 10\n"
                                "title = \"A valley\"\n";
    struct bench bench;
    char *text;
    bench_open(&bench, "cpu", place, "96x54");
    must(deepfield_picture_text(bench.picture, ".ini", &text));
    assert_non_null(strstr(text, "A valley"));
    deepfield_free(text);
    must(deepfield_picture_set(bench.picture, "view.re", "-0.6"));
    must(deepfield_picture_text(bench.picture, ".ini", &text));
    assert_null(strstr(text, "A valley"));
    deepfield_free(text);
    bench_close(&bench);
}

static int stop_at_once(void *user, const deepfield_progress *progress)
{
    (void)progress;
    return ++*(int *)user; /* other than 0 */
}

/* Renders and compares with what was rendered first; zeroed: keeps it. */
static void deep_again(struct bench *bench, const char *offset, uint32_t first[54][96])
{
    deepfield_array count = {.size = sizeof count};
    must(deepfield_picture_set(bench->picture, "look.offset", offset));
    must(deepfield_render(bench->renderer, bench->picture, DEEPFIELD_COLOURS, bench->field));
    must(deepfield_field_get(bench->field, "count", &count));
    if (!first[0][0])
        memcpy(first, count.data, sizeof(uint32_t[54][96]));
    assert_memory_equal(first, count.data, sizeof(uint32_t[54][96]));
}

/* The reference of the last picture serves the next one of its place, and no other. */
TEST(a_deep_place_again_has_the_same_pixels)
{
    struct bench bench;
    static uint32_t first[54][96], other[54][96];
    int calls = 0;
    bench_open(&bench, "cpu", DEEP, "96x54");
    deep_again(&bench, "0.1", first);
    deep_again(&bench, "0.2", first);
    must(deepfield_picture_set(bench.picture, "view.limit", "100"));
    deep_again(&bench, "0.2", other);
    deep_again(&bench, "0.1", other);
    assert_int_not_equal(memcmp(first, other, sizeof first), 0);
    must(deepfield_picture_set(bench.picture, "view.limit", "20000"));
    deepfield_renderer_progress(bench.renderer, stop_at_once, &calls);
    (void)deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field);
    deepfield_renderer_progress(bench.renderer, NULL, NULL);
    deep_again(&bench, "0.1", first);
    deep_again(&bench, "0.1", first);
    bench_close(&bench);
}

/* A Julia set of c = 0 has the name of its formula in the parameter plane. */
TEST(a_deep_place_of_the_other_plane_has_its_own_reference)
{
    static const char place[] = "[view]\nversion = 1\nre = 0.6\nim = 0.8\nzoom = 1e30\n"
                                "limit = 2000\nformula = burning_ship\n";
    struct bench bench;
    static uint32_t first[54][96], julia[54][96];
    bench_open(&bench, "cpu", place, "96x54");
    deepfield_picture *plane = bench.picture;
    deep_again(&bench, "0.1", first);
    must(deepfield_picture_open(&bench.picture, bench.world, place));
    must(deepfield_picture_set(bench.picture, "view.size", "96x54"));
    must(deepfield_picture_set(bench.picture, "view.julia", "0,0"));
    deep_again(&bench, "0.1", julia);
    deepfield_picture_destroy(bench.picture);
    bench.picture = plane;
    deep_again(&bench, "0.1", first);
    assert_int_not_equal(memcmp(first, julia, sizeof first), 0);
    bench_close(&bench);
}

enum { OUTPUTS = 4 };

static void name_in(char path[64], const char *folder, int number)
{
    snprintf(path, 64, "%s/%d.png", folder, number);
}

/* Pictures of a loop are opened before those before them are closed. */
static void outputs_make(struct bench *bench, const char *folder, const char *expected)
{
    deepfield_output *output[OUTPUTS];
    char path[64], *json;
    const char *paths = path;
    for (int i = 0; i < OUTPUTS; i++) {
        must(deepfield_picture_set(bench->picture, "look.offset", i % 2 ? "0.5" : "0.25"));
        name_in(path, folder, i);
        must(deepfield_output_open(&output[i], bench->renderer, bench->picture, &paths, 1, NULL));
    }
    for (int i = 0; i < OUTPUTS; i++)
        must(deepfield_output_render(output[i]));
    for (int i = 0; i < OUTPUTS; i++) {
        must(deepfield_output_close(output[i], &json));
        assert_non_null(strstr(json, expected));
        deepfield_free(json);
    }
}

TEST(pictures_go_into_files)
{
    struct bench bench;
    char folder[] = "/tmp/deepfield-interface-XXXXXX", path[64];
    deepfield_output *dropped;
    const char *paths = path;
    assert_non_null(mkdtemp(folder));
    bench_open(&bench, "cpu", "seahorse", "96x54");
    outputs_make(&bench, folder, "\"already_complete\":false");
    outputs_make(&bench, folder, "\"already_complete\":true");
    name_in(path, folder, OUTPUTS);
    must(deepfield_output_open(&dropped, bench.renderer, bench.picture, &paths, 1, NULL));
    must(deepfield_output_close(dropped, NULL)); /* without pixels: nothing comes of it */
    assert_int_not_equal(access(path, F_OK), 0);
    for (int i = 0; i < OUTPUTS; i++) {
        name_in(path, folder, i);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0); /* nothing else was left in it */
    bench_close(&bench);
}

TEST(memory_of_the_caller_is_filled)
{
    struct bench bench;
    static uint32_t wide[54][128], tight[54][96];
    deepfield_array array = {.size = sizeof array,
                             .data = wide,
                             .type = DEEPFIELD_U32,
                             .width = 96,
                             .height = 54,
                             .channels = 1,
                             .row_bytes = sizeof wide[0]};
    bench_open(&bench, "cpu", "seahorse", "96x54");
    must(deepfield_field_place(bench.field, "count", &array));
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field));
    array.data = tight;
    array.row_bytes = sizeof tight[0];
    must(deepfield_field_place(bench.field, "count", &array));
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field));
    for (int y = 0; y < 54; y++)
        assert_memory_equal(wide[y], tight[y], sizeof tight[y]);
    assert_true(tight[20][50] > 0);
    array.width = 95;
    must(deepfield_field_place(bench.field, "count", &array));
    assert_int_equal(
        deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field),
        DEEPFIELD_USAGE);
    bench_close(&bench);
}

TEST(colours_are_there)
{
    struct bench bench;
    static uint8_t rgb[54][96][3], other[54][96][3];
    deepfield_array array = bytes_over(rgb, 96, 54, 3);
    bench_open(&bench, "cpu", "seahorse", "96x54");
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_COLOURS, bench.field));
    must(deepfield_field_colour(bench.field, bench.picture, &array));
    must(deepfield_picture_set(bench.picture, "look.palette", "ocean"));
    array.data = other;
    must(deepfield_field_colour(bench.field, bench.picture, &array));
    assert_memory_not_equal(rgb, other, sizeof rgb);
    bench_close(&bench);
}

static int row_count(void *user, int32_t x, int32_t y, int32_t width, int32_t height,
                     const deepfield_array *planes, const char *const *names, int count)
{
    int *rows = user;
    (void)planes;
    assert_int_equal(x, 0);
    assert_int_equal(y, *rows);
    assert_int_equal(width, 96);
    assert_string_equal(names[0], "count");
    assert_true(count >= 1);
    *rows += height;
    return 0;
}

TEST(rows_are_received)
{
    struct bench bench;
    deepfield_array array;
    int rows = 0;
    bench_open(&bench, "cpu", "seahorse", "96x54");
    deepfield_field_receive(bench.field, DEEPFIELD_ROWS, row_count, &rows);
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field));
    assert_int_equal(rows, 54);
    assert_int_equal(deepfield_field_get(bench.field, "count", &array), DEEPFIELD_USAGE);
    bench_close(&bench);
}

static int pixels_count(void *user, int32_t x, int32_t y, int32_t width, int32_t height,
                        const deepfield_array *planes, const char *const *names, int count)
{
    (void)planes;
    (void)names;
    assert_true(x >= 0 && y >= 0 && x + width <= 96 && y + height <= 54 && count >= 1);
    *(int *)user += width * height;
    return 0;
}

TEST(tiles_are_received)
{
    struct bench bench;
    deepfield_array array = {.size = sizeof array};
    int pixels = 0;
    bench_open(&bench, "cpu", "seahorse", "96x54");
    deepfield_field_receive(bench.field, DEEPFIELD_TILES, pixels_count, &pixels);
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_COLOURS, bench.field));
    assert_int_equal(pixels, 96 * 54);
    must(deepfield_field_get(bench.field, "count", &array));
    bench_close(&bench);
}

TEST(points_and_pixels_agree)
{
    struct bench bench;
    char *re, *im;
    double x, y;
    bench_open(&bench, "cpu", NULL, "96x54");
    must(deepfield_picture_set(bench.picture, "view.re",
                               "-1.7685291120293873984209832094832094832"));
    must(deepfield_picture_set(bench.picture, "view.im", "0.00170324098230948230948230948230948"));
    must(deepfield_picture_set(bench.picture, "view.zoom", "1e30"));
    must(deepfield_picture_point(bench.picture, 3.5, 50.25, &re, &im));
    must(deepfield_picture_pixel(bench.picture, re, im, &x, &y));
    assert_true(x > 3.499 && x < 3.501 && y > 50.249 && y < 50.251);
    deepfield_free(re);
    deepfield_free(im);
    bench_close(&bench);
}

TEST(what_is_wrong_is_told)
{
    struct bench bench;
    const char *value;
    char *text;
    bench_open(&bench, "cpu", "seahorse", "96x54");
    assert_int_equal(deepfield_picture_set(bench.picture, "view.sise", "4x4"), DEEPFIELD_USAGE);
    assert_non_null(strstr(deepfield_error(), "view.size"));
    assert_int_equal(deepfield_picture_set(bench.picture, "view.size", "big"), DEEPFIELD_CONFIG);
    must(deepfield_picture_get(bench.picture, "view.size", &value));
    assert_string_equal(value, "96x54");
    assert_int_equal(deepfield_render(NULL, bench.picture, DEEPFIELD_NUMBERS, bench.field),
                     DEEPFIELD_USAGE);
    assert_int_equal(deepfield_list(bench.world, "palette", &text), DEEPFIELD_USAGE);
    must(deepfield_list(bench.world, "palettes", &text));
    assert_non_null(strstr(text, "\"ocean\""));
    deepfield_free(text);
    must(deepfield_picture_text(bench.picture, ".ini", &text));
    assert_non_null(strstr(text, "[view]"));
    deepfield_picture *again;
    must(deepfield_picture_open(&again, bench.world, text));
    deepfield_picture_destroy(again);
    deepfield_free(text);
    bench_close(&bench);
}

static int cancel_at_once(void *user, const deepfield_progress *progress)
{
    (void)user;
    (void)progress;
    return 1;
}

TEST(a_picture_is_cancelled)
{
    struct bench bench;
    bench_open(&bench, "cpu", "seahorse", "4000x4000");
    deepfield_renderer_progress(bench.renderer, cancel_at_once, NULL);
    must(deepfield_picture_set(bench.picture, "look.samples", "16"));
    assert_int_equal(
        deepfield_render(bench.renderer, bench.picture, DEEPFIELD_COLOURS, bench.field),
        DEEPFIELD_STOPPED);
    deepfield_renderer_progress(bench.renderer, NULL, NULL);
    must(deepfield_picture_set(bench.picture, "view.size", "64x64"));
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_NUMBERS, bench.field));
    bench_close(&bench);
}

TEST(a_film_has_frames)
{
    struct bench bench;
    deepfield_picture *from, *frame;
    deepfield_film *film;
    const char *zoom;
    bench_open(&bench, "cpu", "seahorse", "96x54");
    must(deepfield_picture_open(&from, bench.world, NULL));
    must(deepfield_picture_set(bench.picture, "film.seconds", "2"));
    must(deepfield_picture_set(bench.picture, "film.fps", "10"));
    must(deepfield_film_open(&film, from, bench.picture));
    assert_int_equal(deepfield_film_frames(film), 20);
    assert_int_equal(deepfield_film_picture(film, 20, &frame), DEEPFIELD_USAGE);
    must(deepfield_film_picture(film, 19, &frame));
    must(deepfield_picture_get(frame, "view.zoom", &zoom));
    must(deepfield_render(bench.renderer, frame, DEEPFIELD_NUMBERS, bench.field));
    deepfield_picture_destroy(frame);
    deepfield_film_destroy(film);
    deepfield_picture_destroy(from);
    bench_close(&bench);
}

/* Frames of a deep film share an orbit, which changes no count. */
TEST(frames_are_the_pictures_of_their_places)
{
    struct bench bench;
    deepfield_picture *from, *frame, *alone;
    deepfield_film *film;
    deepfield_array count = {.size = sizeof count};
    static uint32_t shared[36][64];
    char *text;
    bench_open(&bench, "cpu", DEEP, "64x36");
    must(deepfield_picture_open(&from, bench.world, DEEP));
    must(deepfield_picture_set(from, "view.zoom", "1e10"));
    must(deepfield_picture_set(bench.picture, "film.seconds", "1"));
    must(deepfield_film_open(&film, from, bench.picture));
    must(deepfield_film_picture(film, 20, &frame));
    must(deepfield_render(bench.renderer, frame, DEEPFIELD_COLOURS, bench.field));
    must(deepfield_field_get(bench.field, "count", &count));
    memcpy(shared, count.data, sizeof shared);
    must(deepfield_picture_text(frame, ".ini", &text));
    must(deepfield_picture_open(&alone, bench.world, text));
    must(deepfield_render(bench.renderer, alone, DEEPFIELD_NUMBERS, bench.field));
    must(deepfield_field_get(bench.field, "count", &count));
    assert_memory_equal(shared, count.data, sizeof shared);
    deepfield_free(text);
    deepfield_picture_destroy(alone);
    deepfield_film_destroy(film);
    deepfield_picture_destroy(frame);
    deepfield_picture_destroy(from);
    bench_close(&bench);
}

TEST(a_live_picture_settles)
{
    struct bench bench;
    deepfield_live *live;
    deepfield_live_state now = {.size = sizeof now};
    static uint8_t rgba[54][96][4];
    const deepfield_array into = bytes_over(rgba, 96, 54, 4);
    uint64_t serial;
    bench_open(&bench, "cpu", "seahorse", "96x54");
    must(deepfield_live_open(&live, bench.renderer, NULL, NULL));
    must(deepfield_live_ask(live, bench.picture, 0, &serial));
    for (int i = 0; i < 3000 && !now.settled && !*now.error; i++) {
        must(deepfield_live_poll(live, &now, &into));
        usleep(10000);
    }
    assert_string_equal(now.error, "");
    assert_true(now.settled);
    assert_int_equal(now.serial, serial);
    must(deepfield_live_poll(live, &now, &into));
    assert_int_equal(rgba[27][48][3], 255);
    deepfield_live_close(live);
    bench_close(&bench);
}

static void settle(deepfield_live *live, deepfield_live_state *now, deepfield_live_pixels *pixels)
{
    for (int i = 0; i < 3000 && !(now->smooth && now->covered) && !*now->error; i++) {
        must(deepfield_live_update(live, now, pixels));
        usleep(10000);
    }
    must(deepfield_live_update(live, now, pixels));
    assert_string_equal(now->error, "");
}

/* What a window needs: its own pixels, where they have changed, who computed them, and the field,
 * which stays as it is. */
TEST(a_window_follows_a_live_picture)
{
    struct bench bench;
    deepfield_live *live;
    deepfield_live_state now = {.size = sizeof now};
    static uint32_t seen[200 * 200], other[200 * 200];
    static deepfield_live_pixels pixels = {
        .size = sizeof pixels, .pixels = seen, .width = 200, .height = 200, .stride = 200};
    deepfield_live_request request = {.size = sizeof request, .samples = 1, .pointer_x = 190};
    deepfield_array count = {.size = sizeof count}, rendered = count;
    uint8_t owner[2][2];
    deepfield_array owners = bytes_over(owner, 2, 2, 1);
    deepfield_field *field;
    uint64_t serial, next;
    int32_t side;
    bench_open(&bench, "cpu", "seahorse", "200x200");
    must(deepfield_live_open(&live, bench.renderer, NULL, NULL));
    must(deepfield_live_ask_with(live, bench.picture, &request, &serial));
    settle(live, &now, &pixels);
    assert_int_equal(now.serial, serial);
    assert_int_equal(now.workers, 1);
    assert_true(now.worker[0].alive && now.worker[0].tiles > 0);
    assert_true(now.moments.settled >= now.moments.covered && now.moments.covered > 0);
    assert_true(now.planes & 1 && now.stride == 1 && *now.method && now.count_max > now.count_min);
    assert_true(pixels.changed[0][0] && pixels.changed[1][1] && !pixels.changed[2][0]);
    assert_true(seen[0] >> 24 == 255 && seen[200 * 200 - 1] >> 24 == 255);
    must(deepfield_live_owners(live, &owners, &side));
    assert_true(side >= 128 && owners.width == 200 / side + 1 && owner[0][0] == 0);
    must(deepfield_live_field(live, serial, &field));
    memset(pixels.changed, 0, sizeof pixels.changed);
    must(deepfield_live_update(live, &now, &pixels));
    assert_false(pixels.written || pixels.changed[0][0]);
    pixels.pixels = other; /* other memory: all of it */
    pixels.picture = pixels.version = 0;
    must(deepfield_live_update(live, &now, &pixels));
    assert_true(pixels.written);
    assert_memory_equal(seen, other, sizeof seen);
    must(deepfield_picture_set(bench.picture, "view.zoom", "1"));
    must(deepfield_live_ask_with(live, bench.picture, &request, &next));
    assert_int_equal(deepfield_live_field(live, serial, &(deepfield_field *){NULL}),
                     DEEPFIELD_NO_INPUT);
    now.smooth = 0;
    for (int i = 0; i < 3000 && now.serial != next; i++)
        settle(live, &now, &pixels);
    request.pace = DEEPFIELD_LIVE_STOP;
    must(deepfield_live_ask_with(live, NULL, &request, NULL));
    assert_true(deepfield_live_version(live) >= now.version);
    deepfield_live_close(live);
    must(deepfield_field_get(field, "count", &count));
    deepfield_picture *seahorse;
    must(deepfield_picture_open(&seahorse, bench.world, "seahorse"));
    must(deepfield_picture_set(seahorse, "view.size", "200x200"));
    must(deepfield_render(bench.renderer, seahorse, DEEPFIELD_NUMBERS, bench.field));
    must(deepfield_field_get(bench.field, "count", &rendered));
    for (int y = 0; y < 200; y++)
        assert_memory_equal((char *)count.data + y * count.row_bytes,
                            (char *)rendered.data + y * rendered.row_bytes, 200 * sizeof(uint32_t));
    deepfield_field_destroy(field);
    deepfield_picture_destroy(seahorse);
    bench_close(&bench);
}

/* Planes of what is inside are asked for, too. */
TEST(a_live_picture_has_the_colours_of_a_render)
{
    struct bench bench;
    deepfield_live *live;
    deepfield_live_state now = {.size = sizeof now};
    static uint8_t seen[54][96][4], rendered[54][96][4];
    deepfield_array array = bytes_over(seen, 96, 54, 4);
    bench_open(&bench, "cpu", NULL, "96x54");
    must(deepfield_picture_set(bench.picture, "look.interior", "period"));
    must(deepfield_picture_set(bench.picture, "look.samples", "1"));
    must(deepfield_live_open(&live, bench.renderer, NULL, NULL));
    must(deepfield_live_ask(live, bench.picture, 0, NULL));
    for (int i = 0; i < 3000 && now.stage != DEEPFIELD_LIVE_DONE && !*now.error; i++) {
        must(deepfield_live_poll(live, &now, &array));
        usleep(10000);
    }
    must(deepfield_live_poll(live, &now, &array));
    deepfield_live_close(live);
    array.data = rendered;
    must(deepfield_render(bench.renderer, bench.picture, DEEPFIELD_COLOURS, bench.field));
    must(deepfield_field_colour(bench.field, bench.picture, &array));
    assert_memory_equal(seen, rendered, sizeof seen);
    bench_close(&bench);
}

TEST(orbits_and_rays_of_points)
{
    struct bench bench;
    static double z[8][2], ray[DEEPFIELD_RAY_POINTS][2];
    deepfield_orbit orbit = {.size = sizeof orbit, .points = z, .points_most = 8};
    int32_t count;
    bench_open(&bench, "cpu", NULL, "64x64");
    must(deepfield_picture_set(bench.picture, "view.re", "-1"));
    must(deepfield_picture_orbit(bench.picture, 32, 32, &orbit)); /* c = -1: 0, -1, 0, ... */
    assert_true(orbit.period == 2 && orbit.escape == 0 && orbit.ray_count == 0);
    assert_true(z[0][0] == 0 && z[1][0] == -1 && z[2][0] == 0 && z[3][0] == -1);
    must(deepfield_picture_set(bench.picture, "view.re", "1"));
    orbit.ray = ray;
    orbit.ray_most = DEEPFIELD_RAY_POINTS;
    must(deepfield_picture_orbit(bench.picture, 32, 32, &orbit)); /* 0, 1, 2, 5, ... */
    assert_true(orbit.escape == 3 && orbit.count == 4 && z[3][0] == 5);
    assert_true(orbit.ray_count > 1 && orbit.ray_turn < 1e-6 && ray[0][0] == 1);
    must(deepfield_ray(1, 3, ray, DEEPFIELD_RAY_POINTS, &count)); /* lands at -3/4 */
    assert_true(count > 100 && ray[count - 1][0] > -0.8 && ray[count - 1][0] < -0.7);
    must(deepfield_picture_set(bench.picture, "view.formula", "burning_ship"));
    assert_int_equal(deepfield_picture_orbit(bench.picture, 32, 32, &orbit), DEEPFIELD_CONFIG);
    bench_close(&bench);
}

TEST(a_nucleus_is_found_and_counts_are_proven)
{
    struct bench bench;
    char *text;
    bench_open(&bench, "cpu", NULL, "64x64");
    must(deepfield_picture_set(bench.picture, "view.re", "-1.76"));
    must(deepfield_picture_set(bench.picture, "view.im", "0"));
    must(deepfield_picture_set(bench.picture, "view.zoom", "20"));
    must(deepfield_find(bench.renderer, bench.picture, &text));
    assert_non_null(strstr(text, "\"period\":3"));
    assert_non_null(strstr(text, "\"component\":\"cardioid\""));
    assert_non_null(strstr(text, "\"view.title\":\"nucleus of period 3\""));
    deepfield_free(text);
    must(deepfield_picture_info(bench.picture, &text));
    assert_non_null(strstr(text, "\"places_needed\":"));
    assert_non_null(strstr(text, "\"refused\":null"));
    deepfield_free(text);
    must(deepfield_list(bench.world, "machine", &text));
    assert_non_null(strstr(text, "\"cores\":"));
    deepfield_free(text);
    must(deepfield_verify(bench.renderer, bench.picture, 8, &text));
    assert_non_null(strstr(text, "\"verdict\":\"right\""));
    assert_non_null(strstr(text, "\"moved_px\":{\"predicted\":"));
    assert_non_null(strstr(text, "\"planes\":[\"count\",\"fraction\""));
    assert_non_null(strstr(text, "\"pixels\":8,"));
    deepfield_free(text);
    must(deepfield_picture_plan(bench.picture, bench.renderer, &text));
    assert_non_null(strstr(text, "\"method\":\"direct\""));
    deepfield_free(text);
    bench_close(&bench);
}
