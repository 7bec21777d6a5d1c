/* Conformance: every kind of sink keeps the same promises. Then what only PNG or NPY promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/support/check.h"
#include "tests/support/sanitized.h"
#include <math.h>
#include <omp.h>
#include <png.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <turbojpeg.h>
#include <webp/decode.h>

#include "render/colour/icc_srgb.h"
#include "render/colour/srgb.h"
#include "render/file/jpg_text.h"
#include "render/file/sink.h"
#include "render/file/tif/tif_text.h"
#include "render/file/webp_text.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"
#include "tests/render/disk/folder.h"

enum { FILES_MAX = PLANES + 1 };

static struct palette *palette;

static int group_setup(void **state)
{
    (void)state;
    static const char text[] = "# cyclic: yes\n0,0,.1,.3\n.4,.9,1,1\n.7,.9,.6,.1\n1,0,.1,.3\n";
    signal(SIGXFSZ, SIG_IGN);
    return palette_parse(&palette, text, sizeof text - 1, "test") == STATUS_OK ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    palette_destroy(palette);
    return 0;
}

/* A field with every kind of pixel; `salt` makes another one. */
static struct field field_make(int32_t width, int32_t height, unsigned planes, int count_bytes,
                               uint32_t salt)
{
    struct field field;
    if (field_create(&field, width, height, planes, count_bytes) != STATUS_OK)
        fail_msg("%s", status_text());
    uint32_t value = salt;
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        value = value * 1664525u + 1013904223u;
        uint32_t count = value % 7 == 0 ? 0 : 10 + (value >> 8) % 100;
        if (count_bytes == 8)
            ((uint64_t *)field.plane[PLANE_COUNT])[i] = (uint64_t)count << 30;
        else
            ((uint32_t *)field.plane[PLANE_COUNT])[i] = count;
        if (planes & PLANE_MASK_FRACTION)
            ((float *)field.plane[PLANE_FRACTION])[i] = count ? (float)(value >> 8) * 0x1p-24f : 0;
        for (int p = PLANE_DISTANCE_X; p < PLANES; p++)
            if (planes & 1u << p)
                ((float *)field.plane[p])[i] = (float)(value ^ (uint32_t)p);
    }
    return field;
}

struct world {
    struct field field;
    struct look look;
    struct sink_request order;
    char path[600];
};

static void world_make(struct world *world, void **state, const char *name, struct field field)
{
    *world = (struct world){.field = field,
                            .look = {.palette = palette, .density = 1, .interior = {0, 0, 0.1f}}};
    snprintf(world->path, sizeof world->path, "%s", in_folder(state, name));
    world->order = (struct sink_request){.path = world->path,
                                         .field = &world->field,
                                         .look = &world->look,
                                         .view_text = "[view]\nre = -0.5\n",
                                         .title = "A title",
                                         .bits = 8};
}

static void world_of_kind(struct world *world, void **state, const struct sink_kind *kind,
                          struct field field)
{
    char name[32];
    snprintf(name, sizeof name, "x%s", kind->suffix);
    world_make(world, state, name, field);
}

static struct field field_small(void)
{
    return field_make(61, 37, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4, 1);
}

static int files_read(const struct sink_request *order, struct bytes files[FILES_MAX])
{
    const struct sink_kind *kind;
    char path[SINK_PATH_BYTES];
    int count = 0;
    assert_int_equal(sink_for_path(&kind, order->path), STATUS_OK);
    for (; kind->file(order, count, path); count++) {
        assert_true(count < FILES_MAX);
        files[count] = bytes_of_file(path);
    }
    return count;
}

static void files_free(struct bytes files[FILES_MAX], int count)
{
    for (int i = 0; i < count; i++)
        free(files[i].at);
}

static void assert_files_equal(const struct sink_request *order, struct bytes files[FILES_MAX])
{
    struct bytes now[FILES_MAX];
    int count = files_read(order, now);
    for (int i = 0; i < count; i++)
        if (!bytes_equal(now[i], files[i]))
            fail_msg("%s: file %d is another one", order->path, i);
    files_free(now, count);
}

/* ---- every kind ---- */

#define FOR_EVERY_KIND(kind)                                              \
    for (int kind##_row = 0; kind##_row < sink_kinds_count; kind##_row++) \
        for (const struct sink_kind *kind = sink_kinds[kind##_row]; kind; kind = NULL)

TEST(every_kind_is_found_by_its_suffix)
{
    FOR_EVERY_KIND(kind)
    {
        char path[64];
        const struct sink_kind *found;
        assert_true(kind->name[0] && kind->summary[0] && kind->suffix[0] == '.');
        snprintf(path, sizeof path, "a.b/c.d%s", kind->suffix);
        assert_int_equal(sink_for_path(&found, path), STATUS_OK);
        assert_ptr_equal(found, kind);
        for (char *c = path; *c; c++)
            *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 32 : *c);
        assert_int_equal(sink_for_path(&found, path), STATUS_OK);
        assert_ptr_equal(found, kind);
    }
}

IN_FOLDER(every_kind_writes_what_it_announced)
{
    static const int32_t size[][2] = {{1, 1}, {61, 37}, {1, 211}, {8192, 3}, {257, 1}, {513, 270}};
    FOR_EVERY_KIND(kind)
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int variant = 0; variant < 4; variant++) {
            unsigned planes = PLANE_MASK_COUNT | (variant & 1 ? PLANE_MASK_FRACTION : 0);
            struct world world;
            world_of_kind(&world, state, kind,
                          field_make(size[i][0], size[i][1], planes, variant & 2 ? 8 : 4, 1));
            world.order.bits = variant & 2 ? 16 : 8;
            assert_int_equal(sink_check(&world.order), STATUS_OK);
            assert_int_equal(folder_count(state, "", 0), 0);
            assert_int_equal(sink_write(&world.order), STATUS_OK);
            struct bytes files[FILES_MAX];
            int count = files_read(&world.order, files);
            uint64_t total = 0;
            for (int f = 0; f < count; f++)
                total += files[f].length;
            assert_true(total > 0 && total <= kind->bytes_max(&world.order));
            world.order.overwrite = OVERWRITE_YES;
            assert_int_equal(sink_write(&world.order), STATUS_OK);
            assert_files_equal(&world.order, files); /* the same order, the same bytes */
            assert_int_equal(folder_count(state, "", 1), count);
            files_free(files, count);
            field_destroy(&world.field);
        }
}

/* Blocks of 1, 2, 3, ... rows, windows of a larger field. */
static enum status write_in_blocks(const struct sink_request *order, const struct field *whole,
                                   int32_t block)
{
    struct atomic_file_set set = {.count = 0};
    struct sink *sink;
    enum status status = sink_begin(&sink, order);
    int32_t left = whole->height;
    for (int32_t y = 0, height; status == STATUS_OK && left > 0; y += height, left -= height) {
        height = block < left ? block : left;
        struct sink_rows rows = {.y = y,
                                 .height = height,
                                 .field = field_window(whole, 0, y, order->field->width, height)};
        status = sink_add(sink, &rows);
        block++;
    }
    if (status == STATUS_OK)
        status = sink_end(sink, &set);
    sink_destroy(sink);
    if (status == STATUS_OK)
        return atomic_file_set_commit(&set);
    atomic_file_set_abandon(&set);
    return status;
}

IN_FOLDER(every_kind_takes_rows_as_they_come)
{
    const unsigned planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION;
    FOR_EVERY_KIND(kind)
    for (int bits = 8; bits <= 16; bits += 8) {
        struct world world;
        world_of_kind(&world, state, kind, field_make(1031, 203, planes, 4, 3));
        world.order.bits = bits;
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        struct bytes files[FILES_MAX];
        int count = files_read(&world.order, files);
        struct field shape = world.field, wide;
        assert_int_equal(field_create(&wide, 1031 + 17, 203, planes, 4), STATUS_OK);
        struct field window = field_window(&wide, 0, 0, 1031, 203);
        field_copy(&window, &world.field);
        memset(shape.plane, 0, sizeof shape.plane); /* sizes alone */
        world.order.field = &shape;
        world.order.overwrite = OVERWRITE_YES;
        static const int32_t blocks[] = {1, 100, 203};
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            assert_int_equal(write_in_blocks(&world.order, &wide, blocks[i]), STATUS_OK);
            assert_files_equal(&world.order, files);
        }
        files_free(files, count);
        field_destroy(&wide);
        field_destroy(&world.field);
        folder_count(state, "", 1);
    }
}

