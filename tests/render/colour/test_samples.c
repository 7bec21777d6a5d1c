/* Samples of a pixel, and their mean. */
#include "tests/support/check.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "kernels/escape/pixel.h"
#include "render/colour/refine.h"
#include "render/device/renderer_state.h" /* for devices that take large tiles */
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"
#include "render/picture/sampling.h"
#include "tests/support/colour_cases.h"

enum { WIDTH = 131, HEIGHT = 70 };

static struct palette *palette_made(void)
{
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "meridian"), STATUS_OK);
    return palette;
}

TEST(places_are_even_and_begin_at_the_centre)
{
    struct sample_offset first = sample_offset(0);
    assert_true(first.x == 0 && first.y == 0);
    for (int samples = 4; samples <= SAMPLES_MOST; samples *= 4) {
        /* No strip of a quarter of a pixel has more or fewer than its batch, but for two. */
        int column[4] = {0}, row[4] = {0};
        for (int s = 0; s < samples; s++) {
            struct sample_offset offset = sample_offset(s);
            assert_true(offset.x >= -0.5 && offset.x < 0.5 && offset.y >= -0.5 && offset.y < 0.5);
            assert_true(offset.x * 4096 == floor(offset.x * 4096)); /* moves grids exactly */
            column[(int)((offset.x + 0.5) * 4)]++;
            row[(int)((offset.y + 0.5) * 4)]++;
        }
        for (int i = 0; i < 4; i++) {
            assert_in_range(column[i] + 2, samples / 4, samples / 4 + 4);
            assert_in_range(row[i] + 2, samples / 4, samples / 4 + 4);
        }
    }
}

TEST(moved_grids_are_exact)
{
    struct grid grid = {
        .step_re = 1, .down_y = 1, .half_width = 3840 / 2.0, .half_height = 2161 / 2.0};
    for (int s = 0; s < SAMPLES_MOST; s++) {
        struct grid moved = grid;
        struct sample_offset offset = sample_offset(s);
        double re, im;
        sample_move(&moved, s);
        pixel_c(&moved, 3839, 7, &re, &im);
        assert_true(re == 3839.5 - 1920 + offset.x);
        assert_true(-im == 7.5 - 1080.5 + offset.y);
    }
}

static struct field field_of(uint32_t (*count)(int32_t x, int32_t y))
{
    struct field field;
    assert_int_equal(field_create(&field, WIDTH, HEIGHT, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++)
            ((uint32_t *)field.plane[PLANE_COUNT])[y * WIDTH + x] = count(x, y);
    return field;
}

static uint32_t constant(int32_t x, int32_t y)
{
    (void)x;
    (void)y;
    return 777;
}

static uint32_t spot(int32_t x, int32_t y)
{
    return x == 60 && y == 30 ? 777 : 0; /* 0 is black */
}

/* Whatever the number of samples, and however it is cut. */
TEST(the_mean_of_one_colour_is_that_colour)
{
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1};
    struct field field = field_of(constant);
    struct light light;
    float colour[1][3];
    colour_span_light(&look, &field, 5, 5, 1, colour);
    assert_int_equal(light_create(&light, WIDTH, HEIGHT), STATUS_OK);
    for (int s = 0; s < 50; s++)
        light_add_all(&light, &look, &field, s, 1, 2);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_memory_equal(light.mean[i], colour, sizeof colour);
    light_destroy(&light);
    field_destroy(&field);
    palette_destroy(palette);
}

