/* Parts of films: which key pictures there are, how frames are taken from them, what is measured,
 * what is kept, and the samples of videos. */
#include "render/film/film.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/folder_clear.h"
#include "render/film/film_change.h"
#include "render/film/film_colours.h"
#include "render/film/film_dim.h"
#include "render/film/film_end.h"
#include "render/film/film_renderers.h"
#include "render/film/film_resample.h"
#include "tests/support/check.h"

enum { WIDTH = 72, HEIGHT = 48 };
static float light[WIDTH * HEIGHT][3];

static void light_fill(double r, double g, double b)
{
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        light[i][0] = (float)r;
        light[i][1] = (float)g;
        light[i][2] = (float)b;
    }
}

/* ---- key pictures ---- */

TEST(test_key_pictures_are_fine_enough_and_hold_their_frames)
{
    for (int turns = 0; turns < 2; turns++) {
        struct film_keys keys = film_keys_of(0, 66.4, 640, 360, turns);
        assert_int_equal(keys.count, 133);
        double diagonal = hypot(640, 360);
        for (double log2_zoom = 0; log2_zoom < 66.4; log2_zoom += 0.0137) {
            int number = film_key_at(&keys, log2_zoom);
            double scale = film_key_scale(&keys, number, log2_zoom);
            assert_true(scale <= FILM_COARSEST_PX * (1 + 1e-12) && scale > 0.49);
            double across = (turns ? diagonal : 640) + 2 * FILM_FILTER_PX;
            double down = (turns ? diagonal : 360) + 2 * FILM_FILTER_PX;
            assert_true(keys.width * scale >= across && keys.height * scale >= down);
        }
        /* The pixel of a picture of so many rows at that zoom. */
        double log2_zoom = film_key_log2_zoom(&keys, 7, 360);
        double pixel = 2 - log2_zoom - log2(keys.height);
        assert_true(fabs(pixel - (2 - 3.5 - log2(360) - log2(keys.scale))) < 1e-12);
    }
}

TEST(test_the_method_is_what_is_less_work)
{
    static const struct film_kind video = {.suffix = ".y4m"}, numbers = {.numbers = true};
    struct film film = {
        .width = 640, .height = 360, .frames = 600, .picture.samples = 4, .video.kind = &video};
    struct film_keyframe begin = {.re = "0", .im = "0", .zoom = "1"};
    struct film_keyframe end = {.time_s = 20, .re = "0", .im = "0", .zoom = "1e20"};
    assert_int_equal(film_path_add(&film.path, &begin), STATUS_OK);
    assert_int_equal(film_path_add(&film.path, &end), STATUS_OK);
    assert_int_equal(film_method_choose(&film, false), FILM_KEYFRAMES);
    assert_int_equal(film_method_choose(&film, true), FILM_FRAMES);
    film.frames = 80; /* ten doublings in twelve frames */
    assert_int_equal(film_method_choose(&film, false), FILM_FRAMES);
    film.frames = 600;
    film.picture.samples = 16;
    assert_int_equal(film_method_choose(&film, false), FILM_FRAMES);
    film.picture.samples = 4;
    film.video.kind = &numbers;
    assert_non_null(film_keyframes_refusal(&film));
    film.video.kind = &video;
    end.re = "1e-9";
    end.time_s = 21;
    assert_int_equal(film_path_add(&film.path, &end), STATUS_OK);
    assert_non_null(film_keyframes_refusal(&film));
    film_path_destroy(&film.path);
}

/* Frames are made side by side only where that pays: memory is asked for no others. */
TEST(test_frames_are_made_side_by_side_by_a_gpu_alone)
{
    const struct film_kind video = {.numbers = false}, numbers = {.numbers = true};
    struct film film = {.method = FILM_FRAMES, .video.kind = &video};
    struct renderer_facts facts = {.ranks = 1, .gpus = 1};
    assert_int_equal(film_renderers_most(&facts, &film), FILM_RENDERERS_OF_GPU);
    facts.gpus = 2;
    assert_int_equal(film_renderers_most(&facts, &film), 2 * FILM_RENDERERS_OF_GPU);
    facts.gpus = DEVICES_MAX;
    assert_int_equal(film_renderers_most(&facts, &film), FILM_RENDERERS_MOST);
    facts.ranks = 3;
    assert_int_equal(film_renderers_most(&facts, &film), 1);
    facts = (struct renderer_facts){.ranks = 1};
    assert_int_equal(film_renderers_most(&facts, &film), 1);
    facts.gpus = 2;
    film.method = FILM_KEYFRAMES;
    assert_int_equal(film_renderers_most(&facts, &film), 1);
    film = (struct film){.method = FILM_FRAMES, .video.kind = &numbers};
    assert_int_equal(film_renderers_most(&facts, &film), 1);
}

/* Where the hole is another colour than all the rest, no frame has any of that, and no pixel is
 * forgotten. */
static void check_hole(const struct film_keys *keys, double log2_zoom, double turn,
                       const struct look *look, float (*room)[3])
{
    int first = film_key_at(keys, log2_zoom);
    float expected[1][3];
    light_fill(9, 9, 9);
    for (int number = first; number <= film_key_last(keys, first); number++) {
        struct tile hole = film_key_hole(keys, number);
        struct field field;
        assert_int_equal(field_create(&field, keys->width, keys->height,
                                      PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                         STATUS_OK);
        uint32_t *count = field.plane[PLANE_COUNT];
        for (int32_t y = 0; y < field.height; y++)
            for (int32_t x = 0; x < field.width; x++) {
                bool inside = x >= hole.x && x < hole.x + hole.width && y >= hole.y &&
                              y < hole.y + hole.height;
                count[y * field.width + x] = inside ? 100 : 1;
            }
        colour_span_light(look, &field, 0, 0, 1, expected);
        struct film_source source = {.field = &field,
                                     .scale = film_key_scale(keys, number, log2_zoom),
                                     .cosine = turn != 0 ? cos(turn) : 1,
                                     .sine = sin(turn),
                                     .inner = number > first,
                                     .light = room};
        assert_int_equal(film_resample(&source, look, WIDTH, HEIGHT, light, 1), STATUS_OK);
        field_destroy(&field);
    }
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < 3; c++)
            assert_true(fabs((double)(light[i][c] - expected[0][c])) < 1e-5);
}

