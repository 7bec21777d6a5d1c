/* Steps of the two-dimensional sequence R2 modulo 1 in units of 2^-32, 2^32 / g and 2^32 / g^2, g^3
 * = g + 1 (Roberts, The unreasonable effectiveness of quasirandom sequences, 2018). Wrap-around
 * makes it exact at any pixel. */
#ifndef RENDER_COLOUR_R2_H
#define RENDER_COLOUR_R2_H

#define R2_X 3242174889u
#define R2_Y 2447445414u

#endif
