#include "app/command/program.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command/batch.h"
#include "app/command/command.h"
#include "app/command/help.h"
#include "app/command/help_page.h"
#include "app/command/invocation_load.h"
#include "app/command/resume.h"
#include "app/launch/agreement.h"
#include "app/launch/launch.h"
#include "app/launch/launcher_leave.h"
#include "app/launch/probe.h"
#include "app/launch/program_world.h"
#include "app/launch/rank.h"
#include "app/process/environment.h"
#include "app/process/message.h"
#include "app/process/stop.h"
#include "app/report/document.h"
#include "decomposition/thread/clock.h"
#include "decomposition/world/launcher.h"
#include "library/place/data.h"
#include "library/settings/view_file.h"
#include "library/text/convert.h"
#include "library/text/spelling.h"
#include "render/disk/pipe.h"

/* Prints the sentence, and with --json a line on stdout where no report contains it, even if the
 * command line could not be read. */
static void failure_print(int code, char *const argv[])
{
    bool wanted = false;
    message_print(status_text());
    for (int i = 1; argv[i] && strcmp(argv[i], "--") != 0; i++)
        wanted = wanted || !strcmp(argv[i], "--json");
    if (wanted && !document_printed())
        document_failure(code, status_text(), NULL);
}

static void *thread_end(void *unused)
{
    return unused;
}

static bool thread_starts(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, thread_end, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

/* libgomp ends the process with exit(1) when it cannot start a thread, and MPI for reasons of its
 * own, which the launcher prints. No exit code of ours is 1. */
static void library_exit(int code, void *unused)
{
    (void)unused;
    if (code != EXIT_FAILURE)
        return;
    code = status_exit_code(STATUS_SYSTEM);
    bool threads = thread_starts();
    if (threads && rank_joined())
        _exit(code);
    message_print(
        threads ? "a library has ended the program, for the reason above"
                : "a library has ended the program, for the reason above; where memory (ulimit -v) "
                  "or processes (ulimit -u) are limited, --threads N takes fewer threads");
    rank_say(RANK_CODE, code);
    _exit(code);
}

/* Fails if stdout was not written: a full disk is noticed at the flush, perhaps at one before,
 * whose reason is not known any more. */
static enum status output_flush(void)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return status_fail(STATUS_IO, "stdout: %s",
                       errno ? strerror(errno) : "not all of it could be written");
}

/* ---- what needs no MPI, no device and no settings ---- */

static bool word_is(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

static enum status command_unknown(const char *word)
{
    char shown[SHOWN_BYTES], hint[96];
    char path[4200];
    const struct data_source data = environment_data();
    bool bare = !strchr(word, '/') && data_view(&data, word, path, sizeof path) == STATUS_OK;
    if (bare || (*word != '-' && access(word, F_OK) == 0))
        return status_fail(STATUS_USAGE, "'%s' is a view, not a command; use deepfield render %s",
                           text_shown(word, shown), shown);
    struct spelling spelling = spelling_of(word);
    for (int i = 0; i < commands_count; i++)
        spelling_offer(&spelling, commands[i].name);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_USAGE, "unknown command '%s'%s (deepfield --help lists them)",
                       text_shown(word, shown), hint);
}

/* Texts of `deepfield help` that are made from lists. */
static const struct help_list {
    const char *name;
    void (*print)(FILE *stream);
} help_lists[] = {{"formats", place_formats_print}, {"formulas", help_formulas}};
enum { HELP_LISTS = sizeof help_lists / sizeof *help_lists };

static enum status help_unknown(const char *word)
{
    char shown[SHOWN_BYTES], hint[96];
    struct spelling spelling = spelling_of(word);
    for (int i = 0; i < commands_count; i++)
        spelling_offer(&spelling, commands[i].name);
    for (int i = 0; i < HELP_LISTS; i++)
        spelling_offer(&spelling, help_lists[i].name);
    help_pages_offer(&spelling);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_USAGE, "no help about '%s'%s (deepfield help lists all)",
                       text_shown(word, shown), hint);
}

/* A command, a list, or a page of the guide, in this order. */
static enum status help_about(const char *word)
{
    const struct command *command = command_named(word);
    bool there;
    if (command) {
        help_command(command, stdout);
        return STATUS_OK;
    }
    for (int i = 0; i < HELP_LISTS; i++)
        if (!strcmp(help_lists[i].name, word)) {
            help_lists[i].print(stdout);
            return STATUS_OK;
        }
    TRY(help_page_print(word, stdout, &there));
    return there ? STATUS_OK : help_unknown(word);
}

