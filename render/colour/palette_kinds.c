#include "render/colour/palette_kinds.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Kinds: ours first, then by name. */
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

const struct palette_kind *palette_kind_of_text(const struct palette_text *text)
{
    const struct palette_kind *kind = palette_kind_in((struct text){text->at, text->end});
    if (!kind)
        kind = palette_kind_of(text->name);
    return kind ? kind : palette_kinds[0];
}

static enum status stops_read(struct palette **palette, struct palette_text *text,
                              const struct palette_kind *kind)
{
    struct palette_draft *draft = palette_draft_create();
    enum status status = draft ? kind->stops(draft, text) : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = palette_from_stops(palette, draft);
    free(draft);
    return status;
}

enum status palette_kind_read(struct palette **palette, const char *bytes, size_t length,
                              const char *name, const char *gradient)
{
    struct palette_text text;
    *palette = NULL;
    TRY(palette_text_open(&text, bytes, length, name));
    const struct palette_kind *kind = palette_kind_of_text(&text);
    if (gradient && !kind->each)
        return status_fail(STATUS_BAD_DATA,
                           "palette %.300s: it holds one gradient, so '%.80s' cannot be chosen",
                           name, gradient);
    return kind->stops ? stops_read(palette, &text, kind) : kind->read(palette, &text, gradient);
}

enum status palette_parse(struct palette **palette, const char *text, size_t length,
                          const char *name)
{
    return palette_kind_read(palette, text, length, name, NULL);
}
