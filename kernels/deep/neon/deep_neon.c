/* Deep tiles on processors of 64-bit ARM. */
#include "kernels/escape/lanes_f32_neon.h"

#define DEEP_ROWS_ALONE
#define DEEP_KERNELS deep_kernels_neon
#define DEEP_OF_OWN &deep_own_kernels_neon
#define DEEP_NAME "neon"
#define PREFIX f64x2x4
#define PACK struct f64x2x4
#define LANES 8
#define PREFIX_F32 f32x4
#define PACK_F32 float32x4_t
#define LANES_F32 4
#include "kernels/deep/deep_body.h"
