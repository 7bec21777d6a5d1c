/* The mean of the samples of a picture, as their fields come home to rank 0.
 *
 * A field that is taken is added while the next one is computed: the one before it must stay as it
 * is until the next but one is taken, that of the centres for ever. */
#ifndef RENDER_AVERAGE_H
#define RENDER_AVERAGE_H

#include "decomposition/tile.h"
#include "render/refine.h"
#include "render/samples.h"

struct average;

/* For `samples` as in struct picture. overlaps: devices compute without this processor, and a field
 * is added while average_take has returned. The look is borrowed until average_end.
 * STATUS_OUT_OF_MEMORY; *average is NULL then. */
enum status average_create(struct average **average, const struct look *look, int32_t width,
                           int32_t height, int samples, bool overlaps);

/* The next sample; 0 is that of the centres. Of those after a stage the pixels of its tiles. */
void average_take(struct average *average, const struct field *field, int sample);

/* SAMPLES_AUTO, after the first SAMPLES_AUTO_LEAST samples and whenever their number has doubled:
 * the tiles of the next stage as refine_tiles has them; none where no square needs it. */
enum status average_refine(struct average *average, int32_t tile_px, int64_t overhead_px,
                           struct tile **tiles, uint32_t *count);

struct average_result {
    float (*light)[3]; /* [height][width]; freed by the caller */
    double samples;    /* a pixel, on average */
};

/* Ends the average; of NULL, no light. */
struct average_result average_end(struct average *average);

#endif
