#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "folder.h"
#include "render/palette.h"
#include "render/srgb.h"

static struct palette *parsed(const char *text)
{
    struct palette *palette;
    if (palette_parse(&palette, text, strlen(text), "test") != STATUS_OK)
        fail_msg("%s", status_text());
    return palette;
}

static void stops_are_hit(void **state)
{
    (void)state;
    struct palette *palette =
        parsed("# title: T\n# cyclic: yes\n0,1,0,0\n0.25, 0, 1, 0\r\n\n.5,0,0,1\n1.0,1,0,0\n");
    static const double position[3] = {0, 0.25, 0.5};
    for (int i = 0; i < 3; i++) {
        float rgb[3];
        palette_sample(palette, position[i], rgb);
        for (int c = 0; c < 3; c++) /* the ten digits of the OKLab matrices leave 1e-6 */
            assert_true(fabs(rgb[c] - (c == i)) < 1e-5);
    }
    assert_string_equal(palette_about(palette)->title, "T");
    assert_true(palette_about(palette)->cyclic);
    assert_false(palette_about(palette)->cvd_safe);
    palette_destroy(palette);
}

static void positions_wrap(void **state)
{
    (void)state;
    struct palette *palette = parsed("# cyclic: yes\n0,.1,.2,.3\n.3,.9,.8,.2\n1,.1,.2,.3\n");
    for (double position = 0; position < 1; position += 1.0 / 64) { /* exact in binary */
        float here[3], there[3], back[3];
        palette_sample(palette, position, here);
        palette_sample(palette, position + 1048576, there);
        palette_sample(palette, position - 3, back);
        assert_memory_equal(here, there, sizeof here);
        assert_memory_equal(here, back, sizeof here);
    }
    palette_destroy(palette);
}

static void one_way_palettes_run_there_and_back(void **state)
{
    (void)state;
    struct palette *palette = parsed("0,0,0,0\n1,1,1,1\n");
    float last = -1;
    for (int i = 0; i <= 2048; i++) {
        float rgb[3], mirror[3];
        palette_sample(palette, i / 4096.0, rgb);
        palette_sample(palette, 1 - i / 4096.0, mirror);
        assert_memory_equal(rgb, mirror, sizeof rgb);
        assert_true(rgb[0] >= last);
        assert_true(fabsf(rgb[0] - rgb[1]) < 1e-5f && fabsf(rgb[0] - rgb[2]) < 1e-5f); /* grey */
        last = rgb[0];
    }
    assert_true(last > 0.99999f);
    palette_destroy(palette);
}

/* A cubic without the monotone rule would swing beyond these steps, and light would be clipped. */
static void the_curve_does_not_overshoot(void **state)
{
    (void)state;
    struct palette *palette = parsed("0,.2,.2,.2\n.4,.2,.2,.2\n.5,.8,.8,.8\n1,.8,.8,.8\n");
    for (int i = 0; i < 10000; i++) {
        float rgb[3];
        palette_sample(palette, i / 10000.0, rgb);
        assert_true(rgb[1] > srgb_decode(0.2) - 1e-5 && rgb[1] < srgb_decode(0.8) + 1e-5);
    }
    palette_destroy(palette);
}

static void no_position_reads_outside(void **state)
{
    (void)state;
    static const double wild[] = {NAN,    INFINITY, -INFINITY, 1e300,
                                  -1e300, -1e-300,  1 - 1e-17, -0.0};
    struct palette *palette = parsed("0,.5,.5,.5\n1,.5,.5,.5\n");
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        float rgb[3];
        palette_sample(palette, wild[i], rgb);
        assert_true(fabs(rgb[0] - srgb_decode(0.5)) < 1e-5);
    }
    palette_destroy(palette);
}

