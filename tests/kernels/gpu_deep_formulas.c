/* Perturbation of every formula and plane on a GPU gives the bits of the CPU: blocks, counts,
 * fractions, distances, phases. */
#include <stddef.h>
#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_reference.h"
#include "kernels/cuda/deep/cuda_deep_shape.h"
#include "kernels/deep/formula_pixel.h"
#include "kernels/formula_text.h"
#include "tests/kernels/gpu_deep.h"

struct place {
    const char *formula, *re, *im;
    double c_re, c_im; /* of a Julia set; else 0 */
};
static const struct place places[] = {
#include "tests/kernels/deep_formula_places.inc"
};
enum { PLACES = sizeof places / sizeof *places };

/* From where doubles tell pixels apart to where their exponents end, and beyond. */
static const struct depth {
    const char *zoom;
    int64_t limit;
} depths[] = {{"1e5", 200}, {"1e30", 800}, {"1e160", 2500}, {"1e300", 5000}, {"1e400", 5000}};
enum { DEPTHS = sizeof depths / sizeof *depths };

static struct fixture_wanted wanted_of(const struct place *place, const struct depth *depth,
                                       int32_t width, int32_t height)
{
    struct fixture_wanted wanted = {.re = place->re,
                                    .im = place->im,
                                    .zoom = depth->zoom,
                                    .limit = depth->limit,
                                    .width = width,
                                    .height = height,
                                    .rotation_deg = 20};
    assert_int_equal(formula_of_text(&wanted.formula, place->formula, strlen(place->formula)),
                     STATUS_OK);
    if (place->c_re != 0 || place->c_im != 0) {
        wanted.formula.plane = DYNAMIC_PLANE;
        wanted.formula.c_re = place->c_re;
        wanted.formula.c_im = place->c_im;
    }
    return wanted;
}

static const char *title_of(const struct place *place, const struct depth *depth)
{
    static char title[96];
    snprintf(title, sizeof title, "%s%s at %s", place->formula,
             place->c_re != 0 || place->c_im != 0 ? ", Julia set," : "", depth->zoom);
    return title;
}

static void depth_compare(const struct place *place, const struct depth *depth, struct backend *gpu,
                          struct backend *sliced, struct backend *cpu)
{
    struct fixture_wanted wanted = wanted_of(place, depth, WIDTH, HEIGHT);
    struct fixture fixture = fixture_open(&wanted);
    const char *title = title_of(place, depth);
    for (int blocks = BLOCKS_NONE; blocks < BLOCKS_KINDS; blocks++)
        for (int distance = 0; distance < 2; distance++)
            compare(title, gpu, cpu, &fixture, (enum blocks)blocks, distance);
    fixture.spec.number = NUMBER_FP32; /* of what divides fp64, too */
    compare(title, gpu, cpu, &fixture, BLOCKS_QUARTIC, false);
    compare(title, sliced, cpu, &fixture, BLOCKS_QUARTIC, false);
    fixture.spec.number = NUMBER_FP64;
    fixture.grid.down_y = -1;
    compare(title, sliced, cpu, &fixture, BLOCKS_QUARTIC, true);
    fixture.spec.count_bytes = 8;
    compare(title, gpu, cpu, &fixture, BLOCKS_QUARTIC, false);
    fixture_close(&fixture);
}

/* Slices so short that pixels are saved and restored many times. */
TEST(the_bits_of_formulas_are_those_of_the_cpu)
{
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL), *sliced;
    assert_int_equal(backend_open(&sliced, "cuda", &(struct backend_options){.slice_s = 1e-4}),
                     STATUS_OK);
    for (int p = 0; p < PLACES; p++)
        for (int d = 0; d < DEPTHS; d++)
            depth_compare(&places[p], &depths[d], gpu, sliced, cpu);
    backend_close(sliced);
    backend_close(gpu);
    backend_close(cpu);
}

/* Every formula in both planes, at the border of its set or outside: steps of all kinds. */
TEST(the_bits_of_every_formula)
{
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL);
    for (int step = 0; step < FORMULA_STEPS; step++)
        for (int plane = step == STEP_mandelbrot; plane < FORMULA_PLANES; plane++) {
            struct fixture_wanted wanted = VIEW("-0.61", "0.43", "1e3", 600);
            wanted.formula.plane = (enum formula_plane)plane;
            wanted.formula.step = (enum formula_step)step;
            if (plane == DYNAMIC_PLANE) {
                wanted.formula.c_re = -0.6;
                wanted.formula.c_im = 0.4;
            }
            struct fixture fixture = fixture_open(&wanted);
            compare(formula_kinds[step].name, gpu, cpu, &fixture, BLOCKS_QUARTIC, true);
            compare(formula_kinds[step].name, gpu, cpu, &fixture, BLOCKS_NONE, true);
            fixture.spec.number = NUMBER_FP32;
            compare(formula_kinds[step].name, gpu, cpu, &fixture, BLOCKS_QUARTIC, false);
            fixture_close(&fixture);
        }
    backend_close(gpu);
    backend_close(cpu);
}

/* A list that nobody has compiled steps for would be right, and several times as slow. */
TEST(lists_have_a_shape)
{
    for (int step = STEP_mandelbrot; step < FORMULA_STEPS + 1; step++) {
        const struct formula formula = {.step = step < FORMULA_STEPS ? (enum formula_step)step
                                                                     : STEP_lambda};
        const struct program program = program_of(&formula);
        struct program_constants constants[PROGRAM_PHASES];
        program_constants_of(&formula, 1024, 0, 0, constants);
        if (program.similar && deep_folds(&program, constants).shape == SHAPE_NONE)
            fail_msg("%s", formula_name(&formula));
    }
}

