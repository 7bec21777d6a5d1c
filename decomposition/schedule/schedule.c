#include "decomposition/schedule/schedule.h"

#include <stddef.h>
#include <string.h>

const struct schedule_kind *const schedule_kinds[] = {&schedule_cyclic, &schedule_dynamic};
const int schedule_kinds_count = sizeof schedule_kinds / sizeof *schedule_kinds;

const struct schedule_kind *schedule_named(const char *name)
{
    for (int i = 0; i < schedule_kinds_count; i++)
        if (!strcmp(schedule_kinds[i]->name, name))
            return schedule_kinds[i];
    return NULL;
}
