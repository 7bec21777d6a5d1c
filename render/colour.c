#include "render/colour.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "render/srgb.h"

enum { BLOCK = 256 }; /* pixels coloured at once: 8 kB of positions and colours, stays in L1 */

enum status colour_parse(const char *text, float rgb[3])
{
    int digit[6];
    bool good = text[0] == '#' && strlen(text) == 7;
    for (int i = 0; good && i < 6; i++) {
        char c = text[i + 1];
        digit[i] = c >= '0' && c <= '9'   ? c - '0'
                   : c >= 'a' && c <= 'f' ? c - 'a' + 10
                   : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                          : -1;
        good = digit[i] >= 0;
    }
    if (!good)
        return status_fail(STATUS_CONFIG,
                           "'%.20s' is not a colour; expected '#rrggbb', as '#102040'", text);
    for (int i = 0; i < 3; i++)
        rgb[i] = (float)srgb_decode((digit[2 * i] * 16 + digit[2 * i + 1]) / 255.0);
    return STATUS_OK;
}

double colour_position(const struct look *look, double continuous_count)
{
    return look->density * sqrt(sqrt(continuous_count)) + look->offset;
}

/* ---- the transfer function as a table ---- */

/* Straight lines between SEGMENTS points per octave: the curve bends by 0.24 of its value there, so
 * the error is below 65535 * 0.24 / (8 * 1024^2) = 0.002 of a 16-bit step. Below 2^-9, where the
 * curve is itself straight up to 0.0031308, one segment reaches down to 0. */
enum { OCTAVES = 9, SEGMENTS = 1024, ENTRIES = OCTAVES * SEGMENTS + 2 };

static float transfer[ENTRIES]; /* transfer[i] = sRGB value of light_of(i) */
static pthread_once_t transfer_once = PTHREAD_ONCE_INIT;

static uint32_t bits_of(float light)
{
    uint32_t bits;
    memcpy(&bits, &light, sizeof bits);
    return bits;
}

enum { SHIFT = 23 - 10 };                       /* SEGMENTS = 2^10 */
#define TRANSFER_FIRST ((127u - OCTAVES) << 23) /* bits of 2^-OCTAVES as a float */

static void transfer_fill(void)
{
    for (int i = 0; i < ENTRIES; i++) {
        uint32_t bits = TRANSFER_FIRST + ((uint32_t)i << SHIFT);
        float light;
        memcpy(&light, &bits, sizeof light);
        transfer[i] = (float)srgb_encode(light);
    }
}

/* light in 0 ... 1 */
static inline float encoded(float light)
{
    uint32_t bits = bits_of(light);
    if (bits < TRANSFER_FIRST)
        return light * 12.92f;
    uint32_t offset = bits - TRANSFER_FIRST, index = offset >> SHIFT;
    float part = (float)(offset & ((1u << SHIFT) - 1)) * (1.0f / (1 << SHIFT));
    return transfer[index] + part * (transfer[index + 1] - transfer[index]);
}

/* ---- rows ---- */

/* What is added before rounding down, in (0,1): the additive recurrence of Roberts, The
 * unreasonable effectiveness of quasirandom sequences (2018), whose noise is blue-ish. The three
 * channels are a third of a turn apart, so that their errors nearly cancel in brightness. 32-bit
 * wrap-around makes it exact at any coordinate. */
static inline float dither(uint32_t x, uint32_t y, int channel)
{
    uint32_t turn = x * 3242174889u + y * 2447445414u + (uint32_t)channel * 1431655765u;
    return (float)(turn >> 9) * 0x1p-23f + 0x1p-24f;
}

static inline uint64_t count_at(const struct colour_run *run, int32_t i)
{
    return run->count_bytes == 4 ? ((const uint32_t *)run->count)[i]
                                 : ((const uint64_t *)run->count)[i];
}

struct block {
    bool interior[BLOCK];
    float rgb[BLOCK][3]; /* linear light */
};

/* `count` pixels from `from` on. */
static void block_light(struct block *block, const struct look *look, const struct colour_run *run,
                        int32_t from, int count)
{
    double position[BLOCK];
    for (int i = 0; i < count; i++) {
        uint64_t n = count_at(run, from + i);
        double fraction = run->fraction ? (double)run->fraction[from + i] : 0;
        block->interior[i] = n == 0;
        position[i] = n == 0 ? 1 : (double)n + fraction;
    }
    for (int i = 0; i < count; i++)
        position[i] = colour_position(look, position[i]);
    palette_sample_many(look->palette, position, count, block->rgb);
}

