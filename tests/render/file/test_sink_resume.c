/* Files that grow: every kind goes on after a kill or a power loss anywhere, and the file is the
 * one that a run without them writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/check.h"
#include <omp.h>
#include <xxhash.h>

#include "render/file/sink.h"
#include "tests/render/disk/tree.h"

static struct palette *palette;

static int group_setup(void **state)
{
    (void)state;
    static const char text[] = "# cyclic: yes\n0,0,.1,.3\n.4,.9,1,1\n.7,.9,.6,.1\n1,0,.1,.3\n";
    return palette_parse(&palette, text, sizeof text - 1, "test") == STATUS_OK ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    palette_destroy(palette);
    return 0;
}

/* Smooth in places, so that chunks are of many sizes. */
static struct field field_make(int32_t width, int32_t height, uint32_t salt)
{
    struct field field;
    if (field_create(&field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4) != STATUS_OK)
        fail_msg("%s", status_text());
    uint32_t value = salt;
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        value = value * 1664525u + 1013904223u;
        bool rough = i / 5000 % 3 == 0;
        uint32_t count = rough ? value >> 25 : (uint32_t)(i / 5000);
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = count;
        ((float *)field.plane[PLANE_FRACTION])[i] =
            count ? (float)((rough ? value : (uint32_t)i << 12) >> 8) * 0x1p-24f : 0;
    }
    return field;
}

/* ---- one picture, one kind ---- */

struct world {
    struct field field;
    struct look look;
    struct sink_request request;
    unsigned long long *seed;
    char folder[600], path[700], growing[700], synced[2][700];
    void *state[2]; /* of the last checkpoint and the one before; NULL: none */
    size_t bytes[2];
    int32_t y[2];
};

static uint32_t random_below(struct world *world, uint32_t most)
{
    return (uint32_t)(random_next(world->seed) >> 33) % most;
}

static void world_make(struct world *world, void **state, const struct sink_kind *kind,
                       unsigned long long *seed, int32_t width, int32_t height)
{
    *world = (struct world){.look = {.palette = palette, .density = 1, .interior = {0, 0, 0.1f}},
                            .seed = seed};
    world->field = field_make(width, height, (uint32_t)random_next(seed));
    snprintf(world->folder, sizeof world->folder, "%s", in_folder(state, "out"));
    snprintf(world->path, sizeof world->path, "%s/x%s", world->folder, kind->suffix);
    snprintf(world->growing, sizeof world->growing, "%s/x.deepfield", world->folder);
    for (int i = 0; i < 2; i++)
        snprintf(world->synced[i], sizeof world->synced[i], "%s%d", in_folder(state, "synced"), i);
    assert_int_equal(mkdir(world->folder, 0777), 0);
    world->request = (struct sink_request){.path = world->path,
                                           .field = &world->field,
                                           .look = &world->look,
                                           .view_text = "[view]\nre = -0.5\n",
                                           .title = "A title",
                                           .bits = random_below(world, 2) ? 16 : 8};
    world->request.quality = random_below(world, 3) ? 0 : 85;
    world->request.overviews = (int)random_below(world, 3);
    if (world->request.bits < kind->bits_least || world->request.bits > kind->bits_most)
        world->request.bits = kind->bits_least;
}

static void states_drop(struct world *world)
{
    for (int i = 0; i < 2; i++) {
        free(world->state[i]);
        world->state[i] = NULL;
        tree_remove(world->synced[i]);
    }
}

static void world_drop(struct world *world)
{
    states_drop(world);
    field_destroy(&world->field);
    tree_remove(world->folder);
}

/* The files of a run without stops, moved to `folder`. */
static void write_whole(struct world *world, const char *folder)
{
    if (sink_write(&world->request) != STATUS_OK)
        fail_msg("%s", status_text());
    tree_remove(folder);
    assert_int_equal(rename(world->folder, folder), 0);
    assert_int_equal(mkdir(world->folder, 0777), 0);
    assert_int_equal(mkdir(world->growing, 0777), 0);
}

static void rows_add(struct world *world, struct sink *sink, int32_t *y)
{
    int32_t left = world->field.height - *y;
    int32_t height = 1 + (int32_t)random_below(world, random_below(world, 2) ? 5 : 200);
    height = height < left ? height : left;
    struct sink_rows rows = {.y = *y,
                             .height = height,
                             .field =
                                 field_window(&world->field, 0, *y, world->field.width, height)};
    if (sink_add(sink, &rows) != STATUS_OK)
        fail_msg("%s", status_text());
    *y += height;
}

