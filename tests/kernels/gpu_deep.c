/* Perturbation on a GPU gives the bits of the CPU: blocks, counts, fractions, distances. */
#include "tests/kernels/gpu_deep.h"

#include <string.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_reference.h"

static const struct named_view {
    const char *name;
    struct fixture_wanted wanted;
} hard[] = {
    {"needle, its tip", VIEW("-2", "0", "1e40", 4000)},
    {"needle at 1e290", VIEW("-2", "0", "1e290", 4000)},
    {"needle at 1e700", VIEW("-2", "0", "1e700", 4000)},
    {"Misiurewicz point i at 1e5000", VIEW("0", "1", "1e5000", 20000)},
    {"Misiurewicz point i", VIEW("0", "1", "1e60", 4000)},
    {"nucleus of period 3",
     VIEW("-1.754877666246692760049508896358528691894606617772793143989", "0", "60", 1000)},
    {"whole set", VIEW("-0.75", "0", "1", 700)},
    {"three quarters inside", VIEW("-0.743643887", "0.131825904", "7e6", 20000)},
    {"root of period 3", VIEW("-1.7500001", "0.00000003", "3e6", 20000)},
    {"centre outside",
     {.re = "0.4",
      .im = "0.3",
      .zoom = "1",
      .limit = 2000,
      .width = WIDTH,
      .height = HEIGHT,
      .no_nucleus = true}},
    {"far outside, R = 2",
     {.re = "2.5",
      .im = "0.3",
      .zoom = "1",
      .limit = 2000,
      .width = WIDTH,
      .height = HEIGHT,
      .bailout = 2,
      .no_nucleus = true}},
};

/* Short slices: pixels are saved and restored many times. */
static struct backend *gpu_sliced(void)
{
    struct backend *gpu;
    assert_int_equal(backend_open(&gpu, "cuda", &(struct backend_options){.slice_s = 1e-4}),
                     STATUS_OK);
    return gpu;
}

/* Without blocks, unless that takes more steps than LONG: a second each. */
static void all_ways(const char *name, const struct fixture *fixture, struct backend *gpu,
                     struct backend *cpu)
{
    enum { LONG = 300000 };
    int first = fixture->spec.limit > LONG ? BLOCKS_QUARTIC : BLOCKS_NONE;
    for (int blocks = first; blocks < BLOCKS_KINDS; blocks++)
        for (int distance = 0; distance < 2; distance++)
            compare(name, gpu, cpu, fixture, (enum blocks)blocks, distance);
}

TEST(the_bits_are_those_of_the_cpu)
{
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL), *sliced = gpu_sliced();
    for (int p = 0; p < DEEP_PLACES; p++) {
        struct fixture_wanted wanted = wanted_place(p, WIDTH, HEIGHT);
        struct fixture fixture = fixture_open(&wanted);
        all_ways(deep_places[p].name, &fixture, gpu, cpu);
        compare("in slices", sliced, cpu, &fixture, BLOCKS_QUARTIC, true);
        fixture.spec.count_bytes = 8;
        compare("8-byte counts", gpu, cpu, &fixture, BLOCKS_QUARTIC, false);
        fixture.spec.planes = PLANE_MASK_COUNT;
        compare("counts alone", gpu, cpu, &fixture, BLOCKS_QUARTIC, false);
        fixture_close(&fixture);
    }
    for (size_t v = 0; v < sizeof hard / sizeof *hard; v++) {
        struct fixture fixture = fixture_open(&hard[v].wanted);
        all_ways(hard[v].name, &fixture, gpu, cpu);
        fixture_close(&fixture);
    }
    backend_close(sliced);
    backend_close(gpu);
    backend_close(cpu);
}

/* From where pixels leave the reference. */
TEST(the_bits_of_fp32_are_those_of_the_cpu)
{
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL), *sliced = gpu_sliced();
    for (size_t v = 0; v < DEEP_PLACES + sizeof hard / sizeof *hard; v++) {
        struct fixture_wanted wanted =
            v < DEEP_PLACES ? wanted_place((int)v, WIDTH, HEIGHT) : hard[v - DEEP_PLACES].wanted;
        wanted.fp32 = true;
        struct fixture fixture = fixture_open(&wanted);
        compare("fp32", gpu, cpu, &fixture, BLOCKS_QUARTIC, false);
        compare("fp32 in slices", sliced, cpu, &fixture, BLOCKS_QUARTIC, false);
        fixture_close(&fixture);
    }
    backend_close(sliced);
    backend_close(gpu);
    backend_close(cpu);
}

TEST(limits_shorter_than_a_block)
{
    static const int64_t limits[] = {1, 2, 7, 8, 9, 253, 254, 257, 263, 300};
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL);
    for (int i = 0; i < 10; i++) {
        struct fixture_wanted wanted = wanted_place(0, WIDTH, HEIGHT);
        wanted.limit = limits[i];
        struct fixture fixture = fixture_open(&wanted);
        all_ways("limit", &fixture, gpu, cpu);
        fixture_close(&fixture);
    }
    backend_close(gpu);
    backend_close(cpu);
}