TEST(test_what_is_not_computed_is_in_no_frame)
{
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "#000000#ffffff"), STATUS_OK);
    const struct look look = {.palette = palette, .density = 0.1};
    for (int turns = 0; turns < 2; turns++) {
        struct film_keys keys = film_keys_of(0, 5.2, WIDTH, HEIGHT, turns);
        float(*room)[3] = malloc(((size_t)keys.width * (size_t)keys.height + 1) * sizeof *room);
        assert_int_equal(keys.count, 11);
        assert_true(film_keys_pixels(&keys) < 0.9 * keys.count * keys.width * keys.height);
        for (int number = 0; number < keys.count; number++) {
            bool whole = number % 3 == 0 || number == keys.count - 1;
            assert_true((film_key_hole(&keys, number).width == 0) == whole);
            assert_true(film_key_last(&keys, number) - number < FILM_KEYS_WHOLE);
        }
        for (double log2_zoom = 0; log2_zoom < 5.2; log2_zoom += 0.0613)
            for (int i = 0; i < (turns ? 4 : 1); i++)
                check_hole(&keys, log2_zoom, turns ? 0.1 + 0.43 * i : 0, &look, room);
        free(room);
    }
    palette_destroy(palette);
}

/* ---- resampling ---- */

/* Counts that rise evenly to the right are colours that a law of counts makes; half of the picture,
 * two pixels for one, and turned by a quarter, is found where it should be. */
TEST(test_resampled_frames_lie_where_they_should)
{
    struct field field;
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "#000000#ffffff"), STATUS_OK);
    assert_int_equal(field_create(&field, 2 * WIDTH + 8, 2 * WIDTH + 8,
                                  PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    uint32_t *count = field.plane[PLANE_COUNT];
    for (int32_t y = 0; y < field.height; y++)
        for (int32_t x = 0; x < field.width; x++)
            count[y * field.width + x] = (uint32_t)(1 + x);
    struct look look = {.palette = palette, .density = 0.1};
    struct film_source source = {.field = &field,
                                 .scale = 0.5,
                                 .cosine = 1,
                                 .light =
                                     malloc(((size_t)field.width * (size_t)field.height + 1) * 12)};
    assert_int_equal(film_resample(&source, &look, WIDTH, HEIGHT, light, 2), STATUS_OK);
    float expected[2 * WIDTH + 8][3];
    colour_span_light(&look, &field, 0, 0, field.width, expected);
    for (int x = 0; x < WIDTH; x++) { /* between pixels 2 x + 4 and 2 x + 5 */
        double middle = ((double)expected[2 * x + 4][0] + (double)expected[2 * x + 5][0]) / 2;
        assert_true(fabs((double)light[5 * WIDTH + x][0] - middle) < 2e-3);
    }
    /* The frame is turned counter-clockwise: what rises to the right rises downwards. */
    source.cosine = 0;
    source.sine = 1;
    assert_int_equal(film_resample(&source, &look, WIDTH, HEIGHT, light, 2), STATUS_OK);
    for (int y = 0; y < HEIGHT; y++) {
        int at = 2 * y + (WIDTH - HEIGHT) + 4;
        double middle = ((double)expected[at][0] + (double)expected[at + 1][0]) / 2;
        assert_true(fabs((double)light[y * WIDTH + 9][0] - middle) < 2e-3);
    }
    free(source.light);
    field_destroy(&field);
    palette_destroy(palette);
}

/* ---- video ---- */

TEST(test_samples_of_video_are_those_of_bt709)
{
    static const struct {
        double r, g, b;
        int luma, cb, cr; /* of 8 bits */
    } rows[] = {
        {0, 0, 0, 16, 128, 128}, {1, 1, 1, 235, 128, 128}, {1, 0, 0, 63, 102, 240},
        {0, 1, 0, 173, 42, 26},  {0, 0, 1, 32, 240, 118},
    };
    struct film_yuv yuv = {.width = WIDTH, .height = HEIGHT};
    uint8_t frame[WIDTH * HEIGHT * 6];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int kind = 0; kind < 4; kind++) {
            yuv.bits = kind % 2 ? 10 : 8;
            yuv.chroma = kind / 2 ? FILM_CHROMA_444 : FILM_CHROMA_420;
            size_t bytes = yuv.bits > 8 ? 2 : 1, pixels = WIDTH * HEIGHT;
            size_t chroma = kind / 2 ? pixels : pixels / 4;
            assert_int_equal(film_yuv_bytes(&yuv), bytes * (pixels + 2 * chroma));
            light_fill(rows[i].r, rows[i].g, rows[i].b);
            assert_int_equal(film_yuv_make(&yuv, (const float(*)[3])light, frame, 2), STATUS_OK);
            const size_t at[] = {0, pixels * bytes, (pixels + chroma) * bytes};
            const int expected[] = {rows[i].luma, rows[i].cb, rows[i].cr};
            for (int plane = 0; plane < 3; plane++) {
                int sample = frame[at[plane]];
                if (yuv.bits == 10) /* to within what 8 bits have rounded */
                    sample = (sample + 256 * frame[at[plane] + 1] + 2) / 4;
                assert_in_range(sample, expected[plane] - (yuv.bits == 10),
                                expected[plane] + (yuv.bits == 10));
            }
        }
}

TEST(test_paths_say_what_kind_of_film_they_are)
{
    static const char *const bad[] = {"x",      "x.avi",      "frames/x.png", "a%d/x.png",
                                      "%s.png", "%06d%d.png", "%6d.png",      "%n.exr"};
    const struct film_kind *kind;
    char path[FILM_NAME_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(film_kind_for_path(&kind, bad[i]), STATUS_USAGE);
    assert_int_equal(film_kind_for_path(&kind, "a/x.MP4"), STATUS_OK);
    assert_string_equal(kind->suffix, ".mp4");
    assert_int_equal(film_kind_for_path(&kind, "f/%06d.png"), STATUS_OK);
    film_frame_path("50%/f%06d.png", 42, path);
    assert_string_equal(path, "50%/f000042.png");
    film_frame_path("%d.png", 1234567, path);
    assert_string_equal(path, "1234567.png");
}

/* ---- measures ---- */

static const struct {
    const char *text;
    struct film_rate rate; /* of 0 frames: refused */
    const char *shown;
} rates[] = {
    {"60", {60, 1}, "60"},
    {"1", {1, 1}, "1"},
    {"240", {240, 1}, "240"},
    {"60.0", {60, 1}, "60"},
    {"12.5", {25, 2}, "25/2"},
    {"29.97", {30000, 1001}, "30000/1001"},
    {"29.970", {30000, 1001}, "30000/1001"},
    {"23.976", {24000, 1001}, "24000/1001"},
    {"23.98", {24000, 1001}, "24000/1001"},
    {"47.952", {48000, 1001}, "48000/1001"},
    {"59.94", {60000, 1001}, "60000/1001"},
    {"119.88", {120000, 1001}, "120000/1001"},
    {"23.97", {2397, 100}, "2397/100"},
    {"24000/1001", {24000, 1001}, "24000/1001"},
    {"50/2", {25, 1}, "25"},
    {"0", {0, 0}, NULL},
    {"0.5", {0, 0}, NULL},
    {"1/2", {0, 0}, NULL},
    {"240.1", {0, 0}, NULL},
    {"25/0", {0, 0}, NULL},
    {"99999999999/99999999999", {0, 0}, NULL},
    {"30000000/1000001", {0, 0}, NULL},
    {"", {0, 0}, NULL},
    {"-25", {0, 0}, NULL},
    {"25 ", {0, 0}, NULL},
    {"25/", {0, 0}, NULL},
    {"/25", {0, 0}, NULL},
    {"25.", {0, 0}, NULL},
    {".5", {0, 0}, NULL},
    {"25.12345", {0, 0}, NULL},
    {"1e2", {0, 0}, NULL},
    {"24000/1001/1", {0, 0}, NULL},
    {"nan", {0, 0}, NULL},
};

TEST(rates_of_frames_are_exact)
{
    char text[FILM_RATE_BYTES];
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct film_rate rate = {0, 0};
        enum status status = film_rate_read(rates[i].text, &rate);
        if (!rates[i].shown) {
            if (status != STATUS_CONFIG)
                fail_msg("'%s' is taken for a rate", rates[i].text);
            continue;
        }
        if (status != STATUS_OK || rate.frames != rates[i].rate.frames ||
            rate.seconds != rates[i].rate.seconds)
            fail_msg("'%s' is %d/%d", rates[i].text, rate.frames, rate.seconds);
        film_rate_text(rate, text);
        assert_string_equal(text, rates[i].shown);
        assert_int_equal(film_rate_read(text, &rate), STATUS_OK);
    }
    const struct film_rate film = {24000, 1001};
    assert_int_equal(film_rate_whole(film), 24);
    assert_true(film_rate_seconds(film, 24000) == 1001); /* no rounding that adds up */
}

