#include "kernels/deep/program.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/formula/rational_end.h"

/* Sum of C(degree, k) 2^(first - k), k from `first` on. */
static double beyond(int degree, int first)
{
    double sum = 0, binomial = 1, half = 1;
    for (int k = 0; k <= degree; k++) {
        if (k >= first) {
            sum += binomial * half;
            half /= 2;
        }
        binomial = binomial * (degree - k) / (k + 1);
    }
    return sum;
}

static void tape_mark(struct program_phase *phase, const struct formula_phase *list)
{
    int before[FORMULA_OPERATIONS_MAX];
    int values = formula_tape(list, before);
    for (int i = 0; i < values; i++)
        phase->taped[before[i]] = 1;
}

static struct program_phase program_phase(const struct formula_phase *list)
{
    struct program_phase phase = {.operations = list->operations,
                                  .degree = list->degree,
                                  .ordered = 1,
                                  .added = 1,
                                  .beyond = {beyond(list->degree, 2), beyond(list->degree, 5)}};
    int power = 1, kept = 1;
    bool reflected = false; /* since the last `keep` */
    bool added = false;
    for (int i = 0; i < list->operations; i++) {
        enum formula_operation operation = list->operation[i];
        phase.operation[i] = (uint8_t)operation;
        phase.power[i] = (uint8_t)power;
        switch (operation) {
        case OPERATION_ABS_X:
        case OPERATION_ABS_Y:
        case OPERATION_NEG_X:
        case OPERATION_NEG_Y:
        case OPERATION_SWAP:
        case OPERATION_SIGN_Y:
            reflected = true;
            break;
        case OPERATION_KEEP:
            kept = power;
            reflected = false;
            break;
        case OPERATION_MUL:
            power += kept;
            phase.ordered = phase.ordered && !reflected;
            phase.added = phase.added && !added;
            break;
        case OPERATION_SQR:
            power *= 2;
            phase.added = phase.added && !added;
            break;
        case OPERATION_ADD:
            added = true;
            break;
        case OPERATION_SCALE:
        case OPERATION_PLUS:
        case OPERATION_TIMES_C: /* takes only 0 to 0, so it keeps what the list is */
            break;
        }
    }
    tape_mark(&phase, list);
    return phase;
}

struct program program_of(const struct formula *formula)
{
    struct program program = {.phases = formula_phases(formula),
                              .holomorphic = formula_holomorphic(formula),
                              .similar = 1,
                              .added = 1};
    for (int p = 0; p < program.phases; p++) {
        struct formula_phase list = formula_phase(formula, p);
        program.phase[p] = program_phase(&list);
        program.similar = program.similar && program.phase[p].ordered;
        program.added = program.added && program.phase[p].added;
    }
    return program;
}

bool program_is_own(const struct formula *formula)
{
    static const bool mapped[FORMULA_STEPS] = {
#define FORMULA_MAPPED(name, ...) [STEP_##name] = true,
#define FORMULA(...)
#include "kernels/formula/formulas.inc"
    };
    return formula->step >= FORMULA_STEPS || mapped[formula->step];
}

/* 0 where 2^100, the most that a square of a slope is held at, times it may overflow: then pixels
 * keep to their reference. */
static float stretch_floats(double stretch)
{
    return stretch < 0x1p27 ? (float)stretch : 0;
}

void program_constants_of(const struct formula *formula, double bailout, double c_re, double c_im,
                          struct program_constants constants[PROGRAM_PHASES])
{
    for (int p = 0; p < formula_phases(formula); p++) {
        struct formula_phase list = formula_phase(formula, p);
        double base = formula_rational(formula)
                          ? rational_base(&rational_kind(formula)->rule, 0, c_re, c_im, bailout)
                          : formula_fraction_base(formula, p + 1, bailout);
        double size = list.size;
        int factors = 0;
        for (int i = 0; i < list.operations; i++)
            size *= list.operation[i] == OPERATION_TIMES_C ? hypot(c_re, c_im) : 1;
        constants[p] = (struct program_constants){
            .size = size,
            .stretch = size * list.degree * (size * list.degree),
            .stretch_f32 = stretch_floats(size * list.degree * (size * list.degree)),
            .fraction = fraction_scale(bailout, base)};
        for (int i = 0; i < list.operations; i++)
            if (formula_has_factor(list.operation[i])) {
                memcpy(constants[p].factor[factors], list.factor[factors], sizeof *list.factor);
                for (int part = 0; part < 2; part++)
                    constants[p].factor_f32[factors][part] = (float)list.factor[factors][part];
                constants[p].factor_at[i] = (uint8_t)factors++;
            }
    }
}
