/* Going on with an interrupted render or film: the journal of its files (render/journal.h), what it
 * is compared by, and the command line that it keeps, as the folder of a film does. */
#ifndef APP_RESUME_H
#define APP_RESUME_H

#include "app/command.h"
#include "app/picture_settings.h"
#include "render/journal.h"

/* The journal of these settings. *journal is NULL if they want none, or their files cannot have
 * one: they are not regular files of one folder. Fails as journal_open. */
enum status resume_journal(struct journal **journal, const struct picture_settings *settings,
                           const struct invocation *invocation);

/* The folder that this process is in and its words, each with a final 0. Freed by the caller; NULL
 * without memory. */
char *resume_command(char **argv, size_t *length);

/* `deepfield resume FILE [OPTION...]`: replaces *argc and *argv by the words of the interrupted run
 * and those options, which live as long as the process, and goes to its folder. STATUS_USAGE,
 * STATUS_NO_INPUT where there is no journal, STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
enum status resume_words(int *argc, char ***argv);

#endif
