/* Deep tiles on any processor. */
#define DEEP_KERNELS deep_kernels_scalar
#define DEEP_NAME "scalar"
#include "kernels/deep/deep_body.h"