/* What has not ended leaves nothing. */
IN_FOLDER(every_kind_can_be_abandoned)
{
    FOR_EVERY_KIND(kind)
    for (int after = 0; after < 2; after++) {
        struct world world;
        world_of_kind(&world, state, kind, field_make(700, 500, PLANE_MASK_COUNT, 4, 3));
        struct sink *sink;
        assert_int_equal(sink_begin(&sink, &world.order), STATUS_OK);
        struct sink_rows rows = {.height = 400,
                                 .field = field_window(&world.field, 0, 0, 700, 400)};
        if (after)
            assert_int_equal(sink_add(sink, &rows), STATUS_OK);
        sink_destroy(sink);
        assert_int_equal(folder_count(state, "", 0), 0);
        field_destroy(&world.field);
    }
    sink_destroy(NULL);
}

IN_FOLDER(every_kind_names_its_files)
{
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        world_of_kind(&world, state, kind, field_small());
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        char text[2000], *rest = text;
        sink_paths(&world.order, text, sizeof text);
        int lines = 0;
        for (char *line; (line = strtok_r(rest, "\n", &rest)); lines++)
            assert_int_equal(access(line, R_OK), 0);
        assert_int_equal(lines, folder_count(state, "", 1));
        sink_paths(&world.order, text, 10);
        assert_int_equal(strlen(text), 9);
        field_destroy(&world.field);
    }
}

IN_FOLDER(every_kind_keeps_an_old_file_without_force)
{
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        world_of_kind(&world, state, kind, field_small());
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        struct bytes old[FILES_MAX];
        int count = files_read(&world.order, old);
        field_destroy(&world.field);
        world.field = field_make(50, 50, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4, 99);
        assert_int_equal(sink_check(&world.order), STATUS_CANNOT_CREATE);
        assert_non_null(strstr(status_text(), "--force"));
        assert_int_equal(sink_write(&world.order), STATUS_CANNOT_CREATE);
        assert_files_equal(&world.order, old);
        world.order.overwrite = OVERWRITE_YES;
        assert_int_equal(sink_check(&world.order), STATUS_OK);
        assert_files_equal(&world.order, old); /* the check touches nothing */
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        struct bytes now[FILES_MAX];
        files_read(&world.order, now);
        for (int i = 0; i < count; i++)
            assert_false(bytes_equal(now[i], old[i]));
        files_free(now, count);
        files_free(old, count);
        field_destroy(&world.field);
        folder_count(state, "", 1);
    }
}

IN_FOLDER(every_kind_says_where_it_cannot_write)
{
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        char path[SINK_PATH_BYTES + 10];
        world_of_kind(&world, state, kind, field_small());
        world.order.path = path;
        static const char *const folder[] = {"/proc", "/no/such/folder", "/dev/null"};
        for (size_t i = 0; i < sizeof folder / sizeof folder[0]; i++) {
            snprintf(path, sizeof path, "%s/x%s", folder[i], kind->suffix);
            assert_int_equal(sink_check(&world.order), STATUS_CANNOT_CREATE);
            assert_int_equal(sink_write(&world.order), STATUS_CANNOT_CREATE);
        }
        memset(path, 'a', sizeof path);
        snprintf(path + SINK_PATH_BYTES, 10, "%s", kind->suffix);
        assert_int_equal(sink_check(&world.order), STATUS_CANNOT_CREATE);
        field_destroy(&world.field);
    }
}

IN_FOLDER(every_kind_refuses_what_the_disk_cannot_hold)
{
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        /* Sizes without data: the check comes before anything is allocated. */
        world_of_kind(
            &world, state, kind,
            (struct field){
                .width = 1 << 30, .height = 1 << 30, .planes = PLANE_MASK_COUNT, .count_bytes = 8});
        world.order.bits = 16;
        assert_int_equal(sink_check(&world.order), STATUS_TOO_LARGE);
        assert_non_null(strstr(status_text(), "1073741824 x 1073741824"));
        assert_non_null(strstr(status_text(), "GB left"));
        world.field.width = world.field.height = INT32_MAX;
        assert_int_equal(sink_check(&world.order), STATUS_TOO_LARGE);
        assert_int_equal(folder_count(state, "", 0), 0);
    }
}

