/* Verification of the counts of a picture: all ranks and devices compute it as for `deepfield
 * render`, and sampled pixels of it are compared with proven counts, at any depth.
 *
 * Rounding moves every pixel a little: the kernel computes a point `error_px` pixels beside the
 * pixel. That alone makes some counts differ from the truth, and their number can be predicted:
 * lines of equal count lie 0.35 d apart, d the distance to the set, so a pixel moved by e into an
 * arbitrary direction crosses one with probability 2/pi * e / (0.35 d) = 1.8 e / d. More mismatches
 * than that are a fault of the program.
 *
 * Each sample is also computed again, alone and on a processor, by the same arithmetic. That gives
 * z, whose error over |dz/dc| is the error in pixels; and a different count was spoilt by a kernel,
 * a device, or on its way to rank 0. */
#ifndef RENDER_TRUTH_VERIFY_H
#define RENDER_TRUTH_VERIFY_H

#include <stdint.h>

#include "kernels/spec.h"
#include "kernels/status.h"
#include "render/picture/picture.h"
#include "render/truth/truth.h"

/* Largest distance of an accepted mismatch from where the count changes, unless the observed error
 * is so large that a mismatch there has a chance of more than 1 in 1000. */
#define VERIFY_FAR_PX 0.01

/* The prediction of the plan is a size that 99 of 100 pixels keep to, not a bound. At 170 places,
 * with and without --exact, medians were 0.6 times it at most, and the largest of 40 samples 4
 * times it. An error that is larger by this factor is a fault, of the program or of the prediction:
 * the first factor holds for the median and for the error of 99 of 100 pixels, the second for any
 * pixel. */
#define VERIFY_ERROR_FACTOR 50.0
#define VERIFY_ERROR_FACTOR_MOST 1000.0

struct verify_options {
    int samples;   /* pixels, at least 1; at most all of the picture */
    uint64_t seed; /* the same seed takes the same pixels */
};

struct verify_progress {
    int done, samples; /* samples proven, of so many */
    double part;       /* done part of the iterations of the proofs, 0 ... 1 */
    double seconds;    /* seconds since the first proof began */
};

struct verify_hooks { /* each may be NULL */
    void (*picture)(void *context, const struct job_progress *progress);
    void (*proofs)(void *context, const struct verify_progress *progress); /* one call at a time */
    void *context;
    const volatile int *stop; /* non-zero: calls return STATUS_STOPPED */
};

struct verify_sample {
    int32_t x, y;
    int64_t got;         /* the picture's count */
    int64_t recomputed;  /* count of the pixel computed again (recompute.h): must equal got */
    float plane[PLANES]; /* values of the picture's planes but the count; 0 without that plane */
    struct truth truth;
    /* |z_n(recomputed) - z_n(true)| / |dz_n/dc| in pixels; escaped, certified only */
    double error_px;
    double end_px;   /* error of w_n alone, in pixels; planes are computed from w_n: where an orbit
                        converges rounding may change them and not the count */
    double fraction; /* nu - count of the true orbit; may leave [0, 1) */
};

enum verify_verdict {
    VERIFY_RIGHT,   /* all counts are the true ones */
    VERIFY_ROUNDED, /* some counts differ, as many as rounding explains */
    VERIFY_NOISE,   /* most counts differ, which rounding explains, too */
    VERIFY_WRONG    /* counts or planes differ by more than rounding explains */
};

struct verify_report {
    /* set by verify_view */
    enum method method;
    enum number number;
    long orbit_bits; /* bits of the reference orbit; 0 without perturbation */
    double log2_step;
    struct view_shape shape; /* shape of the view */
    double rotation_deg;
    unsigned planes; /* planes of the picture: each is proven */
    char backend[16];
    double predicted_px; /* the plan's backward error */
    double roundings_px; /* part of it: roundings of perturbation */
    double picture_s, truth_s;
    struct verify_sample *sample; /* owned */
    int samples;

    /* set by verify_judge */
    int certified, inside; /* inside: certified and proven not to escape */
    int matches, mismatches;
    int astray;        /* got != recomputed */
    int wrong[PLANES]; /* samples whose count matches and whose plane is off by more than errors
                          explain */
    int periods, periods_missing; /* samples inside whose period is proven; those of them without a
                                     period in the picture */
    int sums_judged;              /* averages and traps whose errors explain less than a tenth */
    double expected;              /* mismatches that the observed errors explain */
    /* Mismatches of samples that are more probably right than wrong: these are judged by number. */
    int rare_mismatches;
    double rare_expected;
    int rare_most; /* chance alone exceeds it once in 1000 times */
    double error_median_px, error_p99_px, error_max_px;
    double far_px; /* distance beyond which mismatches are unexplained */
    int far_mismatches;
    double mismatch_distance_px; /* largest change_px of a mismatch; 0 if none */
    enum verify_verdict verdict; /* verdict on the certified samples */
    char complaint[256];         /* why the counts are not explained; "" if they are */
};

/* Fills the second part of the report from the first. Pure. */
void verify_judge(struct verify_report *report);

/* "right", "rounded", "noise", "wrong" */
const char *verify_verdict_name(enum verify_verdict verdict);

int verify_sample_mismatches(const struct verify_sample *sample);

/* Number of wrong distances: components of vectors, of both planes together. */
int verify_wrong_distances(const struct verify_report *report);

/* Number of wrong averages and traps along orbits. */
int verify_wrong_sums(const struct verify_report *report);

/* Makes the picture, proves samples of it (verify_pixels.h says which) and judges them. Collective:
 * rank 0 passes all and gets the report, the others NULL for `picture`, `options` and `report`;
 * every rank returns the same status. STATUS_INTERNAL with the complaint when the counts are not
 * explained; the report is filled then too, and freed with verify_report_destroy in any case.
 * Blocks for the picture, and about samples * count * 0.3 us / threads, doubled by 1,000 bits. */
enum status verify_view(struct renderer *renderer, const struct picture *picture,
                        const struct verify_options *options, const struct verify_hooks *hooks,
                        struct verify_report *report);

void verify_report_destroy(struct verify_report *report); /* accepts a zeroed one */

#endif
