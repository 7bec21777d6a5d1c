/* Formulas as texts: the names of rows, and own formulas as lists of operations.
 *
 *     formula   = list { ";" list }                    lists alternate, one each iteration
 *     list      = operation { "," operation }
 *     operation = absx | absy | negx | negy | swap     of z = x + i y; conj is negy
 *               | keep | mul                           remember z, multiply by it; store is keep
 *               | signy                                give y the sign of the y that was kept
 *               | sqr | pow N                          pow 5 is keep, sqr, sqr, mul
 *               | scale RE [IM] | rotate DEGREES       multiply by a constant
 *               | add [c]
 *
 * A new line stands for a comma, and what follows a # up to the end of its line is a comment. A
 * text can say nothing but this: it names no files, and the work that it makes is bounded by
 * FORMULA_OPERATIONS_MAX. */
#ifndef KERNELS_FORMULA_TEXT_H
#define KERNELS_FORMULA_TEXT_H

#include <stddef.h>

#include "kernels/formula.h"
#include "kernels/status.h"

enum { FORMULA_TEXT_BYTES = 960 }; /* the longest that is written has 910 */

/* The formula of a text: that of a name (formula_name_at), the row that has these operations, or
 * STEP_OWN. STATUS_CONFIG with line, column and what would be right; also where no escape radius is
 * proven (formula_least_bailout). */
enum status formula_of_text(struct formula *formula, const char *text, size_t length);

/* z^n for n from 2 to FORMULA_DEGREE_MAX: squares and products with what is kept first, which
 * n = 2^k does not need. Returns the number of operations. */
enum { FORMULA_POWER_MAX = 13 };
int formula_power(int n, enum formula_operation operation[FORMULA_POWER_MAX]);

/* The formula of lists from another program's file, each of a degree up to FORMULA_DEGREE_MAX. */
enum status formula_of_lists(struct formula *formula, const struct formula_lists *lists);

/* The text that formula_of_text reads back: formula_name, or the lists in their shortest form.
 * Returns `text`. */
const char *formula_text(const struct formula *formula, char text[FORMULA_TEXT_BYTES]);

/* The step as a help text describes it: the summary of a row, or the lists, written to `text`. */
const char *formula_says(const struct formula *formula, char text[FORMULA_TEXT_BYTES]);

#endif
