/* Which known name did the user mean? */
#ifndef APP_NEAREST_H
#define APP_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *wanted;
    const char *best; /* borrowed from the caller of nearest_offer; NULL: nothing is near */
    size_t distance;  /* of best */
};

/* Edits (insert, delete, replace, swap of neighbours) that turn one into the other; at most
 * `limit` + 1 is told. Source: Damerau, Comm. ACM 7 (1964), 171, in the restricted form. */
size_t edit_distance(const char *a, const char *b, size_t limit);

/* Starts a search; names at more than a third of the length (and 3 edits) away are not offered. */
struct nearest nearest_to(const char *wanted);
void nearest_offer(struct nearest *nearest, const char *name);

/* "; did you mean 'X'?" or "". */
void nearest_hint(const struct nearest *nearest, char *text, size_t bytes);

#endif
