#include "render/colour/colour.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/escape/shared.h"
#include "render/colour/colour_kernels.h"
#include "render/colour/srgb.h"

/* ---- looks ----------------------------------------------------------------------------------- */

#define DARKEST_UNMEASURED \
    0.5 /* strength of darkening by distance in a picture that was not measured */

/* Cosine of degrees by Taylor's series, with basic operations only: libm differs from machine to
 * machine. */
static double cosine(double deg)
{
    deg = fabs(deg - 360 * floor(deg / 360 + 0.5)); /* 0 ... 180 */
    double sign = deg > 90 ? -1 : 1, x = (deg > 90 ? 180 - deg : deg) * (3.14159265358979312 / 180);
    double sum = 1, term = 1;
    for (int n = 1; n <= 20; n += 2) {
        term *= -x * x / (n * (n + 1));
        sum += term;
    }
    return sign * sum;
}

void look_make(struct look *look, const struct look_options *options,
               const struct distribution *distribution, const struct palette *palette,
               int32_t height)
{
    bool measured = distribution->runs > 0;
    double bears = measured ? distribution->shade : DARKEST_UNMEASURED;
    *look = (struct look){.palette = palette,
                          .density = options->density > 0 ? options->density : !measured,
                          .offset = options->offset,
                          .roots = options->roots,
                          .source = options->source,
                          .layer = options->layer,
                          .interior_kind = options->interior_kind,
                          .shade = {.relief = (float)options->relief,
                                    .lines = (float)(options->lines * bears),
                                    .light = {(float)cosine(options->light_deg),
                                              (float)-cosine(options->light_deg - 90)},
                                    .per_px = (float)SHADE_ROWS / (float)height}};
    memcpy(look->interior, options->interior, sizeof look->interior);
    if (!(look->density > 0))
        curve_make(&look->curve, distribution,
                   options->runs > 0 ? options->runs : distribution->runs, options->contrast);
}

bool look_same(const struct look *a, const struct look *b)
{
    return a->density == b->density && a->offset == b->offset && a->roots == b->roots &&
           colour_source_same(&a->source, &b->source) && colour_layer_same(&a->layer, &b->layer) &&
           !memcmp(&a->curve, &b->curve, sizeof a->curve) &&
           !memcmp(&a->shade, &b->shade, sizeof a->shade) && a->interior_kind == b->interior_kind &&
           !memcmp(a->interior, b->interior, sizeof a->interior);
}

struct colour_look look_tables(const struct look *look)
{
    unsigned planes = interior_planes(look->interior_kind);
    struct colour_look plain = {.table = palette_table(look->palette),
                                .density = look->density,
                                .offset = look->offset,
                                .curve = look->curve,
                                .shade = look->shade,
                                .interior_kind = look->interior_kind,
                                .inside = planes ? (enum plane)escape_log2(planes) : PLANE_COUNT};
    plain.inside_start =
        look->interior_kind == INTERIOR_PERIOD ? look->offset : palette_lightest(look->palette);
    memcpy(plain.interior, look->interior, sizeof plain.interior);
    return plain;
}

/* ---- tables and loops ------------------------------------------------------------------------ */

static struct transfer_point transfer[TRANSFER_ENTRIES];
static const struct colour_kernels *kernels;
static pthread_once_t begun = PTHREAD_ONCE_INIT;

static float light_of_entry(int i)
{
    int32_t bits = TRANSFER_FIRST + (i << TRANSFER_SHIFT);
    float light;
    memcpy(&light, &bits, sizeof light);
    return light;
}

static void tables_begin(void)
{
    kernels = &colour_kernels_plain;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        kernels = &colour_kernels_avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        kernels = &colour_kernels_avx512;
#endif
    float value = (float)srgb_encode(light_of_entry(0));
    for (int i = 0; i < TRANSFER_ENTRIES; i++) {
        float next = (float)srgb_encode(light_of_entry(i + 1));
        transfer[i] = (struct transfer_point){value, next - value};
        value = next;
    }
}

const struct colour_kernels *colour_kernels_best(void)
{
    pthread_once(&begun, tables_begin);
    return kernels;
}

