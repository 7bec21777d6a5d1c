/* A folder that keeps reference orbits from run to run, those of each view in a file of their own.
 *
 * The file's name is a hash of the first orbit's identity (kernels/orbit/orbit_state.h), its
 * content all that is needed to go on, with a checksum. A picture is the same bytes with and
 * without the folder. What cannot be read or written costs time and nothing else, and is said in a
 * sentence. Files appear whole (atomic_file.h); of two processes that write the same one the last
 * one stays. Nothing is ever removed but what a longer orbit replaces.
 *
 * A file is hostile until it is known. The folder and the files must be of this user, and the
 * folder not open to the writing of others; links are neither followed nor written through, and
 * memory is taken as points turn out to follow from each other, not as a head says. The first steps
 * of each orbit are computed anew, up to some 20 ms, so an orbit of that length is known bit for
 * bit; of the others each step is within the rounding of doubles of the formula's
 * (orbit_state.h). */
#ifndef RENDER_REFERENCE_ORBIT_CACHE_H
#define RENDER_REFERENCE_ORBIT_CACHE_H

#include <stdbool.h>

#include "kernels/orbit/orbit.h"
#include "kernels/orbit/orbit_state.h"
#include "kernels/status.h"

#define ORBIT_CACHE_FILE_MOST ((uint64_t)1 << 34) /* bytes: a billion steps */

enum orbit_cache_use { ORBIT_CACHE_NONE, ORBIT_CACHE_NEW, ORBIT_CACHE_LONGER, ORBIT_CACHE_FOUND };

struct orbit_cache {
    char *path, *identity;                      /* owned; path NULL: there is no cache */
    int folder;                                 /* descriptor */
    bool interrupted;                           /* loading, by a stop request */
    struct orbit_saved saved[ORBIT_CHAIN_MOST]; /* what the file had of each orbit; length 0:
                                                   nothing that could be used */
    const volatile int *stop;                   /* may be NULL */
    char warning[STATUS_TEXT_BYTES];            /* "": all is well */
};

/* Finds the file of orbits of z_0 alone, in a folder that is made if it is not there. On failure
 * there is no cache, only the warning. Closed by orbit_cache_close in any case. */
enum status orbit_cache_open(struct orbit_cache *cache, const char *folder,
                             const struct orbit *orbit, const volatile int *stop);

/* Makes orbits of z_0 alone what the file has for `limit`, each in points of up to bytes_max bytes
 * (0: no bound). A file that is not there, or is not whole, leaves them as they are. False: they
 * can only be destroyed. */
bool orbit_cache_load(struct orbit_cache *cache, struct orbit *orbit, int64_t limit,
                      uint64_t bytes_max);

/* Writes the orbits, unless the file has them, or had perhaps and was not read because of a stop
 * request. Says what came of the cache. */
enum orbit_cache_use orbit_cache_store(struct orbit_cache *cache, const struct orbit *orbit);

void orbit_cache_close(struct orbit_cache *cache); /* accepts a zeroed one */

#endif
