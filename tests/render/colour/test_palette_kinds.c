/* Are the files of other programs read as those programs mean them, and ours written so that the
 * same palette comes back? */
#include "tests/render/colour/palette_read.h"

#include <math.h>

#include "render/colour/palette_file.h"
#include "render/colour/palette_kinds.h"
#include "tests/render/disk/folder.h"

/* ---- what they hold ---- */

/* sRGB values 0 ... 255 at a position of the run. */
static void assert_values(const struct palette *palette, double position, double red, double green,
                          double blue)
{
    const float *value = palette_values(palette)[lround(position * PALETTE_SAMPLES)];
    const double wanted[3] = {red, green, blue};
    for (int c = 0; c < 3; c++)
        if (!(fabs(value[c] - wanted[c]) < 0.6)) /* 0.5 where a position lies between two rows */
            fail_msg("at %g: channel %d is %g, not %g", position, c, (double)value[c], wanted[c]);
}

TEST(maps_are_rings_of_evenly_spaced_colours)
{
    struct palette *palette =
        read_as("a.map", "255 0 0 red, a comment\r\n\n0   255\t0\n0 0 255\n 16 32 64 \n");
    assert_true(palette_about(palette)->cyclic);
    assert_values(palette, 0, 255, 0, 0);
    assert_values(palette, 0.25, 0, 255, 0);
    assert_values(palette, 0.5, 0, 0, 255);
    assert_values(palette, 0.75, 16, 32, 64);
    assert_values(palette, 1, 255, 0, 0);
    palette_destroy(palette);
}

/* Fractint takes the lower eight bits and stops after 256 lines; DOS ends a text with 0x1a. */
TEST(maps_are_read_as_fractint_reads_them)
{
    char text[256 * 12 + 100];
    size_t used = 0;
    for (int i = 0; i < 256; i++)
        used += (size_t)sprintf(text + used, "%d 511 0\n", i + (i == 128 ? 256 : 0));
    strcpy(text + used, "Made with care.\n");
    struct palette *palette = read_as("a.map", text);
    assert_values(palette, 0, 0, 255, 0);
    assert_values(palette, 0.5, 128, 255, 0);
    palette_destroy(palette);
    palette = read_as("a.map", "255 0 0\r\n0 0 255\r\n\x1aj\x01");
    assert_values(palette, 0.5, 0, 0, 255);
    palette_destroy(palette);
}

