#include "render/device/light_device.h"

#include <assert.h>

static enum status mean_add(const struct light_device *device, const struct look *look,
                            const struct light *light, struct colour_mean *mean)
{
    struct device_set *device_set = device->device_set;
    struct colour_look tables = look_tables(look);
    mean->look = &tables;
    mean->width = light->width;
    mean->height = light->height;
    mean->mean = device->mean;
    return device_set->kind->memory->mean_add(device_set->backend[0], mean);
}

enum status light_device_add(const struct light_device *device, const struct look *look,
                             const struct field *fields, int sample, int samples,
                             const struct light *light, float (*out)[3])
{
    struct sample_share shares[SAMPLES_AT_ONCE];
    for (int s = 0; s < samples; s++)
        shares[s] = sample_share(sample + s);
    struct colour_mean mean = {.fields = fields, .shares = shares, .samples = samples, .out = out};
    return mean_add(device, look, light, &mean);
}

enum status light_device_add_squares(const struct light_device *device, const struct look *look,
                                     const struct field *field, int sample,
                                     const struct light_squares *squares, const struct light *light)
{
    struct sample_share share = sample_share(sample);
    struct colour_mean mean = {.fields = field,
                               .shares = &share,
                               .samples = 1,
                               .squares = squares->list,
                               .square_count = squares->count};
    return mean_add(device, look, light, &mean);
}

enum status light_device_add_sheet(const struct light_device *device, const struct look *look,
                                   const struct field *field, const struct cell_sheet *sheet,
                                   const struct cell_stage *stage,
                                   const struct sample_share *shares, const struct light *light)
{
    const struct colour_sheet cells = {sheet->first, sheet->count, sheet->in_row};
    struct colour_mean mean = {.fields = field,
                               .shares = shares,
                               .samples = stage->samples,
                               .squares = stage->squares,
                               .square_count = stage->count,
                               .sheet = &cells};
    assert(stage->samples <= COLOUR_CELL_SAMPLES);
    return mean_add(device, look, light, &mean);
}

enum status light_device_compare(const struct light_device *device,
                                 const struct light_squares *squares, const struct light *light,
                                 struct colour_sums *sums)
{
    struct device_set *device_set = device->device_set;
    size_t pixels = (size_t)light->width * (size_t)light->height;
    struct colour_compare compare = {.mean = (const float(*)[3])device->mean,
                                     .before = (int16_t(*)[3])(device->mean + pixels),
                                     .width = light->width,
                                     .height = light->height,
                                     .squares = squares->list,
                                     .square_count = squares->count,
                                     .sums = sums};
    return device_set->kind->memory->compare(device_set->backend[0], &compare);
}
