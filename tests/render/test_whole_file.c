#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "folder.h"
#include "render/whole_file.h"

static enum status text_write(const char *path, const char *text, enum overwrite overwrite)
{
    struct whole_file file;
    TRY(whole_file_open(&file, path, overwrite));
    fputs(text, file.stream);
    return whole_file_commit(&file);
}

static void assert_holds(const char *path, const char *text)
{
    struct bytes bytes = bytes_of_file(path);
    assert_int_equal(bytes.length, strlen(text));
    assert_memory_equal(bytes.at, text, bytes.length);
    free(bytes.at);
}

static void nothing_is_seen_before_the_commit(void **state)
{
    const char *path = in_folder(state, "a.txt");
    struct whole_file file;
    assert_int_equal(whole_file_open(&file, path, OVERWRITE_NO), STATUS_OK);
    fputs("new", file.stream);
    assert_int_equal(access(path, F_OK), -1);
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".a.txt.%ld.part", (long)getpid());
    assert_int_equal(access(in_folder(state, temporary), F_OK), 0);
    assert_int_equal(whole_file_commit(&file), STATUS_OK);
    assert_holds(path, "new");
    assert_int_equal(folder_count(state, "", 0), 1);
    whole_file_abandon(&file); /* of a committed one: nothing */
    assert_holds(path, "new");
}

static void an_abandoned_file_leaves_no_trace(void **state)
{
    struct whole_file file;
    assert_int_equal(whole_file_open(&file, in_folder(state, "a"), OVERWRITE_NO), STATUS_OK);
    fputs("new", file.stream);
    whole_file_abandon(&file);
    whole_file_abandon(&file);
    assert_int_equal(folder_count(state, "", 0), 0);
}

