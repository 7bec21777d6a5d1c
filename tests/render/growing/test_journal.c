/* The journal of a picture: what a run that was killed has left, and what is wrong with it. */
#include "tests/support/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/folder.h"
#include "render/growing/journal.h"

enum { WIDTH = 90, HEIGHT = 64, TILE = 20 };

static char folder[64], target[96];

static void path_of(char path[160], const char *name)
{
    snprintf(path, 160, "%s" JOURNAL_SUFFIX "/%s", target, name);
}

static enum status opened(struct journal **journal, const char *identity)
{
    const char command[] = "/\0render\0x";
    struct journal_options options = {.target = target,
                                      .identity = identity,
                                      .command = command,
                                      .command_bytes = sizeof command};
    return journal_open(journal, &options);
}

static struct journal *begun(void)
{
    struct journal *journal;
    assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
    assert_int_equal(journal_begin(journal, 32), STATUS_OK);
    return journal;
}

static void changed(const char *name, long at, int value)
{
    char path[160];
    path_of(path, name);
    int file = open(path, O_WRONLY);
    unsigned char byte = (unsigned char)value;
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, &byte, 1, at), 1);
    close(file);
}

static void cut(const char *name, long length)
{
    char path[160];
    path_of(path, name);
    assert_int_equal(truncate(path, length), 0);
}

static long size_of(const char *name)
{
    char path[160];
    struct stat about;
    path_of(path, name);
    return stat(path, &about) == 0 ? (long)about.st_size : -1;
}

/* ---- the folder ------------------------------------------------------------------------------ */

TEST(nothing_is_made_before_it_begins)
{
    struct journal *journal;
    assert_int_equal(opened(&journal, "a = 1\n"), STATUS_OK);
    assert_false(journal_begun(journal));
    assert_int_equal(journal_left(journal).strip_rows, 0);
    journal_close(journal);
    assert_int_equal(size_of("identity"), -1);
}

TEST(a_state_comes_back)
{
    struct journal *journal = begun();
    assert_int_equal(journal_checkpoint(journal, 96, "12345", 5), STATUS_OK);
    journal_close(journal);
    assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
    struct journal_left left = journal_left(journal);
    assert_int_equal(left.rows, 96);
    assert_int_equal(left.strip_rows, 32);
    assert_int_equal(left.bytes, 5);
    assert_memory_equal(left.state, "12345", 5);
    journal_remove(journal);
    journal_close(journal);
    assert_int_equal(size_of("identity"), -1);
}

TEST(another_picture_is_refused_by_what_differs)
{
    struct journal *journal = begun(), *other;
    journal_close(journal);
    assert_int_equal(opened(&other, "a = 1\nb = 3\n"), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "'b = 2', this run 'b = 3'"));
    assert_int_equal(opened(&other, "a = 1\n"), STATUS_BAD_DATA);
    assert_null(other);
    assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
    journal_remove(journal);
    journal_close(journal);
}

TEST(a_difference_far_along_a_line_is_shown)
{
    char identity[400] = "re = 0.", other[400];
    struct journal *journal, *none;
    memset(identity + 7, '3', 380);
    memcpy(other, identity, sizeof other);
    identity[380] = '1', other[380] = '2';
    assert_int_equal(opened(&journal, identity), STATUS_OK);
    assert_int_equal(journal_begin(journal, 32), STATUS_OK);
    journal_close(journal);
    assert_int_equal(opened(&none, other), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "'re = 0.3"));
    assert_non_null(strstr(status_text(), "31333333', this run"));
    assert_non_null(strstr(status_text(), "32333333'"));
    assert_int_equal(opened(&journal, identity), STATUS_OK);
    journal_remove(journal);
    journal_close(journal);
}

TEST(two_runs_do_not_share_one)
{
    struct journal *journal = begun(), *other;
    assert_int_equal(opened(&other, "a = 1\nb = 2\n"), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "another run"));
    journal_remove(journal);
    journal_close(journal);
}

