#define COLOUR_KERNELS colour_kernels_avx512
#include "render/colour_body.h"