static void checkpoint(struct world *world, struct sink *sink, int32_t y)
{
    free(world->state[1]);
    world->state[1] = world->state[0];
    world->bytes[1] = world->bytes[0];
    world->y[1] = world->y[0];
    tree_remove(world->synced[1]);
    (void)rename(world->synced[0], world->synced[1]);
    if (sink_checkpoint(sink, &world->state[0], &world->bytes[0]) != STATUS_OK)
        fail_msg("%s", status_text());
    world->y[0] = y;
    tree_copy(world->growing, world->synced[0]);
}

/* A run that begins or goes on, and ends anywhere; true: with the files. */
static bool run(struct world *world, const char *kind)
{
    struct sink *sink;
    struct atomic_file_set set = {.count = 0};
    int32_t y = 0;
    int which = world->state[1] && random_below(world, 3) == 0; /* the last one may be lost, too */
    omp_set_num_threads(1 + (int)random_below(world, 3));
    enum status status =
        world->state[which]
            ? sink_resume(&sink, &world->request, world->state[which], world->bytes[which], &y)
            : sink_begin(&sink, &world->request);
    if (status != STATUS_OK)
        fail_msg("%s: %s", kind, status_text());
    assert_int_equal(y, world->state[which] ? world->y[which] : 0);
    if (which) { /* goes on from there */
        free(world->state[0]);
        world->state[0] = world->state[1];
        world->bytes[0] = world->bytes[1];
        world->y[0] = world->y[1];
        world->state[1] = NULL;
        tree_copy(world->synced[1], world->synced[0]);
    }
    bool ends = random_below(world, 8) == 0;
    while (y < world->field.height && (ends || random_below(world, 12))) {
        rows_add(world, sink, &y);
        if (random_below(world, 4) == 0)
            checkpoint(world, sink, y);
    }
    bool whole = y == world->field.height, named = whole && random_below(world, 2);
    if (whole && sink_end(sink, &set) != STATUS_OK)
        fail_msg("%s: %s", kind, status_text());
    sink_destroy(sink);
    if (named && atomic_file_set_commit(&set) != STATUS_OK)
        fail_msg("%s: %s", kind, status_text());
    atomic_file_set_abandon(&set);
    return named;
}

static void same_files(const struct world *world, const char *whole, const char *kind)
{
    int count, more;
    tree_remove(world->growing);
    if (tree_differ(whole, world->folder, &count) + tree_differ(world->folder, whole, &more) != 0)
        fail_msg("%s: %d x %d: other files", kind, world->field.width, world->field.height);
    assert_int_equal(count, more);
}

/* Finished, named, and then asked to go on. */
static void placed_is_known(struct world *world)
{
    struct sink *sink;
    struct atomic_file_set set = {.count = 0};
    int32_t y;
    void *again;
    size_t bytes;
    if (!world->state[0])
        return;
    assert_int_equal(sink_resume(&sink, &world->request, world->state[0], world->bytes[0], &y),
                     STATUS_OK);
    assert_int_equal(y, world->field.height);
    assert_int_equal(sink_checkpoint(sink, &again, &bytes), STATUS_OK);
    assert_int_equal(bytes, world->bytes[0]);
    free(again);
    assert_int_equal(sink_end(sink, &set), STATUS_OK);
    assert_int_equal(set.count, 0);
    sink_destroy(sink);
    atomic_file_set_abandon(&set);
}

/* Is the kind one that can grow in a folder elsewhere? */
static bool grows_anywhere(const struct sink_kind *kind)
{
    return strcmp(kind->name, "dzi") != 0;
}

IN_FOLDER(every_kind_goes_on_after_a_power_loss)
{
    unsigned long long seed = random_seed();
    const int pictures = check_long() ? 40 : 4;
    for (int i = 0, losses = 0; i < sink_kinds_count; losses = 0, i++) {
        for (int picture = 0; picture < pictures; picture++) {
            const struct sink_kind *kind = sink_kinds[i];
            struct world world;
            char whole[600];
            int32_t width = 1 + (int32_t)((random_next(&seed) >> 33) % 900);
            world_make(&world, state, kind, &seed, width,
                       1 + (int32_t)(random_next(&seed) >> 40) % 700);
            snprintf(whole, sizeof whole, "%s", in_folder(state, "whole"));
            write_whole(&world, whole);
            if (grows_anywhere(kind) && random_below(&world, 2)) {
                snprintf(world.growing, sizeof world.growing, "%s", in_folder(state, "elsewhere"));
                mkdir(world.growing, 0777);
            }
            world.request.growing_folder = world.growing;
            for (; !run(&world, kind->name); losses++)
                if (world.state[0])
                    tree_lose(world.synced[0], world.growing, &seed);
            placed_is_known(&world);
            same_files(&world, whole, kind->name);
            tree_remove(whole);
            world_drop(&world);
        }
        printf("%s: %d losses\n", sink_kinds[i]->name, losses);
    }
}

/* ---- states that nobody has made ---- */