/* Flashes that a picture has which is light and dark in turns, `hertz` times a second. */
static double strobe(int fps, double hertz, double dark, double bright, int columns)
{
    struct flash_state *flashes;
    double most = 0;
    assert_int_equal(flash_create(&flashes, fps), STATUS_OK);
    for (int n = 0; n < 3 * fps; n++) {
        struct flash_frame frame;
        bool on = fmod(n * hertz / fps, 1) < 0.5;
        light_fill(dark, dark, dark);
        for (int i = 0; i < WIDTH * HEIGHT; i++)
            for (int c = 0; c < 3 && on && i % WIDTH < columns; c++)
                light[i][c] = (float)bright;
        flash_frame_make(&frame, (const float(*)[3])light, WIDTH, HEIGHT, 1);
        most = fmax(most, flash_add(flashes, &frame) / 2.0);
    }
    flash_destroy(flashes);
    return most;
}

TEST(test_flashes_are_counted_as_wcag_counts_them)
{
    assert_true(strobe(30, 5, 0, 1, WIDTH) == 5);
    assert_true(strobe(60, 3, 0.1, 0.5, WIDTH) == 3);
    assert_true(strobe(30, 5, 0.5, 0.59, WIDTH) == 0);        /* less than 0.1 */
    assert_true(strobe(30, 5, 0.81, 1, WIDTH) == 0);          /* both bright */
    assert_true(strobe(30, 5, 0, 1, WIDTH / 3 / 4 - 2) == 0); /* less than a quarter of a third */
    assert_true(strobe(30, 5, 0, 1, WIDTH / 3 / 4 + 2) == 5);
    /* Red flashes of the luminance 0.2126 * 0.3 < 0.1. */
    struct flash_state *flashes;
    int most = 0;
    assert_int_equal(flash_create(&flashes, 30), STATUS_OK);
    for (int n = 0; n < 60; n++) {
        struct flash_frame frame;
        light_fill(n / 3 % 2 ? 0.3 : 0.1, 0, 0);
        flash_frame_make(&frame, (const float(*)[3])light, WIDTH, HEIGHT, 1);
        int now = flash_add(flashes, &frame);
        most = now > most ? now : most;
    }
    assert_int_equal(most, 10);
    flash_destroy(flashes);
}

TEST(test_limited_films_have_three_flashes_a_second)
{
    struct film_dim *dim;
    struct flash_state *flashes;
    assert_int_equal(film_dim_create(&dim, WIDTH, HEIGHT, 30), STATUS_OK);
    assert_int_equal(flash_create(&flashes, 30), STATUS_OK);
    int most = 0;
    for (int n = 0; n < 120; n++) {
        struct flash_frame frame;
        double value = n / 3 % 2 ? 0.9 : 0.05;
        light_fill(value, value, value);
        flash_frame_make(&frame, (const float(*)[3])light, WIDTH, HEIGHT, 1);
        assert_int_equal(film_dim_frame(dim, light, &frame, n), STATUS_OK);
        flash_frame_make(&frame, (const float(*)[3])light, WIDTH, HEIGHT, 1);
        int now = flash_add(flashes, &frame);
        most = now > most ? now : most;
    }
    assert_in_range(most, 1, 2 * FLASH_MOST);
    assert_in_range(film_dim_count(dim), 1, 119);
    flash_destroy(flashes);
    film_dim_destroy(dim);
}

/* Every third frame is another colour, patches of it more than others, so that frames are held. */
static enum status flicker(struct film_dim *dim, int n, struct flash_frame *frame)
{
    double value = n / 3 % 2 ? 0.9 : 0.05;
    light_fill(value, n % 5 * 0.2, value);
    for (int i = 0; i < WIDTH * HEIGHT / 2; i++)
        light[i][0] = (float)(n % 2);
    flash_frame_make(frame, (const float(*)[3])light, WIDTH, HEIGHT, 1);
    return film_dim_frame(dim, light, frame, n);
}

TEST(test_limited_films_go_on_from_the_frames_before)
{
    enum { FRAMES = 90, THERE = 47 };
    static float shown[FRAMES][WIDTH * HEIGHT][3], left[WIDTH * HEIGHT][3];
    static struct flash_frame frames[FRAMES];
    struct film_dim *dim;
    assert_int_equal(film_dim_create(&dim, WIDTH, HEIGHT, 30), STATUS_OK);
    for (int n = 0; n < FRAMES; n++) {
        assert_int_equal(flicker(dim, n, &frames[n]), STATUS_OK);
        memcpy(shown[n], light, sizeof light);
        if (n + 1 == THERE)
            memcpy(left, film_dim_shown(dim), sizeof left);
    }
    assert_true(film_dim_count(dim) > 0);
    film_dim_destroy(dim);
    assert_memory_equal(left, shown[THERE - 1], sizeof left);
    assert_int_equal(film_dim_create(&dim, WIDTH, HEIGHT, 30), STATUS_OK);
    for (int n = 0; n < THERE; n++)
        assert_int_equal(film_dim_past(dim, &frames[n], n), STATUS_OK);
    memcpy(film_dim_shown(dim), left, sizeof left);
    for (int n = THERE; n < FRAMES; n++) {
        struct flash_frame frame;
        assert_int_equal(flicker(dim, n, &frame), STATUS_OK);
        assert_memory_equal(light, shown[n], sizeof light);
        assert_memory_equal(&frame, &frames[n], sizeof frame);
    }
    film_dim_destroy(dim);
}

