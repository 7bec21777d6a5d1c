/* Frame rates as exact fractions: frames in a number of seconds. Those of television are 1000/1001
 * of a whole number, which no decimal equals. */
#ifndef RENDER_FILM_VIDEO_FILM_RATE_H
#define RENDER_FILM_VIDEO_FILM_RATE_H

#include <stdint.h>

#include "kernels/status.h"

struct film_rate {
    int32_t frames, seconds; /* fraction in lowest terms; the quotient from 1 to FILM_FPS_MOST */
};

enum { FILM_FPS_MOST = 240, FILM_RATE_PARTS_MOST = 100000, FILM_RATE_BYTES = 24 };

/* Reads "25", "24000/1001", or a decimal: 23.976, 29.97, 47.952, 59.94 and 119.88, with two or
 * three digits, are those of television (SMPTE ST 12-1), others exact. STATUS_CONFIG with the
 * error. */
enum status film_rate_read(const char *text, struct film_rate *rate);

/* Writes "25" or "24000/1001", which film_rate_read reads. */
void film_rate_text(struct film_rate rate, char text[FILM_RATE_BYTES]);

/* Frames per second; and seconds that `frames` last. */
double film_rate_per_s(struct film_rate rate);
double film_rate_seconds(struct film_rate rate, int64_t frames);

/* Frames per second, rounded up. */
int film_rate_whole(struct film_rate rate);

#endif
