/* A picture that grows from pieces, in whichever parts they come and however often the look changes
 * meanwhile, ends with the colours of its rows. */
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

#include "render/live/framebuffer.h"

enum {
    WIDTH = 301,
    HEIGHT = 170,
    PLANES_OF = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_DISTANCE
};

/* Linked with --wrap: so small a picture, and any of two cores, would have no team. */
int __wrap_screen_painters(int64_t pixels);
int __wrap_screen_painters(int64_t pixels)
{
    (void)pixels;
    return 3;
}

static struct palette *palette_made(void)
{
    static const char text[] = "0, 0, 0, 0.1\n0.4, 1, 0.6, 0\n1, 0.2, 0, 0.9\n";
    struct palette *palette;
    assert_int_equal(palette_parse(&palette, text, sizeof text - 1, "test"), STATUS_OK);
    return palette;
}

static struct field field_made(int count_bytes, uint64_t *seed)
{
    struct field field;
    assert_int_equal(field_create(&field, WIDTH, HEIGHT, PLANES_OF, count_bytes), STATUS_OK);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        uint64_t count = check_random(seed) % 3000;
        if (count_bytes == 4)
            ((uint32_t *)field.plane[PLANE_COUNT])[i] = (uint32_t)count;
        else
            ((uint64_t *)field.plane[PLANE_COUNT])[i] = count;
        ((float *)field.plane[PLANE_FRACTION])[i] = (float)check_random_unit(seed);
        for (int p = PLANE_DISTANCE_X; p <= PLANE_DISTANCE_Y; p++)
            ((float *)field.plane[p])[i] = (float)(check_random_unit(seed) - 0.5);
    }
    return field;
}

/* What a rank would send of this field. */
static void *piece_made(const struct field *field, const struct work_piece *piece)
{
    struct subgrid subgrid[SUBGRIDS_MOST];
    char *bytes = malloc(work_piece_bytes(piece, PLANES_OF, field->count_bytes)), *at = bytes;
    assert_non_null(bytes);
    int count = work_piece_subgrids(piece, subgrid);
    for (int l = 0; l < count; l++) {
        struct field part;
        size_t size = (size_t)field->count_bytes;
        field_over(&part, subgrid[l].width, subgrid[l].height, PLANES_OF, field->count_bytes, at);
        for (int32_t j = 0; j < subgrid[l].height; j++)
            for (int32_t i = 0; i < subgrid[l].width; i++) {
                int32_t x = subgrid[l].x + i * subgrid[l].stride;
                int32_t y = subgrid[l].y + j * subgrid[l].stride;
                memcpy((char *)field_row(&part, PLANE_COUNT, j) + (size_t)i * size,
                       (const char *)field_row(field, PLANE_COUNT, y) + (size_t)x * size, size);
                for (int p = PLANE_FRACTION; p <= PLANE_DISTANCE_Y; p++)
                    ((float *)field_row(&part, (enum plane)p, j))[i] =
                        ((const float *)field_row(field, (enum plane)p, y))[x];
            }
        at += subgrid_bytes(&subgrid[l], PLANES_OF, field->count_bytes);
    }
    return bytes;
}

/* Another picture. */
static void fit(struct framebuffer *framebuffer, const struct refinement *refinement,
                int count_bytes)
{
    struct framebuffer_memory memory;
    assert_int_equal(framebuffer_prepare(framebuffer, refinement, PLANES_OF, count_bytes, &memory),
                     STATUS_OK);
    framebuffer_begin(framebuffer, refinement, PLANES_OF, count_bytes, &memory);
    framebuffer_memory_destroy(&memory);
}

/* All of it as somebody gets it. */
static void copy(struct framebuffer *framebuffer, uint32_t *pixels)
{
    uint64_t version = 0;
    memset(pixels, 0x55, sizeof *pixels * WIDTH * HEIGHT);
    assert_true(framebuffer_copy(framebuffer, &version, pixels, WIDTH, NULL));
    assert_int_equal(version, framebuffer->version);
    assert_false(
        framebuffer_copy(framebuffer, &version, pixels, WIDTH, NULL)); /* nothing is newer */
}

