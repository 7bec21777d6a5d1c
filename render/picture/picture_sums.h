/* Sums of a finished picture: its pixels, those inside, and a checksum of each plane. */
#ifndef RENDER_PICTURE_PICTURE_SUMS_H
#define RENDER_PICTURE_PICTURE_SUMS_H

#include <stdint.h>

#include "kernels/field.h"
#include "kernels/status.h"

struct picture_sums {          /* sums of a finished picture */
    uint64_t pixels, interior; /* interior: pixels with count 0 */
    uint64_t checksum[PLANES]; /* XXH3 of each plane, 0 if absent */
};

/* Counts and sums rows as they come, from the top; about 0.1 ms per MiB. */
struct picture_summing {
    struct picture_sums sums;
    struct XXH3_state_s *state[PLANES]; /* NULL: not summed */
};

/* STATUS_OUT_OF_MEMORY. */
enum status picture_summing_begin(struct picture_summing *summing, unsigned planes);
void picture_summing_add(struct picture_summing *summing, const struct field *rows);
/* Rows that are not here: from now on there are counts, and no sums. */
void picture_summing_skip(struct picture_summing *summing, uint64_t pixels, uint64_t interior);
struct picture_sums picture_summing_end(const struct picture_summing *summing);
void picture_summing_close(struct picture_summing *summing); /* accepts a zeroed one */

/* The same of a whole image in host memory. All 0 where there is no memory for that. */
struct picture_sums picture_sum(const struct field *field);

#endif