/* One bright pixel: all of its light is there, within a pixel of it, as the filter spreads it. */
TEST(light_is_neither_lost_nor_found)
{
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1};
    struct field field = field_of(spot);
    struct light light, parts;
    float colour[1][3];
    colour_span_light(&look, &field, 60, 30, 1, colour);
    assert_true(colour[0][2] > 0.01f);
    assert_int_equal(light_create(&light, WIDTH, HEIGHT), STATUS_OK);
    assert_int_equal(light_create(&parts, WIDTH, HEIGHT), STATUS_OK);
    for (int s = 0; s < 16; s++) {
        struct sample_share share = sample_share(s);
        light_add_all(&light, &look, &field, s, 1, 2);
        for (int32_t y = 0; y < HEIGHT; y += 9) /* the same in rectangles that are apart */
            for (int32_t x = 0; x < WIDTH; x += 61)
                light_add(&parts, &look, &field, &share,
                          (struct light_rect){x, y, WIDTH - x < 61 ? WIDTH - x : 61,
                                              HEIGHT - y < 9 ? HEIGHT - y : 9});
    }
    assert_memory_equal(light.mean, parts.mean, sizeof(float[WIDTH * HEIGHT][3]));
    double sum = 0, near = 0;
    for (int32_t y = 0; y < HEIGHT; y++)
        for (int32_t x = 0; x < WIDTH; x++) {
            sum += light.mean[y * WIDTH + x][2];
            if (abs(x - 60) <= 1 && abs(y - 30) <= 1)
                near += light.mean[y * WIDTH + x][2];
        }
    assert_true(near == sum);
    assert_true(fabs(sum / colour[0][2] - 1) < 1e-5); /* roundings of floats */
    double beside = light.mean[30 * WIDTH + 61][2] / light.mean[30 * WIDTH + 60][2];
    assert_true(beside > 0.05 && beside < 0.3);
    light_destroy(&light);
    light_destroy(&parts);
    field_destroy(&field);
    palette_destroy(palette);
}

/* ---- pictures ---- */

struct wanted {
    const char *schedule, *transport, *zoom;
    int samples;
    int32_t tile_px;
    bool of_many;
};

static struct palette *shown;
static struct look shown_look;
static int settled; /* how often the look was asked for */

static enum status look_plain(void *context, const struct field *field, const struct look **look)
{
    (void)context;
    (void)field;
    *look = &shown_look;
    return STATUS_OK;
}

static enum status look_give(void *context, const struct field *field, const struct look **look)
{
    (void)context;
    assert_int_equal(field->width, WIDTH);
    assert_int_equal(field->height, HEIGHT);
    settled++;
    *look = &shown_look;
    return STATUS_OK;
}

static const struct picture_hooks look_hooks = {.look = look_give};

static enum status picture_made(struct renderer *renderer, const struct wanted *wanted,
                                const struct picture_hooks *hooks, struct field *field,
                                struct picture_report *report)
{
    struct picture picture = {.spec.limit = 500,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .samples = wanted->samples,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = wanted->schedule,
                              .transport = wanted->transport,
                              .tile_px = wanted->tile_px,
                              .of_many = wanted->of_many,
                              .backend = "auto"};
    assert_int_equal(view_set(&picture.view, "-0.7453", "0.1127", wanted->zoom, 20, WIDTH, HEIGHT),
                     STATUS_OK);
    settled = 0;
    enum status status = picture_render(renderer, &picture, hooks, field, report);
    view_destroy(&picture.view);
    return status;
}

static struct renderer *renderer_begin(struct world **world)
{
    struct renderer *renderer;
    struct renderer_options options = {.backend = "cpu", .threads = 2};
    assert_int_equal(world_open(world, NULL), STATUS_OK);
    if (renderer_open(&renderer, *world, &options) != STATUS_OK)
        fail_msg("refused: %s", status_text());
    shown = palette_made();
    shown_look = (struct look){.palette = shown, .density = 1};
    return renderer;
}

static void renderer_end(struct renderer *renderer, struct world *world)
{
    renderer_close(renderer);
    palette_destroy(shown);
    world_close(world);
}

/* A square of a picture by SAMPLES_AUTO has the colours of the whole with 4, 8, 12 and 16 samples.
 */
static int squares_among(float (*automatic)[3], float (*whole)[3], bool *found)
{
    int count = 0, across = (WIDTH + REFINE_SQUARE_PX - 1) / REFINE_SQUARE_PX;
    for (int32_t y = 0; y < HEIGHT; y += REFINE_SQUARE_PX)
        for (int32_t x = 0; x < WIDTH; x += REFINE_SQUARE_PX) {
            bool same = true;
            for (int32_t j = y; j < y + REFINE_SQUARE_PX && j < HEIGHT; j++)
                for (int32_t i = x; i < x + REFINE_SQUARE_PX && i < WIDTH; i++)
                    same = same && !memcmp(automatic[j * WIDTH + i], whole[j * WIDTH + i],
                                           sizeof automatic[0]);
            if (same)
                found[y / REFINE_SQUARE_PX * across + x / REFINE_SQUARE_PX] = true;
            count += same;
        }
    return count;
}

