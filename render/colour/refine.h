/* Adaptive sampling: the parts of a picture that need more samples.
 *
 * Samples come in stages (refine_samples): SAMPLES_AUTO_LEAST, up to SAMPLES_AUTO_MOST. After a
 * stage each square of the picture that took part in it is compared with its colours after the
 * stage before. The mean square of the differences is what twice its samples would change, if
 * errors are as 1 / samples; where it is above the square of an error, it takes part in the next
 * stage. The error is REFINE_ERROR on even ground after REFINE_AT samples; after n it is sqrt(n /
 * REFINE_AT) times as much, so that the next sample does as much good in all squares that take
 * part: it takes 1 / n^2 from an error of 1 / n. Where the values of a square have the standard
 * deviation s it is sqrt(1 + (s / REFINE_CONTRAST)^2) times as much, because contrast hides it.
 * Values are roots of linear light, which are near those of sRGB and need no table. So a square has
 * exactly the colours that the whole picture would have with so many samples.
 *
 * Samples a pixel that it takes until the mean structural similarity with 256 samples is 0.995
 * (tests/support/ssim.c), in five parts of 240 x 136 pixels of kf-1e50 at 3840 x 2160, with the
 * error that each needs for that, and the computed pixels, in pictures:
 *
 *     44           the same number everywhere
 *     26.7, 32.2   stages of 4, 8, 16, 32, 64; the same error after any number of samples
 *     24.5, 29.3   the same stages, the error as it is here
 *     23.7, 28.1   stages as they are here: what is done
 *     24.7, 28.4   the same, with a mean over neighbouring squares */
#ifndef RENDER_COLOUR_REFINE_H
#define RENDER_COLOUR_REFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "render/colour/cells.h"
#include "render/colour/samples.h"

/* Error of values, 0 ... 1, that is visible on even ground, and contrast above which larger errors
 * are hidden. The latter is the constant of structural similarity, 0.03 / sqrt(2): Wang, Bovik,
 * Sheikh, Simoncelli, Image quality assessment (2004). */
#define REFINE_ERROR (0.35 / 255)
#define REFINE_CONTRAST (5.4 / 255)
enum { REFINE_AT = 8, REFINE_SQUARE_PX = CELL_SQUARE_PX, REFINE_PIXEL_BYTES = 6 };

struct refine {
    int32_t width, height; /* size of the picture */
    int32_t columns, rows; /* squares */
    bool *active;          /* [rows][columns]: takes part in the stage */
    /* [height][width]: values of the mean at the last comparison; NULL: they are elsewhere */
    int16_t (*before)[3];
    int samples; /* number of samples of that mean */
};

/* Samples of the stage after one of so many; the first is SAMPLES_AUTO_LEAST. */
int refine_samples(int samples);

/* Creates a refinement in which all squares take part. elsewhere: the mean is compared where it
 * lies (refine_judge), and not stored here. STATUS_OUT_OF_MEMORY. */
enum status refine_create(struct refine *refine, int32_t width, int32_t height, bool elsewhere);
void refine_destroy(struct refine *refine); /* accepts a zeroed one */

/* Stores the mean after a part of the first stage. */
void refine_remember(struct refine *refine, const struct light *light, int samples, int threads);

/* After a stage of so many samples: leaves the squares that need the next stage; false if none
 * does. Stores the mean. */
bool refine_compare(struct refine *refine, const struct light *light, int samples, int threads);

/* Compares like refine_compare by sums that were made elsewhere, of the squares that take part. */
void refine_judge(struct refine *refine, const uint32_t *squares, uint32_t count,
                  const struct colour_sums *sums, int samples);

/* Adds a sample to the mean, in the squares that take part. */
void refine_add(const struct refine *refine, struct light *light, const struct look *look,
                const struct field *field, int sample, int threads);

/* Number of pixels in the squares that take part. */
uint64_t refine_pixels(const struct refine *refine);

/* The numbers of the squares that take part, rising. The caller frees *squares.
 * STATUS_OUT_OF_MEMORY. */
enum status refine_squares(const struct refine *refine, uint32_t **squares, uint32_t *count);

#endif
