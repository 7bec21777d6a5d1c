#include "render/colour/blend.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name, *with_count;
    enum plane plane;
} inputs[INPUTS] = {
    [INPUT_COUNT] = {"count", "count", PLANE_COUNT},
    [INPUT_PHASE] = {"phase", "count+phase", PLANE_PHASE},
    [INPUT_BINARY] = {"binary", "count+binary", PLANE_PHASE},
    [INPUT_STRIPE] = {"stripe", "count+stripe", PLANE_STRIPE},
    [INPUT_TRIANGLE] = {"triangle", "count+triangle", PLANE_TRIANGLE},
    [INPUT_TRAP_POINT] = {"trap_point", "count+trap_point", PLANE_TRAP_POINT},
    [INPUT_TRAP_CROSS] = {"trap_cross", "count+trap_cross", PLANE_TRAP_CROSS},
    [INPUT_TRAP_CIRCLE] = {"trap_circle", "count+trap_circle", PLANE_TRAP_CIRCLE},
};

/* Number 0 is the count; the others come in pairs, alone and with the count. */
const char *colour_source_name(int number)
{
    int input = (number + 1) / 2;
    if (input >= INPUTS)
        return NULL;
    return number % 2 ? inputs[input].name : inputs[input].with_count;
}

int colour_source_number(const struct colour_source *source)
{
    return source->input ? 2 * (int)source->input - source->alone : 0;
}

struct colour_source colour_source_at(int number, double runs)
{
    return (struct colour_source){
        .input = (enum colour_input)((number + 1) / 2), .alone = number % 2 == 1, .runs = runs};
}

void colour_source_step(struct colour_source *source, int step)
{
    source->input = (enum colour_input)(((int)source->input + step + INPUTS) % INPUTS);
    source->alone = source->alone && source->input;
    if (!(source->runs > 0))
        source->runs = 1;
}

const char *colour_blend_name(int number)
{
    static const char *const names[BLENDS] = {[BLEND_NONE] = "none",
                                              [BLEND_MULTIPLY] = "multiply",
                                              [BLEND_SCREEN] = "screen",
                                              [BLEND_OVERLAY] = "overlay",
                                              [BLEND_ALPHA] = "alpha"};
    return number < BLENDS ? names[number] : NULL;
}

enum plane colour_input_plane(enum colour_input input)
{
    return inputs[input].plane;
}

unsigned colour_source_planes(const struct colour_source *source)
{
    return source->input ? 1u << inputs[source->input].plane : 0;
}

bool colour_source_same(const struct colour_source *a, const struct colour_source *b)
{
    return a->input == b->input && a->alone == b->alone && (!a->input || a->runs == b->runs);
}

bool colour_layer_same(const struct colour_layer *a, const struct colour_layer *b)
{
    return a->blend == b->blend &&
           (!a->blend || (colour_source_same(&a->source, &b->source) && a->offset == b->offset &&
                          a->opacity == b->opacity));
}

void colour_source_add(const struct colour_source *source, const float *values, int n,
                       double *position)
{
    double runs = source->runs;
    if (source->input == INPUT_BINARY)
        for (int i = 0; i < n; i++)
            position[i] += values[i] >= 0.5f ? 0.5 * runs : 0;
    else if (1u << inputs[source->input].plane & PLANE_MASK_TRAPS)
        for (int i = 0; i < n; i++)
            position[i] += runs * sqrt((double)values[i]);
    else
        for (int i = 0; i < n; i++)
            position[i] += runs * (double)values[i];
}

static float channel_blend(enum colour_blend blend, float a, float b)
{
    if (blend == BLEND_MULTIPLY)
        return a * b;
    if (blend == BLEND_ALPHA)
        return b;
    float va = sqrtf(a), vb = sqrtf(b), v = va + vb - va * vb;
    if (blend == BLEND_OVERLAY)
        v = va < 0.5f ? 2 * va * vb : 1 - 2 * (1 - va) * (1 - vb);
    return v * v;
}

void colour_layer_blend(const struct colour_layer *layer, const float (*over)[4], int n,
                        float (*light)[4])
{
    float opacity = (float)layer->opacity;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            float a = light[i][c], mixed = channel_blend(layer->blend, a, over[i][c]);
            light[i][c] = fminf(a + opacity * (mixed - a), 1);
        }
}
