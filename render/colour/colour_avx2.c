#define COLOUR_KERNELS colour_kernels_avx2
#include "render/colour/colour_body.h"