/* The change of `light`, seen in that view. */
static double change_of(struct film_change *change, struct view *view, int n, const char *re,
                        double zoom)
{
    double difference;
    char text[32];
    snprintf(text, sizeof text, "%.17g", zoom);
    assert_int_equal(view_set(view, re, "0.2", text, 0, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(film_change_add(change, (const float(*)[3])light, view, n, &difference),
                     STATUS_OK);
    return difference;
}

/* A pattern that only moves does not change; one whose light does, changes. */
TEST(test_motion_is_no_change)
{
    struct film_change change;
    struct view view = {0};
    assert_int_equal(film_change_open(&change, WIDTH, HEIGHT), STATUS_OK);
    for (int n = 0; n < 3; n++) {
        double zoom = exp2(n * 0.05), brighter = n == 2 ? 0.1 : 0;
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) {
                double u = (x + 0.5 - WIDTH / 2.0) / zoom, v = (y + 0.5 - HEIGHT / 2.0) / zoom;
                double value = 0.4 + 0.2 * sin(u * 0.3) * cos(v * 0.2) + brighter;
                for (int c = 0; c < 3; c++)
                    light[y * WIDTH + x][c] = (float)value;
            }
        double difference = change_of(&change, &view, n, "0.1", zoom);
        if (n == 0)
            assert_true(isnan(difference));
        if (n == 1)
            assert_true(difference < 0.1);
        if (n == 2)
            assert_true(difference > 3);
    }
    view_destroy(&view);
    film_change_close(&change);
}

/* Detail that moves by half a pixel: only one of two frames being interpolated would be a change.
 */
TEST(test_motion_of_fine_detail_is_little_change)
{
    struct film_change change;
    struct view view = {0};
    double difference;
    assert_int_equal(film_change_open(&change, WIDTH, HEIGHT), STATUS_OK);
    for (int n = 0; n < 2; n++) {
        char text[32];
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                for (int c = 0; c < 3; c++)
                    light[y * WIDTH + x][c] =
                        (float)(0.4 + 0.2 * sin((x + 0.5 * n) * M_PI / 2) * cos(0.3 * y));
        snprintf(text, sizeof text, "%.17g", 0.5 * n * 4 / HEIGHT); /* half a pixel to the right */
        difference = change_of(&change, &view, n, text, 1);
    }
    assert_true(difference < 1); /* 1.8 where the older frame alone is interpolated */
    view_destroy(&view);
    film_change_close(&change);
}

/* ---- colours ---- */

TEST(test_colours_go_steadily_from_one_measurement_to_the_next)
{
    struct film_path path = {0};
    struct film_keyframe begin = {.re = "0", .im = "0", .zoom = "1"};
    struct film_keyframe end = {.time_s = 10, .re = "0", .im = "0", .zoom = "1024"};
    struct film_colours colours;
    assert_int_equal(film_path_add(&path, &begin), STATUS_OK);
    assert_int_equal(film_path_add(&path, &end), STATUS_OK);
    assert_int_equal(film_colours_open(&colours, &path), STATUS_OK);
    assert_in_range(colours.count, 10, 12);
    assert_true(colours.time_s[0] == 0 && colours.time_s[colours.count - 1] == 10);
    for (size_t i = 0; i < colours.count; i++)
        if (i != 3) { /* where all is interior */
            colours.distribution[i].runs = 1;
            for (int l = 0; l < DISTRIBUTION_LEVELS; l++)
                colours.distribution[i].level[l] = 10 + l + 100 * (i % 2);
        }
    film_colours_settle(&colours);
    double last = film_colours_at(&colours, &path, 0).level[0];
    for (double time = 0; time <= 10; time += 0.01) {
        struct distribution now = film_colours_at(&colours, &path, time);
        assert_true(now.runs == 1);
        assert_true(fabs(now.level[0] - last) < 1.2); /* 100 in a doubling, and no steps */
        last = now.level[0];
    }
    film_colours_thin(&colours, 5); /* an estimate measures fewer */
    assert_int_equal(colours.count, 5);
    assert_true(colours.time_s[0] == 0 && colours.time_s[4] == 10);
    for (int i = 1; i < 5; i++)
        assert_true(colours.way[i] > colours.way[i - 1]);
    film_colours_close(&colours);
    film_path_destroy(&path);
}

/* ---- the folder ---- */

static enum status store_opened(struct film_store *store, const char *folder, const char *identity,
                                enum overwrite overwrite)
{
    struct film_store_order order = {.folder = folder,
                                     .suffix = ".y4m",
                                     .frames = 200,
                                     .identity = identity,
                                     .command = "/",
                                     .command_bytes = 2,
                                     .overwrite = overwrite};
    TRY(film_store_open(store, &order));
    return film_store_begin(store, &order);
}

/* A film that ends just after a doubling has no two measurements side by side there. */
TEST(test_colours_are_measured_as_far_apart)
{
    struct film_path path = {0};
    struct film_keyframe begin = {.re = "0", .im = "0", .zoom = "1"};
    struct film_keyframe end = {.time_s = 10, .re = "0", .im = "0", .zoom = "1100", .ease_s = 1};
    struct film_colours colours;
    assert_int_equal(film_path_add(&path, &begin), STATUS_OK);
    assert_int_equal(film_path_add(&path, &end), STATUS_OK);
    assert_int_equal(film_colours_open(&colours, &path), STATUS_OK);
    assert_int_equal(colours.count, 12);
    for (size_t i = 1; i < colours.count; i++)
        assert_true(fabs(colours.way[i] - colours.way[i - 1] - log2(1100) / 11) < 0.01);
    film_colours_close(&colours);
    film_path_destroy(&path);
}

TEST(test_a_folder_knows_its_film_and_its_stretches)
{
    char place[] = "/tmp/test_film_XXXXXX", folder[64];
    struct film_file file;
    struct film_store store;
    struct film_measure *measures = calloc(10, sizeof *measures),
                        *again = calloc(10, sizeof *again);
    assert_non_null(mkdtemp(place));
    snprintf(folder, sizeof folder, "%s/x.deepfield", place);
    assert_int_equal(store_opened(&store, folder, "a = 1\nb = 2\n", OVERWRITE_NO), STATUS_OK);
    assert_true(store.fresh && !film_store_at(&store, 0));
    measures[9].change = 7;
    struct film_segment segment = {120, 129};
    int claim, folder_file = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(film_store_temporary(&store, &file, &claim), STATUS_OK);
    folder_clear(folder_file); /* as of one that is alive it stays */
    assert_int_equal(faccessat(folder_file, file.name, F_OK, 0), 0);
    close(claim);
    folder_clear(folder_file);
    assert_int_not_equal(faccessat(folder_file, file.name, F_OK, 0), 0);
    assert_int_equal(film_store_temporary(&store, &file, &claim), STATUS_OK);
    close(claim);
    assert_int_equal(film_store_commit(&store, &segment, &file, measures), STATUS_OK);
    assert_int_equal(store.count, 0); /* the thread that looks at them is another one */
    film_store_close(&store);

    assert_int_equal(store_opened(&store, folder, "a = 1\nb = 3\n", OVERWRITE_NO),
                     STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "'b = 2' is 'b = 3'"));
    film_store_close(&store);
    /* The same film goes on, also with --force. */
    assert_int_equal(store_opened(&store, folder, "a = 1\nb = 2\n", OVERWRITE_YES), STATUS_OK);
    assert_true(!store.fresh && store.count == 1);
    assert_int_equal(film_store_at(&store, 120)->last, 129);
    assert_true(film_store_measures(&store, &store.segment[0], again));
    assert_true(again[9].change == 7);
    file = film_store_file(&store, &segment, ".measures"); /* damaged: not measured */
    int measured = openat(folder_file, file.name, O_WRONLY);
    assert_int_equal(ftruncate(measured, 100), 0);
    close(measured);
    assert_false(film_store_measures(&store, &store.segment[0], again));
    file = film_store_file(&store, &segment, ".y4m"); /* lost: not there */
    assert_int_equal(unlinkat(folder_file, file.name, 0), 0);
    close(folder_file);
    assert_int_equal(film_store_scan(&store), STATUS_OK);
    assert_int_equal(store.count, 0);
    film_store_remove(&store);
    film_store_close(&store);
    assert_int_equal(rmdir(place), 0);
    free(measures);
    free(again);
}