TEST(pictures_are_the_same_however_they_are_cut)
{
    struct world *world;
    struct renderer *renderer = renderer_begin(&world);
    const struct wanted kinds[] = {{"auto", "auto", "40", 8, 0, false},
                                   {"cyclic", "local", "40", 8, 16, false},
                                   {"dynamic", "staged", "40", 8, 33, false},
                                   {"cyclic", "gatherv", "40", 8, 8, false}};
    float(*first)[3] = NULL;
    struct picture_sums centres = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct picture_report report;
        struct field field;
        assert_int_equal(picture_made(renderer, &kinds[i], &look_hooks, &field, &report),
                         STATUS_OK);
        struct picture_sums sums = picture_sum(&field);
        assert_int_equal(settled, 1);
        assert_true(report.samples == 8 && report.light);
        assert_true(report.centres_s < report.compute_s);
        if (!first) {
            first = malloc(sizeof(float[WIDTH * HEIGHT][3]));
            memcpy(first, report.light, sizeof(float[WIDTH * HEIGHT][3]));
            centres = sums;
        }
        assert_memory_equal(report.light, first, sizeof(float[WIDTH * HEIGHT][3]));
        assert_memory_equal(&sums, &centres, sizeof sums);
        picture_report_destroy(&report);
    }
    /* The field is that of a picture of one sample. */
    struct wanted one = {"auto", "auto", "40", 1, 0, false};
    struct picture_report report;
    struct field field;
    assert_int_equal(picture_made(renderer, &one, &look_hooks, &field, &report), STATUS_OK);
    struct picture_sums sums = picture_sum(&field);
    assert_memory_equal(&sums, &centres, sizeof sums);
    assert_true(!report.light && report.samples == 1 && settled == 1);
    picture_report_destroy(&report);
    free(first);
    renderer_end(renderer, world);
}

TEST(squares_get_the_samples_that_they_need)
{
    struct world *world;
    struct renderer *renderer = renderer_begin(&world);
    float(*automatic)[3] = NULL;
    bool found[32 * 32] = {false};
    int squares = (WIDTH + REFINE_SQUARE_PX - 1) / REFINE_SQUARE_PX *
                  ((HEIGHT + REFINE_SQUARE_PX - 1) / REFINE_SQUARE_PX);
    assert_true(squares <= (int)(sizeof found));
    for (int i = 0; i < 2; i++) {
        struct wanted wanted = {
            i ? "dynamic" : "cyclic", "auto", "3", SAMPLES_AUTO, i ? 16 : 0, false};
        struct picture_report report;
        struct field field;
        assert_int_equal(picture_made(renderer, &wanted, &look_hooks, &field, &report), STATUS_OK);
        assert_true(report.samples > SAMPLES_AUTO_LEAST && report.samples < SAMPLES_AUTO_MOST);
        if (automatic)
            assert_memory_equal(report.light, automatic, sizeof(float[WIDTH * HEIGHT][3]));
        else {
            automatic = report.light;
            report.light = NULL;
        }
        picture_report_destroy(&report);
    }
    int most = 0, least = 0;
    for (int samples = SAMPLES_AUTO_LEAST; samples <= SAMPLES_AUTO_MOST;
         samples = refine_samples(samples)) {
        struct wanted wanted = {"auto", "auto", "3", samples, 0, false};
        struct picture_report report;
        struct field field;
        assert_int_equal(picture_made(renderer, &wanted, &look_hooks, &field, &report), STATUS_OK);
        int among = squares_among(automatic, report.light, found);
        least = samples == SAMPLES_AUTO_LEAST ? among : least;
        most = samples == SAMPLES_AUTO_MOST ? among : most;
        picture_report_destroy(&report);
    }
    for (int i = 0; i < squares; i++)
        assert_true(found[i]);
    assert_true(least > 0 && most > 0); /* both kinds are in this picture */
    free(automatic);
    renderer_end(renderer, world);
}

/* Of pictures of many, where devices take large tiles: in one job (8 samples) and in three (20),
 * whose fields begin elsewhere for every other picture. */
