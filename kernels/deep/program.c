#include "kernels/deep/program.h"

#include <stdbool.h>

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

static void tape_mark(struct program_phase *phase, const struct formula_kind *kind)
{
    int before[FORMULA_OPERATIONS_MAX];
    int values = formula_tape(kind, before);
    for (int i = 0; i < values; i++)
        phase->taped[before[i]] = 1;
}

static struct program_phase phase_of(const struct formula_kind *kind)
{
    struct program_phase phase = {.operations = kind->operations,
                                  .degree = kind->degree,
                                  .ordered = 1,
                                  .beyond = {beyond(kind->degree, 2), beyond(kind->degree, 5)}};
    int power = 1, kept = 1, adds = 0;
    bool reflected = false; /* since the last `keep` */
    for (int i = 0; i < kind->operations; i++) {
        enum formula_operation operation = kind->operation[i];
        phase.operation[i] = (uint8_t)operation;
        phase.power[i] = (uint8_t)power;
        switch (operation) {
        case OPERATION_ABS_X:
        case OPERATION_ABS_Y:
        case OPERATION_NEG_X:
        case OPERATION_NEG_Y:
            reflected = true;
            break;
        case OPERATION_KEEP:
            kept = power;
            reflected = false;
            break;
        case OPERATION_MUL:
            power += kept;
            phase.ordered = phase.ordered && !reflected;
            break;
        case OPERATION_SQR:
            power *= 2;
            break;
        case OPERATION_ADD:
            adds++;
            break;
        case OPERATION_SWAP: /* of own formulas, which are iterated directly */
        case OPERATION_SCALE:
            break;
        }
    }
    phase.added = adds == 1 && kind->operation[kind->operations - 1] == OPERATION_ADD;
    tape_mark(&phase, kind);
    return phase;
}

struct program program_of(const struct formula_kind *const kinds[], int phases)
{
    struct program program = {.phases = phases, .holomorphic = 1, .similar = 1, .added = 1};
    for (int i = 0; i < phases; i++) {
        program.phase[i] = phase_of(kinds[i]);
        program.holomorphic = program.holomorphic && kinds[i]->holomorphic;
        program.similar = program.similar && program.phase[i].ordered;
        program.added = program.added && program.phase[i].added;
    }
    return program;
}
