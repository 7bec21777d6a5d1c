#include "render/film/video/film_rate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"

enum { DIGITS_MOST = 4 }; /* most digits behind the point */

static int64_t divisor_of(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Reads digits; NULL if the text does not begin with one, or if they are too many. */
static const char *digits_read(const char *text, int64_t *value)
{
    bool digits = *text >= '0' && *text <= '9' && number_whole_take(&text, value);
    return digits && *value <= INT32_MAX ? text : NULL;
}

/* Takes a rate of television: "29.97" is 30000/1001 cut to two digits, and so on; false for other
 * decimals. */
static bool television_take(const char *text, int64_t *frames, int64_t *seconds)
{
    static const int wholes[] = {24, 30, 48, 60, 120};
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        for (int digits = 2; digits <= 3; digits++) {
            char rounded[16];
            snprintf(rounded, sizeof rounded, "%.*f", digits, wholes[i] / 1.001);
            if (strcmp(text, rounded) != 0)
                continue;
            *frames = 1000 * wholes[i];
            *seconds = 1001;
            return true;
        }
    return false;
}

/* Reads the rest behind the whole number: nothing, "/SECONDS" or ".DIGITS". */
static bool rest_read(const char *rest, int64_t *frames, int64_t *seconds)
{
    int64_t part = 0;
    *seconds = 1;
    if (!*rest)
        return true;
    const char *end = digits_read(rest + 1, *rest == '/' ? seconds : &part);
    if (!end || *end)
        return false;
    if (*rest == '/')
        return true;
    size_t digits = strlen(rest + 1);
    for (size_t i = 0; i < digits && i < DIGITS_MOST; i++) {
        *seconds *= 10;
        *frames *= 10;
    }
    *frames += part;
    return *rest == '.' && digits <= DIGITS_MOST;
}

enum status film_rate_read(const char *text, struct film_rate *rate)
{
    int64_t frames = 0, seconds = 1;
    const char *rest = digits_read(text, &frames);
    if (!rest || (!television_take(text, &frames, &seconds) && !rest_read(rest, &frames, &seconds)))
        return status_fail(STATUS_CONFIG,
                           "it must be frames a second, as 25, 29.97, 12.5 or 24000/1001");
    if (seconds < 1 || frames < seconds || frames > FILM_FPS_MOST * seconds)
        return status_fail(STATUS_CONFIG, "it must be 1 ... %d frames a second", FILM_FPS_MOST);
    int64_t divisor = divisor_of(frames, seconds);
    if (seconds / divisor > FILM_RATE_PARTS_MOST)
        return status_fail(STATUS_CONFIG, "a fraction may have %d below at most",
                           FILM_RATE_PARTS_MOST);
    *rate = (struct film_rate){(int32_t)(frames / divisor), (int32_t)(seconds / divisor)};
    return STATUS_OK;
}

void film_rate_text(struct film_rate rate, char text[FILM_RATE_BYTES])
{
    if (rate.seconds == 1)
        snprintf(text, FILM_RATE_BYTES, "%d", (int)rate.frames);
    else
        snprintf(text, FILM_RATE_BYTES, "%d/%d", (int)rate.frames, (int)rate.seconds);
}

double film_rate_per_s(struct film_rate rate)
{
    return (double)rate.frames / (double)rate.seconds;
}

double film_rate_seconds(struct film_rate rate, int64_t frames)
{
    return (double)frames * (double)rate.seconds / (double)rate.frames;
}

int film_rate_whole(struct film_rate rate)
{
    return (rate.frames + rate.seconds - 1) / rate.seconds;
}
