#include "render/light_device.h"

enum status light_device_add(const struct light_device *device, const struct look *look,
                             const struct field *fields, int sample, int samples,
                             const struct light *light, float (*out)[3])
{
    struct device_set *device_set = device->device_set;
    struct colour_look tables = look_tables(look);
    struct sample_share shares[SAMPLES_AT_ONCE];
    for (int s = 0; s < samples; s++)
        shares[s] = sample_share(sample + s);
    struct colour_mean mean = {.look = &tables,
                               .fields = fields,
                               .shares = shares,
                               .samples = samples,
                               .width = light->width,
                               .height = light->height,
                               .mean = device->mean,
                               .out = out};
    return device_set->kind->memory->light(device_set->backend[0], &mean);
}