TEST(samples_of_one_job_give_the_same_as_one_by_one)
{
    const int counts[] = {8, 20, 20, 4};
    struct world *world;
    struct renderer *renderer = renderer_begin(&world);
    int32_t tile_px = renderer->info.facts.tile_px;
    for (int i = 0; i < 4; i++) {
        float(*light[2])[3];
        struct picture_sums centres[2];
        for (int together = 0; together < 2; together++) {
            struct wanted wanted = {"auto", "auto", i % 2 ? "3" : "40", counts[i], 0, together};
            struct picture_report report;
            struct field field;
            renderer->info.facts.tile_px = together ? 8192 : tile_px;
            assert_int_equal(picture_made(renderer, &wanted, &look_hooks, &field, &report),
                             STATUS_OK);
            assert_int_equal(report.plan.at_once,
                             together ? counts[i] < SAMPLES_AT_ONCE ? counts[i] : SAMPLES_AT_ONCE
                                      : 1);
            assert_true(report.samples == counts[i]);
            centres[together] = picture_sum(&field);
            light[together] = report.light;
            report.light = NULL;
            picture_report_destroy(&report);
        }
        assert_memory_equal(&centres[0], &centres[1], sizeof centres[0]);
        assert_memory_equal(light[0], light[1], sizeof(float[WIDTH * HEIGHT][3]));
        free(light[0]);
        free(light[1]);
    }
    renderer->info.facts.tile_px = tile_px;
    renderer_end(renderer, world);
}

/* Stops when the look is asked for: when there are the centres alone. */
static volatile int stopping;

static enum status look_stop(void *context, const struct field *field, const struct look **look)
{
    stopping = 1;
    return look_give(context, field, look);
}

TEST(stopping_between_samples_leaves_a_renderer_that_works)
{
    struct world *world;
    struct renderer *renderer = renderer_begin(&world);
    struct wanted wanted = {"auto", "auto", "40", SAMPLES_MOST, 0, false};
    struct picture_hooks hooks = {.look = look_stop, .stop = &stopping};
    struct picture_report report;
    struct field field;
    assert_int_equal(picture_made(renderer, &wanted, &hooks, &field, &report), STATUS_STOPPED);
    picture_report_destroy(&report);
    hooks.look = NULL; /* a look is needed */
    stopping = 0;
    assert_int_equal(picture_made(renderer, &wanted, &hooks, &field, &report), STATUS_INTERNAL);
    picture_report_destroy(&report);
    wanted.samples = 2;
    assert_int_equal(picture_made(renderer, &wanted, &look_hooks, &field, &report), STATUS_OK);
    picture_report_destroy(&report);
    renderer_end(renderer, world);
}

/* ---- sampling without devices ---- */

/* Fields of noise in turn: the centres stay. */
struct played {
    struct field frame[3];
    int fields, calls, fails_at, cells;
};

/* The left half is even. Cells have noise of their place and of their sample. */
static uint32_t noise_in(const struct tile_batch *batch, int32_t x, int32_t y)
{
    double at_x = x, at_y = y, sample = batch->sample;
    if (batch->cells) {
        const struct grid_cell *cell =
            &batch->cells[y / GRID_CELL * batch->cells_in_row + x / GRID_CELL];
        at_x = floor(cell->x + 0.5) + x % GRID_CELL;
        at_y = floor(cell->y + 0.5) + y % GRID_CELL;
        sample = (cell->x + 2) * 4096 * 8192 + (cell->y + 2) * 4096;
    }
    uint64_t seed = (uint64_t)sample << 20 ^ (uint64_t)((at_y + 1) * 1000 + at_x + 1);
    return at_x < WIDTH / 2 ? 500 : 100 + (uint32_t)(check_random(&seed) % 900);
}

static enum status noise_compute(void *context, uint64_t job, const struct tile_batch *batch,
                                 struct field *field)
{
    struct played *played = context;
    struct field *to = &played->frame[job ? 1 + (job - 1) % (uint64_t)(played->fields - 1) : 0];
    assert_int_equal(job, played->calls++);
    assert_true(batch->cells || batch->sample == (int)job);
    played->cells += batch->cells != NULL;
    if (job == (uint64_t)played->fails_at)
        return status_fail(STATUS_DEVICE_LOST, "all devices are lost");
    for (uint32_t i = 0; i < batch->count; i++)
        for (int32_t y = batch->tiles[i].y; y < batch->tiles[i].y + batch->tiles[i].height; y++)
            for (int32_t x = batch->tiles[i].x; x < batch->tiles[i].x + batch->tiles[i].width; x++)
                ((uint32_t *)field_row(to, PLANE_COUNT, y))[x] = noise_in(batch, x, y);
    *field = *to;
    return STATUS_OK;
}