/* Room is made for the frames of the film, so others that lie in its folder are not counted. */
TEST(test_stretches_are_of_the_film)
{
    char place[] = "/tmp/test_film_XXXXXX", folder[64];
    static struct film_measure measures[FILM_SEGMENT_MOST + 1];
    const struct film_segment segment[] = {{0, FILM_SEGMENT_MOST}, {120, 200}, {150, 199}};
    const struct film film = {.frames = 200, .rate = {25, 1}};
    struct film_report report = {.measured = 0};
    struct film_store store;
    assert_non_null(mkdtemp(place));
    snprintf(folder, sizeof folder, "%s/x.deepfield", place);
    assert_int_equal(store_opened(&store, folder, "a = 1\n", OVERWRITE_NO), STATUS_OK);
    for (int i = 0; i < 3; i++) {
        struct film_file file;
        int claim;
        assert_int_equal(film_store_temporary(&store, &file, &claim), STATUS_OK);
        close(claim);
        assert_int_equal(film_store_commit(&store, &segment[i], &file, measures), STATUS_OK);
    }
    assert_int_equal(film_store_scan(&store), STATUS_OK);
    assert_true(store.count == 1 && film_store_at(&store, 150));
    assert_int_equal(film_measures_report(&film, &store, &report), STATUS_OK);
    assert_int_equal(report.measured, 50);
    film_store_remove(&store);
    film_store_close(&store);
    assert_int_equal(rmdir(place), 0);
}

/* Who can write into a folder that runs share must not make them write elsewhere, or wait. */
TEST(frames_are_put_into_plain_files_alone)
{
    const struct film_yuv yuv = {.width = 2, .height = 2, .bits = 8};
    const struct film_offsets offsets = film_y4m_offsets(&yuv, (struct film_rate){25, 1});
    char place[] = "/tmp/deepfield-film-XXXXXX", path[64], other[64];
    struct stat about;
    int file;
    assert_non_null(mkdtemp(place));
    const struct film_file of = {open(place, O_RDONLY | O_DIRECTORY), place, "film.y4m"};
    snprintf(path, sizeof path, "%s/film.y4m", place);
    snprintf(other, sizeof other, "%s/other", place);
    close(open(other, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(film_y4m_open(&file, &of, &yuv, (struct film_rate){25, 1}),
                     STATUS_CANNOT_CREATE);
    assert_int_equal(stat(other, &about), 0);
    assert_int_equal(about.st_size, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(film_y4m_open(&file, &of, &yuv, (struct film_rate){25, 1}),
                     STATUS_CANNOT_CREATE);
    assert_false(film_y4m_has(&of, &offsets, 0, 0));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(other, path), 0);
    assert_int_equal(film_y4m_open(&file, &of, &yuv, (struct film_rate){25, 1}),
                     STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "it has another name, by a hard link"));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(other), 0);
    close(of.folder);
    assert_int_equal(rmdir(place), 0);
}

/* The names that are written there: with links planted, and in a folder that is one. */
TEST(a_link_in_the_folder_of_a_film_is_not_followed)
{
    static const char *const planted[] = {"film.txt", "command", "000000-000009.measures",
                                          "join.txt"};
    static struct film_measure measures[10];
    char place[] = "/tmp/test_film_XXXXXX", folder[64], path[128], victim[64];
    const struct film_segment segment = {0, 9};
    struct film_store store;
    assert_non_null(mkdtemp(place));
    snprintf(folder, sizeof folder, "%s/x.deepfield", place);
    snprintf(victim, sizeof victim, "%s/victim", place);
    close(open(victim, O_WRONLY | O_CREAT, 0600));
    assert_int_equal(store_opened(&store, folder, "a = 1\n", OVERWRITE_NO), STATUS_OK);
    film_store_close(&store);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, planted[i]);
        (void)unlink(path);
        assert_int_equal(symlink(victim, path), 0);
    }
    assert_int_equal(store_opened(&store, folder, "a = 1\n", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(film_store_commit(&store, &segment, NULL, measures), STATUS_OK);
    struct stat about;
    assert_int_equal(stat(victim, &about), 0);
    assert_int_equal(about.st_size, 0);
    film_store_remove(&store);
    film_store_close(&store);
    assert_int_equal(symlink(place, folder), 0);
    assert_int_equal(store_opened(&store, folder, "a = 1\n", OVERWRITE_YES), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "it is a link; remove it"));
    film_store_close(&store);
    assert_int_equal(unlink(folder) + unlink(victim) + rmdir(place), 0);
}

/* In a file where each frame has its place, what was not written is not there, whatever is known.
 */