static void assert_rows(struct framebuffer *framebuffer, const struct look *look,
                        const struct field *field)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    uint8_t row[3 * WIDTH];
    copy(framebuffer, pixels);
    for (int32_t y = 0; y < HEIGHT; y++) {
        colour_row_8(look, field, y, row);
        for (int32_t x = 0; x < WIDTH; x++)
            assert_int_equal(pixels[y * WIDTH + x], 0xff000000u | (uint32_t)row[3 * x] << 16 |
                                                        (uint32_t)row[3 * x + 1] << 8 |
                                                        row[3 * x + 2]);
    }
}

/* Several pieces are under way, and arrive in any order. */
static void refine(struct framebuffer *framebuffer, struct refinement *refinement,
                   struct look *look, const struct field *field, uint64_t *seed)
{
    struct refinement_deal out[8];
    int outs = 0;
    for (;;) {
        while (outs < 8 && refinement_next(refinement, &out[outs]))
            outs++;
        if (!outs)
            return;
        int which = (int)(check_random(seed) % (uint64_t)outs);
        struct refinement_deal deal = out[which];
        out[which] = out[--outs];
        void *bytes = piece_made(field, &deal.piece);
        refinement_arrived(refinement, &deal, 1e-6 * (double)work_piece_samples(&deal.piece));
        assert_true(framebuffer_put(framebuffer, look, &deal.piece, bytes, NULL, NULL));
        free(bytes);
        for (int32_t i = deal.cell; i < deal.cell + deal.cells; i++)
            if (!refinement->cell[i].to)
                framebuffer_reach(framebuffer, look, i, deal.piece.to, 1);
        if (check_random(seed) % 10 == 0) {
            look->density = 0.5 + check_random_unit(seed);
            assert_true(framebuffer_recolour(framebuffer, look, NULL, NULL));
        }
    }
}

TEST(grown_pictures_have_the_colours_of_rows)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    uint64_t seed = 17;
    struct framebuffer framebuffer;
    framebuffer_open(&framebuffer);
    struct palette *palette = palette_made();
    for (int round = 0; round < 12; round++) {
        struct look look = {
            .palette = palette,
            .density = 1,
            .shade = {.relief = 0.5f, .lines = 1, .light = {-0.6f, -0.8f}, .per_px = 2},
            .interior = {0.1f, 0, 0.5f}};
        struct field field = field_made(round % 2 ? 8 : 4, &seed);
        struct refinement refinement;
        assert_int_equal(refinement_open(&refinement, WIDTH, HEIGHT, 64), STATUS_OK);
        refinement.split_s = round % 3 ? 300e-6 : 0; /* in parts, or not */
        refinement.row_s = round % 4 == 3 ? 1 : 0;
        fit(&framebuffer, &refinement, field.count_bytes);
        copy(&framebuffer, pixels); /* nothing of the picture before */
        for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
            assert_int_equal(pixels[i], 0);
        refine(&framebuffer, &refinement, &look, &field, &seed);
        assert_rows(&framebuffer, &look, &field);
        assert_memory_equal(framebuffer.field.plane[PLANE_FRACTION], field.plane[PLANE_FRACTION],
                            (size_t)WIDTH * HEIGHT * sizeof(float));
        for (int32_t i = 0; i < refinement.cells; i++)
            assert_true(framebuffer.cell[i].stride == 1 && framebuffer.cell[i].owner == 1);
        refinement_close(&refinement);
        field_destroy(&field);
    }
    framebuffer_close(&framebuffer);
    palette_destroy(palette);
}