/* deepfield help [COMMAND or PAGE] */
static enum status help_print(int argc, char **argv)
{
    if (argc > 3)
        return status_fail(STATUS_USAGE, "deepfield help takes one word at a time");
    if (argc > 2)
        TRY(help_about(argv[2]));
    else
        help_program(stdout);
    return output_flush();
}

/* Does the command line ask for a text and nothing else? */
static bool help_asked(int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_named(argv[1]) : NULL;
    if (argc < 2 || word_is(argv[1], "--help", "-h") || !strcmp(argv[1], "--version"))
        return true; /* the program alone shows what there is, as git and cargo do */
    bool found = command && command->bit == COMMAND_HELP;
    for (int i = 2; command && i < argc && strcmp(argv[i], "--") != 0; i++)
        found = found || word_is(argv[i], "--help", "-h");
    return found;
}

static enum status text_print(int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_named(argv[1]) : NULL;
    if (argc < 2 || word_is(argv[1], "--help", "-h"))
        help_program(stdout);
    else if (!strcmp(argv[1], "--version"))
        help_version(stdout);
    else if (command->bit != COMMAND_HELP || (argc > 2 && word_is(argv[2], "--help", "-h")))
        help_command(command, stdout);
    else
        return help_print(argc, argv);
    return output_flush();
}

/* ---- settings ---- */

static enum status operand_check(const struct command *command, const struct arguments *arguments)
{
    char shown[SHOWN_BYTES], second[SHOWN_BYTES];
    const char *operand = arguments->operand;
    if (command->takes == OPERAND_FIELDS && !operand)
        return status_fail(STATUS_USAGE, "deepfield %s needs a FIELD, an .exr or .npy file",
                           command->name);
    bool several = command->takes == OPERAND_FIELDS || command->takes == OPERAND_VIEWS;
    if (!several && arguments->operand_count > 1)
        return status_fail(STATUS_USAGE, "one file at a time: '%s' and '%s' were given",
                           text_shown(operand, shown), text_shown(arguments->operands[1], second));
    bool views = command->takes == OPERAND_VIEW || command->takes == OPERAND_VIEWS;
    if (views && operand && !*operand)
        return invocation_view_missing(command);
    if (command->takes == OPERAND_NONE && operand)
        return status_fail(STATUS_USAGE, "deepfield %s takes no operand, but '%s' was given",
                           command->name, text_shown(operand, shown));
    return STATUS_OK;
}

/* Ranks to start mpirun for; 0: none, as in every process that a launcher has started. */
static long ranks_to_launch(const struct invocation *invocation)
{
    if (world_launched() || rank_joined() || invocation->command->ranks != RANKS_ALL ||
        arguments_has(&invocation->arguments, OPTION_PRINT_CONFIG))
        return 0;
    int64_t ranks = config_integer(&invocation->config, OPTION_COMPUTE_RANKS);
    return ranks > 1 ? (long)ranks : 0;
}

/* ---- the job that this process belongs to ---- */

/* A launcher that this MPI does not know makes a world of each process: every one would render the
 * whole picture. `--ranks 1` says that this is wanted. */
static enum status launcher_check(struct invocation *invocation)
{
    const char *variable;
    int promised = world_promised(&variable);
    if (world_size(invocation->world) > 1 || promised <= 1 ||
        invocation->command->ranks != RANKS_ALL)
        return STATUS_OK;
    invocation->foreign = true;
    return status_fail(
        STATUS_USAGE,
        "%s says that %d processes were started together, but %s sees one; start them "
        "with its own mpirun, or with srun --mpi=pmix (--ranks 1: each works alone)",
        variable, promised, world_library());
}

/* Input of a pipe that has been read here cannot be read again by the ranks. */
static enum status operand_lasts(const struct invocation *invocation)
{
    struct stat facts;
    const char *operand = invocation->arguments.operand;
    bool pipe = operand && stat(operand, &facts) == 0 && S_ISFIFO(facts.st_mode);
    if (!ranks_to_launch(invocation) || !operand || (!pipe && strcmp(operand, "-") != 0))
        return STATUS_OK;
    return status_fail(STATUS_USAGE,
                       "a VIEW from %s does not reach the ranks that --ranks starts; "
                       "write it to a file",
                       pipe ? "a pipe" : "stdin");
}

/* Refuses flags of the launch without --ranks, which alone starts ranks, or starts them again. */
static enum status launch_flags_check(const struct invocation *invocation)
{
    static const char why[] = "it is for --ranks";
    const bool alone = !config_was_set(&invocation->config, OPTION_COMPUTE_RANKS);
    const struct idle_flag flags[] = {{OPTION_COMPUTE_OVERSUBSCRIBE, alone, why},
                                      {OPTION_COMPUTE_RESTARTS, alone, why}};
    return arguments_none_idle(&invocation->arguments, flags, sizeof flags / sizeof *flags);
}

