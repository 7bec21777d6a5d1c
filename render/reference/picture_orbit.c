#include "render/reference/picture_orbit.h"

#include <math.h>

/* How far from a centre the orbit of another may be: differences keep 2^-32 px there. */
#define AWAY_PX 0x1p20
enum { NUMBER_BITS = 24 }; /* of an orbit; above them is where it is cut */

/* From the centre of the view to its point, in pixels. */
static double away_px(const struct view_numbers *numbers, double re, double im)
{
    return hypot(re, im) / hypot(numbers->step_re, numbers->step_im);
}

static bool serves(const struct orbit *orbit, const struct view_numbers *numbers,
                   const struct spec *spec)
{
    long bits;
    if (orbit_bits(numbers->log2_step, spec->limit, &bits) != STATUS_OK)
        return false;
    bool exact = orbit->bits >= bits;
    bool ends = orbit->end != ORBIT_LIMIT || orbit->length > spec->limit;
    return formula_same(&orbit->formula, &spec->formula) && exact && ends;
}

static int64_t nucleus_of(const struct orbit *orbit, const struct view_numbers *numbers,
                          double away)
{
    double radius = 0.5 * hypot(numbers->width, numbers->height) + away;
    return orbit_nucleus(orbit, numbers->log2_step + log2(radius));
}

int64_t picture_orbit_nucleus(const struct picture_orbit *other, const struct view *view,
                              const struct view_numbers *numbers)
{
    double re, im;
    view_apart(view, other->view, numbers->exponent, &re, &im);
    return nucleus_of(other->orbit, numbers, away_px(numbers, re, im));
}

/* Only as much of an orbit for a deeper picture as this one needs: one for its own disc might end
 * at a nucleus, where all its pixels begin anew. Beyond, the orbit stays nearer to 0 than most
 * pixels are, and no block holds for them. */
static void shorten(struct orbit *orbit, struct reference_request *request, int64_t nucleus)
{
    if (nucleus <= 0 || nucleus + 1 >= orbit->length)
        return;
    orbit->length = nucleus + 1;
    orbit->end = ORBIT_NUCLEUS;
    orbit->period = nucleus;
    while (orbit->tiny_count && orbit->tiny[orbit->tiny_count - 1].index > nucleus)
        orbit->tiny_count--;
    request->orbit += (uint64_t)nucleus << NUMBER_BITS;
}

bool picture_orbit_take(const struct picture_orbit *other, const struct view *view,
                        const struct view_numbers *numbers, const struct spec *spec,
                        int64_t nucleus, struct orbit *orbit, struct reference_request *request)
{
    double re, im;
    view_apart(view, other->view, numbers->exponent, &re, &im);
    double away = away_px(numbers, re, im);
    if (!(away <= AWAY_PX) || !serves(other->orbit, numbers, spec))
        return false;
    *orbit = *other->orbit;
    orbit->work = NULL; /* not ours to destroy */
    request->offset_re = re;
    request->offset_im = im;
    request->amplification = other->amplification;
    request->orbit = other->number;
    shorten(orbit, request, nucleus < 0 ? nucleus_of(orbit, numbers, away) : nucleus);
    return true;
}
