/* Pictures that are shared for some minutes: found by their name alone, and gone in time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/http/shared_pictures.h"
#include "tests/support/check.h"

static struct shared_pictures pictures;

static int pictures_open(void **state)
{
    (void)state;
    shared_pictures_open(&pictures);
    return 0;
}

static int pictures_close(void **state)
{
    (void)state;
    shared_pictures_close(&pictures);
    return 0;
}

static void add(int number, double until_s)
{
    struct shared_picture picture = {.until_s = until_s};
    snprintf(picture.name, sizeof picture.name, "%016x", (unsigned)number);
    for (int i = 0; i < SHARED_FILES; i++) {
        char text[32];
        int length = snprintf(text, sizeof text, "file %d of %d", i, number);
        picture.file[i] = shared_bytes_create(text, (size_t)length);
        assert_non_null(picture.file[i]);
    }
    shared_pictures_add(&pictures, &picture);
    assert_null(picture.file[0]);
}

static bool is_there(int number, double now_s)
{
    char name[SHARED_NAME_BYTES], wanted[32];
    snprintf(name, sizeof name, "%016x", (unsigned)number);
    snprintf(wanted, sizeof wanted, "file 1 of %d", number);
    struct shared_bytes *held = shared_pictures_hold(&pictures, name, SHARED_JPEG, now_s);
    if (!held)
        return false;
    assert_int_equal(held->length, strlen(wanted));
    assert_memory_equal(held->bytes, wanted, held->length);
    shared_bytes_release(held);
    return true;
}

TEST_WITH(each_is_there_until_its_end, pictures_open, pictures_close)
{
    add(1, 100);
    add(2, 200);
    assert_true(is_there(1, 99) && is_there(2, 99) && !is_there(3, 99));
    assert_true(!is_there(1, 100) && is_there(2, 100)); /* also before they are dropped */
    shared_pictures_expire(&pictures, 150);
    assert_true(!is_there(1, 99) && is_there(2, 99));
    assert_null(shared_pictures_hold(&pictures, "", SHARED_PAGE, 0));
}

TEST_WITH(a_file_is_one_block_until_its_last_holder, pictures_open, pictures_close)
{
    add(1, 100);
    struct shared_bytes *first =
        shared_pictures_hold(&pictures, "0000000000000001", SHARED_JPEG, 0);
    struct shared_bytes *second =
        shared_pictures_hold(&pictures, "0000000000000001", SHARED_JPEG, 0);
    assert_non_null(first);
    assert_ptr_equal(first, second);
    assert_int_equal(first->holders, 3);
    shared_pictures_expire(&pictures, 100);
    assert_true(!is_there(1, 99));
    assert_int_equal(first->holders, 2);
    shared_bytes_release(second);
    assert_int_equal(first->holders, 1);
    assert_memory_equal(first->bytes, "file 1 of 1", first->length);
    shared_bytes_release(first);
}

TEST_WITH(the_oldest_makes_room, pictures_open, pictures_close)
{
    for (int i = 1; i <= SHARED_MOST + 3; i++)
        add(i, 1000 + i);
    for (int i = 1; i <= SHARED_MOST + 3; i++)
        assert_int_equal(is_there(i, 0), i > 3);
}

TEST(paths)
{
    static const struct {
        const char *path;
        int file; /* -1: none */
    } rows[] = {{"/0123456789abcdef", SHARED_PAGE},
                {"/0123456789abcdef.jpg", SHARED_JPEG},
                {"/0123456789abcdef.ini", SHARED_PLACE},
                {"/", -1},
                {"", -1},
                {"/0123456789abcde", -1},
                {"/0123456789abcdef0", -1},
                {"/0123456789ABCDEF", -1},
                {"/0123456789abcdef.png", -1},
                {"/0123456789abcdef/../x", -1},
                {"0123456789abcdef", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[SHARED_NAME_BYTES] = "";
        enum shared_file file = SHARED_PAGE;
        bool is_path = shared_path_split(rows[i].path, name, &file);
        assert_int_equal(is_path ? (int)file : -1, rows[i].file);
        assert_true(!is_path || !strcmp(name, "0123456789abcdef"));
    }
}

TEST(texts_are_no_markup)
{
    const struct shared_words words = {"a <b> & \"c\"", "<script>x</script>", "it's", "\xc3\xa9"};
    char *page = shared_page("0123456789abcdef", &words);
    assert_non_null(page);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<b>"));
    assert_non_null(strstr(page, "a &lt;b&gt; &amp; &quot;c&quot;"));
    assert_non_null(strstr(page, "it&#39;s"));
    assert_non_null(strstr(page, "<img src=\"0123456789abcdef.jpg\""));
    assert_true(!strcmp(page + strlen(page) - 8, "</html>\n"));
    free(page);
}

int main(void)
{
    return check_run(NULL, NULL);
}
