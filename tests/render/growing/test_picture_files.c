/* The files of a picture: one that fails is tried again by the run that goes on. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "render/growing/picture_files.h"
#include "tests/render/disk/folder.h"
#include "tests/support/check.h"

enum { WIDTH = 200, STRIP = 32, STRIPS = 4, HEIGHT = STRIP * STRIPS };

static struct field field;
static struct look look;
static struct picture picture;
static char paths[2][300];

static enum status requests_make(void *context, struct sink_request *requests,
                                 char settled[DISTRIBUTION_TEXT_BYTES])
{
    (void)context;
    snprintf(settled, DISTRIBUTION_TEXT_BYTES, "auto");
    for (int i = 0; i < 2; i++)
        requests[i] = (struct sink_request){.path = paths[i],
                                            .field = &field,
                                            .look = &look,
                                            .picture = &picture,
                                            .bits = 8 << (2 * i),
                                            .overwrite = OVERWRITE_NO};
    return STATUS_OK;
}

static struct journal *journal_of(void)
{
    struct journal *journal;
    const char command[] = "/\0render";
    struct journal_options options = {.target = paths[0],
                                      .identity = "a = 1\n",
                                      .command = command,
                                      .command_bytes = sizeof command};
    assert_int_equal(journal_open(&journal, &options), STATUS_OK);
    return journal;
}

/* The files of both paths, with their journal. */
static struct picture_files *files_of(struct journal *journal)
{
    struct picture_files *files;
    struct picture_files_options options = {.requests = requests_make,
                                            .count = 2,
                                            .planes = field.planes,
                                            .height = HEIGHT,
                                            .journal = journal};
    assert_int_equal(picture_files_open(&files, &options), STATUS_OK);
    return files;
}

static void assert_no_journal(void)
{
    char folder[320];
    snprintf(folder, sizeof folder, "%s" JOURNAL_SUFFIX, paths[0]);
    assert_int_equal(access(folder, F_OK), -1);
}

/* Strips from where it goes on to `end`; files of more than `most` bytes fail from `from` on. */
static enum status run(int32_t end, int32_t from, rlim_t most, int32_t *begun)
{
    struct journal *journal = journal_of();
    struct picture_files *files = files_of(journal);
    struct rlimit limit, before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct picture_consumer *consumer = picture_files_consumer(files, STRIP);
    *begun = consumer->rows_before;
    enum status status = STATUS_OK;
    for (int32_t y = consumer->rows_before; y < end && status == STATUS_OK; y += STRIP) {
        struct field rows = field_window(&field, 0, y, WIDTH, STRIP);
        limit = (struct rlimit){y >= from ? most : before.rlim_cur, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        status = consumer->strip(consumer->context, y, &rows, NULL);
    }
    if (end == HEIGHT && status == STATUS_OK) {
        struct atomic_file_set set = {.count = 0};
        status = picture_files_end(files, &set);
        assert_int_equal(atomic_file_set_commit(&set), STATUS_OK);
        if (status == STATUS_OK)
            status = picture_files_verdict(files);
        if (status == STATUS_OK)
            assert_int_equal(picture_files_sums(files).pixels, WIDTH * HEIGHT);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    picture_files_close(files);
    journal_close(journal);
    return status;
}

static void paths_set(void **state, const char *name)
{
    snprintf(paths[0], sizeof paths[0], "%s.png", in_folder(state, name));
    snprintf(paths[1], sizeof paths[1], "%s.exr", in_folder(state, name));
}

static void assert_same(void **state, const char *a, const char *b)
{
    static char bytes[2][1 << 20];
    static const char *const suffixes[] = {"png", "exr"};
    for (int i = 0; i < 2; i++) {
        size_t length[2];
        for (int j = 0; j < 2; j++) {
            char path[300];
            snprintf(path, sizeof path, "%s.%s", in_folder(state, j ? b : a), suffixes[i]);
            FILE *file = fopen(path, "rb");
            assert_non_null(file);
            length[j] = fread(bytes[j], 1, sizeof *bytes, file);
            fclose(file);
        }
        assert_int_equal(length[0], length[1]);
        assert_memory_equal(bytes[0], bytes[1], length[0]);
    }
}

/* Where files end in different rows, rank 0 writes alone. */
static void assert_no_parts(void)
{
    struct journal *journal = journal_of();
    struct picture_files *files = files_of(journal);
    const struct sink_request *requests;
    uint64_t places[2];
    const struct picture_consumer *consumer = picture_files_consumer(files, STRIP);
    assert_int_equal(consumer->parts->begin(consumer->context, &requests, places),
                     STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), ".png has other rows"));
    picture_files_close(files);
    journal_close(journal);
}

