/* Texts to places and back: to the last digit, and nothing hostile gets through. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/config/config.h"
#include "library/settings/place_text.h"
#include "tests/support/check.h"

static enum status paste(struct place *place, const char *text)
{
    return place_text_read(place, text, strlen(text), "clipboard");
}

static void place_open(struct place *place)
{
    assert_int_equal(place_create(place, 640, 480), STATUS_OK);
    assert_string_equal(place->view.re, "-0.7");
    assert_int_equal(place->limit, 0);
    assert_string_equal(place->palette, "meridian");
}

TEST(test_three_numbers)
{
    static const char *const texts[] = {"-1.25 0.5 1e3", "  -1.25,\t0.5\n\n1e3 \r\n",
                                        "-1.25; 0.5; 1e3", "-1.25,0.5,1e3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct place place;
        place_open(&place);
        place.limit = 77;
        place.view.rotation_deg = 3;
        place.formula = (struct formula){.plane = DYNAMIC_PLANE, .c_re = 1, .c_im = 1};
        place.look.density = 9;
        assert_int_equal(paste(&place, texts[i]), STATUS_OK);
        assert_string_equal(place.view.re, "-1.25");
        assert_string_equal(place.view.im, "0.5");
        assert_string_equal(place.view.zoom, "1e3");
        assert_true(place.view.rotation_deg == 0 && place.limit == 77 && place.look.density == 9);
        assert_int_equal(place.formula.plane, PARAMETER_PLANE);
        assert_int_equal(place.view.width, 640);
        place_destroy(&place);
    }
}

TEST(test_other_texts)
{
    struct place place;
    place_open(&place);
    assert_int_equal(paste(&place, "Re: -0.5\nIm: 0.25\nZoom: 2E3\nIterations: 900\n"), STATUS_OK);
    assert_string_equal(place.view.zoom, "2E3");
    assert_int_equal(place.limit, 900);
    assert_int_equal(paste(&place, "# x\nre = 1\nim = 0.5\nzoom = 8\n"), STATUS_OK);
    assert_string_equal(place.view.re, "1");
    assert_int_equal(place.limit, 900);
    assert_int_equal(paste(&place, "[view]\ntitle = A place\nre=0\nim=1\nzoom=4\nrotation=30\n"
                                   "size=9x9\njulia = -0.8,0.156\nbailout = 100\n"
                                   "[look]\npalette = ember\ninterior = \"distance,#102030\"\n"),
                     STATUS_OK);
    assert_string_equal(place.title, "A place");
    assert_string_equal(place.palette, "ember");
    char interior[INTERIOR_TEXT_BYTES];
    interior_text(place.look.interior_kind, place.look.interior, interior);
    assert_string_equal(interior, "distance,#102030");
    assert_true(place.view.rotation_deg == 30 && place.bailout == 100 && place.look.offset == 0.6);
    assert_int_equal(place.view.width, 640); /* the window's own */
    assert_int_equal(place.formula.plane, DYNAMIC_PLANE);
    assert_true(place.formula.c_re == -0.8 && place.formula.c_im == 0.156);
    place_destroy(&place);
}

static void assert_same(const struct place *a, const struct place *b)
{
    assert_string_equal(a->view.re, b->view.re);
    assert_string_equal(a->view.im, b->view.im);
    assert_string_equal(a->view.zoom, b->view.zoom);
    assert_memory_equal(&a->view.rotation_deg, &b->view.rotation_deg, sizeof(double));
    assert_true(view_shape_same(&a->view.shape, &b->view.shape));
    assert_int_equal(a->view.width, b->view.width);
    assert_int_equal(a->view.height, b->view.height);
    assert_int_equal(a->limit, b->limit);
    assert_true(a->bailout == b->bailout && a->look.density == b->look.density &&
                a->look.offset == b->look.offset && a->look.contrast == b->look.contrast &&
                a->look.runs == b->look.runs && a->look.relief == b->look.relief &&
                a->look.lines == b->look.lines && a->look.light_deg == b->look.light_deg &&
                distribution_same(&a->distribution, &b->distribution));
    assert_int_equal(a->formula.plane, b->formula.plane);
    assert_true(a->formula.c_re == b->formula.c_re && a->formula.c_im == b->formula.c_im);
    assert_string_equal(a->palette, b->palette);
    assert_int_equal(a->look.interior_kind, b->look.interior_kind);
    assert_memory_equal(a->look.interior, b->look.interior, sizeof a->look.interior);
    assert_string_equal(a->title, b->title);
}

