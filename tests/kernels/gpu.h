/* Tests that need a GPU, shared by the files of test_gpu. */
#ifndef TESTS_KERNELS_GPU_H
#define TESTS_KERNELS_GPU_H

#include "tests/support/check.h"

#include "kernels/backend.h"

enum { GPU_WIDTH = 203, GPU_HEIGHT = 117 };

struct gpu_place { /* count and fraction planes, GPU_WIDTH x GPU_HEIGHT unless said otherwise */
    struct spec spec;
    struct grid grid;
};

/* Part of the seahorse valley with escapes, boundary and the inside of a minibrot. */
struct gpu_place gpu_place_seahorse(void);

struct gpu_place gpu_place_at(double re, double im, double height, int32_t width, int32_t height_px,
                              int64_t limit);

struct backend *gpu_open(int device, const volatile int *stop);

/* What the scalar backend says of the place; freed by the caller. */
struct field gpu_expected(const struct gpu_place *place);

/* Fails the test where two host fields (windows too) differ. */
void gpu_compare(const char *label, const struct field *got, const struct field *want);

/* A teardown: ends the injection of errors. */
int gpu_no_more_faults(void **state);

/* The other end of an IPC test: reaches the memory behind a handle read from stdin, checks what the
 * parent wrote, writes its answer. The exit code of its process. */
int gpu_ipc_child(void);

/* The parts of the tour that gpu_deep.c, gpu_deep_formulas.c and gpu_orbit.c have. */
void gpu_deep_tour(struct backend *gpu);
void gpu_deep_formulas_tour(struct backend *gpu);
void gpu_orbit_tour(void);

/* Every kernel on small tiles, for tools that make everything a hundred times slower. */
int gpu_tour(void);

#endif
