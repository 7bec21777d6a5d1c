/* The one table, and everything that is made from it.
 * test_options --write rewrites the table of configs/KEYS.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/arguments/arguments.h"
#include "app/command/help.h"
#include "app/command/resume.h"
#include "library/text/spelling.h"
#include "tests/app/arguments/keys_document.h"

#define MARK_BEGIN "<!-- keys: begin -->\n"
#define MARK_END "<!-- keys: end -->\n"
#define PLANES_BEGIN "<!-- planes: begin -->\n"
#define PLANES_END "<!-- planes: end -->\n"

static char *printed(void (*print)(const struct command *, FILE *), const struct command *command)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    print(command, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static void print_planes(const struct command *command, FILE *stream)
{
    (void)command;
    help_plane_table(stream);
}

static void print_table(const struct command *command, FILE *stream)
{
    (void)command;
    help_key_table(stream);
}

static void print_program(const struct command *command, FILE *stream)
{
    (void)command;
    help_program(stream);
}

/* A new option that names something to be written, or switches something on, belongs here. */
TEST(resume_takes_settings_alone)
{
    static const enum option_key left[] = {OPTION_FORCE,
                                           OPTION_OUTPUT_LOG_JSON,
                                           OPTION_COMPUTE_ORBIT_CACHE,
                                           OPTION_COMPUTE_JOIN_FILE,
                                           OPTION_COMPUTE_JOIN_ADDRESS,
                                           OPTION_CONFIG,
                                           OPTION_EXPLAIN,
                                           OPTION_PRINT_CONFIG,
                                           OPTION_DRY_RUN,
                                           OPTION_JSON,
                                           OPTION_HELP,
                                           OPTION_OUTPUT_PART,
                                           OPTION_VIEW_LIST};
    static const enum option_key paths[] = {OPTION_OUTPUT /* by its last part */, OPTION_FILM_PATH,
                                            OPTION_TOUR};
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        bool is_left = false, is_path = false;
        if (!(row->commands & (COMMAND_RENDER | COMMAND_FILM)))
            continue;
        for (size_t k = 0; k < sizeof left / sizeof *left; k++)
            is_left = is_left || left[k] == (enum option_key)i;
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            is_path = is_path || paths[k] == (enum option_key)i;
        const char *argument = row->argument ? row->argument : "";
        bool names = !strcmp(argument, "FILE") || !strcmp(argument, "DIR");
        if (resume_takes((enum option_key)i) == is_left ||
            (names && resume_takes((enum option_key)i) && !is_path))
            fail_msg("--%s: is it a setting of a picture?", row->flag);
    }
}

TEST(test_help_mentions_every_row)
{
    for (int c = 0; c < commands_count; c++) {
        char *help = printed(help_command, &commands[c]);
        for (int i = 0; i < OPTIONS; i++) {
            const struct option_row *row = &option_rows[i];
            char flag[64];
            snprintf(flag, sizeof flag, "--%s%s", row->flag ? row->flag : "",
                     row->argument ? " " : "");
            bool takes = row->flag && row->commands & (unsigned)commands[c].bit;
            if (takes && (!strstr(help, flag) || !strstr(help, row->help)))
                fail_msg("deepfield %s --help does not mention %s", commands[c].name, flag);
        }
        for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 110)
                fail_msg("a line of deepfield %s --help is too long: %.60s", commands[c].name,
                         line);
        free(help);
    }
    char *help = printed(print_program, NULL);
    for (int c = 0; c < commands_count; c++)
        assert_non_null(strstr(help, commands[c].summary));
    free(help);
}

/* Words that only the authors understood. */
TEST(test_help_has_no_riddles)
{
    const char *const riddles[] = {"home",         "road",           "crew",
                                   "studio",       "canvas",         "who ",
                                   "whose",        "what does",      "what is iterated",
                                   "which pixels", "in virtual time"};
    for (int c = 0; c < commands_count; c++) {
        char *help = printed(help_command, &commands[c]);
        for (size_t i = 0; i < sizeof riddles / sizeof *riddles; i++)
            if (strstr(help, riddles[i]))
                fail_msg("deepfield %s --help says '%s'", commands[c].name, riddles[i]);
        assert_non_null(strstr(help, "\nGeneral:\n"));
        assert_int_equal(strstr(help, "\nPlace and size:\n") != NULL,
                         strstr(help, " --size ") != NULL);
        free(help);
    }
}

