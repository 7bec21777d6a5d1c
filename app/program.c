#include "app/program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/command.h"
#include "app/convert.h"
#include "app/help.h"
#include "app/launch.h"
#include "app/nearest.h"
#include "app/probe.h"
#include "app/stop.h"
#include "decomposition/clock.h"

/* One line, whatever the names of files contain. */
static void message_print(const char *text)
{
    fputs("deepfield: ", stderr);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stderr);
    fputc('\n', stderr);
}

/* libgomp ends the process with exit(1) when it cannot start a thread. No code of ours is 1. */
static void library_exit(int code, void *unused)
{
    (void)unused;
    if (code != EXIT_FAILURE)
        return;
    message_print("a library has ended the program, for the reason above; where memory (ulimit -v) "
                  "or processes (ulimit -u) are limited, --threads N takes fewer threads");
    _exit(status_exit_code(STATUS_SYSTEM));
}

/* What stdout promised must have arrived: a full disk shows itself at the flush. */
static enum status output_flush(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return status_fail(STATUS_IO, "stdout: %s", strerror(errno));
}

/* ---- what needs no MPI, no device and no settings ---- */

static bool word_is(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

static enum status command_unknown(const char *word)
{
    char shown[SHOWN_BYTES], hint[96];
    if (!word)
        return status_fail(STATUS_USAGE, "a command is needed; deepfield --help lists them");
    struct nearest nearest = nearest_to(word);
    for (int i = 0; i < commands_count; i++)
        nearest_offer(&nearest, commands[i].name);
    nearest_hint(&nearest, hint, sizeof hint);
    return status_fail(STATUS_USAGE, "unknown command '%s'%s (deepfield --help lists them)",
                       text_shown(word, shown), hint);
}

/* deepfield help [COMMAND] */
static enum status help_print(int argc, char **argv)
{
    const struct command *command = argc > 2 ? command_named(argv[2]) : NULL;
    if (argc > 3)
        return status_fail(STATUS_USAGE, "deepfield help takes one command at a time");
    if (argc > 2 && !command)
        return command_unknown(argv[2]);
    if (command)
        help_command(command, stdout);
    else
        help_program(stdout);
    return output_flush();
}

/* Prints what the command line asks for and nothing else; false if it asks for work. */
static bool help_asked(int argc, char **argv, enum status *status)
{
    const struct command *command = argc > 1 ? command_named(argv[1]) : NULL;
    bool found = false;
    for (int i = 2; command && i < argc && strcmp(argv[i], "--") != 0; i++)
        found = found || word_is(argv[i], "--help", "-h");
    if (argc > 1 && word_is(argv[1], "--help", "-h"))
        help_program(stdout);
    else if (argc > 1 && !strcmp(argv[1], "--version"))
        help_version(stdout);
    else if (found)
        help_command(command, stdout);
    else if (command && command->bit == COMMAND_HELP) {
        *status = help_print(argc, argv);
        return true;
    } else
        return false;
    *status = output_flush();
    return true;
}

/* ---- settings ---- */

static enum status view_missing(const struct command *command)
{
    return status_fail(STATUS_USAGE,
                       "deepfield %s needs a VIEW, or --re, --im and --zoom (deepfield %s --help)",
                       command->name, command->name);
}

static enum status operand_check(const struct command *command, const char *operand)
{
    char shown[SHOWN_BYTES];
    if (command->takes == OPERAND_VIEW && operand && !*operand)
        return view_missing(command);
    if (command->takes == OPERAND_NONE && operand)
        return status_fail(STATUS_USAGE, "deepfield %s takes no operand, but '%s' was given",
                           command->name, text_shown(operand, shown));
    return STATUS_OK;
}

/* The file that the command line names; without one, the whole set or nothing. */
static enum status view_load(struct invocation *invocation)
{
    const char *operand = invocation->arguments.operand;
    enum command_operand takes = invocation->command->takes;
    if (takes != OPERAND_VIEW && takes != OPERAND_VIEW_OR_HOME)
        return STATUS_OK;
    if (!operand && takes == OPERAND_VIEW)
        return view_file_none(&invocation->view);
    return view_file_load(&invocation->view, operand ? operand : "whole-set");
}

/* Do the settings say where to look? Only flags and the environment can leave something out. */
static enum status place_check_whole(const struct invocation *invocation)
{
    static const enum option_key needed[] = {OPTION_VIEW_RE, OPTION_VIEW_IM, OPTION_VIEW_ZOOM};
    const char *missing = NULL;
    int there = 0;
    if (invocation->view.kind != VIEW_OPTIONS)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (config_text(&invocation->config, needed[i]))
            there++;
        else if (!missing)
            missing = option_rows[needed[i]].flag;
    if (!missing)
        return STATUS_OK;
    if (!there)
        return view_missing(invocation->command);
    return status_fail(STATUS_USAGE,
                       "--%s is missing: without a VIEW, --re, --im and --zoom are "
                       "needed",
                       missing);
}

static enum status settings_load(struct invocation *invocation)
{
    struct view_file *view = &invocation->view;
    TRY(view_load(invocation));
    TRY(config_load(&invocation->config, &invocation->arguments, view->path ? &view->ini : NULL,
                    view->path));
    return place_check_whole(invocation);
}

/* Ranks to start mpirun for; 0: none. Only rank 0 of a world that nobody launched can say more. */
static long ranks_to_launch(const struct invocation *invocation)
{
    if (world_launched() || invocation->command->ranks != RANKS_ALL ||
        arguments_has(&invocation->arguments, OPTION_PRINT_CONFIG))
        return 0;
    int64_t ranks = config_integer(&invocation->config, OPTION_COMPUTE_RANKS);
    return ranks > 1 ? (long)ranks : 0;
}

/* Rank 0 alone reads and judges. */
static enum status prepare(struct invocation *invocation, int argc, char **argv)
{
    const struct command *command = invocation->command;
    if (!command)
        return command_unknown(argc > 1 ? argv[1] : NULL);
    TRY(arguments_parse(&invocation->arguments, command->bit, argc - 1, argv + 1));
    TRY(operand_check(command, invocation->arguments.operand));
    TRY(settings_load(invocation));
    int64_t ranks = config_integer(&invocation->config, OPTION_COMPUTE_RANKS);
    const char *operand = invocation->arguments.operand;
    if (ranks_to_launch(invocation) && operand && !strcmp(operand, "-"))
        return status_fail(STATUS_USAGE, "a VIEW from stdin does not reach the ranks that --ranks "
                                         "starts; write it to a file");
    const char *origin = invocation->config.value[OPTION_COMPUTE_RANKS].origin;
    if (world_launched() && !strcmp(origin, "--ranks") && ranks != world_size(invocation->world))
        return status_fail(STATUS_USAGE,
                           "--ranks %lld inside a job of %d ranks; leave it out, mpirun or srun "
                           "has decided",
                           (long long)ranks, world_size(invocation->world));
    return STATUS_OK;
}

/* ---- the way through ---- */

/* Does rank 0 print the settings instead of working? Every rank asks; rank 0 knows. */
static enum status config_shown(struct invocation *invocation, bool *shown)
{
    bool root = world_rank(invocation->world) == 0;
    *shown = root && arguments_has(&invocation->arguments, OPTION_PRINT_CONFIG);
    TRY(world_tell(invocation->world, shown, sizeof *shown));
    if (root && *shown)
        config_write(&invocation->config, CONFIG_ALL, stdout);
    return STATUS_OK;
}

static enum status command_run(struct invocation *invocation)
{
    bool shown = false;
    TRY(config_shown(invocation, &shown));
    bool root = world_rank(invocation->world) == 0;
    if (shown || (!root && invocation->command->ranks == RANKS_ROOT))
        return root ? output_flush() : STATUS_OK;
    stop_listen();
    TRY(invocation->command->run(invocation));
    return root ? output_flush() : STATUS_OK;
}

static enum status invocation_run(struct invocation *invocation, int argc, char **argv, int *code)
{
    struct world *world = invocation->world;
    enum status status = STATUS_OK;
    if (world_rank(world) == 0)
        status = prepare(invocation, argc, argv);
    TRY(world_agree(world, status));
    long ranks = ranks_to_launch(invocation);
    if (ranks) {
        probe_tell(config_boolean(&invocation->config, OPTION_COMPUTE_MPI_DEVICE) ||
                   arguments_has(&invocation->arguments, OPTION_PROVE));
        return launch_ranks(ranks, argv, code);
    }
    return world_agree(world, command_run(invocation));
}

int program_run(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], PROBE_WORD))
        return probe_rank_run();
    struct invocation invocation = {.started_s = clock_s(),
                                    .command = argc > 1 ? command_named(argv[1]) : NULL};
    int code = 0;
    enum status status = STATUS_OK;
    /* So many streams of one process without waiting for each other: a 4K picture by one H200 took
     * 0.84 instead of 0.90 ms, 3.8 instead of 4.1. CUDA reads it when it starts. */
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
    on_exit(library_exit, NULL);
    if (!help_asked(argc, argv, &status)) {
        status = world_open(&invocation.world);
        if (status == STATUS_OK)
            status = invocation_run(&invocation, argc, argv, &code);
    }
    if (status != STATUS_OK) {
        code = status_exit_code(status);
        if (!invocation.world || world_rank(invocation.world) == 0)
            message_print(status_text());
    }
    arguments_destroy(&invocation.arguments);
    view_file_destroy(&invocation.view);
    config_destroy(&invocation.config);
    world_close(invocation.world);
    return code;
}