static void sum_set(char *state, size_t bytes)
{
    uint64_t sum = XXH3_64bits(state, bytes - sizeof sum);
    memcpy(state + bytes - sizeof sum, &sum, sizeof sum);
}

/* Adds the rest if it could go on. */
static enum status try_state(struct world *world, const char *state, size_t bytes)
{
    struct sink *sink;
    int32_t y;
    enum status status = sink_resume(&sink, &world->request, state, bytes, &y);
    if (status == STATUS_OK) {
        struct atomic_file_set set = {.count = 0};
        assert_in_range(y, 0, world->field.height);
        while (y < world->field.height)
            rows_add(world, sink, &y);
        (void)sink_end(sink, &set);
        atomic_file_set_abandon(&set);
    } else {
        assert_true(status_text()[0]);
    }
    sink_destroy(sink);
    return status;
}

IN_FOLDER(every_kind_refuses_hostile_states)
{
    unsigned long long seed = random_seed();
    const int tries = check_long() ? 300 : 30;
    for (int i = 0; i < sink_kinds_count; i++) {
        struct world world;
        struct sink *sink;
        int32_t y = 0;
        world_make(&world, state, sink_kinds[i], &seed, 300, 400);
        world.request.growing_folder = world.growing;
        assert_int_equal(mkdir(world.growing, 0777), 0);
        assert_int_equal(sink_begin(&sink, &world.request), STATUS_OK);
        while (y < 350)
            rows_add(&world, sink, &y);
        checkpoint(&world, sink, y);
        sink_destroy(sink);
        size_t bytes = world.bytes[0];
        for (size_t cut = 0; cut < bytes; cut++)
            assert_int_equal(try_state(&world, world.state[0], cut), STATUS_BAD_DATA);
        for (int t = 0; t < tries; t++) {
            char *hostile = malloc(bytes);
            assert_non_null(hostile);
            memcpy(hostile, world.state[0], bytes);
            for (int flips = 1 + (int)random_below(&world, 3); flips > 0; flips--)
                hostile[random_below(&world, (uint32_t)bytes)] ^=
                    (char)(1 << random_below(&world, 8));
            if (memcmp(hostile, world.state[0], bytes) != 0)
                assert_int_equal(try_state(&world, hostile, bytes), STATUS_BAD_DATA);
            sum_set(hostile, bytes);
            tree_copy(world.synced[0], world.growing);
            (void)try_state(&world, hostile, bytes);
            free(hostile);
        }
        world_drop(&world);
    }
}

IN_FOLDER(every_kind_refuses_another_picture_and_missing_files)
{
    unsigned long long seed = random_seed();
    for (int i = 0; i < sink_kinds_count; i++) {
        struct world world;
        struct sink *sink;
        int32_t y = 0;
        world_make(&world, state, sink_kinds[i], &seed, 300, 400);
        world.request.growing_folder = world.growing;
        assert_int_equal(mkdir(world.growing, 0777), 0);
        assert_int_equal(sink_begin(&sink, &world.request), STATUS_OK);
        while (y < 390)
            rows_add(&world, sink, &y);
        checkpoint(&world, sink, y);
        sink_destroy(sink);
        world.request.view_text = "[view]\nre = -0.6\n";
        assert_int_equal(try_state(&world, world.state[0], world.bytes[0]), STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), "another picture"));
        world.request.view_text = "[view]\nre = -0.5\n";
        tree_remove(world.growing);
        assert_int_equal(mkdir(world.growing, 0777), 0);
        assert_int_equal(try_state(&world, world.state[0], world.bytes[0]), STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), "begin anew"));
        world_drop(&world);
    }
}

/* Somebody else's file is not taken for one that has got its name. */
IN_FOLDER(every_kind_keeps_what_came_meanwhile)
{
    unsigned long long seed = random_seed();
    for (int i = 0; i < sink_kinds_count; i++) {
        struct world world;
        struct sink *sink;
        char path[SINK_PATH_BYTES];
        int32_t y = 0;
        world_make(&world, state, sink_kinds[i], &seed, 30, 40);
        world.request.growing_folder = world.growing;
        assert_int_equal(mkdir(world.growing, 0777), 0);
        assert_int_equal(sink_begin(&sink, &world.request), STATUS_OK);
        rows_add(&world, sink, &y);
        checkpoint(&world, sink, y);
        sink_destroy(sink);
        assert_true(sink_kinds[i]->file(&world.request, 0, path));
        file_fill(path, "mine");
        assert_int_equal(try_state(&world, world.state[0], world.bytes[0]), STATUS_CANNOT_CREATE);
        assert_non_null(strstr(status_text(), "--force"));
        struct bytes mine = bytes_of_file(path);
        assert_int_equal(mine.length, 4);
        free(mine.at);
        world_drop(&world);
    }
}

int main(void)
{
    return check_run(group_setup, group_teardown);
}
