/* The number of threads that may work on the pixels of a screen at once. One core copies 8 GB/s and
 * warps 0.5 G pixels/s: at 3840 x 2160 a frame of the viewer takes one core 30 ms, which is a
 * perceptible latency. */
#ifndef RENDER_MOTION_SCREEN_THREADS_H
#define RENDER_MOTION_SCREEN_THREADS_H

#include <stdint.h>

/* Threads that colour computed pixels: three quarters of the cores, 16 at most. 1 on two cores, and
 * for few pixels. */
int screen_painters(int64_t pixels);

/* Threads that compose a frame: three quarters of the cores, 12 at most, because others compute
 * meanwhile, and the frame waits for the last of them. 1 on two cores. */
int screen_copiers(int64_t pixels);

#endif
