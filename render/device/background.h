/* A thread that runs one function after another beside the caller. It lives, with its OpenMP team,
 * from the first function on: to make both anew takes as long as a small function does. */
#ifndef RENDER_DEVICE_BACKGROUND_H
#define RENDER_DEVICE_BACKGROUND_H

#include <stdint.h>

#include "kernels/status.h"

struct background;

/* Makes a background without a thread yet. STATUS_OUT_OF_MEMORY. One thread opens, runs, waits and
 * closes. */
enum status background_open(struct background **background);

/* The same, of a thread with a lower priority, whose caller has a window that must stay smooth. */
enum status background_open_low(struct background **background);

/* Waits for the function before, then begins this one; where there can be no thread it has ended on
 * return. The number of the function: 1, 2, ... */
uint64_t background_run(struct background *background, void (*function)(void *argument),
                        void *argument);

/* Waits until the function of this number has ended; not for number 0 or a background of NULL. */
void background_wait(struct background *background, uint64_t number);

/* Waits until all functions have ended. */
void background_rest(struct background *background); /* accepts NULL */

void background_close(struct background *background); /* after the last; accepts NULL */

#endif
