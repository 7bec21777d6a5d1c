/* Names of unfinished files, and whether their process is dead.
 *
 * A temporary is `.NAME.HOST.PID.TIME.part`. Its process holds a lock (flock) on it, so whoever
 * gets that lock knows that the process is dead, whatever its number is by now. The host is in the
 * name because not every shared disk passes locks on: temporaries of other hosts stay.
 *
 * While several files get their names (file_swap.h), `.deepfield.HOST.PID.TIME.set` lists them, and
 * the files they replace are called `.NAME.HOST.PID.TIME.old`. */
#ifndef RENDER_DISK_TEMPORARY_FILE_H
#define RENDER_DISK_TEMPORARY_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { TEMPORARY_NAME_BYTES = 256 }; /* NAME_MAX and an end */

/* A name that no file has had before, unless clocks were set. suffix: ".part", ".old", ".set". */
void temporary_name(char name[TEMPORARY_NAME_BYTES], const char *of, const char *suffix);

/* Is it such a name, of this host? */
bool temporary_is(const char *name, const char *suffix);

/* Takes the lock of a temporary that has no name yet. */
void temporary_claim(int file);

/* Creates one with a name and its lock. Descriptor for writing or -1. */
int temporary_create(int folder, const char *of, const char *suffix, mode_t mode,
                     char name[TEMPORARY_NAME_BYTES]);

/* Opens a regular file or a folder of this user whose process is dead, and holds its lock. -1: it
 * is none. */
int temporary_open(int folder, const char *name, struct stat *about);

#endif
