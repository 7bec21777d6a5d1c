#include "render/reference/picture_orbit.h"

#include <math.h>

/* Largest distance from a centre to the orbit of another: differences keep 2^-32 px there. */
#define AWAY_PX 0x1p20
/* bits of the number of an orbit; above them request->orbit has the length at which it is cut */
enum { NUMBER_BITS = 24 };

/* Distance of the orbit's point from the centre of the view, in pixels. */
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
    double radius = 0.5 * hypot(numbers->image_width, numbers->image_height) + away;
    return orbit_nucleus(orbit, numbers->log2_step + log2(radius));
}

int64_t picture_orbit_nucleus(const struct picture_orbit *other, const struct view *view,
                              const struct view_numbers *numbers)
{
    double re, im;
    view_apart(view, other->view, numbers->exponent, &re, &im);
    return nucleus_of(other->orbit, numbers, away_px(numbers, re, im));
}

/* Cuts an orbit for a deeper picture to the part that this one needs: an orbit for its own disc
 * might end at a nucleus, where all its pixels begin anew. Beyond, the orbit stays nearer to 0 than
 * most pixels are, and no block holds for them. */
static void shorten(struct orbit *orbit, struct reference_request *request, int64_t nucleus)
{
    if (nucleus <= 0 || nucleus + 1 >= orbit->length)
        return;
    orbit->length = nucleus + 1;
    orbit->end = ORBIT_NUCLEUS;
    orbit->period = nucleus;
    orbit->shortest = 0;
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
    orbit->work = NULL; /* borrowed, so not to be destroyed */
    request->offset_re = re;
    request->offset_im = im;
    request->amplification = other->amplification;
    request->orbit = other->number;
    shorten(orbit, request, nucleus < 0 ? nucleus_of(orbit, numbers, away) : nucleus);
    return true;
}
