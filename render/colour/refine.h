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
 * It never takes more than 16 everywhere would, since what more do in dust nobody sees. Mean
 * structural similarity (tests/support/ssim.c) with 256 samples at 240 x 135 pixels, and computed
 * pixels in pictures, cells among them:
 *
 *                      8 everywhere   16 everywhere   here            up to 64, error 0.35
 *     kf-1e50          0.9808         0.9923          0.9909  14.1    0.9950  22.0
 *     kf-5e113         0.9827         0.9927          0.9918  15.2    0.9953  24.9
 *     golden_spider    0.8836         0.9352          0.9352  16.0    0.9825  54.1
 *     rf-windmill      0.9895         0.9958          0.9942  12.7    0.9966  18.3
 *     magic            0.9799         0.9923          0.9914  15.4    0.9954  25.8
 *     rf-mitosis       0.9915         0.9974          0.9959  11.3    0.9975  16.2
 *     seahorse         0.9660         0.9828          0.9828  14.1    0.9935  31.0
 *     e1121            0.9999         1.0000          0.9999   4.7    0.9999   4.8 */
#ifndef RENDER_COLOUR_REFINE_H
#define RENDER_COLOUR_REFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "render/colour/cells.h"
#include "render/colour/samples.h"

/* Error of values, 0 ... 1, that is visible on even ground, and contrast above which larger errors
 * are hidden. The latter is the constant of structural similarity, 0.03 / sqrt(2): Wang, Bovik,
 * Sheikh, Simoncelli, Image quality assessment (2004). */
#define REFINE_ERROR (0.5 / 255)
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
