/* The CUDA backend without a GPU: what it says of a machine and of errors. */
#include "tests/support/check.h"

#include <string.h>

#include "kernels/backend.h"
#include "kernels/cuda/cuda_calls.h"
#include "kernels/cuda/cuda_discovery.h"

static cudaError_t injected;

static cudaError_t inject(const char *call, cudaError_t result)
{
    (void)call;
    (void)result;
    return injected;
}

static cudaError_t inject_into_count(const char *call, cudaError_t result)
{
    return strncmp(call, "cudaGetDeviceCount", 18) ? result : injected;
}

static int no_more_faults(void **state)
{
    (void)state;
    cuda_fault = NULL;
    return 0;
}

TEST(errors_become_statuses)
{
    volatile int lost = 0;
    assert_int_equal(cuda_check(&lost, cudaSuccess, "cudaFree(p)"), STATUS_OK);
    assert_int_equal(cuda_check(&lost, cudaErrorMemoryAllocation, "cudaMalloc(&p, bytes)"),
                     STATUS_OUT_OF_MEMORY);
    assert_int_equal(lost, 0);
    assert_non_null(strstr(status_text(), "cudaMalloc failed"));
    assert_null(strstr(status_text(), "bytes)"));
    assert_int_equal(cuda_check(&lost, cudaErrorIllegalAddress, "cudaStreamSynchronize(s)"),
                     STATUS_DEVICE_LOST);
    assert_int_equal(lost, 1);
    assert_non_null(strstr(status_text(), cudaGetErrorString(cudaErrorIllegalAddress)));
    assert_int_equal(cuda_check(NULL, cudaErrorECCUncorrectable, "x"), STATUS_DEVICE_LOST);
}

TEST(refusals_leave_the_device)
{
    volatile int lost = 0;
    assert_int_equal(cuda_check_refusable(&lost, cudaSuccess, "cudaHostRegister"), STATUS_OK);
    assert_int_equal(cuda_check_refusable(&lost, cudaErrorNotPermitted, "cudaHostRegister"),
                     STATUS_SYSTEM);
    assert_non_null(strstr(status_text(), "cudaHostRegister failed"));
    assert_int_equal(cuda_check_refusable(&lost, cudaErrorMemoryAllocation, "cudaHostAlloc"),
                     STATUS_OUT_OF_MEMORY);
    assert_int_equal(lost, 0);
}

static enum status one_call(volatile int *lost)
{
    TRY_CUDA(lost, cudaSuccess);
    return STATUS_OK;
}

TEST_WITH(faults_can_be_injected, NULL, no_more_faults)
{
    volatile int lost = 0;
    assert_int_equal(one_call(&lost), STATUS_OK);
    injected = cudaErrorLaunchFailure;
    cuda_fault = inject;
    assert_int_equal(one_call(&lost), STATUS_DEVICE_LOST);
    assert_int_equal(lost, 1);
}