#define HEAD "# title: x\n"
static const struct {
    const char *text, *message;
} bad[] = {
    {"", "line 0: the file ends after 0 colours"},
    {"# title: none\n", "line 1: the file ends after 0 colours"},
    {HEAD "0,0,0,0\n", "line 2: the file ends after 1 colour;"},
    {HEAD "0,0,0,0\n0.5,1,1,1\n", "line 3: the file ends at position 0.5; the last must be 1"},
    {HEAD "0.1,0,0,0\n1,1,1,1\n", "line 2: position 0.1; the first must be 0"},
    {HEAD "0,0,0,0\n0.6,0,0,0\n0.6,1,1,1\n1,1,1,1\n",
     "line 4: position 0.6; the first must be 0 and"},
    {HEAD "0,0,0,0\n0.6,0,0,0\n0.5,1,1,1\n1,1,1,1\n", "line 4: position 0.5;"},
    {HEAD "0,0,0\n1,1,1,1\n", "line 2: expected a comma after the green"},
    {HEAD "0,0,0,0,0\n1,1,1,1\n", "line 2: expected nothing after the blue"},
    {HEAD "0 0 0 0\n1 1 1 1\n", "line 2: expected a comma after the position"},
    {HEAD "0,0,256,0\n1,1,1,1\n", "line 2: the green is not a number from 0 to 1"},
    {HEAD "0,-0.5,0,0\n1,1,1,1\n", "line 2: the red is not a number from 0 to 1"},
    {HEAD "0,nan,0,0\n1,1,1,1\n", "line 2: the red is not a number"},
    {HEAD "0,0x0,0,0\n1,1,1,1\n", "line 2: expected a comma after the red"},
    {HEAD "0,1e-1,0,0\n1,1,1,1\n", "line 2: expected a comma after the red"},
    {HEAD "0,0,0,1.0000001\n1,1,1,1\n", "line 2: the blue is not a number from 0 to 1"},
    {HEAD "0,0,0,.\n1,1,1,1\n", "line 2: the blue is not a number"},
    {HEAD "0,0,0,\n1,1,1,1\n", "line 2: the blue is not a number"},
    {HEAD "0,0,0,00000000000000000000\n1,1,1,1\n", "line 2: the blue is not a number"},
    {HEAD "0,0,0,0\nposition,red,green,blue\n1,1,1,1\n", "line 3: the position is not a number"},
    {"# cyclic: maybe\n0,0,0,0\n1,1,1,1\n", "line 1: cyclic must be yes or no"},
    {"# cvd-safe:\n0,0,0,0\n1,1,1,1\n", "line 1: cvd-safe must be yes or no"},
    {"# cyclic: yes\n0,0,0,0\n1,1,1,1\n", "line 3: cyclic, so the last colour must be the first"},
    {HEAD "0,0,0,0\n\033[31m1,1,1,1\n", "line 3: control character 0x1b"},
    {"\xef\xbb\xbf" HEAD "0,0,0,0\n1,1,1,1\n", "line 1: the position is not a number"},
};

static void bad_files_are_refused_with_their_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct palette *palette;
        size_t length = strlen(bad[i].text);
        char *exact = malloc(length + 1); /* no NUL within reach */
        memcpy(exact, bad[i].text, length);
        exact[length] = '7';
        assert_int_equal(palette_parse(&palette, exact, length, "test"), STATUS_BAD_DATA);
        assert_null(palette);
        if (!strstr(status_text(), bad[i].message))
            fail_msg("case %zu: '%s' lacks '%s'", i, status_text(), bad[i].message);
        free(exact);
    }
}

static void sizes_are_limited(void **state)
{
    (void)state;
    struct palette *palette;
    size_t bytes = PALETTE_BYTES_MAX + 1;
    char *text = malloc(bytes);
    memset(text, '\n', bytes);
    assert_int_equal(palette_parse(&palette, text, bytes, "test"), STATUS_BAD_DATA);
    size_t used = 0;
    for (int i = 0; i <= PALETTE_STOPS_MAX; i++)
        used += (size_t)sprintf(text + used, "%.5f,0,0,0\n", i / (PALETTE_STOPS_MAX + 1.0));
    assert_int_equal(palette_parse(&palette, text, used, "test"), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "line 1025: more than 1024 colours"));
    free(text);
}

