#include "app/serve/pace.h"

#include <math.h>
#include <string.h>

#define SMALL_BYTES 4096   /* such a frame says nothing about the rate */
#define RISE 1.02          /* factor of least_s with every confirmation */
#define CHANGE_LEAST_S 0.2 /* between two steps to smaller frames */

/* So many that the next one is on its way when the last one is confirmed. */
static int flight_most(const struct pace *pace)
{
    if (!(pace->least_s > 0))
        return 1;
    double frames = 1 + ceil(pace->least_s / PACE_FRAME_S);
    return frames < PACE_FLIGHT_MOST ? (int)frames : PACE_FLIGHT_MOST;
}

bool pace_may_send(const struct pace *pace, double now_s)
{
    return (!pace->in_flight || pace->in_flight < flight_most(pace)) &&
           (!pace->sequence || now_s - pace->last_s >= PACE_LEAST_S);
}

uint32_t pace_sent(struct pace *pace, size_t bytes, double now_s)
{
    pace->sequence++;
    if (pace->in_flight < PACE_FLIGHT_MOST)
        pace->flight[pace->in_flight++] = (struct pace_frame){pace->sequence, now_s, bytes};
    pace->last_s = now_s;
    return pace->sequence;
}

static void level_judge(struct pace *pace, double late_s, size_t bytes, double now_s)
{
    if (late_s > PACE_LATE_S && bytes > SMALL_BYTES) {
        pace->prompt = 0;
        if (now_s - pace->changed_s < CHANGE_LEAST_S || pace->level == PACE_LEVELS - 1)
            return;
        pace->level++;
        pace->changed_s = now_s;
    } else if (late_s < PACE_PROMPT_S && bytes > SMALL_BYTES && ++pace->prompt >= PACE_CALM) {
        pace->prompt = 0;
        if (pace->level > 0)
            pace->level--;
        pace->changed_s = now_s;
    }
}

bool pace_shown(struct pace *pace, uint32_t sequence, double now_s)
{
    int at = 0;
    while (at < pace->in_flight && pace->flight[at].sequence != sequence)
        at++;
    if (at == pace->in_flight)
        return false;
    const struct pace_frame frame = pace->flight[at];
    double taken_s = now_s - frame.sent_s;
    pace->least_s = pace->least_s > 0 ? fmin(pace->least_s * RISE, taken_s) : taken_s;
    pace->in_flight -= at + 1;
    memmove(pace->flight, pace->flight + at + 1, (size_t)pace->in_flight * sizeof frame);
    level_judge(pace, taken_s - pace->least_s, frame.bytes, now_s);
    return true;
}

bool pace_is_dead(const struct pace *pace, double now_s)
{
    return pace->in_flight && now_s - pace->flight[0].sent_s > PACE_DEAD_S;
}