TEST(test_frames_in_their_places)
{
    char place[] = "/tmp/test_film_XXXXXX", folder[64];
    struct film_yuv yuv = {.width = 4, .height = 2, .bits = 8};
    struct film_offsets offsets = film_y4m_offsets(&yuv, (struct film_rate){25, 1});
    struct film_store store;
    struct film_measure measures[3] = {{.change = 0}};
    uint8_t samples[12] = {1, 2, 3};
    struct film_segment behind = {3, 5}, hole = {0, 2};
    int file;
    assert_non_null(mkdtemp(place));
    snprintf(folder, sizeof folder, "%s/x.deepfield", place);
    struct film_store_order order = {
        .folder = folder, .suffix = ".y4m", .offsets = offsets, .frames = 6, .identity = "a = 1\n"};
    assert_int_equal(film_store_open(&store, &order), STATUS_OK);
    assert_int_equal(film_store_begin(&store, &order), STATUS_OK);
    const struct film_file whole = film_store_whole(&store);
    assert_int_equal(film_y4m_open(&file, &whole, &yuv, (struct film_rate){25, 1}), STATUS_OK);
    for (int64_t n = behind.first; n <= behind.last; n++)
        assert_int_equal(film_y4m_put(file, &whole, &offsets, n, samples), STATUS_OK);
    assert_int_equal(film_store_commit(&store, &behind, NULL, measures), STATUS_OK);
    assert_int_equal(film_store_commit(&store, &hole, NULL, measures), STATUS_OK);
    assert_int_equal(film_store_scan(&store), STATUS_OK);
    assert_true(store.count == 1 && film_store_at(&store, 3) && !film_store_at(&store, 0));
    assert_int_equal(ftruncate(file, offsets.head_bytes + 6 * offsets.frame_bytes - 1), 0);
    assert_int_equal(film_store_scan(&store), STATUS_OK);
    assert_int_equal(store.count, 0);
    close(file);
    film_store_remove(&store);
    film_store_close(&store);
    assert_int_equal(rmdir(place), 0);
}

/* Two runs share the folder of one film; neither may empty it, nor may another film. */
TEST(test_a_folder_is_of_one_film)
{
    char place[] = "/tmp/test_film_XXXXXX", folder[64], path[80];
    struct film_store store, other;
    assert_non_null(mkdtemp(place));
    snprintf(folder, sizeof folder, "%s/x.deepfield", place);
    assert_int_equal(store_opened(&store, folder, "a = 1\n", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(store_opened(&other, folder, "a = 1\n", OVERWRITE_NO), STATUS_OK);
    assert_false(other.fresh);
    assert_int_equal(film_store_empty(&other), STATUS_CANNOT_CREATE);
    film_store_close(&other);
    assert_int_equal(store_opened(&other, folder, "a = 2\n", OVERWRITE_YES), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "another run"));
    film_store_close(&other);
    film_store_close(&store);
    assert_int_equal(store_opened(&store, folder, "a = 2\n", OVERWRITE_YES), STATUS_OK);
    assert_true(store.fresh);
    film_store_remove(&store);
    film_store_close(&store);
    assert_int_equal(mkdir(folder, 0777), 0); /* of somebody else */
    snprintf(path, sizeof path, "%s/notes", folder);
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(store_opened(&store, folder, "a = 2\n", OVERWRITE_YES), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "is not of a film"));
    film_store_close(&store);
    assert_int_equal(unlink(path) + rmdir(folder) + rmdir(place), 0);
}

/* ---- the encoder's process ---- */

static void process_starts(struct film_process *process, const char *script,
                           const volatile int *stop)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    assert_int_equal(film_process_start(process, words, -1, stop), STATUS_OK);
}

TEST(test_a_process_that_hangs_is_given_up)
{
    static char bytes[4 << 20]; /* more than a pipe holds */
    struct film_process process;
    volatile int stop = 1;
    process_starts(&process, "kill -STOP $$", NULL);
    process.quiet_s = 0.2;
    assert_int_equal(film_process_write(&process, bytes, sizeof bytes), STATUS_IO);
    assert_non_null(strstr(status_text(), "has done nothing"));
    process_starts(&process, "kill -STOP $$", &stop);
    assert_int_equal(film_process_finish(&process), STATUS_STOPPED);
    film_process_kill(&process); /* nothing is left of it */
    process_starts(&process, "kill -KILL $$", NULL);
    assert_int_equal(film_process_write(&process, bytes, sizeof bytes), STATUS_IO);
    assert_non_null(strstr(status_text(), "was killed by signal 9"));
    process_starts(&process, "cat > /dev/null; echo no room >&2; exit 3", &stop);
    assert_int_equal(film_process_write(&process, bytes, sizeof bytes), STATUS_OK);
    assert_int_equal(film_process_finish(&process), STATUS_IO);
    assert_string_equal(status_text(), "sh failed: no room");
}

/* ---- one reference orbit for many pictures ---- */

struct deep_place {
    const char *re, *im, *deepest, *re_beside, *im_beside; /* beside: the centres of pictures */
    const char *zooms[3]; /* of the last the orbit is too far away, if it is beside */
    int64_t steps[3];     /* to a nucleus; 0: any */
};

/* And the steps of the orbit that they were computed with. */
static int64_t counts_of(struct renderer *renderer, const struct deep_place *place, int zoom,
                         const struct picture_orbit *orbit, uint32_t *counts)
{
    struct picture picture = {.spec.limit = 4000,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .schedule = "auto",
                              .transport = "auto",
                              .backend = "auto"};
    struct picture_hooks hooks = {.orbit = orbit};
    struct picture_report report;
    struct field field;
    assert_int_equal(
        view_set(&picture.view, place->re_beside, place->im_beside, place->zooms[zoom], 0, 64, 48),
        STATUS_OK);
    if (picture_render(renderer, &picture, &hooks, &field, &report) != STATUS_OK)
        fail_msg("%s", status_text());
    assert_int_equal(report.plan.method, METHOD_PERTURBATION);
    assert_int_equal(report.reference.seconds > 0.0, 1);
    memcpy(counts, field.plane[PLANE_COUNT], 64 * 48 * sizeof *counts);
    int64_t steps = report.reference.steps;
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    return steps;
}

