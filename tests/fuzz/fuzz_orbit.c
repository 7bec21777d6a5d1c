/* A file of an orbit cache that was changed at any places, its checksum right: refused, or the
 * orbit that computing gives. The first byte says which orbit and for which limit; then four bytes
 * each say what is done where. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "kernels/formula_text.h"
#include "render/reference/orbit_file.h"
#include "tests/support/same_orbit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LIMIT = 24, BITS = 200 };

struct subject {
    const char *formula, *c[2];
    enum formula_plane plane;
    double c_re, c_im;
    char *file; /* as it was written */
    size_t bytes;
};
static struct subject subjects[] = {
    {"mandelbrot", {"-0.75", "0"}, PARAMETER_PLANE, 0, 0, NULL, 0},
    {"mandelbrot", {"-1", "1e-170"}, PARAMETER_PLANE, 0, 0, NULL, 0},
    {"celtic", {"-1.2", "1e-200"}, PARAMETER_PLANE, 0, 0, NULL, 0},
    {"julia", {"0.1", "1e-160"}, DYNAMIC_PLANE, -1, 0, NULL, 0},
    {"absx, sqr, add c; swap, sqr, add c", {"-1.2", "0"}, DYNAMIC_PLANE, -0.5, 0.25, NULL, 0},
    {"phoenix", {"-0.45", "0.1"}, PARAMETER_PLANE, 0, 0, NULL, 0},
    {"newton_3", {"1e-160", "0"}, DYNAMIC_PLANE, 0, 0, NULL, 0},
    {"nova", {"0", "0"}, DYNAMIC_PLANE, -0.3, 0.3, NULL, 0},
    {"magnet_1", {"1", "1e-170"}, DYNAMIC_PLANE, 1.5, 0.5, NULL, 0}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static void create(struct orbit *orbit, const struct subject *subject)
{
    struct orbit_options options = {
        .bits = BITS, .radius = 1e5, .log2_disc = -INFINITY, .log2_step = -100, .threads = 1};
    must(formula_of_text(&options.formula, subject->formula, strlen(subject->formula)) ==
         STATUS_OK);
    options.formula.plane = subject->plane;
    options.formula.c_re = subject->c_re;
    options.formula.c_im = subject->c_im;
    must(orbit_create(orbit, &options, subject->c[0], subject->c[1]) == STATUS_OK);
}

static void file_make(struct subject *subject)
{
    struct orbit_saved saved[ORBIT_CHAIN_MOST];
    struct orbit_file file = {"file", "identity", open_memstream(&subject->file, &subject->bytes),
                              NULL};
    struct orbit orbit;
    create(&orbit, subject);
    must(orbit_extend(&orbit, LIMIT) == STATUS_OK);
    must(orbit_save(&orbit, saved) && file.stream && orbit_file_write(&file, &orbit, saved) &&
         fclose(file.stream) == 0);
    orbit_destroy(&orbit);
}

static void change(unsigned char *bytes, size_t length, const uint8_t what[4])
{
    static const uint64_t words[] = {
        0, 1, UINT64_MAX, INT64_MAX, (uint64_t)INT64_MIN, 0x7ff0000000000000, 0x7ff8000000000001};
    size_t at = (what[0] | (size_t)what[1] << 8) % (length - sizeof(uint64_t));
    uint64_t word;
    if (what[2] % 3 == 0) {
        bytes[at] ^= what[3];
        return;
    }
    at = at / sizeof word * sizeof word;
    memcpy(&word, bytes + at, sizeof word);
    word = what[2] % 3 == 1 ? words[what[3] % (sizeof words / sizeof *words)]
                            : word + (uint64_t)(int64_t)(int8_t)what[3];
    memcpy(bytes + at, &word, sizeof word);
}

static void file_try(const struct subject *subject, unsigned char *bytes, size_t length,
                     int64_t limit)
{
    struct orbit_file file = {"file", "identity", fmemopen(bytes, length, "rb"), NULL};
    struct orbit_return back[ORBIT_CHAIN_MOST];
    struct orbit orbit, fresh;
    must(file.stream != NULL);
    create(&orbit, subject);
    bool good = orbit_file_read(&file, length, &orbit, limit, 0, back) == STATUS_OK &&
                orbit_restore(&orbit, back, limit);
    fclose(file.stream);
    orbit_return_free(back);
    if (good) {
        create(&fresh, subject);
        must(orbit_extend(&fresh, limit) == STATUS_OK && orbit_extend(&orbit, limit) == STATUS_OK);
        must(same_orbits(&orbit, &fresh));
        orbit_destroy(&fresh);
    }
    orbit_destroy(&orbit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t limits[] = {LIMIT, LIMIT + 16, LIMIT / 2, 1};
    if (!size)
        return 0;
    struct subject *subject = &subjects[data[0] % SUBJECTS];
    if (!subject->file)
        file_make(subject);
    size_t length = subject->bytes;
    unsigned char *bytes = malloc(length);
    must(bytes != NULL);
    memcpy(bytes, subject->file, length);
    for (size_t i = 1; i + 4 <= size && i < 40; i += 4)
        change(bytes, length, data + i);
    XXH64_hash_t sum = XXH3_64bits(bytes, length - sizeof sum);
    memcpy(bytes + length - sizeof sum, &sum, sizeof sum);
    file_try(subject, bytes, length, limits[data[0] / SUBJECTS % 4]);
    free(bytes);
    return 0;
}
