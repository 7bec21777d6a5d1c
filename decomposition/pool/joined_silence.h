/* Decision whether a joined job that says or brings nothing is waited for, from what is known of
 * it; pure. Private to decomposition/pool/. */
#ifndef DECOMPOSITION_POOL_JOINED_SILENCE_H
#define DECOMPOSITION_POOL_JOINED_SILENCE_H

#include <stdbool.h>
#include <stddef.h>

struct joined_silence {
    /* Others compute what the job has while it is idle, which ends by a result, or mute */
    enum { JOINED_ANSWERS, JOINED_IDLE, JOINED_MUTE } state;
    double heard_s;    /* since its last result, while it owes any: at the last watch */
    double patience_s; /* for so long it may bring none */
};

void joined_silence_begin(struct joined_silence *silence);

/* Looks at a job that has said nothing for quiet_s, and brought no result for heard_s, where a tile
 * takes the ranks tile_s, 0: not known. True: it does not answer any more, or does again. */
bool joined_silence_watch(struct joined_silence *silence, double quiet_s, double heard_s,
                          double tile_s);

/* The same for a job that has brought a result. */
bool joined_silence_result(struct joined_silence *silence);

/* Words for the state. */
void joined_silence_text(const struct joined_silence *silence, char *text, size_t bytes);

#endif
