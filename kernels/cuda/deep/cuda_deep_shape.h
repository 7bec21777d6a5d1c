/* Shapes of lists: lists of one shape have their squares and products in the same order, and differ
 * in folds and signs between them and in the constants that they add and multiply by.
 *
 * Kernels of perturbation have a loop compiled for each shape (cuda_deep_steps.h). Folds are data:
 * a loop for each row would be nine times as much code, and one that reads operations one by one
 * took a GPU 2 to 5 times as long. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_SHAPE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_SHAPE_H

#include "kernels/deep/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* S: square, K: keep, M: multiply by the kept value, A: add c; 0, 1 and 2: the groups of folds and
 * signs. */
#define DEEP_SHAPES(ROW)                       \
    ROW(1, '0', 'S', '1', 'A')                 \
    ROW(2, '0', 'K', 'S', 'M', '1', 'A')       \
    ROW(3, '0', 'S', '1', 'S', '2', 'A')       \
    ROW(4, '0', 'K', 'S', 'S', 'M', '1', 'A')  \
    ROW(5, 'K', 'S', 'M', 'S', 'A')            \
    ROW(6, 'K', 'S', 'M', 'S', 'M', 'A')       \
    ROW(7, 'S', 'S', 'S', 'A')                 \
    ROW(8, 'K', '0', 'M', 'A')                 \
    ROW(9, 'K', '0', 'S', 'M', 'A')            \
    ROW(10, 'K', '0', 'M', 'M', 'A')           \
    ROW(11, 'K', '0', 'M', 'S', 'A')           \
    ROW(12, 'K', '0', 'M', 'M', 'M', 'A')      \
    ROW(13, 'K', '0', 'M', 'K', 'S', 'M', 'A') \
    ROW(14, 'S', 'K', '0', 'M', 'A')

/* The same for kernels of own formulas: Lambda, and rows that are FORMULA_MAPPED. P: add the next
 * constant, F: multiply by it, C: multiply by c; W: swap, G: give y the sign of the kept one, where
 * the value from the tape is that of the group before. */
#define DEEP_OWN_SHAPES(ROW)                             \
    ROW(15, 'S', 'P', 'F', 'C', 'P')                     \
    ROW(16, '0', 'K', 'S', 'M', '1', 'G', '2', 'A')      \
    ROW(17, '0', 'K', 'S', 'S', 'M', '1', 'G', '2', 'A') \
    ROW(18, 'W', '0', 'K', 'S', 'M', '1', 'G', '2', 'A') \
    ROW(19, 'W', '0', 'K', 'S', 'S', 'M', '1', 'G', '2', 'A')

enum { SHAPE_NONE, FOLD_GROUPS = 3, SHAPE_CONSTANTS = 3 };

/* Operations of a group, in their order. TAPED: they follow the value from the tape. */
enum { FOLD_ABS_X = 1, FOLD_ABS_Y = 2, FOLD_NEG_X = 4, FOLD_NEG_Y = 8, FOLD_TAPED = 16 };

struct deep_folds {
    int32_t shape; /* a number of the list; SHAPE_NONE: the other members are not set */
    int32_t both;  /* the tangent upwards is not i times the other */
    uint32_t folds[FOLD_GROUPS];
    /* Masks for the upper halves of x and y: the bits that stay, and those that change then. */
    uint32_t keep_x[FOLD_GROUPS], flip_x[FOLD_GROUPS], keep_y[FOLD_GROUPS], flip_y[FOLD_GROUPS];
    double constant[SHAPE_CONSTANTS][2];                 /* constants in the order of the list */
    double stretch;                                      /* as in program_constants */
    float constant_f32[SHAPE_CONSTANTS][2], stretch_f32; /* the same, rounded */
};

/* Finds the shape of a program; `constants`: those of its first phase. */
struct deep_folds deep_folds(const struct program *program,
                             const struct program_constants *constants);

#ifdef __cplusplus
}
#endif

#endif
