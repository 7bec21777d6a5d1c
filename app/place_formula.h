/* What other programs call the formulas that are computed here. */
#ifndef APP_PLACE_FORMULA_H
#define APP_PLACE_FORMULA_H

#include "app/ini.h"
#include "app/place_format.h"
#include "kernels/formula.h"

/* The step of that FractalType and power of Kalles Fraktaler; FORMULA_STEPS: there is none. */
enum formula_step place_formula_numbered(double type, double power);

/* The step whose row has these operations; FORMULA_STEPS: there is none. */
enum formula_step place_formula_made_of(const enum formula_operation *operation, int count);

/* `formula` in [view], if it is not z^2 + c. */
enum status place_add_formula(struct ini *ini, const struct place_text *text, int line,
                              enum formula_step step);

#endif
