/* Completions of shells, made from the lists of commands and options. */
#ifndef APP_COMMAND_COMPLETION_H
#define APP_COMMAND_COMPLETION_H

#include <stdio.h>

#include "kernels/status.h"

/* Each writes one file of definitions; names of views and palettes are those of the data folder. */
enum status completion_bash(FILE *stream);
enum status completion_zsh(FILE *stream);
enum status completion_fish(FILE *stream);

#endif
