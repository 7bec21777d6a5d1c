/* Choice among the places of one file: FILE:NAME says which; a file with one place needs no name.
 */
#ifndef LIBRARY_PLACE_PLACE_CHOICE_H
#define LIBRARY_PLACE_PLACE_CHOICE_H

#include "library/place/place_reader.h"

struct place_item {
    struct text name, body;
    int line; /* line in which the body begins, from 1 */
};

struct place_choice {
    const struct place_text *text;
    struct place_item chosen;
    size_t count;
    bool found;
    char names[200]; /* names of the first few, for messages */
};

/* Called for each place in turn. STATUS_BAD_DATA beyond PLACES_OF_FILE_MAX. */
enum status place_offer(struct place_choice *choice, const struct place_item *item);

/* Once all were offered: STATUS_BAD_DATA if none is chosen, with the names that there are. */
enum status place_choose(const struct place_choice *choice);

#endif