/* Places by chance, some of thousands of digits: written, read, the same to the last bit. */
TEST(test_there_and_back)
{
    uint64_t seed = 9;
    enum { DIGITS = 3000 };
    static char re[DIGITS + 8], im[DIGITS + 8];
    for (int round = 0; round < 40; round++) {
        struct place place, back;
        char zoom[32], *text;
        size_t digits = round % 4 ? 20 : DIGITS;
        place_open(&place);
        place_open(&back);
        snprintf(re, sizeof re, "-0.7");
        snprintf(im, sizeof im, "0.01");
        for (size_t i = 4; i < digits; i++) {
            re[i] = (char)('0' + check_random(&seed) % 10);
            im[i] = (char)('0' + check_random(&seed) % 10);
        }
        re[digits] = im[digits] = '\0';
        snprintf(zoom, sizeof zoom, "%.17ge%d", 1 + check_random_unit(&seed), (int)digits - 20);
        assert_int_equal(
            view_set(&place.view, re, im, zoom, check_random_unit(&seed) * 360 - 180, 640, 480),
            STATUS_OK);
        place.view.shape = (struct view_shape){round % 3 ? 1 + round : 0, 7 * round, round % 2};
        place.limit = round % 3 ? (int64_t)(check_random(&seed) >> 20) : 0;
        place.look.density = exp2(check_random_unit(&seed) * 8 - 4);
        if (round % 2)
            place.look.density = 0;
        place.look.runs = round % 3 ? check_random_unit(&seed) + 0.1 : 0;
        place.look.offset = check_random_unit(&seed);
        place.look.contrast = check_random_unit(&seed);
        place.look.relief_auto = place.look.lines_auto = false;
        place.look.relief = check_random_unit(&seed);
        place.look.lines = check_random_unit(&seed);
        place.look.light_deg = check_random_unit(&seed) * 360 - 180;
        if (round % 4) {
            place.distribution = (struct distribution){.runs = 1.25, .shade = 0.5};
            for (int i = 0; i < DISTRIBUTION_LEVELS; i++)
                place.distribution.level[i] = 1000 * round + 12.25 * i;
        }
        if (round % 5 == 0)
            place.formula = (struct formula){.plane = DYNAMIC_PLANE,
                                             .c_re = check_random_unit(&seed) - 1,
                                             .c_im = check_random_unit(&seed) / 3};
        if (round % 3 == 1)
            place.formula.step = (enum formula_step)(check_random(&seed) % FORMULA_STEPS);
        snprintf(place.title, sizeof place.title, "%s", round % 2 ? "" : "a; b # c = [d]");
        assert_int_equal(place_text_write(&place, &text), STATUS_OK);
        assert_int_equal(paste(&back, text), STATUS_OK);
        assert_same(&place, &back);
        free(text);
        place_destroy(&place);
        place_destroy(&back);
    }
}

/* A text without colours has those of its place where the viewer's are chosen, and of the viewer
 * where they are not. */
TEST(test_colours_are_chosen_by_the_place)
{
    struct place place, back;
    char *text;
    place_open(&place);
    assert_int_equal(paste(&place, "-1.25 0.5 1e3"), STATUS_OK);
    assert_string_equal(place.palette, "meridian");
    snprintf(place.palette, sizeof place.palette, "auto");
    place.look.offset_auto = true;
    assert_int_equal(paste(&place, "-1.25 0.5 1e3"), STATUS_OK);
    assert_string_not_equal(place.palette, "auto");
    assert_false(place.look.offset_auto);
    assert_int_equal(place_text_write(&place, &text), STATUS_OK);
    place_open(&back);
    assert_int_equal(paste(&back, text), STATUS_OK);
    assert_string_equal(back.palette, place.palette);
    assert_true(back.look.offset == place.look.offset);
    free(text);
    place_destroy(&back);
    place_destroy(&place);
}

/* What is copied is a view file: no more than the place is in it. */
TEST(test_what_is_copied)
{
    struct place place;
    char *text;
    place_open(&place);
    place.limit = 5000;
    assert_int_equal(place_text_write(&place, &text), STATUS_OK);
    assert_string_equal(text,
                        "[view]\nversion = 1\nre = -0.7\nim = 0\nzoom = 1.4\nrotation = 0\n"
                        "size = 640x480\nlimit = 5000\nbailout = 1024\n\n"
                        "[look]\npalette = \"meridian\"\ndensity = auto\nruns = auto\n"
                        "contrast = 0.8\noffset = 0.6\nrelief = auto\nlight = 135\nlines = auto\n"
                        "interior = \"#000000\"\n\n"
                        "[compute]\naccuracy = 0.01\n");
    free(text);
    assert_int_equal(place_text_write_step(&place, &text), STATUS_OK);
    assert_null(strstr(text, "size"));
    assert_int_equal(paste(&place, text), STATUS_OK);
    assert_int_equal(place.view.width, 640);
    free(text);
    place_destroy(&place);
}

TEST(test_hostile_texts_change_nothing)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "1 2",
                                        "1 2 3 4",
                                        "1 2 0",
                                        "1 2 -3",
                                        "1e9 2 3",
                                        "1e 2 3",
                                        "nan 2 3",
                                        "--1 2 3",
                                        "1 2 1e99999999",
                                        "hello",
                                        "[view]\nre=0\nim=0\n",
                                        "[view]\nre=0\nim=0\nzoom=1\nlimit=0\n",
                                        "[view]\nre=0\nim=0\nzoom=1\n[compute]\nranks=9\n",
                                        "[view]\nre=0\nim=0\nzoom=1\n[keys]\nhome=x\n",
                                        "[view]\nre=0\nim=0\nzoom=1\njulia=9999999,0\n",
                                        "[view]\nre=0\nim=0\nzoom=1\nformula=julia\n",
                                        "[view]\nre=0\nim=0\nzoom=1\njulia=99,0\nbailout=4\n",
                                        "Re: 1\nIm: 2\nZoom: 3\nPower: 50\n",
                                        "\x89PNG\r\n\x1a\n"};
    struct place place, before = {0};
    place_open(&place);
    assert_int_equal(place_copy(&before, &place), STATUS_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (paste(&place, texts[i]) != STATUS_BAD_DATA)
            fail_msg("'%s' was taken, or '%s'", texts[i], status_text());
        assert_non_null(strstr(status_text(), "clipboard"));
        assert_same(&place, &before);
    }
    assert_true(place_text_read(&place, "1 2 3\0 4", 8, "x") != STATUS_OK);
    place_destroy(&place);
    place_destroy(&before);
}
