/* Shapes of lists: those that have their squares and products in the same order, whatever they fold
 * or negate between them, or what constants they add and multiply by.
 *
 * Kernels of perturbation have a loop compiled for each shape (cuda_deep_steps.h). Which parts are
 * folded is data: a loop for each row would be nine times as much code, and one that reads
 * operations one by one took a GPU 2 to 5 times as long. */
#ifndef KERNELS_CUDA_DEEP_CUDA_DEEP_SHAPE_H
#define KERNELS_CUDA_DEEP_CUDA_DEEP_SHAPE_H

#include "kernels/deep/program.h"

#ifdef __cplusplus
extern "C" {
#endif

/* S: square, K: keep, M: multiply by what was kept, A: add c; 0, 1 and 2: the groups of folds and
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

/* Of a group, in the order in which they are done. TAPED: behind the value from the tape. */
enum { FOLD_ABS_X = 1, FOLD_ABS_Y = 2, FOLD_NEG_X = 4, FOLD_NEG_Y = 8, FOLD_TAPED = 16 };

struct deep_folds {
    int32_t shape; /* a number of the list, or SHAPE_NONE: then nothing else is said */
    int32_t both;  /* the tangent upwards is not i times the other */
    uint32_t folds[FOLD_GROUPS];
    /* Of the upper halves of x and y: the bits that stay, and then those that change. */
    uint32_t keep_x[FOLD_GROUPS], flip_x[FOLD_GROUPS], keep_y[FOLD_GROUPS], flip_y[FOLD_GROUPS];
    double constant[SHAPE_CONSTANTS][2]; /* in the order of the list */
    double stretch;                      /* of program_constants */
};

/* constants: of its first phase. */
struct deep_folds deep_folds(const struct program *program,
                             const struct program_constants *constants);

#ifdef __cplusplus
}
#endif

#endif
