#include "app/place_formula.h"

#include <string.h>

/* Two numbers of its list are the same formula as later ones. */
static double number_known(double type)
{
    return type == 33 ? 58 : type == 40 ? 66 : type;
}

enum formula_step place_formula_numbered(double type, double power)
{
    int step = 0;
    while (step < FORMULA_STEPS && (formula_kinds[step].kalles_fraktaler != number_known(type) ||
                                    formula_kinds[step].degree != power))
        step++;
    return (enum formula_step)step;
}

enum formula_step place_formula_made_of(const enum formula_operation *operation, int count)
{
    int step = 0;
    while (step < FORMULA_STEPS &&
           (formula_kinds[step].operations != count ||
            memcmp(formula_kinds[step].operation, operation, (size_t)count * sizeof *operation)))
        step++;
    return (enum formula_step)step;
}

enum status place_add_formula(struct ini *ini, const struct place_text *text, int line,
                              enum formula_step step)
{
    if (step == STEP_mandelbrot)
        return STATUS_OK;
    return place_add(ini, text, line, "formula", formula_kinds[step].name);
}
