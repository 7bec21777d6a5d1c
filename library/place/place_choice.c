#include "library/place/place_choice.h"

#include <stdio.h>
#include <string.h>

#include "kernels/number_text.h"
#include "library/text/convert.h"

enum { NAMES_SHOWN = 4 };

static bool is_meant(const struct place_choice *choice, const struct text *name)
{
    const char *entry = choice->text->entry;
    if (!entry)
        return choice->count == 1;
    if (text_is(name, entry))
        return true;
    bool number = *entry && strspn(entry, "0123456789") == strlen(entry) && strlen(entry) < 9;
    return number && (size_t)number_whole(entry) == choice->count;
}

enum status place_offer(struct place_choice *choice, const struct place_item *item)
{
    char shown[SHOWN_BYTES];
    if (++choice->count > PLACES_OF_FILE_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: more than %d places in one file",
                           choice->text->name, item->line, PLACES_OF_FILE_MAX);
    if (!choice->found && is_meant(choice, &item->name)) {
        choice->found = true;
        choice->chosen = *item;
    }
    size_t used = strlen(choice->names);
    const char *name = text_shown_until(item->name.begin, item->name.end, shown);
    if (choice->count <= NAMES_SHOWN)
        snprintf(choice->names + used, sizeof choice->names - used, "%s%s", used ? ", " : "",
                 *name ? name : "(no name)");
    return STATUS_OK;
}

enum status place_choose(const struct place_choice *choice)
{
    const char *name = choice->text->name, *entry = choice->text->entry;
    const char *more = choice->count > NAMES_SHOWN ? ", ..." : "";
    char shown[SHOWN_BYTES];
    if (choice->count == 0)
        return status_fail(STATUS_BAD_DATA, "%s: there is no place in it", name);
    if (entry && !choice->found)
        return status_fail(STATUS_BAD_DATA, "%s: no place '%s'; there %s %zu: %s%s", name,
                           text_shown(entry, shown), choice->count == 1 ? "is" : "are",
                           choice->count, choice->names, more);
    if (!entry && choice->count > 1)
        return status_fail(STATUS_BAD_DATA,
                           "%s: %zu places; choose one by FILE:NAME or FILE:NUMBER: %s%s", name,
                           choice->count, choice->names, more);
    return STATUS_OK;
}