static void an_old_file_stays_without_force(void **state)
{
    const char *path = in_folder(state, "a");
    file_fill(path, "old");
    assert_int_equal(text_write(path, "new", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    assert_non_null(strstr(status_text(), "--force"));
    assert_int_equal(whole_file_check(path, OVERWRITE_NO), STATUS_CANNOT_CREATE);
    assert_holds(path, "old");
    assert_int_equal(whole_file_check(path, OVERWRITE_YES), STATUS_OK);
    assert_holds(path, "old");
    assert_int_equal(text_write(path, "new", OVERWRITE_YES), STATUS_OK);
    assert_holds(path, "new");
    assert_int_equal(folder_count(state, "", 0), 1);
}

static void a_file_that_appears_meanwhile_stays(void **state)
{
    const char *path = in_folder(state, "a");
    struct whole_file file;
    assert_int_equal(whole_file_open(&file, path, OVERWRITE_NO), STATUS_OK);
    fputs("mine", file.stream);
    file_fill(path, "theirs");
    assert_int_equal(whole_file_commit(&file), STATUS_CANNOT_CREATE);
    assert_holds(path, "theirs");
    assert_int_equal(folder_count(state, "", 0), 1);
}

static void a_replaced_file_keeps_its_permissions_and_its_link(void **state)
{
    const char *path = in_folder(state, "a"), *link = in_folder(state, "link");
    file_fill(path, "old");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(text_write(link, "new", OVERWRITE_YES), STATUS_OK);
    struct stat about;
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    assert_holds(path, "new");
}

static void what_cannot_be_created_says_why(void **state)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"no/such/folder/a", "No such file or directory"},
        {"file/a", "Not a directory"},
        {".", "it is a folder"},
        {"dangling", "a link that leads nowhere"},
        {"loop", "symbolic links"},
    };
    file_fill(in_folder(state, "file"), "");
    assert_int_equal(symlink("nowhere", in_folder(state, "dangling")), 0);
    assert_int_equal(symlink("loop", in_folder(state, "loop")), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = in_folder(state, cases[i].name);
        assert_int_equal(whole_file_check(path, OVERWRITE_YES), STATUS_CANNOT_CREATE);
        assert_int_equal(text_write(path, "new", OVERWRITE_YES), STATUS_CANNOT_CREATE);
        if (!strstr(status_text(), cases[i].message))
            fail_msg("'%s' lacks '%s'", status_text(), cases[i].message);
    }
    /* Root may do anything in a read-only folder, except in /proc. */
    assert_int_equal(whole_file_check("/proc/a", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    assert_int_equal(text_write("/proc/a", "new", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    if (getuid() != 0) {
        assert_int_equal(chmod(in_folder(state, "."), 0555), 0);
        assert_int_equal(whole_file_check(in_folder(state, "a"), 0), STATUS_CANNOT_CREATE);
        assert_int_equal(chmod(in_folder(state, "."), 0755), 0);
    }
    char name[300]; /* longer than a name may be */
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_int_equal(text_write(in_folder(state, name), "", OVERWRITE_NO), STATUS_CANNOT_CREATE);
    name[255] = '\0'; /* just fits, though its temporary name would not */
    assert_int_equal(text_write(in_folder(state, name), "", OVERWRITE_NO), STATUS_OK);
}

static void a_leftover_of_the_same_process_id_is_no_obstacle(void **state)
{
    char temporary[64];
    snprintf(temporary, sizeof temporary, ".a.%ld.part", (long)getpid());
    file_fill(in_folder(state, temporary), "left by a killed process");
    assert_int_equal(text_write(in_folder(state, "a"), "new", OVERWRITE_NO), STATUS_OK);
    assert_holds(in_folder(state, "a"), "new");
    assert_holds(in_folder(state, temporary), "left by a killed process");
}

static void a_full_device_is_reported(void **state)
{
    (void)state;
    assert_int_equal(whole_file_check("/dev/full", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(text_write("/dev/full", "x", OVERWRITE_NO), STATUS_IO);
    assert_non_null(strstr(status_text(), "No space left on device"));
    assert_int_equal(text_write("/dev/null", "x", OVERWRITE_NO), STATUS_OK);
    struct stat about;
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
}

static void *pipe_read(void *path)
{
    FILE *stream = fopen(path, "rb");
    static char text[16];
    text[stream ? fread(text, 1, sizeof text - 1, stream) : 0] = '\0';
    if (stream)
        fclose(stream);
    return text;
}

static void a_pipe_is_written_through(void **state)
{
    char *path = strdup(in_folder(state, "pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(whole_file_check(path, OVERWRITE_NO), STATUS_OK); /* does not block */
    pthread_t reader;
    void *text;
    assert_int_equal(pthread_create(&reader, NULL, pipe_read, path), 0);
    assert_int_equal(text_write(path, "through", OVERWRITE_NO), STATUS_OK);
    assert_int_equal(pthread_join(reader, &text), 0);
    assert_string_equal(text, "through");
    free(path);
}

/* The limit on file size fails the write at that byte, as a full disk would. */
static void a_write_that_fails_anywhere_leaves_the_old_file(void **state)
{
    enum { BYTES = 1500000 };
    const char *path = in_folder(state, "a");
    file_fill(path, "old");
    char *text = malloc(BYTES + 1);
    memset(text, 'x', BYTES);
    text[BYTES] = '\0';
    struct rlimit whole, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &whole), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t most = 0; most < BYTES; most += 49999) {
        limit = (struct rlimit){.rlim_cur = most, .rlim_max = whole.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        enum status status = text_write(path, text, OVERWRITE_YES);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &whole), 0);
        assert_int_equal(status, STATUS_IO);
        assert_holds(path, "old");
        assert_int_equal(folder_count(state, "", 0), 1);
    }
    assert_int_equal(text_write(path, text, OVERWRITE_YES), STATUS_OK);
    assert_holds(path, text);
    free(text);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(nothing_is_seen_before_the_commit),
        IN_FOLDER(an_abandoned_file_leaves_no_trace),
        IN_FOLDER(an_old_file_stays_without_force),
        IN_FOLDER(a_file_that_appears_meanwhile_stays),
        IN_FOLDER(a_replaced_file_keeps_its_permissions_and_its_link),
        IN_FOLDER(what_cannot_be_created_says_why),
        IN_FOLDER(a_leftover_of_the_same_process_id_is_no_obstacle),
        IN_FOLDER(a_full_device_is_reported),
        IN_FOLDER(a_pipe_is_written_through),
        IN_FOLDER(a_write_that_fails_anywhere_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
