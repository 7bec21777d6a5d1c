/* Who wins, what is refused, and does a saved view come back equal? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/arguments/config_load.h"
#include "library/settings/view_file.h"
#include "library/config/config.h"
#include "library/text/convert.h"
#include "render/plan/plan.h"
#include "render/view/view.h"
#include "tests/support/check.h"

static void config_is(const struct config *config, enum option_key option, const char *text,
                      const char *origin)
{
    assert_string_equal(config_text(config, option), text);
    assert_string_equal(config->value[option].origin, origin);
}

static void text_apply(struct config *config, const char *text, const char *name, enum status blame,
                       enum status expected)
{
    struct ini ini = {0};
    enum status status = ini_parse(&ini, text, strlen(text), name, blame);
    if (status == STATUS_OK)
        status = config_apply(config, &ini, name, blame);
    if (status != expected)
        print_message("%s\n", status_text());
    assert_int_equal(status, expected);
    ini_destroy(&ini);
}

TEST(test_every_default_is_valid)
{
    struct config config;
    assert_int_equal(config_create(&config), STATUS_OK);
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].fallback)
            config_is(&config, (enum option_key)i, option_rows[i].fallback, "default");
    assert_int_equal(config_integer(&config, OPTION_VIEW_SIZE), 1920);
    assert_int_equal(config.value[OPTION_VIEW_SIZE].second, 1080);
    assert_int_equal(config_integer(&config, OPTION_COMPUTE_THREADS), 0); /* auto */
    assert_true(config_boolean(&config, OPTION_COMPUTE_SHORTCUTS));
    assert_true(config_real(&config, OPTION_COMPUTE_ACCURACY) == 0.01);
    config_destroy(&config);
}

/* Each layer sets one key more than the next, so that every step of the order shows. */
TEST(test_precedence)
{
    char folder[] = "/tmp/deepfield-config-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/deepfield", folder);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/deepfield/deepfield.ini", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("[view]\nlimit = 1\nsize = 1x1\nbailout = 11\n[compute]\ntile = 11\n", file);
    assert_int_equal(fclose(file), 0);
    setenv("XDG_CONFIG_HOME", folder, 1);

    struct config config;
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(config_apply_standard_files(&config), STATUS_OK);
    text_apply(&config, "[view]\nlimit = 2\nsize = 2x2\nbailout = 22\n", "b.ini", STATUS_CONFIG,
               STATUS_OK);
    text_apply(&config, "[view]\nlimit = 3\nsize = 3x3\n", "view.ini", STATUS_BAD_DATA, STATUS_OK);
    setenv("DEEPFIELD_LIMIT", "4", 1);
    setenv("DEEPFIELD_QUIET", "yes", 1);
    assert_int_equal(config_apply_environment(&config), STATUS_OK);
    unsetenv("DEEPFIELD_LIMIT");
    unsetenv("DEEPFIELD_QUIET");

    char origin[160];
    snprintf(origin, sizeof origin, "%s:6", path);
    config_is(&config, OPTION_COMPUTE_TILE, "11", origin);
    config_is(&config, OPTION_VIEW_BAILOUT, "22", "b.ini:4");
    config_is(&config, OPTION_VIEW_SIZE, "3x3", "view.ini:3");
    config_is(&config, OPTION_VIEW_LIMIT, "4", "DEEPFIELD_LIMIT");
    assert_true(config_boolean(&config, OPTION_OUTPUT_QUIET));

    char *words[] = {(char *)"render",       (char *)"--limit", (char *)"5", (char *)"--set",
                     (char *)"view.limit=6", (char *)"-q",      NULL};
    struct arguments arguments;
    assert_int_equal(arguments_parse(&arguments, COMMAND_RENDER, 6, words), STATUS_OK);
    assert_int_equal(config_apply_flags(&config, &arguments), STATUS_OK);
    config_is(&config, OPTION_VIEW_LIMIT, "6", "--set");
    config_is(&config, OPTION_OUTPUT_QUIET, "true", "--quiet");
    arguments_destroy(&arguments);
    config_destroy(&config);
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
    rmdir(folder);
}