static enum status ranks_check(struct invocation *invocation)
{
    int64_t ranks = config_integer(&invocation->config, OPTION_COMPUTE_RANKS);
    const char *origin = invocation->config.value[OPTION_COMPUTE_RANKS].origin;
    bool given = !strcmp(origin, "--ranks");
    TRY(launch_flags_check(invocation));
    TRY(launcher_check(invocation));
    TRY(operand_lasts(invocation));
    if (rank_joined() && rank_joined() != world_size(invocation->world))
        return status_fail(STATUS_SYSTEM,
                           "mpirun was to start %ld ranks, but %s sees %d: is the mpirun on PATH "
                           "that of another MPI?",
                           rank_joined(), world_library(), world_size(invocation->world));
    if (world_launched() && !rank_joined() && given && ranks != world_size(invocation->world))
        return status_fail(STATUS_USAGE,
                           "--ranks %lld inside a job of %d ranks; leave it out, mpirun or srun "
                           "has decided (--ranks 1: each works alone)",
                           (long long)ranks, world_size(invocation->world));
    return STATUS_OK;
}

/* Commands that print write files only with -o, so --force alone has no effect. */
static enum status force_check(const struct command *command, const struct arguments *arguments)
{
    const bool prints = command->bit & (COMMAND_INFO | COMMAND_FIND | COMMAND_PALETTES);
    const struct idle_flag flag = {OPTION_FORCE, prints && !arguments_has(arguments, OPTION_OUTPUT),
                                   "no file is written without -o"};
    return arguments_none_idle(arguments, &flag, 1);
}

/* Checks what every rank can judge. */
static enum status usage_check(struct invocation *invocation, int argc, char **argv)
{
    const struct command *command = invocation->command;
    if (!command)
        return command_unknown(argc > 1 ? argv[1] : NULL);
    TRY(arguments_parse(&invocation->arguments, command->bit, argc - 1, argv + 1));
    TRY(force_check(command, &invocation->arguments));
    return operand_check(command, &invocation->arguments);
}

/* Ranks that were given different things go on alone: each has an output of its own. */
static enum status world_leave(struct invocation *invocation)
{
    world_close(invocation->world);
    invocation->world = NULL;
    launcher_leave();
    return world_alone(&invocation->world);
}

static bool is_of_one(const struct invocation *invocation)
{
    return invocation->command && invocation->command->ranks == RANKS_ROOT;
}

/* Fails if the ranks were not given the same words. *shown: --print-config is set. A command of one
 * process begins after that: perhaps each rank has its own. Collective. */
static enum status ranks_agree(struct invocation *invocation, enum status mine, bool *shown)
{
    enum agreement agreement;
    const struct agreement_mine said = {.status = mine,
                                        .words = invocation->argv + 1,
                                        .one_process = is_of_one(invocation),
                                        .shows = *shown};
    TRY(agreement_reach(invocation->world, &said, &agreement));
    if (agreement == AGREEMENT_ALONE)
        return world_leave(invocation);
    *shown = agreement == AGREEMENT_SHOW;
    return STATUS_OK;
}

static enum status root_prepare(struct invocation *invocation)
{
    TRY(invocation_load(invocation));
    return ranks_check(invocation);
}

/* Rank 0 alone reads files and settings. `usage`: what this rank thinks of its words. Collective.
 */
static enum status prepare(struct invocation *invocation, enum status usage, bool *shown)
{
    bool root = world_rank(invocation->world) == 0;
    enum status status = usage;
    if (root && status == STATUS_OK && !is_of_one(invocation))
        status = root_prepare(invocation);
    *shown = arguments_has(&invocation->arguments, OPTION_PRINT_CONFIG);
    return ranks_agree(invocation, status, shown);
}

/* ---- the way through ---- */

static enum status command_run(struct invocation *invocation, bool shown)
{
    bool root = world_rank(invocation->world) == 0;
    if (!root && is_of_one(invocation))
        return STATUS_OK;
    if (is_of_one(invocation))
        TRY(root_prepare(invocation));
    if (root && shown)
        config_write(&invocation->config, CONFIG_ALL, stdout);
    if (shown)
        return root ? output_flush() : STATUS_OK;
    stop_listen();
    TRY(invocation->command->run(invocation));
    return root ? output_flush() : STATUS_OK;
}

