/* Going on with an interrupted render or film, by the command line that the journal of its files
 * keeps (render/growing/journal.h), as the folder of a film does. */
#ifndef APP_COMMAND_RESUME_H
#define APP_COMMAND_RESUME_H

#include "app/settings/invocation.h"

/* The folder that this process is in, the command and those of its words that resume_takes, each
 * with a final 0; in place of --config files, what they have set. Freed by the caller; NULL without
 * memory. */
char *resume_command(const struct invocation *invocation, size_t *length);

/* Is the option kept? Settings of the picture and of how it is computed are, and -o, by the name of
 * the file alone; nothing that replaces files, logs, or names another place to write to. */
bool resume_takes(enum option_key option);

/* `deepfield resume FILE [OPTION...]`: replaces *argc and *argv by the command of the interrupted
 * run, as far as resume_takes it, and those options, which live as long as the process, and goes to
 * its folder. Files are written beside FILE. STATUS_USAGE, STATUS_NO_INPUT where there is no
 * journal, or it is not of this user, STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
enum status resume_words(int *argc, char ***argv);

#endif
