/* Deep tiles on any processor. */
#define DEEP_ROWS_ALONE
#define DEEP_KERNELS deep_kernels_scalar
#define DEEP_OF_OWN &deep_own_kernels_scalar
#define DEEP_NAME "scalar"
#include "kernels/deep/deep_body.h"
