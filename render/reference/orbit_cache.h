/* A folder that keeps reference orbits from run to run, one file for each view.
 *
 * The file's name is a hash of the first orbit's identity (kernels/orbit/orbit_state.h), its
 * content all that is needed to go on, with a checksum. A picture is the same bytes with and
 * without the folder. Failures to read or write cost time and nothing else, and are told in a
 * warning. Files appear whole (atomic_file.h); of two processes that write the same file the last
 * one wins. Files are never removed, only replaced by a longer orbit.
 *
 * A file is not trusted. The folder and the files must be of this user, and the folder not open to
 * the writing of others; links are neither followed nor written through, and memory is allocated as
 * points prove to follow from each other, not as the head of the file says. The first steps of each
 * orbit are computed anew, up to some 20 ms, so these are known bit for bit; each later step is
 * within the rounding of doubles of the formula's step (orbit_state.h). */
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
    bool interrupted;                           /* loading was interrupted by a stop request */
    struct orbit_saved saved[ORBIT_CHAIN_MOST]; /* orbits of the file; length 0: nothing usable */
    const volatile int *stop;                   /* may be NULL */
    char warning[STATUS_TEXT_BYTES];            /* "": all is well */
};

/* Finds the file of orbits that have only z_0, in a folder that is made if missing. On failure
 * there is no cache, only the warning. To be closed by orbit_cache_close in any case. */
enum status orbit_cache_open(struct orbit_cache *cache, const char *folder,
                             const struct orbit *orbit, const volatile int *stop);

/* Continues orbits that have only z_0 by those of the file, up to `limit`, each in points of up to
 * bytes_max bytes (0: no bound). A file that is missing or damaged leaves them as they are. False:
 * the orbits can only be destroyed. */
bool orbit_cache_load(struct orbit_cache *cache, struct orbit *orbit, int64_t limit,
                      uint64_t bytes_max);

/* Writes the orbits, unless the file has them, or may have them but was not read because of a stop
 * request. Returns how the cache was used. */
enum orbit_cache_use orbit_cache_store(struct orbit_cache *cache, const struct orbit *orbit);

void orbit_cache_close(struct orbit_cache *cache); /* accepts a zeroed one */

#endif
