/* One step of the difference between a pixel and the reference, for any list of operations.
 *
 * z_n = Z_m + delta. Both go through the operations together: A, what has become of Z, and d, with
 * A + d for the pixel. From the definition of each operation follows its difference, in which
 * nothing of the size of A is cancelled:
 *
 *     square            d' = (2 A + d) d
 *     product with kept d' = A k + d (K + k)
 *     fold of a part    d' = |A + d| - |A|, by cases
 *     add c             d' = d + c
 *
 * and, where DEEP_OWN is,
 *
 *     product with c      d' = A dc + d (c + dc)
 *     add a constant      d' = d
 *
 * while a constant or a swap does the same to A, d and tangents, and a y that gets the sign of the
 * kept one, A = K B with the kept K, becomes |B| K = s A, s the sign of A K:
 *
 *     sign put back     d' = s d where A + d and K + k have the same s, else -s (2 A + d)
 *
 * An error of u |A| in A is one of u |A d| in a product. A fold's result hangs on the sign of A,
 * and where |A| < |d| on A itself; where the terms of A cancel, a Z rounded to doubles does not
 * tell it. So before such a fold A is read from the orbit's tape. */
#ifndef KERNELS_DEEP_FORMULA_DELTA_H
#define KERNELS_DEEP_FORMULA_DELTA_H

#include "kernels/deep/program.h"
#include "kernels/deep/wide.h"

/* May the reference's value before it be on the tape? */
DEEP_FN int operation_reads_sign(int operation)
{
    return operation == OPERATION_ABS_X || operation == OPERATION_ABS_Y ||
           operation == OPERATION_SIGN_Y;
}

/* Is operation i of the list one that only DEEP_OWN has? */
DEEP_FN int list_maps(struct program_list list, int i)
{
    return DEEP_OWN && list.phase->operation[i] >= OPERATION_SWAP;
}

#include "kernels/deep/number/real_f64.h"
#include "kernels/deep/number/formula_delta_body.h"
#include "kernels/deep/number/real_end.h"
#include "kernels/deep/number/real_f32.h"
#include "kernels/deep/number/formula_delta_body.h"
#include "kernels/deep/number/real_end.h"

#endif