/* A coarse sample fills the square that it stands for. */
TEST(coarse_samples_fill_squares)
{
    uint64_t seed = 23;
    struct framebuffer framebuffer;
    framebuffer_open(&framebuffer);
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1};
    struct field field = field_made(4, &seed);
    struct refinement refinement;
    assert_int_equal(refinement_open(&refinement, WIDTH, HEIGHT, 64), STATUS_OK);
    for (int stride = 8; stride >= 1; stride /= 2) {
        fit(&framebuffer, &refinement, 4);
        refinement_begin(&refinement, 8, stride);
        refine(&framebuffer, &refinement, &look, &field, &seed);
        look.density = 1;
        framebuffer_recolour(&framebuffer, &look, NULL, NULL);
        for (int32_t y = 0; y < HEIGHT; y++)
            for (int32_t x = 0; x < WIDTH; x++)
                assert_int_equal(
                    framebuffer.pixels[y * WIDTH + x],
                    framebuffer.pixels[y / stride * stride * WIDTH + x / stride * stride]);
    }
    refinement_close(&refinement);
    field_destroy(&field);
    framebuffer_close(&framebuffer);
    palette_destroy(palette);
}

static void put(struct framebuffer *framebuffer, const struct look *look, const struct field *field,
                struct work_piece piece)
{
    void *bytes = piece_made(field, &piece);
    assert_true(framebuffer_put(framebuffer, look, &piece, bytes, NULL, NULL));
    free(bytes);
}

/* Puts all pieces of a pass, without another look meanwhile. */
static void pass_put(struct framebuffer *framebuffer, struct refinement *refinement,
                     const struct look *look, const struct field *field)
{
    struct refinement_deal deal;
    while (refinement_next(refinement, &deal)) {
        put(framebuffer, look, field, deal.piece);
        refinement_arrived(refinement, &deal, 1e-3);
        for (int32_t i = deal.cell; i < deal.cell + deal.cells; i++)
            if (!refinement->cell[i].to)
                framebuffer_reach(framebuffer, look, i, deal.piece.to, 1);
    }
}

/* First samples that lie far apart are kept as one colour each, which changes no pixel: neither of
 * a copy, nor of one after they have become pixels, nor of the finer pictures that follow. */
TEST(packed_colours_are_those_of_squares)
{
    static uint32_t pixels[WIDTH * HEIGHT], recoloured[WIDTH * HEIGHT];
    uint64_t seed = 41;
    struct framebuffer framebuffer;
    framebuffer_open(&framebuffer);
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1};
    struct field field = field_made(4, &seed);
    struct refinement refinement;
    assert_int_equal(refinement_open(&refinement, WIDTH, HEIGHT, 64), STATUS_OK);
    refinement.split_s = 1e-3; /* parts of cells, too */
    for (int stride = 8; stride >= FRAMEBUFFER_PACKED_LEAST; stride /= 2)
        for (int finer = stride / 2; finer >= 1; finer /= 2) {
            fit(&framebuffer, &refinement, 4);
            refinement_begin(&refinement, stride, stride);
            pass_put(&framebuffer, &refinement, &look, &field);
            assert_int_equal(framebuffer.cell[0].packed, stride);
            copy(&framebuffer, pixels);
            assert_true(framebuffer_recolour(&framebuffer, &look, NULL, NULL));
            assert_int_equal(framebuffer.cell[0].packed, 0);
            copy(&framebuffer, recoloured);
            assert_memory_equal(pixels, recoloured, sizeof pixels);
            fit(&framebuffer, &refinement, 4);
            refinement_begin(&refinement, stride, stride);
            pass_put(&framebuffer, &refinement, &look, &field);
            refinement_extend(&refinement, finer);
            pass_put(&framebuffer, &refinement, &look, &field);
            refinement_extend(&refinement, 1);
            refinement.jump = true;
            pass_put(&framebuffer, &refinement, &look, &field);
            assert_rows(&framebuffer, &look, &field);
        }
    refinement_close(&refinement);
    field_destroy(&field);
    framebuffer_close(&framebuffer);
    palette_destroy(palette);
}

/* Further samples of a field that is the same everywhere change nothing but the last bit of what is
 * shown: the mean is exact, but 8-bit colours of a field run straight between those of a palette.
 */