static inline int block_length(int32_t length, int32_t from)
{
    return length - from < BLOCK ? length - from : BLOCK;
}

static struct colour_run row_run(const struct field *field, int32_t y)
{
    size_t at = (size_t)y * (size_t)field->width;
    const float *fraction = field->plane[PLANE_FRACTION];
    return (struct colour_run){.count = (const char *)field->plane[PLANE_COUNT] +
                                        at * (size_t)field->count_bytes,
                               .fraction = fraction ? fraction + at : NULL,
                               .count_bytes = field->count_bytes,
                               .length = field->width,
                               .y = y,
                               .dx = 1};
}

static void inside_8(const struct look *look, uint8_t inside[3])
{
    for (int c = 0; c < 3; c++)
        inside[c] = (uint8_t)(encoded(look->interior[c]) * 255 + 0.5f);
}

static inline uint8_t dithered(float light, uint32_t x, uint32_t y, int c)
{
    return (uint8_t)(encoded(light) * 255 + dither(x, y, c));
}

static inline uint32_t packed(const uint8_t rgb[3])
{
    return 0xff000000u | (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

void colour_row_8(const struct look *look, const struct field *field, int32_t y, uint8_t *out)
{
    pthread_once(&transfer_once, transfer_fill);
    struct colour_run run = row_run(field, y);
    uint8_t inside[3];
    inside_8(look, inside);
    struct block block;
    for (int32_t x = 0; x < run.length; x += BLOCK) {
        int count = block_length(run.length, x);
        block_light(&block, look, &run, x, count);
        for (int i = 0; i < count; i++, out += 3)
            for (int c = 0; c < 3; c++)
                out[c] = block.interior[i]
                             ? inside[c]
                             : dithered(block.rgb[i][c], (uint32_t)(x + i), (uint32_t)y, c);
    }
}

void colour_run_8(const struct look *look, const struct colour_run *run, uint32_t *out)
{
    pthread_once(&transfer_once, transfer_fill);
    uint8_t inside[3];
    inside_8(look, inside);
    struct block block;
    for (int32_t from = 0; from < run->length; from += BLOCK) {
        int count = block_length(run->length, from);
        block_light(&block, look, run, from, count);
        for (int i = 0; i < count; i++) {
            uint32_t x = (uint32_t)(run->x + (from + i) * run->dx);
            uint8_t rgb[3];
            for (int c = 0; c < 3; c++)
                rgb[c] = dithered(block.rgb[i][c], x, (uint32_t)run->y, c);
            *out++ = packed(block.interior[i] ? inside : rgb);
        }
    }
}

void colour_run_light(const struct look *look, const struct colour_run *run, float (*out)[3])
{
    struct block block;
    for (int32_t from = 0; from < run->length; from += BLOCK) {
        int count = block_length(run->length, from);
        block_light(&block, look, run, from, count);
        for (int i = 0; i < count; i++)
            memcpy(out[from + i], block.interior[i] ? look->interior : block.rgb[i],
                   sizeof block.rgb[i]);
    }
}

void colour_light_8(const float (*light)[3], float scale, int32_t length, int32_t x, int32_t y,
                    uint32_t *out)
{
    pthread_once(&transfer_once, transfer_fill);
    for (int32_t i = 0; i < length; i++) {
        uint8_t rgb[3];
        for (int c = 0; c < 3; c++) {
            float mean = light[i][c] * scale;
            rgb[c] = dithered(mean < 1 ? mean : 1, (uint32_t)(x + i), (uint32_t)y, c);
        }
        out[i] = packed(rgb);
    }
}

void colour_row_16(const struct look *look, const struct field *field, int32_t y, uint16_t *out)
{
    pthread_once(&transfer_once, transfer_fill);
    uint16_t inside[3];
    for (int c = 0; c < 3; c++)
        inside[c] = (uint16_t)(encoded(look->interior[c]) * 65535 + 0.5f);
    struct colour_run run = row_run(field, y);
    struct block block;
    for (int32_t x = 0; x < run.length; x += BLOCK) {
        int count = block_length(run.length, x);
        block_light(&block, look, &run, x, count);
        for (int i = 0; i < count; i++, out += 3)
            for (int c = 0; c < 3; c++)
                out[c] = block.interior[i] ? inside[c]
                                           : (uint16_t)(encoded(block.rgb[i][c]) * 65535 + 0.5f);
    }
}