/* Whatever the file is called. */
TEST(contents_decide_what_a_palette_is)
{
    static const struct {
        const char *name, *text;
        int rgb[3]; /* halfway round */
    } cases[] = {
        {"a.pal", "GIMP Palette\nName: Two\n1 2 3\n255 254 253\n", {255, 254, 253}},
        {"a.csv", "255 0 0\n0 0 255\n", {0, 0, 255}},
        {"a.map", "# cyclic: yes\n0, 1, 0, 0\n0.5, 0, 0, 1\n1, 1, 0, 0\n", {0, 0, 255}},
        {"a.upr",
         "One {\nfractal:\n title=\"a\"\nlayer:\n  opacity=100 method=x\ngradient:\n"
         "  smooth=no index=0 color=255 index=200 color=16711680\nopacity:\n"
         "  smooth=no index=0 opacity=255\nlayer:\n  opacity=10\ngradient:\n"
         "  index=0 color=65280\n}\n",
         {0, 0, 255}},
        {"a.txt", "; a\nOne{gradient: index=0 color=255 index=200 color=16711680}", {0, 0, 255}},
        {"a", "Re: 0\nColors: 0,0,255,255,0,0,\n", {0, 0, 255}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct palette *palette = read_as(cases[i].name, cases[i].text);
        assert_values(palette, 0.5, cases[i].rgb[0], cases[i].rgb[1], cases[i].rgb[2]);
        palette_destroy(palette);
    }
}

TEST(gimp_palettes_have_names_and_comments)
{
    struct palette *palette = read_as("a.gpl", "GIMP Palette\nName: Two\nColumns: 2\n#\n# c\n"
                                               "  1   2   3\tNight\n#\n255 254 253 Name: Day\n");
    assert_string_equal(palette_about(palette)->title, "Two");
    assert_values(palette, 0, 1, 2, 3);
    assert_values(palette, 0.5, 255, 254, 253);
    palette_destroy(palette);
}

/* Blue stands first in those files. */
TEST(kalles_fraktaler_lists_blue_first)
{
    static const char text[] = "Re: -0.5\r\nColors: 255,128,0,1, 2 ,3,\r\nSmooth: 1\r\n";
    for (int i = 0; i < 2; i++) {
        struct palette *palette = read_as(i ? "a.kfp" : "A.KFR", text);
        assert_values(palette, 0, 0, 128, 255);
        assert_values(palette, 0.5, 3, 2, 1);
        palette_destroy(palette);
    }
}

#define SEGMENT(positions, blend, kind) positions " 0 0 0 1 1 1 1 1 " blend " " kind "\n"
#define GRADIENT "GIMP Gradient\nName: G\n"

TEST(gimp_gradients_blend_as_gimp_does)
{
    static const struct {
        const char *text;
        double quarter, half, three_quarters; /* of the segment, 0 ... 1 */
    } cases[] = {
        {GRADIENT "1\n" SEGMENT("0 .5 1", "0", "0 0 0"), .25, .5, .75},
        {GRADIENT "1\n" SEGMENT("0 .25 1", "0", "0"), .5, 2 / 3.0, 5 / 6.0},
        {GRADIENT "1\n" SEGMENT("0 .25 1", "1", "0 0 0"), .5, .7071068, .8660254},
        {GRADIENT "1\n" SEGMENT("0 .5 1", "2", "0 0 0"), .1464466, .5, .8535534},
        {GRADIENT "1\n" SEGMENT("0 .5 1", "3", "0 0 0"), .6614378, .8660254, .9682458},
        {GRADIENT "1\n" SEGMENT("0 .5 1", "4", "0 0 0"), .0317542, .1339746, .3385622},
        {GRADIENT "1\n" SEGMENT("0 .6 1", "5", "0 0 0"), 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct palette *palette = read_as("a.ggr", cases[i].text);
        const double wanted[] = {cases[i].quarter, cases[i].half, cases[i].three_quarters};
        assert_false(palette_about(palette)->cyclic); /* so 0 ... 1 is the first half of a run */
        for (int k = 0; k < 3; k++)
            assert_values(palette, 0.125 * (k + 1), 255 * wanted[k], 255 * wanted[k],
                          255 * wanted[k]);
        palette_destroy(palette);
    }
}

/* Six digits are off by up to a millionth, and a sphere has no value beyond its ends. */
TEST(gimp_gradients_may_end_a_little_early)
{
    static const char *const blends[] = {"1", "3", "4"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, GRADIENT "1\n0.000001 .5 .999999 1 1 1 1 .5 .5 .5 1 %s 0\n",
                 blends[i]);
        struct palette *palette = read_as("a.ggr", text);
        assert_values(palette, 0, 255, 255, 255);
        assert_values(palette, 0.5, 127.5, 127.5, 127.5);
        palette_destroy(palette);
    }
}

TEST(gimp_gradients_turn_through_hues)
{
    struct palette *up = read_as("up.ggr", GRADIENT "2\n0 .25 .5 1 0 0 1 0 1 1 1 0 1 0 0\n"
                                                    ".5 .75 1 0 1 1 1 1 0 0 1 0 1 0 0\n");
    assert_true(palette_about(up)->cyclic);
    assert_values(up, 0.25, 128, 255, 0);
    assert_values(up, 0.75, 128, 0, 255);
    palette_destroy(up);
    struct palette *down = read_as("down.ggr", GRADIENT "2\n0 .25 .5 1 0 0 1 0 1 1 1 0 2 0 0\n"
                                                        ".5 .75 1 0 1 1 1 1 0 0 1 0 2 0 0\n");
    assert_values(down, 0.25, 128, 0, 255);
    assert_values(down, 0.75, 128, 255, 0);
    palette_destroy(down);
}

static const char two_gradients[] = "comment { any { thing\nat = all; }\n"
                                    "First {\ngradient:\n  title=\"One, of two\" smooth=no ; x\n"
                                    "  index=0 color=255 index=100 color=65280 \\\n"
                                    "  index=300 color=16711680\nopacity:\n"
                                    "  smooth=no index=0 opacity=255\n}\n"
                                    "Second{gradient: smooth=yes rotation=-100\r\n"
                                    "index=-100 color=197121 index=500 color=16777215}\n";

/* "FILE:First" of a file of this name with both, and its palette. */
static struct palette *first_of_two(void **state, const char *file, char path[4096],
                                    char name[4200])
{
    struct palette *palette;
    snprintf(path, 4096, "%s", in_folder(state, file));
    file_fill(path, two_gradients);
    snprintf(name, 4200, "%s:First", path);
    assert_int_equal(palette_load(&palette, "", name), STATUS_OK);
    return palette;
}

IN_FOLDER(one_of_several_gradients_is_chosen_whatever_their_file_is_called)
{
    char path[4096], name[4200];
    struct palette *palette = first_of_two(state, "two.upr", path, name);
    assert_values(palette, 0.25, 0, 255, 0);
    palette_destroy(palette);
    file_fill(path, "GIMP Palette\n1 2 3\n4 5 6\n");
    assert_int_equal(palette_load(&palette, "", name), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "it holds one gradient, so 'First' cannot be chosen"));
}