/* While the next one is computed, or not: the mean is the same. A failure is told by its sample. */
TEST(overlapping_changes_nothing)
{
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    shown = palette_made();
    shown_look = (struct look){.palette = shown, .density = 1};
    struct tile tile = {.width = WIDTH, .height = HEIGHT};
    struct tile_batch whole = {.tiles = &tile, .count = 1};
    const int wanted[] = {7, SAMPLES_AUTO};
    struct background *background;
    assert_int_equal(background_open(&background), STATUS_OK);
    for (int kind = 0; kind < 2; kind++) {
        float(*first)[3] = NULL;
        for (int overlaps = 0; overlaps < 3; overlaps++) {
            struct played played = {.fields = overlaps ? 3 : 2,
                                    .fails_at = overlaps == 2 ? 5 : SAMPLES_MOST};
            for (int i = 0; i < played.fields; i++)
                played.frame[i] = field_of(constant);
            struct sampling sampling = {.world = world,
                                        .samples = wanted[kind],
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .cells_px = 6 * GRID_CELL,
                                        .background = overlaps ? background : NULL,
                                        .context = &played,
                                        .compute = noise_compute,
                                        .look = look_give};
            struct field centres;
            enum status status = sampling_run(&sampling, &whole, &centres);
            if (overlaps == 2) {
                assert_int_equal(status, STATUS_DEVICE_LOST);
                assert_non_null(strstr(status_text(), kind ? "sample 5" : "sample 6"));
                assert_null(sampling.average);
            } else {
                assert_int_equal(status, STATUS_OK);
                assert_true(centres.plane[0] == played.frame[0].plane[0]);
                if (kind)
                    assert_true(sampling.mean_samples > SAMPLES_AUTO_LEAST &&
                                sampling.mean_samples < SAMPLES_AUTO_MOST && played.cells > 0);
                else
                    assert_true(sampling.mean_samples == 7);
            }
            float(*light)[3];
            assert_int_equal(average_end(sampling.average, &light), STATUS_OK);
            if (overlaps == 1)
                assert_memory_equal(light, first, sizeof(float[WIDTH * HEIGHT][3]));
            if (overlaps == 0)
                first = light;
            else
                free(light);
            for (int i = 0; i < played.fields; i++)
                field_destroy(&played.frame[i]);
        }
        free(first);
    }
    background_close(background);
    palette_destroy(shown);
    world_close(world);
}

/* The last samples of a picture are added while the next one is computed over the same fields. */
TEST(a_picture_is_averaged_while_the_next_is_computed)
{
    enum { PICTURES = 4, SAMPLES = 4 };
    struct world *world;
    struct background *background;
    struct average *late[PICTURES];
    struct played played = {.fields = 3, .fails_at = SAMPLES_MOST};
    struct tile tile = {.width = WIDTH, .height = HEIGHT};
    struct tile_batch whole = {.tiles = &tile, .count = 1};
    struct field centres;
    float(*first)[3] = NULL;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(background_open(&background), STATUS_OK);
    shown = palette_made();
    shown_look = (struct look){.palette = shown, .density = 1};
    for (int i = 0; i < played.fields; i++)
        played.frame[i] = field_of(constant);
    for (int i = 0; i < PICTURES; i++) {
        struct sampling sampling = {.world = world,
                                    .samples = SAMPLES,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .background = background,
                                    .context = &played,
                                    .compute = noise_compute,
                                    .look = look_give};
        played.calls = 0;
        assert_int_equal(sampling_run(&sampling, &whole, &centres), STATUS_OK);
        late[i] = sampling.average;
    }
    for (int i = 0; i < PICTURES; i++) {
        float(*light)[3];
        assert_int_equal(average_end(late[i], &light), STATUS_OK);
        if (first)
            assert_memory_equal(light, first, sizeof(float[WIDTH * HEIGHT][3]));
        if (i)
            free(light);
        else
            first = light;
    }
    free(first);
    for (int i = 0; i < played.fields; i++)
        field_destroy(&played.frame[i]);
    background_close(background);
    palette_destroy(shown);
    world_close(world);
}

