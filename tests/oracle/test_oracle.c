/* Do two proofs that share no code and no method come to the same counts, and the program too?
 *
 *     test_oracle ORACLE DEEPFIELD
 *
 * render/truth/truth.c carries an error ball; tests/oracle/oracle.c carries rectangles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/formula_text.h"
#include "render/truth/truth.h"
#include "tests/support/check.h"
#include "tests/support/rational_words.h"

enum { PIXELS = 60, SEED = 1 };

struct place {
    const char *name, *re, *im, *zoom;
    double rotation_deg;
    int32_t width, height;
    int64_t limit;
    double bailout;
    const char *julia_re, *julia_im; /* c of a Julia set; NULL: the pixel is c */
};

enum { WORDS_BYTES = 1000 };

/* What is iterated at a place, in the parameter plane, and of how many pixels. */
struct wanted {
    struct formula formula;
    int pixels;
};

static const char *oracle, *deepfield;
static char folder[] = "/tmp/deepfield-oracle-XXXXXX"; /* of this run */

static void path_in_folder(char path[static 100], const char *name)
{
    snprintf(path, 100, "%s/%s", folder, name);
}

/* Random pixels of the place, one `x y` per line. */
static void pixels_write(const struct place *place, int pixels, const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    uint64_t random = SEED;
    for (int i = 0; i < pixels; i++)
        fprintf(file, "%d %d\n", (int)(check_random(&random) % (uint64_t)place->width),
                (int)(check_random(&random) % (uint64_t)place->height));
    assert_int_equal(fclose(file), 0);
}

/* The formula as the oracle's option; "" for z^2 + c, which it knows. */
static void words_of(const struct formula *formula, char words[WORDS_BYTES])
{
    static const char letters[] = {
        [OPERATION_ABS_X] = 'x', [OPERATION_ABS_Y] = 'y', [OPERATION_NEG_X] = 'X',
        [OPERATION_NEG_Y] = 'Y', [OPERATION_KEEP] = 'k',  [OPERATION_MUL] = 'm',
        [OPERATION_SQR] = 's',   [OPERATION_ADD] = 'c',   [OPERATION_SWAP] = 'w',
        [OPERATION_SCALE] = 'f', [OPERATION_SIGN_Y] = 'g'};
    int length = 0;
    words[0] = '\0';
    if (formula_rational(formula)) {
        int row = (int)formula->step - FORMULA_STEPS;
        snprintf(words, WORDS_BYTES, "--rational '%s' %s %s", rational_words[row].step,
                 rational_words[row].ends, rational_words[row].begin);
        return;
    }
    if (!formula_quadratic(formula))
        length = snprintf(words, WORDS_BYTES, "--formula '");
    for (int p = 0; p < formula_phases(formula) && !formula_quadratic(formula); p++) {
        struct formula_phase list = formula_phase(formula, p);
        int factors = 0;
        if (p)
            length += snprintf(words + length, (size_t)(WORDS_BYTES - length), "/");
        for (int i = 0; i < list.operations; i++) {
            length += snprintf(words + length, (size_t)(WORDS_BYTES - length), "%c",
                               letters[list.operation[i]]);
            if (list.operation[i] != OPERATION_SCALE)
                continue;
            length += snprintf(words + length, (size_t)(WORDS_BYTES - length), "(%.17g,%.17g)",
                               list.factor[factors][0], list.factor[factors][1]);
            factors++;
        }
    }
    if (length)
        snprintf(words + length, (size_t)(WORDS_BYTES - length), "'");
}

/* The oracle at work on these pixels; closed with pclose. */
static FILE *oracle_ask(const struct place *place, const struct wanted *wanted)
{
    char pixels[100], command[3000], words[WORDS_BYTES];
    path_in_folder(pixels, "pixels");
    pixels_write(place, wanted->pixels, pixels);
    words_of(&wanted->formula, words);
    snprintf(command, sizeof command, "'%s' %s %s %s %s %d %d %lld %.17g %.17g %s %s < %s", oracle,
             words, place->re, place->im, place->zoom, place->width, place->height,
             (long long)place->limit, place->bailout, place->rotation_deg,
             place->julia_re ? place->julia_re : "", place->julia_im ? place->julia_im : "",
             pixels);
    FILE *answers = popen(command, "r");
    assert_non_null(answers);
    return answers;
}

struct answer {
    int x, y;
    long long count; /* -1: not decided */
};

