#include "kernels/orbit/orbit_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/formula_text.h"
#include "kernels/orbit/orbit_work.h"

/* ---- identity ---- */

enum { OPERATIONS_TEXT_BYTES = 2048 }; /* the longest has some 1,200 */

__attribute__((format(printf, 2, 3))) static void text_add(char text[OPERATIONS_TEXT_BYTES],
                                                           const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, OPERATIONS_TEXT_BYTES - length, format, arguments);
    va_end(arguments);
}

static void lists_text(const struct formula *formula, char text[OPERATIONS_TEXT_BYTES])
{
    for (int p = 0; p < formula_phases(formula); p++) {
        struct formula_phase list = formula_phase(formula, p);
        text_add(text, "; %d", list.degree);
        for (int i = 0, factor = 0; i < list.operations; i++) {
            text_add(text, " %d", (int)list.operation[i]);
            if (formula_has_factor(list.operation[i])) {
                text_add(text, " %a %a", list.factor[factor][0], list.factor[factor][1]);
                factor++;
            }
        }
    }
}

/* Writes the operations of a step, so that a row that was changed is another formula. */
static void operations_text(const struct formula *formula, char text[OPERATIONS_TEXT_BYTES])
{
    *text = '\0';
    if (!rational_divides(formula) && rational_by_last(formula) == 0) {
        lists_text(formula, text);
        return;
    }
    const struct rational_kind *kind = rational_kind(formula);
    for (int i = 0; i < kind->operations; i++) {
        const struct rational_operation *o = &kind->operation[i];
        text_add(text, "; %d %d %d %d %d %d", (int)o->does, (int)o->to, (int)o->a, (int)o->b, o->n,
                 o->d);
    }
}

/* Writes the identity: limbs, radius and c; for other formulas bits, operations and the begin. */
static int identity_print(const struct orbit *orbit, char **made)
{
    const struct orbit_work *work = orbit->work;
    const struct formula *formula = &orbit->formula;
    char text[FORMULA_TEXT_BYTES], operations[OPERATIONS_TEXT_BYTES];
    if (work->stage != STAGE_FORMULA)
        return mpfr_asprintf(made, "orbit %d: %ld limbs up to %a of %Ra %Ra", ORBIT_STATE_VERSION,
                             (long)work->fixed.limbs, work->options.radius, work->cx, work->cy);
    operations_text(formula, operations);
    return mpfr_asprintf(
        made, "orbit %d: %ld bits up to %a of %s%s, plane %d, %a %a, start %d in phase %d, %Ra %Ra",
        ORBIT_STATE_VERSION, orbit->bits, work->options.radius, formula_text(formula, text),
        operations, (int)formula->plane, formula->c_re, formula->c_im, (int)work->options.start,
        orbit->phase, work->cx, work->cy);
}

enum status orbit_identity(const struct orbit *orbit, char **text)
{
    char *made = NULL;
    int length = identity_print(orbit, &made);
    *text = length < 0 ? NULL : strdup(made);
    if (length >= 0)
        mpfr_free_str(made);
    return *text ? STATUS_OK
                 : status_fail(STATUS_OUT_OF_MEMORY,
                               "no memory for the text of a centre of %ld bits", orbit->bits);
}

int orbit_chain(const struct orbit *orbit)
{
    int orbits = 0;
    for (; orbit; orbit = orbit->critical)
        orbits++;
    return orbits;
}

/* ---- numbers ---- */

/* Numbers of a state; that of a Hénon map has z_(n-1), too. */
static int numbers_of(const struct orbit *orbit)
{
    return orbit->work->formula.by_last != 0 ? ORBIT_NUMBERS_MOST : ORBIT_NUMBERS_MOST / 2;
}

size_t orbit_numbers_bytes(const struct orbit *orbit)
{
    return (size_t)numbers_of(orbit) * (size_t)limbs_of(orbit) * sizeof(uint64_t);
}

/* A number of the state: x and y of z, x and y of the remembered z; then the same of z_(n-1). */
static struct fixed_real *fixed_number(const struct orbit *orbit, int number)
{
    struct fixed *fixed = &orbit->work->fixed;
    struct fixed_real *const list[] = {&fixed->x, &fixed->y, &fixed->seen_x, &fixed->seen_y};
    return list[number];
}

static mpfr_ptr formula_number(const struct orbit *orbit, int number)
{
    struct formula_numbers *n = &orbit->work->formula;
    mpfr_ptr const list[] = {n->x,      n->y,      n->seen_x,      n->seen_y,
                             n->last_x, n->last_y, n->seen_last_x, n->seen_last_y};
    return list[number];
}

static bool number_negative(const struct orbit *orbit, int number)
{
    return is_formula(orbit) ? mpfr_signbit(formula_number(orbit, number)) != 0
                             : fixed_number(orbit, number)->negative;
}

/* Exponent of a number of the state; 0 also for one that is not finite, behind an end. */
static int64_t number_exponent(const struct orbit *orbit, int number)
{
    if (!is_formula(orbit))
        return 0;
    mpfr_srcptr value = formula_number(orbit, number);
    return mpfr_regular_p(value) ? mpfr_get_exp(value) : 0;
}

