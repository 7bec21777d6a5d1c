/* What other programs call the formulas that are computed here. */
#ifndef LIBRARY_PLACE_PLACE_FORMULA_H
#define LIBRARY_PLACE_PLACE_FORMULA_H

#include <stdbool.h>

#include "kernels/formula.h"
#include "library/place/place_reader.h"
#include "library/text/ini.h"

/* The step of that FractalType and power of Kalles Fraktaler; FORMULA_STEPS: there is none. */
enum formula_step place_formula_numbered(double type, double power);

/* Lists of operations while they are read; they alternate. */
struct place_lists {
    struct formula_lists lists;
    int operations, factors; /* numbers so far; more than the lists hold: too many */
};
void place_lists_add(struct place_lists *made, enum formula_operation operation);
void place_lists_power(struct place_lists *made,
                       int power); /* as `pow` does, kernels/formula_text.h */
void place_lists_scale(struct place_lists *made, double re, double im);
void place_lists_end(struct place_lists *made); /* ends a list */

/* Adds the list of a FractalType and power that is no row of the formulas; false: there is none. */
bool place_lists_numbered(struct place_lists *made, double type, double power);

/* The formula of the lists: the row of operations equal to each of them, if there is one. */
enum status place_formula_of_lists(struct formula *formula, const struct place_lists *made,
                                   const struct place_text *text, int line);

/* `formula` in [view], if it is not z^2 + c. */
enum status place_add_formula(struct ini *ini, const struct place_text *text, int line,
                              const struct formula *formula);

#endif
