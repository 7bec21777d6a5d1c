#include "kernels/cuda/deep/cuda_deep_shape.h"

#include <string.h>

/* Takes the operations from *at on that a group may have: each once, in the order of their values,
 * and none but the first behind a value from the tape. */
static uint32_t group_take(const struct program_phase *phase, int *at)
{
    uint32_t group = 0;
    for (int last = -1; *at < phase->operations; ++*at) {
        int operation = phase->operation[*at];
        if (operation > OPERATION_NEG_Y || operation <= last || (phase->taped[*at] && last >= 0))
            break;
        group |= UINT32_C(1) << (operation - OPERATION_ABS_X);
        group |= phase->taped[*at] ? (uint32_t)FOLD_TAPED : 0;
        last = operation;
    }
    return group;
}

static void group_put(struct deep_folds *folds, int i, uint32_t group)
{
    const uint32_t sign = UINT32_C(1) << 31;
    folds->folds[i] = group;
    folds->keep_x[i] = group & FOLD_ABS_X ? ~sign : ~UINT32_C(0);
    folds->keep_y[i] = group & FOLD_ABS_Y ? ~sign : ~UINT32_C(0);
    folds->flip_x[i] = group & FOLD_NEG_X ? sign : 0;
    folds->flip_y[i] = group & FOLD_NEG_Y ? sign : 0;
}

static int operation_of(char letter)
{
    return letter == 'S'   ? OPERATION_SQR
           : letter == 'K' ? OPERATION_KEEP
           : letter == 'M' ? OPERATION_MUL
           : letter == 'P' ? OPERATION_PLUS
           : letter == 'F' ? OPERATION_SCALE
           : letter == 'C' ? OPERATION_TIMES_C
           : letter == 'W' ? OPERATION_SWAP
           : letter == 'G' ? OPERATION_SIGN_Y
                           : OPERATION_ADD;
}

/* Moves a value from the tape, which a sign follows, to the empty group before. */
static bool tape_move(struct deep_folds *folds, char group)
{
    if (group < '0' || group > '2' || folds->folds[group - '0'])
        return false;
    folds->folds[group - '0'] = FOLD_TAPED;
    return true;
}

/* Folds of a list of this shape; SHAPE_NONE: it is of another. */
static struct deep_folds folds_of(const struct program_phase *phase,
                                  const struct program_constants *constants, int shape,
                                  const char *letter)
{
    struct deep_folds folds;
    int at = 0, constant = 0;
    memset(&folds, 0, sizeof folds);
    for (; *letter; letter++) {
        if (*letter >= '0' && *letter <= '2') {
            group_put(&folds, *letter - '0', group_take(phase, &at));
            continue;
        }
        if (at == phase->operations || phase->operation[at] != operation_of(*letter) ||
            (phase->taped[at] && !(*letter == 'G' && tape_move(&folds, letter[-1]))))
            return folds;
        if (*letter == 'P' || *letter == 'F') {
            const int factor = constants->factor_at[at];
            memcpy(folds.constant[constant], constants->factor[factor], sizeof folds.constant[0]);
            memcpy(folds.constant_f32[constant++], constants->factor_f32[factor],
                   sizeof folds.constant_f32[0]);
        }
        at++;
    }
    folds.shape = at == phase->operations ? shape : SHAPE_NONE;
    return folds;
}

struct deep_folds deep_folds(const struct program *program,
                             const struct program_constants *constants)
{
#define SHAPE(number, ...) {number, {__VA_ARGS__}},
    static const struct {
        int number;
        char letters[FORMULA_OPERATIONS_MAX];
    } shapes[] = {DEEP_SHAPES(SHAPE) DEEP_OWN_SHAPES(SHAPE)};
#undef SHAPE
    struct deep_folds folds;
    memset(&folds, 0, sizeof folds);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && program->phases == 1 && !folds.shape;
         i++)
        folds = folds_of(&program->phase[0], constants, shapes[i].number, shapes[i].letters);
    folds.both = !program->holomorphic;
    folds.stretch = constants->stretch;
    folds.stretch_f32 = constants->stretch_f32;
    return folds;
}
