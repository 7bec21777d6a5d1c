/* Which device has the memory that goes through MPI? A GPU, or one that is played. */
#ifndef TESTS_RENDER_DEVICE_MPI_RENDERER_H
#define TESTS_RENDER_DEVICE_MPI_RENDERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int device_count(void);
const char *device_backend(void); /* the backend's name */

/* Is this an address of device memory? */
bool device_owns(const void *address);

/* Whether it has room for a picture. */
void device_room(bool room);

/* Of the device that is played: whether it averages samples without failing, how often it has, and
 * the side of its tiles. */
void device_lights(bool well);
void device_shares(bool well); /* with other processes */
extern int device_lit;
extern int32_t device_tile_px;

/* False on failure. Either side may be device memory. */
bool device_copy(void *to, const void *from, size_t bytes);

#endif
