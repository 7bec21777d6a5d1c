/* Adaptive sampling: the parts of a picture that need more samples.
 *
 * Samples come in stages: SAMPLES_AUTO_LEAST, then twice as many as before each time, up to
 * SAMPLES_AUTO_MOST. After a stage each square of the picture that took part in it is compared with
 * what it was at half its samples. Where the root mean square of the differences of encoded sRGB
 * values is above an error, it takes part in the next stage. The error is REFINE_ERROR on even
 * ground; where the values of a square have the standard deviation s it is
 * sqrt(1 + (s / REFINE_CONTRAST)^2) times as much, because contrast hides it. So a square has
 * exactly the colours that the whole picture would have with so many samples, and two side by side
 * with different numbers of them differ by less than that error.
 *
 * Samples a pixel that it takes until the mean structural similarity with 256 samples is 0.995
 * (tests/support/ssim.c), in four parts of 160 x 96 pixels of kf-1e50 at 3840 x 2160, with the
 * error that each of these needs for that:
 *
 *     45           the same number everywhere
 *     33           squares of 16 px, by the largest difference in a block of 4 px in or beside one
 *     29           squares of 16 px, by the mean
 *     24           squares of 8 px, by the mean: what is done here
 *     23           the same, where the error grows with the root of the number of samples
 *     25, 20, 16   the best numbers for squares of 16, 8, 4 px, chosen with the 256 known
 */
#ifndef RENDER_REFINE_H
#define RENDER_REFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "render/cells.h"
#include "render/samples.h"

/* Of encoded sRGB values, 0 ... 1: what is seen on even ground, and the contrast from which on it
 * hides more. The latter is that of structural similarity, 0.03 / sqrt(2): Wang, Bovik, Sheikh,
 * Simoncelli, Image quality assessment (2004). */
#define REFINE_ERROR (0.65 / 255)
#define REFINE_CONTRAST (5.4 / 255)
enum { REFINE_SQUARE_PX = CELL_SQUARE_PX, REFINE_PIXEL_BYTES = 6 };

struct refine {
    int32_t width, height; /* of the picture */
    int32_t columns, rows; /* squares */
    bool *active;          /* [rows][columns]: takes part in the stage */
    uint16_t (*before)[3]; /* [height][width]: sRGB values of the mean as it was compared last */
};

/* All squares take part. STATUS_OUT_OF_MEMORY. */
enum status refine_create(struct refine *refine, int32_t width, int32_t height);
void refine_destroy(struct refine *refine); /* accepts a zeroed one */

/* Remembers the mean as it is: half of the first stage is there. */
void refine_remember(struct refine *refine, const struct light *light, int threads);

/* After a stage: leaves those squares that need the next one; false if none does. Remembers the
 * mean. */
bool refine_compare(struct refine *refine, const struct light *light, int threads);

/* Adds a sample to the mean, in the squares that take part. */
void refine_add(const struct refine *refine, struct light *light, const struct look *look,
                const struct field *field, int sample, int threads);

/* Pixels of the squares that take part. */
uint64_t refine_pixels(const struct refine *refine);

/* The numbers of the squares that take part, rising. The caller frees *squares.
 * STATUS_OUT_OF_MEMORY. */
enum status refine_squares(const struct refine *refine, uint32_t **squares, uint32_t *count);

#endif
