/* Two renderers in one process, in two threads at the same time: their pictures, planes and files
 * are those of one after the other. And many pictures in one renderer, which takes no more memory
 * or files for them. */
#include "tests/support/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/world/world.h"
#include "render/colour/palette.h"
#include "render/disk/file_bytes.h"
#include "render/file/sink.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"

enum { WORKERS = 2, PICTURES = 6, WIDTH = 72, HEIGHT = 40, MOST = WIDTH * HEIGHT };

static const struct place {
    const char *re, *im, *zoom, *palette;
    int samples;
} places[PICTURES] = {
    {"-0.7453", "0.1127", "400", "meridian", 1},
    {"-1.7687402", "0.0017", "1e25", "ocean", 1},
    {"-0.75", "0.1", "3", "meridian", 3},
    {"-1.7687402", "0.0017", "1e40", "meridian+ocean", 3},
    {"-0.10109636384562", "0.95628651080914", "1e10", "ocean", 1},
    {"0", "1", "1e60", "meridian", 1},
};

struct made { /* what a worker has of a picture */
    struct picture_sums sums;
    float light[MOST][3];
    char *file;
    size_t file_bytes;
};

struct worker {
    int number;
    char folder[64];
    struct made made[PICTURES];
    pthread_barrier_t *begin; /* NULL: alone */
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

/* ---- one picture ---- */

struct own_look {
    struct look look;
    struct palette *palette;
};

static enum status look_give(void *context, const struct field *field, const struct look **given)
{
    struct own_look *own = context;
    (void)field;
    *given = &own->look;
    return STATUS_OK;
}

static struct picture picture_of(const struct place *place, int32_t width, int32_t height)
{
    struct picture picture = {
        .spec = {.limit = 1000,
                 .bailout = 1024,
                 .planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_DISTANCE,
                 .shortcuts = SHORTCUTS_ON},
        .samples = place->samples,
        .accuracy_px = ACCURACY_DEFAULT_PX,
        .tile_px = 16,
        .schedule = "auto",
        .transport = "auto"};
    if (view_set(&picture.view, place->re, place->im, place->zoom, 10, width, height) != STATUS_OK)
        abort();
    return picture;
}

static enum status file_make(const struct worker *worker, int i, const struct field *field,
                             const struct look *look, struct made *made)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%d.png", worker->folder, i);
    const struct sink_request request = {
        .path = path, .field = field, .look = look, .bits = 8, .overwrite = OVERWRITE_YES};
    TRY(sink_write(&request));
    int file = open(path, O_RDONLY | O_CLOEXEC);
    made->file = file_bytes_all(file, 1 << 20, &made->file_bytes);
    close(file);
    unlink(path);
    return made->file ? STATUS_OK : status_fail(STATUS_IO, "%s cannot be read", path);
}

static enum status picture_make(struct worker *worker, struct renderer *renderer, int i)
{
    const struct place *place = &places[i];
    struct made *made = &worker->made[i];
    struct own_look own;
    struct picture_report report = {.iterations = 0};
    struct field field;
    TRY(palette_load(&own.palette, DEEPFIELD_ASSETS, place->palette));
    const struct look_options options = {.density = 1, .relief = 0.3, .light_deg = 135};
    look_make(&own.look, &options, &(struct distribution){.runs = 0}, own.palette, HEIGHT);
    const struct picture_hooks hooks = {.look = look_give, .look_context = &own};
    struct picture picture = picture_of(place, WIDTH, HEIGHT);
    enum status status = picture_render(renderer, &picture, &hooks, &field, &report);
    if (status == STATUS_OK) {
        made->sums = picture_sum(&field);
        if (report.light)
            memcpy(made->light, report.light, sizeof made->light);
        status = file_make(worker, i, &field, &own.look, made);
    }
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    palette_destroy(own.palette);
    return status;
}

/* ---- a worker ---- */

/* Each begins with another picture, so that both are in other places of the code. */
static enum status pictures_make(struct worker *worker)
{
    struct world *world;
    struct renderer *renderer = NULL;
    const struct renderer_options options = {.backend = "auto", .threads = 2};
    TRY(world_alone(&world));
    enum status status = renderer_open(&renderer, world, &options);
    for (int i = 0; status == STATUS_OK && i < PICTURES; i++)
        status = picture_make(worker, renderer, (i + worker->number * PICTURES / 2) % PICTURES);
    renderer_close(renderer);
    world_close(world);
    return status;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    if (worker->begin)
        pthread_barrier_wait(worker->begin);
    worker->status = pictures_make(worker);
    snprintf(worker->text, sizeof worker->text, "%s",
             worker->status == STATUS_OK ? "" : status_text());
    return NULL;
}

