/* Pixels by perturbation, probed one by one, against certified counts. */
#ifndef TESTS_KERNELS_TEST_DEEP_PROBES_H
#define TESTS_KERNELS_TEST_DEEP_PROBES_H

#include "kernels/deep/deep_probe.h"
#include "tests/kernels/test_deep_fixture.h"

/* The error of the number that ends the orbit. */
typedef double probe_error_function(const struct deep_probe *probe, const struct truth *truth);

/* All counts are the true ones, and no error moves a pixel by more than `accuracy_px`. */
static inline void probes_prove(const char *name, const struct fixture *fixture,
                                const struct deep *deep, probe_error_function *error,
                                double accuracy_px, int samples)
{
    const struct spec *spec = &fixture->spec;
    double most = 0;
    uint64_t seed = 5;
    for (int i = 0; i < samples; i++) {
        struct truth truth;
        int32_t x = (int32_t)(check_random(&seed) % (uint64_t)fixture->grid.width);
        int32_t y = (int32_t)(check_random(&seed) % (uint64_t)fixture->grid.height);
        assert_int_equal(truth_pixel(&fixture->view, &spec->formula, x, y, spec->limit,
                                     spec->bailout, NULL, &truth),
                         STATUS_OK);
        struct deep_probe probe = deep_probe(deep, &fixture->grid, x, y, 0);
        assert_true(truth.certified);
        assert_int_equal(probe.count, truth.count);
        if (truth.count)
            most = fmax(most, exp2(log2(error(&probe, &truth)) - truth.log2_dz -
                                   fixture->numbers.log2_step));
    }
    printf("%s: error most %.2g px; %lld of orbit\n", name, most, (long long)fixture->orbit.length);
    assert_true(most <= accuracy_px);
}

#endif
