#include "library/text/spelling.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 63 }; /* our names are shorter; longer ones are near to none of them */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t edit_distance(const char *a, const char *b, size_t limit)
{
    size_t rows = strnlen(a, NAME_MAX_BYTES + 1), columns = strnlen(b, NAME_MAX_BYTES + 1);
    if (rows > NAME_MAX_BYTES || columns > NAME_MAX_BYTES)
        return limit + 1;
    size_t table[NAME_MAX_BYTES + 1][NAME_MAX_BYTES + 1];
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = j;
    for (size_t i = 1; i <= rows; i++)
        for (size_t j = 1; j <= columns; j++) {
            size_t cost = a[i - 1] != b[j - 1];
            table[i][j] =
                least(table[i - 1][j - 1] + cost, least(table[i - 1][j] + 1, table[i][j - 1] + 1));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = least(table[i][j], table[i - 2][j - 2] + 1);
        }
    return least(table[rows][columns], limit + 1);
}

struct spelling spelling_of(const char *wanted)
{
    size_t third = strlen(wanted) / 3;
    return (struct spelling){.wanted = wanted, .distance = 1 + (third < 1 ? 1 : least(third, 3))};
}

void spelling_offer(struct spelling *spelling, const char *name)
{
    /* A short word must have the same first letter: gpu is not meant to be cpu. */
    const char *wanted = spelling->wanted;
    bool other = strlen(wanted) <= 3 && *wanted != *name;
    size_t distance = other ? SIZE_MAX : edit_distance(wanted, name, spelling->distance);
    if (distance < spelling->distance) {
        spelling->distance = distance;
        spelling->best = name;
    }
}

void spelling_hint(const struct spelling *spelling, char *text, size_t bytes)
{
    text[0] = '\0';
    if (spelling->best)
        snprintf(text, bytes, "; did you mean '%s'?", spelling->best);
}