/* Both have looked before either has begun. */
TEST(of_two_that_begin_the_first_keeps_its_journal)
{
    struct journal *late, *journal;
    assert_int_equal(opened(&late, "a = 1\nb = 2\n"), STATUS_OK);
    journal = begun();
    assert_int_equal(journal_begin(late, 32), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "another run"));
    journal_remove(late);
    journal_close(late);
    assert_true(size_of("identity") > 0);
    journal_remove(journal);
    journal_close(journal);
}

static void empty_file_make(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT, 0666);
    assert_true(file >= 0);
    close(file);
}

static void is_no_journal(void)
{
    struct journal *journal;
    assert_int_equal(opened(&journal, "a = 1\n"), STATUS_OK);
    assert_int_equal(journal_begin(journal, 32), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "is no journal"));
    journal_remove(journal);
    journal_close(journal);
}

TEST(a_folder_that_is_no_journal_is_left_alone)
{
    char path[160];
    path_of(path, "");
    assert_int_equal(mkdir(path, 0777), 0);
    path_of(path, "notes");
    empty_file_make(path);
    is_no_journal();
    assert_int_equal(size_of("notes"), 0);
    assert_int_equal(unlink(path), 0);
    path_of(path, "");
    assert_int_equal(rmdir(path), 0);
}

/* Both made by somebody else after this run has looked: an empty one may be taken, nothing else. */
TEST(a_folder_that_appears_is_left_alone)
{
    char path[160];
    struct journal *journal;
    assert_int_equal(opened(&journal, "a = 1\n"), STATUS_OK);
    path_of(path, "");
    assert_int_equal(mkdir(path, 0777), 0);
    path_of(path, "lock"); /* of another program */
    empty_file_make(path);
    assert_int_equal(journal_begin(journal, 32), STATUS_CANNOT_CREATE);
    journal_remove(journal);
    journal_close(journal);
    assert_int_equal(size_of("lock"), 0);
    path_of(path, "notes");
    empty_file_make(path);
    is_no_journal();
    assert_int_equal(unlink(path), 0);
    path_of(path, "lock");
    assert_int_equal(unlink(path), 0);
    journal = begun();
    journal_remove(journal);
    journal_close(journal);
    assert_int_equal(size_of("lock"), -1);
}

/* Whatever byte of it is wrong: then the picture begins again. */
TEST(a_damaged_state_counts_for_nothing)
{
    for (long at = 0; at < 37; at++) {
        struct journal *journal = begun();
        assert_int_equal(journal_checkpoint(journal, 96, "12345", 5), STATUS_OK);
        journal_close(journal);
        assert_int_equal(size_of("state"), 37);
        if (at % 2)
            changed("state", at, 0xa5);
        else
            cut("state", at);
        assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
        assert_int_equal(journal_left(journal).rows, 0);
        assert_null(journal_left(journal).state);
        journal_remove(journal);
        journal_close(journal);
    }
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static struct field numbered_of(int32_t width, int32_t height)
{
    struct field field;
    assert_int_equal(field_create(&field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION, 4),
                     STATUS_OK);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        ((uint32_t *)field.plane[PLANE_COUNT])[i] = (uint32_t)(i + 1);
        ((float *)field.plane[PLANE_FRACTION])[i] = (float)i / 7;
    }
    return field;
}

static struct field numbered(void)
{
    return numbered_of(WIDTH, HEIGHT);
}

static const struct tile_log_job job = {.y = 0, .height = HEIGHT, .job = 3};

static void tiles_kept_of(const struct field *field, const struct tile_log_job *of, int32_t size)
{
    struct journal *journal = begun();
    struct tile *tiles;
    uint32_t count;
    assert_int_equal(tiles_cut(&tiles, &count, field->width, field->height, size, TILE_ORDER_ROW),
                     STATUS_OK);
    for (uint32_t i = 0; i < count; i++) /* the first two are noted, and written with the third */
        assert_int_equal(
            tile_log_add(journal_tiles(journal), of, &tiles[i], field, i > 1 || count == 1),
            STATUS_OK);
    free(tiles);
    journal_close(journal);
}

