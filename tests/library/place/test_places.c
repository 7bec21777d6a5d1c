/* Places of other programs: what each of their files means here, what is refused, and that what is
 * written is read back as the same place. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/view_file.h"
#include "kernels/escape/pixel.h"
#include "library/config/config_view.h"
#include "library/place/place_format.h"
#include "render/view/view.h"
#include "tests/support/check.h"

#define BYTES(text) text, sizeof(text) - 1
#define F3 "program = \"fraktaler-3\"\n"

static const char *value_of(const struct view_file *file, const char *key)
{
    const struct ini_entry *entry = ini_find(&file->ini, "view", key);
    return entry ? entry->value : "";
}

static void text_load(struct view_file *file, const char *text, const char *name)
{
    if (view_file_parse(file, text, strlen(text), name) != STATUS_OK)
        fail_msg("'%s': %s", text, status_text());
}

TEST(test_what_each_format_means)
{
    const struct {
        const char *text;
        const struct place_format *format;
        const char *re, *im, *zoom, *limit, *rotation, *julia;
        bool mirrored;
    } cases[] = {
        {"Re: -0.5\r\nIm: 0.25\r\nZoom: 1E2\r\nIterations: 9\r\nRotateAngle: 30\r\n", &place_kfr,
         "-0.5", "0.25", "1E2", "9", "30", "", true},
        {"Re: 1\nIm: 2\nZoom: 3\nRotateAngle: 30\nImagPointsUp: 1\n", &place_kfr, "1", "2", "3", "",
         "-30", "", false},
        {F3 "version = \"3.1\"\nlocation.real = \"-1.75\"\nlocation.zoom = \"2e5\"\n",
         &place_fraktaler, "-1.75", "0", "2e5", "1024", "", "", false},
        {F3 "location.real = \"\"\"\n-1.\\\n    75\\\n\"\"\"\nlocation.imag = '1e-3'\n"
            "bailout.iterations = 12\ntransform.rotate = -400.5 # turned\n"
            "algorithm.number_types = [\"float\",\n  \"double\", # two\n]\n",
         &place_fraktaler, "-1.75", "1e-3", "1", "12", "-40.5", "", false},
        {"[location]\nreal = \"0.25\"\nimag = \"0\"\nzoom = \"7\"\n[transform]\nreflect = true\n"
         "rotate = 10\n[[formula]]\npower = 2\nabs_x = false\n",
         &place_fraktaler, "0.25", "0", "7", "1024", "-10", "", true},
        {F3 "formula = [ {power = 2, neg_y = false}, { opcodes = \"sqr add\" } ]\n",
         &place_fraktaler, "0", "0", "1", "1024", "", "", false},
        {"iterations = 70\nreal = \"-0.75 \"\nimag = \"0.1\"\nzoom = \"3.7E191\"\nrotate = 45.0\n",
         &place_rust_fractal, "-0.75", "0.1", "3.7E191", "70", "45", "", true},
        {"\xef\xbb\xbf# a place\r\n[location]\r\nreal = -0.75\r\nimag=0.1\r\nzoom = 80\r\n"
         "depth = 600\r\n\r\n[image]\r\nwidth = 960\r\n",
         &place_deepdrill, "-0.75", "0.1", "80", "600", "", "", false},
        {"Formula: Mandelbrot\nLocation:\n\tRe: -1.c\n\tIm: 0.4\n\tSize: 0.08\n\tIterations: 77\n",
         &place_imagina, "-1.75", "0.25", "64", "77", "", "", false},
        {"Location:\n  Re: 0\n  Im: 0\n  Size: 1@-16\n", &place_imagina, "0", "0",
         "36893488147419103232", "", "", "", false},
        {"1600 900 -2 -1 1 1 256 4 the whole set\r\n", &place_fractalshark, "-0.5", "0", "2", "256",
         "", "", false},
        {";Position file\n(initstate)\n(defaultpalette 0)\n(formula 'mandel)\n(maxiter 300)\n"
         "(angle 90)\n(view -0.5 .25 0.01 0.02)\n(letterspersec 5)",
         &place_xaos, "-0.5", "0.25", "200", "300", "-90", "", true},
        {"(formula 'mandel)\n(julia #t)\n(juliaseed -0.4 5e-1)\n(view 0 0 32 2)\n", &place_xaos,
         "0", "0", "0.2222222222222222", "170", "", "-0.4,5e-1", true},
        {"Whole { ; of 1990\n  reset=1960 type=mandel passes=1\n"
         "  center-mag=-1.5/.25/100\\\n    .5 maxiter=1000 colors=00000e<14>00e\n}\n",
         &place_fractint, "-1.5", "0.25", "201", "1000", "", "", false},
        {"a { type=mandel corners=-2.5/1.5/-1.5/1.5 params=0/0 }", &place_fractint, "-0.5", "0",
         "1.3333333333333333", "150", "", "", false},
        {"a { type=julia params=-0.75/0.125 center-mag=0/0/0.5/1/-12.5/0 }", &place_fractint, "0",
         "0", "1", "150", "12.5", "-0.75,0.125", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        text_load(&file, cases[i].text, "x");
        assert_string_equal(file.format->name, cases[i].format->name);
        assert_string_equal(value_of(&file, "re"), cases[i].re);
        assert_string_equal(value_of(&file, "im"), cases[i].im);
        double zoom = strtod(value_of(&file, "zoom"), NULL), wanted = strtod(cases[i].zoom, NULL);
        assert_true(fabs(zoom - wanted) <= 1e-15 * wanted); /* 9/16 is of doubles */
        assert_string_equal(value_of(&file, "limit"), cases[i].limit);
        assert_string_equal(value_of(&file, "rotation"), cases[i].rotation);
        assert_string_equal(value_of(&file, "julia"), cases[i].julia);
        assert_string_equal(value_of(&file, "mirror"), cases[i].mirrored ? "true" : "");
        view_file_destroy(&file);
    }
}

/* Both multiply the offset of a pixel by 2^amount along an angle and divide it by that across: what
 * is seen is longer across. Kalles Fraktaler does so in the plane, whose imaginary axis points down
 * unless it says otherwise; Fraktaler-3 before it turns, and counts in hundredths. Of Fractint a
 * square frame is seen 4:3. */
