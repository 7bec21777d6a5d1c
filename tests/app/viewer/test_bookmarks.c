/* Places that are kept: there and back, beside damaged files and those of others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/viewer/files/bookmarks.h"
#include "app/viewer/files/user_data.h"
#include "library/text/text_file.h"
#include "render/disk/atomic_file.h"
#include "render/window/capture.h"
#include "tests/app/scratch.h"
#include "tests/support/check.h"

#define TEXT "[view]\ntitle = \"A place\"\nre = -0.5\nim = 0\nzoom = 8\n"
#define SECONDS 1767348900 /* 2026-01-02 10:15:00 UTC */

static char top[SCRATCH_BYTES], folder[128];

static int folder_open(void **state)
{
    (void)state;
    scratch_make(top);
    snprintf(folder, sizeof folder, "%s/share/bookmarks", top);
    return 0;
}

static int folder_close(void **state)
{
    (void)state;
    scratch_remove(top);
    return 0;
}

enum { WIDTH = 900, HEIGHT = 300 };

/* Red on the left, blue on the right; between the rows that are stored lies rubbish. */
static struct paint_image screen(void)
{
    static uint32_t pixels[HEIGHT * (WIDTH + 3)];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH + 3; x++)
            pixels[y * (WIDTH + 3) + x] = x < WIDTH / 2 ? 0xffcc1100 : x < WIDTH ? 0xff0022ee : 77;
    return (struct paint_image){
        .pixels = pixels, .width = WIDTH, .height = HEIGHT, .stride = WIDTH + 3};
}

static void add(const char *title, int64_t seconds, char *name)
{
    struct paint_image image = screen();
    assert_int_equal(bookmarks_add(folder, TEXT, title, &image, seconds, name), STATUS_OK);
}

static void load(struct bookmarks *bookmarks)
{
    assert_int_equal(bookmarks_load(bookmarks, folder, BOOKMARK_WITH_PIXELS), STATUS_OK);
}

TEST_WITH(test_another_title, folder_open, folder_close)
{
    char name[BOOKMARK_NAME_BYTES], path[USER_DATA_PATH_BYTES], link[USER_DATA_PATH_BYTES];
    struct bookmarks before, after;
    struct bookmark one;
    add(NULL, SECONDS, name);
    load(&before);
    assert_int_equal(bookmarks_rename(folder, name, "Another"), STATUS_OK);
    load(&after);
    assert_string_equal(after.bookmark[0].title, "Another");
    assert_memory_equal(after.bookmark[0].pixels, before.bookmark[0].pixels,
                        sizeof(uint32_t) * before.bookmark[0].width * before.bookmark[0].height);
    assert_int_not_equal(bookmarks_rename(folder, name, "no \"quotes\""), STATUS_OK);
    assert_int_equal(bookmarks_rename(folder, "none.png", "Another"), STATUS_NO_INPUT);
    assert_int_equal(bookmarks_rename(folder, "../x.png", "Another"), STATUS_BAD_DATA);
    bookmarks_destroy(&before);
    bookmarks_destroy(&after);
    /* A link is none, wherever it leads. */
    assert_int_equal(user_data_path(path, folder, name), STATUS_OK);
    assert_int_equal(user_data_path(link, folder, "link.png"), STATUS_OK);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(bookmark_get(&one, folder, "link.png", BOOKMARK_TEXT_ONLY), STATUS_BAD_DATA);
    bookmark_destroy(&one);
    load(&after);
    assert_int_equal(after.count, 1);
    assert_int_equal(after.passed_over, 1);
    bookmarks_destroy(&after);
}

TEST_WITH(test_there_and_back, folder_open, folder_close)
{
    char name[BOOKMARK_NAME_BYTES];
    struct bookmarks bookmarks;
    load(&bookmarks);
    assert_int_equal(bookmarks.count, 0);
    add("The whole  set!", SECONDS, name);
    assert_string_equal(name, "20260102-101500-the-whole-set.png");
    add("The whole set", SECONDS, name); /* within the same second */
    assert_string_equal(name, "20260102-101500-the-whole-set-2.png");
    add(NULL, SECONDS - 86400, name);
    assert_string_equal(name, "20260101-101500.png");
    load(&bookmarks);
    assert_int_equal(bookmarks.count, 3);
    assert_string_equal(bookmarks.warning, "");
    assert_string_equal(bookmarks.bookmark[0].name, name); /* the oldest first */
    for (size_t i = 0; i < 3; i++) {
        const struct bookmark *bookmark = &bookmarks.bookmark[i];
        assert_string_equal(bookmark->text, TEXT);
        assert_string_equal(bookmark->title, "A place");
        assert_int_equal(bookmark->width, 256);
        assert_int_equal(bookmark->height, 85);
        assert_int_equal(bookmark->pixels[0], 0xffcc1100);
        assert_int_equal(bookmark->pixels[84 * 256 + 127], 0xffcc1100);
        assert_int_equal(bookmark->pixels[128], 0xff0022ee);
        assert_int_equal(bookmark->pixels[85 * 256 - 1], 0xff0022ee);
    }
    bookmarks_destroy(&bookmarks);
    assert_int_equal(bookmarks_load(&bookmarks, folder, BOOKMARK_TEXT_ONLY), STATUS_OK);
    assert_null(bookmarks.bookmark[2].pixels);
    bookmarks_destroy(&bookmarks);
}