/* Several -o on one disk: each fits, all do not. */
IN_FOLDER(every_kind_counts_the_files_beside_it)
{
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        world_of_kind(&world, state, kind, field_small());
        uint64_t bytes = sink_bytes_on_disk(&world.order, world.order.path);
        assert_true(bytes > 0);
        assert_int_equal(sink_bytes_on_disk(&world.order, "/dev/null"), 0);
        assert_int_equal(sink_check(&world.order), STATUS_OK);
        world.order.other_files_bytes = UINT64_MAX - bytes + 1;
        assert_int_equal(sink_check(&world.order), STATUS_TOO_LARGE);
        field_destroy(&world.field);
    }
}

/* The limit on file size fails the write at that byte, as a full disk would. */
static enum status write_limited(const struct sink_request *order, rlim_t most)
{
    struct rlimit whole;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
    struct rlimit limit = {.rlim_cur = most, .rlim_max = whole.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    enum status status = sink_write(order);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
    return status;
}

IN_FOLDER(every_kind_leaves_the_old_file_wherever_the_write_fails)
{
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        world_of_kind(&world, state, kind, field_make(503, 701, PLANE_MASK_COUNT, 4, 1));
        world.order.overwrite = OVERWRITE_YES;
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        struct bytes old[FILES_MAX];
        int count = files_read(&world.order, old), steps = check_long() ? 25 : 3;
        field_destroy(&world.field);
        world.field = field_make(503, 701, PLANE_MASK_COUNT, 4, 99);
        for (int i = 0; i < steps; i++) {
            rlim_t most =
                (rlim_t)(old[kind->folder ? 1 : 0].length - 2000) * (rlim_t)i / (rlim_t)steps;
            assert_int_equal(write_limited(&world.order, most), STATUS_IO);
            assert_non_null(strstr(status_text(), "File too large"));
            assert_files_equal(&world.order, old);
            assert_int_equal(folder_count(state, "", 0), count);
        }
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        files_free(old, count);
        field_destroy(&world.field);
        folder_count(state, "", 1);
    }
}

/* ---- as much memory as rows in flight ---- */

enum { TALL_WIDTH = 500, SHORT_HEIGHT = 200, TALL_HEIGHT = 10000, BLOCK_ROWS = 100 };

/* What the child below does: the rows of a picture that is nowhere as a whole. */
static int write_rows(const char *path, int32_t height)
{
    struct field shape = {.width = TALL_WIDTH,
                          .height = height,
                          .stride = TALL_WIDTH,
                          .planes = PLANE_MASK_COUNT,
                          .count_bytes = 4};
    struct look look = {.palette = palette, .density = 1};
    struct sink_request order = {.path = path, .field = &shape, .look = &look, .bits = 8};
    struct sink_rows rows = {.height = BLOCK_ROWS,
                             .field = field_make(TALL_WIDTH, BLOCK_ROWS, PLANE_MASK_COUNT, 4, 1)};
    struct atomic_file_set set = {.count = 0};
    struct sink *sink;
    omp_set_num_threads(2);
    enum status status = sink_begin(&sink, &order);
    for (; status == STATUS_OK && rows.y < height; rows.y += BLOCK_ROWS)
        status = sink_add(sink, &rows);
    if (status == STATUS_OK)
        status = sink_end(sink, &set);
    sink_destroy(sink);
    field_destroy(&rows.field);
    if (status == STATUS_OK)
        status = atomic_file_set_commit(&set);
    atomic_file_set_abandon(&set);
    return status == STATUS_OK ? 0 : 1;
}

/* The most memory of a child that writes so many rows. */
static long rows_kib(const char *path, int height)
{
    struct rusage use;
    char number[16];
    int ended = 0;
    snprintf(number, sizeof number, "%d", height);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_sink", "rows", path, number, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(wait4(child, &ended, 0, &use), child);
    assert_int_equal(ended, 0);
    return use.ru_maxrss;
}

/* 15 MB of samples and 20 MB of counts. How much a child needs before it writes is up to the
 * libraries: 6 MB, or 22 with those of CUDA. */