/* ---- samples in a device's memory, which is played ---- */

struct calls { /* in the place of a backend */
    int done, most;
};

static enum status call_played(struct backend *backend)
{
    struct calls *calls = (struct calls *)(void *)backend;
    if (calls->done++ < calls->most)
        return STATUS_OK;
    return status_fail(STATUS_DEVICE_LOST, "the device is gone");
}

static enum status light_played(struct backend *backend, const struct colour_mean *mean)
{
    TRY(call_played(backend));
    colour_mean_plain(mean);
    return STATUS_OK;
}

/* Noise in a field of the device, up to a sample from which on rank 0 is alone. */
struct lighting {
    struct played played;
    int alone_from;
};

static enum status there_compute(void *context, uint64_t job, const struct tile_batch *batch,
                                 struct field *field)
{
    struct lighting *lighting = context;
    TRY(noise_compute(&lighting->played, job, batch, field));
    field->space = (int)job < lighting->alone_from ? MEMORY_DEVICE : MEMORY_HOST;
    return STATUS_OK;
}

/* Rank 0 may lose its device's fields with the other ranks, after any sample: the same light. When
 * the device fails, whoever asks for the light learns why. */
TEST(light_goes_on_without_the_device)
{
    enum { SAMPLES = 5 };
    static float mean[WIDTH * HEIGHT][3];
    const struct backend_memory memory = {.mean_add = light_played};
    const struct backend_kind kind = {.memory = &memory};
    struct world *world;
    struct tile tile = {.width = WIDTH, .height = HEIGHT};
    struct tile_batch whole = {.tiles = &tile, .count = 1};
    struct field centres;
    float(*first)[3] = NULL, (*light)[3];
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    shown = palette_made();
    shown_look = (struct look){.palette = shown, .density = 1};
    for (int samples = 1; samples <= SAMPLES; samples += SAMPLES - 1)
        for (int alone_from = 0; alone_from <= samples + 1; alone_from++) {
            bool fails = alone_from > samples;
            struct calls calls = {.most = fails ? 0 : INT_MAX};
            struct device_set device_set = {.kind = &kind, .backend = {(void *)&calls}};
            struct lighting lighting = {{.fields = 3, .fails_at = SAMPLES_MOST}, alone_from};
            for (int i = 0; i < 3; i++)
                lighting.played.frame[i] = field_of(constant);
            struct sampling sampling = {.world = world,
                                        .samples = samples,
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .lights = true,
                                        .device = {&device_set, mean},
                                        .context = &lighting,
                                        .compute = there_compute,
                                        .look = look_give};
            assert_int_equal(sampling_run(&sampling, &whole, &centres), STATUS_OK);
            enum status status = average_end(sampling.average, &light);
            assert_int_equal(status, fails ? STATUS_DEVICE_LOST : STATUS_OK);
            if (fails) {
                assert_null(light);
                assert_string_equal(status_text(), "the device is gone");
            } else if (alone_from == 0) {
                assert_int_equal(calls.done, 0);
                first = light;
            } else {
                assert_int_equal(calls.done, alone_from + (alone_from < samples));
                assert_memory_equal(light, first, sizeof(float[WIDTH * HEIGHT][3]));
                free(light);
            }
            for (int i = 0; i < 3; i++)
                field_destroy(&lighting.played.frame[i]);
            if (fails)
                free(first);
        }
    palette_destroy(shown);
    world_close(world);
}

static enum status compare_played(struct backend *backend, const struct colour_compare *compare)
{
    TRY(call_played(backend));
    colour_compare_plain(compare);
    return STATUS_OK;
}

/* A device chooses the squares, and adds to them, as processors do: bit for bit, with as many
 * samples. Whichever of its calls fails is told. */
