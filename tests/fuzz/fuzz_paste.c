/* Any bytes as a pasted text: refused with a sentence, or a place whose text is the same place. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/place_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static void back_and_forth(const struct place *place)
{
    struct place back;
    char *text, *again;
    must(place_create(&back, place->view.width, place->view.height) == STATUS_OK);
    must(place_text_write(place, &text) == STATUS_OK);
    must(place_text_read(&back, text, strlen(text), "again") == STATUS_OK);
    must(place_text_write(&back, &again) == STATUS_OK);
    must(!strcmp(text, again));
    free(text);
    free(again);
    place_destroy(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct place place;
    struct view_numbers numbers;
    must(place_create(&place, 64, 36) == STATUS_OK);
    if (place_text_read(&place, (const char *)data, size, "fuzz") != STATUS_OK)
        must(*status_text() && !strcmp(place.view.re, "-0.7"));
    else {
        must(view_numbers(&place.view, &numbers) == STATUS_OK);
        must(isfinite(numbers.centre_re) && isfinite(numbers.log2_step));
        if (strlen(place.view.re) + strlen(place.view.im) < 100000) /* an ini text is 512 KiB */
            back_and_forth(&place);
    }
    place_destroy(&place);
    return 0;
}