/* light in 0 ... 1 */
static float encoded(float light)
{
    if (light < light_of_entry(0))
        return light * TRANSFER_BELOW;
    int32_t bits;
    memcpy(&bits, &light, sizeof bits);
    bits -= TRANSFER_FIRST;
    float part = (float)(bits & ((1 << TRANSFER_SHIFT) - 1)) * (1.0f / (1 << TRANSFER_SHIFT));
    const struct transfer_point *point = &transfer[bits >> TRANSFER_SHIFT];
    return point->value + part * point->rise;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct colour_block {
    int length;
    bool interior[COLOUR_BLOCK];
    double nu[COLOUR_BLOCK], position[COLOUR_BLOCK];
};

static const float no_fractions[COLOUR_BLOCK];

/* Root of each pixel: root k of n where the phase is k / n, within the bailout's radius. */
static void colour_block_roots(struct colour_block *block, int roots, const float *phase)
{
    for (int i = 0; i < block->length; i++)
        block->position[i] += floor((double)phase[i] * roots + 0.5) / roots;
}

/* Positions in the palette of a source with this offset. Where its plane is missing they are those
 * of counts. */
static void colour_block_positions(struct colour_block *block, const struct look *look,
                                   const struct colour_source *source, double offset,
                                   const struct colour_run *run, int32_t from)
{
    const float *values = run->plane[colour_input_plane(source->input)];
    if (source->alone && values)
        for (int i = 0; i < block->length; i++)
            block->position[i] = offset;
    else if (look->density > 0)
        kernels->law(look->density, offset, block->nu, block->length, block->position);
    else
        kernels->curve(&look->curve, offset, block->nu, block->length, block->position);
    if (look->roots && !source->alone && run->plane[PLANE_PHASE])
        colour_block_roots(block, look->roots, run->plane[PLANE_PHASE] + from);
    if (source->input && values)
        colour_source_add(source, values + from, block->length, block->position);
}

/* Takes the next pixels of a run from `from` on. */
static void colour_block_take(struct colour_block *block, const struct look *look,
                              const struct colour_run *run, int32_t from)
{
    int32_t left = run->length - from;
    int length = block->length = left < COLOUR_BLOCK ? left : COLOUR_BLOCK;
    const float *fraction =
        run->plane[PLANE_FRACTION] ? run->plane[PLANE_FRACTION] + from : no_fractions;
    if (run->count_bytes == 4) {
        const uint32_t *count = (const uint32_t *)run->count + from;
        kernels->continuous_32(count, fraction, length, block->nu);
        for (int i = 0; i < length; i++)
            block->interior[i] = count[i] == 0;
    } else {
        const uint64_t *count = (const uint64_t *)run->count + from;
        kernels->continuous_64(count, fraction, length, block->nu);
        for (int i = 0; i < length; i++)
            block->interior[i] = count[i] == 0;
    }
    colour_block_positions(block, look, &look->source, look->offset, run, from);
}

static bool is_shaded(const struct look *look, const struct colour_run *run)
{
    const struct shade *shade = &look->shade;
    return run->plane[PLANE_DISTANCE_X] && run->plane[PLANE_DISTANCE_Y] && shade->per_px > 0 &&
           (shade->relief > 0 || shade->lines > 0);
}

/* Blends the light of a block with the layer's; its positions become those of the layer. */
static void colour_block_layer(struct colour_block *block, const struct look *look,
                               const struct colour_run *run, int32_t from,
                               float light[COLOUR_BLOCK][4])
{
    const struct colour_layer *layer = &look->layer;
    float over[COLOUR_BLOCK][4];
    colour_block_positions(block, look, &layer->source, layer->offset, run, from);
    kernels->light(palette_table(palette_second(look->palette)), block->position, block->length,
                   over);
    colour_layer_blend(layer, (const float(*)[4])over, block->length, light);
}

static void colour_block_light(struct colour_block *block, const struct look *look,
                               const struct colour_run *run, int32_t from,
                               float light[COLOUR_BLOCK][4])
{
    kernels->light(palette_table(look->palette), block->position, block->length, light);
    if (look->layer.blend)
        colour_block_layer(block, look, run, from, light);
    if (is_shaded(look, run))
        kernels->shade(&look->shade, run->plane[PLANE_DISTANCE_X] + from,
                       run->plane[PLANE_DISTANCE_Y] + from, block->length, light);
}

/* Plane that pixels inside get their colours from; NULL: all have the interior colour. */
static const float *plane_inside(const struct look *look, const struct colour_run *run)
{
    unsigned planes = interior_planes(look->interior_kind);
    return planes ? run->plane[escape_log2(planes)] : NULL;
}

/* Replaces the light of pixels inside. */
static void colour_block_inside(const struct colour_block *block, const struct look *look,
                                const struct colour_run *run, int32_t from,
                                float light[COLOUR_BLOCK][4])
{
    const float *values = plane_inside(look, run);
    double position[COLOUR_BLOCK];
    float share[COLOUR_BLOCK], inside[COLOUR_BLOCK][4];
    bool any = false;
    for (int i = 0; i < block->length; i++)
        any |= block->interior[i];
    if (!any)
        return;
    if (values) {
        double start =
            look->interior_kind == INTERIOR_PERIOD ? look->offset : palette_lightest(look->palette);
        interior_positions(look->interior_kind, values + from, block->length, start,
                           look->shade.per_px, position, share);
        kernels->light(palette_table(look->palette), position, block->length, inside);
    }
    for (int i = 0; i < block->length; i++)
        for (int c = 0; block->interior[i] && c < 3; c++)
            light[i][c] =
                look->interior[c] + (values ? share[i] * (inside[i][c] - look->interior[c]) : 0);
}

struct colour_run colour_run_of(const struct field *field, int32_t row)
{
    struct colour_run run = {.count = field_row(field, PLANE_COUNT, row),
                             .count_bytes = field->count_bytes,
                             .length = field->width,
                             .y = row,
                             .dx = 1};
    for (int p = PLANE_FRACTION; p < PLANES; p++)
        if (field->plane[p])
            run.plane[p] = field_row(field, (enum plane)p, row);
    return run;
}

struct colour_run colour_run_part(const struct colour_run *run, int32_t from, int32_t length)
{
    struct colour_run part = *run;
    part.x += from * run->dx;
    part.length = length;
    part.count = (const char *)run->count + (size_t)from * (size_t)run->count_bytes;
    for (int p = PLANE_FRACTION; p < PLANES; p++)
        part.plane[p] = run->plane[p] ? run->plane[p] + from : NULL;
    return part;
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Colour of linear light as 8-bit samples, not dithered. */
static uint32_t colour_8(const float rgb[3])
{
    uint32_t colour = 0xff;
    for (int c = 0; c < 3; c++)
        colour = colour << 8 | (uint8_t)(encoded(rgb[c]) * 255 + 0.5f);
    return colour;
}

/* Replaces the 8-bit colours of pixels inside. A period has one flat colour; slow gradients are
 * dithered, as outside. */
static void colour_block_inside_8(const struct colour_block *block, const struct look *look,
                                  const struct colour_run *run, int32_t from, uint32_t *out)
{
    struct dither_pixels pixels = {(uint32_t)(run->x + from * run->dx), (uint32_t)run->dx,
                                   (uint32_t)run->y};
    float light[COLOUR_BLOCK][4] = {{0}};
    uint32_t dithered[COLOUR_BLOCK];
    colour_block_inside(block, look, run, from, light);
    if (look->interior_kind == INTERIOR_DISTANCE)
        kernels->encode(transfer, (const float(*)[4])light, block->length, &pixels, dithered);
    for (int i = 0; i < block->length; i++)
        if (block->interior[i])
            out[i] = look->interior_kind == INTERIOR_DISTANCE ? dithered[i] : colour_8(light[i]);
}

static void colour_block_8(struct colour_block *block, const struct look *look,
                           const struct colour_run *run, int32_t from, uint32_t inside,
                           uint32_t *out)
{
    struct dither_pixels pixels = {(uint32_t)(run->x + from * run->dx), (uint32_t)run->dx,
                                   (uint32_t)run->y};
    colour_block_take(block, look, run, from);
    if (is_shaded(look, run) || look->layer.blend) {
        float light[COLOUR_BLOCK][4];
        colour_block_light(block, look, run, from, light);
        kernels->encode(transfer, (const float(*)[4])light, block->length, &pixels, out);
    } else {
        kernels->colours(palette_values(look->palette), block->position, block->length, &pixels,
                         out);
    }
    if (plane_inside(look, run))
        colour_block_inside_8(block, look, run, from, out);
    else
        for (int i = 0; i < block->length; i++)
            out[i] = block->interior[i] ? inside : out[i];
}

void colour_run_8(const struct look *look, const struct colour_run *run, uint32_t *out)
{
    pthread_once(&begun, tables_begin);
    struct colour_block block;
    uint32_t inside = colour_8(look->interior);
    for (int32_t from = 0; from < run->length; from += COLOUR_BLOCK)
        colour_block_8(&block, look, run, from, inside, out + from);
}

/* Writes 0xffRRGGBB as bytes; returns the end. Writes four bytes, of which the next pixel replaces
 * the last. */
static uint8_t *unpack(const uint32_t *colour, int length, uint8_t *out)
{
    for (int i = 0; i < length; i++, out += 3) {
        uint32_t one = colour[i];
        uint8_t bytes[4] = {(uint8_t)(one >> 16), (uint8_t)(one >> 8), (uint8_t)one};
        memcpy(out, bytes, i + 1 < length ? 4 : 3);
    }
    return out;
}

void colour_window_row_8(const struct look *look, const struct field *window, int32_t row,
                         int32_t x, int32_t y, uint8_t *out)
{
    pthread_once(&begun, tables_begin);
    struct colour_run run = colour_run_of(window, row);
    run.x = x;
    run.y = y;
    struct colour_block block;
    uint32_t inside = colour_8(look->interior), colour[COLOUR_BLOCK];
    for (int32_t from = 0; from < run.length; from += COLOUR_BLOCK) {
        colour_block_8(&block, look, &run, from, inside, colour);
        out = unpack(colour, block.length, out);
    }
}

void colour_row_8(const struct look *look, const struct field *field, int32_t y, uint8_t *out)
{
    colour_window_row_8(look, field, y, 0, y, out);
}

static uint16_t sample_16(float light)
{
    return (uint16_t)(encoded(light) * 65535 + 0.5f);
}

void colour_window_row_16(const struct look *look, const struct field *window, int32_t row,
                          int32_t y, uint16_t *out)
{
    pthread_once(&begun, tables_begin);
    struct colour_run run = colour_run_of(window, row);
    run.y = y;
    struct colour_block block;
    float light[COLOUR_BLOCK][4];
    for (int32_t from = 0; from < run.length; from += COLOUR_BLOCK) {
        colour_block_take(&block, look, &run, from);
        colour_block_light(&block, look, &run, from, light);
        colour_block_inside(&block, look, &run, from, light);
        for (int i = 0; i < block.length; i++)
            for (int c = 0; c < 3; c++)
                *out++ = sample_16(light[i][c]);
    }
}

/* ---- light ----------------------------------------------------------------------------------- */

void colour_run_light(const struct look *look, const struct colour_run *run, float (*out)[3])
{
    pthread_once(&begun, tables_begin);
    struct colour_block block;
    float light[COLOUR_BLOCK][4];
    for (int32_t from = 0; from < run->length; from += COLOUR_BLOCK) {
        colour_block_take(&block, look, run, from);
        colour_block_light(&block, look, run, from, light);
        colour_block_inside(&block, look, run, from, light);
        for (int i = 0; i + 1 < block.length;
             i++) /* four floats at once, of which the next pixel replaces one */
            memcpy(out[from + i], light[i], sizeof light[0]);
        memcpy(out[from + block.length - 1], light[block.length - 1], sizeof out[0]);
    }
}

void colour_span_light(const struct look *look, const struct field *field, int32_t x, int32_t y,
                       int32_t length, float (*out)[3])
{
    struct colour_run row = colour_run_of(field, y), run = colour_run_part(&row, x, length);
    colour_run_light(look, &run, out);
}

void colour_window_row_light(const struct look *look, const struct field *window, int32_t row,
                             int32_t y, float (*out)[3])
{
    struct colour_run run = colour_run_of(window, row);
    run.y = y;
    colour_run_light(look, &run, out);
}

void colour_light_8(const float (*light)[3], float scale, int32_t length, int32_t x, int32_t y,
                    uint32_t *out)
{
    pthread_once(&begun, tables_begin);
    float scaled[COLOUR_BLOCK][4];
    for (int32_t from = 0; from < length; from += COLOUR_BLOCK) {
        int count = length - from < COLOUR_BLOCK ? length - from : COLOUR_BLOCK;
        struct dither_pixels pixels = {(uint32_t)(x + from), 1, (uint32_t)y};
        for (int i = 0; i < count; i++) {
            for (int c = 0; c < 3; c++) {
                float mean = light[from + i][c] * scale;
                mean = mean > 0 ? mean : 0; /* filters with negative lobes overshoot */
                scaled[i][c] = mean < 1 ? mean : 1;
            }
            scaled[i][3] = 0;
        }
        kernels->encode(transfer, (const float(*)[4])scaled, count, &pixels, out + from);
    }
}

void colour_light_row_8(const float (*light)[3], int32_t length, int32_t x, int32_t y, uint8_t *out)
{
    uint32_t colour[COLOUR_BLOCK];
    for (int32_t from = 0; from < length; from += COLOUR_BLOCK) {
        int count = length - from < COLOUR_BLOCK ? length - from : COLOUR_BLOCK;
        colour_light_8(light + from, 1, count, x + from, y, colour);
        out = unpack(colour, count, out);
    }
}

void colour_light_row_16(const float (*light)[3], int32_t length, uint16_t *out)
{
    pthread_once(&begun, tables_begin);
    for (int32_t i = 0; i < length; i++)
        for (int c = 0; c < 3; c++) {
            float one = light[i][c] > 0 ? light[i][c] : 0;
            *out++ = sample_16(one < 1 ? one : 1);
        }
}

void colour_row_halve(const float (*above)[3], const float (*below)[3], int32_t width,
                      float (*out)[3])
{
    float scale = below ? 0.25f : 0.5f;
    for (int32_t x = 0; x < width / 2; x++)
        for (int c = 0; c < 3; c++) {
            float sum = above[2 * x][c] + above[2 * x + 1][c];
            if (below)
                sum += below[2 * x][c] + below[2 * x + 1][c];
            out[x][c] = sum * scale;
        }
    for (int c = 0; width % 2 && c < 3; c++) {
        float last = above[width - 1][c];
        out[width / 2][c] = below ? (last + below[width - 1][c]) * 0.5f : last;
    }
}