TEST(a_device_chooses_squares_as_processors_do)
{
    static float mean[2 * WIDTH * HEIGHT][3]; /* and what it is compared with */
    const struct backend_memory memory = {.mean_add = light_played, .compare = compare_played};
    const struct backend_kind kind = {.memory = &memory};
    struct world *world;
    struct tile tile = {.width = WIDTH, .height = HEIGHT};
    struct tile_batch whole = {.tiles = &tile, .count = 1};
    struct background *background;
    float(*first)[3] = NULL, (*light)[3];
    double samples = 0;
    int all = 0;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(background_open(&background), STATUS_OK);
    shown = palette_made();
    shown_look = (struct look){.palette = shown, .density = 1};
    for (int there = 0; there < 6; there++) {
        struct calls calls = {.most = there < 2 ? INT_MAX : (there - 2) * all / 4};
        struct device_set device_set = {.kind = &kind, .backend = {(void *)&calls}};
        struct lighting lighting = {{.fields = 3, .fails_at = SAMPLES_MOST},
                                    there ? SAMPLES_MOST : 0};
        for (int i = 0; i < 3; i++)
            lighting.played.frame[i] = field_of(constant);
        struct sampling sampling = {.world = world,
                                    .samples = SAMPLES_AUTO,
                                    .width = WIDTH,
                                    .height = HEIGHT,
                                    .cells_px = 6 * GRID_CELL,
                                    .lights = there > 0,
                                    .background = background,
                                    .context = &lighting,
                                    .compute = there_compute,
                                    .look = look_give};
        if (there)
            sampling.device = (struct light_device){&device_set, mean};
        struct field centres;
        enum status status = sampling_run(&sampling, &whole, &centres);
        if (status == STATUS_OK)
            status = average_end(sampling.average, &light);
        assert_int_equal(status, there < 2 ? STATUS_OK : STATUS_DEVICE_LOST);
        if (there == 0) {
            first = light;
            samples = sampling.mean_samples;
        } else if (there == 1) {
            all = calls.done;
            assert_in_range(all, 12, 200);
            assert_true(samples == sampling.mean_samples);
            assert_memory_equal(light, first, sizeof(float[WIDTH * HEIGHT][3]));
            free(light);
        } else {
            assert_string_equal(status_text(), "the device is gone");
        }
        for (int i = 0; i < 3; i++)
            field_destroy(&lighting.played.frame[i]);
    }
    free(first);
    background_close(background);
    palette_destroy(shown);
    world_close(world);
}

/* Smaller than a cell: all samples everywhere. */
TEST(pictures_smaller_than_a_cell_get_all_samples)
{
    struct world *world;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    shown = palette_made();
    shown_look = (struct look){.palette = shown, .density = 1};
    struct sampling sampling = {
        .world = world, .samples = SAMPLES_AUTO, .width = WIDTH, .height = GRID_CELL - 1};
    assert_int_equal(cells_most(WIDTH, GRID_CELL - 1), 0);
    assert_int_equal(cells_most(GRID_CELL - 1, HEIGHT), 0);
    assert_int_equal(cells_most(WIDTH, HEIGHT), WIDTH / GRID_CELL * (HEIGHT / GRID_CELL));
    struct played played = {.fields = 2, .fails_at = SAMPLES_MOST};
    struct tile tile = {.width = WIDTH, .height = GRID_CELL - 1};
    struct tile_batch whole = {.tiles = &tile, .count = 1};
    struct field centres;
    for (int i = 0; i < 2; i++)
        assert_int_equal(field_create(&played.frame[i], WIDTH, GRID_CELL - 1, PLANE_MASK_COUNT, 4),
                         STATUS_OK);
    sampling.context = &played;
    sampling.compute = noise_compute;
    sampling.look = look_plain;
    assert_int_equal(sampling_run(&sampling, &whole, &centres), STATUS_OK);
    assert_true(sampling.mean_samples == SAMPLES_AUTO_MOST && sampling.average);
    float(*light)[3];
    assert_int_equal(average_end(sampling.average, &light), STATUS_OK);
    free(light);
    for (int i = 0; i < 2; i++)
        field_destroy(&played.frame[i]);
    palette_destroy(shown);
    world_close(world);
}

/* ---- cells ---- */

static uint32_t noise_at(int sample, int32_t x, int32_t y)
{
    uint64_t seed = (uint64_t)sample << 40 | (uint64_t)y << 20 | (uint64_t)x;
    return 100 + (uint32_t)(check_random(&seed) % 900);
}

