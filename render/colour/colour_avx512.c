#define COLOUR_KERNELS colour_kernels_avx512
#include "render/colour/colour_body.h"
