/* Spelling suggestions: the known name that is most like what the user typed. */
#ifndef LIBRARY_TEXT_SPELLING_H
#define LIBRARY_TEXT_SPELLING_H

#include <stddef.h>

struct spelling {
    const char *wanted;
    const char *best; /* borrowed from the caller of spelling_offer; NULL: nothing is near */
    size_t distance;  /* edits from wanted to best */
};

/* Edits (insert, delete, replace, swap of neighbours) that change one into the other, at most
 * `limit` + 1. Source: Damerau, Comm. ACM 7 (1964), 171, in the restricted form. */
size_t edit_distance(const char *a, const char *b, size_t limit);

/* Starts a search; names at more than a third of the length (and 3 edits) away are not offered. */
struct spelling spelling_of(const char *wanted);
void spelling_offer(struct spelling *spelling, const char *name);

/* "; did you mean 'X'?" or "". */
void spelling_hint(const struct spelling *spelling, char *text, size_t bytes);

#endif