TEST(odd_sizes)
{
    static const int32_t sizes[][2] = {{1, 1}, {7, 3}, {33, 1}, {1, 65}, {1025, 9}, {640, 360}};
    struct backend *cpu = cpu_open(), *gpu = gpu_open(0, NULL);
    for (int i = 0; i < 6; i++) {
        struct fixture_wanted wanted = wanted_place(2, sizes[i][0], sizes[i][1]);
        struct fixture fixture = fixture_open(&wanted);
        compare("odd size", gpu, cpu, &fixture, BLOCKS_QUARTIC, i % 2);
        fixture_close(&fixture);
    }
    backend_close(gpu);
    backend_close(cpu);
}

/* ---- the table ---- */

static void level_compare(const struct cuda_reference *gpu, const struct deep *deep,
                          const struct fixture *of, int level)
{
    size_t count = (size_t)(deep->common.end >> (deep->common.table.shortest + level));
    struct quadratic_block *record = test_calloc(count, sizeof *record);
    const struct quadratic_block *want = deep->common.table.record[level];
    size_t radii = count * sizeof *gpu->common.table.radius[level];
    void *radius = test_malloc(radii);
    assert_int_equal(cudaMemcpy(radius, gpu->common.table.radius[level], radii, cudaMemcpyDefault),
                     cudaSuccess);
    assert_int_equal(cudaMemcpy(record, gpu->common.table.record[level], count * sizeof *record,
                                cudaMemcpyDefault),
                     cudaSuccess);
    assert_memory_equal(radius, deep->common.table.radius[level], radii);
    for (size_t i = 0; i < count; i++)
        if (deep->common.table.radius[level][i] != WIDE_KEY_NONE &&
            memcmp(&record[i], &want[i], sizeof *record))
            fail_msg("zoom %s, level %d: block %zu differs", of->view.zoom, level, i);
    test_free(record);
    test_free(radius);
}

/* Twice: the second time with the orbit that is there. */
static void table_compare(const struct fixture *fixture, const struct deep_options *options)
{
    volatile int lost = 0;
    struct cuda_pipeline_options pipeline = {.device = 0, .slice_s = 0.05, .lost = &lost};
    struct cuda_reference gpu;
    struct cuda_reference_memory kept = {.memory = NULL};
    struct deep cpu = fixture_deep(fixture, options);
    struct deep_options again = *options;
    void *memory = NULL;
    again.orbit = 1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cuda_reference_open(&gpu, &pipeline, &again, &fixture->orbit,
                                             &fixture->spec, &fixture->grid, &kept),
                         STATUS_OK);
        assert_true(!kept.memory && (i == 0 || gpu.own.memory == memory));
        assert_int_equal(gpu.common.table.levels, cpu.common.table.levels);
        assert_int_equal(gpu.common.table.shortest, cpu.common.table.shortest);
        assert_memory_equal(&gpu.common.direct, &cpu.common.direct, sizeof cpu.common.direct);
        for (int level = 0; level < cpu.common.table.levels; level++)
            level_compare(&gpu, &cpu, fixture, level);
        cuda_reference_close(&gpu, &kept);
        assert_non_null(memory = kept.memory);
    }
    cuda_reference_free(&kept, 0);
    deep_close(&cpu);
}

TEST(the_blocks_are_those_of_the_cpu)
{
    for (int p = 0; p < DEEP_PLACES; p++) {
        struct fixture_wanted wanted = wanted_place(p, 1920, 1080);
        struct fixture fixture = fixture_open(&wanted);
        struct deep_options options = options_of(&fixture, BLOCKS_QUARTIC);
        table_compare(&fixture, &options);
        options.bytes_max = 200000; /* shorter blocks are left out */
        table_compare(&fixture, &options);
        fixture_close(&fixture);
    }
}

void gpu_deep_tour(struct backend *gpu)
{
    static const int32_t sizes[][2] = {{1, 1}, {9, 5}, {40, 24}};
    struct backend *cpu = cpu_open();
    for (int i = 0; i < 3; i++)
        for (int p = 0; p < 3; p++) { /* the last one is wide */
            struct fixture_wanted wanted = wanted_place(2 * p, sizes[i][0], sizes[i][1]);
            struct fixture fixture = fixture_open(&wanted);
            compare("tour", gpu, cpu, &fixture, BLOCKS_QUARTIC, i % 2);
            fixture_close(&fixture);
        }
    struct fixture fixture = fixture_open(&hard[0].wanted);
    all_ways("tour", &fixture, gpu, cpu);
    fixture_close(&fixture);
    backend_close(cpu);
}