static enum status invocation_run(struct invocation *invocation, enum status usage, int *code)
{
    bool shown = false;
    TRY(prepare(invocation, usage, &shown));
    const struct config *config = &invocation->config;
    long ranks = ranks_to_launch(invocation);
    if (ranks) {
        bool crowded = config_boolean(config, OPTION_COMPUTE_OVERSUBSCRIBE);
        struct launch_order order = {.ranks = ranks,
                                     .crowd = crowded ? CROWD_WANTED : CROWD_REFUSED,
                                     .log = config_text(config, OPTION_OUTPUT_LOG_JSON)};
        if (option_rows[OPTION_COMPUTE_RESTARTS].commands & invocation->command->bit)
            order.restarts = (long)config_integer(config, OPTION_COMPUTE_RESTARTS);
        probe_tell(config_boolean(config, OPTION_COMPUTE_MPI_DEVICE) ||
                   arguments_has(&invocation->arguments, OPTION_PROVE));
        return launch_ranks(&order, invocation->argv, code);
    }
    return world_agree(invocation->world, command_run(invocation, shown));
}

/* Prints help once, on rank 0; the other ranks of a job know that they have nothing to do. */
static enum status help_run(struct invocation *invocation, int argc, char **argv)
{
    const char *variable;
    if (world_launched() && world_promised(&variable) > 1) {
        TRY(program_world_open(&invocation->world));
        bool shown = false;
        TRY(ranks_agree(invocation, STATUS_OK, &shown));
        if (world_rank(invocation->world) != 0)
            return STATUS_OK;
    }
    return text_print(argc, argv);
}

/* Obeys `--ranks 1`, whatever started this process. */
static bool alone_wanted(const struct invocation *invocation)
{
    const char *ranks = arguments_last(&invocation->arguments, OPTION_COMPUTE_RANKS);
    return ranks && !strcmp(ranks, "1") && !rank_joined();
}

static enum status work_run(struct invocation *invocation, int argc, char **argv, int *code)
{
    enum status usage = usage_check(invocation, argc, argv);
    if (usage == STATUS_OK && alone_wanted(invocation))
        launcher_leave();
    TRY(program_world_open(&invocation->world));
    if (world_rank(invocation->world) == 0)
        rank_say(RANK_READY, 0);
    return invocation_run(invocation, usage, code);
}

/* Does the status leave other ranks able to succeed? A rank whose messages are damaged is an
 * internal error, too. */
static bool is_fault(enum status status)
{
    return status == STATUS_DEVICE_LOST || status == STATUS_INTERNAL;
}

static void waits_say(const char *path)
{
    char text[PATH_MAX + 64];
    snprintf(text, sizeof text, "waiting until somebody reads %s, a pipe", path);
    message_print(text);
}

int program_run(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], PROBE_WORD))
        return probe_rank_run();
    if (argc == 2 && !strcmp(argv[1], PROBE_RANKS_WORD))
        return probe_ranks_run();
    struct invocation invocation = {.started_s = clock_s()};
    int code = 0;
    enum status status = STATUS_OK;
    bool ours = argc == 3 && !strcmp(argv[1], RANK_WORD);
    if (!ours && launcher_inherited())
        launcher_leave();
    if (world_launched())
        stop_listen(); /* the launcher passes on what comes from now on */
    if (ours)
        status = rank_join(argv[2], &argc, &argv);
    if (status == STATUS_OK && argc > 1 && !strcmp(argv[1], "resume") && !help_asked(argc, argv))
        status = resume_words(&argc, &argv);
    invocation.argv = argv;
    invocation.command = argc > 1 ? command_named(argv[1]) : NULL;
    on_exit(library_exit, NULL);
    pipe_waits_hook(waits_say);
    if (status == STATUS_OK)
        status = help_asked(argc, argv) ? help_run(&invocation, argc, argv)
                                        : work_run(&invocation, argc, argv, &code);
    bool asked = invocation.world && !invocation.foreign; /* MPI knows the rank */
    bool root = (asked ? world_rank(invocation.world) : world_rank_promised()) == 0;
    if (status != STATUS_OK) {
        code = status_exit_code(status);
        if (root)
            failure_print(code, argv);
    }
    if (invocation.world && world_lost(invocation.world) != STATUS_OK) {
        if (status == STATUS_OK) {
            status = STATUS_SYSTEM;
            failure_print(status_exit_code(status), argv);
        }
        fflush(stdout);
        rank_say(RANK_FAULT, status_exit_code(status));
        program_world_abort(invocation.world, status);
    }
    if (root && code != 0) { /* now: MPI may not return from its end, and its launcher not wait */
        fflush(stdout);
        rank_say(is_fault(status) ? RANK_FAULT : RANK_CODE, code);
    }
    batch_destroy(invocation.batch);
    arguments_destroy(&invocation.arguments);
    view_file_destroy(&invocation.view);
    config_destroy(&invocation.config);
    invocation_names_free(&invocation);
    world_close(invocation.world);
    if (root)
        rank_say(RANK_CODE, code);
    return code;
}