static int answer_read(FILE *answers, struct answer *answer)
{
    long bits;
    return fscanf(answers, "%d %d %lld %ld", &answer->x, &answer->y, &answer->count, &bits) == 4;
}

/* ---- the two proofs ------------------------------------------------------------------------- */

static void agree_on(const struct place *place, const struct wanted *wanted)
{
    FILE *answers = oracle_ask(place, wanted);
    struct view view = {.re = (char *)place->re,
                        .im = (char *)place->im,
                        .zoom = (char *)place->zoom,
                        .rotation_deg = place->rotation_deg,
                        .width = place->width,
                        .height = place->height};
    struct formula formula = wanted->formula;
    if (place->julia_re) {
        formula.plane = DYNAMIC_PLANE;
        formula.c_re = strtod(place->julia_re, NULL);
        formula.c_im = strtod(place->julia_im, NULL);
    }
    struct answer answer;
    int compared = 0, escaped = 0;
    while (answer_read(answers, &answer)) {
        struct truth truth;
        assert_int_equal(truth_pixel(&view, &formula, answer.x, answer.y, place->limit,
                                     place->bailout, NULL, &truth),
                         STATUS_OK);
        if (answer.count < 0 || !truth.certified)
            continue;
        if (answer.count != truth.count)
            fail_msg("%s, pixel %d %d: oracle %lld, truth %lld", place->name, answer.x, answer.y,
                     answer.count, (long long)truth.count);
        compared++;
        escaped += answer.count > 0;
    }
    assert_int_equal(pclose(answers), 0);
    printf("%s: %d pixels agree, %d escaped\n", place->name, compared, escaped);
    assert_true(compared >= wanted->pixels * 9 / 10);
}

