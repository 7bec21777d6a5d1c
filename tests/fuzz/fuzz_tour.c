/* Tours from hostile text: refused with a line, or flown to the end. */
#include <stddef.h>
#include <stdint.h>

#include "library/settings/tour_play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tour tour;
    struct tour_play play = {.tour = NULL};
    struct place place = {0};
    bool moved;
    if (tour_parse(&tour, (const char *)data, size, "fuzz") != STATUS_OK)
        return 0;
    enum status status = place_create(&place, 64, 36);
    if (status == STATUS_OK)
        status = tour_begin(&play, &tour, &place);
    for (int i = 0; i < STEPS_MAX && status == STATUS_OK && !tour_is_at_end(&play); i++)
        status = tour_step(&play, TOUR_SECONDS_MOST / 3, &place, &moved);
    tour_end(&play);
    place_destroy(&place);
    tour_destroy(&tour);
    return 0;
}
