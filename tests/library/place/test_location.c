/* Location files: numbers of any length, kept to the last digit. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/view_file.h"
#include "kernels/escape/pixel.h"
#include "library/text/text_file.h"
#include "render/view/view.h"
#include "tests/support/check.h"

static void parse(struct ini *ini, const char *text)
{
    const struct place_text place = {.bytes = text, .length = strlen(text), .name = "place"};
    *ini = (struct ini){0};
    assert_int_equal(place_location.read(ini, &place), STATUS_OK);
}

TEST(test_keys_and_comments)
{
    struct ini ini;
    parse(&ini, "# source: a list\n# credit: A. Finder\n# rotate = 45.0\n\n  re=1.5e-3 \r\n"
                "im = -0\n\tzoom\t=\t7\niterations = 50000000000000\n; end");
    assert_int_equal(ini.count, 5);
    assert_string_equal(ini_find(&ini, "view", "re")->value, "1.5e-3");
    assert_int_equal(ini_find(&ini, "view", "re")->line, 5);
    assert_string_equal(ini_find(&ini, "view", "im")->value, "-0");
    assert_string_equal(ini_find(&ini, "view", "zoom")->value, "7");
    assert_string_equal(ini_find(&ini, "view", "limit")->value, "50000000000000");
    assert_string_equal(ini_find(&ini, "view", "credit")->value, "A. Finder");
    ini_destroy(&ini);
}

TEST(test_a_credit_that_cannot_be_one_is_a_comment)
{
    struct ini ini;
    parse(&ini, "# credit: \xff\xfe\nre = 0\n");
    assert_null(ini_find(&ini, "view", "credit"));
    ini_destroy(&ini);
}

TEST(test_sixty_thousand_digits)
{
    enum { DIGITS = 60000 };
    uint64_t seed = 7;
    static char digits[DIGITS + 1], text[2 * DIGITS + 200];
    for (int i = 0; i < DIGITS; i++)
        digits[i] = (char)('0' + check_random(&seed) % 10);
    int length =
        snprintf(text, sizeof text, "re = -1.%s\nim = 0.%s\nzoom = 1E59000\n", digits, digits);
    struct view_file file;
    assert_int_equal(view_file_parse(&file, text, (size_t)length, "deep.txt"), STATUS_OK);
    assert_ptr_equal(file.format, &place_location);
    struct view view = {0};
    assert_int_equal(view_set(&view, ini_find(&file.ini, "view", "re")->value,
                              ini_find(&file.ini, "view", "im")->value,
                              ini_find(&file.ini, "view", "zoom")->value, 0, 16, 9),
                     STATUS_OK);
    assert_memory_equal(view.re, "-1.", 3);
    assert_string_equal(view.re + 3, digits);
    assert_string_equal(view.im + 2, digits);
    view_destroy(&view);
    view_file_destroy(&file);
}

TEST(test_a_file_of_kalles_fraktaler)
{
    char *bytes = NULL;
    size_t length = 0;
    struct view_file file;
    assert_int_equal(text_file_read(KFR, 100000, &bytes, &length), STATUS_OK);
    assert_int_equal(view_file_parse(&file, bytes, length, "a/place.kfr"), STATUS_OK);
    assert_ptr_equal(file.format, &place_kfr);
    assert_string_equal(file.stem, "place");
    assert_int_equal(file.ini.count, 6); /* with its colours and slopes */
    assert_string_equal(ini_find(&file.ini, "view", "re")->value,
                        "-1.759817130804847813610825010561798238243999999999999999999800");
    assert_string_equal(ini_find(&file.ini, "view", "im")->value,
                        "-0.012593310799749865383746631843264858450340000000000000000000");
    assert_string_equal(ini_find(&file.ini, "view", "zoom")->value, "1.00e014");
    assert_string_equal(ini_find(&file.ini, "view", "limit")->value, "4036");
    view_file_destroy(&file);
    free(bytes);
}

/* A quarter turn in that program: the pixel to the right of the middle is below it in the plane. */
TEST(test_a_turned_file_of_kalles_fraktaler)
{
    static const char text[] = "Re: 0.25\nIm: 0.5\nZoom: 1\nRotateAngle: 90\nImagPointsUp: 1\n";
    struct view_file file;
    assert_int_equal(view_file_parse(&file, text, sizeof text - 1, "turned.kfr"), STATUS_OK);
    const struct ini_entry *rotation = ini_find(&file.ini, "view", "rotation");
    assert_non_null(rotation);
    struct view view = {0};
    struct view_numbers numbers;
    assert_int_equal(view_set(&view, "0.25", "0.5", "1", strtod(rotation->value, NULL), 3, 3),
                     STATUS_OK);
    assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
    struct grid grid = view_grid(&numbers, 0, 0, 3, 3);
    double re, im;
    pixel_c(&grid, 2, 1, &re, &im);
    assert_true(re == 0.25 && im == 0.5 - numbers.step);
    view_destroy(&view);
    view_file_destroy(&file);
}

