/* Drafts, as readers of files fill them. */
#include <stdlib.h>

#include "render/colour/palette_make.h"
#include "render/colour/palette_text.h"

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
