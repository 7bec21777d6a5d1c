/* Names of unfinished files, and whether their process is dead.
 *
 * A temporary is `.NAME.HOST.PID.TIME.part`. Its process holds a lock (flock) on it, so a process
 * that gets the lock knows that the other is dead, even if its number is in use again. The host is
 * in the name because not every shared disk passes locks on: temporaries of other hosts stay.
 *
 * While several files get their names (file_swap.h), `.deepfield.HOST.PID.TIME.set` lists them, and
 * the files they replace are called `.NAME.HOST.PID.TIME.old`. */
#ifndef RENDER_DISK_TEMPORARY_FILE_H
#define RENDER_DISK_TEMPORARY_FILE_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { TEMPORARY_NAME_BYTES = 256 }; /* NAME_MAX and an end */

/* Makes a name that no file has had before, unless clocks were set back. suffix: ".part", ".old",
 * ".set". */
void temporary_name(char name[TEMPORARY_NAME_BYTES], const char *of, const char *suffix);

/* Is it such a name, of this host? */
bool temporary_is(const char *name, const char *suffix);

/* Locks a temporary that has no name yet. */
void temporary_claim(int file);

/* Creates a temporary with a name and its lock. Returns a descriptor for writing, or -1. */
int temporary_create(int folder, const char *of, const char *suffix, mode_t mode,
                     char name[TEMPORARY_NAME_BYTES]);

/* Opens a regular file or a folder of this user whose process is dead, and locks it. -1: the name
 * is no such file. */
int temporary_open(int folder, const char *name, struct stat *about);

#endif
