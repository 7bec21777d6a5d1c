/* Does the program refuse what is wrong, with one sentence and the right code, leaving nothing?
 * usage: test_bad_input DEEPFIELD TABLE
 *
 * Each line of TABLE is `code TAB words the message must contain TAB command line`; '#' starts a
 * comment, '+' a line that takes seconds and is for the label `long`. The command line is split at
 * blanks, 'quotes' keep a word together, leading NAME=VALUE words go into the environment, >FILE is
 * stdout and <FILE is stdin. It runs in a scratch folder with the files that bad_input_files.c
 * makes. A code of 0 is a hostile looking input that must be accepted. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/app/place/bad_input_files.h"

enum { WORDS_MAX = 32, OUTPUT_MAX = 1 << 16, SECONDS_MAX = 240 };

struct trial { /* one line of the table */
    int code;
    const char *says;
    char *environment[WORDS_MAX + 1], *words[WORDS_MAX + 1];
    const char *standard_output; /* NULL: caught */
    const char *standard_input;  /* NULL: the one of this program */
};

struct result {
    int code; /* 128 + signal when killed */
    char out[OUTPUT_MAX], err[OUTPUT_MAX];
};

static _Noreturn void broken(const char *what)
{
    fprintf(stderr, "test_bad_input: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* Splits in place. */
static void line_split(struct trial *trial, const char *program, char *line)
{
    int words = 0, variables = 0;
    trial->words[words++] = strdup(program);
    for (char *at = line; *at;) {
        at += strspn(at, " ");
        char stop = *at == '\'' ? '\'' : ' ';
        at += stop == '\'';
        char *end = strchr(at, stop);
        bool variable = words == 1 && stop == ' ' && strchr(at, '=') &&
                        strcspn(at, "=") == strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (*at == '>')
            trial->standard_output = at + 1;
        else if (*at == '<')
            trial->standard_input = at + 1;
        else if (variable && variables < WORDS_MAX)
            trial->environment[variables++] = at;
        else if (words < WORDS_MAX)
            trial->words[words++] = at;
        if (!end)
            break;
        *end = '\0';
        at = end + 1;
    }
}

static bool trial_read(struct trial *trial, const char *program, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (!*line || *line == '#')
        return false;
    char *rest = line, *code = strsep(&rest, "\t"), *says = strsep(&rest, "\t");
    if (!rest || !says)
        broken(line);
    *trial = (struct trial){.code = atoi(code), .says = says};
    line_split(trial, program, rest);
    return true;
}

static _Noreturn void child_run(const struct trial *trial, int out, int err)
{
    if (trial->standard_output)
        out = open(trial->standard_output, O_WRONLY);
    if (trial->standard_input)
        dup2(open(trial->standard_input, O_RDONLY), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    const char *tsan_options = getenv("TSAN_OPTIONS"); /* what CMakePresets.json says */
    clearenv();
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 1);
    setenv("HOME", "/nonexistent", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=1", 1);
    if (tsan_options)
        setenv("TSAN_OPTIONS", tsan_options, 1);
    for (char *const *variable = trial->environment; *variable; variable++)
        putenv(*variable);
    alarm(SECONDS_MAX);
    execv(trial->words[0], trial->words);
    _exit(99);
}

static void slurp(int file, char *text)
{
    ssize_t length = pread(file, text, OUTPUT_MAX - 1, 0);
    text[length < 0 ? 0 : length] = '\0';
    close(file);
}

/* Output goes to memory files: pipes would fill up. */
static void trial_run(const struct trial *trial, struct result *result)
{
    int out = memfd_create("out", 0), err = memfd_create("err", 0), status = 0;
    pid_t child = fork();
    if (out < 0 || err < 0 || child < 0)
        broken("no process");
    if (child == 0)
        child_run(trial, out, err);
    waitpid(child, &status, 0);
    result->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    slurp(out, result->out);
    slurp(err, result->err);
}

static int entries(const char *folder)
{
    int count = 0;
    DIR *open_folder = opendir(folder);
    if (!open_folder)
        broken(folder);
    while (readdir(open_folder))
        count++;
    closedir(open_folder);
    return count;
}

/* Of --json: one line, with the same code. */
static bool is_error(const char *line, int code)
{
    char begin[64];
    snprintf(begin, sizeof begin, "{\"schema\":\"error/1\",\"code\":%d,", code);
    return !strncmp(line, begin, strlen(begin)) && strchr(line, '\n') == line + strlen(line) - 1;
}

/* What is wrong with the result, or NULL. */
static const char *result_judge(const struct trial *trial, const struct result *result,
                                bool file_appeared)
{
    if (strstr(result->err, "Sanitizer") || strstr(result->err, "runtime error:"))
        return "a sanitizer complained";
    if (result->code != trial->code)
        return "the exit code is another one";
    if (!strstr(result->err, trial->says) && !strstr(result->out, trial->says))
        return "the message does not say so";
    if (file_appeared)
        return "a file appeared";
    if (trial->code == 0)
        return NULL;
    if (*result->out && !is_error(result->out, trial->code))
        return "something was printed on stdout";
    const char *newline = strchr(result->err, '\n');
    if (strncmp(result->err, "deepfield: ", 11) != 0 || !newline || newline[1])
        return "the message is not one line that begins with 'deepfield: '";
    return NULL;
}

static bool trial_holds(const struct trial *trial, const char *line, int number)
{
    static struct result result;
    int before = entries(".");
    trial_run(trial, &result);
    const char *wrong = result_judge(trial, &result, entries(".") != before);
    if (getenv("BAD_INPUT_SHOW"))
        printf("%d %s\n   %s%s", result.code, line, result.err, result.out);
    if (wrong)
        printf("line %d: %s\n  %s\n  wanted %d '%s', got %d\n  stderr: %s  stdout: %s\n", number,
               wrong, line, trial->code, trial->says, result.code, result.err, result.out);
    return !wrong;
}

int main(int argc, char **argv)
{
    char program[4096], folder[] = "/tmp/deepfield-bad-input-XXXXXX", line[4096], copy[4096];
    if (argc != 3 || !realpath(argv[1], program))
        broken("usage: test_bad_input DEEPFIELD TABLE");
    FILE *table = fopen(argv[2], "r");
    if (!table || !mkdtemp(folder) || chdir(folder) != 0)
        broken("no table or no folder");
    bad_input_files_make();
    struct trial made = {.words = {program, (char *)"render", (char *)"good.ini", (char *)"--size",
                                   (char *)"9x5", (char *)"-o", (char *)"made.png", (char *)"-o",
                                   (char *)"made.exr", (char *)"-o", (char *)"made.npy", NULL}};
    struct result result;
    trial_run(&made, &result);
    if (result.code != 0) {
        printf("the good view is refused: %s\n", result.err);
        return 1;
    }
    bad_input_pictures_make();
    int cases = 0, failures = 0;
    for (int number = 1; fgets(line, sizeof line, table); number++) {
        struct trial trial;
        memcpy(copy, line, sizeof copy);
        copy[strcspn(copy, "\n")] = '\0';
        if (*line == '+' && !getenv("DEEPFIELD_LONG"))
            continue;
        if (!trial_read(&trial, program, line + (*line == '+')))
            continue;
        cases++;
        failures += !trial_holds(&trial, copy, number);
        free(trial.words[0]);
    }
    fclose(table);
    bad_input_files_remove(folder);
    printf("%d cases, %d failures\n", cases, failures);
    return failures != 0 || cases < 60;
}
