/* Help texts, made from the lists of commands and options. */
#ifndef APP_COMMAND_HELP_H
#define APP_COMMAND_HELP_H

#include <stdio.h>

#include "app/command/command.h"

void help_program(FILE *stream);
void help_command(const struct command *command, FILE *stream);
void help_version(FILE *stream);
void help_formulas(FILE *stream); /* what --formula takes */

/* What help texts and manual pages have in common. */
extern const char help_view_text[];                     /* what a VIEW is */
extern const char help_settings_text[];                 /* where settings come from */
const char *help_heading(const struct option_row *row); /* the group of an option */
bool help_takes_view(const struct command *command);
bool help_takes_keys(const struct command *command); /* settings, which ini files can have, too */
bool help_shows(enum option_key option, const struct command *command);
/* The default of an option's argument; NULL: none. */
const char *help_fallback(const struct option_row *row, const struct command *command);

/* Markdown table of all keys: configs/KEYS.md holds it between two marks, and a test says that
 * it still agrees. */
void help_key_table(FILE *stream);

/* Markdown table of what each plane is in .npy and in .exr files; docs/guide/files.md has it, too.
 */
void help_plane_table(FILE *stream);

#endif
