/* Any bytes as an own formula: refused with a sentence, or a formula whose text reads back as
 * itself, whose radius is proven, and whose steps are numbers within it. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct formula formula, again;
    char text[FORMULA_TEXT_BYTES];
    double least, x = 0, y = 0;
    if (formula_of_text(&formula, (const char *)data, size) != STATUS_OK) {
        must(*status_text());
        return 0;
    }
    must(strlen(formula_text(&formula, text)) < FORMULA_TEXT_BYTES - 1);
    must(formula_of_text(&again, text, strlen(text)) == STATUS_OK &&
         formula_same(&formula, &again));
    must(formula_least_bailout(&formula, &least) == STATUS_OK && least >= SPEC_BAILOUT_MIN &&
         least <= SPEC_BAILOUT_MAX);
    if (formula_rational(&formula)) /* has no lists, and steps of its own */
        return 0;
    for (int n = 0; n < 40; n++)
        formula_iterate(&formula, n, &x, &y, 0.1, 0.1);
    for (int p = 0; p < formula_phases(&formula); p++) {
        struct formula_phase phase = formula_phase(&formula, p);
        must(phase.operations > 0 && phase.degree >= 2 && phase.degree <= FORMULA_DEGREE_MAX);
        must(formula_fraction_base(&formula, p + 1, SPEC_BAILOUT_MAX) > 1);
    }
    return 0;
}
