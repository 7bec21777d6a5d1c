/* Names of unfinished files, and whether their process is dead.
 *
 * A temporary is `.NAME.HOST.PID.TIME.part`. Its process holds a lock (flock) on it, so whoever
 * gets that lock knows that the process is dead, whatever its number is by now. The host is in the
 * name because not every shared disk passes locks on: leftovers of other hosts stay.
 *
 * While several files get their names (file_swap.h), `.deepfield.HOST.PID.TIME.set` lists them, and
 * the files they replace are called `.NAME.HOST.PID.TIME.old`. */
#ifndef RENDER_LEFTOVER_H
#define RENDER_LEFTOVER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { LEFTOVER_NAME_BYTES = 256 }; /* NAME_MAX and an end */

/* A name that no file has had before, unless clocks were set. suffix: ".part", ".old", ".set". */
void leftover_name(char name[LEFTOVER_NAME_BYTES], const char *of, const char *suffix);

/* Is it such a name, of this host? */
bool leftover_is(const char *name, const char *suffix);

/* Takes the lock of a temporary that has no name yet. */
void leftover_claim(int file);

/* Creates one with a name and its lock. Descriptor for writing or -1. */
int leftover_create(int folder, const char *of, const char *suffix, mode_t mode,
                    char name[LEFTOVER_NAME_BYTES]);

/* Opens a regular file of this user whose process is dead, and holds its lock. -1: it is none. */
int leftover_open(int folder, const char *name, struct stat *about);

#endif
