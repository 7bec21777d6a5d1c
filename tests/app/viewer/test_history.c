/* Undo and redo, against a plain model; the file whole after any crash and any damage. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/viewer/files/history.h"
#include "app/viewer/files/history_file.h"
#include "library/text/text_file.h"
#include "tests/app/scratch.h"
#include "tests/support/check.h"

static char folder[SCRATCH_BYTES], path[128];

static int folder_open(void **state)
{
    (void)state;
    scratch_make(folder);
    snprintf(path, sizeof path, "%s/a/b/history.log", folder);
    return 0;
}

static int folder_close(void **state)
{
    (void)state;
    scratch_remove(folder);
    return 0;
}

static struct history *opened(char *warning)
{
    struct history *history;
    char own[STATUS_TEXT_BYTES];
    assert_int_equal(history_create(&history), STATUS_OK);
    assert_int_equal(history_load(history, path, warning ? warning : own), STATUS_OK);
    return history;
}

static void save(struct history *history)
{
    char *bytes;
    size_t length;
    bool whole;
    assert_int_equal(history_changes(history, &bytes, &length, &whole), STATUS_OK);
    if (bytes)
        assert_int_equal(history_save(path, bytes, length, whole), STATUS_OK);
    free(bytes);
}

static void add(struct history *history, const char *text)
{
    assert_int_equal(history_add(history, text), STATUS_OK);
}

TEST(test_undo_and_redo)
{
    struct history *history;
    assert_int_equal(history_create(&history), STATUS_OK);
    assert_null(history_present(history));
    assert_null(history_undo(history));
    assert_null(history_redo(history));
    add(history, "a");
    assert_null(history_undo(history));
    add(history, "b");
    add(history, "b"); /* nothing new */
    add(history, "c");
    assert_string_equal(history_undo(history), "b");
    assert_string_equal(history_undo(history), "a");
    assert_int_equal(history_after(history), 2);
    assert_null(history_ago(history, 1));
    assert_string_equal(history_redo(history), "b");
    assert_string_equal(history_ago(history, 0), "b");
    assert_string_equal(history_ago(history, 1), "a");
    assert_null(history_ago(history, 2));
    add(history, "d"); /* c is gone */
    assert_null(history_redo(history));
    assert_string_equal(history_undo(history), "b");
    assert_int_equal(history_before(history), 1);
    history_destroy(history);
    history_destroy(NULL);
}

static void assert_equal(const struct history *a, const struct history *b)
{
    assert_int_equal(history_before(a), history_before(b));
    assert_int_equal(history_after(a), history_after(b));
    if (history_present(a))
        assert_string_equal(history_present(a), history_present(b));
}