/* Sentences that name a remedy: what they must contain. */
TEST(remedies_are_named)
{
    static const struct {
        cudaError_t error;
        const char *says;
    } rows[] = {
        {cudaErrorNoKernelImageForDevice, "CMAKE_CUDA_ARCHITECTURES=native"},
        {cudaErrorInvalidPtx, "newer driver, or build with"},
        {cudaErrorUnsupportedPtxVersion, "newer driver, or build with"},
        {cudaErrorInsufficientDriver, "install a newer driver"},
        {cudaErrorDevicesUnavailable, "nvidia-smi"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(cuda_check(NULL, rows[i].error, "kernel<<<>>>"), STATUS_DEVICE_LOST);
        assert_non_null(strstr(status_text(), cudaGetErrorString(rows[i].error)));
        if (!strstr(status_text(), rows[i].says))
            fail_msg("'%s' does not say '%s'", status_text(), rows[i].says);
    }
}

TEST(a_machine_without_gpus_is_explained)
{
    static const struct {
        struct cuda_findings found;
        const char *says[2];
    } rows[] = {
        {{.runtime = 13000, .driver = 0, .error = cudaErrorInsufficientDriver},
         {"no NVIDIA driver", "CUDA 13.0"}},
        {{.runtime = 13000, .driver = 0, .error = cudaErrorStubLibrary},
         {"linked with", "LD_LIBRARY_PATH"}},
        {{.runtime = 13000, .driver = 12040, .error = cudaErrorInsufficientDriver},
         {"CUDA up to 12.4", "needs 13.0"}},
        {{.runtime = 13000, .driver = 13010, .error = cudaErrorNoDevice},
         {"driver (CUDA 13.1) shows no GPU", "CUDA_VISIBLE_DEVICES"}},
        {{.runtime = 13000, .driver = 13000, .error = cudaSuccess}, {"shows no GPU", "hiding"}},
        {{.runtime = 13000,
          .driver = 13000,
          .count = 1,
          .name = "Tesla V100-SXM2-16GB",
          .major = 7,
          .minor = 0},
         {"Tesla V100-SXM2-16GB has compute capability 7.0", "CMAKE_CUDA_ARCHITECTURES=native"}},
        {{.runtime = 13000, .driver = 13000, .error = cudaErrorSystemDriverMismatch},
         {"CUDA does not start", "nvidia-smi"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        cuda_findings_explain(&rows[i].found, text, sizeof text);
        for (int s = 0; s < 2; s++)
            if (!strstr(text, rows[i].says[s]))
                fail_msg("'%s' does not say '%s'", text, rows[i].says[s]);
    }
}

TEST_WITH(no_device_is_the_answer_of_the_list, NULL, no_more_faults)
{
    const struct backend_kind *kind;
    injected = cudaErrorNoDevice;
    cuda_fault = inject_into_count;
    assert_int_equal(cuda_devices(), 0);
    assert_int_equal(backend_kind_find(&kind, "cuda"), STATUS_NO_DEVICE);
    assert_non_null(strstr(status_text(), "backend 'cuda' cannot run here: the driver"));
    assert_non_null(strstr(status_text(), "CUDA_VISIBLE_DEVICES"));
    assert_int_equal(backend_kind_find(&kind, "auto"), STATUS_OK);
    assert_null(kind->memory);
}

TEST(builds_run_where_their_code_does)
{
    static const struct {
        const char *architectures;
        int major, minor;
        bool runs;
    } rows[] = {
        {"90-real", 9, 0, true},
        {"90-real", 10, 0, false},
        {"90", 10, 0, true},
        {"90-virtual", 9, 0, true},
        {"90-virtual", 12, 0, true},
        {"90-virtual", 8, 9, false},
        {"80-real", 8, 6, true},
        {"86-real", 8, 0, false},
        {"75-real 80-real", 8, 9, true},
        {"75-real 80-real", 9, 0, false},
        {"90a-real", 9, 0, true},
        {"90a", 10, 0, false},
        {"75-real 80 90a", 12, 0, true},
        {"100f-real", 10, 0, true},
        {"75-real 80-real 90", 7, 0, false},
        {"75-virtual 80-real 90-real", 7, 5, true},
        {"75-virtual 80-real 90-real", 12, 0, true},
        {"75-virtual 80-real 90-real", 7, 0, false},
        {"", 9, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (cuda_architecture_runs(rows[i].architectures, rows[i].major, rows[i].minor) !=
            rows[i].runs)
            fail_msg("'%s' on %d.%d: not %d", rows[i].architectures, rows[i].major, rows[i].minor,
                     rows[i].runs);
}

TEST(units_are_known_or_zero)
{
    assert_int_equal(cuda_units_per_sm(9, 0, NUMBER_FP32), 128);
    assert_int_equal(cuda_units_per_sm(9, 0, NUMBER_FP64), 64);
    assert_int_equal(cuda_units_per_sm(8, 6, NUMBER_FP64), 2);
    assert_int_equal(cuda_units_per_sm(99, 9, NUMBER_FP32), 0);
}
