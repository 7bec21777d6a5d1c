/* The automatic iteration limit: a rule on the counts of a coarse pass.
 *
 * Limits are 1000 2^k. The limit of a view is the smallest of them that leaves little to find: of
 * all samples no more than one in LIMIT_LATE escapes in its upper half, (limit / 2, limit]. Where
 * nothing has escaped yet the limit rises, up to limit_most of the view's depth: beyond that the
 * view is taken to lie inside the set. The rule looks at counts only, and a count is the same
 * whatever limit it was found with; so the answer does not depend on the limit that was tried
 * first, and samples that escape later never make it smaller. */
#ifndef RENDER_LIVE_LIMIT_H
#define RENDER_LIVE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

enum { LIMIT_FIRST = 1000, LIMIT_STEPS = 24, LIMIT_LATE = 500 };

struct limit_counts {
    uint64_t samples;
    uint64_t early;             /* number of counts up to 500 */
    uint64_t step[LIMIT_STEPS]; /* numbers of counts in (500 2^k, 1000 2^k] */
};

/* Adds a sample; count 0: not escaped. */
void limit_count(struct limit_counts *counts, uint64_t count);

/* First limit to try at a zoom of 10^log10_zoom when no picture was near, and the largest. */
int64_t limit_guess(double log10_zoom);
int64_t limit_most(double log10_zoom);

/* Limit by a coarse pass with limit `tried`, one of 1000 2^k. Larger than `tried`: the next one to
 * try. Else it is the answer. */
int64_t limit_next(const struct limit_counts *counts, int64_t tried, double log10_zoom);

#endif
