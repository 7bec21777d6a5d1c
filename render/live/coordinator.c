#include "render/live/coordinator.h"

#include <math.h>

double live_accuracy_px(const struct live *live)
{
    return live->work.request.accuracy_px > 0 ? live->work.request.accuracy_px : live->accuracy_px;
}

double live_preview_px(const struct live *live)
{
    return fmax(live_accuracy_px(live), ACCURACY_DEFAULT_PX);
}

void live_slots_clear(struct live_work *work)
{
    for (int i = 0; i < work->slots; i++)
        work->slot[i].id = 0;
}
