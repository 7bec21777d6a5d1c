/* The number of threads that may work on the pixels of a screen at once. One core copies 8 GB/s
 * and warps 0.5 G pixels/s: at 3840 x 2160 a frame of the viewer takes it 30 ms, and a hand
 * feels that. */
#ifndef RENDER_MOTION_SCREEN_THREADS_H
#define RENDER_MOTION_SCREEN_THREADS_H

#include <stdint.h>

/* Those that paint what has been computed: three quarters of the cores, 16 at most. 1 of two
 * cores, and where it is not worth a team. */
int screen_painters(int64_t pixels);

/* Those that a frame is put together with: half of the cores, 8 at most, because others compute
 * meanwhile, and the frame waits for the last of them. */
int screen_copiers(int64_t pixels);

#endif
