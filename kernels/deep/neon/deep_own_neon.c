/* Kernels of deep_neon.c for own formulas. */
#include "kernels/escape/lanes_neon.h"

#define DEEP_KERNELS deep_own_kernels_neon
#define DEEP_NAME "neon"
#define DEEP_OF_OWN NULL
#define PREFIX f64x2x4
#define PACK struct f64x2x4
#define LANES 8
#include "kernels/deep/deep_body.h"
