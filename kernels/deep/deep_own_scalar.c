/* Kernels of deep_scalar.c for own formulas. */
#define DEEP_KERNELS deep_own_kernels_scalar
#define DEEP_NAME "scalar"
#define DEEP_OF_OWN NULL
#include "kernels/deep/deep_body.h"
