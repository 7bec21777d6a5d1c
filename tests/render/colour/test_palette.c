#include "tests/render/colour/palette_read.h"

#include <math.h>

#include "render/colour/palette.h"
#include "render/colour/palette_choice.h"
#include "render/colour/srgb.h"
#include "tests/render/disk/folder.h"
#include "tests/support/palette_sample.h"

static struct palette *parsed(const char *text)
{
    return read_as("test", text);
}

TEST(stops_are_hit)
{
    struct palette *palette = parsed("\xef\xbb\xbf# title: T\n# cyclic: yes\n0,1,0e2,0\n2.5e-1, 0, "
                                     "1, 0\r\n\n.5,0,0,1\n1.0,1,0,0\n");
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

TEST(positions_wrap)
{
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

TEST(one_way_palettes_run_there_and_back)
{
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
TEST(the_curve_does_not_overshoot)
{
    struct palette *palette = parsed("0,.2,.2,.2\n.4,.2,.2,.2\n.5,.8,.8,.8\n1,.8,.8,.8\n");
    for (int i = 0; i < 10000; i++) {
        float rgb[3];
        palette_sample(palette, i / 10000.0, rgb);
        assert_true(rgb[1] > srgb_decode(0.2) - 1e-5 && rgb[1] < srgb_decode(0.8) + 1e-5);
    }
    palette_destroy(palette);
}

TEST(no_position_reads_outside)
{
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
    {HEAD "0,1e100,0,0\n1,1,1,1\n", "line 2: the red is not a number"},
    {HEAD "0,1e1,0,0\n1,1,1,1\n", "line 2: the red is not a number"},
    {HEAD "0,0,0,1.0000001\n1,1,1,1\n", "line 2: the blue is not a number from 0 to 1"},
    {HEAD "0,0,0,.\n1,1,1,1\n", "line 2: the blue is not a number"},
    {HEAD "0,0,0,\n1,1,1,1\n", "line 2: the blue is not a number"},
    {HEAD "0,0,0,00000000000000000000\n1,1,1,1\n", "line 2: the blue is not a number"},
    {HEAD "0,0,0,0\nposition,red,green,blue\n1,1,1,1\n", "line 3: the position is not a number"},
    {"# cyclic: maybe\n0,0,0,0\n1,1,1,1\n", "line 1: cyclic must be yes or no"},
    {"# cvd-safe:\n0,0,0,0\n1,1,1,1\n", "line 1: cvd-safe must be yes or no"},
    {"# cyclic: yes\n0,0,0,0\n1,1,1,1\n", "line 3: cyclic, so the last colour must be the first"},
    {HEAD "0,0,0,0\n\033[31m1,1,1,1\n", "line 3: control character 0x1b"},
};

TEST(bad_files_are_refused_with_their_line)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_refused("test", bad[i].text, bad[i].message);
}

TEST(sizes_are_limited)
{
    struct palette *palette;
    size_t bytes = PALETTE_BYTES_MAX + 1;
    char *text = malloc(bytes);
    memset(text, '\n', bytes);
    assert_int_equal(palette_parse(&palette, text, bytes, "test"), STATUS_BAD_DATA);
    size_t used = 0;
    for (int i = 0; i <= PALETTE_STOPS_MAX; i++)
        used += (size_t)sprintf(text + used, "%.5f,0,0,0\n", i / (PALETTE_STOPS_MAX + 1.0));
    assert_int_equal(palette_parse(&palette, text, used, "test"), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "line 4098: more than 4097 colours"));
    free(text);
}

/* ---- what "safe for colour-blind viewers" promises ---- */

/* OKLab from its own constants: another formula than the one under test samples. */
static void lab_of(const double rgb[3], double lab[3])
{
    double l = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    double m = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    double s = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

/* Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision
 * deficiency, IEEE TVCG 15 (2009): severity 1, on linear light. */
static const struct vision {
    const char *name;
    double matrix[3][3];
} visions[] = {
    {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"protanopia",
     {{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {"tritanopia",
     {{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
};

enum { SEEN = 64 }; /* colours of once through a palette */

static void seen(const struct palette *palette, const struct vision *vision, double lab[SEEN][3])
{
    bool cyclic = palette_about(palette)->cyclic;
    for (int i = 0; i < SEEN; i++) {
        float rgb[3];
        double light[3] = {0};
        palette_sample(palette, cyclic ? (double)i / SEEN : 0.5 * i / (SEEN - 1), rgb);
        for (int to = 0; to < 3; to++) {
            for (int from = 0; from < 3; from++)
                light[to] += vision->matrix[to][from] * rgb[from];
            light[to] = fmin(fmax(light[to], 0), 1);
        }
        lab_of(light, lab[i]);
    }
}

/* One that runs there and back grows lighter all the way, so that order can be read from lightness
 * alone; a tenth of what is just noticed is allowed (the end of viridis, in tritanopia: 0.00004).
 * In one that goes round, colours an eighth of the run apart differ by 0.06, three times what is
 * just noticed in OKLab. Both span more lightness than a picture needs to be read in grey (viridis:
 * 0.62). NULL: so it is. */
static const char *what_is_unsafe(const struct palette *palette, const struct vision *vision)
{
    double lab[SEEN][3], least = 1, most = 0;
    bool cyclic = palette_about(palette)->cyclic;
    seen(palette, vision, lab);
    for (int i = 0; i < SEEN; i++) {
        least = fmin(least, lab[i][0]);
        most = fmax(most, lab[i][0]);
        if (!cyclic && i > 0 && !(lab[i][0] > lab[i - 1][0] - 0.002))
            return "does not grow lighter all the way";
        for (int j = SEEN / 8; cyclic && j <= SEEN / 2; j++) {
            const double *other = lab[(i + j) % SEEN];
            if (hypot(hypot(lab[i][0] - other[0], lab[i][1] - other[1]), lab[i][2] - other[2]) <
                0.06)
                return "has colours that look alike";
        }
    }
    return most - least > 0.55 ? NULL : "spans too little lightness";
}

static void assert_cvd_safe(const struct palette *palette, const char *name)
{
    for (size_t i = 0; i < sizeof visions / sizeof *visions; i++) {
        const char *wrong = what_is_unsafe(palette, &visions[i]);
        if (wrong)
            fail_msg("%s, %s: %s", name, visions[i].name, wrong);
    }
}

/* The judge itself: red and green of one lightness, and a blue and a green that only tritanopia
 * confuses. */
TEST(confusions_are_found)
{
    struct palette *red_green = parsed("# cyclic: yes\n0,0,0,0\n.25,.8,.27,.2\n.5,1,1,1\n"
                                       ".75,.35,.52,.1\n1,0,0,0\n");
    struct palette *blue_green = parsed("# cyclic: yes\n0,0,0,0\n.25,0,.45,.85\n.5,1,1,1\n"
                                        ".75,0,.52,.4\n1,0,0,0\n");
    struct palette *dull = parsed("0,.4,.4,.4\n1,.6,.6,.6\n");
    assert_non_null(what_is_unsafe(red_green, &visions[1]));
    assert_non_null(what_is_unsafe(red_green, &visions[2]));
    assert_non_null(what_is_unsafe(blue_green, &visions[3]));
    assert_non_null(what_is_unsafe(dull, &visions[0]));
    palette_destroy(red_green);
    palette_destroy(blue_green);
    palette_destroy(dull);
}

TEST(every_palette_loads_and_says_where_it_is_from)
{
    char names[2048];
    palette_names(DEEPFIELD_ASSETS, names, sizeof names);
    int count = 0, cvd_safe = 0, cyclic = 0;
    for (char *rest, *name = strtok_r(names, ", ", &rest); name;
         name = strtok_r(NULL, ", ", &rest)) {
        struct palette *palette;
        if (palette_load(&palette, DEEPFIELD_ASSETS, name) != STATUS_OK)
            fail_msg("%s", status_text());
        const struct palette_about *about = palette_about(palette);
        assert_true(about->title[0] && about->source[0] && about->licence[0]);
        if (about->cvd_safe)
            assert_cvd_safe(palette, name);
        if (strlen(about->title) > strlen(name) + 2 + 45)
            fail_msg("the title of %s is too long for a line of 80", name);
        cyclic += about->cyclic;
        count++;
        cvd_safe += about->cvd_safe;
        palette_destroy(palette);
    }
    assert_true(count >= 24);
    assert_true(cyclic >= 16);
    assert_true(cvd_safe >= 10);
}

IN_FOLDER(unknown_names_get_help)
{
    struct palette *palette;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "virids"), STATUS_NO_INPUT);
    assert_non_null(strstr(status_text(), "did you mean 'viridis'"));
    assert_non_null(strstr(status_text(), "agate, aurora, cathedral, copper, "));
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

IN_FOLDER(own_files_load_by_path)
{
    struct palette *palette;
    file_fill(in_folder(state, "mine.csv"), "0,0,0,0\n1,1,1,1");
    assert_int_equal(palette_load(&palette, "", in_folder(state, "mine.csv")), STATUS_OK);
    palette_destroy(palette);
}

/* A file of an unknown kind is there: "no palette" would be wrong, and its first line no news. */
IN_FOLDER(unknown_kinds_of_files_are_named)
{
    struct palette *palette;
    char here[4096];
    file_fill(in_folder(state, "blues.act"), "JASC-PAL\n0 0 255\n");
    file_fill(in_folder(state, "mine.txt"), "0,0,0,0\n1,1,1,1");
    assert_int_equal(palette_load(&palette, "", in_folder(state, "blues.act")), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "blues.act is of a kind that is not read (.act)"));
    assert_non_null(strstr(status_text(), ".csv, .ggr, .gpl, .kfp, .kfr, .map, .ugr"));
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(in_folder(state, "")), 0);
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "blues.act"), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "(.act)"));
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "reds.act"), STATUS_NO_INPUT);
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "mine.txt"), STATUS_OK);
    palette_destroy(palette);
    assert_int_equal(chdir(here), 0);
}