/* A disk that is full for the larger file: the smaller one is written to its end, or until the run
 * is killed; with room again the run that goes on writes both. */
IN_FOLDER(a_file_that_failed_is_tried_again)
{
    static const struct {
        int32_t from, end; /* no room from there on; the run is killed there */
        rlim_t most;       /* a strip of the .exr has 51 KiB, the rows that wait of the .png 19 */
        int32_t again;     /* the next goes on from there */
    } rows[] = {{2 * STRIP, 3 * STRIP, 60000, 2 * STRIP},
                {0, 2 * STRIP, 45000, 0},
                {0, HEIGHT, 90000, STRIP},
                {3 * STRIP, HEIGHT, 90000, 3 * STRIP}};
    int32_t begun;
    paths_set(state, "whole");
    assert_int_equal(run(HEIGHT, 0, RLIM_INFINITY, &begun), STATUS_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[16];
        snprintf(name, sizeof name, "part%zu", i);
        paths_set(state, name);
        enum status ends = rows[i].end == HEIGHT ? STATUS_IO : STATUS_OK;
        assert_int_equal(run(rows[i].end, rows[i].from, rows[i].most, &begun), ends);
        assert_int_equal(access(paths[1], F_OK), -1);
        assert_int_equal(access(paths[0], F_OK), ends == STATUS_IO ? 0 : -1);
        if (ends == STATUS_IO)
            assert_non_null(strstr(status_text(), "the same command tries again"));
        assert_no_parts();
        assert_int_equal(run(HEIGHT, HEIGHT, 0, &begun), STATUS_OK);
        assert_int_equal(begun, rows[i].again);
        assert_same(state, "whole", name);
        assert_no_journal();
    }
}

/* A run of one strip whose first tile is kept, up to where its files are complete: those of `set`
 * without names. */
static void whole_strip(struct atomic_file_set *set)
{
    struct journal *journal = journal_of();
    struct picture_files *files = files_of(journal);
    const struct tile tile = {.width = STRIP, .height = STRIP};
    struct field part = field_window(&field, 0, 0, STRIP, STRIP);
    const struct picture_consumer *consumer = picture_files_consumer(files, HEIGHT);
    assert_int_equal(consumer->tile(consumer->context, 0, 1, &tile, &part), STATUS_OK);
    assert_int_equal(consumer->strip(consumer->context, 0, &field, NULL), STATUS_OK);
    assert_int_equal(picture_files_end(files, set), STATUS_OK);
    picture_files_close(files);
    journal_close(journal);
}

/* What the next run finds: its tiles, and whether nothing is left to do. */
static uint32_t tiles_left(bool *complete)
{
    struct journal *journal = journal_of();
    struct picture_files *files = files_of(journal);
    uint32_t tiles = journal_left(journal).tiles;
    *complete = picture_files_complete(files);
    if (*complete)
        assert_int_equal(picture_files_verdict(files), STATUS_OK);
    picture_files_close(files);
    journal_close(journal);
    return tiles;
}

/* Killed when the files had their names and the journal was still there, the next run would have
 * found files in its way that are its own. */
IN_FOLDER(a_kill_at_the_last_moment_leaves_a_complete_picture)
{
    struct atomic_file_set set = {.count = 0};
    bool complete;
    paths_set(state, "whole");
    whole_strip(&set);
    atomic_file_set_abandon(&set);
    assert_int_equal(tiles_left(&complete), 1);
    assert_false(complete);
    whole_strip(&set);
    assert_int_equal(atomic_file_set_commit(&set), STATUS_OK);
    tiles_left(&complete);
    assert_true(complete);
    assert_no_journal();
}

int main(void)
{
    struct palette *palette;
    static const char text[] = "0,0,.1,.3\n1,0,.1,.3\n"; /* one colour: small pictures */
    signal(SIGXFSZ, SIG_IGN);
    if (palette_parse(&palette, text, sizeof text - 1, "test") != STATUS_OK ||
        field_create(&field, WIDTH, HEIGHT, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4) != STATUS_OK)
        return 1;
    look = (struct look){.palette = palette, .density = 1};
    uint32_t value = 1;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        value = value * 1664525u + 1013904223u;
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = 1 + (value >> 12);
        ((float *)field.plane[PLANE_FRACTION])[i] = (float)(value >> 8) * 0x1p-24f;
    }
    int failed = check_run(NULL, NULL);
    field_destroy(&field);
    palette_destroy(palette);
    return failed;
}