IN_FOLDER(ultra_fractal_goes_round_in_400_steps)
{
    char path[4096], name[4200];
    struct palette *palette = first_of_two(state, "two.ugr", path, name);
    assert_string_equal(palette_about(palette)->title, "One, of two");
    assert_values(palette, 0, 255, 0, 0);
    assert_values(palette, 0.125, 127.5, 127.5, 0); /* straight lines, in sRGB values */
    assert_values(palette, 0.25, 0, 255, 0);
    assert_values(palette, 0.75, 0, 0, 255);
    assert_values(palette, 0.875, 127.5, 0, 127.5);
    palette_destroy(palette);
    /* -100 and 500 turned back by 100 are 200 and 0. */
    snprintf(name, sizeof name, "%s:Second", path);
    assert_int_equal(palette_load(&palette, "", name), STATUS_OK);
    assert_values(palette, 0, 255, 255, 255);
    assert_values(palette, 0.5, 1, 2, 3);
    palette_destroy(palette);
    snprintf(name, sizeof name, "%s:One, of two", path);
    assert_int_equal(palette_load(&palette, "", name), STATUS_OK);
    palette_destroy(palette);
}

static enum status name_add(void *context, const char *name, const struct palette *palette)
{
    strcat(strcat(context, name), palette ? "*" : "|");
    return STATUS_OK;
}

IN_FOLDER(one_of_several_is_asked_for_by_name)
{
    struct palette *palette;
    char path[4096], name[4200], names[200] = "";
    bool several;
    snprintf(path, sizeof path, "%s", in_folder(state, "two.ugr"));
    file_fill(path, two_gradients);
    assert_int_equal(palette_gradients(path, PALETTE_NAMES, name_add, names, &several), STATUS_OK);
    assert_true(several);
    assert_int_equal(palette_gradients(path, PALETTE_COLOURS, name_add, names, &several),
                     STATUS_OK);
    assert_string_equal(names, "First|Second|First*Second*");
    assert_int_equal(palette_load(&palette, "", path), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "line 11: a second gradient, 'Second'; name the one"));
    assert_non_null(strstr(status_text(), "two.ugr:First"));
    snprintf(name, sizeof name, "%s:Third", path);
    assert_int_equal(palette_load(&palette, "", name), STATUS_NO_INPUT);
    assert_non_null(strstr(status_text(), "none of its 2 gradients is 'Third'"));
    /* A colon elsewhere, or in a file that is there, is a part of the path. */
    assert_int_equal(palette_load(&palette, "", "/nowhere/a:b.csv"), STATUS_NO_INPUT);
    assert_non_null(strstr(status_text(), "cannot open the palette /nowhere/a:b.csv"));
    snprintf(name, sizeof name, "%s:x.csv", path);
    file_fill(name, "0,0,0,0\n1,1,1,1\n");
    assert_int_equal(palette_load(&palette, "", name), STATUS_OK);
    palette_destroy(palette);
    several = true;
    assert_int_equal(palette_gradients(name, PALETTE_NAMES, name_add, names, &several), STATUS_OK);
    assert_false(several);
}

/* ---- what is refused ---- */