TEST(test_stretches_are_opened_as_what_they_are)
{
    static const char *const cases[][3] = {
        {"Re: 1\nIm: 2\nZoom: 3\nRotateAngle: 30\nStretchAngle: 20\nStretchAmount: 1\n", "4@-70",
         "30"},
        {"Re: 1\nIm: 2\nZoom: 3\nRotateAngle: 30\nStretchAngle: 20\nStretchAmount: 1\n"
         "ImagPointsUp: 1\n",
         "4@70", "-30"},
        {"Re: 1\nIm: 2\nZoom: 3\nStretchAngle: 20\nStretchAmount: 0\n", "", ""},
        {"Re: 1\nIm: 2\nZoom: 3\nRotate: 1\nRatio: 180\n", "2@32.70422048691768",
         "-57.29577951308232"},
        {"Re: 1\nIm: 2\nRatio: 720\nZoom: 3\n", "0.5@90", ""},
        {"Re: 1\nIm: 2\nZoom: 3\nRotate: -1\nRatio: 360.000000\n", "", "57.29577951308232"},
        {F3 "transform.stretch_amount = 50\ntransform.stretch_angle = 10\n"
            "transform.rotate = 25\n",
         "2@-55", "25"},
        {F3 "transform.stretch_amount = -100\ntransform.stretch_angle = 10\n"
            "transform.rotate = 25\ntransform.reflect = true\n",
         "0.25@75", "-25"},
        {"a {\n corners=0/1/0/1\n}", "1.3333333333333333", ""},
        {"a {\n center-mag=0/0/1/0.5\n}", "2@90", ""},
        {"a {\n center-mag=0/0/1/4/-30\n}", "4@30", "30"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        struct view_shape is = {0}, wanted = {0};
        text_load(&file, cases[i][0], "x");
        assert_int_equal(view_stretch_read(value_of(&file, "stretch"), &is), STATUS_OK);
        assert_int_equal(view_stretch_read(cases[i][1], &wanted), STATUS_OK);
        if (fabs(view_stretch(&is) / view_stretch(&wanted) - 1) > 1e-14 ||
            fabs(remainder(is.stretch_deg - wanted.stretch_deg, 180)) > 1e-12)
            fail_msg("%zu: a stretch of %s instead of %s", i, value_of(&file, "stretch"),
                     cases[i][1]);
        assert_string_equal(value_of(&file, "rotation"), cases[i][2]);
        view_file_destroy(&file);
    }
}

/* Kalles Fraktaler before 2.15 stretches by pixels that are wider or narrower than they are high:
 * at Ratio 180 the image of 160x90 pixels is as that of 320x90 at 360, of which every other column
 * is left out. */
TEST(test_pixels_of_older_kalles_fraktaler_are_as_high_as_before)
{
    struct view_file file;
    text_load(&file, "Re: 1\nIm: 2\nZoom: 5E400\nRatio: 180\n", "x");
    const char *zoom = value_of(&file, "zoom"); /* 5e400 / sqrt(2) */
    assert_memory_equal(zoom, "3.5355339059327", 15);
    assert_non_null(strstr(zoom, "e400"));
    assert_string_equal(value_of(&file, "mirror"), "true");
    view_file_destroy(&file);
}

/* Formulas of Kalles Fraktaler by number and power, of Fraktaler-3 by marks or words. */
TEST(test_formulas_are_opened_as_what_they_are)
{
#define KFR "Re: -1.75\nIm: 0\nZoom: 9\n"
#define XPF(formula) "(formula " formula ")\n(view 0 0 1 1)\n"
#define HYBRID(lines) KFR "UseHybridFormula: 1\nHybridFormula: 0/1|" lines "\n"
    static const char *const cases[][2] = {
        {KFR, ""},
        {KFR "FractalType: 0\nPower: 2\n", ""},
        {KFR "Power: 3\n", "multibrot_3"},
        {KFR "FractalType: 1\nPower: 5\n", "burning_ship_5"},
        {KFR "FractalType: 4\nPower: 3\n", "mandelbar_3"},
        {KFR "Power: 4\nFractalType: 33\n", "simonbrot_4"},
        {KFR "FractalType: 9\n", "perpendicular_buffalo"},
        {KFR "Power: 10\n", "keep, sqr, sqr, mul, sqr, add c"},
        {KFR "FractalType: 60\nPower: 5\n", "keep, absx, absy, sqr, sqr, mul, add c"},
        {KFR "FractalType: 67\nPower: 6\n", "keep, absx, absy, mul, mul, sqr, add c"},
        {F3 "[[formula]]\nabs_x = true\nabs_y = true\n", "burning_ship"},
        {F3 "formula = [{power = 7}]\n", "multibrot_7"},
        {F3 "formula = [{neg_y = true, power = 2}]\n", "tricorn"},
        {F3 "formula = [{opcodes = \"sqr absx add\"}]\n", "celtic"},
        {F3 "formula = [{opcodes = \"store absx absy mul add\"}]\n", "mothbrot"},
        {F3 "formula = [{opcodes = \"sqr add\"}]\n", ""},
        {F3 "formula = [{power = 2}, {power = 3}]\n", "sqr, add c; keep, sqr, mul, add c"},
        {F3 "formula = [{abs_x = true, abs_y = true}, {power = 9}]\n",
         "absx, absy, sqr, add c; keep, sqr, sqr, sqr, mul, add c"},
        {F3 "[[formula]]\n[[formula]]\nneg_y = true\n", "sqr, add c; negy, sqr, add c"},
        {F3 "[[formula]]\nneg_x = true\n", "tricorn"}, /* whose square is the same */
        {F3 "[[formula]]\nneg_x = true\nneg_y = true\npower = 3\n",
         "negx, negy, keep, sqr, mul, add c"},
        {F3 "[[formula]]\nneg_y = true\n[[formula]]\nneg_y = true\n", "tricorn"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 0/1|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0\n", ""},
        {KFR "UseHybridFormula: 0\nHybridFormula: rubbish\nPower: 3\n", "multibrot_3"},
        {KFR "UseHybridFormula: 1\nHybridFormula: "
             "0/2|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0/1|1,1,0,0,2,1,0;0,0,0,0,0,0,0;0\n",
         "sqr, add c; sqr, add c; absx, absy, sqr, add c"},
        {KFR "UseHybridFormula: 1\nHybridFormula: "
             "0/1|0,1,0,1,3,0.5,-1e-1;0,0,0,0,0,0,0;0|1,0,0,0,1,1,0;0,0,0,0,0,0,0;1\n",
         "absy, negy, keep, sqr, mul, scale 0.5 -0.1, absx, add c"},
        {HYBRID("0,0,0,0,1,1,0;1,1,0,0,1,1,0;2"), "mothbrot"},
        {HYBRID("0,0,0,0,3,1,0;1,1,0,0,3,1,0;2"), "simonbrot_6"},
        {HYBRID("1,1,0,0,2,1,0;0,0,0,0,2,1,0;2"), "simonbrot_4"},
        {HYBRID("0,0,0,0,2,1,0;1,1,0,0,4,1,0;2"), "keep, absx, absy, sqr, mul, sqr, add c"},
        {HYBRID("0,0,0,0,4,1,0;1,1,0,0,2,3,0;2"),
         "keep, absx, absy, mul, mul, sqr, scale 3, add c"},
        {HYBRID("0,0,0,0,2,1,0;0,0,0,0,3,1,0;2"), "multibrot_5"},
        {HYBRID("0,0,0,1,2,1,0;0,0,0,0,0,0,0;0|1,0,0,0,1,1,0;0,0,0,0,0,0,0;0"), "mandelbar_celtic"},
        {HYBRID("0,0,0,1,4,1,0;0,0,0,0,0,0,0;0|1,0,0,0,1,1,0;0,0,0,0,0,0,0;0"),
         "quartic_celtic_mandelbar"},
        {HYBRID("0,0,0,1,5,1,0;0,0,0,0,0,0,0;0|1,0,0,0,1,1,0;0,0,0,0,0,0,0;0"),
         "quintic_celtic_mandelbar"},
        {HYBRID("0,0,0,0,2,1,0;0,0,0,0,0,0,0;0|0,0,0,0,3,1,0;0,0,0,0,0,0,0;0"), "multibrot_6"},
        {HYBRID("0,0,0,0,3,1,0;0,0,0,0,0,0,0;0|0,0,0,0,3,1,0;0,0,0,0,0,0,0;0"),
         "keep, sqr, mul, keep, sqr, mul, add c"},
        {HYBRID("1,1,0,0,2,1,0;0,0,0,0,0,0,0;0/1|1,1,1,0,2,1,0;0,0,0,0,0,0,0;0"),
         "absx, absy, sqr, add c; absx, absy, negx, sqr, add c"},
        {HYBRID("1,1,0,0,2,1,0;0,0,0,0,0,0,0;0/1|1,1,1,1,2,1,0;0,0,0,0,0,0,0;0"), "burning_ship"},
        {"a { type=mandellambda center-mag=1/0/0.5 }", "lambda"},
        {"a { type=magnet2j params=0.5/0.25 center-mag=1/0/0.5 }", "magnet_2"},
        {"a { type=manzpower params=0/0/4/0 }", "multibrot_4"},
        {"a { type=manzpower }", ""},
        {"a { type=julzpower params=.5/.25/9 }", "keep, sqr, sqr, sqr, mul, add c"},
        {"a { type=newton params=5 }", "newton_5"},
        {"a { type=newtbasin params=4/1 }", "newton_4"},
        {"a { type=complexbasin }", "newton_3"},
        {"a { type=phoenix }", "phoenix"},
        {"a { type=mandphoenixclx params=0/0/-0.5/0 }", "phoenix"},
        {"a { type=burning-ship params=0/0/2 }", "absx, absy, sqr, negy, add c"},
        {XPF("'mandel6"), "multibrot_6"},
        {XPF("'mandel9"), "pow 9, add c"},
        {XPF("'mbar"), "tricorn"},
        {XPF("'newton"), "newton_3"},
        {XPF("'newton4") "(perturbation 0.25 -.5)", "nova_4"},
        {XPF("'magnet2"), "magnet_2"},
        {XPF("'mlambda"), "lambda"},
        {XPF("'phoenix"), "phoenix"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        text_load(&file, cases[i][0], "x");
        assert_string_equal(value_of(&file, "formula"), cases[i][1]);
        view_file_destroy(&file);
    }
}

/* The c of Julia sets, and where nothing is said that of the program; "" of parameter planes. */
TEST(test_constants_of_xaos_and_fractint)
{
    static const char *const cases[][4] = {
        {XPF("'mandel4") "(julia #t)\n(juliaseed 0.5 -.25)", "multibrot_4", "0.5,-0.25", ""},
        {XPF("'mandel3") "(julia #t)\n(perturbation 1 0)", "multibrot_3", "0,0", ""},
        {XPF("'mandel3") "(julia #f)\n(juliaseed 1 1)", "multibrot_3", "", ""},
        {XPF("'mandel") "(julia #t)\n(juliaseed 1 1)", "julia", "1,1", ""},
        {XPF("'magnet") "(julia #t)\n(juliaseed 1 1)", "magnet_1", "1,1", ""},
        {XPF("'phoenix") "(juliaseed 0.25 -0.5)", "phoenix", "0.25,0", ""},
        {XPF("'phoenix"), "phoenix", "0.56667,0", ""},
        {XPF("'newton") "(perturbation 0.25 0)", "nova", "0.25,0", ""},
        {XPF("'mlambda") "(juliaseed 0.5 0)", "lambda", "", ""},
        {"a { type=lambda }", "lambda", "0.84999999999999998,0.59999999999999998", "0.5"},
        {"a { type=magnet1m }", "magnet_1", "", "0"},
        {"a { type=magnet2m }", "magnet_2", "", "1.1"},
        {"a { type=phoenixcplx params=0.5/0.25/-0.5 }", "phoenix", "0.5,0.25", "0"},
        {"a { type=julzpower params=0.5/0.25 }", "julia", "0.5,0.25", "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        text_load(&file, cases[i][0], "x");
        assert_string_equal(value_of(&file, "formula"), cases[i][1]);
        assert_string_equal(value_of(&file, "julia"), cases[i][2]);
        if (*cases[i][3])
            assert_string_equal(value_of(&file, "re"), cases[i][3]);
        view_file_destroy(&file);
    }
}

/* 2.15.1 of Kalles Fraktaler turned the imaginary part of one formula over. Version says who wrote
 * a file; without it, the keys that only earlier or only later versions write. */
TEST(test_what_a_file_means_depends_on_the_version_that_wrote_it)
{
#define BUFFALO KFR "Power: 2\nFractalType: 2\n"
#define EARLY "sqr, absx, absy, negy, add c"
    static const char *const cases[][3] = {
        {BUFFALO, "buffalo", ""},
        {BUFFALO "Rotate: 0.000000\nRatio: 360.000000\n", EARLY, ""},
        {BUFFALO "Version: 1\nRotate: 0\nRatio: 360\n", EARLY, ""},
        {BUFFALO "Rotate: 1\nRatio: 360\nVersion: 2\n", EARLY, "-57.29577951308232"},
        {BUFFALO "Version: 2\n", EARLY, ""},
        {BUFFALO "Version: 2150100\n", "buffalo", ""},
        {BUFFALO "Version: 2150500\nRotate: 1\nRatio: 180\nRotateAngle: 30\n", "buffalo", "30"},
        {BUFFALO "Rotate: 0\nRatio: 360\nRotateAngle: 30\n", "buffalo", "30"},
        {BUFFALO "Rotate: 0\nRatio: 360\nImagPointsUp: 0\n", "buffalo", ""},
        {KFR "Power: 3\nFractalType: 2\nRotate: 0\nRatio: 360\n", "buffalo_3", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        text_load(&file, cases[i][0], "x");
        assert_string_equal(value_of(&file, "formula"), cases[i][1]);
        assert_string_equal(value_of(&file, "rotation"), cases[i][2]);
        assert_string_equal(value_of(&file, "stretch"), "");
        view_file_destroy(&file);
    }
}

TEST(test_a_formula_without_a_place_is_all_of_its_set)
{
    static const char *const cases[][5] = {
        {"Power: 2\r\nFractalType: 1\r\n", "burning_ship", "-0.35", "-0.55", "true"},
        {"Power: 2\nFractalType: 0\n", "mandelbrot", "-0.7", "0", "true"},
        {"UseHybridFormula: 1\nHybridFormula: 0/1|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0\n", "mandelbrot",
         "-0.7", "0", "true"},
        {"Power: 3\nImagPointsUp: 1\n", "multibrot_3", "0", "0", ""},
        {"[view]\nformula = burning_ship\n", "burning_ship", "-0.35", "-0.55", "true"},
        {"[view]\nformula = nova\njulia = 0.1,0\n", "nova", "0", "0", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        text_load(&file, cases[i][0], "x");
        assert_string_equal(value_of(&file, "formula"), cases[i][1]);
        assert_string_equal(value_of(&file, "re"), cases[i][2]);
        assert_string_equal(value_of(&file, "im"), cases[i][3]);
        assert_string_equal(value_of(&file, "mirror"), cases[i][4]);
        view_file_destroy(&file);
    }
}

TEST(test_what_cannot_be_shown_is_refused)
{
    static const char *const cases[][2] = {
        {"Re: 0\nIm: 0\nZoom: 1\nPower: 33\n", "x:4: FractalType 0 of power 33 is not among"},
        {KFR "FractalType: 57\nPower: 4\n", "x:4: FractalType 57 of power 4 is not among"},
        {"Re: 0\nIm: 0\nZoom: 1\nFractalType: 93\n", "x:4: FractalType 93 of power 2 is not"},
        {"Re: 0\nIm: 0\nZoom: 1\nFractalType: ship\n", "x:4: FractalType is 'ship'; it must be"},
        {"Re: 0\nIm: 0\nZoom: 1\nExponentialMap: 1\n", "x:4: ExponentialMap is '1'"},
        {F3 "formula = [{power = 65}]\n", "x:2: formula[].power is '65': only powers 2 to 64"},
        {F3 "formula = [{opcodes = \"sqr\"}]\n", "x:2: c is not added anywhere"},
        {F3 "formula = [{opcodes = \"absx add\"}]\n", "x:2: list 1 has no power of z"},
        {F3 "formula = [{opcodes = \"sqr mul add\"}]\n", "x:2: list 1 multiplies by what"},
        {KFR "UseHybridFormula: 1\n", "x:4: HybridFormula: the group from which it repeats"},
        {HYBRID("0,0,0,0,1,1,0;1,1,0,0,3,1,0;2"), "x:5: HybridFormula: of products only z^n a^m"},
        {KFR "Version: new\n", "x:4: Version is 'new'; it must be a number of its versions"},
        {"Colors: 1,2,3,4,5,6\n", "x: re is missing; a kfr file needs re, im and zoom (or --re)"},
        {"Power: 3\nRe: 0\n", "x: im is missing; a kfr file needs re, im and zoom (or --im)"},
        {KFR "Ratio: 0\n", "x:4: Ratio is '0'; it must be more than 0"},
        {KFR "Ratio: 1e-5\n", "x:4: the stretch: a stretch of"},
        {KFR "Ratio: 180\nImagPointsUp: 1\n", "x:4: Rotate and Ratio are of versions before"},
        {KFR "Rotate: 1\nRotateAngle: 20\n", "x:4: Rotate and Ratio are of versions before"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 1/1|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0\n",
         "x:5: HybridFormula: only hybrids that repeat from their first"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 0/1|0,0,0,0,2,1,0;0,0,0,0,1,1,0;0\n",
         "x:5: HybridFormula: lines that add"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 0/1|0,0,0,0,2,1,0;0,0,0,0\n",
         "x:5: HybridFormula: two parts of seven numbers"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 0/0|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0\n",
         "x:5: HybridFormula: a group begins with its repetitions"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 0/17|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0\n",
         "x:5: HybridFormula: a group begins with its repetitions"},
        {KFR "UseHybridFormula: 1\nHybridFormula: 0/16|0,0,0,0,2,1,0;0,0,0,0,0,0,0;0/1|"
             "0,0,0,0,2,1,0;0,0,0,0,0,0,0;0\n",
         "x:5: a formula of 34 operations in 17 lists"},
        {F3 "[[formula]]\npower = 2\npower = 3\n", "x:4: formula[].power is '3': it was given"},
        {F3 "formula = [{opcodes = \"add sqr\"}]\n", "x:2: no radius up to 1e+09 is proven"},
        {F3 "formula = [{opcodes = \"sqr sin\"}]\n",
         "x:2: formula[].opcodes is 'sqr sin': only add"},
        {F3 "transform.stretch_amount = 1e3\n", "x:2: the stretch: a stretch of 1.04858e+06"},
        {F3 "transform.stretch_amount = -1e6\n", "x:2: the stretch: it must be more than 0"},
        {F3 "transform.exponential_map = true\n", "x:2: transform.exponential_map is 'true'"},
        {F3 "transform.rotate = \"a\"\n", "x:2: transform.rotate is 'a': it must be a number"},
        {"real = \"0\"\nfractal_type = \"burningship\"\n", "x:2: fractal_type is 'burningship'"},
        {"real = \"0\"\nfractal_power = 3\n", "x:2: fractal_power is '3'"},
        {"Formula: Tricorn\nLocation:\n", "x:1: Formula is 'Tricorn': only the Mandelbrot set"},
        {"Location:\n\tRe: 0\n\tIm: 1.2.3\n", "x:3: Im: not a hexadecimal number"},
        {"Location:\n\tRe: 0\n\tIm: 0\n", "x: zoom is missing; a text of Imagina needs"},
        {"(formula 'octo)\n(view 0 0 1 1)", "x:1: formula is 'octo: only 'mandel, 'mandel3, "},
        {XPF("'newton") "(julia #t)", "x:3: 'newton begins at the pixel, without (julia #t), here"},
        {XPF("'mandel3") "(perturbation 0 1)", "x:3: 'mandel3 begins at 0 here"},
        {XPF("'mlambda") "(julia #f)", "x:3: 'mlambda begins at 0.5, with (julia #t), here"},
        {XPF("'phoenix") "(juliaseed 0.5 -0.4)", "x:3: of 'phoenix only Julia sets with -0.5"},
        {"(view 0 0 1)", "x:1: (view ...) has 3 values instead of 4"},
        {"(view 0 0 0 0)", "x:1: the height of the view: it must be more than 0"},
        {"(view 0 0 1 1)\n(plane 1)", "x:2: plane is 1"},
        {"(view 0 0 1 1)\n(perturbation 0.5 0)", "x:2: 'mandel begins at 0 here"},
        {"(load \"other.xpf\")", "x:1: a place may not load other files"},
        {"(view 0 0 (+ 1 1) 1)", "x:1: a command inside a command"},
        {"(view 0 0 1 1", "x:1: a command without its )"},
        {"a {\n type=halley\n}", "x:2: type=halley: only types mandel, julia, manzpower"},
        {"a {\n type=manzpower params=0/0/2.5\n}", "x:2: params: the degree is 2.5; whole ones"},
        {"a {\n type=manzpower params=0/0/3/1\n}", "x:2: params: number 4 is 1; only 0 is"},
        {"a {\n type=manzpower params=1/0/3\n}", "x:2: params: iteration begins at 0 here"},
        {"a {\n type=newton params=7\n}", "x:2: params: the degree is 7; whole ones from 3 to 6"},
        {"a {\n type=phoenix params=0.5/-0.4\n}", "x:2: params: number 2 is -0.4; only -0.5 is"},
        {"a {\n type=mandphoenixclx\n}", "x:3: params: number 3 is 0.5; only -0.5 is"},
        {"a {\n center-mag=0/0\n}", "x:2: center-mag: it must be re/im/mag"},
        {"a {\n center-mag=0/0/1/1/0/90\n}", "x:2: the frame: it spans no area"},
        {"a {\n corners=0/1e-9/0/1\n}", "x:2: the frame: a stretch of"},
        {"a {\n corners=0/1/0\n}", "x:2: corners: it must be left/right/bottom/top"},
        {"a {\n type=mandel params=1/0\n}", "x:2: params: iteration begins at 0 here"},
        {"a {\n invert=1/0/0\n}", "x:2: invert=1/0/0: inverted planes"},
        {"a {\n type=mandel\n", "x:1: a set { without its }"},
        {"a { colors=@a.map }\n", "x:1: not a place: a set without type"},
        {"frm:a { z = c }\n", "x: there is no place in it"},
        {"a { }\nb { }\n", "x: 2 places; choose one by FILE:NAME or FILE:NUMBER: a, b"},
        {"1 1 0 0 0 1 5 1\n", "x:1: its corners: the corners are those of a frame without a width"},
        {"1 1 0 0 1 1 5 1\nnothing\n", "x:2: not a place: width height"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        assert_int_equal(view_file_parse(&file, cases[i][0], strlen(cases[i][0]), "x"),
                         STATUS_BAD_DATA);
        if (!strstr(status_text(), cases[i][1]))
            fail_msg("'%s' is told by '%s'", cases[i][0], status_text());
    }
}

/* ---- TOML ---- */

TEST(test_toml_that_is_none)
{
    static const char *const cases[][2] = {
        {"a = \"1\nb = 2\n", "x:2: a string that does not end"},
        {"a = \"\"\"1\n", "x:2: a string that does not end"},
        {"a = '1\n", "x:2: a string that does not end"},
        {"a = \"\\q\"\n", "x:2: a backslash"},
        {"a = 1 2\n", "x:2: something follows the value"},
        {"a =\n", "x:2: a value is missing"},
        {"a\n", "x:2: 'a' is not key = value"},
        {"= 1\n", "x:2: '= 1' is not key = value"},
        {"a = 1\na = 2\n", "x:3: a was given in line 2 already"},
        {"a.b = 1\n[a]\nb = 2\n", "x:4: a.b was given in line 2 already"},
        {"a = [1, 2\n", "a comma or ] is missing"},
        {"a = {b = 1\n", "a comma or } is missing"},
        {"[a\n", "x:2: not a table"},
        {"[[a]\n", "x:2: not a table"},
        {"a = [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n", "more than 16 deep"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        char text[200];
        snprintf(text, sizeof text, F3 "%s", cases[i][0]);
        assert_int_equal(view_file_parse(&file, text, strlen(text), "x"), STATUS_BAD_DATA);
        if (!strstr(status_text(), cases[i][1]))
            fail_msg("'%s' is told by '%s'", cases[i][0], status_text());
    }
}

/* ---- colours ---- */

static const char *look_of(const struct view_file *file, const char *key)
{
    const struct ini_entry *entry = ini_find(&file->ini, "look", key);
    return entry ? entry->value : "";
}

/* Blue, green, red. */
TEST(test_colours_of_kalles_fraktaler)
{
    struct view_file file;
    text_load(&file, "Re: 0\nIm: 0\nZoom: 1\nColors: 1,2,3,255,0,16,\nInteriorColor: 9,8,7,\n",
              "x");
    assert_string_equal(look_of(&file, "palette"), "#030201#1000ff");
    assert_string_equal(look_of(&file, "interior"), "#070809");
    view_file_destroy(&file);
    text_load(&file, "Re: 0\nIm: 0\nZoom: 1\nColors: 1,2,3\nMultiColor: 1\n", "x");
    assert_string_equal(look_of(&file, "palette"), "");
    view_file_destroy(&file);
    static const char *const wrong[][2] = {
        {"Colors: 1,2\n", "x:1: Colors: colour 1 is '2'; it must be blue,green,red"},
        {"Colors: 1,2,256,\n", "x:1: Colors: colour 1 is '256,'"},
        {"Colors: 1,-2,5,\n", "x:1: Colors: colour 1 is '-2,5,'"},
        {"InteriorColor: 1,2,3,4,5,6\n", "x:1: InteriorColor has more than 1 colours"},
        {"Colors: 1,2,3\nColors: 1,2,3\n", "x:2: Colors was given in line 1 already"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(view_file_parse(&file, wrong[i][0], strlen(wrong[i][0]), "x"),
                         STATUS_BAD_DATA);
        if (!strstr(status_text(), wrong[i][1]))
            fail_msg("'%s' is told by '%s'", wrong[i][0], status_text());
    }
}

/* The first colour is that of no count. */
TEST(test_colours_of_fractint)
{
    static const char *const cases[][2] = {{"000zzz0Cc00z", "#ffffff#0031a2#0000ff"},
                                           {"000000<2>zzz", "#000000#555555#aaaaaa#ffffff"},
                                           {"000#FF8001zzz", "#ff8001#ffffff"},
                                           {"000#ff0000<2>#ff3000", "#ff0000#ff1000#ff2000#ff3000"},
                                           {"000#FF80", ""},
                                           {"@volcano.map", ""},
                                           {"000zz", ""},
                                           {"<5>000zzz", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        char text[100];
        snprintf(text, sizeof text, "a { type=mandel colors=%s }", cases[i][0]);
        text_load(&file, text, "x");
        assert_string_equal(look_of(&file, "palette"), cases[i][1]);
        view_file_destroy(&file);
    }
}

/* None is left out, and all come back from what is written. */
TEST(test_all_colours_of_fractint_are_kept)
{
    char text[1200] = "a { type=mandel colors=", wanted[255 * 7 + 1];
    size_t used = strlen(text);
    for (int i = 0; i < 256; i++) {
        int level[3] = {i % 10, i / 10 % 10, i / 100};
        used += (size_t)snprintf(text + used, sizeof text - used, "%d%d%d%s", level[0], level[1],
                                 level[2], i % 20 == 19 ? "\\\n  " : "");
        if (i > 0)
            snprintf(wanted + (size_t)7 * (size_t)(i - 1), 8, "#%02lx%02lx%02lx",
                     lround(level[0] * 255.0 / 63), lround(level[1] * 255.0 / 63),
                     lround(level[2] * 255.0 / 63));
    }
    snprintf(text + used, sizeof text - used, " }");
    struct view_file file;
    struct config config;
    text_load(&file, text, "x");
    assert_string_equal(look_of(&file, "palette"), wanted);
    assert_int_equal(config_create(&config), STATUS_OK);
    assert_int_equal(config_apply(&config, &file.ini, "x", STATUS_BAD_DATA), STATUS_OK);
    view_file_destroy(&file);
    const struct place_format *const formats[] = {&place_view, &place_kfr};
    for (int i = 0; i < 2; i++) {
        char *written;
        assert_int_equal(place_to_text(&written, formats[i], &config), STATUS_OK);
        text_load(&file, written, "back");
        assert_string_equal(look_of(&file, "palette"), wanted);
        view_file_destroy(&file);
        free(written);
    }
    config_destroy(&config);
}

/* A byte 0x1a ends a text of DOS, U+2212 is a minus, and 2^64 - 1 are as many iterations as there
 * may be. */
TEST(test_what_other_systems_and_pages_write)
{
    static const struct {
        const char *text;
        size_t length;
        const char *re, *limit;
    } cases[] = {{BYTES("end { type=mandel center-mag=-0.7/0/1.2 maxiter=500 }\r\n\x1a\0\0\x01"),
                  "-0.7", "500"},
                 {BYTES("re = 1\nim = 2\nzoom = 3\n\x1a[look]\n"), "1", ""},
                 {BYTES("[view]\r\nre = 1\r\nim = 2\r\nzoom = 3\r\n\x1a\x1a\x1a"), "1", ""},
                 {BYTES("(view 1 2 1 1)\r\n\x1a("), "1", "170"},
                 {BYTES("\xe2\x88\x92"
                        "0.5 \xe2\x88\x92"
                        "0.25 1e\xe2\x88\x92"
                        "1"),
                  "-0.5", ""},
                 {BYTES("Re: \xe2\x88\x92"
                        "0.5\nIm: 0\nZoom: 1\nIterations: 18446744073709551615\n"),
                  "-0.5", "9223372036854775807"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        if (view_file_parse(&file, cases[i].text, cases[i].length, "x") != STATUS_OK)
            fail_msg("%zu: %s", i, status_text());
        assert_string_equal(value_of(&file, "re"), cases[i].re);
        assert_string_equal(value_of(&file, "limit"), cases[i].limit);
        view_file_destroy(&file);
    }
}

/* ---- one of several ---- */

TEST(test_one_of_several)
{
    static const char text[] = "; a list\nOne { center-mag=1/2/3 }\nSecond one { ; 2nd\n"
                               " center-mag=4/5/6\n}\n";
    static const char *const cases[][2] = {
        {"One", "1"}, {"second ONE", "4"}, {"2", "4"}, {"1", "1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct place_text place = {text, sizeof text - 1, "x", cases[i][0]};
        struct ini ini = {0};
        assert_int_equal(place_fractint.read(&ini, &place), STATUS_OK);
        assert_string_equal(ini_find(&ini, "view", "re")->value, cases[i][1]);
        ini_destroy(&ini);
    }
    const struct place_text place = {text, sizeof text - 1, "x", "Third"};
    struct ini ini = {0};
    assert_int_equal(place_fractint.read(&ini, &place), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "x: no place 'Third'; there are 2: One, Second one"));
    ini_destroy(&ini);
}

/* Each is a view of its own; lines are those of the file. */
TEST(a_file_of_ours_may_have_several_places)
{
    static const char text[] =
        "; of all formulas\n\n[place One]\nre = 1\n[look]\nruns = 2\n"
        "  [place  the second ]\nformula = celtic\nre = 4\n[place 3]\nre 5\n";
    static const char *const cases[][2] = {{"One", "1"}, {"the SECOND", "4"}, {"2", "4"}};
    struct ini ini = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct place_text place = {text, sizeof text - 1, "x", cases[i][0]};
        assert_int_equal(place_view.read(&ini, &place), STATUS_OK);
        assert_string_equal(ini_find(&ini, "view", "re")->value, cases[i][1]);
        assert_int_equal(ini_find(&ini, "look", "runs") != NULL, i == 0);
        assert_int_equal(ini_find(&ini, "view", "formula") != NULL, i > 0);
        ini_destroy(&ini);
    }
    const struct place_text broken = {text, sizeof text - 1, "x", "3"};
    assert_int_equal(place_view.read(&ini, &broken), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "x:11:"));
    const struct place_text none = {text, sizeof text - 1, "x", "fourth"};
    assert_int_equal(place_view.read(&ini, &none), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "no place 'fourth'; there are 3: One, the second, 3"));
    static const char *const wrong[][2] = {
        {"re = 1\n[place a]\nre = 2\n", "x:1: this stands before the first [place]"},
        {"[place a\nre = 2\n", "x:1: a place begins with [place NAME]"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct place_text place = {wrong[i][0], strlen(wrong[i][0]), "x", NULL};
        assert_int_equal(place_view.read(&ini, &place), STATUS_BAD_DATA);
        assert_non_null(strstr(status_text(), wrong[i][1]));
    }
}

/* ---- where pixels are ---- */

/* The points at the middle of the right and of the lower side of an image of 3 x 3, as that program
 * defines it, of a frame that it turns by 90 degrees about 0.25 + 0.5i. */
TEST(test_turned_frames)
{
    const struct {
        const char *text;
        double up;    /* how far the one is above the centre, in pixels, */
        double right; /* the other to the right */
    } cases[] = {
        /* e^(i angle), the imaginary axis up */
        {F3 "location.real=\"0.25\"\nlocation.imag=\"0.5\"\ntransform.rotate=90\n", 1, 1},
        {F3 "location.real=\"0.25\"\nlocation.imag=\"0.5\"\ntransform.rotate=90\n"
            "transform.reflect=true\n",
         -1, 1},
        {"real=\"0.25\"\nimag=\"0.5\"\nzoom=\"1\"\nrotate=90\n", 1, -1},
        {"Re: 0.25\nIm: 0.5\nZoom: 1\nRotateAngle: 90\nImagPointsUp: 1\n", -1, -1},
        {"Re: 0.25\nIm: 0.5\nZoom: 1\nRotateAngle: 90\n", 1, -1},
        {"(view 0.25 0.5 4 4)\n(angle 90)\n", -1, 1},
        {"a { center-mag=0.25/0.5/0.5/1/90/0 }", -1, -1},
        {"a { corners=-1.25/1.75/2.5/-1.5/1.75/-1.5 }", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_file file;
        struct view view = {0};
        struct view_numbers numbers;
        text_load(&file, cases[i].text, "x");
        view.shape.mirrored = *value_of(&file, "mirror") != 0;
        assert_int_equal(view_set(&view, value_of(&file, "re"), value_of(&file, "im"),
                                  value_of(&file, "zoom"),
                                  strtod(value_of(&file, "rotation"), NULL), 3, 3),
                         STATUS_OK);
        assert_int_equal(view_numbers(&view, &numbers), STATUS_OK);
        struct grid grid = view_grid(&numbers, 0, 0, 3, 3);
        double re, im;
        pixel_c(&grid, 2, 1, &re, &im);
        if (fabs(re - 0.25) > 1e-15 || fabs(im - 0.5 - cases[i].up * numbers.step) > 1e-15)
            fail_msg("'%s': %g %+gi", cases[i].text, re, im);
        pixel_c(&grid, 1, 2, &re, &im);
        if (fabs(re - 0.25 - cases[i].right * numbers.step) > 1e-15 || fabs(im - 0.5) > 1e-15)
            fail_msg("'%s': %g %+gi below", cases[i].text, re, im);
        view_destroy(&view);
        view_file_destroy(&file);
    }
}

/* ---- writing ---- */

enum { DIGITS = 100000 };

static void config_fill(struct config *config)
{
    static char re[DIGITS + 4], im[DIGITS + 4];
    uint64_t seed = 5;
    for (int i = 0; i < DIGITS; i++) {
        re[i + 3] = (char)('0' + check_random(&seed) % 10);
        im[i + 3] = (char)('0' + check_random(&seed) % 10);
    }
    memcpy(re, "-1.", 3);
    memcpy(im, "+0.", 3);
    re[DIGITS + 2] = im[DIGITS + 2] = '7';
    const struct {
        enum option_key option;
        const char *text;
    } values[] = {{OPTION_VIEW_RE, re},
                  {OPTION_VIEW_IM, im},
                  {OPTION_VIEW_ZOOM, "1.25e99000"},
                  {OPTION_VIEW_ROTATION, "-33.1"},
                  {OPTION_VIEW_SIZE, "640x360"},
                  {OPTION_VIEW_LIMIT, "1.5e6"},
                  {OPTION_LOOK_PALETTE, "meridian"},
                  {OPTION_LOOK_OFFSET, "0.6"}};
    assert_int_equal(config_create(config), STATUS_OK);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_int_equal(
            config_set(config, values[i].option, values[i].text, "test", STATUS_INTERNAL),
            STATUS_OK);
}

static void same_place(const struct config *config, const struct place_format *format)
{
    struct config back;
    struct view_file file;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    assert_int_equal(format->write(config, stream), STATUS_OK);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(view_file_parse(&file, text, length, "back"), STATUS_OK);
    assert_ptr_equal(file.format, format);
    assert_int_equal(config_create(&back), STATUS_OK);
    assert_int_equal(config_apply(&back, &file.ini, "back", STATUS_BAD_DATA), STATUS_OK);
    assert_string_equal(config_text(&back, OPTION_VIEW_RE), config_text(config, OPTION_VIEW_RE));
    assert_string_equal(config_text(&back, OPTION_VIEW_IM), config_text(config, OPTION_VIEW_IM));
    assert_string_equal(config_text(&back, OPTION_VIEW_ZOOM),
                        config_text(config, OPTION_VIEW_ZOOM));
    assert_int_equal(config_integer(&back, OPTION_VIEW_LIMIT),
                     config_integer(config, OPTION_VIEW_LIMIT));
    assert_true(config_real(&back, OPTION_VIEW_ROTATION) ==
                config_real(config, OPTION_VIEW_ROTATION));
    assert_int_equal(config_boolean(&back, OPTION_VIEW_MIRROR),
                     config_boolean(config, OPTION_VIEW_MIRROR));
    struct view_shape shape, shape_back;
    assert_int_equal(config_view_shape(config, &shape), STATUS_OK);
    assert_int_equal(config_view_shape(&back, &shape_back), STATUS_OK);
    assert_true(fabs(view_stretch(&shape_back) / view_stretch(&shape) - 1) < 1e-14);
    assert_true(fabs(remainder(shape_back.stretch_deg - shape.stretch_deg, 180)) < 1e-12);
    config_destroy(&back);
    view_file_destroy(&file);
    free(text);
}

TEST(test_slopes_of_kalles_fraktaler)
{
    struct config config;
    struct view_file file;
    text_load(&file, "Re: 0\nIm: 0\nZoom: 1\nSlopes: 1\nSlopeRatio: 50\nSlopeAngle: 30\n", "x");
    assert_string_equal(look_of(&file, "relief"), "0.5");
    assert_string_equal(look_of(&file, "light"), "150");
    view_file_destroy(&file);
    text_load(&file, "Re: 0\nIm: 0\nZoom: 1\nSlopes: 0\nSlopeRatio: 50\n", "x");
    assert_string_equal(look_of(&file, "relief"), "0");
    assert_string_equal(look_of(&file, "light"), "");
    view_file_destroy(&file);
    char *text = NULL;
    size_t length = 0;
    config_fill(&config);
    assert_int_equal(config_set(&config, OPTION_LOOK_RELIEF, "0.25", "test", STATUS_INTERNAL),
                     STATUS_OK);
    assert_int_equal(config_set(&config, OPTION_LOOK_LIGHT, "200", "test", STATUS_INTERNAL),
                     STATUS_OK);
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(place_kfr.write(&config, stream), STATUS_OK);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(view_file_parse(&file, text, length, "back"), STATUS_OK);
    assert_string_equal(look_of(&file, "relief"), "0.25");
    assert_string_equal(look_of(&file, "light"), "-160");
    view_file_destroy(&file);
    config_destroy(&config);
    free(text);
}

/* Counts have the same colours there, but for its 1,024 steps. */
TEST(test_colours_are_written_for_kalles_fraktaler)
{
    struct config config;
    struct view_file file;
    char *text = NULL;
    size_t length = 0;
    config_fill(&config);
    assert_int_equal(config_set(&config, OPTION_LOOK_DENSITY, "0.25", "test", STATUS_INTERNAL),
                     STATUS_OK);
    assert_int_equal(
        config_set(&config, OPTION_LOOK_PALETTE, "#010203#040506", "test", STATUS_INTERNAL),
        STATUS_OK);
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(place_kfr.write(&config, stream), STATUS_OK);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(view_file_parse(&file, text, length, "back"), STATUS_OK);
    assert_true(strtod(look_of(&file, "density"), NULL) == 0.25);
    assert_true(fabs(strtod(look_of(&file, "offset"), NULL) - 0.6) <= 0.5 / 1024);
    assert_memory_equal(look_of(&file, "palette"), "#010203", 7);
    assert_memory_equal(look_of(&file, "palette") + 32 * 7, "#040506", 7);
    assert_string_equal(look_of(&file, "interior"), "#000000");
    view_file_destroy(&file);
    config_destroy(&config);
    free(text);
}

TEST(test_what_is_written_is_read_back)
{
    struct config config;
    int written = 0;
    config_fill(&config);
    for (int i = 0; i < place_formats_count; i++)
        if (place_formats[i]->write && place_formats[i] != &place_location) {
            same_place(&config, place_formats[i]);
            config_set(&config, OPTION_VIEW_MIRROR, "true", "test", STATUS_INTERNAL);
            same_place(&config, place_formats[i]);
            config_set(&config, OPTION_VIEW_STRETCH, "2.5@30", "test", STATUS_INTERNAL);
            same_place(&config, place_formats[i]);
            config_set(&config, OPTION_VIEW_MIRROR, "false", "test", STATUS_INTERNAL);
            same_place(&config, place_formats[i]);
            config_set(&config, OPTION_VIEW_STRETCH, "1", "test", STATUS_INTERNAL);
            written++;
        }
    assert_int_equal(written, 3);
    char *text;
    assert_int_equal(place_to_text(&text, &place_location, &config), STATUS_CONFIG);
    assert_null(text); /* it has no rotation */
    assert_int_equal(config_set(&config, OPTION_VIEW_ROTATION, "0", "test", STATUS_INTERNAL),
                     STATUS_OK);
    same_place(&config, &place_location);
    config_destroy(&config);
}

static void formula_comes_back(struct config *config, const char *formula)
{
    struct view_file file;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_int_equal(config_set(config, OPTION_VIEW_FORMULA, formula, "test", STATUS_INTERNAL),
                     STATUS_OK);
    assert_int_equal(place_fraktaler.write(config, stream), STATUS_OK);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(view_file_parse(&file, text, length, "back"), STATUS_OK);
    assert_string_equal(value_of(&file, "formula"), formula);
    view_file_destroy(&file);
    free(text);
}

/* Fraktaler-3 has no word for swaps and signs that are put back. */
static bool has_words(const struct formula_kind *kind)
{
    for (int i = 0; i < kind->operations; i++)
        if (kind->operation[i] >= OPERATION_SWAP)
            return false;
    return true;
}

static void formula_is_refused(struct config *config, const char *formula)
{
    FILE *stream = fopen("/dev/null", "w");
    assert_int_equal(config_set(config, OPTION_VIEW_FORMULA, formula, "test", STATUS_INTERNAL),
                     STATUS_OK);
    assert_int_equal(place_fraktaler.write(config, stream), STATUS_CONFIG);
    assert_int_equal(fclose(stream), 0);
}

TEST(every_formula_of_fraktaler_is_written_and_read_back)
{
    struct config config;
    config_fill(&config);
    for (int step = 1; step < FORMULA_STEPS; step++)
        (has_words(&formula_kinds[step]) ? formula_comes_back
                                         : formula_is_refused)(&config, formula_kinds[step].name);
    formula_comes_back(&config, "absx, absy, sqr, add c; negy, keep, sqr, mul, add c");
    config_destroy(&config);
}

TEST(test_a_julia_set_is_no_place_of_theirs)
{
    struct config config;
    config_fill(&config);
    assert_int_equal(config_set(&config, OPTION_VIEW_JULIA, "0.1,0.2", "test", STATUS_INTERNAL),
                     STATUS_OK);
    FILE *stream = fopen("/dev/null", "w");
    for (int i = 0; i < place_formats_count; i++)
        if (place_formats[i]->write)
            assert_int_equal(place_formats[i]->write(&config, stream),
                             place_formats[i] == &place_view ? STATUS_OK : STATUS_CONFIG);
    fclose(stream);
    config_destroy(&config);
}
