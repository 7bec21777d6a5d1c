/* Which view is in this file of Kalles Fraktaler (.kfr)? Lines `Re: ...`, `Im: ...`, `Zoom: ...`,
 * `Iterations: ...`, `RotateAngle: ...`, and many more about colours and about how that program
 * computes.
 *
 * Its image is 4 / Zoom high, as here. Its imaginary axis points down unless ImagPointsUp is 1;
 * here it always points up, so that a picture of such a file comes out upside down: the same place,
 * in its mirror image. A file that says something else about what is computed or where the frame
 * stands (another formula, stretched, rotated in the way of versions before 2.15) is refused rather
 * than shown wrong. */
#ifndef APP_KFR_H
#define APP_KFR_H

#include <stdbool.h>
#include <stddef.h>

#include "app/ini.h"

/* Does the first line that is no comment begin with a word and a colon? */
bool kfr_is_one(const char *text, size_t length);

/* The entries of location_parse, without a credit. Keys that say nothing about the place are passed
 * over, known or not: each version of that program adds some. */
enum status kfr_parse(struct ini *ini, const char *text, size_t length, const char *name);

#endif