IN_FOLDER(every_kind_keeps_only_rows_in_flight)
{
    FOR_EVERY_KIND(kind)
    {
        char path[600];
        snprintf(path, sizeof path, "%s%s", in_folder(state, "x"), kind->suffix);
        long least = rows_kib(path, SHORT_HEIGHT);
        folder_count(state, "", 1);
        long more = rows_kib(path, TALL_HEIGHT) - least;
        folder_count(state, "", 1);
        printf("%s: %ld KiB more than for a short picture\n", kind->name, more);
        assert_true(SANITIZED || kind->whole || more < 8 << 10);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void world_to_replace(struct world *world, const char *path, uint32_t salt)
{
    *world = (struct world){.field = field_make(500, 400, PLANE_MASK_COUNT, 4, salt),
                            .look = {.palette = palette, .density = 1}};
    world->order = (struct sink_request){.path = path,
                                         .field = &world->field,
                                         .look = &world->look,
                                         .bits = 8,
                                         .overwrite = OVERWRITE_YES};
}

/* What the child below does. */
static int write_one(const char *path, const char *salt)
{
    struct world world;
    world_to_replace(&world, path, (uint32_t)strtoul(salt, NULL, 10));
    int code = sink_write(&world.order) == STATUS_OK ? 0 : 1;
    field_destroy(&world.field);
    return code;
}

/* A child that writes such a picture and is killed after `delay_s`, or waited for if that is
 * negative. It is this program started again: after fork() alone OpenMP has lost its threads. */
static int child_write(const char *path, uint32_t salt, double delay_s)
{
    char number[16];
    snprintf(number, sizeof number, "%u", salt);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_sink", "write", path, number, (char *)NULL);
        _exit(127);
    }
    if (delay_s >= 0) {
        struct timespec delay = {.tv_nsec = (long)(fmin(delay_s, 0.9) * 1e9)};
        nanosleep(&delay, NULL);
        kill(child, SIGKILL);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    return ended;
}

IN_FOLDER(every_kind_survives_kill_at_any_instant)
{
    const int kills = check_long() ? 100 : 4;
    unsigned long long seed = random_seed();
    static const uint32_t salt[2] = {77, 5};
    FOR_EVERY_KIND(kind)
    {
        struct world world[2];
        struct bytes whole[2][FILES_MAX];
        char path[600];
        int done = 0, count = 0;
        double write_s = 0;
        snprintf(path, sizeof path, "%s%s", in_folder(state, "x"), kind->suffix);
        for (int i = 0; i < 2; i++) {
            world_to_replace(&world[i], path, salt[i]);
            double start = seconds();
            assert_int_equal(child_write(path, salt[i], -1), 0);
            write_s = seconds() - start;
            count = files_read(&world[i].order, whole[i]);
        }
        for (int i = 0; i < kills; i++) {
            int old = i % 2; /* content 1 lies there first */
            double part = (double)(random_next(&seed) >> 11) * 0x1p-53;
            child_write(path, salt[old], 1.5 * write_s * part);
            struct bytes now[FILES_MAX];
            /* The next run finishes what was killed while its files got their names. */
            assert_int_equal(sink_check(&world[0].order), STATUS_OK);
            files_read(&world[0].order, now);
            int of = kind->folder; /* what tells one picture from the other */
            int is[2] = {bytes_equal(now[of], whole[0][of]), bytes_equal(now[of], whole[1][of])};
            assert_int_equal(is[0] + is[1], 1);
            done += is[old];
            assert_int_equal(folder_count(state, "", 0), count);
            files_free(now, count);
        }
        printf("%s: %d kills, %d files new\n", kind->name, kills, done);
        for (int i = 0; i < 2; i++) {
            files_free(whole[i], count);
            field_destroy(&world[i].field);
        }
        folder_count(state, "", 1);
    }
}

/* ---- by path ---- */

/* The first question comes before the pixels, so nothing may be left. */
IN_FOLDER(every_kind_stops_on_request)
{
    static const volatile int stop = 1;
    FOR_EVERY_KIND(kind)
    {
        struct world world;
        world_of_kind(&world, state, kind, field_small());
        world.order.stop = &stop;
        assert_int_equal(sink_write(&world.order), STATUS_STOPPED);
        assert_int_equal(folder_count(state, "", 0), 0);
        field_destroy(&world.field);
    }
}

TEST(unknown_suffixes_are_refused)
{
    static const char *const bad[] = {"x",    "x.gif", "png",    ".png", "a.png/x",
                                      "x.pn", "",      "x.png/", "/tmp", "a/.npy"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct sink_kind *kind;
        assert_int_equal(sink_for_path(&kind, bad[i]), STATUS_USAGE);
        assert_null(kind);
        FOR_EVERY_KIND(known)
        assert_int_equal(strstr(status_text(), known->suffix) != NULL, !known->partial);
    }
}

TEST(rows_of_a_part_are_no_output)
{
    FOR_EVERY_KIND(kind)
    {
        const struct sink_kind *found;
        char path[32];
        snprintf(path, sizeof path, "x%s", kind->suffix);
        assert_int_equal(sink_for_output(&found, path), kind->partial ? STATUS_USAGE : STATUS_OK);
    }
}

/* A small picture fits into buffers until the last flush. */
IN_FOLDER(a_full_device_is_an_io_error)
{
    static const int32_t width[] = {1, 3000};
    for (int i = 0; i < 2; i++) {
        struct world world;
        world_make(&world, state, "x.png", field_make(width[i], 500, PLANE_MASK_COUNT, 4, 1));
        world.order.path = "/dev/full";
        assert_int_equal(sink_check(&world.order), STATUS_OK);
        assert_int_equal(sink_write(&world.order), STATUS_IO);
        assert_int_equal(status_exit_code(STATUS_IO), 74);
        assert_non_null(strstr(status_text(), "No space left on device"));
        world.order.path = world.path; /* the same through a name with a suffix */
        assert_int_equal(symlink("/dev/full", world.path), 0);
        assert_int_equal(sink_write(&world.order), STATUS_IO);
        world.order.path = "/dev/null";
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        field_destroy(&world.field);
        folder_count(state, "", 1);
    }
}

/* ---- PNG ---- */

static void assert_text(png_structp png, png_infop info, const char *key, const char *value)
{
    png_textp text;
    int count = png_get_text(png, info, &text, NULL);
    for (int i = 0; i < count; i++)
        if (!strcmp(text[i].key, key)) {
            assert_string_equal(text[i].text, value);
            return;
        }
    fail_msg("no text '%s'", key);
}

/* All of it is decoded when it comes back. */
static png_structp png_decode(const char *path, png_infop *info)
{
    FILE *stream = fopen(path, "rb");
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    *info = png_create_info_struct(png);
    if (!stream || setjmp(png_jmpbuf(png)))
        fail_msg("libpng cannot read %s", path);
    png_init_io(png, stream);
    png_read_png(png, *info, PNG_TRANSFORM_SWAP_ENDIAN, NULL);
    fclose(stream);
    return png;
}

/* Within 1 of the sRGB value, light beyond 0 ... 1 cut off. */
static void assert_light(const struct world *world, int bits, const float (*light)[3])
{
    png_infop info;
    png_structp png = png_decode(world->path, &info);
    double most = bits == 8 ? 255 : 65535;
    for (int32_t y = 0; y < world->field.height; y++)
        for (int32_t i = 0; i < world->field.width * 3; i++) {
            double one = light[y * world->field.width + i / 3][i % 3];
            double exact = srgb_encode(fmin(fmax(one, 0), 1)) * most;
            const png_byte *row = png_get_rows(png, info)[y];
            double got = bits == 8 ? row[i] : ((const uint16_t *)(const void *)row)[i];
            assert_true(fabs(got - exact) <= 1);
        }
    png_destroy_read_struct(&png, &info, NULL);
}

static void assert_decodes(const struct world *world, int bits)
{
    png_infop info;
    png_structp png = png_decode(world->path, &info);
    int intent;
    double gamma;
    assert_int_equal(png_get_image_width(png, info), world->field.width);
    assert_int_equal(png_get_image_height(png, info), world->field.height);
    assert_int_equal(png_get_bit_depth(png, info), bits);
    assert_int_equal(png_get_color_type(png, info), PNG_COLOR_TYPE_RGB);
    assert_true(png_get_sRGB(png, info, &intent) && png_get_gAMA(png, info, &gamma));
    assert_true(png_get_valid(png, info, PNG_INFO_cHRM));
    assert_text(png, info, "Software", "deepfield");
    assert_text(png, info, "Title", world->order.title);
    assert_text(png, info, "deepfield", world->order.view_text);
    size_t row_bytes = (size_t)world->field.width * 3 * (size_t)(bits / 8);
    void *row = malloc(row_bytes);
    for (int32_t y = 0; y < world->field.height; y++) {
        if (bits == 8)
            colour_row_8(&world->look, &world->field, y, row);
        else
            colour_window_row_16(&world->look, &world->field, y, y, row);
        assert_memory_equal(row, png_get_rows(png, info)[y], row_bytes);
    }
    free(row);
    png_destroy_read_struct(&png, &info, NULL);
}

IN_FOLDER(pngs_decode_to_the_coloured_rows)
{
    static const int32_t size[][2] = {{1, 1},   {2, 1},   {3, 2},     {61, 37},
                                      {1, 700}, {700, 1}, {4001, 401}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int bits = 8; bits <= 16; bits += 8) {
            struct world world;
            world_make(
                &world, state, "x.png",
                field_make(size[i][0], size[i][1], PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4, 7));
            world.order.bits = bits;
            world.order.title = bits == 8 ? "Plain" : "Seepferdchen, gro\xc3\x9f"; /* UTF-8 */
            assert_int_equal(sink_write(&world.order), STATUS_OK);
            assert_decodes(&world, bits);
            folder_count(state, "", 1);
            field_destroy(&world.field);
        }
}

/* Fewer and more threads than there are stripes. */
IN_FOLDER(any_number_of_threads_writes_the_same_bytes)
{
    static const int threads[] = {1, 2, 3, 64};
    int before = omp_get_max_threads();
    FOR_EVERY_KIND(kind)
    for (int bits = 8; bits <= 16; bits += 8) {
        struct world world;
        struct bytes files[FILES_MAX];
        world_of_kind(&world, state, kind, field_make(750, 257, PLANE_MASK_COUNT, 4, 11));
        world.order.overwrite = OVERWRITE_YES;
        world.order.bits = bits;
        for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
            omp_set_num_threads(threads[i]);
            assert_int_equal(sink_write(&world.order), STATUS_OK);
            if (i == 0)
                files_read(&world.order, files);
            assert_files_equal(&world.order, files);
        }
        files_free(files, folder_count(state, "", 1));
        field_destroy(&world.field);
    }
    omp_set_num_threads(before);
}

/* Light that was averaged elsewhere gives the colours of the field that it comes from, as near as
 * their tables are. */
IN_FOLDER(a_png_takes_light)
{
    for (int bits = 8; bits <= 16; bits += 8) {
        struct world world;
        world_make(&world, state, "x.png", field_small());
        world.order.bits = bits;
        size_t pixels = 61 * 37;
        float(*light)[3] = malloc(pixels * sizeof *light);
        for (size_t i = 0; i < pixels; i++)
            for (int c = 0; c < 3; c++)
                light[i][c] = (float)((i * 7 + (size_t)c * 50) % 300) / 200 - 0.25f;
        struct sink_rows rows = {
            .height = 37, .field = world.field, .light = (const float(*)[3])light};
        struct atomic_file_set set = {.count = 0};
        struct sink *sink;
        assert_int_equal(sink_begin(&sink, &world.order), STATUS_OK);
        assert_int_equal(sink_add(sink, &rows), STATUS_OK);
        assert_int_equal(sink_end(sink, &set), STATUS_OK);
        sink_destroy(sink);
        assert_int_equal(atomic_file_set_commit(&set), STATUS_OK);
        assert_light(&world, bits, (const float(*)[3])light);
        free(light);
        folder_count(state, "", 1);
        field_destroy(&world.field);
    }
}

IN_FOLDER(views_of_any_length_come_back)
{
    static const size_t lengths[] = {1, 500, 120000, PNG_TEXT_BYTES_MAX, PNG_TEXT_BYTES_MAX + 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct world world;
        world_make(&world, state, "x.png", field_small());
        char *view = malloc(lengths[i] + 1);
        for (size_t k = 0; k < lengths[i]; k++)
            view[k] = (char)('0' + k * k % 10);
        view[lengths[i]] = '\0';
        world.order.view_text = view;
        enum status status = sink_write(&world.order);
        if (lengths[i] > PNG_TEXT_BYTES_MAX) {
            assert_int_equal(status, STATUS_TOO_LARGE);
            assert_int_equal(folder_count(state, "", 0), 0);
        } else {
            struct bytes bytes = bytes_of_file(world.path);
            char *text;
            struct png_facts facts;
            assert_int_equal(png_text_find(bytes.at, bytes.length, "x", &text, &facts), STATUS_OK);
            assert_string_equal(text, view);
            assert_true(facts.width == 61 && facts.height == 37 && facts.bits == 8);
            free(text);
            free(bytes.at);
        }
        free(view);
        folder_count(state, "", 1);
        field_destroy(&world.field);
    }
}

IN_FOLDER(a_png_needs_neither_title_nor_view)
{
    struct world world;
    world_make(&world, state, "x.png", field_small());
    world.order.title = world.order.view_text = NULL;
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    struct bytes bytes = bytes_of_file(world.path);
    char *text;
    struct png_facts facts;
    assert_int_equal(png_text_find(bytes.at, bytes.length, "x", &text, &facts), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "another program"));
    free(bytes.at);
    field_destroy(&world.field);
}

