/* Devices that die while a picture is made: the others finish it, and it is the same picture. Needs
 * a GPU; the loss of one of several needs two. */
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_calls.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"

enum { SKIPPED = 77, CALLS_BEFORE = 40 };

static int victim; /* device that fails; -1: all */
static int calls;

/* After some calls nothing works any more on the victim, as after an uncorrectable memory error. */
static cudaError_t die(const char *call, cudaError_t result)
{
    int device = -1;
    (void)call;
    if (cudaGetDevice(&device) != cudaSuccess || (victim >= 0 && device != victim))
        return result;
    return __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) > CALLS_BEFORE
               ? cudaErrorECCUncorrectable
               : result;
}

static struct picture place(void)
{
    struct picture picture = {.spec.limit = 20000,
                              .spec.bailout = 1024,
                              .spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .tile_px = 128,
                              .schedule = "auto",
                              .transport = "auto",
                              .backend = "auto"};
    assert_int_equal(view_set(&picture.view, "-0.743643887037151", "0.131825904205330", "7111111.1",
                              0, 1920, 1080),
                     STATUS_OK);
    return picture;
}

/* Opens a renderer, renders once with the fault or without, and closes it. */
static enum status rendered(int whom, struct picture_sums *sums, struct job_report *job)
{
    struct world *world;
    struct renderer *renderer;
    struct renderer_options options = {.backend = "cuda"};
    struct picture picture = place();
    struct picture_report report = {.iterations = 0};
    struct field field;
    assert_int_equal(world_open(&world, NULL), STATUS_OK);
    assert_int_equal(renderer_open(&renderer, world, &options), STATUS_OK);
    assert_int_equal(picture_render(renderer, &picture, NULL, &field, &report), STATUS_OK);
    picture_report_destroy(&report);
    victim = whom;
    calls = 0;
    cuda_fault = whom < -1 ? NULL : die;
    enum status status = picture_render(renderer, &picture, NULL, &field, &report);
    cuda_fault = NULL;
    if (status == STATUS_OK)
        *sums = picture_sum(&field);
    *job = report.job;
    job->rank = NULL;
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    renderer_close(renderer);
    world_close(world);
    return status;
}

TEST(the_others_finish_the_picture)
{
    if (backend_cuda.devices() < 2)
        skip();
    struct picture_sums whole, rest;
    struct job_report job;
    assert_int_equal(rendered(-2, &whole, &job), STATUS_OK);
    assert_int_equal(job.threads_lost, 0);
    assert_int_equal(rendered(backend_cuda.devices() - 1, &rest, &job), STATUS_OK);
    assert_int_equal(job.threads_lost, backend_cuda.tiles_at_once);
    assert_non_null(strstr(job.lost_text, "GPU"));
    assert_memory_equal(&whole, &rest, sizeof whole);
}

TEST(when_the_last_is_gone_there_is_no_picture)
{
    struct picture_sums sums;
    struct job_report job;
    assert_int_equal(rendered(-1, &sums, &job), STATUS_DEVICE_LOST);
    assert_non_null(strstr(status_text(), "every device failed"));
    printf("%s\n", status_text());
}

int main(void)
{
    if (backend_cuda.devices() == 0) {
        printf("skipped: no GPU\n");
        return SKIPPED;
    }
    return check_run(NULL, NULL);
}