TEST(a_palette_runs_backwards_by_its_name)
{
    static const char *const names[] = {"lagoon", "fire"}; /* a ring; there and back */
    for (int i = 0; i < 2; i++) {
        struct palette *forward, *back;
        char name[40];
        snprintf(name, sizeof name, "%s" PALETTE_REVERSED, names[i]);
        assert_int_equal(palette_load(&forward, DEEPFIELD_ASSETS, names[i]), STATUS_OK);
        assert_int_equal(palette_load(&back, DEEPFIELD_ASSETS, name), STATUS_OK);
        for (double position = 0; position < 1; position += 1.0 / 64) {
            float here[3], there[3];
            palette_sample(forward, position, here);
            palette_sample(back, i ? position + 0.5 : 1 - position, there);
            assert_memory_equal(here, there, sizeof here);
        }
        assert_int_equal(palette_name_length(name), strlen(names[i]));
        palette_destroy(forward);
        palette_destroy(back);
    }
    struct palette *palette;
    assert_int_equal(palette_load(&palette, "", PALETTE_REVERSED), STATUS_NO_INPUT);
    assert_int_equal(palette_load(&palette, "", "#000000#ffffff" PALETTE_REVERSED), STATUS_OK);
    palette_destroy(palette);
}

TEST(a_place_chooses_by_its_leading_digits)
{
    const double whole[] = {-0.7, 0}, place[] = {-1.7685, 0.00124}, near[] = {-1.7685004, 0.00124},
                 mirrored[] = {-1.7685, -0.00124}, other[] = {-1.7687, 0.00124};
    struct palette_choice choice = palette_choose(PALETTES_CURATED, "", whole, 2);
    assert_string_equal(choice.name, "meridian");
    assert_true(choice.offset == PALETTE_OFFSET);
    choice = palette_choose(PALETTES_CURATED, "", place, 2);
    assert_string_equal(palette_choose(PALETTES_CURATED, "", near, 2).name, choice.name);
    assert_string_equal(palette_choose(PALETTES_CURATED, "", mirrored, 2).name, choice.name);
    assert_string_not_equal(palette_choose(PALETTES_CURATED, "", other, 2).name, choice.name);
}

TEST(every_choice_is_a_palette_and_some_are_safe)
{
    for (int set = PALETTES_CURATED; set <= PALETTES_SAFE; set++)
        for (int i = 0; i < 200; i++) {
            const double numbers[] = {i * 0.01, 0};
            struct palette *palette;
            struct palette_choice choice =
                palette_choose((enum palette_set)set, "celtic", numbers, 2);
            assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, choice.name), STATUS_OK);
            assert_true(choice.offset >= 0 && choice.offset < 1);
            assert_true(set == PALETTES_SAFE ? palette_about(palette)->cvd_safe
                                             : palette_about(palette)->cyclic);
            palette_destroy(palette);
        }
}