static void check_shared_orbit(struct renderer *renderer, struct world *world,
                               const struct deep_place *place)
{
    static uint32_t own[64 * 48], shared[64 * 48];
    struct view deep = {0};
    struct view_numbers numbers;
    struct reference reference = {.bytes = NULL};
    struct reference_hooks hooks = {.stop = NULL};
    struct spec spec = {.limit = 4000, .bailout = 1024};
    assert_int_equal(view_set(&deep, place->re, place->im, place->deepest, 0, 64, 48), STATUS_OK);
    assert_int_equal(view_numbers(&deep, &numbers), STATUS_OK);
    assert_int_equal(reference_make(&reference, &deep, &numbers, &spec, world, NULL, &hooks),
                     STATUS_OK);
    struct picture_orbit orbit = {.view = &deep, .orbit = &reference.orbit};
    for (int i = 0; i < 6; i++) {
        int differ = 0;
        int64_t wanted = place->steps[i % 3];
        orbit.amplification = i < 3 ? 0 : 10;
        int64_t own_steps = counts_of(renderer, place, i % 3, NULL, own);
        int64_t steps = counts_of(renderer, place, i % 3, &orbit, shared);
        for (int p = 0; p < 64 * 48; p++)
            differ += own[p] != shared[p];
        if (differ > 3) /* 1e-9 px beside the point meets the boundary of a count here and there */
            fail_msg("zoom %s: %d of %d counts differ", place->zooms[i % 3], differ, 64 * 48);
        assert_true(reference.orbit.length - 1 > wanted);
        if (wanted && (steps != wanted || own_steps != wanted))
            fail_msg("zoom %s: an orbit of %lld steps, an own one of %lld", place->zooms[i % 3],
                     (long long)steps, (long long)own_steps);
    }
    reference_close(&reference);
    view_destroy(&deep);
}

/* The orbit of a point beside the centre, as deep frames have it for shallow ones; and one that
 * goes on where an own one would have ended with a nucleus. */
TEST(test_counts_are_those_of_an_own_reference_orbit)
{
    static const struct deep_place places[] = {
        {"-0.74995000000003",
         "0.020000000000002",
         "1e30",
         "-0.74995000000000000000000000000000000001",
         "0.02000000000000000000000000000000000000001",
         {"1e9", "3e12", "1e20"},
         {0}},
        {"-0.04947002906310409375169222672735363011874571248822487931810494",
         "-0.67478757584467536401139205313059765633477070682240348069799979",
         "1e30",
         "-0.04947002906310409375169222672735363011874571248822487931810494",
         "-0.67478757584467536401139205313059765633477070682240348069799979",
         {"1.7e16", "1e13", "3e16"},
         {2794, 0, 2794}},
    };
    struct world *world;
    struct renderer *renderer;
    struct renderer_options options = {.backend = "cpu", .threads = 2};
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        check_shared_orbit(renderer, world, &places[i]);
    renderer_close(renderer);
    world_close(world);
}

/* What a film has of another formula is not taken. */
TEST(test_an_orbit_of_another_formula_does_not_serve)
{
    static const struct deep_place place = {
        .re = "-0.74995000000003",
        .im = "0.020000000000002",
        .deepest = "1e30",
        .re_beside = "-0.74995000000003",
        .im_beside = "0.020000000000002",
        .zooms = {"1e20"},
    };
    static uint32_t own[64 * 48], shared[64 * 48];
    const struct formula other = {.step = STEP_tricorn};
    struct renderer_options options = {.backend = "cpu", .threads = 2};
    struct spec spec = {.limit = 4000, .bailout = 1024, .formula = other};
    struct reference_hooks hooks = {.stop = NULL};
    struct reference reference = {.bytes = NULL};
    struct view_numbers numbers;
    struct view deep = {0};
    struct world *world;
    struct renderer *renderer;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
    assert_int_equal(view_set(&deep, place.re, place.im, place.deepest, 0, 64, 48), STATUS_OK);
    assert_int_equal(view_numbers(&deep, &numbers), STATUS_OK);
    assert_int_equal(reference_make(&reference, &deep, &numbers, &spec, world, NULL, &hooks),
                     STATUS_OK);
    struct picture_orbit orbit = {.view = &deep, .orbit = &reference.orbit};
    counts_of(renderer, &place, 0, NULL, own);
    counts_of(renderer, &place, 0, &orbit, shared);
    assert_memory_equal(own, shared, sizeof own);
    reference_close(&reference);
    view_destroy(&deep);
    renderer_close(renderer);
    world_close(world);
}

/* ---- frames beside those that are computed ---- */

static struct look frame_look;

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    (void)context;
    (void)field;
    *look = &frame_look;
    return STATUS_OK;
}

static struct tile hole_left; /* of pictures */

static void rendered(struct renderer *renderer, const struct view *view, int samples,
                     struct field *field, struct picture_report *report)
{
    struct picture picture = {.view = *view,
                              .spec.limit = 300,
                              .spec.bailout = 1024,
                              .spec.planes =
                                  PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_DISTANCE,
                              .samples = samples,
                              .hole = hole_left,
                              .accuracy_px = ACCURACY_DEFAULT_PX,
                              .schedule = "auto",
                              .transport = "auto",
                              .backend = "auto"};
    struct picture_hooks hooks = {.look = look_give};
    if (picture_render(renderer, &picture, &hooks, field, report) != STATUS_OK)
        fail_msg("%s", status_text());
}

/* Of encoded samples, in dB. */
static double psnr(const float (*a)[3], const float (*b)[3])
{
    static uint16_t x[3 * WIDTH * HEIGHT], y[3 * WIDTH * HEIGHT];
    double sum = 0;
    colour_light_row_16(a, WIDTH * HEIGHT, x);
    colour_light_row_16(b, WIDTH * HEIGHT, y);
    for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
        sum += ((double)x[i] - y[i]) / 65535 * (((double)x[i] - y[i]) / 65535);
    return -10 * log10(sum / (3 * WIDTH * HEIGHT));
}

/* What a frame of so many samples is, and one that is resampled from a key picture. */
static void frame_rendered(struct renderer *renderer, const struct view *view, int samples,
                           float (**computed)[3])
{
    struct field field;
    struct picture_report report;
    rendered(renderer, view, samples, &field, &report);
    *computed = report.light;
    report.light = NULL;
    picture_report_destroy(&report);
}

/* With relief lit from the side, upright and turned, at both ends of what a key picture serves. 38
 * dB from four samples where frames of these are 42 dB from those of 64; and never 3 dB farther
 * from the latter than four samples are, also where structure is too fine for four. */
