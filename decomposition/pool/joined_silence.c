#include "decomposition/pool/joined_silence.h"

#include <math.h>
#include <stdio.h>

/* A job that has tasks and brings no result for so long is silent, or for so many times as long as
 * a tile takes the ranks: a device that hangs is not told from a slow one sooner. */
static const double silent_s = 3, silent_tiles = 4;
/* One that answered after all is waited for twice as long as it took, but no longer than this. */
static const double patience_most_s = 60;
/* One that does not even say that it is there, which it does each second: its machine stands still,
 * or the link is dead. */
static const double mute_s = 3;

void joined_silence_begin(struct joined_silence *silence)
{
    *silence = (struct joined_silence){.state = JOINED_ANSWERS, .patience_s = silent_s};
}

bool joined_silence_watch(struct joined_silence *silence, double quiet_s, double heard_s,
                          double tile_s)
{
    bool answered = silence->state == JOINED_ANSWERS;
    bool idle = heard_s > silence->patience_s && heard_s > silent_tiles * tile_s;
    silence->heard_s = heard_s;
    if (quiet_s > mute_s)
        silence->state = JOINED_MUTE;
    else if (idle)
        silence->state = JOINED_IDLE;
    else if (silence->state == JOINED_MUTE)
        silence->state = JOINED_ANSWERS;
    return answered != (silence->state == JOINED_ANSWERS);
}

bool joined_silence_result(struct joined_silence *silence)
{
    bool answered = silence->state == JOINED_ANSWERS;
    if (!answered)
        silence->patience_s =
            fmin(patience_most_s, fmax(silence->patience_s, 2 * silence->heard_s));
    silence->state = JOINED_ANSWERS;
    return !answered;
}

void joined_silence_text(const struct joined_silence *silence, char *text, size_t bytes)
{
    if (silence->state == JOINED_MUTE)
        snprintf(text, bytes, "does not answer");
    else if (silence->state == JOINED_IDLE)
        snprintf(text, bytes, "has brought no result for %.3g s", silence->heard_s);
    else
        snprintf(text, bytes, "answers again");
}