TEST(a_mean_of_equals_is_what_they_are)
{
    uint64_t seed = 29;
    struct framebuffer framebuffer;
    framebuffer_open(&framebuffer);
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1, .interior = {0, 0, 0}};
    struct field field = field_made(4, &seed);
    for (int32_t i = 0; i < WIDTH * HEIGHT; i++) {
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = 1234;
        ((float *)field.plane[PLANE_FRACTION])[i] = 0.3f;
    }
    struct refinement refinement;
    assert_int_equal(refinement_open(&refinement, WIDTH, HEIGHT, 64), STATUS_OK);
    fit(&framebuffer, &refinement, 4);
    refine(&framebuffer, &refinement, &look, &field, &seed);
    uint32_t *before = malloc(sizeof *before * WIDTH * HEIGHT);
    framebuffer_recolour(&framebuffer, &look, NULL, NULL);
    memcpy(before, framebuffer.pixels, sizeof *before * WIDTH * HEIGHT);
    struct work_piece all = {.width = WIDTH, .height = HEIGHT, .to = 1};
    void *bytes = piece_made(&field, &all);
    float first[3], last[3];
    for (int sample = 1; sample <= 3; sample++) {
        assert_int_equal(framebuffer_sample_begin(&framebuffer, sample), STATUS_OK);
        framebuffer_sample_put(&framebuffer, &all, bytes);
        framebuffer_sample_end(&framebuffer, sample);
        assert_int_equal(framebuffer_mean_begin(&framebuffer, sample), STATUS_OK);
        assert_true(framebuffer_samples_add(&framebuffer, &look, sample, sample, NULL, NULL));
        memcpy(sample == 1 ? first : last, framebuffer_share_light(framebuffer.light),
               sizeof first);
        assert_memory_equal(sample == 1 ? first : last, first, sizeof first);
    }
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++)
        for (int c = 0; c < 24; c += 8) {
            int was = (int)(before[i] >> c & 255), is = (int)(framebuffer.pixels[i] >> c & 255);
            assert_true(abs(was - is) <= 1);
        }
    free(bytes);
    free(before);
    refinement_close(&refinement);
    field_destroy(&field);
    framebuffer_close(&framebuffer);
    palette_destroy(palette);
}

/* A first part shows nothing of the picture before beside it, and has the new colours if they
 * change before the rest is there. */
TEST(parts_of_a_cell_are_one_picture)
{
    static uint32_t pixels[WIDTH * HEIGHT], whole[WIDTH * HEIGHT];
    uint64_t seed = 37;
    struct framebuffer framebuffer;
    framebuffer_open(&framebuffer);
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1},
                other = {.palette = palette, .density = 2};
    struct field field = field_made(4, &seed);
    struct refinement refinement;
    assert_int_equal(refinement_open(&refinement, WIDTH, HEIGHT, 64), STATUS_OK);
    fit(&framebuffer, &refinement, 4);
    put(&framebuffer, &other, &field, (struct work_piece){.width = 64, .height = 64, .to = 8});
    copy(&framebuffer, whole);
    refine(&framebuffer, &refinement, &look, &field, &seed);
    fit(&framebuffer, &refinement, 4);
    put(&framebuffer, &look, &field, (struct work_piece){.width = 32, .height = 64, .to = 8});
    copy(&framebuffer, pixels);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(pixels[i] != 0, i % WIDTH < 32 && i / WIDTH < 64);
    framebuffer_recolour(&framebuffer, &other, NULL, NULL);
    put(&framebuffer, &other, &field,
        (struct work_piece){.x = 32, .width = 32, .height = 64, .to = 8});
    framebuffer_reach(&framebuffer, &other, 0, 8, 1);
    copy(&framebuffer, pixels);
    assert_memory_equal(whole, pixels, sizeof whole);
    refinement_close(&refinement);
    field_destroy(&field);
    framebuffer_close(&framebuffer);
    palette_destroy(palette);
}

/* What is just being painted is not waited for, and comes with the next copy. */
struct painter {
    struct framebuffer *framebuffer;
    pthread_barrier_t meets;
};

