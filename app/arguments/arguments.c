#include "app/arguments/arguments.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/text/convert.h"
#include "library/text/spelling.h"
#include "render/disk/atomic_file.h"

/* What getopt returns for row i: LONG_FLAG + i, or OPPOSITE + i; letters lie below. */
enum { LONG_FLAG = 256, OPPOSITE = LONG_FLAG + OPTIONS };

struct flag_table {
    struct option flags[2 * OPTIONS + 1];
    char letters[2 * OPTIONS + 2];
};

static int argument_kind(const struct option_row *row)
{
    return !row->argument ? no_argument : row->bare ? optional_argument : required_argument;
}

/* A flag may belong to two rows of different commands: is it another's here? */
static bool flag_is_anothers(int i, enum command_bit command)
{
    const struct option_row *row = &option_rows[i];
    for (int j = 0; j < OPTIONS; j++) {
        const struct option_row *other = &option_rows[j];
        if (j != i && other->flag && !strcmp(row->flag, other->flag) &&
            !(row->commands & (unsigned)command))
            return j < i || other->commands & (unsigned)command;
    }
    return false;
}

static void flag_table_fill(struct flag_table *table, enum command_bit command)
{
    size_t flags = 0, letters = 0;
    *table = (struct flag_table){0};
    table->letters[letters++] = ':'; /* tells a missing argument from an unknown flag */
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->flag || flag_is_anothers(i, command))
            continue;
        table->flags[flags++] = (struct option){row->flag, argument_kind(row), NULL, LONG_FLAG + i};
        if (row->opposite)
            table->flags[flags++] = (struct option){row->opposite, no_argument, NULL, OPPOSITE + i};
        if (row->letter)
            table->letters[letters++] = row->letter;
        if (row->letter && row->argument)
            table->letters[letters++] = ':';
    }
}

static enum option_key option_of_letter(int letter)
{
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].letter == letter)
            return (enum option_key)i;
    return OPTIONS;
}

/* `word` as typed: "--limti=5" or "-xyz". */
static enum status flag_unknown(const char *command, const char *word)
{
    char typed[SHOWN_BYTES], best[64], hint[96] = "";
    text_shown(word, typed);
    typed[strcspn(typed, "=")] = '\0';
    if (!strncmp(typed, "--", 2)) {
        struct spelling spelling = spelling_of(typed + 2);
        for (int i = 0; i < OPTIONS; i++)
            if (option_rows[i].flag)
                spelling_offer(&spelling, option_rows[i].flag);
        if (spelling.best) {
            snprintf(best, sizeof best, "--%s", spelling.best);
            spelling.best = best;
        }
        spelling_hint(&spelling, hint, sizeof hint);
    }
    return status_fail(STATUS_USAGE, "unknown option '%s'%s (deepfield %s --help lists them)",
                       typed, hint, command);
}

/* A flag that getopt knows, or the sentence about one that it does not. */
static enum status flag_found(int found, const char *command, const char *word,
                              enum option_key *option)
{
    char shown[SHOWN_BYTES];
    if (found == ':') {
        enum option_key lacks =
            optopt >= LONG_FLAG ? (enum option_key)(optopt - LONG_FLAG) : option_of_letter(optopt);
        return status_fail(STATUS_USAGE, "option '%s' needs an argument: %s",
                           text_shown(word, shown), option_rows[lacks].argument);
    }
    if (found == '?' && optopt >= OPPOSITE)
        return status_fail(STATUS_USAGE, "option '--%s' takes no argument",
                           option_rows[optopt - OPPOSITE].opposite);
    if (found == '?' && optopt >= LONG_FLAG)
        return status_fail(STATUS_USAGE, "option '--%s' takes no argument",
                           option_rows[optopt - LONG_FLAG].flag);
    if (found == '?' && optopt) {
        char letter[3] = {'-', (char)optopt, '\0'};
        return flag_unknown(command, letter);
    }
    if (found == '?')
        return flag_unknown(command, word);
    *option = found >= OPPOSITE    ? (enum option_key)(found - OPPOSITE)
              : found >= LONG_FLAG ? (enum option_key)(found - LONG_FLAG)
                                   : option_of_letter(found);
    return STATUS_OK;
}