/* What a job of cells computes, from pictures that are there: NULL for pixels beyond them. */
static void sheet_fill(struct field *sheet, const struct grid_cell *cells, int32_t in_row,
                       int32_t rows, int32_t width, int32_t height, int from, int samples)
{
    for (int32_t y = 0; y < rows * GRID_CELL; y++)
        for (int32_t x = 0; x < in_row * GRID_CELL; x++) {
            const struct grid_cell *cell = &cells[y / GRID_CELL * in_row + x / GRID_CELL];
            int sample = from;
            for (int s = from; s < from + samples; s++) { /* by what lies beside the pixel */
                struct sample_offset offset = sample_offset(s);
                double in_x = cell->x - offset.x, in_y = cell->y - offset.y;
                if (in_x == floor(in_x) && in_y == floor(in_y))
                    sample = s;
            }
            struct sample_offset offset = sample_offset(sample);
            int32_t at_x = (int32_t)(cell->x - offset.x) + x % GRID_CELL;
            int32_t at_y = (int32_t)(cell->y - offset.y) + y % GRID_CELL;
            bool beyond = at_x < 0 || at_y < 0 || at_x >= width || at_y >= height;
            ((uint32_t *)field_row(sheet, PLANE_COUNT, y))[x] =
                beyond ? 0 : noise_at(sample, at_x, at_y);
        }
}

/* Squares get from cells, bit for bit, what they get from pictures of each sample, and others are
 * left alone: for pictures and squares of any number, in one sheet or in many. */
TEST(cells_add_what_whole_pictures_add)
{
    uint64_t seed = 5;
    shown = palette_made();
    struct look look = {.palette = shown, .density = 1};
    for (int round = 0; round < 60; round++) {
        int32_t width = GRID_CELL + (int32_t)(check_random(&seed) % 120);
        int32_t height = GRID_CELL + (int32_t)(check_random(&seed) % 80);
        int samples = 1 << (2 + check_random(&seed) % 3);
        struct refine refine;
        struct light wanted, got;
        struct field whole, sheet;
        assert_int_equal(refine_create(&refine, width, height, false), STATUS_OK);
        assert_int_equal(light_create(&wanted, width, height), STATUS_OK);
        assert_int_equal(light_create(&got, width, height), STATUS_OK);
        assert_int_equal(field_create(&whole, width, height, PLANE_MASK_COUNT, 4), STATUS_OK);
        assert_int_equal(field_create(&sheet, width, height, PLANE_MASK_COUNT, 4), STATUS_OK);
        double share = check_random_unit(&seed);
        for (int32_t i = 0; i < refine.columns * refine.rows; i++)
            refine.active[i] = check_random_unit(&seed) < share;
        for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
            for (int c = 0; c < 3; c++)
                wanted.mean[i][c] = got.mean[i][c] = (float)check_random_unit(&seed);
        struct sample_share shares[SAMPLES_AUTO_MOST];
        for (int s = 0; s < samples; s++) {
            shares[s] = sample_share(samples + s);
            for (int32_t y = 0; y < height; y++)
                for (int32_t x = 0; x < width; x++)
                    ((uint32_t *)field_row(&whole, PLANE_COUNT, y))[x] =
                        noise_at(samples + s, x, y);
            refine_add(&refine, &wanted, &look, &whole, samples + s, 2);
        }
        uint32_t *squares, count;
        assert_int_equal(refine_squares(&refine, &squares, &count), STATUS_OK);
        struct cell_stage stage = {width, height, 0, 0, squares, count, samples, samples};
        uint64_t cells = 0;
        for (struct cell_sheet at = cell_sheet_at(&stage, 0); at.count;
             at = cell_sheet_at(&stage, at.first + at.count)) {
            struct grid_cell *places = malloc((size_t)at.in_row * (size_t)at.rows * sizeof *places);
            assert_true(at.in_row * GRID_CELL <= width && at.rows * GRID_CELL <= height);
            cell_sheet_grids(&at, &stage, places);
            sheet_fill(&sheet, places, at.in_row, at.rows, width, height, samples, samples);
            cell_sheet_add(&at, &stage, shares, &got, &look, &sheet, 2);
            cells += at.count;
            free(places);
        }
        assert_int_equal(cells, (uint64_t)count * (uint64_t)samples);
        assert_memory_equal(got.mean, wanted.mean,
                            (size_t)width * (size_t)height * sizeof *got.mean);
        free(squares);
        refine_destroy(&refine);
        light_destroy(&wanted);
        light_destroy(&got);
        field_destroy(&whole);
        field_destroy(&sheet);
    }
    palette_destroy(shown);
}