static const struct {
    const char *name, *text, *message;
} bad[] = {
    {"a.map", "", "line 0: the file ends after 0 colours; two or more"},
    {"a.map", "1 2 3\n", "line 1: the file ends after 1 colour;"},
    {"a.map", "1 2 3\n4 5\n", "line 2: the blue is not a whole number from 0 to 255"},
    {"a.map", "1 2 65536\n", "line 1: the blue is not a whole"},
    {"a.map", "1 -2 3\n", "line 1: the green is not a whole"},
    {"a.map", "1 2 3.5\n", "line 1: the blue is not"},
    {"a.map", "\n99999999999999999999 2 3\n", "line 2: the red is not"},
    {"a.map", "1,2,3\n", "line 1: the red is not"},
    {"a.gpl", "1 2\n4 5 6\n", "line 1: not a palette of GIMP; the first line must be"},
    {"a.upr", "a {\n::tDPGrbu2tz\n}\n", "line 2: compressed parameters of Ultra Fractal"},
    {"a.gpl", "GIMP Palette\n1 2 3\nName: late\n", "line 3: the red is not a whole"},
    {"a.gpl", "GIMP Palette\nName: x\n", "line 2: the file ends after 0 colours"},
    {"a.kfp", "Re: 1\n", "line 1: the file ends without a line 'Colors:"},
    {"a.kfp", "Colors: \n", "line 1: the file ends after 0 colours"},
    {"a.kfp", "Colors: 1,2\n", "line 1: 2 numbers in Colors; every colour takes three"},
    {"a.kfp", "\nColors: 1,2,3,4,5,256,\n", "line 2: number 6 of Colors is not a whole"},
    {"a.kfp", "Colors: 1,2,,4,5,6\n", "line 1: number 3 of Colors is not"},
    {"a.kfp", "Colors: 1 2 3\n", "line 1: expected a comma after number 1 of Colors"},
    {"a.kfr", "Colors: 1,2,3,4,5,6\nColors: 1,2,3\n", "line 2: 'Colors:' a second time"},
    {"a.ggr", "GIMP Gradients\n", "line 1: not a gradient of GIMP"},
    {"a.ggr", "GIMP Gradient\nName: x\n", "line 2: expected the number of segments, 1 ... 4097"},
    {"a.ggr", "GIMP Gradient\n0\n", "line 2: expected the number of segments"},
    {"a.ggr", "GIMP Gradient\n4098\n", "line 2: expected the number of segments"},
    {"a.ggr", "GIMP Gradient\n2\n0 .5 1 0 0 0 1 1 1 1 1 0 0 0 0\n",
     "line 3: the file ends after 1"},
    {"a.ggr", GRADIENT "1\n0 .5 1 0 0 0 1\n", "line 4: 7 fields; a segment has 13 or 15"},
    {"a.ggr", GRADIENT "1\n0 x 1 0 0 0 1 1 1 1 1 0 0\n", "line 4: field 2 is not a number"},
    {"a.ggr", GRADIENT "1\n0 nan 1 0 0 0 1 1 1 1 1 0 0\n", "line 4: field 2 is not a number"},
    {"a.ggr", GRADIENT "1\n0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5\n", "line 4: more than 15 fields"},
    {"a.ggr", GRADIENT "1\n" SEGMENT(".1 .5 1", "0", "0"), "line 4: the segment begins at 0.1"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .9 .8", "0", "0"), "line 4: positions 0, 0.9, 0.8; they"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1.1", "0", "0"), "line 4: positions 0, 0.5, 1.1;"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .3 .6", "0", "0"), "line 4: the file ends at position 0.6"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1", "6", "0"), "line 4: blending 6; it must be 0 ... 5"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1", "0", "3"), "line 4: colouring 3; it must be 0 ..."},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1", "0", ".5"), "line 4: colouring 0.5; it must be"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1", "0", "0 1 0"),
     "line 4: an end takes the foreground"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1", "0", "0 0 9"), "line 4: right kind 9; it must be"},
    {"a.ggr", GRADIENT "1\n0 .5 1 0 0 1.5 1 1 1 1 1 0 0\n", "line 4: field 6 is 1.5; a colour is"},
    {"a.ggr", GRADIENT "1\n" SEGMENT("0 .5 1", "0", "0") "0\n", "line 5: more than the 1 segments"},
    {"a.ugr", "", "line 1: the file ends without a gradient"},
    {"a.ugr", "; nothing\n", "line 2: the file ends without a gradient"},
    {"a.ugr", "a\nb {\n", "line 1: expected 'NAME {'"},
    {"a.ugr", "{ gradient: }", "line 1: expected 'NAME {'"},
    {"a.ugr", "a {\ngradient:\nindex=0 color=0\n", "line 4: the file ends inside 'a'; '}' is"},
    {"a.ugr", "comment {\nand so on", "line 2: the file ends inside a comment"},
    {"a.ugr", "a { gradient: }", "line 1: the gradient 'a' has no colours"},
    {"a.ugr", "a { opacity: index=0 color=5 }", "line 1: the gradient 'a' has no colours"},
    {"a.ugr", "a { gradient:\n color=5 }", "line 2: a color without an index before it"},
    {"a.ugr", "a { gradient: index=0\ncolor=16777216 }", "line 2: color is not a whole number fr"},
    {"a.ugr", "a { gradient: index=0 color=-1 }", "line 1: color is not a whole number from 0"},
    {"a.ugr", "a { gradient: index=1.5 color=1 }", "line 1: index is not a whole number"},
    {"a.ugr", "a { gradient: rotation=1e9 }", "line 1: rotation is not a whole number"},
    {"a.ugr", "a { gradient: smooth=maybe }", "line 1: smooth must be yes or no"},
    {"a.ugr", "a { gradient: index }", "line 1: expected key=value, such as"},
    {"a.ugr", "a { gradient:\nindex=0 color=0\nb {\n", "line 3: expected key=value"},
    {"a.ugr", "a { gradient: index=0 color=0 {", "line 1: '{' inside a gradient; is a '}' missing"},
};