/* In the middle of painting rows 8 to 15. */
static void *paint_long(void *context)
{
    struct painter *painter = context;
    pthread_rwlock_wrlock(&painter->framebuffer->strip[1]);
    pthread_barrier_wait(&painter->meets);
    pthread_barrier_wait(&painter->meets);
    pthread_rwlock_unlock(&painter->framebuffer->strip[1]);
    return NULL;
}

TEST(a_copy_waits_for_no_painter)
{
    static uint32_t whole[WIDTH * HEIGHT], pixels[WIDTH * HEIGHT];
    uint64_t seed = 31, version = 0;
    struct framebuffer framebuffer;
    framebuffer_open(&framebuffer);
    struct palette *palette = palette_made();
    struct look look = {.palette = palette, .density = 1};
    struct field field = field_made(4, &seed);
    struct refinement refinement;
    assert_int_equal(refinement_open(&refinement, WIDTH, HEIGHT, 64), STATUS_OK);
    fit(&framebuffer, &refinement, 4);
    refine(&framebuffer, &refinement, &look, &field, &seed);
    assert_true(framebuffer_copy(&framebuffer, &version, pixels, WIDTH, NULL));
    look.density = 3;
    assert_true(framebuffer_recolour(&framebuffer, &look, NULL, NULL));
    copy(&framebuffer, whole);
    assert_memory_not_equal(whole, pixels, sizeof whole);
    pthread_t thread;
    struct painter painter = {.framebuffer = &framebuffer};
    pthread_barrier_init(&painter.meets, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, paint_long, &painter), 0);
    pthread_barrier_wait(&painter.meets);
    assert_true(framebuffer_copy(&framebuffer, &version, pixels, WIDTH, NULL));
    size_t below = (size_t)64 * WIDTH;
    assert_memory_equal(whole + below, pixels + below, sizeof whole - 4 * below);
    assert_memory_not_equal(whole, pixels, 4 * below);
    pthread_barrier_wait(&painter.meets);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&painter.meets);
    uint8_t changed[CHANGED_BLOCKS_MOST][CHANGED_BLOCKS_MOST] = {{0}};
    struct changed_box box;
    assert_true(framebuffer_copy(&framebuffer, &version, pixels, WIDTH, changed));
    assert_int_equal(changed_blocks_boxes(changed, WIDTH, HEIGHT, &box, 1), 1);
    assert_int_equal(box.bottom, CHANGED_BLOCK_PX); /* only the row that was left out */
    assert_memory_equal(whole, pixels, sizeof whole);
    assert_false(framebuffer_copy(&framebuffer, &version, pixels, WIDTH, NULL));
    refinement_close(&refinement);
    field_destroy(&field);
    framebuffer_close(&framebuffer);
    palette_destroy(palette);
}

/* Memory stays where it is enough, goes back where it is far too much, and is left to whoever holds
 * it. */
TEST(memory_follows_the_picture)
{
    struct framebuffer framebuffer;
    struct refinement large, small;
    framebuffer_open(&framebuffer);
    assert_int_equal(refinement_open(&large, 5000, 4000, 128), STATUS_OK);
    assert_int_equal(refinement_open(&small, WIDTH, HEIGHT, 128), STATUS_OK);
    fit(&framebuffer, &large, 4);
    const struct framebuffer_share *share = framebuffer.share;
    fit(&framebuffer, &large, 4);
    assert_ptr_equal(framebuffer.share, share);
    struct framebuffer_share *held = framebuffer_share_hold(framebuffer.share);
    fit(&framebuffer, &large, 4);
    assert_ptr_not_equal(framebuffer.share, held);
    framebuffer_share_release(held);
    share = framebuffer.share;
    fit(&framebuffer, &small, 4);
    assert_ptr_not_equal(framebuffer.share, share);
    assert_int_equal(framebuffer.pixels_room,
                     WIDTH * HEIGHT + ((WIDTH + 3) / 4) * ((HEIGHT + 3) / 4));
    refinement_close(&large);
    refinement_close(&small);
    framebuffer_close(&framebuffer);
}
