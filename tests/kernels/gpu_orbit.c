/* Long reference orbits by a GPU: the same bits as the processor's, ends, files, stops, faults. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/orbit/cuda_orbit.h"
#include "tests/kernels/device_orbits.h"
#include "tests/kernels/gpu.h"

static const struct orbit_device gpu = {&cuda_orbit, 0};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Skips what GPU 0 cannot do. */
static int gpu_takes_orbits(void **state)
{
    char why[128];
    (void)state;
    if (cuda_orbit.serves(0, why, sizeof why))
        return 0;
    printf("no orbits: %s\n", why);
    skip();
    return 0;
}

/* The fewest bits that it takes. */
static long bits_least(void)
{
    int64_t limbs = 1;
    while (!cuda_orbit.digits(limbs))
        limbs++;
    return 64 * (long)limbs - 20;
}

/* Each length with few digits of 0 below, and with many. Of 100,000 steps about four are undecided.
 */
TEST_WITH(orbits_are_the_processors, gpu_takes_orbits, NULL)
{
    static const long bits[] = {32600, 40900,  49100,  65500,  75000,
                                98200, 130900, 150000, 196000, 262000};
    assert_int_equal(device_orbit_compare(&device_goes_on, bits_least(), &gpu, 100000), 100000);
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        assert_int_equal(device_orbit_compare(&device_goes_on, bits[i], &gpu, 1500), 1500);
}

TEST_WITH(orbits_end_as_the_processors, gpu_takes_orbits, NULL)
{
    for (int i = 0; i < DEVICE_ENDS; i++) {
        int64_t steps = device_orbit_compare(&device_ends[i], bits_least(), &gpu, 20000);
        printf("%s: %lld steps by the GPU\n", device_ends[i].name, (long long)steps);
    }
}

TEST_WITH(an_orbit_goes_on_from_a_file, gpu_takes_orbits, NULL)
{
    device_orbit_resume(&device_goes_on, 75000, &gpu, 700, 1500);
}

/* ---- stopping ---- */

static volatile int stop;

static void *stop_soon(void *argument)
{
    double *at_s = argument;
    nanosleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
    *at_s = now_s();
    stop = 1;
    return NULL;
}

/* 100 ms are allowed, and more to a busy machine. */
TEST_WITH(a_stop_ends_an_orbit_soon, gpu_takes_orbits, NULL)
{
    struct orbit_options options = {
        .bits = 131000, .radius = 1e5, .log2_disc = -INFINITY, .stop = &stop};
    struct orbit orbit;
    double at_s = 0;
    pthread_t thread;
    stop = 0;
    assert_int_equal(orbit_create(&orbit, &options, device_goes_on.re, device_goes_on.im),
                     STATUS_OK);
    orbit_device_set(&orbit, gpu);
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, &at_s), 0);
    assert_int_equal(orbit_extend(&orbit, INT64_C(1) << 40), STATUS_STOPPED);
    double end_s = now_s();
    assert_int_equal(pthread_join(thread, NULL), 0);
    printf("stopped after %lld steps, %.3f s after the request\n", (long long)orbit.length - 1,
           end_s - at_s);
    assert_true(end_s - at_s < 0.25 && orbit_device_steps(&orbit) > 0);
    orbit_destroy(&orbit);
}

/* ---- faults ---- */

static const char *fault_call;
static int fault_after;

static cudaError_t inject(const char *call, cudaError_t result)
{
    bool fails = !strncmp(call, fault_call, strlen(fault_call)) && fault_after-- == 0;
    return fails ? cudaErrorLaunchFailure : result;
}

/* Whichever call fails, the processor takes the steps, and the orbit says why. */
TEST_WITH(a_fault_leaves_the_steps_to_the_processor, gpu_takes_orbits, gpu_no_more_faults)
{
    static const char *const calls[] = {
        "cudaSetDevice",   "cudaFuncSetAttribute", "cudaMalloc",           "cudaStreamCreate",
        "cudaMemcpyAsync", "cudaLaunchKernelExC",  "cudaStreamSynchronize"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int after = 0; after < 6; after += 5) {
            fault_call = calls[i];
            fault_after = after;
            cuda_fault = inject;
            int64_t steps = device_orbit_compare(&device_goes_on, bits_least(), &gpu, 600);
            cuda_fault = NULL;
            assert_true(steps < 600 || fault_after >= 0); /* it may take fewer calls */
        }
}

/* Each kernel, a few steps. */
void gpu_orbit_tour(void)
{
    static const long bits[] = {22000, 30000,  40000,  48000,  60000, 75000,
                                90000, 120000, 150000, 190000, 250000};
    char why[128];
    if (!cuda_orbit.serves(0, why, sizeof why))
        return;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++)
        device_orbit_compare(&device_goes_on, bits[i], &gpu, 12);
    device_orbit_compare(&device_ends[1], 26000, &gpu, 60);
}
