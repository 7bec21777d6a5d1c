/* How does a view map places to points, in numbers of as many bits as it takes? What steer.c
 * computes with; nobody else needs it.
 *
 *     c = centre + ((x - W/2) - i (y - H/2)) step e^(i rotation),  step = 4 / (zoom H) */
#ifndef RENDER_STEER_LENS_H
#define RENDER_STEER_LENS_H

#include <mpfr.h>

#include "render/steer.h"

enum { LENS_BITS = 192 /* of steps and turns: 1e9 px are exact to 1e-40 px */ };

struct point {
    mpfr_t re, im;
};

void point_init(struct point *point, mpfr_prec_t bits);
void point_clear(struct point *point);

/* Initializes `centre` with the view's, rounded to so many bits. */
void centre_read(struct point *centre, const struct view *view, mpfr_prec_t bits);

/* A coordinate to so many places behind the point, or a digit more; freed by the caller, NULL
 * without memory. */
char *centre_text(mpfr_srcptr number, double places);

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

/* Bits of a centre that hold it to far less than a pixel. */
mpfr_prec_t lens_bits(double log2_step);

/* From the centre to a place: ((x - W/2) - i (y - H/2)) step e^(i rotation). `offset` is
 * initialized. */
void lens_offset(const struct lens *lens, double x, double y, struct point *offset);

#endif
