/* The fields of a picture's further samples, 1 and up. The first are kept, as many as fit in a
 * share of the memory that is available, so that a mean of other colours computes nothing. Later
 * ones take turns in one field more.
 *
 * The memory stays for the next picture, because its first touch takes as long as its writing. All
 * calls are of one thread. */
#ifndef RENDER_LIVE_KEPT_SAMPLES_H
#define RENDER_LIVE_KEPT_SAMPLES_H

#include <stddef.h>

#include "kernels/field.h"
#include "render/colour/samples.h"

enum { KEPT_SHARE = 8 }; /* they take at most this part of the memory that is available */
#define KEPT_BYTES_MOST (UINT64_C(2) << 30)

struct kept_samples {
    size_t bytes; /* allocated for a field; 0: none is */
    int most;     /* samples 1 ... most are kept */
    int whole;    /* samples 1 ... whole are kept and have all pixels */
    int later;    /* sample in the field for later ones, if it has all pixels; 0: none */
    void *base[SAMPLES_MOST]; /* memory of sample s: [s - 1]; of later ones: [most] */
};

/* Number of samples of so many bytes that are kept, where so much memory is available; `held`:
 * bytes of it that they have already. */
int kept_samples_most(uint64_t available, uint64_t held, uint64_t bytes);

/* Begins a sample of fields like this one: all before it that are kept must be whole. After sample
 * 1 others belong to an older picture. STATUS_OUT_OF_MEMORY. */
enum status kept_samples_begin(struct kept_samples *kept, int sample, const struct field *like);

/* Field of a sample that was begun. */
struct field kept_samples_field(const struct kept_samples *kept, int sample,
                                const struct field *like);

/* Notes that all pixels of a sample have arrived. */
void kept_samples_end(struct kept_samples *kept, int sample);

/* Is this sample kept, or would it be? */
bool kept_samples_keeps(const struct kept_samples *kept, int sample);

/* Last of the samples first, first + 1, ... that are all there; first - 1: none is. */
int kept_samples_last(const struct kept_samples *kept, int first);

/* Another picture begins: no sample is there. */
void kept_samples_forget(struct kept_samples *kept);

void kept_samples_free(struct kept_samples *kept); /* accepts a zeroed one */

#endif