/* Places without a name are told apart by how deep they are. */
TEST_WITH(test_titles_of_the_unnamed, folder_open, folder_close)
{
    static const struct {
        const char *text, *title;
    } cases[] = {{"[view]\nre = -0.5\nim = 0\nzoom = 78643.25\n", "zoom 78643"},
                 {"[view]\nre = -0.5\nim = 0\nzoom = 4.0000E533\n", "zoom 4e533"},
                 {"[view]\nre = 0\nim = 0\nzoom = 1.4\nformula = julia\njulia = -0.75,0.1\n",
                  "Julia set, zoom 1.4"}};
    uint32_t pixels[4] = {0};
    struct paint_image image = {pixels, 2, 2, 2};
    struct bookmarks bookmarks;
    for (int i = 0; i < 3; i++)
        assert_int_equal(bookmarks_add(folder, cases[i].text, NULL, &image, SECONDS + i, NULL),
                         STATUS_OK);
    load(&bookmarks);
    assert_int_equal(bookmarks.count, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(bookmarks.bookmark[i].title, cases[i].title);
    bookmarks_destroy(&bookmarks);
}

/* Means are taken in linear light: black and white are 188 together, not 128. */
TEST_WITH(test_thumbnails_are_means_of_light, folder_open, folder_close)
{
    static uint32_t pixels[1024 * 512];
    struct bookmarks bookmarks;
    for (int i = 0; i < 1024 * 512; i++)
        pixels[i] = (i + i / 1024) % 2 ? 0xffffffff : 0;
    struct paint_image image = {.pixels = pixels, .width = 1024, .height = 512, .stride = 1024};
    assert_int_equal(bookmarks_add(folder, TEXT, "", &image, SECONDS, NULL), STATUS_OK);
    image.width = 3; /* smaller than a thumbnail: as it is */
    image.height = 2;
    assert_int_equal(bookmarks_add(folder, TEXT, "", &image, SECONDS, NULL), STATUS_OK);
    load(&bookmarks);
    assert_int_equal(bookmarks.bookmark[1].width, 256);
    assert_int_equal(bookmarks.bookmark[1].height, 128);
    for (int i = 0; i < 256 * 128; i++)
        assert_int_equal(bookmarks.bookmark[1].pixels[i], 0xffbcbcbc);
    assert_int_equal(bookmarks.bookmark[0].width, 3);
    for (int i = 0; i < 6; i++)
        assert_int_equal(bookmarks.bookmark[0].pixels[i],
                         (i % 3 + i / 3) % 2 ? 0xffffffff : 0xff000000);
    bookmarks_destroy(&bookmarks);
}

static void file_write(const char *name, const void *bytes, size_t length)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

TEST_WITH(test_other_files_are_passed_over, folder_open, folder_close)
{
    char name[BOOKMARK_NAME_BYTES], path[256], *bytes = NULL;
    size_t length;
    struct bookmarks bookmarks;
    struct paint_image image = screen();
    add("x", SECONDS, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(text_file_read(path, 1 << 20, &bytes, &length), STATUS_OK);
    file_write("cut.png", bytes, length / 2);
    bytes[length / 2] ^= 1;
    file_write("damaged.png", bytes, length);
    free(bytes);
    file_write("empty.png", "", 0);
    file_write("text.png", "hello", 5);
    file_write("notes.txt", "hello", 5);
    file_write(".hidden.png", "hello", 5);
    snprintf(path, sizeof path, "%s/folder.png", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/no-place.png", folder);
    assert_int_equal(
        capture_write(&image, "[view]\nre = what\nim = 0\nzoom = 1\n", path, OVERWRITE_NO),
        STATUS_OK);
    snprintf(path, sizeof path, "%s/no-view.png", folder);
    assert_int_equal(capture_write(&image, NULL, path, OVERWRITE_NO), STATUS_OK);
    snprintf(path, sizeof path, "%s/large.png", folder); /* a picture of full size is one, too */
    assert_int_equal(capture_write(&image, TEXT, path, OVERWRITE_NO), STATUS_OK);
    load(&bookmarks);
    assert_int_equal(bookmarks.count, 2);
    assert_int_equal(bookmarks.passed_over, 7);
    assert_non_null(strstr(bookmarks.warning, "cut.png"));
    assert_string_equal(bookmarks.bookmark[1].name, "large.png");
    assert_null(bookmarks.bookmark[1].pixels);
    assert_string_equal(bookmarks.bookmark[1].text, TEXT);
    bookmarks_destroy(&bookmarks);
    snprintf(path, sizeof path, "%s/.hidden.png", folder);
    remove(path);
}

TEST_WITH(test_removing, folder_open, folder_close)
{
    char name[BOOKMARK_NAME_BYTES], path[256];
    struct bookmarks bookmarks;
    add("x", SECONDS, name);
    file_write("text.png", "hello", 5);
    assert_int_equal(bookmarks_remove(folder, "text.png"), STATUS_BAD_DATA);
    assert_int_equal(bookmarks_remove(folder, "../bookmarks/x.png"), STATUS_BAD_DATA);
    assert_int_equal(bookmarks_remove(folder, ""), STATUS_BAD_DATA);
    assert_int_equal(bookmarks_remove(folder, "none.png"), STATUS_NO_INPUT);
    assert_int_equal(bookmarks_remove(folder, name), STATUS_OK);
    load(&bookmarks);
    assert_int_equal(bookmarks.count, 0);
    bookmarks_destroy(&bookmarks);
    snprintf(path, sizeof path, "%s/text.png", folder);
    assert_int_equal(access(path, F_OK), 0);
}

TEST_WITH(test_folders_that_cannot_be, folder_open, folder_close)
{
    struct paint_image image = screen();
    struct bookmarks bookmarks;
    char path[USER_DATA_PATH_BYTES], in_a_file[256];
    assert_int_equal(bookmarks_add("/proc/none", TEXT, "", &image, SECONDS, NULL),
                     STATUS_CANNOT_CREATE);
    add("x", SECONDS, NULL);
    file_write("text.png", "hello", 5);
    snprintf(in_a_file, sizeof in_a_file, "%s/text.png", folder);
    assert_int_equal(bookmarks_add(in_a_file, TEXT, "", &image, SECONDS, NULL),
                     STATUS_CANNOT_CREATE);
    assert_int_equal(bookmarks_load(&bookmarks, in_a_file, BOOKMARK_TEXT_ONLY), STATUS_IO);
    setenv("XDG_DATA_HOME", "/data", 1);
    assert_int_equal(user_data_folder(path), STATUS_OK);
    assert_string_equal(path, "/data/deepfield");
    setenv("XDG_DATA_HOME", "data", 1); /* not absolute: ignored */
    setenv("HOME", "/home/me", 1);
    assert_int_equal(user_data_folder(path), STATUS_OK);
    assert_string_equal(path, "/home/me/.local/share/deepfield");
    unsetenv("HOME");
    assert_int_equal(user_data_folder(path), STATUS_CANNOT_CREATE);
}

/* Another picture in the place of an unfinished one; nothing comes back that was removed. */
TEST_WITH(test_a_thumbnail_is_taken_again, folder_open, folder_close)
{
    char name[BOOKMARK_NAME_BYTES];
    struct bookmarks bookmarks;
    uint32_t green[16];
    struct paint_image image = screen(), other = {.pixels = green, 4, 4, 4};
    for (int i = 0; i < 16; i++)
        green[i] = 0xff00aa00;
    assert_int_equal(
        bookmarks_add(folder, TEXT BOOKMARK_UNFINISHED, "again", &image, SECONDS + 99, name),
        STATUS_OK);
    for (int taken = 0; taken < 2; taken++) {
        load(&bookmarks);
        struct bookmark *last = &bookmarks.bookmark[bookmarks.count - 1];
        assert_string_equal(last->name, name);
        assert_int_equal(last->unfinished, !taken);
        assert_int_equal(last->pixels[0] & 0xffffff, taken ? 0x00aa00 : 0xcc1100);
        bookmarks_destroy(&bookmarks);
        assert_int_equal(bookmarks_retake(folder, name, TEXT, &other), STATUS_OK);
    }
    assert_int_equal(bookmarks_remove(folder, name), STATUS_OK);
    assert_int_equal(bookmarks_retake(folder, name, TEXT, &other), STATUS_NO_INPUT);
    assert_int_equal(bookmarks_retake(folder, "../x.png", TEXT, &other), STATUS_BAD_DATA);
}
