/* Do two proofs that share no code and no method come to the same counts?
 *
 *     test_oracle ORACLE
 *
 * render/truth.c carries an error ball; tests/oracle/oracle.c carries rectangles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "render/truth.h"

enum { PIXELS = 60, SEED = 1 };

struct place {
    const char *name, *re, *im, *zoom;
    double rotation_deg;
    int32_t width, height;
    int64_t limit;
    double bailout;
};

static const char *oracle;

static uint64_t random_next(uint64_t *state) /* SplitMix64 (Steele, Lea, Flood 2014) */
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* A file of PIXELS random pixels of the place; the caller unlinks and frees the name. */
static char *pixels_write(const struct place *place)
{
    char *name = strdup("/tmp/deepfield-oracle-XXXXXX");
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    uint64_t random = SEED;
    for (int i = 0; i < PIXELS; i++)
        fprintf(file, "%d %d\n", (int)(random_next(&random) % (uint64_t)place->width),
                (int)(random_next(&random) % (uint64_t)place->height));
    assert_int_equal(fclose(file), 0);
    return name;
}

static void agree_on(const struct place *place)
{
    char *pixels = pixels_write(place);
    char command[2000];
    snprintf(command, sizeof command, "'%s' %s %s %s %d %d %lld %.17g %.17g < %s", oracle,
             place->re, place->im, place->zoom, place->width, place->height,
             (long long)place->limit, place->bailout, place->rotation_deg, pixels);
    FILE *answers = popen(command, "r");
    assert_non_null(answers);
    struct view view = {(char *)place->re,   (char *)place->im, (char *)place->zoom,
                        place->rotation_deg, place->width,      place->height};
    int x, y, compared = 0, escaped = 0;
    long long count;
    long bits;
    while (fscanf(answers, "%d %d %lld %ld", &x, &y, &count, &bits) == 4) {
        struct truth truth;
        assert_int_equal(truth_pixel(&view, x, y, place->limit, place->bailout, &truth), STATUS_OK);
        if (count < 0 || !truth.certified)
            continue;
        if (count != truth.count)
            fail_msg("%s, pixel %d %d: oracle %lld, truth %lld", place->name, x, y, count,
                     (long long)truth.count);
        compared++;
        escaped += count > 0;
    }
    assert_int_equal(pclose(answers), 0);
    unlink(pixels);
    free(pixels);
    printf("%s: %d pixels agree, %d escaped\n", place->name, compared, escaped);
    assert_true(compared >= PIXELS * 9 / 10);
}

static void both_proofs_agree(void **state)
{
    (void)state;
    static const struct place places[] = {
        {"whole set", "-0.7", "0", "1.4", 0, 1920, 1080, 1000, 1024},
        {"whole set, turned, odd sides, small bailout", "-0.7", "0", "1.4", 33, 1001, 777, 300,
         2.5},
        {"cusp", "0.27", "0", "100", 0, 640, 360, 1500, 1024},
        {"needle", "-1.75487766624669272452763379988028", "0", "45", 0, 640, 360, 800, 1024},
        {"seahorse", "-0.74530835472480427839059302641544", "0.11260674477106240309876028504732",
         "4e5", 0, 3840, 2160, 1500, 1024},
        {"minibrot, turned", "-0.74462036721582258724794201043551",
         "0.11256363280298738172024997084009", "2.5e10", -45.5, 640, 360, 3000, 1024},
        {"Misiurewicz point, far beyond doubles", "-0.77568376800905380896722363104345",
         "0.13646736829469011120785637558583", "1e30", 0, 640, 360, 3000, 1024},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        agree_on(&places[i]);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: test_oracle ORACLE\n");
        return 1;
    }
    oracle = argv[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_proofs_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