static void tiles_kept(const struct field *field)
{
    tiles_kept_of(field, &job, TILE);
}

/* How many tiles of this size come back, with the pixels that they had. */
static uint32_t tiles_back(const struct field *field, const struct tile_log_job *of, int32_t size)
{
    struct journal *journal;
    struct tile *tiles;
    uint32_t count, back = 0;
    struct field got;
    assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
    assert_int_equal(
        tiles_cut(&tiles, &count, field->width, field->height, size, TILE_ORDER_SPIRAL), STATUS_OK);
    assert_int_equal(field_create(&got, field->width, field->height, field->planes, 4), STATUS_OK);
    bool *known = calloc(count, sizeof *known);
    assert_int_equal(tile_log_restore(journal_tiles(journal), of, tiles, count, &got, known),
                     STATUS_OK);
    for (uint32_t i = 0; i < count; i++) {
        if (!known[i])
            continue;
        back++;
        for (int32_t y = tiles[i].y; y < tiles[i].y + tiles[i].height; y++)
            for (int p = 0; p <= PLANE_FRACTION; p++)
                assert_memory_equal((char *)field_row(&got, (enum plane)p, y) + 4 * tiles[i].x,
                                    (char *)field_row(field, (enum plane)p, y) + 4 * tiles[i].x,
                                    4 * (size_t)tiles[i].width);
    }
    free(known);
    free(tiles);
    field_destroy(&got);
    journal_close(journal);
    return back;
}

static void removed(void)
{
    struct journal *journal;
    assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
    journal_remove(journal);
    journal_close(journal);
}

enum { ALL = 5 * 4 };

TEST(tiles_come_back_however_they_are_cut)
{
    struct field field = numbered();
    tiles_kept(&field);
    assert_int_equal(tiles_back(&field, &job, TILE), ALL);
    assert_int_equal(tiles_back(&field, &job, 7), 13 * 10);
    assert_int_equal(tiles_back(&field, &job, 100), 1);
    const struct tile_log_job others[] = {{.y = 32, .height = HEIGHT, .job = 3},
                                          {.y = 0, .height = HEIGHT - 1, .job = 3},
                                          {.y = 0, .height = HEIGHT, .job = 4}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(tiles_back(&field, &others[i], TILE), 0);
    removed();
    field_destroy(&field);
}

/* Of 2.1 MB a plane: more than is copied at a time, and no whole number of it. */
TEST(a_large_tile_comes_back)
{
    struct field field = numbered_of(701, 750);
    const struct tile_log_job large = {.y = 0, .height = field.height, .job = 3};
    tiles_kept_of(&field, &large, 1000);
    assert_int_equal(tiles_back(&field, &large, 100), 8 * 8);
    changed("tiles", size_of("tiles") - 1, 0xa5);
    assert_int_equal(tiles_back(&field, &large, 100), 0);
    removed();
    field_destroy(&field);
}

TEST(damage_costs_the_tiles_that_it_hits)
{
    struct field field = numbered();
    tiles_kept(&field);
    long records = size_of("records"), pixels = size_of("tiles");
    changed("tiles", 0, 0xa5);             /* a pixel of the first, */
    cut("tiles", pixels - 1);              /* one of the last, */
    changed("records", records / ALL, 42); /* the record of the second; */
    cut("records", records - 1);           /* that of the last */
    assert_int_equal(tiles_back(&field, &job, TILE), ALL - 3);
    removed();
    field_destroy(&field);
}

TEST(a_checkpoint_forgets_tiles)
{
    struct field field = numbered();
    struct journal *journal;
    tiles_kept(&field);
    assert_int_equal(opened(&journal, "a = 1\nb = 2\n"), STATUS_OK);
    assert_int_equal(journal_left(journal).tiles, ALL);
    assert_int_equal(journal_checkpoint(journal, 32, "", 0), STATUS_OK);
    journal_close(journal);
    assert_int_equal(size_of("tiles"), 0);
    assert_int_equal(tiles_back(&field, &job, TILE), 0);
    removed();
    field_destroy(&field);
}

/* ---- what others put there ------------------------------------------------------------------- */

static const char *const files[] = {"lock", "identity", "command", "state", "tiles", "records"};

static struct journal *left_with(void (*plant)(const char *path), const char *name,
                                 enum status *status)
{
    struct journal *journal = begun();
    char path[160];
    assert_int_equal(journal_checkpoint(journal, 32, "12345", 5), STATUS_OK);
    journal_close(journal);
    path_of(path, name);
    plant(path);
    *status = opened(&journal, "a = 1\nb = 2\n");
    return journal;
}

static void folder_empty(void)
{
    char command[200];
    snprintf(command, sizeof command, "%s" JOURNAL_SUFFIX, target);
    int lock = open(command, O_RDONLY | O_DIRECTORY);
    assert_true(lock >= 0);
    assert_int_equal(folder_discard(command, lock), 0);
    close(lock);
}

static void pipe_plant(const char *path)
{
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0666), 0);
}

