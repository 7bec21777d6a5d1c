#define SPECTRUM_NAME spectrum_plain
#include "kernels/orbit/spectrum_body.h"
