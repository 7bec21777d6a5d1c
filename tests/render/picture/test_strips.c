/* A picture that comes in strips has the bytes of one that is in memory as a whole, and what an
 * interrupted run has left of it is not computed again. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "render/colour/distribution.h"
#include "render/colour/palette.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"

enum { WIDTH = 100, HEIGHT = 79, STRIP = 24, TILES_MOST = 4096 };

static struct look plain_look;

struct taken {
    struct field whole; /* put together from the strips */
    float (*light)[3];
    int32_t rows, strips;
    struct distribution measured;
    /* Tiles as a journal would keep them. */
    bool forgets_odd;
    uint32_t told, restored;
    struct kept {
        int32_t y;
        uint64_t job;
        struct tile tile;
        struct field pixels;
    } kept[TILES_MOST];
    uint32_t kept_count;
};

static enum status look_take(void *context, const struct field *field, const struct look **look)
{
    struct taken *taken = context;
    *look = &plain_look;
    if (!field)
        return STATUS_OK;
    if (field->height == HEIGHT)
        distribution_measure(&taken->measured, field);
    else
        distribution_measure_subgrid(&taken->measured, field, HEIGHT);
    return STATUS_OK;
}

static enum status strip_take(void *context, int32_t y, const struct field *field,
                              const float (*light)[3])
{
    struct taken *taken = context;
    assert_int_equal(y, taken->rows);
    struct field window = field_window(&taken->whole, 0, y, WIDTH, field->height);
    field_copy(&window, field);
    if (light)
        memcpy(taken->light[(size_t)y * WIDTH], light,
               (size_t)field->height * WIDTH * sizeof *light);
    taken->rows += field->height;
    taken->strips++;
    return STATUS_OK;
}

static enum status tile_take(void *context, int32_t y, uint64_t job, const struct tile *tile,
                             const struct field *field)
{
    struct taken *taken = context;
    taken->told++;
    if (taken->kept_count == TILES_MOST)
        return STATUS_OK;
    struct kept *kept = &taken->kept[taken->kept_count++];
    *kept = (struct kept){.y = y, .job = job, .tile = *tile};
    assert_int_equal(
        field_create(&kept->pixels, tile->width, tile->height, field->planes, field->count_bytes),
        STATUS_OK);
    struct field window = tile_window(tile, field);
    field_copy(&kept->pixels, &window);
    return STATUS_OK;
}

static enum status tiles_give(void *context, uint64_t job, const struct tile *tiles, uint32_t count,
                              struct field *field, bool *known)
{
    struct taken *taken = context;
    for (uint32_t i = 0; i < taken->kept_count; i++) {
        const struct kept *kept = &taken->kept[i];
        if (kept->job != job || kept->y != taken->rows)
            continue;
        for (uint32_t t = 0; t < count; t++)
            if (!memcmp(&tiles[t], &kept->tile, sizeof *tiles) && (t % 2 || !taken->forgets_odd)) {
                struct field window = tile_window(&tiles[t], field);
                field_copy(&window, &kept->pixels);
                known[t] = true;
                taken->restored++;
            }
    }
    return STATUS_OK;
}

