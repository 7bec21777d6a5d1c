/* The results of CUDA calls as statuses. Every CUDA call of this folder goes through cuda_check,
 * which turns errors into statuses and sentences, and through which tests inject errors. */
#ifndef KERNELS_CUDA_CUDA_CALLS_H
#define KERNELS_CUDA_CUDA_CALLS_H

#include <cuda_runtime.h>

#include "kernels/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Judges the result of `call` (its source text). An error that can be cleared is cleared, so that
 * it does not show up again after the next launch.
 *   cudaSuccess                STATUS_OK
 *   cudaErrorMemoryAllocation  STATUS_OUT_OF_MEMORY; the device goes on working
 *   anything else              STATUS_DEVICE_LOST; *lost becomes 1 (lost may be NULL)
 * Any thread. */
enum status cuda_check(volatile int *lost, cudaError_t result, const char *call);

/* The same for calls that a system may refuse while the device stays well (pinning, sharing): such
 * an error is STATUS_SYSTEM, and the device is lost only if it fails from now on. */
enum status cuda_check_refusable(volatile int *lost, cudaError_t result, const char *call);

/* Passes a failure of a CUDA call on. */
#define TRY_CUDA(lost, call) TRY(cuda_check((lost), (call), #call))

/* For tests: called with every result, may return another. NULL otherwise. */
extern cudaError_t (*cuda_fault)(const char *call, cudaError_t result);

/* The result that cuda_check would see: for calls whose failure is an answer, not an error. */
cudaError_t cuda_result(cudaError_t result, const char *call);

#ifdef __cplusplus
}
#endif

#endif