TEST(both_proofs_agree)
{
    static const struct place places[] = {
        {"whole set", "-0.7", "0", "1.4", 0, 1920, 1080, 1000, 1024, NULL, NULL},
        {"whole set, turned, odd sides, small bailout", "-0.7", "0", "1.4", 33, 1001, 777, 300, 2.5,
         NULL, NULL},
        {"cusp", "0.27", "0", "100", 0, 640, 360, 1500, 1024, NULL, NULL},
        {"needle", "-1.75487766624669272452763379988028", "0", "45", 0, 640, 360, 800, 1024, NULL,
         NULL},
        {"seahorse", "-0.74530835472480427839059302641544", "0.11260674477106240309876028504732",
         "4e5", 0, 3840, 2160, 1500, 1024, NULL, NULL},
        {"minibrot, turned", "-0.74462036721582258724794201043551",
         "0.11256363280298738172024997084009", "2.5e10", -45.5, 640, 360, 3000, 1024, NULL, NULL},
        {"Misiurewicz point, far beyond doubles", "-0.77568376800905380896722363104345",
         "0.13646736829469011120785637558583", "1e30", 0, 640, 360, 3000, 1024, NULL, NULL},
        {"Julia set, dust, turned", "0", "0", "1.2", 20, 640, 360, 1000, 1024, "-0.8", "0.156"},
        {"Julia set, rabbit, small bailout", "0.1", "0.3", "7", 0, 640, 360, 2000, 2.5, "-0.123",
         "0.745"},
        {"Julia set, circle", "0", "0", "1", 0, 641, 361, 500, 2, "0", "0"},
        {"Julia set, deep at its fixed point", "1.5275031186435346", "-0.07591217835228786", "1e9",
         0, 640, 360, 3000, 1024, "-0.8", "0.156"},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        agree_on(&places[i], &(struct wanted){.pixels = PIXELS});
}

/* The whole set, an edge with folds through the view, a Julia set; of the first ones every formula,
 * of the others one in three, and all if `long`. */
TEST(both_proofs_agree_on_formulas)
{
    static const struct place places[] = {
        {"whole", "-0.2", "-0.1", "0.9", 0, 320, 180, 200, 1024, NULL, NULL},
        {"edge", "-1.2", "-0.01", "30", 20, 320, 180, 300, 2.5, NULL, NULL},
        {"Julia set", "0.1", "0", "1.1", 0, 320, 180, 200, 1024, "-0.6", "0.35"},
    };
    for (int step = STEP_mandelbrot + 1; step < FORMULA_STEPS; step++)
        for (int i = 0; i < 3; i++)
            if (i == 0 || step % 3 == i || check_long()) {
                struct place place = places[i];
                place.name = formula_kinds[step].name;
                agree_on(&place, &(struct wanted){{.step = (enum formula_step)step}, 12});
            }
    const struct place mast = {"the ship's mast",
                               "-1.7579317963",
                               "-0.052705991307",
                               "220",
                               0,
                               320,
                               180,
                               1500,
                               1024,
                               NULL,
                               NULL};
    agree_on(&mast, &(struct wanted){{.step = STEP_burning_ship}, 24});
}

/* Formulas that divide or converge, of a pixel's c and z_0, and where steps are small. */
TEST(both_proofs_agree_on_rational_formulas)
{
    static const struct place places[] = {
        {"whole", "0.5", "-0.1", "0.8", 0, 320, 180, 200, 1024, NULL, NULL},
        {"edge, turned", "1.2", "0.6", "30", 20, 320, 180, 300, 20, NULL, NULL},
        {"Julia set", "0.1", "0", "1.1", 0, 320, 180, 200, 1024, "0.6", "0.35"},
    };
    for (int step = FORMULA_STEPS; step < FORMULA_ROWS; step++)
        for (int i = 0; i < 3; i++) {
            struct place place = places[i];
            struct wanted wanted = {formula_of_step((enum formula_step)step),
                                    check_long() ? 128 : 12};
            place.name = formula_name(&wanted.formula);
            if (!formula_has_c(&wanted.formula))
                place.julia_re = place.julia_im = "0";
            agree_on(&place, &wanted);
        }
}

/* Lists in turn, every operation, constants. */
TEST(both_proofs_agree_on_own_formulas)
{
    static const char *const texts[] = {
        "sqr, add c; absx, absy, sqr, add c",
        "rotate 30, sqr, swap, add c; pow 3, add c; absy, sqr, scale 1.5 -0.25, add c",
        "keep, absx, absy, sqr, mul, negx, add c; conj, pow 5, add c",
        "sqr, add c, sqr, scale 0.5, add c"};
    static const struct place places[] = {
        {"whole", "-0.2", "-0.1", "0.9", 0, 320, 180, 200, 1024, NULL, NULL},
        {"edge", "-0.9", "-0.01", "30", 20, 320, 180, 300, 20, NULL, NULL},
        {"Julia set", "0.1", "0", "1.1", 0, 320, 180, 200, 1024, "-0.6", "0.35"},
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int i = 0; i < 3; i++) {
            struct place place = places[i];
            struct wanted wanted = {.pixels = check_long() ? 128 : 12};
            place.name = texts[t];
            assert_int_equal(formula_of_text(&wanted.formula, texts[t], strlen(texts[t])),
                             STATUS_OK);
            assert_int_equal(wanted.formula.step, STEP_OWN);
            agree_on(&place, &wanted);
        }
}

/* Islands by Newton's method, and points of Julia sets from which orbits come to 0. */
TEST(both_proofs_agree_on_deep_formulas)
{
    static const struct {
        enum formula_step step;
        struct place place;
    } cases[] = {
        {STEP_burning_ship,
         {"an island of the ship", "0.5973568119880602287676310654",
          "-1.2481928522389315368142029285", "1.189e20", 0, 64, 36, 2000, 1024, NULL, NULL}},
        {STEP_celtic,
         {"an island of the Celtic set, turned",
          "-1.5683829908855943408854150025409191809125075278270715",
          "0.6765237343851023881921018730809098454638249098569956", "4.309e44", 25, 65, 37, 2000,
          20, NULL, NULL}},
        {STEP_burning_ship,
         {"a ship's Julia set", "-1.90166491320378232033306561347038498679152",
          "-0.00539235772519681655898874921409693689353695", "1e30", 0, 64, 36, 1000, 1024, "-1.76",
          "-0.04"}},
        {STEP_perpendicular_burning_ship,
         {"another Julia set", "1.74522724904238844188209550519009927247943",
          "-0.0237238225620797884172386435167354285227964", "3e29", 0, 64, 36, 1000, 1024, "-1.3",
          "0.1"}},
        {STEP_lambda,
         {"an edge of Lambda", "1.2396656641365500481441094102348712028533411",
          "0.7695211059534224819886735874499762777172657", "2.5e30", 0, 64, 36, 884, 1024, NULL,
          NULL}},
        {STEP_newton_4,
         {"basins of Newton's method", "-1.1903439257633827029371547910227549130475561",
          "-0.9184144206731484881913400963671482799306048", "2.5e30", 0, 64, 36, 788, 1024, "0",
          "0"}},
        {STEP_magnet_2,
         {"an edge of Magnet II, turned", "2.0337150854039565274252340045548138156452387",
          "0.7409861926913006483777786996141536375518420", "2.5e30", 25, 64, 36, 636, 20, NULL,
          NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        agree_on(&cases[i].place,
                 &(struct wanted){{.step = cases[i].step}, check_long() ? PIXELS : 12});
}

/* ---- the program ---------------------------------------------------------------------------- */

/* Counts of the picture, written by the program as NPY; freed by the caller. */
static uint32_t *picture_counts(const struct place *place)
{
    char location[100], picture[100], counts_path[100], julia[200] = "", command[2000];
    path_in_folder(location, "location.txt");
    path_in_folder(picture, "picture.npy");
    path_in_folder(counts_path, "picture.count.npy");
    FILE *file = fopen(location, "w");
    assert_non_null(file);
    fprintf(file, "re = %s\nim = %s\nzoom = %s\niterations = %lld\n", place->re, place->im,
            place->zoom, (long long)place->limit);
    assert_int_equal(fclose(file), 0);
    if (place->julia_re)
        snprintf(julia, sizeof julia, "--julia %s,%s", place->julia_re, place->julia_im);
    snprintf(command, sizeof command,
             "'%s' render %s --size %dx%d --bailout %.17g --set view.rotation=%.17g %s -o %s "
             "--force --quiet > /dev/null",
             deepfield, location, place->width, place->height, place->bailout, place->rotation_deg,
             julia, picture);
    assert_int_equal(system(command), 0);

    size_t pixels = (size_t)place->width * (size_t)place->height;
    uint32_t *counts = calloc(pixels, sizeof *counts);
    file = fopen(counts_path, "rb");
    assert_non_null(file);
    /* NPY: the numbers are the end of the file */
    assert_int_equal(fseek(file, -(long)(pixels * sizeof *counts), SEEK_END), 0);
    assert_int_equal(fread(counts, sizeof *counts, pixels, file), pixels);
    fclose(file);
    unlink(location);
    unlink(counts_path);
    path_in_folder(counts_path, "picture.fraction.npy");
    unlink(counts_path);
    return counts;
}

static void program_agrees_on(const struct place *place)
{
    uint32_t *counts = picture_counts(place);
    FILE *answers = oracle_ask(place, &(struct wanted){.pixels = PIXELS});
    struct answer answer;
    int compared = 0;
    while (answer_read(answers, &answer)) {
        long long count = counts[answer.y * place->width + answer.x];
        if (answer.count >= 0 && answer.count != count)
            fail_msg("%s, pixel %d %d: oracle %lld, deepfield %lld", place->name, answer.x,
                     answer.y, answer.count, count);
        compared += answer.count >= 0;
    }
    assert_int_equal(pclose(answers), 0);
    free(counts);
    printf("%s: %d pixels of the picture are as proven\n", place->name, compared);
    assert_true(compared >= PIXELS * 9 / 10);
}

/* Small pictures of shallow places: pixels are so large that rounding explains no mismatch. */
TEST(rendered_counts_are_proven)
{
    static const struct place places[] = {
        {"whole set", "-0.7", "0", "1.4", 0, 160, 90, 1000, 1024, NULL, NULL},
        {"whole set, turned, odd sides, small bailout", "-0.7", "0", "1.4", 33, 101, 77, 300, 2.5,
         NULL, NULL},
        {"needle", "-1.75487766624669272452763379988028", "0", "45", 0, 160, 90, 800, 1024, NULL,
         NULL},
        {"filaments", "-0.15712742673039492569131425625528", "1.03907038032054055420871918613557",
         "5.9e3", 120, 160, 90, 2000, 1024, NULL, NULL},
        {"Julia set, turned, odd sides", "0.2", "-0.1", "1.2", 50, 161, 91, 1000, 1024, "-0.4",
         "0.6"},
        {"Julia set, rabbit, small bailout", "0", "0", "1.2", 0, 160, 90, 1000, 2.5, "-0.123",
         "0.745"},
        {"Julia set of a c far outside, from far outside", "0", "0", "1e-3", 0, 160, 90, 100, 1024,
         "300", "-500"},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        program_agrees_on(&places[i]);
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    char pixels[100];
    path_in_folder(pixels, "pixels");
    unlink(pixels);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: test_oracle ORACLE DEEPFIELD\n");
        return 1;
    }
    oracle = argv[1];
    deepfield = argv[2];
    return check_run(folder_make, folder_remove);
}
