/* The arguments after `deepfield COMMAND`: split, not yet judged, but for unknown flags. */
#ifndef APP_ARGUMENTS_ARGUMENTS_H
#define APP_ARGUMENTS_ARGUMENTS_H

#include <stddef.h>

#include "kernels/status.h"
#include "library/config/options.h"

struct argument {
    enum option_key option;
    const char *text; /* borrowed from argv; NULL for a switch */
};

struct arguments {
    struct argument *given; /* rows in the order of the command line; owned */
    size_t count;
    const char *operand; /* VIEW, FIELD, SUITE: the first; NULL if none; borrowed from argv */
    char **operands;     /* all of them, in argv */
    size_t operand_count;
};

/* argv[0] is the command's name. STATUS_USAGE for an unknown flag (with the nearest), a missing
 * argument, or a flag that `command` does not take. */
enum status arguments_parse(struct arguments *arguments, enum command_bit command, int argc,
                            char **argv);

/* Was the switch given? */
bool arguments_has(const struct arguments *arguments, enum option_key option);

/* What the option was given the last time; NULL: it was not, or is a switch. */
const char *arguments_last(const struct arguments *arguments, enum option_key option);

/* The -o of this number, from 0; NULL beyond the last. STATUS_USAGE if two of them are one file. */
const char *arguments_output(const struct arguments *arguments, size_t number);
enum status arguments_outputs_differ(const struct arguments *arguments);

/* Checks commands that either print or write files: STATUS_USAGE for --json beside -o. */
enum status arguments_json_alone(const struct arguments *arguments);

/* A flag that would do nothing beside the other words and settings is refused. The key of an ini
 * file may: it is for many runs. */
struct idle_flag {
    enum option_key option;
    bool idle;
    const char *why; /* "it is for .dzi" */
};

/* STATUS_USAGE for the first that is idle and was given. */
enum status arguments_none_idle(const struct arguments *arguments, const struct idle_flag *flag,
                                size_t count);

void arguments_destroy(struct arguments *arguments);

#endif