static void check_resampled(struct renderer *renderer, double log2_zoom, bool turns)
{
    struct film_keys keys = film_keys_of(-2, 8, WIDTH, HEIGHT, turns);
    struct view place = {0}, view = {0};
    struct field field;
    struct picture_report report;
    double turn = turns ? 30 : 0;
    int first = film_key_at(&keys, log2_zoom);
    float(*four)[3], (*many)[3];
    float(*room)[3] = malloc(((size_t)keys.width * (size_t)keys.height + 1) * sizeof *room);
    assert_int_equal(view_set(&place, "-0.6", "0.1", "1", 0, 1, 1), STATUS_OK);
    assert_int_equal(film_view_zoomed(&place, log2_zoom, turn, WIDTH, HEIGHT, &view), STATUS_OK);
    frame_rendered(renderer, &view, 4, &four);
    frame_rendered(renderer, &view, 64, &many);
    light_fill(9, 9, 9);
    for (int number = first; number <= film_key_last(&keys, first); number++) {
        struct film_source source = {.scale = film_key_scale(&keys, number, log2_zoom),
                                     .cosine = turns ? cos(turn * M_PI / 180) : 1,
                                     .sine = turns ? sin(turn * M_PI / 180) : 0,
                                     .inner = number > first,
                                     .hole = film_key_hole(&keys, number),
                                     .light = room};
        assert_int_equal(film_view_zoomed(&place, film_key_log2_zoom(&keys, number, HEIGHT), 0,
                                          keys.width, keys.height, &view),
                         STATUS_OK);
        hole_left = source.hole;
        rendered(renderer, &view, 1, &field, &report);
        hole_left.width = 0;
        source.field = &field;
        assert_int_equal(film_resample(&source, &frame_look, WIDTH, HEIGHT, light, 2), STATUS_OK);
        picture_report_destroy(&report);
    }
    double db = psnr((const float(*)[3])light, (const float(*)[3])four);
    double db_many = psnr((const float(*)[3])light, (const float(*)[3])many);
    double noise = psnr((const float(*)[3])four, (const float(*)[3])many);
    if ((noise > 41.5 && db < 38) || db_many < noise - 3)
        fail_msg("turned by %g, zoom 2^%g: %.1f dB from 4 samples, %.1f from 64, these %.1f", turn,
                 log2_zoom, db, db_many, noise);
    free(four);
    free(many);
    free(room);
    view_destroy(&place);
    view_destroy(&view);
}

TEST(test_resampled_frames_are_those_that_are_computed)
{
    struct world *world;
    struct renderer *renderer;
    struct renderer_options options = {.backend = "cpu", .threads = 2};
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "#203060#f0e0c0#804020"), STATUS_OK);
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
    for (int fine = 0; fine < 2; fine++) {
        frame_look = (struct look){
            .palette = palette,
            .density = fine ? 3 : 0.3,
            .shade = {.relief = 0.3f, .lines = 0.2f, .light = {-0.6f, -0.8f}, .per_px = 5.6f}};
        for (int turns = 0; turns < 2; turns++) {
            for (int key = 3; key < 6; key++) { /* whole, and with the next, and the two next */
                check_resampled(renderer, 0.5 * key - 1.99, turns);
                check_resampled(renderer, 0.5 * key - 1.52, turns);
            }
        }
    }
    renderer_close(renderer);
    world_close(world);
    palette_destroy(palette);
}

/* ---- frames of several renderers ---- */

/* Frames that several have computed in turn, of which one in the middle is not wanted, are those of
 * one. */
TEST(test_renderers_make_the_frames_of_one)
{
    enum { FRAMES = 5, DROPPED = 2 };
    struct world *world, *aside;
    struct renderer *first, *other;
    struct film_renderers *all;
    struct palette *palette;
    struct picture_orbit none = {.orbit = NULL};
    struct renderer_options options = {.backend = "cpu", .threads = 1};
    struct film_keyframe from = {.re = "-0.75", .im = "0.1", .zoom = "1", .relief = NAN};
    struct film_keyframe to = from;
    struct film film = {
        .width = WIDTH, .height = HEIGHT, .rate = {FRAMES - 1, 1}, .frames = FRAMES};
    to.time_s = 1;
    to.zoom = "100";
    assert_int_equal(film_path_add(&film.path, &from), STATUS_OK);
    assert_int_equal(film_path_add(&film.path, &to), STATUS_OK);
    film.picture = (struct picture){.spec.limit = 300,
                                    .spec.bailout = 1024,
                                    .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                                    .samples = 2,
                                    .accuracy_px = ACCURACY_DEFAULT_PX,
                                    .schedule = "auto",
                                    .transport = "auto",
                                    .backend = "auto"};
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "#203060#f0e0c0#804020"), STATUS_OK);
    frame_look = (struct look){.palette = palette, .density = 0.3};
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&first, world, &options), STATUS_OK);
    assert_int_equal(world_alone(&aside), STATUS_OK);
    assert_int_equal(renderer_open(&other, aside, &options), STATUS_OK);
    struct film_renderers_order order = {.renderer = first, .film = &film, .orbit = &none};
    assert_int_equal(film_renderers_open(&all, FILM_RENDERERS_MOST, &order), STATUS_OK);
    int64_t given = 0;
    for (int64_t n = 0; n < FRAMES; n++) {
        struct film_frame frame;
        struct picture_report report, whole;
        struct picture picture = film.picture;
        struct picture_hooks hooks = {.look = look_give};
        struct field field;
        while (given < FRAMES && film_renderers_idle(all))
            film_renderers_begin(all, given++, &frame_look, 0);
        if (n == DROPPED)
            continue;
        assert_int_equal(film_renderers_take(all, n, &frame, &report), STATUS_OK);
        picture.view = frame.view;
        assert_int_equal(picture_render(other, &picture, &hooks, &field, &whole), STATUS_OK);
        assert_memory_equal(frame.light, whole.light, sizeof light);
        free(frame.light);
        view_destroy(&frame.view);
        picture_report_destroy(&report);
        picture_report_destroy(&whole);
    }
    film_renderers_begin(all, 0, &frame_look, 0); /* and is not waited for */
    struct film scene = film;                     /* whose first frame is its only one */
    scene.path = (struct film_path){.count = 0};
    scene.dwell_s = 1;
    assert_int_equal(film_path_add(&scene.path, &from), STATUS_OK);
    scene.path.keyframe[0].log2_zoom = 3;
    assert_true(!film_is_still(&scene, 0) && film_is_still(&scene, 1));
    assert_int_equal(film_frames_moving(&scene), 1);
    assert_int_equal(film_frames_moving(&film), FRAMES);
    film_renderers_scene_set(all, &scene);
    film_renderers_begin(all, 0, &frame_look, 0);
    struct film_frame turned;
    struct picture_report report;
    struct view_numbers numbers;
    assert_int_equal(film_renderers_take(all, 0, &turned, &report), STATUS_OK);
    assert_int_equal(view_numbers(&turned.view, &numbers), STATUS_OK);
    assert_true(fabs(view_log10_zoom(&numbers) - 3 * log10(2)) < 1e-9);
    free(turned.light);
    view_destroy(&turned.view);
    picture_report_destroy(&report);
    film_path_destroy(&scene.path);
    film_renderers_close(all);
    renderer_close(first);
    renderer_close(other);
    world_close(aside);
    world_close(world);
    palette_destroy(palette);
    film_path_destroy(&film.path);
}
