#include "kernels/orbit/step_ball.h"

#include <math.h>

/* Every operation is off by `unit` times its largest term, and by this below the doubles' range. */
#define LEAST 0x1p-1060

static double size(struct ball a)
{
    return fabs(a.x) + fabs(a.y);
}

static struct ball ball_of(double unit, double x, double y)
{
    return (struct ball){x, y, unit * (fabs(x) + fabs(y)) + LEAST};
}

static struct ball ball_add(double unit, struct ball a, struct ball b)
{
    double e = a.e + b.e + unit * (size(a) + size(b));
    return (struct ball){a.x + b.x, a.y + b.y, e};
}

/* The error of re and im: a dy + b dx, dx dy, and four products that are rounded. */
static struct ball ball_mul(double unit, struct ball a, struct ball b)
{
    double m = size(a), k = size(b);
    double e = m * b.e + k * a.e + 2 * a.e * b.e + 8 * unit * m * k + LEAST;
    return (struct ball){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x, e};
}

/* 1/b - 1/(b + d) = d / (b (b + d)) */
static struct ball ball_invert(double unit, struct ball b)
{
    double h = hypot(b.x, b.y), off = 1.5 * b.e;
    double e = h > off ? off / h / (h - off) + 8 * unit / h + LEAST : INFINITY;
    return (struct ball){b.x / h / h, -b.y / h / h, e};
}

static struct ball ball_sub(double unit, struct ball a, struct ball b)
{
    return ball_add(unit, a, (struct ball){-b.x, -b.y, b.e});
}

bool ball_holds(const struct ball *ball, struct orbit_point point)
{
    double e = 2 * ball->e + 0x1p-51 * size(*ball);
    return !(fabs(point.x - ball->x) > e || fabs(point.y - ball->y) > e); /* no number: it may */
}

/* ---- lists ---- */

struct list_state {
    double unit;
    struct ball z, kept, c;
};

static void operate(struct list_state *s, enum formula_operation operation, struct ball factor)
{
    const double unit = s->unit;
    struct ball *z = &s->z;
    switch (operation) {
    case OPERATION_ABS_X:
        z->x = fabs(z->x);
        break;
    case OPERATION_ABS_Y:
        z->y = fabs(z->y);
        break;
    case OPERATION_NEG_X:
        z->x = -z->x;
        break;
    case OPERATION_NEG_Y:
        z->y = -z->y;
        break;
    case OPERATION_KEEP:
        s->kept = *z;
        break;
    case OPERATION_MUL:
        *z = ball_mul(unit, *z, s->kept);
        break;
    case OPERATION_SQR:
        *z = ball_mul(unit, *z, *z);
        break;
    case OPERATION_ADD:
        *z = ball_add(unit, *z, s->c);
        break;
    case OPERATION_SWAP:
        *z = (struct ball){z->y, z->x, z->e};
        break;
    case OPERATION_SCALE:
        *z = ball_mul(unit, *z, factor);
        break;
    case OPERATION_SIGN_Y: /* y may get either sign where that of the kept y is uncertain */
        z->e += fabs(s->kept.y) > s->kept.e ? 0 : 2 * fabs(z->y);
        z->y = copysign(z->y, s->kept.y);
        break;
    case OPERATION_PLUS:
        *z = ball_add(unit, *z, factor);
        break;
    case OPERATION_TIMES_C:
        *z = ball_mul(unit, *z, s->c);
        break;
    }
}

static void list_step(struct step_balls *balls, const struct list_tape *tape, struct list_state s)
{
    const struct formula_phase *list = &tape->list;
    balls->tape_width = tape->slots;
    for (int i = 0, slot = 0, factor = 0; i < list->operations; i++) {
        struct ball number = {0, 0, 0};
        if (slot < tape->slots && tape->before[slot] == i)
            balls->tape[slot++] = s.z;
        if (formula_has_factor(list->operation[i])) {
            const double *at = list->factor[factor++];
            number = (struct ball){at[0], at[1], 0};
        }
        operate(&s, list->operation[i], number);
    }
    balls->next = s.z;
}

/* z^2 + c + by_last z_(n-1) */
static void henon_step(struct step_balls *balls, double by_last, struct list_state s,
                       struct ball last)
{
    last = ball_mul(s.unit, last, (struct ball){by_last, 0, 0});
    s.z = ball_add(s.unit, ball_mul(s.unit, s.z, s.z), s.c);
    balls->next = ball_add(s.unit, s.z, last);
    balls->tape_width = 0;
}

/* ---- rational rows ---- */

static void rational_operate(double unit, struct ball *r,
                             const struct rational_operation *operation)
{
    struct ball a = r[operation->a], b = r[operation->b];
    struct ball number = ball_of(unit, (double)operation->n / operation->d, 0);
    struct ball *to = &r[operation->to];
    switch (operation->does) {
    case RATIONAL_sqr:
        *to = ball_mul(unit, a, a);
        break;
    case RATIONAL_mul:
        *to = ball_mul(unit, a, b);
        break;
    case RATIONAL_div:
        *to = ball_mul(unit, a, ball_invert(unit, b));
        break;
    case RATIONAL_add:
        *to = ball_add(unit, a, b);
        break;
    case RATIONAL_sub:
        *to = ball_sub(unit, a, b);
        break;
    case RATIONAL_scale:
        *to = ball_mul(unit, a, number);
        break;
    case RATIONAL_invert:
        *to = ball_mul(unit, ball_invert(unit, a), number);
        break;
    case RATIONAL_plus:
        *to = ball_add(unit, a, number);
        break;
    }
}

/* The tape of Nova is z less the root next to it; of magnets, whose z is z - 1, z - 1 + c and g. */
static void rational_step(struct step_balls *balls, const struct rational_numbers *rational,
                          const struct list_state *s, struct ball last)
{
    const double unit = s->unit;
    struct ball one = {rational->magnet ? 1 : 0, 0, 0};
    struct ball r[RATIONAL_REGISTERS] = {
        [REGISTER_Z] = ball_add(unit, s->z, one), [REGISTER_P] = last, [REGISTER_C] = s->c};
    for (int i = 0; i < rational->kind->operations; i++)
        rational_operate(unit, r, &rational->kind->operation[i]);
    balls->next = ball_sub(unit, r[REGISTER_Z], one);
    balls->tape_width = rational->magnet ? MAGNET_TAPE : rational->roots != 0;
    if (rational->magnet) {
        balls->tape[MAGNET_B] = ball_add(unit, s->z, s->c);
        balls->tape[MAGNET_G] = r[REGISTER_A];
    } else if (rational->roots) {
        int near =
            rational_root_near((const double(*)[2])rational->root, rational->roots, s->z.x, s->z.y);
        const double *root = rational->root[near];
        balls->tape[0] = ball_sub(unit, s->z, ball_of(unit, root[0], root[1]));
    }
}

void step_balls(struct step_balls *balls, const struct formula_numbers *numbers, long bits,
                int phase, struct orbit_point z, struct orbit_point last, struct orbit_point c)
{
    struct list_state s = {.unit = 0x1p-52 + ldexp(1, bits < 1000 ? (int)(1 - bits) : -999)};
    s.z = ball_of(s.unit, z.x, z.y);
    s.c = ball_of(s.unit, c.x, c.y);
    struct ball before = ball_of(s.unit, last.x, last.y);
    if (numbers->rational.open)
        rational_step(balls, &numbers->rational, &s, before);
    else if (numbers->by_last != 0)
        henon_step(balls, numbers->by_last, s, before);
    else
        list_step(balls, &numbers->tapes[phase], s);
}
