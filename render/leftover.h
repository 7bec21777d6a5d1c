/* Names of unfinished files, and what becomes of them when their process dies.
 *
 * A temporary is `.NAME.HOST.PID.TIME.part`. Its process holds a lock (flock) on it, so whoever
 * gets that lock knows that the process is dead, whatever its number is by now. The host is in the
 * name because not every shared disk passes locks on: leftovers of other hosts stay.
 *
 * Files that belong together are listed in a record, `.deepfield.HOST.PID.TIME.set`, while their
 * temporaries get their names (whole_set.h). It is written when all of them are on the disk, so a
 * set whose process died then can be finished by anybody. */
#ifndef RENDER_LEFTOVER_H
#define RENDER_LEFTOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { LEFTOVER_NAME_BYTES = 256 }; /* NAME_MAX and an end */

/* A name that no file has had before, unless clocks were set. suffix: ".part" or ".set". */
void leftover_name(char name[LEFTOVER_NAME_BYTES], const char *of, const char *suffix);

/* Takes the lock of a temporary that has no name yet. */
void leftover_claim(int file);

/* Creates one with a name and its lock. Descriptor for writing or -1. */
int leftover_create(int folder, const char *of, const char *suffix, mode_t mode,
                    char name[LEFTOVER_NAME_BYTES]);

/* A name and its temporary, both in the same folder. */
struct leftover_pair {
    const char *name, *temporary;
    bool replaces;
};

/* Writes, syncs and claims a record of `count` pairs; its name to name[]. Descriptor or -1. */
int leftover_record(int folder, const struct leftover_pair *pairs, size_t count,
                    char name[LEFTOVER_NAME_BYTES]);

/* Finishes the sets, and removes the temporaries, that dead processes of this user and host have
 * left in the folder. What cannot be read or removed stays. */
void leftovers_clear(int folder);

#endif