TEST(the_bits_of_what_divides)
{
    static const struct {
        const char *formula, *re, *im, *zoom;
        int64_t limit;
        double c_re, c_im;
    } newton[] = {
#include "tests/kernels/deep_newton_places.inc"
    };
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL), *sliced;
    assert_int_equal(backend_open(&sliced, "cuda", &(struct backend_options){.slice_s = 1e-4}),
                     STATUS_OK);
    for (size_t p = 0; p < sizeof newton / sizeof *newton; p++) {
        const struct place place = {newton[p].formula, newton[p].re, newton[p].im, newton[p].c_re,
                                    newton[p].c_im};
        const struct depth depth = {newton[p].zoom, newton[p].limit};
        depth_compare(&place, &depth, gpu, sliced, cpu);
    }
    backend_close(sliced);
    backend_close(gpu);
    backend_close(cpu);
}

TEST(the_bits_of_phoenix)
{
    static const struct {
        const char *re, *im;
        double c_re, c_im;
        const char *zoom;
        int64_t limit;
    } phoenix[] = {
#include "tests/kernels/deep_henon_places.inc"
    };
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL), *sliced;
    assert_int_equal(backend_open(&sliced, "cuda", &(struct backend_options){.slice_s = 1e-4}),
                     STATUS_OK);
    for (size_t p = 0; p < sizeof phoenix / sizeof *phoenix; p++) {
        const struct place place = {"phoenix", phoenix[p].re, phoenix[p].im, phoenix[p].c_re,
                                    phoenix[p].c_im};
        const struct depth depth = {phoenix[p].zoom, phoenix[p].limit};
        depth_compare(&place, &depth, gpu, sliced, cpu);
    }
    backend_close(sliced);
    backend_close(gpu);
    backend_close(cpu);
}

/* ---- the tables ---- */

static void level_compare(const struct block_table *gpu, const struct block_table *cpu, int64_t end,
                          int level)
{
    size_t count = (size_t)(end >> (cpu->shortest + level));
    struct formula_block *record = test_calloc(count, sizeof *record);
    const struct formula_block *want = (const struct formula_block *)cpu->record[level];
    size_t radii = count * sizeof *cpu->radius[level];
    void *radius = test_malloc(radii);
    assert_int_equal(cudaMemcpy(radius, gpu->radius[level], radii, cudaMemcpyDefault), cudaSuccess);
    assert_int_equal(
        cudaMemcpy(record, gpu->record[level], count * sizeof *record, cudaMemcpyDefault),
        cudaSuccess);
    assert_memory_equal(radius, cpu->radius[level], radii);
    for (size_t i = 0; i < count; i++)
        if (cpu->radius[level][i] != WIDE_KEY_NONE && memcmp(&record[i], &want[i], sizeof *record))
            fail_msg("level %d: block %zu differs", level, i);
    test_free(record);
    test_free(radius);
}

static void tables_compare(const struct formula_common *gpu, const struct formula_common *cpu)
{
    assert_int_equal(gpu->references, cpu->references);
    assert_memory_equal(&gpu->shared.direct, &cpu->shared.direct, sizeof cpu->shared.direct);
    for (int i = 0; i < cpu->references; i++) {
        assert_int_equal(gpu->table[i].levels, cpu->table[i].levels);
        assert_int_equal(gpu->table[i].shortest, cpu->table[i].shortest);
        for (int level = 0; level < cpu->table[i].levels; level++)
            level_compare(&gpu->table[i], &cpu->table[i], cpu->reference[i].end - 1, level);
    }
}

/* Twice: the second time with the orbits that are there. */
TEST(the_blocks_of_formulas_are_those_of_the_cpu)
{
    volatile int lost = 0;
    struct cuda_pipeline_options pipeline = {.device = 0, .slice_s = 0.05, .lost = &lost};
    for (int p = 0; p < PLACES; p++)
        for (int d = 0; d < DEPTHS; d++) {
            struct fixture_wanted wanted = wanted_of(&places[p], &depths[d], 1920, 1080);
            struct fixture fixture = fixture_open(&wanted);
            struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
            struct deep cpu = fixture_deep(&fixture, &options);
            struct cuda_reference gpu;
            struct cuda_reference_memory kept = {.memory = NULL};
            void *memory = NULL;
            options.orbit = 1;
            for (int i = 0; i < 2; i++) {
                assert_int_equal(cuda_reference_open(&gpu, &pipeline, &options, &fixture.orbit,
                                                     &fixture.spec, &fixture.grid, &kept),
                                 STATUS_OK);
                assert_true(!kept.memory && (i == 0 || gpu.own.memory == memory));
                tables_compare(gpu.formula, cpu.formula);
                cuda_reference_close(&gpu, &kept);
                assert_non_null(memory = kept.memory);
            }
            cuda_reference_free(&kept, 0);
            deep_close(&cpu);
            fixture_close(&fixture);
        }
}

void gpu_deep_formulas_tour(struct backend *gpu)
{
    static const struct depth seen[] = {{"1e5", 200}, {"1e400", 1500}};
    struct backend *cpu = cpu_open();
    for (int p = 0; p < PLACES; p += 2)
        for (int d = 0; d < 2; d++) {
            struct fixture_wanted wanted = wanted_of(&places[p], &seen[d], 19, 11);
            struct fixture fixture = fixture_open(&wanted);
            compare("tour", gpu, cpu, &fixture, BLOCKS_QUARTIC, d == 0);
            compare("tour", gpu, cpu, &fixture, BLOCKS_QUARTIC, d == 1);
            compare("tour", gpu, cpu, &fixture, BLOCKS_NONE, p % 4 == 0);
            fixture_close(&fixture);
        }
    backend_close(cpu);
}