TEST(bad_files_are_refused_with_their_line)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(bad[i].name, bad[i].text, bad[i].message);
}

TEST(too_many_colours_are_refused)
{
    size_t bytes = (PALETTE_STOPS_MAX + 4) * 32, used[3] = {0};
    char *text[3] = {malloc(bytes), malloc(bytes), malloc(bytes)};
    static const char *const names[3] = {"a.gpl", "a.kfp", "a.ugr"};
    used[0] = (size_t)sprintf(text[0], "GIMP Palette\n");
    used[1] = (size_t)sprintf(text[1], "Colors: ");
    used[2] = (size_t)sprintf(text[2], "a { gradient:\n");
    for (int i = 0; i < PALETTE_STOPS_MAX; i++) {
        used[0] += (size_t)sprintf(text[0] + used[0], "0 0 %d\n", i % 256);
        used[1] += (size_t)sprintf(text[1] + used[1], "0,0,%d,", i % 256);
        used[2] += (size_t)sprintf(text[2] + used[2], "index=%d color=%d\n", i % 400, i);
    }
    strcpy(text[2] + used[2], "}");
    for (int i = 0; i < 3; i++) {
        struct palette *palette;
        assert_int_equal(palette_parse(&palette, text[i], strlen(text[i]), names[i]),
                         STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), "more than 4096 colours"));
        free(text[i]);
    }
}

static enum status gradient_count(void *context, const char *name, const struct palette *palette)
{
    (void)name, (void)palette;
    ++*(int *)context;
    return STATUS_OK;
}

/* A list ends; one of them can still be had. */
TEST(too_many_gradients_are_not_listed)
{
    static const char one[] = "a { gradient: index=0 color=0 }\n";
    char *all = malloc((PALETTE_GRADIENTS_MAX + 1) * sizeof one);
    struct palette_text text;
    struct palette *palette = NULL;
    const struct palette_kind *kind = palette_kind_of("a.ugr");
    size_t used = 0;
    int count = 0;
    for (int i = 0; i <= PALETTE_GRADIENTS_MAX; i++)
        used += (size_t)sprintf(all + used, "%s", one);
    all[used - sizeof one + 1] = 'z'; /* the last one's name */
    assert_int_equal(palette_text_open(&text, all, used, "a.ugr"), STATUS_OK);
    assert_int_equal(kind->each(&text, PALETTE_NAMES, gradient_count, &count), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "line 4097: more than 4096 gradients"));
    assert_int_equal(count, PALETTE_GRADIENTS_MAX);
    assert_int_equal(palette_text_open(&text, all, used, "a.ugr"), STATUS_OK);
    assert_int_equal(kind->read(&palette, &text, "z"), STATUS_OK);
    palette_destroy(palette);
    free(all);
}

/* ---- the list of kinds, and writing ---- */

