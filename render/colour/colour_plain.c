#define COLOUR_KERNELS colour_kernels_plain
#include "render/colour/colour_body.h"