/* libpng's own limit, unless it is told otherwise, is a million pixels a side. */
IN_FOLDER(wide_pngs_are_written)
{
    struct world world;
    world_make(&world, state, "x.png", field_make(1000003, 1, PLANE_MASK_COUNT, 4, 1));
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    field_destroy(&world.field);
}

/* ---- TIFF ---- */

static void assert_tag(TIFF *tiff, uint32_t tag, const char *value)
{
    const char *got = NULL;
    assert_true(TIFFGetField(tiff, tag, &got));
    assert_string_equal(got, value);
}

static void assert_number(TIFF *tiff, uint32_t tag, int value)
{
    uint16_t got = 0;
    assert_true(TIFFGetFieldDefaulted(tiff, tag, &got));
    assert_int_equal(got, value);
}

/* Every tile as libtiff decodes it. */
static void assert_tiles(TIFF *tiff, const struct world *world, int bits)
{
    const struct field *field = &world->field;
    size_t pixel = (size_t)bits / 8 * 3, across = 256 * pixel,
           row_bytes = pixel * (size_t)field->width;
    uint8_t *tile = malloc((size_t)TIFFTileSize(tiff)), *row = malloc(row_bytes);
    struct sink_rows rows = {.height = field->height, .field = *field};
    for (int32_t y = 0; y < field->height; y++) {
        sink_colour_row(&world->order, &rows, y, row);
        for (int32_t x = 0; x < field->width; x += 256) {
            uint32_t index = TIFFComputeTile(tiff, (uint32_t)x, (uint32_t)y, 0, 0);
            size_t at = pixel * (size_t)x;
            assert_int_equal(TIFFReadEncodedTile(tiff, index, tile, -1), TIFFTileSize(tiff));
            assert_memory_equal(tile + (size_t)(y % 256) * across, row + at,
                                row_bytes - at < across ? row_bytes - at : across);
        }
        y += y % 16 ? 0 : 7; /* not every row: a tile is decoded for each */
    }
    free(tile);
    free(row);
}

