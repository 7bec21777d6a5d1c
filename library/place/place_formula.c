#include "library/place/place_formula.h"

#include <string.h>

#include "kernels/formula_text.h"

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

void place_lists_add(struct place_lists *made, enum formula_operation operation)
{
    if (made->operations < FORMULA_OPERATIONS_MAX)
        made->lists.operation[made->operations] = operation;
    made->operations++;
}

void place_lists_power(struct place_lists *made, int power)
{
    enum formula_operation operation[FORMULA_POWER_MAX];
    int count = formula_power(power, operation);
    for (int i = 0; i < count; i++)
        place_lists_add(made, operation[i]);
}

void place_lists_scale(struct place_lists *made, double re, double im)
{
    if (made->factors < FORMULA_FACTORS_MAX) {
        made->lists.factor[made->factors][0] = re;
        made->lists.factor[made->factors][1] = im;
    }
    made->factors++;
    place_lists_add(made, OPERATION_SCALE);
}

void place_lists_end(struct place_lists *made)
{
    if (made->lists.phases < FORMULA_PHASES_MAX)
        made->lists.end[made->lists.phases] = made->operations;
    made->lists.phases++;
}

/* Mothbrots z^n a^m, a = |x| + i|y|: a squared `squares` times, multiplied by z `products` times,
 * and squared again. A list keeps one value, so m is never 3 or 5. */
static const struct mothbrot {
    double type, power;
    int squares, products, squares_after;
} mothbrots[] = {{60, 5, 2, 1, 0}, {62, 5, 1, 3, 0}, {63, 5, 0, 4, 0},
                 {65, 6, 1, 1, 1}, {67, 6, 0, 2, 1}, {68, 6, 0, 5, 0}};

static void times_add(struct place_lists *made, enum formula_operation operation, int times)
{
    for (int i = 0; i < times; i++)
        place_lists_add(made, operation);
}

static bool mothbrot_add(struct place_lists *made, double type, double power)
{
    const struct mothbrot *row = mothbrots, *end = row + sizeof mothbrots / sizeof *mothbrots;
    while (row < end && (row->type != type || row->power != power))
        row++;
    if (row == end)
        return false;
    place_lists_add(made, OPERATION_KEEP);
    place_lists_add(made, OPERATION_ABS_X);
    place_lists_add(made, OPERATION_ABS_Y);
    times_add(made, OPERATION_SQR, row->squares);
    times_add(made, OPERATION_MUL, row->products);
    times_add(made, OPERATION_SQR, row->squares_after);
    return true;
}

bool place_lists_numbered(struct place_lists *made, double type, double power)
{
    enum { KF_POWER_MAX = 12 };
    if (type == 0 && power > 8 && power <= KF_POWER_MAX && power == (int)power)
        place_lists_power(made, (int)power);
    else if (!mothbrot_add(made, type, power))
        return false;
    place_lists_add(made, OPERATION_ADD);
    place_lists_end(made);
    return true;
}

/* Are all of them the first? Their constants are not looked at: there are none then. */
static bool lists_equal(const struct place_lists *made)
{
    const struct formula_lists *lists = &made->lists;
    for (int p = 1; p < lists->phases; p++)
        if (lists->end[p] != (p + 1) * lists->end[0] || made->factors ||
            memcmp(lists->operation + lists->end[p - 1], lists->operation,
                   (size_t)lists->end[0] * sizeof *lists->operation) != 0)
            return false;
    return true;
}

/* The first of them alone. */
static struct formula_lists list_first(const struct formula_lists *lists)
{
    struct formula_lists first = {.phases = 1};
    first.end[0] = lists->end[0];
    memcpy(first.operation, lists->operation, (size_t)first.end[0] * sizeof *first.operation);
    memcpy(first.factor, lists->factor, sizeof first.factor);
    return first;
}

/* Do all of its lists what the row does? At whole numbers so small that doubles are exact. Rows are
 * homogeneous in z but for c: of degree 8 at most between 32 rays at which parts are folded, so
 * that a row which differs does at one of these points, which lie in more directions. */
static bool does_row(const struct formula *formula, enum formula_step step)
{
    enum { FAR = 12, C_RE = 3, C_IM = -5 };
    const struct formula row = {.step = step};
    for (int p = 0; p < formula_phases(formula); p++)
        for (int i = 0; i < (2 * FAR + 1) * (2 * FAR + 1); i++) {
            double x = i % (2 * FAR + 1) - FAR, y = i / (2 * FAR + 1) - FAR, row_x = x, row_y = y;
            formula_iterate(formula, p, &x, &y, C_RE, C_IM);
            formula_iterate(&row, 0, &row_x, &row_y, C_RE, C_IM);
            if (x != row_x || y != row_y)
                return false;
        }
    return true;
}

enum status place_formula_of_lists(struct formula *formula, const struct place_lists *made,
                                   const struct place_text *text, int line)
{
    if (made->operations > FORMULA_OPERATIONS_MAX || made->factors > FORMULA_FACTORS_MAX ||
        made->lists.phases > FORMULA_PHASES_MAX)
        return status_fail(STATUS_BAD_DATA,
                           "%s:%d: a formula of %d operations in %d lists with %d constants; %d, "
                           "%d and %d are the most",
                           text->name, line, made->operations, made->lists.phases, made->factors,
                           FORMULA_OPERATIONS_MAX, FORMULA_PHASES_MAX, FORMULA_FACTORS_MAX);
    struct formula_lists lists = lists_equal(made) ? list_first(&made->lists) : made->lists;
    if (formula_of_lists(formula, &lists) != STATUS_OK)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s", text->name, line, status_text());
    for (int step = 0; step < FORMULA_STEPS && formula->step == STEP_OWN; step++)
        if (does_row(formula, (enum formula_step)step))
            *formula = (struct formula){.step = (enum formula_step)step};
    return STATUS_OK;
}

enum status place_add_formula(struct ini *ini, const struct place_text *text, int line,
                              const struct formula *formula)
{
    char words[FORMULA_TEXT_BYTES];
    if (formula_quadratic(formula))
        return STATUS_OK;
    return place_add(ini, text, line, "formula", formula_text(formula, words));
}
