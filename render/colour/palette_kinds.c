#include "render/colour/palette_kinds.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Ours first, then by name. */
const struct palette_kind *const palette_kinds[] = {
    &palette_csv, &palette_ggr, &palette_gpl, &palette_kfp,
    &palette_kfr, &palette_map, &palette_ugr,
};
const int palette_kinds_count = sizeof palette_kinds / sizeof *palette_kinds;

const struct palette_kind *palette_kind_of(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < palette_kinds_count; i++) {
        size_t suffix = strlen(palette_kinds[i]->suffix);
        if (length > suffix && path[length - suffix - 1] != '/' &&
            !strcasecmp(path + length - suffix, palette_kinds[i]->suffix))
            return palette_kinds[i];
    }
    return NULL;
}

const struct palette_kind *palette_kind_in(struct text text)
{
    for (int i = 0; i < palette_kinds_count; i++)
        if (palette_kinds[i]->recognise(text))
            return palette_kinds[i];
    return NULL;
}

void palette_suffixes(enum palette_verb verb, char *text, size_t bytes)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < palette_kinds_count && used < bytes; i++)
        if (verb == PALETTE_READ || palette_kinds[i]->write)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "",
                                     palette_kinds[i]->suffix);
}

struct palette_draft *palette_draft_create(void)
{
    struct palette_draft *draft = calloc(1, sizeof *draft);
    if (!draft)
        status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette");
    return draft;
}

enum status palette_draft_add(struct palette_draft *draft, const struct palette_text *text,
                              const int rgb[3])
{
    if (draft->count == PALETTE_STOPS_MAX - 1)
        return palette_fail(text, "more than %d colours", PALETTE_STOPS_MAX - 1);
    struct palette_stop *stop = &draft->stops[draft->count++];
    for (int c = 0; c < 3; c++)
        stop->rgb[c] = rgb[c] / 255.0;
    return STATUS_OK;
}
