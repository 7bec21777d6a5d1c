/* Help texts, made from the lists of commands and options. */
#ifndef APP_COMMAND_HELP_H
#define APP_COMMAND_HELP_H

#include <stdio.h>

#include "app/command/command.h"

void help_program(FILE *stream);
void help_command(const struct command *command, FILE *stream);
void help_version(FILE *stream);
void help_formulas(FILE *stream); /* what --formula takes */

/* Markdown table of all keys: configs/KEYS.md holds it between two marks, and a test says that
 * it still agrees. */
void help_key_table(FILE *stream);

/* Markdown table of what each plane is in .npy and in .exr files; docs/guide/files.md has it, too.
 */
void help_plane_table(FILE *stream);

#endif