/* The views that come with the program: each loads, is a view and has a credit. */
TEST(test_own_views_load)
{
    DIR *folder = opendir(VIEWS);
    assert_non_null(folder);
    int views = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[512];
        if (!strstr(entry->d_name, ".ini"))
            continue;
        snprintf(path, sizeof path, "%s/%s", VIEWS, entry->d_name);
        struct view_file file;
        struct config config;
        assert_int_equal(
            view_file_find(&file, path, &(struct data_source){.folder = NULL}, VIEW_WHOLE),
            STATUS_OK);
        assert_int_equal(config_create(&config), STATUS_OK);
        assert_int_equal(config_apply(&config, &file.ini, path, STATUS_BAD_DATA), STATUS_OK);
        assert_non_null(config_text(&config, OPTION_VIEW_CREDIT));
        assert_non_null(config_text(&config, OPTION_VIEW_TITLE));
        config_destroy(&config);
        view_file_destroy(&file);
        views++;
    }
    closedir(folder);
    assert_true(views >= 12);
}

TEST(test_kinds_are_told_by_content)
{
    const struct {
        const char *text;
        const struct place_format *format;
    } cases[] = {{"; c\n# c\n\n[view]\nre=0\nim=0\nzoom=1\n", &place_view},
                 {"\xef\xbb\xbf[view]\nre=0\nim=0\nzoom=1", &place_view},
                 {"# [view]\nre=0\nim=0\nzoom=1", &place_location},
                 {"\xef\xbb\xbf\r\n; [view]\r\nRe: 0\r\nIm: 0\r\nZoom: 1", &place_kfr},
                 {"Version: 3\nRe:0\nIm:0\nZoom:1", &place_kfr},
                 {"0 0 1", &place_numbers},
                 {"\xef\xbb\xbf# [view]\n 0, 0\r\n1e0;\n", &place_numbers}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        assert_int_equal(view_file_parse(&file, cases[i].text, strlen(cases[i].text), "/a/b.c.d"),
                         STATUS_OK);
        assert_ptr_equal(file.format, cases[i].format);
        assert_string_equal(file.stem, "b.c");
        view_file_destroy(&file);
    }
}

/* A wrong text is told what it is, and what would be right; never "unknown key 'program'". */
TEST(test_what_is_no_place_is_named)
{
    static const char *const cases[][2] = {
        {"https://example.org/m?re=-0.5&im=0&zoom=1", "a web address, not a place"},
        {"www.example.org", "a web address"},
        {"a = 1\n[[b]]\n", "a TOML file"},
        {"{\"re\": -0.5}", "a JSON text"},
        {"[\n  {\"re\": -0.5}\n]", "a JSON text"},
        {"<!doctype html>\n<a href=x>", "HTML, XML or SVG"},
        {"Spiral {\n::SMJagin2xzVV2\n}\n", "a parameter set of Ultra Fractal"},
        {"Spiral {\nfractal:\n  title=\"a\"\n}\n", "a parameter set of Ultra Fractal"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a pointer of Git LFS"},
        {"gnofract4d parameter file\nversion=3.0\n", "a Gnofract 4D file"},
        {"\x93NUMPY\x01", "a NumPy array"},
        {"\x7f"
         "ELF\x02",
         "a binary file"},
        {"hello", "a text, not a place"},
        {"re 0\nim 0\n", "a text, not a place"},
        {"# nothing\n\n", "there is nothing in it"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        assert_int_equal(view_file_parse(&file, cases[i][0], strlen(cases[i][0]), "x"),
                         STATUS_BAD_DATA);
        if (!strstr(status_text(), cases[i][1]) || !strstr(status_text(), PLACE_FORMATS))
            fail_msg("'%s' is told by '%s'", cases[i][0], status_text());
    }
    static const char *const broken[][2] = {
        {"1 2", "x: zoom is missing; a re im zoom text needs re, im and zoom (or --zoom)"},
        {"1 2 3 4", "x: 4 numbers; a place is three: re im zoom (read as a re im zoom text)"},
        {"re = 1\nzoon = 2\n", "(read as a location file)"},
        {"[view]\nre = 1\nre = 2\n", "(read as a view file)"},
        {"Re: 1\nIm: 2\n", "(read as a kfr file)"}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct view_file file;
        assert_int_equal(view_file_parse(&file, broken[i][0], strlen(broken[i][0]), "x"),
                         STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), broken[i][1]));
    }
}
