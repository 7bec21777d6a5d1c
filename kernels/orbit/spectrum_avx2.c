#define SPECTRUM_NAME spectrum_avx2
#include "kernels/orbit/spectrum_body.h"