IN_FOLDER(tiffs_decode_to_the_coloured_rows)
{
    static const int32_t size[][2] = {{1, 1}, {3, 500}, {256, 256}, {700, 301}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
        for (int bits = 8; bits <= 16; bits += 8) {
            struct world world;
            world_make(
                &world, state, bits == 8 ? "x.tif" : "x.TIFF",
                field_make(size[i][0], size[i][1], PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4, 7));
            world.order.bits = bits;
            assert_int_equal(sink_write(&world.order), STATUS_OK);
            TIFF *tiff = TIFFOpen(world.path, "r");
            uint32_t width = 0, height = 0;
            float resolution = 0;
            assert_non_null(tiff);
            assert_true(TIFFIsTiled(tiff) && !TIFFIsBigTIFF(tiff));
            assert_true(TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width));
            assert_true(TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height));
            assert_true(TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &resolution) && resolution == 1);
            assert_true(width == (uint32_t)size[i][0] && height == (uint32_t)size[i][1]);
            assert_number(tiff, TIFFTAG_BITSPERSAMPLE, bits);
            assert_number(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
            assert_number(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
            assert_tag(tiff, TIFFTAG_IMAGEDESCRIPTION, world.order.view_text);
            assert_tag(tiff, TIFFTAG_DOCUMENTNAME, world.order.title);
            assert_tag(tiff, TIFFTAG_SOFTWARE, "deepfield");
            assert_tiles(tiff, &world, bits);
            TIFFClose(tiff);
            folder_count(state, "", 1);
            field_destroy(&world.field);
        }
}

IN_FOLDER(files_hold_the_resolution_in_print)
{
    static const uint8_t density[] = {'p', 'H', 'Y', 's', 0, 0, 0x17, 0x12, 0, 0, 0x17, 0x12, 1};
    struct world world;
    uint32_t profile_bytes = 0;
    void *profile = NULL;
    float x = 0, y = 0;
    world_make(&world, state, "x.png", field_small());
    world.order.dpi = 150; /* 5906 pixels per metre */
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    struct bytes bytes = bytes_of_file(world.path);
    assert_non_null(memmem(bytes.at, bytes.length, density, sizeof density));
    free(bytes.at);
    snprintf(world.path, sizeof world.path, "%s", in_folder(state, "x.tif"));
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    TIFF *tiff = TIFFOpen(world.path, "r");
    assert_non_null(tiff);
    assert_true(TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) && x == 150);
    assert_true(TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) && y == 150);
    assert_number(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    assert_true(TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &profile_bytes, &profile));
    assert_int_equal(profile_bytes, ICC_SRGB_BYTES);
    TIFFClose(tiff);
    field_destroy(&world.field);
}

/* The view is found in the first bytes. */
IN_FOLDER(views_come_back_from_tiffs)
{
    struct world world;
    struct png_facts facts;
    char *text;
    world_make(&world, state, "x.tif", field_make(700, 500, PLANE_MASK_COUNT, 4, 1));
    world.order.bits = 16;
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    struct bytes bytes = bytes_of_file(world.path);
    assert_true(tif_text_is_tif(bytes.at, bytes.length));
    assert_int_equal(tif_text_find(bytes.at, 200, "x", &text, &facts), STATUS_OK);
    assert_string_equal(text, world.order.view_text);
    assert_true(facts.width == 700 && facts.height == 500 && facts.bits == 16);
    free(text);
    for (size_t length = 0; length < 64; length++)
        assert_int_equal(tif_text_find(bytes.at, length, "x", &text, &facts), STATUS_BAD_DATA);
    free(bytes.at);
    world.order.view_text = NULL;
    world.order.overwrite = OVERWRITE_YES;
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    bytes = bytes_of_file(world.path);
    assert_int_equal(tif_text_find(bytes.at, bytes.length, "x", &text, &facts), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "without a view"));
    free(bytes.at);
    field_destroy(&world.field);
}

/* ---- JPEG ---- */

/* Stripes that were compressed apart decode to what the colours are, also the last, shorter one;
 * of quality 100 to a few steps. */
IN_FOLDER(jpegs_decode_to_the_coloured_rows)
{
    static const int32_t size[][2] = {{1, 1}, {3, 90}, {256, 8}, {61, 37}, {700, 301}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        int32_t width = size[i][0], height = size[i][1];
        struct world world;
        world_make(&world, state, "x.jpg", field_make(width, height, PLANE_MASK_COUNT, 4, 7));
        memset(world.field.plane[PLANE_COUNT], 0, 4 * (size_t)width);
        world.order.quality = 100;
        world.order.dpi = 150;
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        struct bytes bytes = bytes_of_file(world.path);
        size_t row_bytes = (size_t)width * 3;
        uint8_t *pixels = malloc((size_t)height * row_bytes), *row = malloc(row_bytes);
        struct sink_rows rows = {.height = height, .field = world.field};
        tjhandle decoder = tjInitDecompress();
        assert_int_equal(tjDecompress2(decoder, bytes.at, bytes.length, pixels, width, 0, height,
                                       TJPF_RGB, TJFLAG_STOPONWARNING),
                         0);
        for (int32_t y = 0; y < height; y++) {
            sink_colour_row(&world.order, &rows, y, row);
            for (size_t k = 0; k < row_bytes; k++)
                assert_in_range(pixels[(size_t)y * row_bytes + k] - row[k] + 6, 0, 12);
        }
        assert_memory_equal(bytes.at + 13, "\1\0\226\0\226", 5); /* 150 per inch */
        tjDestroy(decoder);
        free(pixels);
        free(row);
        free(bytes.at);
        folder_count(state, "", 1);
        field_destroy(&world.field);
    }
}

