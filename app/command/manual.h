/* Manual pages, made from the lists of commands and options. */
#ifndef APP_COMMAND_MANUAL_H
#define APP_COMMAND_MANUAL_H

#include <stdio.h>

#include "app/command/command.h"

/* deepfield(1): the program and its commands. `date` is that of the release, as 2026-11-29. */
void manual_program(const char *date, FILE *stream);

/* deepfield-COMMAND(1). */
void manual_command(const struct command *command, const char *date, FILE *stream);

#endif
