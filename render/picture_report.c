#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "render/picture.h"

void picture_report_destroy(struct picture_report *report)
{
    free(report->job.rank);
    free(report->light);
    report->job.rank = NULL;
    report->light = NULL;
}

struct picture_sums picture_sum(const struct field *field)
{
    struct picture_sums sums = {.pixels = (uint64_t)field->width * (uint64_t)field->height};
    for (size_t i = 0; i < sums.pixels; i++)
        sums.interior += field_count_at(field, i) == 0;
    for (int p = 0; p < PLANES; p++)
        if (field->plane[p])
            sums.checksum[p] = XXH3_64bits(
                field->plane[p],
                sums.pixels * element_bytes(plane_element((enum plane)p, field->count_bytes)));
    return sums;
}