/* Numbers of a line that are negative are large ones, whose line is longer than any of ours. */
TEST(comments_of_jpegs_with_negative_numbers_are_no_views)
{
    enum { COMMENT_BYTES = 100 };
    uint8_t bytes[6 + COMMENT_BYTES] = {0xff, 0xd8, 0xff, 0xfe, 0, COMMENT_BYTES + 2};
    struct png_facts facts;
    char *text;
    memset(bytes + 6, '0', COMMENT_BYTES);
    memcpy(bytes + 6, "deepfield view, part -1 of -1\n", 30);
    assert_int_equal(jpg_text_find(bytes, sizeof bytes, "x", &text, &facts), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "without a view"));
}

/* A view of several segments. */
IN_FOLDER(views_come_back_from_jpegs)
{
    enum { LENGTH = 150000 };
    struct world world;
    struct png_facts facts;
    char *text, *view = malloc(LENGTH + 1);
    for (size_t k = 0; k < LENGTH; k++)
        view[k] = (char)('0' + k * k % 10);
    view[LENGTH] = '\0';
    world_make(&world, state, "x.jpeg", field_small());
    world.order.view_text = view;
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    struct bytes bytes = bytes_of_file(world.path);
    assert_int_equal(jpg_text_find(bytes.at, bytes.length, "x", &text, &facts), STATUS_OK);
    assert_string_equal(text, view);
    assert_true(facts.width == 61 && facts.height == 37 && facts.bits == 8);
    free(text);
    for (size_t length = 0; length < LENGTH; length += 977)
        assert_int_equal(jpg_text_find(bytes.at, length, "x", &text, &facts), STATUS_BAD_DATA);
    free(bytes.at);
    free(view);
    field_destroy(&world.field);
}

TEST(jpegs_have_sides_of_16_bits)
{
    const struct field wide = {.width = 65501, .height = 1, .planes = PLANE_MASK_COUNT};
    const struct sink_request request = {.path = "/tmp/x.jpg", .field = &wide, .bits = 8};
    assert_int_equal(sink_check(&request), STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), ".png, .tif or .dzi"));
}

/* ---- WebP ---- */

IN_FOLDER(webps_decode_to_the_coloured_rows)
{
    static const int32_t size[][2] = {{1, 1}, {3, 90}, {61, 37}, {300, 201}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        struct world world;
        world_make(&world, state, "x.webp",
                   field_make(size[i][0], size[i][1], PLANE_MASK_COUNT, 4, 7));
        assert_int_equal(sink_write(&world.order), STATUS_OK);
        struct bytes bytes = bytes_of_file(world.path);
        int width, height;
        size_t row_bytes = (size_t)size[i][0] * 3;
        uint8_t *row = malloc(row_bytes);
        uint8_t *pixels = WebPDecodeRGB((const uint8_t *)bytes.at, bytes.length, &width, &height);
        struct sink_rows rows = {.height = size[i][1], .field = world.field};
        assert_true(pixels && row && width == size[i][0] && height == size[i][1]);
        for (int32_t y = 0; y < height; y++) {
            sink_colour_row(&world.order, &rows, y, row);
            assert_memory_equal(pixels + (size_t)y * row_bytes, row, row_bytes);
        }
        WebPFree(pixels);
        free(row);
        free(bytes.at);
        folder_count(state, "", 1);
        field_destroy(&world.field);
    }
}

/* Characters that XML has a use for, and a file that is cut anywhere before its pixels. */
IN_FOLDER(views_come_back_from_webps)
{
    static const char view[] = "[view]\ntitle = <&amp;> \"a\" &#13;\r\nre = \xc3\xa9\n";
    struct world world;
    struct png_facts facts;
    char *text;
    world_make(&world, state, "x.webp", field_small());
    world.order.view_text = view;
    world.order.quality = 80;
    world.order.dpi = 150;
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    struct bytes bytes = bytes_of_file(world.path);
    assert_non_null(memmem(bytes.at, bytes.length, "Resolution>150000/1000<", 23));
    const uint8_t *at = (const uint8_t *)bytes.at;
    assert_int_equal(webp_text_find(at, bytes.length, "x", &text, &facts), STATUS_OK);
    assert_string_equal(text, view);
    assert_true(facts.width == 61 && facts.height == 37 && facts.bits == 8);
    free(text);
    const uint8_t *packet = memmem(at, bytes.length, "</x:xmpmeta>", 12);
    assert_non_null(packet);
    for (size_t length = 0; length < (size_t)(packet - at); length++)
        assert_int_equal(webp_text_find(at, length, "x", &text, &facts), STATUS_BAD_DATA);
    free(bytes.at);
    field_destroy(&world.field);
}

TEST(webps_have_sides_of_14_bits_and_fit_into_memory)
{
    const struct field wide = {.width = 16384, .height = 1, .planes = PLANE_MASK_COUNT};
    const struct field large = {.width = 10000, .height = 1000, .planes = PLANE_MASK_COUNT};
    struct sink_request request = {.path = "/tmp/x.webp", .field = &wide, .bits = 8};
    assert_int_equal(sink_check(&request), STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), "at most 16383"));
    request.field = &large;
    request.memory_most = 200 << 20; /* 20 bytes for a pixel */
    assert_int_equal(sink_check(&request), STATUS_TOO_LARGE);
    assert_non_null(strstr(status_text(), "--memory, or .png"));
    request.quality = 90;
    assert_int_equal(sink_check(&request), STATUS_OK);
}

/* Before anything is computed. */
IN_FOLDER(what_goes_back_in_its_file_is_no_pipe)
{
    static const char *const names[] = {"x.tif", "x.exr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct world world;
        world_make(&world, state, names[i], field_small());
        assert_int_equal(symlink("/dev/null", world.path), 0);
        assert_int_equal(sink_check(&world.order), STATUS_CANNOT_CREATE);
        assert_int_equal(sink_write(&world.order), STATUS_CANNOT_CREATE);
        assert_non_null(strstr(status_text(), "name a file"));
        field_destroy(&world.field);
    }
}

/* One column, whose tiles are 256 wide all the same: more than 2 GiB before they are compressed. */
IN_FOLDER(large_tiffs_are_big_tiffs)
{
    if (!check_long())
        skip();
    struct world world;
    world_make(&world, state, "x.tif", field_make(1, 1500000, PLANE_MASK_COUNT, 4, 1));
    world.order.bits = 16;
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    TIFF *tiff = TIFFOpen(world.path, "r");
    assert_non_null(tiff);
    assert_true(TIFFIsBigTIFF(tiff));
    assert_int_equal(TIFFNumberOfTiles(tiff), 5860);
    TIFFClose(tiff);
    struct bytes bytes = bytes_of_file(world.path);
    char *text;
    struct png_facts facts;
    assert_int_equal(tif_text_find(bytes.at, 200, "x", &text, &facts), STATUS_OK);
    free(text);
    free(bytes.at);
    field_destroy(&world.field);
}