static void taken_open(struct taken *taken)
{
    memset(taken, 0, sizeof *taken);
    assert_int_equal(
        field_create(&taken->whole, WIDTH, HEIGHT, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
        STATUS_OK);
    taken->light = calloc((size_t)WIDTH * HEIGHT, sizeof *taken->light);
    assert_non_null(taken->light);
}

static void taken_close(struct taken *taken)
{
    for (uint32_t i = 0; i < taken->kept_count; i++)
        field_destroy(&taken->kept[i].pixels);
    field_destroy(&taken->whole);
    free(taken->light);
}

struct wanted {
    const char *zoom;
    int64_t limit;
    int samples;
};

static void picture_take(struct renderer *renderer, const struct wanted *wanted, int32_t strip_rows,
                         int32_t rows_before, bool restores, struct taken *taken)
{
    struct picture picture = {.spec.limit = wanted->limit,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .samples = wanted->samples,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .blocks = BLOCKS_QUARTIC,
                              .schedule = "auto",
                              .transport = "auto",
                              .tile_px = 40,
                              .backend = "auto",
                              .strip_rows = strip_rows};
    struct picture_consumer consumer = {.context = taken,
                                        .strip = strip_take,
                                        .tile = tile_take,
                                        .rows_before = rows_before,
                                        .restore = restores ? tiles_give : NULL};
    struct picture_hooks hooks = {
        .look = look_take, .look_context = taken, .wants_subgrid = true, .consumer = &consumer};
    struct picture_report report;
    assert_int_equal(view_set(&picture.view, "-0.743643887037158704752191506114774",
                              "0.131825904205311970493132056385139", wanted->zoom, 10, WIDTH,
                              HEIGHT),
                     STATUS_OK);
    if (picture_render(renderer, &picture, &hooks, NULL, &report) != STATUS_OK)
        fail_msg("failed: %s", status_text());
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    assert_int_equal(taken->rows, HEIGHT);
}

static void assert_alike(const struct taken *a, const struct taken *b)
{
    struct picture_sums one = picture_sum(&a->whole), other = picture_sum(&b->whole);
    assert_memory_equal(&one, &other, sizeof one);
    assert_memory_equal(a->light, b->light, sizeof *a->light * WIDTH * HEIGHT);
    assert_true(a->measured.runs > 0);
    assert_memory_equal(&a->measured, &b->measured, sizeof a->measured);
}

static const struct wanted kinds[] = {
    {"1e2", 200, 1}, {"1e2", 200, 3}, {"1e2", 200, SAMPLES_AUTO}, {"1e14", 4000, 2}};

static struct renderer *opened(struct world **world)
{
    struct renderer *renderer;
    struct renderer_options options = {.backend = "cpu", .threads = 2};
    assert_int_equal(world_open(world, NULL), STATUS_OK);
    if (renderer_open(&renderer, *world, &options) != STATUS_OK)
        fail_msg("refused: %s", status_text());
    return renderer;
}

TEST(strips_have_the_bytes_of_the_whole)
{
    struct world *world;
    struct renderer *renderer = opened(&world);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        static struct taken whole, strips;
        taken_open(&whole);
        taken_open(&strips);
        picture_take(renderer, &kinds[i], 0, 0, false, &whole);
        picture_take(renderer, &kinds[i], STRIP, 0, false, &strips);
        assert_int_equal(whole.strips, 1);
        assert_int_equal(strips.strips, (HEIGHT + STRIP - 1) / STRIP);
        assert_alike(&whole, &strips);
        taken_close(&strips);
        taken_close(&whole);
    }
    renderer_close(renderer);
    world_close(world);
}

/* The second strip: its rows before are there, and half of its tiles. */
TEST(what_is_known_is_not_computed_again)
{
    struct world *world;
    struct renderer *renderer = opened(&world);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        static struct taken first, second;
        taken_open(&first);
        picture_take(renderer, &kinds[i], STRIP, 0, false, &first);
        taken_open(&second);
        field_copy(&second.whole, &first.whole);
        memcpy(second.light, first.light, sizeof *first.light * WIDTH * HEIGHT);
        second.rows = STRIP;
        uint32_t of_rest = 0;
        for (uint32_t k = 0; k < first.kept_count; k++)
            if (first.kept[k].y >= STRIP)
                second.kept[second.kept_count++] = first.kept[k], of_rest++;
            else
                field_destroy(&first.kept[k].pixels);
        first.kept_count = 0;
        second.forgets_odd = true;
        picture_take(renderer, &kinds[i], STRIP, STRIP, true, &second);
        assert_alike(&first, &second);
        assert_true(second.restored > 0);
        assert_int_equal(second.told + second.restored, of_rest);
        taken_close(&second);
        taken_close(&first);
    }
    renderer_close(renderer);
    world_close(world);
}

int main(void)
{
    struct palette *palette;
    if (palette_load(&palette, DEEPFIELD_ASSETS, "meridian") != STATUS_OK)
        return 1;
    plain_look = (struct look){.palette = palette, .density = 1};
    int failed = check_run(NULL, NULL);
    palette_destroy(palette);
    return failed;
}
