/* The factor by which a step of Nova stretches delta, at a Z of doubles, of one pixel or of LANES
 * of them: nova_pixel.h has the formulas.
 *
 * A body, which these macros make that of one pixel or of many:
 *
 *     R(word)            operations of kernels/escape/lanes.h
 *     C(word) COMPLEX    functions of complex numbers, and their type
 *     W(word) WIDE       the same of such with exponents
 *     N(word)            names of this file
 *
 * At its end they are no longer defined. */
#if !defined(R) || !defined(C) || !defined(COMPLEX) || !defined(W) || !defined(WIDE) || !defined(N)
#error "nova_step_body.h: a macro is missing"
#endif

/* The two sums beside s and t. */
struct N(sums) {
    COMPLEX of_s, of_t;
};

/* p, q: P and Q. By Horner's rule, with 1 + Q + ... made longer by one at a time. */
DEEP_FN struct N(sums) N(sums)(int n, COMPLEX p, COMPLEX q)
{
    const COMPLEX one = {R(splat)(1), R(splat)(0)};
    struct N(sums) sums = {one, one};
    COMPLEX run = one;
    for (int j = 2; j < n; j++) {
        sums.of_s = C(mul)(sums.of_s, p);
        sums.of_s.x = R(add)(sums.of_s.x, R(splat)(j));
        run = C(mul)(run, q);
        run.x = R(add)(run.x, R(splat)(1));
        sums.of_t = C(fma)(sums.of_t, p, run);
    }
    sums.of_t = C(mul)(sums.of_t, p);
    return sums;
}

/* (s of_s + t of_t) / n */
DEEP_FN WIDE N(stretch)(const struct newton_rule *rule, const struct N(sums) * sums, WIDE s, WIDE t)
{
    WIDE stretch;
    stretch.e = W(larger)(s, t);
    stretch.x = C(mul)(W(over)(s, stretch.e), sums->of_s);
    stretch.x = C(fma)(W(over)(t, stretch.e), sums->of_t, stretch.x);
    stretch.x = C(scale)(R(splat)(rule->of_power), stretch.x);
    return stretch;
}

/* a b, where b is not settled. */
DEEP_FN WIDE N(times)(WIDE a, COMPLEX b)
{
    a.x = C(mul)(a.x, b);
    return a;
}

struct N(base) {        /* values of a Z */
    COMPLEX root, over; /* rho and 1 / Z */
    WIDE off;           /* V */
};

struct N(factors) {
    WIDE stretch; /* delta' / delta, but for c */
    WIDE s;       /* (z - rho) / z */
    COMPLEX p;    /* P */
};

/* p: 1 / z; off: V + delta */
DEEP_FN struct N(factors)
    N(factors)(const struct newton_rule *rule, const struct N(base) * base, COMPLEX p, WIDE off)
{
    struct N(factors) at;
    at.s = N(times)(off, p);
    at.p = C(mul)(base->root, p);
    const struct N(sums) sums = N(sums)(rule->degree, at.p, C(mul)(base->root, base->over));
    at.stretch = N(stretch)(rule, &sums, at.s, N(times)(base->off, base->over));
    return at;
}

#undef R
#undef C
#undef COMPLEX
#undef W
#undef WIDE
#undef N