/* ---- NPY ---- */

static void assert_npy(const char *path, const char *dict, const void *data, size_t bytes)
{
    struct bytes file = bytes_of_file(path);
    assert_true(file.length > 128);
    assert_memory_equal(file.at, "\x93NUMPY\x01\x00", 8);
    size_t start = 10 + file.at[8] + 256u * file.at[9];
    assert_int_equal(start % 64, 0);
    assert_int_equal(file.at[start - 1], '\n');
    assert_memory_equal(file.at + 10, dict, strlen(dict));
    for (size_t i = 10 + strlen(dict); i < start - 1; i++)
        assert_int_equal(file.at[i], ' ');
    assert_int_equal(file.length - start, bytes);
    assert_memory_equal(file.at + start, data, bytes);
    free(file.at);
}

IN_FOLDER(npy_holds_the_planes)
{
    struct world world;
    world_make(&world, state, "x.npy", field_make(61, 37, (1u << PLANES) - 1, 8, 1));
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    const char *big = "{'descr': '<u8', 'fortran_order': False, 'shape': (37, 61), }";
    const char *real = "{'descr': '<f4', 'fortran_order': False, 'shape': (37, 61), }";
    assert_npy(in_folder(state, "x.count.npy"), big, world.field.plane[PLANE_COUNT], 61 * 37 * 8);
    assert_npy(in_folder(state, "x.fraction.npy"), real, world.field.plane[PLANE_FRACTION],
               61 * 37 * 4);
    assert_npy(in_folder(state, "x.distance_x.npy"), real, world.field.plane[PLANE_DISTANCE_X],
               61 * 37 * 4);
    assert_npy(in_folder(state, "x.distance_y.npy"), real, world.field.plane[PLANE_DISTANCE_Y],
               61 * 37 * 4);
    assert_npy(in_folder(state, "x.phase.npy"), real, world.field.plane[PLANE_PHASE], 61 * 37 * 4);
    assert_npy(in_folder(state, "x.stripe.npy"), real, world.field.plane[PLANE_STRIPE],
               61 * 37 * 4);
    assert_npy(in_folder(state, "x.period.npy"), real, world.field.plane[PLANE_PERIOD],
               61 * 37 * 4);
    assert_npy(in_folder(state, "x.inside.npy"), real, world.field.plane[PLANE_INSIDE],
               61 * 37 * 4);
    field_destroy(&world.field);
    world_make(&world, state, "y.NPY", field_make(1000003, 1, PLANE_MASK_COUNT, 4, 1));
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    assert_npy(in_folder(state, "y.count.NPY"),
               "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 1000003), }",
               world.field.plane[PLANE_COUNT], 4000012);
    assert_int_equal(folder_count(state, "", 0), PLANES + 3);
    field_destroy(&world.field);
}

static void assert_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in %s", part, text);
}

/* Deeper than doubles reach, and turned: the steps are decimal text. */
IN_FOLDER(npy_is_explained_by_json)
{
    struct world world;
    struct picture picture = {.spec.limit = INT64_C(1) << 40, .spec.bailout = 1024};
    world_make(&world, state, "x.npy",
               field_make(61, 37, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 8, 1));
    world.order.picture = &picture;
    world.order.title = "A \"title\"";
    world.order.version = "1.2";
    world.order.revision = "abc";
    world.order.plan = &(struct plan){.method = METHOD_PERTURBATION,
                                      .number = NUMBER_FP64,
                                      .accuracy_px = 0.5,
                                      .error_px = {[NUMBER_FP64] = 0.25},
                                      .orbit_bits = 99};
    assert_int_equal(
        view_set(&picture.view, "-0.75000000000000000001", "1e-30", "1e400", 90, 61, 37),
        STATUS_OK);
    assert_int_equal(sink_write(&world.order), STATUS_OK);
    assert_int_equal(folder_count(state, "", 0), 3);
    struct bytes bytes = bytes_of_file(in_folder(state, "x.planes.json"));
    char *text = strndup((const char *)bytes.at, bytes.length);
    static const char *const parts[] = {
        "\"title\":\"A \\\"title\\\"\"",
        "{\"schema\":\"planes/"
        "2\",\"program\":\"deepfield\",\"version\":\"1.2\",\"revision\":\"abc\"",
        "\"shape\":[37,61],\"axes\":[\"y\",\"x\"],\"directions\":[\"down\",\"right\"]",
        "\"plan\":{\"method\":\"perturbation\",\"number\":\"fp64\",\"accuracy_px\":0.5,"
        "\"error_px\":0.25,\"falls_short\":false,\"orbit_bits\":99}",
        "\"c_re\":null,\"c_im\":null",
        "\"file\":\"x.count.npy\",\"dtype\":\"<u8\",\"unit\":\"iterations\"",
        "\"file\":\"x.fraction.npy\",\"dtype\":\"<f4\"",
        "\"centre_pixel\":[30,18]",
        "\"centre\":[\"-0.75000000000000000001\",\"1e-30\"]",
        /* 4 / (1e400 * 37), turned to where y went down: up. */
        "\"per_x\":[\"0.0000000000000000e+00\",\"1.081081081081081",
        "e-401\"],\"per_y\":[\"1.081081081081081",
        "\"limit\":1099511627776,\"bailout\":1024",
        "\"view\":\"[view]\\nre = -0.5\\n\"}\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_holds(text, parts[i]);
    char sum[80];
    struct picture_sums sums = picture_sum(&world.field);
    for (int p = PLANE_COUNT; p <= PLANE_FRACTION; p++) {
        snprintf(sum, sizeof sum, "\"interior\":\"0\",\"checksum\":\"%016llx\"}",
                 (unsigned long long)sums.checksum[p]);
        assert_holds(text, sum);
    }
    free(text);
    free(bytes.at);
    view_destroy(&picture.view);
    field_destroy(&world.field);
}

int main(int count, char **words)
{
    if (count > 2) { /* a child of a test */
        if (group_setup(NULL) != 0)
            return 2;
        int code = strcmp(words[1], "rows") ? write_one(words[2], words[3])
                                            : write_rows(words[2], atoi(words[3]));
        group_teardown(NULL);
        return code;
    }
    return check_run(group_setup, group_teardown);
}
