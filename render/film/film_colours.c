#include "render/film/film_colours.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 4096, ROUNDS = 4 };

/* Length of the way: a doubling of the zoom, or a second in which the centre may move, counts 1. */
static double way_of(const struct film_path *path, bool centred, double from_s, double to_s)
{
    double zoomed = fabs(film_path_log2_zoom(path, to_s) - film_path_log2_zoom(path, from_s));
    return zoomed + (centred ? 0 : to_s - from_s);
}

enum status film_colours_open(struct film_colours *colours, const struct film_path *path)
{
    double seconds = film_path_seconds(path), way = 0, last = 0;
    bool centred = film_path_is_centred(path);
    double all = 0;
    for (int i = 1; i <= STEPS; i++)
        all += way_of(path, centred, seconds * (i - 1) / STEPS, seconds * i / STEPS);
    /* equal distances: colours would jump between an end and a measurement just before it */
    double apart = all / fmax(ceil(all - 1e-9), 1);
    /* one measurement for each step, and the two ends */
    size_t most = (size_t)fmin(ceil(all), STEPS) + 2;
    *colours = (struct film_colours){.count = 0};
    colours->time_s = calloc(most, sizeof *colours->time_s);
    colours->way = calloc(most, sizeof *colours->way);
    colours->distribution = calloc(most, sizeof *colours->distribution);
    colours->amplification = calloc(most, sizeof *colours->amplification);
    if (!colours->time_s || !colours->way || !colours->distribution || !colours->amplification)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the colours of a film");
    colours->count = 1; /* the first, at 0 */
    for (int i = 1; i <= STEPS; i++) {
        double time = seconds * i / STEPS;
        way += way_of(path, centred, seconds * (i - 1) / STEPS, time);
        bool due = way - last >= apart && all - way > apart / 2;
        if ((!due && i < STEPS) || colours->count == most)
            continue;
        colours->time_s[colours->count] = time;
        colours->way[colours->count++] = way;
        last = way;
    }
    return STATUS_OK;
}

void film_colours_close(struct film_colours *colours)
{
    free(colours->time_s);
    free(colours->way);
    free(colours->distribution);
    free(colours->amplification);
    *colours = (struct film_colours){.count = 0};
}

void film_colours_thin(struct film_colours *colours, size_t most)
{
    size_t last = colours->count - 1;
    if (colours->count <= most)
        return;
    for (size_t i = 0; i < most; i++) { /* from the first to the last */
        colours->time_s[i] = colours->time_s[i * last / (most - 1)];
        colours->way[i] = colours->way[i * last / (most - 1)];
    }
    colours->count = most;
}

static void gaps_fill(struct film_colours *colours)
{
    for (size_t i = 1; i < colours->count; i++)
        if (!(colours->distribution[i].runs > 0))
            colours->distribution[i] = colours->distribution[i - 1];
    for (size_t i = colours->count; i-- > 1;)
        if (!(colours->distribution[i - 1].runs > 0))
            colours->distribution[i - 1] = colours->distribution[i];
}

void film_colours_settle(struct film_colours *colours)
{
    gaps_fill(colours);
    for (int round = 0; round < ROUNDS; round++) {
        struct distribution before = colours->distribution[0];
        for (size_t i = 1; i + 1 < colours->count; i++) {
            struct distribution own = colours->distribution[i];
            struct distribution beside =
                distribution_between(&before, &colours->distribution[i + 1], 0.5);
            colours->distribution[i] = distribution_between(&own, &beside, 0.5);
            before = own;
        }
    }
}

/* Index of the first measurement after a time, or of the last. */
static size_t next_of(const struct film_colours *colours, double time_s)
{
    size_t next = 1;
    while (next + 1 < colours->count && colours->time_s[next] <= time_s)
        next++;
    return next;
}

double film_colours_amplification(const struct film_colours *colours, double time_s)
{
    size_t next = next_of(colours, time_s);
    if (next >= colours->count)
        return colours->amplification[0];
    double before = colours->amplification[next - 1], after = colours->amplification[next];
    return before > 0 && after > 0 ? fmax(before, after) : 0;
}

struct distribution film_colours_at(const struct film_colours *colours,
                                    const struct film_path *path, double time_s)
{
    size_t next = next_of(colours, time_s);
    if (next >= colours->count)
        return colours->distribution[0];
    bool centred = film_path_is_centred(path);
    double whole = colours->way[next] - colours->way[next - 1];
    double way = way_of(path, centred, colours->time_s[next - 1], time_s);
    double part = whole > 0 ? fmin(fmax(way / whole, 0), 1) : 1;
    return distribution_between(&colours->distribution[next - 1], &colours->distribution[next],
                                part);
}