/* A default is that of the command. */
TEST(test_help_has_the_defaults_of_the_command)
{
    for (int c = 0; c < commands_count; c++) {
        bool view = commands[c].bit == COMMAND_VIEW, render = commands[c].bit == COMMAND_RENDER;
        char *help = printed(help_command, &commands[c]);
        assert_int_equal(strstr(help, "pixel [of the place]\n") != NULL, view);
        assert_false(render && !strstr(help, "pixel [10000]\n"));
        assert_false(view && (strstr(help, "[10000]") || !strstr(help, "paper [1280x720]\n")));
        bool film = commands[c].bit == COMMAND_FILM;
        assert_int_equal(strstr(help, "differ [4]\n") != NULL, film);
        assert_int_equal(strstr(help, "is a flight\n") != NULL, film);
        free(help);
    }
}

TEST(test_rows_are_whole)
{
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->help || (!row->key && !row->flag))
            fail_msg("row %d has no help or no name", i);
        assert_true(!row->flag == !row->commands);
        assert_int_equal(row->type == OPTION_CHOICE || row->type == OPTION_FORMULA,
                         row->choice != NULL);
        for (int j = 0; j < i; j++) {
            const struct option_row *other = &option_rows[j];
            assert_false(row->commands & other->commands && row->flag && other->flag &&
                         !strcmp(row->flag, other->flag));
            assert_false(row->letter && row->letter == other->letter);
            /* Environment variables are named after the key alone. */
            assert_false(row->key && other->key && !strcmp(row->key, other->key));
        }
    }
}

TEST(test_readme_has_the_same_table)
{
    keys_document_check(KEYS_FILE, MARK_BEGIN, MARK_END, printed(print_table, NULL),
                        "test_options");
}

TEST(test_documents_have_the_table_of_planes)
{
    static const char *const documents[] = {KEYS_FILE, FILES_PAGE};
    for (int i = 0; i < 2; i++)
        keys_document_check(documents[i], PLANES_BEGIN, PLANES_END, printed(print_planes, NULL),
                            "test_options");
}

TEST(test_arguments)
{
    char *words[] = {(char *)"render", (char *)"a.ini",      (char *)"-o",      (char *)"x.png",
                     (char *)"-qf",    (char *)"--size=9x9", (char *)"-ol.npy", NULL};
    struct arguments arguments;
    assert_int_equal(arguments_parse(&arguments, COMMAND_RENDER, 7, words), STATUS_OK);
    assert_string_equal(arguments.operand, "a.ini");
    assert_int_equal(arguments.count, 5);
    assert_int_equal(arguments.given[0].option, OPTION_OUTPUT);
    assert_string_equal(arguments.given[0].text, "x.png");
    assert_string_equal(arguments.given[3].text, "9x9");
    assert_string_equal(arguments.given[4].text, "l.npy");
    assert_true(arguments_has(&arguments, OPTION_FORCE));
    assert_false(arguments_has(&arguments, OPTION_JSON));
    arguments_destroy(&arguments);
}

TEST(test_edit_distance)
{
    assert_int_equal(edit_distance("limit", "limit", 9), 0);
    assert_int_equal(edit_distance("limti", "limit", 9), 1); /* a swap is one edit */
    assert_int_equal(edit_distance("", "abc", 9), 3);
    assert_int_equal(edit_distance("kitten", "sitting", 9), 3);
    assert_int_equal(edit_distance("abc", "xyz", 1), 2); /* at most limit + 1 */
    char long_name[200];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_int_equal(edit_distance(long_name, "a", 3), 4);
}

TEST(test_nothing_far_is_suggested)
{
    struct spelling spelling = spelling_of("zz");
    spelling_offer(&spelling, "ab");
    assert_null(spelling.best);
    spelling = spelling_of("oecan");
    spelling_offer(&spelling, "opal");
    spelling_offer(&spelling, "ocean");
    assert_string_equal(spelling.best, "ocean");
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--write"))
        return keys_document_write(KEYS_FILE, MARK_BEGIN, MARK_END, printed(print_table, NULL)) ||
               keys_document_write(KEYS_FILE, PLANES_BEGIN, PLANES_END,
                                   printed(print_planes, NULL)) ||
               keys_document_write(FILES_PAGE, PLANES_BEGIN, PLANES_END,
                                   printed(print_planes, NULL));
    return check_run(NULL, NULL);
}