/* Lightness of OKLab, from its own constants: another formula than the one under test samples. */
static double lightness(const float rgb[3])
{
    double l = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    double m = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    double s = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

/* What "safe for colour-blind viewers" promises: order can be read from lightness alone. */
static void assert_cvd_safe(const struct palette *palette, const char *name)
{
    float rgb[3];
    palette_sample(palette, 0, rgb);
    double first = lightness(rgb), last = first;
    for (int i = 1; i <= 100; i++) {
        palette_sample(palette, i / 200.0, rgb);
        double now = lightness(rgb);
        if (!(now > last))
            fail_msg("%s does not grow lighter at %g", name, i / 100.0);
        last = now;
    }
    if (!(last - first > 0.55)) /* viridis: 0.59 */
        fail_msg("%s spans only %g of lightness", name, last - first);
}

static void every_palette_loads_and_says_where_it_is_from(void **state)
{
    (void)state;
    char names[2048];
    palette_names(DEEPFIELD_ASSETS, names, sizeof names);
    int count = 0, cvd_safe = 0;
    for (char *rest, *name = strtok_r(names, ", ", &rest); name;
         name = strtok_r(NULL, ", ", &rest)) {
        struct palette *palette;
        if (palette_load(&palette, DEEPFIELD_ASSETS, name) != STATUS_OK)
            fail_msg("%s", status_text());
        const struct palette_about *about = palette_about(palette);
        assert_true(about->title[0] && about->source[0] && about->licence[0]);
        if (about->cvd_safe) {
            assert_false(about->cyclic);
            assert_cvd_safe(palette, name);
        }
        count++;
        cvd_safe += about->cvd_safe;
        palette_destroy(palette);
    }
    assert_true(count >= 8);
    assert_true(cvd_safe >= 3);
}

static void unknown_names_get_help(void **state)
{
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "virids"), STATUS_NO_INPUT);
    assert_non_null(strstr(status_text(), "did you mean 'viridis'"));
    assert_non_null(strstr(status_text(), "aurora, copper, "));
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "qqqqqqqqqqqqq"), STATUS_NO_INPUT);
    assert_null(strstr(status_text(), "did you mean"));
    assert_int_equal(palette_load(&palette, "/nowhere", "grey"), STATUS_NO_INPUT);
    assert_non_null(strstr(status_text(), "none in /nowhere"));
    assert_int_equal(palette_load(&palette, "", in_folder(state, "no.csv")), STATUS_NO_INPUT);
    assert_int_equal(palette_load(&palette, "", in_folder(state, "")), STATUS_NO_INPUT);
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, ""), STATUS_NO_INPUT);
    char long_name[5000];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, long_name), STATUS_NO_INPUT);
    palette_destroy(NULL);
}

static void own_files_load_by_path(void **state)
{
    struct palette *palette;
    file_fill(in_folder(state, "mine.csv"), "0,0,0,0\n1,1,1,1");
    assert_int_equal(palette_load(&palette, "", in_folder(state, "mine.csv")), STATUS_OK);
    palette_destroy(palette);
}

/* A file of another program is there: "no palette" would be wrong, and its first line no news. */
static void other_kinds_of_files_are_named(void **state)
{
    struct palette *palette;
    char here[4096];
    file_fill(in_folder(state, "blues.map"), "0 0 255\n0 0 254\n");
    file_fill(in_folder(state, "mine.txt"), "0,0,0,0\n1,1,1,1");
    assert_int_equal(palette_load(&palette, "", in_folder(state, "blues.map")), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "blues.map is of a kind that is not read (.map)"));
    assert_non_null(strstr(status_text(), "a palette is a .csv file"));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(in_folder(state, "")), 0);
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "blues.map"), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "(.map)"));
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "reds.map"), STATUS_NO_INPUT);
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "mine.txt"), STATUS_OK);
    palette_destroy(palette);
    assert_int_equal(chdir(here), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_are_hit),
        cmocka_unit_test(positions_wrap),
        cmocka_unit_test(one_way_palettes_run_there_and_back),
        cmocka_unit_test(the_curve_does_not_overshoot),
        cmocka_unit_test(no_position_reads_outside),
        cmocka_unit_test(bad_files_are_refused_with_their_line),
        cmocka_unit_test(sizes_are_limited),
        cmocka_unit_test(every_palette_loads_and_says_where_it_is_from),
        cmocka_unit_test_setup_teardown(unknown_names_get_help, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(own_files_load_by_path, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(other_kinds_of_files_are_named, folder_setup,
                                        folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
