/* Sentences of failures in the words of the interface: where the program says `--size`, a caller of
 * the library sets view.size. */
#ifndef LIBRARY_HANDLE_SENTENCE_H
#define LIBRARY_HANDLE_SENTENCE_H

#include <stddef.h>

/* Writes a sentence with keys instead of flags. Flags without a key stay. */
void sentence_by_keys(char *out, size_t bytes, const char *said);

/* Leaves flags as they are from now on: this process has a command line. */
void sentence_keep_flags(void);

#endif