static void link_plant(const char *path)
{
    char victim[128];
    snprintf(victim, sizeof victim, "%s/victim", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(victim, path), 0);
}

static void hard_link_plant(const char *path)
{
    char victim[128];
    snprintf(victim, sizeof victim, "%s/victim", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(victim, path), 0);
}

static void length_plant(const char *path)
{
    assert_int_equal(truncate(path, 500000000000), 0);
}

/* Each of its files in turn is no file of ours: it is not followed, not written to and not waited
 * for. The picture is computed, without a journal or anew, or the folder is refused. */
TEST(what_others_put_there_is_not_taken)
{
    static void (*const plants[])(const char *path) = {pipe_plant, link_plant, hard_link_plant};
    char victim[128], text[16] = "";
    snprintf(victim, sizeof victim, "%s/victim", folder);
    for (size_t p = 0; p < sizeof plants / sizeof *plants; p++)
        for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
            FILE *stream = fopen(victim, "w");
            fputs("precious", stream);
            fclose(stream);
            enum status status;
            struct journal *journal = left_with(plants[p], files[i], &status);
            if (status == STATUS_OK && journal_begin(journal, 32) == STATUS_OK &&
                journal_begun(journal))
                (void)journal_checkpoint(journal, 64, "54321", 5);
            journal_close(journal);
            stream = fopen(victim, "r");
            assert_string_equal(fgets(text, sizeof text, stream), "precious");
            fclose(stream);
            folder_empty();
        }
    unlink(victim);
}

/* 500 GB of nothing: neither read nor given room. */
TEST(a_file_that_is_too_long_is_none)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        enum status status;
        struct journal *journal = left_with(length_plant, files[i], &status);
        assert_int_equal(status, STATUS_OK);
        journal_close(journal);
        folder_empty();
    }
}

TEST(a_link_is_no_folder_of_a_journal)
{
    struct journal *journal;
    char path[128], elsewhere[128];
    snprintf(path, sizeof path, "%s" JOURNAL_SUFFIX, target);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    assert_int_equal(opened(&journal, "a = 1\n"), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "it is a link; remove it, or name another file"));
    unlink(path);
    if (chown(elsewhere, 12345, (gid_t)-1) == 0) {
        assert_int_equal(rename(elsewhere, path), 0);
        assert_int_equal(opened(&journal, "a = 1\n"), STATUS_CANNOT_CREATE);
        assert_non_null(strstr(status_text(), "it belongs to another user"));
    }
    rmdir(path);
    rmdir(elsewhere);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/deepfield-journal-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(target, sizeof target, "%s/x.png", folder);
    int failed = check_run(NULL, NULL);
    rmdir(folder);
    return failed;
}
