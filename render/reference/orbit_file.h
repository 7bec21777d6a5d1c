/* The content of an orbit's file: a head, the states of the orbits of a view, their identity, for
 * each orbit the numbers, the tiny points, the small values, the points and the tape, and a
 * checksum of all. The content of a file is checked before it is used. */
#ifndef RENDER_REFERENCE_ORBIT_FILE_H
#define RENDER_REFERENCE_ORBIT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "kernels/orbit/orbit.h"
#include "kernels/orbit/orbit_state.h"
#include "kernels/status.h"

struct orbit_file {
    const char *path;     /* for messages */
    const char *identity; /* identity of the orbit that the file must have */
    FILE *stream;
    const volatile int *stop; /* polled every millisecond or two; may be NULL */
};

/* Reports STATUS_BAD_DATA with a sentence about a file that cannot be used. */
enum status orbit_file_misread(const char *path, const char *what);

/* Bytes of the file of these orbits; 0: more than there can be. `saved`, here and below: one for
 * each orbit of the chain. */
uint64_t orbit_file_bytes(const char *identity, const struct orbit *orbit,
                          const struct orbit_saved *saved);

/* Reads a file of so many bytes for orbits that have only z_0, up to `limit`, each in points and
 * tape of up to bytes_max bytes (0: no bound). The caller calls orbit_return_free, after a failure
 * and a stop request too. */
enum status orbit_file_read(const struct orbit_file *file, uint64_t bytes,
                            const struct orbit *orbit, int64_t limit, uint64_t bytes_max,
                            struct orbit_return back[ORBIT_CHAIN_MOST]);

/* Writes the file. False: errno, or a stop request. */
bool orbit_file_write(const struct orbit_file *file, const struct orbit *orbit,
                      const struct orbit_saved *saved);

#endif