/* Thousands of changes by chance, saved now and then: what is loaded is what was saved. */
TEST_WITH(test_what_is_saved_comes_back, folder_open, folder_close)
{
    uint64_t seed = (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    struct history *history = opened(NULL);
    for (int i = 0; i < 4000; i++) {
        char text[64];
        int what = (int)(check_random(&seed) % 10);
        snprintf(text, sizeof text, "[view]\nnumber = %d\n%s", i, what % 2 ? "" : "add 3 0\n");
        if (what < 5)
            add(history, text);
        else if (what < 8)
            history_undo(history);
        else
            history_redo(history);
        if (check_random(&seed) % 100)
            continue;
        char warning[STATUS_TEXT_BYTES];
        save(history);
        struct history *back = opened(warning);
        assert_string_equal(warning, "");
        assert_equal(history, back);
        while (history_undo(back))
            continue;
        history_destroy(back);
        if (check_random(&seed) % 4 == 0) { /* go on with the loaded one */
            history_destroy(history);
            history = opened(NULL);
        }
    }
    history_destroy(history);
}

TEST_WITH(test_ten_thousand_steps, folder_open, folder_close)
{
    struct history *history = opened(NULL);
    char text[32];
    for (int i = 0; i < HISTORY_STEPS_MAX + 500; i++) {
        snprintf(text, sizeof text, "step %d", i);
        add(history, text);
    }
    assert_int_equal(history_before(history), HISTORY_STEPS_MAX - 1);
    save(history);
    struct history *back = opened(NULL);
    assert_equal(history, back);
    while (history_undo(back))
        continue;
    assert_string_equal(history_present(back), "step 500");
    history_destroy(back);
    history_destroy(history);
}

/* Texts of deep places: bounded in all, the oldest go. And too long a one is refused. */
TEST_WITH(test_long_texts, folder_open, folder_close)
{
    struct history *history = opened(NULL);
    char *text = malloc(HISTORY_TEXT_MAX + 2);
    assert_non_null(text);
    memset(text, '7', HISTORY_TEXT_MAX + 1);
    text[HISTORY_TEXT_MAX + 1] = '\0';
    assert_int_equal(history_add(history, text), STATUS_TOO_LARGE);
    text[HISTORY_TEXT_MAX] = '\0';
    for (int i = 0; i < 100; i++) {
        text[i] = '8';
        add(history, text);
    }
    assert_int_equal(history_before(history), HISTORY_BYTES_MAX / HISTORY_TEXT_MAX - 1);
    free(text);
    history_destroy(history);
}

/* Undoing back and forth for long does not fill the disk. */
TEST_WITH(test_the_file_stays_small, folder_open, folder_close)
{
    struct history *history = opened(NULL);
    struct stat facts;
    add(history, "a");
    add(history, "b");
    for (int i = 0; i < 50; i++) {
        for (int n = 0; n < 2000; n++)
            n % 2 ? history_redo(history) : history_undo(history);
        save(history);
    }
    assert_int_equal(stat(path, &facts), 0);
    assert_true(facts.st_size < 1200000);
    struct history *back = opened(NULL);
    assert_equal(history, back);
    history_destroy(back);
    history_destroy(history);
}

static void file_read(char **bytes, size_t *length)
{
    assert_int_equal(text_file_read(path, 1 << 24, bytes, length), STATUS_OK);
}

static void file_write(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static size_t steps_of(const struct history *history)
{
    return history_present(history) ? history_before(history) + history_after(history) + 1 : 0;
}

/* Cut at every byte: what was whole before the cut is there, and going on mends the file. */
TEST_WITH(test_cut_anywhere, folder_open, folder_close)
{
    char warning[STATUS_TEXT_BYTES];
    size_t length, steps = 0;
    struct history *history = opened(NULL);
    add(history, "first\nplace");
    add(history, "second");
    save(history);
    history_undo(history);
    add(history, "third");
    save(history);
    history_destroy(history);
    char *bytes = NULL;
    file_read(&bytes, &length);
    for (size_t cut = strlen(HISTORY_HEADER); cut <= length; cut++) {
        file_write(bytes, cut);
        struct history *back = opened(warning);
        assert_true(steps_of(back) >= steps || steps_of(back) == 2);
        steps = steps_of(back);
        add(back, "after");
        save(back);
        history_destroy(back);
        back = opened(warning);
        assert_string_equal(warning, "");
        assert_string_equal(history_present(back), "after");
        history_destroy(back);
    }
    free(bytes);
}

/* Any byte changed to another: never a crash, and what stands before it is kept. */
TEST_WITH(test_damaged_anywhere, folder_open, folder_close)
{
    char warning[STATUS_TEXT_BYTES], name[160];
    size_t length;
    struct history *history = opened(NULL);
    add(history, "first\nplace");
    add(history, "second");
    add(history, "third");
    save(history);
    history_destroy(history);
    char *bytes = NULL;
    file_read(&bytes, &length);
    size_t second = (size_t)(strstr(bytes, "second") - bytes);
    snprintf(name, sizeof name, "%s.damaged", path);
    for (size_t i = 0; i < length; i++) {
        bytes[i] ^= 5;
        file_write(bytes, length);
        struct history *back = opened(warning);
        assert_true(*warning);
        assert_true(steps_of(back) < 3);
        if (i > second + 7)
            assert_string_equal(history_present(back), "second");
        history_destroy(back);
        bytes[i] ^= 5;
    }
    assert_int_equal(access(name, F_OK), 0);
    free(bytes);
}

TEST_WITH(test_what_is_no_history, folder_open, folder_close)
{
    static const char *const texts[] = {
        "",
        "\n",
        "hello",
        "deepfield history 2\n",
        "deepfield history 1\nadd",
        "deepfield history 1\nadd 99999999999 0\n",
        "deepfield history 1\nadd -1 0\n",
        "deepfield history 1\nback 1 0\n",
        ("deepfield history "
         "1\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")};
    char warning[STATUS_TEXT_BYTES];
    struct history *history = opened(warning);
    assert_string_equal(warning, ""); /* none is there yet */
    add(history, "a");
    save(history);
    history_destroy(history);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file_write(texts[i], strlen(texts[i]));
        history = opened(warning);
        assert_true(*warning);
        assert_null(history_present(history));
        history_destroy(history);
    }
}

/* A process that saves is killed at any time: the file holds what it had saved before, in order. */
TEST_WITH(test_killed, folder_open, folder_close)
{
    uint64_t seed = 4;
    for (int round = 0; round < 30; round++) {
        char warning[STATUS_TEXT_BYTES];
        int pipes[2], saved = -1, number = 0;
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct history *history = opened(NULL);
            for (int i = 0;; i++) {
                char text[32];
                snprintf(text, sizeof text, "%d", i);
                if (i % 50 == 0)
                    history_unsaved(history); /* written anew now and then */
                add(history, text);
                save(history);
                if (write(pipes[1], &i, sizeof i) != sizeof i)
                    _exit(1);
            }
        }
        close(pipes[1]);
        assert_int_equal(read(pipes[0], &saved, sizeof saved), sizeof saved);
        usleep((useconds_t)(check_random(&seed) % 20000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(pipes[0], &number, sizeof number) == sizeof number)
            saved = number;
        close(pipes[0]);
        struct history *history = opened(warning);
        int last = (int)strtol(history_present(history), NULL, 10);
        if (last != saved && last != saved + 1)
            fail_msg("%d was saved last, but %d is there: %s", saved, last, warning);
        history_destroy(history);
        remove(path);
    }
}

TEST_WITH(test_a_save_that_fails, folder_open, folder_close)
{
    assert_int_equal(history_save("/proc/history.log", "x", 1, true), STATUS_CANNOT_CREATE);
    assert_int_equal(history_save("/nowhere/at/all", "x", 1, false), STATUS_IO);
    struct history *history = opened(NULL);
    char *bytes;
    size_t length;
    bool whole;
    add(history, "a");
    assert_int_equal(history_changes(history, &bytes, &length, &whole), STATUS_OK);
    assert_true(whole);
    free(bytes);
    add(history, "b");
    history_unsaved(history); /* the first part never came to the disk */
    save(history);
    struct history *back = opened(NULL);
    assert_int_equal(history_before(back), 1);
    history_destroy(back);
    history_destroy(history);
}

/* Where somebody else can write to the folder of the viewer: links are replaced or refused, and a
 * pipe is not waited for. */
TEST_WITH(test_links_and_pipes, folder_open, folder_close)
{
    char victim[sizeof path + 16], warning[STATUS_TEXT_BYTES];
    struct stat facts;
    snprintf(victim, sizeof victim, "%s.victim", path);
    assert_int_equal(history_save(path, "x", 1, true), STATUS_OK); /* makes the folder */
    assert_int_equal(unlink(path), 0);
    FILE *stream = fopen(victim, "w");
    assert_non_null(stream);
    fclose(stream);
    assert_int_equal(symlink(victim, path), 0);
    assert_int_equal(history_save(path, "x", 1, false), STATUS_IO);
    assert_non_null(strstr(status_text(), "it is a link"));
    assert_int_equal(history_save(path, "x", 1, true), STATUS_OK);
    assert_int_equal(stat(victim, &facts), 0);
    assert_int_equal(facts.st_size, 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(victim, path), 0);
    assert_int_equal(history_save(path, "x", 1, false), STATUS_IO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(history_save(path, "x", 1, false), STATUS_IO);
    history_destroy(opened(warning));
    assert_non_null(strstr(warning, "it is no regular file"));
    remove(path);
    snprintf(warning, sizeof warning, "%.500s.damaged", path); /* where it has been put */
    remove(warning);
    remove(victim);
}

/* A disk that is full in the middle of a change: the file is as it was, and goes on. */
TEST_WITH(test_a_full_disk, folder_open, folder_close)
{
    struct rlimit before, full;
    struct stat facts;
    char *bytes, warning[STATUS_TEXT_BYTES];
    size_t length;
    bool whole;
    struct history *history = opened(NULL);
    add(history, "a");
    save(history);
    add(history, "a place with a longer text");
    assert_int_equal(history_changes(history, &bytes, &length, &whole), STATUS_OK);
    assert_false(whole);
    assert_int_equal(stat(path, &facts), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    full = before;
    full.rlim_cur = (rlim_t)facts.st_size + 9;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
    enum status status = history_save(path, bytes, length, whole);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    free(bytes);
    assert_int_equal(status, STATUS_IO);
    struct history *back = opened(warning);
    assert_string_equal(warning, "");
    assert_string_equal(history_present(back), "a");
    history_destroy(back);
    history_unsaved(history);
    save(history);
    back = opened(warning);
    assert_equal(history, back);
    history_destroy(back);
    history_destroy(history);
}
