/* Formulas that divide or converge as they are written in books, in reverse Polish notation: z, c,
 * p (z_(n-1)), numbers, + - * / and s (square), with what ends their orbits (f: beyond R; r: z_n
 * near z_(n-1); o: z_n near 1) and z_0. The tests' list of them: a new row is added here. */
#ifndef TESTS_SUPPORT_RATIONAL_WORDS_H
#define TESTS_SUPPORT_RATIONAL_WORDS_H

#include "kernels/formula.h"

#define Z2 "z z * "
#define Z3 Z2 "z * "
#define Z4 Z3 "z * "
#define Z5 Z4 "z * "
#define Z6 Z5 "z * "
#define NEWTON(n, power, less) "z " power "1 - " #n " " less "* / - "
static const struct {
    const char *step, *ends, *begin;
} rational_words[FORMULA_ROWS - FORMULA_STEPS] = {
    [STEP_lambda - FORMULA_STEPS] = {"c z * 1 z - *", "f", "0.5"},
    [STEP_phoenix - FORMULA_STEPS] = {"z z * c + p 2 / -", "f", "0"},
    [STEP_newton_3 - FORMULA_STEPS] = {NEWTON(3, Z3, Z2), "r", "0"},
    [STEP_newton_4 - FORMULA_STEPS] = {NEWTON(4, Z4, Z3), "r", "0"},
    [STEP_newton_5 - FORMULA_STEPS] = {NEWTON(5, Z5, Z4), "r", "0"},
    [STEP_newton_6 - FORMULA_STEPS] = {NEWTON(6, Z6, Z5), "r", "0"},
    [STEP_nova - FORMULA_STEPS] = {NEWTON(3, Z3, Z2) "c +", "r", "1"},
    [STEP_nova_4 - FORMULA_STEPS] = {NEWTON(4, Z4, Z3) "c +", "r", "1"},
    [STEP_nova_5 - FORMULA_STEPS] = {NEWTON(5, Z5, Z4) "c +", "r", "1"},
    [STEP_nova_6 - FORMULA_STEPS] = {NEWTON(6, Z6, Z5) "c +", "r", "1"},
    [STEP_magnet_1 - FORMULA_STEPS] = {Z2 "c + 1 - 2 z * c + 2 - / s", "fo", "0"},
    [STEP_magnet_2 - FORMULA_STEPS] = {Z3 "3 c 1 - * z * + c 1 - c 2 - * + "
                                          "3 " Z2 "* 3 c 2 - * z * + c 1 - c 2 - * + 1 + / s",
                                       "fo", "0"},
};
#undef Z2
#undef Z3
#undef Z4
#undef Z5
#undef Z6
#undef NEWTON

#endif
