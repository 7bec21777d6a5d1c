/* The journal of a picture's files (render/growing/journal.h), and what it is compared by. */
#ifndef LIBRARY_OUTPUT_PICTURE_JOURNAL_H
#define LIBRARY_OUTPUT_PICTURE_JOURNAL_H

#include "library/settings/picture_settings.h"
#include "render/growing/journal.h"

/* Words from which `deepfield resume` goes on: the folder that this process is in, `render`, and
 * its arguments, each with a final 0. Freed by the caller; NULL without memory. */
typedef char *picture_command(void *context, size_t *bytes);

/* Words of all settings that are set, for any program: the context is a struct picture_settings. */
char *picture_command_of_settings(void *settings, size_t *bytes);

/* Opens the journal of these settings. *journal is NULL if they want none, or their files cannot
 * have one: they are not regular files of one folder. Fails as journal_open. */
enum status picture_journal_open(struct journal **journal, const struct picture_settings *settings,
                                 picture_command *command, void *context);

#endif