static void operands_take(struct arguments *arguments, int argc, char **argv)
{
    arguments->operands = argv + optind;
    arguments->operand_count = (size_t)(argc - optind);
    arguments->operand = optind < argc ? argv[optind] : NULL;
}

/* The next word, which getopt has not seen yet, if it is a whole number; else `bare`. */
static char *number_next(int argc, char **argv, const char *bare)
{
    if (optind < argc && *argv[optind] && !argv[optind][strspn(argv[optind], "0123456789")])
        return argv[optind++];
    return (char *)(uintptr_t)bare;
}

static enum status flags_take(struct arguments *arguments, enum command_bit command, int argc,
                              char **argv)
{
    struct flag_table table;
    flag_table_fill(&table, command);
    optind = 0; /* glibc: start over, also after an earlier call */
    opterr = 0;
    for (;;) {
        int found = getopt_long(argc, argv, table.letters, table.flags, NULL);
        if (found == -1) {
            operands_take(arguments, argc, argv);
            return STATUS_OK;
        }
        enum option_key option = OPTIONS;
        TRY(flag_found(found, argv[0], argv[optind - 1], &option));
        if (!(option_rows[option].commands & (unsigned)command))
            return status_fail(STATUS_USAGE, "deepfield %s has no option '--%s'", argv[0],
                               option_rows[option].flag);
        if (option_rows[option].bare && !optarg)
            optarg = number_next(argc, argv, option_rows[option].bare);
        arguments->given[arguments->count++] =
            (struct argument){option, option_rows[option].argument ? optarg
                                      : found >= OPPOSITE          ? "false"
                                                                   : NULL};
    }
}

enum status arguments_parse(struct arguments *arguments, enum command_bit command, int argc,
                            char **argv)
{
    /* Every word gives at most one flag per character ("-qfq"), and a word is not longer than all.
     */
    size_t most = 1;
    for (int i = 1; i < argc; i++)
        most += strlen(argv[i]) + 1;
    *arguments = (struct arguments){.given = calloc(most, sizeof *arguments->given)};
    if (!arguments->given)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the command line");
    enum status status = flags_take(arguments, command, argc, argv);
    if (status != STATUS_OK)
        arguments_destroy(arguments);
    return status;
}

bool arguments_has(const struct arguments *arguments, enum option_key option)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == option)
            return true;
    return false;
}

const char *arguments_last(const struct arguments *arguments, enum option_key option)
{
    const char *text = NULL;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == option)
            text = arguments->given[i].text;
    return text;
}

const char *arguments_output(const struct arguments *arguments, size_t number)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == OPTION_OUTPUT && number-- == 0)
            return arguments->given[i].text;
    return NULL;
}

enum status arguments_outputs_differ(const struct arguments *arguments)
{
    for (size_t i = 0; arguments_output(arguments, i); i++)
        for (size_t j = 0; j < i; j++) {
            const char *path = arguments_output(arguments, i);
            const char *before = arguments_output(arguments, j);
            if (atomic_file_same(before, path))
                return status_fail(STATUS_USAGE, "-o %s and -o %s are the same file", before, path);
        }
    return STATUS_OK;
}

enum status arguments_json_alone(const struct arguments *arguments)
{
    if (!arguments_has(arguments, OPTION_JSON) || !arguments_has(arguments, OPTION_OUTPUT))
        return STATUS_OK;
    return status_fail(STATUS_USAGE, "--json prints and -o writes files instead; leave one of them "
                                     "out");
}

enum status arguments_none_idle(const struct arguments *arguments, const struct idle_flag *flag,
                                size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (flag[i].idle && arguments_has(arguments, flag[i].option))
            return status_fail(STATUS_USAGE, "--%s has no effect here: %s",
                               option_rows[flag[i].option].flag, flag[i].why);
    return STATUS_OK;
}

void arguments_destroy(struct arguments *arguments)
{
    free(arguments->given);
    *arguments = (struct arguments){0};
}