static void number_save(const struct orbit *orbit, int number, uint64_t *limb)
{
    size_t bytes = (size_t)limbs_of(orbit) * sizeof *limb;
    if (!is_formula(orbit)) {
        memcpy(limb, fixed_number(orbit, number)->limb, bytes);
        return;
    }
    mpfr_srcptr value = formula_number(orbit, number);
    memset(limb, 0, bytes);
    if (!mpfr_regular_p(value))
        return;
    mpz_t whole;
    mpz_init(whole);
    mpfr_get_z_2exp(whole, value);
    mpz_export(limb, NULL, -1, sizeof *limb, 0, 0, whole);
    mpz_clear(whole);
}

void orbit_save_numbers(const struct orbit *orbit, uint64_t *numbers)
{
    for (int i = 0; i < numbers_of(orbit); i++, numbers += limbs_of(orbit))
        number_save(orbit, i, numbers);
}

static bool number_is(const struct orbit *orbit, const struct orbit_return *from, int number)
{
    size_t limbs = (size_t)limbs_of(orbit);
    uint64_t *own = malloc(limbs * sizeof *own);
    if (!own)
        return false;
    number_save(orbit, number, own);
    bool same = number_negative(orbit, number) == (from->saved.negative >> number & 1) &&
                number_exponent(orbit, number) == from->saved.exponent[number] &&
                memcmp(own, from->numbers + (size_t)number * limbs, limbs * sizeof *own) == 0;
    free(own);
    return same;
}

bool orbit_numbers_are(const struct orbit *orbit, const struct orbit_return *from,
                       enum orbit_numbers which)
{
    for (int i = which; i < numbers_of(orbit); i += i % 2 ? 3 : 1)
        if (!number_is(orbit, from, i))
            return false;
    return true;
}

/* Limbs that do not fill the precision, or an exponent beyond MPFR's, are no number. */
static void number_take(struct orbit *orbit, int number, const struct orbit_return *from, int saved)
{
    size_t limbs = (size_t)limbs_of(orbit);
    const uint64_t *limb = from->numbers + (size_t)saved * limbs;
    bool negative = from->saved.negative >> saved & 1;
    if (!is_formula(orbit)) {
        struct fixed_real *real = fixed_number(orbit, number);
        memcpy(real->limb, limb, limbs * sizeof *limb);
        real->negative = negative;
        fixed_changed(&orbit->work->fixed);
        return;
    }
    mpz_t whole;
    mpz_init(whole);
    mpz_import(whole, limbs, -1, sizeof *limb, 0, 0, limb);
    mpfr_ptr value = formula_number(orbit, number);
    mpfr_set_z(value, whole, MPFR_RNDN);
    bool fills = mpz_sizeinbase(whole, 2) == (size_t)orbit->bits;
    if (mpfr_regular_p(value) && !(fills && mpfr_set_exp(value, from->saved.exponent[saved]) == 0))
        mpfr_set_nan(value);
    mpfr_setsign(value, value, negative, MPFR_RNDN);
    mpz_clear(whole);
}

void orbit_numbers_take(struct orbit *orbit, enum orbit_numbers to, const struct orbit_return *from,
                        enum orbit_numbers which)
{
    for (int i = 0; i < numbers_of(orbit); i += i % 2 ? 3 : 1)
        number_take(orbit, i + (int)to, from, i + (int)which);
}

/* ---- saving ---- */

int64_t orbit_steps(const struct orbit *orbit, int64_t length)
{
    const struct orbit_point *last = &orbit->z[length - 1];
    bool closes = orbit->end == ORBIT_CYCLE;
    bool is_none = orbit->end == ORBIT_OVER &&
                   (length == 1 || orbit_formula_end(orbit, *last, last[-1]) != ORBIT_OVER);
    return length - 1 + (closes || is_none);
}

static bool save_one(const struct orbit *orbit, struct orbit_saved *saved)
{
    const struct orbit_work *work = orbit->work;
    bool fixed = work->fixed.limbs && (work->stage == STAGE_FIXED || orbit->end == ORBIT_ESCAPED);
    if (!fixed && !is_formula(orbit))
        return false;
    bool rounds = orbit->shortest; /* were added, or might have been; they are added again */
    int64_t length = rounds ? orbit->closed : orbit->length;
    *saved = (struct orbit_saved){.length = length,
                                  .steps = orbit_steps(orbit, length),
                                  .tiny_count = orbit->tiny_count,
                                  .small_count = orbit->small_count,
                                  .limbs = limbs_of(orbit),
                                  .period = rounds ? orbit->shortest : orbit->period,
                                  .seen = work->seen,
                                  .next = work->next,
                                  .end = (int32_t)orbit->end};
    while (saved->tiny_count && orbit->tiny[saved->tiny_count - 1].index >= length)
        saved->tiny_count--;
    while (saved->small_count && orbit->small[saved->small_count - 1].index >= length)
        saved->small_count--;
    for (int i = 0; i < numbers_of(orbit); i++) {
        saved->negative |= (uint32_t)number_negative(orbit, i) << i;
        saved->exponent[i] = number_exponent(orbit, i);
    }
    return true;
}

bool orbit_save(const struct orbit *orbit, struct orbit_saved saved[ORBIT_CHAIN_MOST])
{
    bool good = true;
    memset(saved, 0, ORBIT_CHAIN_MOST * sizeof *saved);
    for (; orbit && good; orbit = orbit->critical)
        good = save_one(orbit, saved++);
    return good;
}

int64_t orbit_return_points(const struct orbit_saved *saved, int64_t limit)
{
    return saved->length - 1 > limit ? limit + 1 : saved->length;
}

int64_t orbit_return_steps(const struct orbit_saved *saved, int64_t limit)
{
    return saved->steps > limit ? limit : saved->steps;
}
