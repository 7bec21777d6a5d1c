/* The map of a view from places to points, in numbers as long as it takes. What steer.c computes
 * with; nobody else needs it. Centres are decimal, to all their places; what is of the size of a
 * pixel or of a picture is binary, and short.
 *
 *     c = centre + ((x - W/2) - i (y - H/2)) step e^(i rotation),  step = 4 / (zoom H) */
#ifndef RENDER_STEER_LENS_H
#define RENDER_STEER_LENS_H

#include <mpfr.h>

#include "render/decimal.h"
#include "render/steer.h"

enum { LENS_BITS = 192 /* of steps and turns: 1e9 px are exact to 1e-40 px */ };

struct point { /* of LENS_BITS */
    mpfr_t re, im;
};

void point_init(struct point *point);
void point_clear(struct point *point);

struct centre {
    struct decimal re, im;
};

/* So that a centre has no more digits than a number may have. */
enum { CENTRE_PLACES_MOST = NUMBER_DIGITS_MAX - DECIMAL_WHOLE };

/* Places of a centre that hold it to STEER_GUARD_DIGITS beyond a pixel, at any depth that can be
 * computed. */
long centre_places(double log2_step);

/* The view's, to so many places. STATUS_OUT_OF_MEMORY; centre_close is right then, too. */
enum status centre_open(struct centre *centre, const struct view *view, long places);
void centre_close(struct centre *centre);
void centre_add(struct centre *centre, const struct point *offset);
void centre_get(const struct centre *centre, struct point *point);

/* A zoom to 17 digits, or to fewer if it is within 1e-10 of them; the same otherwise. */
char *zoom_text(mpfr_srcptr zoom);

struct lens {
    mpfr_t step;
    mpfr_t cosine, sine; /* of the rotation; exact at quarter turns */
    double log2_step;    /* a little rounded */
    double half_width, half_height;
};

void lens_open(struct lens *lens, const char *zoom, double rotation_deg, int32_t width,
               int32_t height);
void lens_open_view(struct lens *lens, const struct view *view);
void lens_close(struct lens *lens);

/* From the centre to a place: ((x - W/2) - i (y - H/2)) step e^(i rotation). `offset` is
 * initialized. */
void lens_offset(const struct lens *lens, double x, double y, struct point *offset);

#endif