TEST(every_kind_is_whole)
{
    int written = 0;
    for (int i = 0; i < palette_kinds_count; i++) {
        const struct palette_kind *kind = palette_kinds[i];
        char path[40];
        assert_true(kind->suffix[0] == '.' && kind->summary[0] && !kind->stops != !kind->read);
        snprintf(path, sizeof path, "x/y%s", kind->suffix);
        assert_ptr_equal(palette_kind_of(path), kind);
        snprintf(path, sizeof path, "x/%s", kind->suffix); /* a hidden file has no suffix */
        assert_null(palette_kind_of(path));
        written += kind->write != NULL;
    }
    assert_int_equal(written, 2);
}

/* Written and read back, the table is the same: 0.001 of light, and a fourth of an 8-bit step, so
 * that dark colours are too. */
static void assert_comes_back(const struct palette *palette, const char *name, const char *path)
{
    struct palette *again;
    if (palette_save(palette, path, OVERWRITE_YES) != STATUS_OK ||
        palette_load(&again, "", path) != STATUS_OK)
        fail_msg("%s: %s", name, status_text());
    assert_int_equal(palette_about(again)->cyclic, palette_about(palette)->cyclic);
    for (int row = 0; row <= PALETTE_SAMPLES; row++)
        for (int c = 0; c < 3; c++) {
            double light = palette_table(again)[row][c] - palette_table(palette)[row][c];
            double value = palette_values(again)[row][c] - palette_values(palette)[row][c];
            if (!(fabs(light) < 1e-3 && fabs(value) < 0.25))
                fail_msg("%s, %s, row %d: off by %g of light, %g of 255", name, path, row, light,
                         value);
        }
    palette_destroy(again);
}

/* All of ours, and what is hard to write: edges, one colour after each row, a ring of one colour.
 */
IN_FOLDER(what_is_written_comes_back)
{
    static const char edges[] =
        GRADIENT "3\n0 .1 .2 1 0 0 1 1 0 0 1 0 0\n"
                 ".2 .5 .7 0 0 0 1 0 0 1 1 5 0\n.7 .8 1 0 1 0 1 1 0 0 1 3 0\n";
    char names[2048], path[4096], *noise = malloc(PALETTE_STOPS_MAX * 16);
    size_t used = 0;
    unsigned seed = 1;
    for (int i = 0; i < PALETTE_STOPS_MAX - 1; i++, seed = seed * 1103515245u + 12345u)
        used += (size_t)sprintf(noise + used, "%u %u %u\n", seed >> 8 & 255, seed >> 16 & 255,
                                seed >> 24);
    const struct {
        const char *name, *text;
    } hard[] = {{"edges.ggr", edges},
                {"noise.map", noise},
                {"one.ugr", "a{gradient: index=7 color=9}"},
                {"back.csv", "0,.5,.5,.5\n.5,1,0,0\n1,.5,.5,.5\n"}};
    palette_names(DEEPFIELD_ASSETS, names, sizeof names);
    for (int kind = 0; kind < 2; kind++) {
        snprintf(path, sizeof path, "%s", in_folder(state, kind ? "out.ggr" : "out.csv"));
        for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
            struct palette *palette = read_as(hard[i].name, hard[i].text);
            if (strcmp(hard[i].name, "back.csv") != 0) /* comes back as a ring: the same table */
                assert_comes_back(palette, hard[i].name, path);
            palette_destroy(palette);
        }
        char list[2048], *rest = strcpy(list, names), *name;
        while ((name = strtok_r(rest, ", ", &rest))) {
            struct palette *palette;
            assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, name), STATUS_OK);
            assert_comes_back(palette, name, path);
            palette_destroy(palette);
        }
    }
    free(noise);
}

IN_FOLDER(comments_are_written_too)
{
    struct palette *palette, *again;
    assert_int_equal(palette_load(&palette, DEEPFIELD_ASSETS, "ocean"), STATUS_OK);
    assert_int_equal(palette_save(palette, in_folder(state, "h.csv"), OVERWRITE_NO), STATUS_OK);
    assert_int_equal(palette_load(&again, "", in_folder(state, "h.csv")), STATUS_OK);
    assert_memory_equal(palette_about(again), palette_about(palette), sizeof(struct palette_about));
    palette_destroy(again);
    assert_int_equal(palette_save(palette, in_folder(state, "h.csv"), OVERWRITE_NO),
                     STATUS_CANNOT_CREATE);
    assert_int_equal(palette_save(palette, in_folder(state, "h.map"), OVERWRITE_NO), STATUS_USAGE);
    assert_non_null(strstr(status_text(), "it can be .csv, .ggr, or .png"));
    palette_destroy(palette);
}