/* --exact is a value of --accuracy: of the two the later one counts. */
TEST(test_exact)
{
    const struct {
        const char *words[4];
        double accuracy_px;
        const char *origin;
    } rows[] = {{{"render"}, ACCURACY_DEFAULT_PX, "default"},
                {{"render", "--exact"}, ACCURACY_EXACT_PX, "--exact"},
                {{"render", "--accuracy=1e-3", "--exact"}, ACCURACY_EXACT_PX, "--exact"},
                {{"render", "--exact", "--accuracy=1e-3"}, 1e-3, "--accuracy"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct config config;
        struct arguments arguments;
        char *words[5] = {NULL};
        int count = 0;
        for (; count < 4 && rows[i].words[count]; count++)
            words[count] = (char *)rows[i].words[count];
        assert_int_equal(config_create(&config), STATUS_OK);
        assert_int_equal(arguments_parse(&arguments, COMMAND_RENDER, count, words), STATUS_OK);
        assert_int_equal(config_apply_flags(&config, &arguments), STATUS_OK);
        assert_true(config_real(&config, OPTION_COMPUTE_ACCURACY) == rows[i].accuracy_px);
        assert_string_equal(config.value[OPTION_COMPUTE_ACCURACY].origin, rows[i].origin);
        arguments_destroy(&arguments);
        config_destroy(&config);
    }
}

TEST(test_a_bad_value_changes_nothing)
{
    struct config config;
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(config_set(&config, OPTION_VIEW_LIMIT, "-1", "here", STATUS_USAGE),
                     STATUS_USAGE);
    assert_non_null(strstr(status_text(), "here: view.limit = '-1': out of range"));
    config_is(&config, OPTION_VIEW_LIMIT, "10000", "default");
    config_destroy(&config);
}

TEST(test_a_view_may_not_use_the_machine)
{
    struct config config;
    assert_int_equal(config_create(&config), STATUS_OK);
    const char *text = "[compute]\nthreads = 3\n";
    text_apply(&config, text, "v", STATUS_BAD_DATA, STATUS_BAD_DATA);
    text_apply(&config, text, "c", STATUS_CONFIG, STATUS_OK);
    text_apply(&config, "[compute]\nprecision = fp32\n", "v", STATUS_BAD_DATA, STATUS_OK);
    config_destroy(&config);
}

/* Title and credit are those of the file's place, and a flag may have gone elsewhere. */
TEST(test_another_centre_has_no_title)
{
    const char *view = "[view]\nre = -0.5\nim = 0\nzoom = 1\ntitle = Mine\ncredit = me\n";
    const struct {
        enum option_key option;
        bool kept;
    } cases[] = {{OPTION_VIEW_RE, false}, {OPTION_VIEW_IM, false}, {OPTION_VIEW_ZOOM, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config config;
        assert_int_equal(config_create(&config), STATUS_OK);
        text_apply(&config, view, "view.ini", STATUS_BAD_DATA, STATUS_OK);
        config_settle(&config);
        config_is(&config, OPTION_VIEW_TITLE, "Mine", "view.ini:5");
        assert_int_equal(config_set(&config, cases[i].option, "1", "--flag", STATUS_USAGE),
                         STATUS_OK);
        config_settle(&config);
        assert_int_equal(config_text(&config, OPTION_VIEW_TITLE) != NULL, cases[i].kept);
        assert_int_equal(config_text(&config, OPTION_VIEW_CREDIT) != NULL, cases[i].kept);
        assert_int_equal(config_set(&config, OPTION_VIEW_TITLE, "Said", "--set", STATUS_USAGE),
                         STATUS_OK);
        config_settle(&config);
        config_is(&config, OPTION_VIEW_TITLE, "Said", "--set");
        config_destroy(&config);
    }
}

TEST(test_ini_values)
{
    const char *text = "# c\n; c\n[a]\nk = v ; comment\n q = \"x ; y # z\"  \nempty =\ne2 = \"\"\n"
                       "n.0 = 1\nn.1 = 23\n[b]\nk=w=w\n";
    struct ini ini;
    assert_int_equal(ini_parse(&ini, text, strlen(text), "t", STATUS_BAD_DATA), STATUS_OK);
    assert_int_equal(ini.count, 6);
    assert_string_equal(ini_find(&ini, "a", "k")->value, "v");
    assert_int_equal(ini_find(&ini, "a", "k")->line, 4);
    assert_string_equal(ini_find(&ini, "a", "q")->value, "x ; y # z");
    assert_string_equal(ini_find(&ini, "a", "empty")->value, "");
    assert_string_equal(ini_find(&ini, "a", "e2")->value, "");
    assert_string_equal(ini_find(&ini, "a", "n")->value, "123");
    assert_int_equal(ini_find(&ini, "a", "n")->parts, 2);
    assert_string_equal(ini_find(&ini, "b", "k")->value, "w=w");
    assert_null(ini_find(&ini, "b", "q"));
    ini_destroy(&ini);
}

/* A number of `digits` digits with a sign, a point and every digit somewhere. */
static char *long_number(size_t digits, uint64_t seed)
{
    char *text = malloc(digits + 4);
    assert_non_null(text);
    memcpy(text, "-1.", 3);
    for (size_t i = 1; i < digits; i++)
        text[i + 2] = (char)('0' + check_random(&seed) % 10);
    text[digits + 2] = '\0';
    return text;
}

static void round_trip(size_t digits)
{
    uint64_t seed = 20240229 + digits;
    char *re = long_number(digits, seed), *im = long_number(digits, seed + 1);
    struct config config, back;
    static char colours[OPTION_PALETTE_MAX + 1]; /* as many as there may be */
    for (int i = 0; i < PALETTE_COLOURS_MAX; i++)
        snprintf(colours + (size_t)7 * (size_t)i, 8, "#%06x", (unsigned)i * 16411 & 0xffffff);
    assert_int_equal(config_create(&config), STATUS_OK);
    const struct {
        enum option_key option;
        const char *text;
    } values[] = {{OPTION_VIEW_RE, re},
                  {OPTION_VIEW_IM, im},
                  {OPTION_VIEW_ZOOM, "1.5e60000"},
                  {OPTION_VIEW_TITLE, "a ; b # c = [d]"},
                  {OPTION_VIEW_ROTATION, "-12.5"},
                  {OPTION_VIEW_SIZE, "8k"},
                  {OPTION_VIEW_LIMIT, "9223372036854775807"},
                  {OPTION_VIEW_FORMULA, "julia"},
                  {OPTION_VIEW_JULIA, "-0.123456789012345678901,7.45e-1"},
                  {OPTION_LOOK_INTERIOR, "#123456"},
                  {OPTION_LOOK_PALETTE, digits < 1000 ? "./my own.csv" : colours},
                  {OPTION_OUTPUT_BITS, "16"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(
            config_set(&config, values[i].option, values[i].text, "test", STATUS_USAGE), STATUS_OK);
    char *text, *again;
    assert_int_equal(place_to_text(&text, &place_view, &config), STATUS_OK);

    struct view_file file;
    assert_int_equal(view_file_parse(&file, text, strlen(text), "saved"), STATUS_OK);
    assert_ptr_equal(file.format, &place_view);
    assert_int_equal(config_create(&back), STATUS_OK);
    assert_int_equal(config_apply(&back, &file.ini, "saved", STATUS_BAD_DATA), STATUS_OK);
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].traits & OPTION_OF_PICTURE && config.value[i].text)
            assert_string_equal(back.value[i].text, config.value[i].text);
    assert_int_equal(place_to_text(&again, &place_view, &back), STATUS_OK);
    assert_string_equal(again, text);
    free(again);
    free(text);
    view_file_destroy(&file);
    config_destroy(&back);
    config_destroy(&config);
    free(re);
    free(im);
}

TEST(test_saved_views_come_back)
{
    const size_t lengths[] = {2, 898, 899, 900, 901, 1800, 60000, NUMBER_DIGITS_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        round_trip(lengths[i]);
}

TEST(test_booleans_are_exact)
{
    const char *good[] = {"true", "yes", "on", "1"}, *off[] = {"false", "no", "off", "0"};
    const char *bad[] = {"", "True", "t", "tomato", "y", "2", "on ", "none"};
    bool value = false;
    for (int i = 0; i < 4; i++) {
        assert_true(convert_boolean(good[i], &value) == STATUS_OK && value);
        assert_true(convert_boolean(off[i], &value) == STATUS_OK && !value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(convert_boolean(bad[i], &value), STATUS_CONFIG);
}

TEST(test_integers_at_their_limits)
{
    static const struct {
        const char *text;
        int64_t value;
    } good[] = {{"9223372036854775807", INT64_MAX},
                {"-9223372036854775808", INT64_MIN},
                {"9.223372036854775807e18", INT64_MAX}, /* not by way of a double */
                {"010", 10},                            /* never octal */
                {"1e6", 1000000},
                {"1E+6", 1000000},
                {"1.5e3", 1500},
                {"-25e1", -250},
                {"20e-1", 2},
                {"1.0", 1},
                {"0e1000000", 0},
                {"0e-1000000", 0},
                {"0.000001e6", 1}};
    int64_t value = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (convert_integer(good[i].text, INT64_MIN, INT64_MAX, &value) != STATUS_OK ||
            value != good[i].value)
            fail_msg("'%s' became %lld", good[i].text, (long long)value);
    const char *large[] = {"9223372036854775808",     "-9223372036854775809",
                           "99999999999999999999999", "1e19",
                           "9223372036854775.808e3",  "1e1000000"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        assert_int_equal(convert_integer(large[i], INT64_MIN, INT64_MAX, &value), STATUS_CONFIG);
        assert_non_null(strstr(status_text(), "out of range"));
    }
    const char *bad[] = {"",     "1 ",   "+",    "e3",  "1e",  "1e-1",      "1.5",        "1.5e0",
                         "1e6 ", "1e6x", "0x10", "1_0", "1,0", "1e1000001", "1e-1000001", "1.2e-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(convert_integer(bad[i], INT64_MIN, INT64_MAX, &value), STATUS_CONFIG);
        if (!strstr(status_text(), "not a whole number"))
            fail_msg("'%s': %s", bad[i], status_text());
    }
}

/* The same number with its point moved to any place is the same number. */
TEST(test_integers_with_exponents)
{
    uint64_t seed = 20261122;
    for (int i = 0; i < 5000; i++) {
        char digits[32], text[96];
        int64_t number = (int64_t)(check_random(&seed) >> check_random(&seed) % 63), value = 0;
        number = i % 2 ? number & INT64_MAX : -(number & INT64_MAX);
        snprintf(digits, sizeof digits, "%llu", (unsigned long long)llabs(number));
        int length = (int)strlen(digits),
            before = 1 + (int)(check_random(&seed) % (uint64_t)length);
        const char *sign = number < 0 ? "-" : "", *point = before < length ? "." : "";
        if (i % 3)
            snprintf(text, sizeof text, "%s%.*s%s%se%d", sign, before, digits, point,
                     digits + before, length - before);
        else
            snprintf(text, sizeof text, "%s%s00E-2", sign, digits);
        if (convert_integer(text, INT64_MIN, INT64_MAX, &value) != STATUS_OK || value != number)
            fail_msg("'%s' became %lld: %s", text, (long long)value, status_text());
    }
}

/* What people write: the same values from every source, and kept without the underscores. */
TEST(test_texts_are_shown_so_that_they_can_be_read)
{
    static const char *const cases[][2] = {
        {"re = 1", "re = 1"},
        {"\xe2\x80\x93"
         "0.7",
         "<U+2013>0.7"},
        {"b\xc3\xa4h", "b<U+00E4>h"},
        {"\xf0\x9f\x8c\x80", "<U+1F300>"},
        {"\xc0\x80\xe2\x80\x1b[1m\xff", "?????[1m?"}, /* too long, cut off, control, no UTF-8 */
        {"0123456789012345678901234567890123456789", "0123456789012345678901234567890123456789"},
        {"01234567890123456789012345678901234567890",
         "0123456789012345678901234567890123456789..."},
        {"012345678901234567890123456789012345\xc3\xa4",
         "012345678901234567890123456789012345..."}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[SHOWN_BYTES];
        assert_string_equal(text_shown(cases[i][0], shown), cases[i][1]);
    }
}

TEST(test_numbers_as_people_write_them)
{
    struct config config;
    assert_int_equal(config_create(&config), STATUS_OK);
    text_apply(
        &config,
        "[view]\nre = -1.250_000_1\nim.0 = 0.1_\nim.1 = 25\nzoom = 10_000\nlimit = 1_0e5\n"
        "size = 1_920X1e3\njulia = 0.1_5,-1\n[compute]\ntile = 1_28\n[look]\ndensity = 1_0.5\n",
        "people.ini", STATUS_CONFIG, STATUS_OK);
    config_is(&config, OPTION_VIEW_RE, "-1.2500001", "people.ini:2");
    config_is(&config, OPTION_VIEW_IM, "0.125", "people.ini:3");
    config_is(&config, OPTION_VIEW_ZOOM, "10000", "people.ini:5");
    assert_int_equal(config_integer(&config, OPTION_VIEW_LIMIT), 1000000);
    assert_int_equal(config_integer(&config, OPTION_VIEW_SIZE), 1920);
    assert_int_equal(config.value[OPTION_VIEW_SIZE].second, 1000);
    assert_int_equal(config_integer(&config, OPTION_COMPUTE_TILE), 128);
    assert_true(config.value[OPTION_VIEW_JULIA].real == 0.15);
    assert_true(config_real(&config, OPTION_LOOK_DENSITY) == 10.5);
    const char *sizes[] = {"4K", "4k", "3_840x2_160", "3840X2160", "3.84e3x2160"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(config_set(&config, OPTION_VIEW_SIZE, sizes[i], "--size", STATUS_USAGE),
                         STATUS_OK);
        assert_int_equal(config_integer(&config, OPTION_VIEW_SIZE), 3840);
        assert_int_equal(config.value[OPTION_VIEW_SIZE].second, 2160);
    }
    text_apply(&config, "[view]\nsize = A4:portrait@300dpi\n", "paper.ini", STATUS_CONFIG,
               STATUS_OK);
    config_is(&config, OPTION_VIEW_SIZE, "A4:portrait@300dpi", "paper.ini:2");
    assert_int_equal(config_integer(&config, OPTION_VIEW_SIZE), 2480);
    assert_int_equal(config.value[OPTION_VIEW_SIZE].second, 3508);
    assert_true(config_real(&config, OPTION_VIEW_SIZE) == 300);
    assert_int_equal(config_set(&config, OPTION_VIEW_RE,
                                "\xe2\x88\x92"
                                "0.7_5",
                                "--re", STATUS_USAGE),
                     STATUS_OK);
    config_is(&config, OPTION_VIEW_RE, "-0.75", "--re");
    const char *bad[] = {"_10", "10_", "1__0", "1_e6", "1e_6", "-_1", "1_.5", "_"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(config_set(&config, OPTION_VIEW_LIMIT, bad[i], "--limit", STATUS_USAGE),
                         STATUS_USAGE);
        assert_non_null(strstr(status_text(), bad[i])); /* as it was typed */
        assert_int_equal(config_set(&config, OPTION_VIEW_ZOOM, bad[i], "--zoom", STATUS_USAGE),
                         STATUS_USAGE);
    }
    config_destroy(&config);
}

TEST(test_points_are_two_numbers)
{
    double re = 7, im = 7;
    assert_int_equal(convert_point("-0.8,+1.56e-1", -2, 2, &re, &im), STATUS_OK);
    assert_true(re == -0.8 && im == 0.156);
    assert_int_equal(convert_point("2,-2", -2, 2, &re, &im), STATUS_OK);
    assert_true(re == 2 && im == -2);
    const char *bad[] = {"",    ",",    "1",     "1,",    ",1",    "1,2,",   "1 ,2",   "1, 2",
                         "1;2", "1,2i", "nan,0", "0,inf", "0x1,0", "2.01,0", "0,-2.01"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (convert_point(bad[i], -2, 2, &re, &im) != STATUS_CONFIG)
            fail_msg("'%s' was taken", bad[i]);
    assert_true(re == 2 && im == -2);
}
