/* Proof that no computed orbit of a whole square of pixels ever escapes, for squares inside any
 * hyperbolic component.
 *
 * Let F_c be one step as it is computed, with its rounding errors, and let all c of the square lie
 * in the disc of radius s about c_0: c = c_0 + d. Suppose that after k steps every orbit stands
 * within r of z + D d, where z is the computed orbit of c_0 and D its derivative by c. Then after
 * one more it stands within r' of z' + D' d, z' = z^2 + c_0,  D' = 2 z D + 1,  r' >= 2 |z| r + (|D|
 * s + r)^2 + 4 rho, as long as all this happens in |z| <= 2. rho bounds the rounding error of one
 * step there: three roundings of numbers below 6 make less than 16 u; one rho is for each c, one
 * for c_0, and the rounding of D' times d is far below another. It begins with z = D = r = 0.
 *
 * A larger r is always allowed. So let r be enlarged to R at some step, where z = z_0 and D = D_0.
 * If later |z - z_0| + |D - D_0| s + r <= R, then for every c the disc of radius R about z_0 + D_0
 * d has been mapped into itself: no orbit of the square ever leaves again, and every count in it is
 * 0, whatever the limit. This is a theorem about this very arithmetic, as Brent's bitwise equality
 * is; but it needs a few round trips of one orbit for many pixels, and no last bits.
 *
 * cycle.h carries such discs along orbits, and finds good ones.
 *
 * Source of the idea: cell mapping for Julia sets, L. H. de Figueiredo et al., "Images of Julia
 * sets you can trust" (2011); here in the parameter plane, with first-order Taylor models. */
#ifndef KERNELS_ESCAPE_TRAP_H
#define KERNELS_ESCAPE_TRAP_H

#define TRAP_NORM_MAX 3.89         /* |z|^2; with the next line, everything stays below 1.99 */
#define TRAP_RADIUS_MAX 0x1p-6     /* |D| s + r */
#define TRAP_ROUNDING_FP64 0x1p-47 /* 4 rho = 4 * 16 u */
#define TRAP_ROUNDING_FP32 0x1p-18
/* Steps in double-single err by 160 u^2 in |z| <= 2 (kernels/escape/lanes_ds.h), u = 2^-24. */
#define TRAP_ROUNDING_DS 0x1p-38

#endif
