/* Whether a cycle attracts an orbit of z^2 + c + k z_(n-1), for the estimates of errors. */
#ifndef KERNELS_DEEP_RATIONAL_HENON_ATTRACTION_H
#define KERNELS_DEEP_RATIONAL_HENON_ATTRACTION_H

#include "kernels/deep/rational/henon_pixel.h"

/* 1: an orbit that has come to this state of a pixel stays bounded, whatever roundings do. 0: that
 * is not known after some 2^18 steps more, which take milliseconds. */
int henon_attracted(const struct henon_pixel *pixel, const struct henon_common *common);

#endif