static void worker_open(struct worker *worker, int number, pthread_barrier_t *begin)
{
    memset(worker, 0, sizeof *worker);
    worker->number = number;
    worker->begin = begin;
    snprintf(worker->folder, sizeof worker->folder, "/tmp/deepfield-two-XXXXXX");
    assert_non_null(mkdtemp(worker->folder));
}

static void worker_close(struct worker *worker)
{
    for (int i = 0; i < PICTURES; i++)
        free(worker->made[i].file);
    rmdir(worker->folder);
}

static void made_compare(const struct made *one, const struct made *other)
{
    assert_int_equal(one->sums.pixels, MOST);
    assert_memory_equal(one->sums.checksum, other->sums.checksum, sizeof one->sums.checksum);
    assert_int_equal(one->sums.interior, other->sums.interior);
    assert_memory_equal(one->light, other->light, sizeof one->light);
    assert_int_equal(one->file_bytes, other->file_bytes);
    assert_memory_equal(one->file, other->file, one->file_bytes);
}

TEST(two_threads_have_the_pictures_of_one)
{
    static struct worker alone, both[WORKERS];
    pthread_barrier_t begin;
    pthread_t thread[WORKERS];
    int rounds = check_long() ? 20 : 1;
    worker_open(&alone, 0, NULL);
    work(&alone);
    assert_string_equal(alone.text, "");
    for (int round = 0; round < rounds; round++) {
        assert_int_equal(pthread_barrier_init(&begin, NULL, WORKERS), 0);
        for (int i = 0; i < WORKERS; i++) {
            worker_open(&both[i], i, &begin);
            assert_int_equal(pthread_create(&thread[i], NULL, work, &both[i]), 0);
        }
        for (int i = 0; i < WORKERS; i++)
            pthread_join(thread[i], NULL);
        for (int i = 0; i < WORKERS; i++) {
            assert_string_equal(both[i].text, "");
            for (int p = 0; p < PICTURES; p++)
                made_compare(&alone.made[p], &both[i].made[p]);
            worker_close(&both[i]);
        }
        pthread_barrier_destroy(&begin);
    }
    worker_close(&alone);
}

/* ---- growth ---- */

static int files_open(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void tiny_make(struct renderer *renderer, int i)
{
    struct picture picture = picture_of(&places[i % 2], 16 + i % 3, 12);
    struct picture_report report = {.iterations = 0};
    struct picture_hooks hooks = {.context = NULL};
    struct field field;
    assert_int_equal(picture_render(renderer, &picture, &hooks, &field, &report), STATUS_OK);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
}

/* Bytes of the heap and not of the process: what the system gives back is its own affair. */
TEST(pictures_of_a_renderer_leave_nothing)
{
    enum { WARM = 12, MANY = 300, SLACK_BYTES = 16384 };
    struct world *world;
    struct renderer *renderer;
    const struct renderer_options options = {.backend = "auto", .threads = 2, .several = true};
    assert_int_equal(world_alone(&world), STATUS_OK);
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
    for (int i = 0; i < WARM; i++)
        tiny_make(renderer, i);
    size_t before = bytes_in_use();
    int files = files_open();
    for (int i = 0; i < (check_long() ? 20 * MANY : MANY); i++)
        tiny_make(renderer, i);
    assert_int_equal(files_open(), files);
    assert_in_range(bytes_in_use(), 0, before + SLACK_BYTES);
    renderer_close(renderer);
    world_close(world);
}

TEST(renderers_leave_nothing)
{
    enum { WARM = 3, MANY = 40, SLACK_BYTES = 16384 };
    size_t before = 0;
    int files = 0;
    for (int i = 0; i < WARM + MANY; i++) {
        struct world *world;
        struct renderer *renderer;
        const struct renderer_options options = {.backend = "auto", .threads = 2};
        if (i == WARM) {
            before = bytes_in_use();
            files = files_open();
        }
        assert_int_equal(world_alone(&world), STATUS_OK);
        assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
        tiny_make(renderer, i);
        renderer_close(renderer);
        world_close(world);
    }
    assert_int_equal(files_open(), files);
    assert_in_range(bytes_in_use(), 0, before + SLACK_BYTES);
}
