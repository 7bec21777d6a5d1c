#include "render/colour/look_options.h"

#include <string.h>

bool look_options_same(const struct look_options *a, const struct look_options *b)
{
    return a->density == b->density && a->runs == b->runs && a->contrast == b->contrast &&
           a->offset == b->offset && a->relief == b->relief && a->lines == b->lines &&
           a->relief_auto == b->relief_auto && a->lines_auto == b->lines_auto &&
           a->light_deg == b->light_deg && a->roots == b->roots &&
           colour_source_same(&a->source, &b->source) && colour_layer_same(&a->layer, &b->layer) &&
           a->interior_kind == b->interior_kind &&
           !memcmp(a->interior, b->interior, sizeof a->interior);
}

unsigned look_planes(const struct look_options *options)
{
    bool relief = !options->relief_auto && options->relief > 0;
    bool lines = !options->lines_auto && options->lines > 0;
    unsigned distance = relief || lines ? PLANE_MASK_DISTANCE : 0;
    unsigned layer = options->layer.blend ? colour_source_planes(&options->layer.source) : 0;
    return distance | (options->roots ? PLANE_MASK_PHASE : 0) | layer |
           colour_source_planes(&options->source);
}

void look_planes_drop(struct look_options *options, unsigned planes)
{
    struct colour_source *const sources[] = {&options->source, &options->layer.source};
    for (int i = 0; i < 2; i++)
        if (colour_source_planes(sources[i]) & ~planes)
            *sources[i] = (struct colour_source){.input = INPUT_COUNT};
}

bool look_is_plain(const struct look_options *options)
{
    return !options->source.input && !options->layer.blend;
}

bool look_has_counts(const struct look_options *options)
{
    return !options->source.alone || (options->layer.blend && !options->layer.source.alone);
}

void look_resolve(struct look_options *options, const struct field *field)
{
    bool there = (field->planes & PLANE_MASK_DISTANCE) == PLANE_MASK_DISTANCE;
    if (options->relief_auto && !there)
        options->relief = 0;
    if (options->lines_auto && !there)
        options->lines = 0;
    options->relief_auto = options->lines_auto = false;
}
