/* The status of a run is read as it was written, and nothing else is taken for one. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/run_status.h"
#include "tests/render/disk/folder.h"
#include "tests/support/check.h"

static struct run_rank rows[] = {
    {.host = "n1"},
    {.host = "n2", .computes = true, .tiles = 7, .iterations = 1ull << 40, .busy_s = 2.5}};

static struct run_status example(void)
{
    struct run_status status = {.process = getpid(),
                                .written_s = 1.75e9,
                                .pixels_done = 3,
                                .pixels = 1ull << 62,
                                .iterations = 5,
                                .share = 0.1,
                                .seconds = 12,
                                .left_s = -1,
                                .rank = rows,
                                .ranks = 2,
                                .code = RUN_UNDER_WAY};
    gethostname(status.host, sizeof status.host - 1);
    return status;
}

IN_FOLDER(what_is_written_is_read)
{
    struct run_status status = example(), read;
    const char *folder = in_folder(state, "");
    assert_true(run_status_write(&status, folder));
    assert_true(run_status_write(&status, folder)); /* over the older one */
    assert_int_equal(run_status_read(&read, folder), STATUS_OK);
    assert_int_equal(read.ranks, 2);
    assert_memory_equal(read.rank, rows, sizeof rows);
    free(read.rank);
    read.rank = rows;
    assert_string_equal(read.host, status.host);
    assert_int_equal(read.pixels, status.pixels);
    assert_true(read.share == status.share && read.left_s == status.left_s);
    assert_int_equal(read.code, RUN_UNDER_WAY);
    assert_int_equal(folder_count(state, "", 0), 1);
}

IN_FOLDER(a_link_in_the_folder_is_not_written_through)
{
    static const char *const planted[] = {"." RUN_STATUS_FILE ".new", RUN_STATUS_FILE, "new"};
    struct run_status status = example();
    char victim[600], own[600], path[700];
    snprintf(victim, sizeof victim, "%s", in_folder(state, "victim"));
    snprintf(own, sizeof own, "%s", in_folder(state, "own"));
    file_fill(victim, "precious");
    assert_int_equal(mkdir(own, 0777), 0);
    for (size_t i = 0; i < sizeof planted / sizeof *planted; i++) {
        snprintf(path, sizeof path, "%s/%s", own, planted[i]);
        assert_int_equal(symlink(victim, path), 0);
    }
    assert_true(run_status_write(&status, own));
    struct bytes bytes = bytes_of_file(victim);
    assert_int_equal(bytes.length, 8);
    assert_memory_equal(bytes.at, "precious", 8);
    free(bytes.at);
}

/* Somebody else's folder of that name, or a link to one of ours. */
IN_FOLDER(a_folder_of_others_gets_no_status)
{
    struct run_status status = example();
    char own[600], link[600];
    snprintf(own, sizeof own, "%s", in_folder(state, "own"));
    snprintf(link, sizeof link, "%s", in_folder(state, "link"));
    assert_int_equal(mkdir(own, 0777), 0);
    assert_int_equal(symlink(own, link), 0);
    assert_false(run_status_write(&status, link));
    if (chown(own, 12345, (gid_t)-1) == 0)
        assert_false(run_status_write(&status, own));
    assert_int_equal(rmdir(own), 0);
}

/* On its own host its process is seen; on another one its signs are all there is. */
TEST(what_has_become_of_a_run)
{
    struct run_status status = example();
    const double now_s = status.written_s;
    assert_int_equal(run_status_state(&status, now_s + 30), RUN_RUNNING);
    assert_int_equal(run_status_state(&status, now_s - 5), RUN_RUNNING); /* clocks of two hosts */
    assert_int_equal(run_status_state(&status, now_s + 31), RUN_SILENT);
    status.process = 0x7ffffffe;
    assert_int_equal(run_status_state(&status, now_s), RUN_GONE);
    snprintf(status.host, sizeof status.host, "elsewhere");
    assert_int_equal(run_status_state(&status, now_s + 30), RUN_RUNNING);
    assert_int_equal(run_status_state(&status, now_s + 81), RUN_SILENT);
    status.code = 75;
    assert_int_equal(run_status_state(&status, now_s + 81), RUN_ENDED);
}

IN_FOLDER(an_end_is_read)
{
    struct run_status status = example(), read;
    status.code = 75;
    snprintf(status.text, sizeof status.text, "stopped on request");
    assert_true(run_status_write(&status, in_folder(state, "")));
    assert_int_equal(run_status_read(&read, in_folder(state, "")), STATUS_OK);
    assert_int_equal(read.code, 75);
    assert_string_equal(read.text, status.text);
    run_status_destroy(&read);
}

static const char sound[] =
    "{\"host\":\"a\",\"process\":1,\"written_s\":2e9,\"pixels_done\":3,"
    "\"pixels\":9,\"iterations\":8,"
    "\"share\":0.5,\"elapsed_s\":6,\"left_s\":null,\"ranks\":[{\"host\":\"b\","
    "\"computes\":true,\"tiles\":2,"
    "\"iterations\":7,\"busy_s\":5.5,\"unheard_s\":0}]}";

static const char *const changes[][2] = {
    {"\"share\":0.5", "\"share\":1.5"},
    {"\"share\":0.5", "\"share\":-0.1"},
    {"\"share\":0.5", "\"share\":NaN"},
    {"\"share\":0.5", "\"share\":\"0.5\""},
    {"\"elapsed_s\":6", "\"elapsed_s\":-6"},
    {"\"elapsed_s\":6", "\"elapsed_s\":1e400"},
    {"\"elapsed_s\":6", "\"elapsed_s\":1e20"},
    {"\"left_s\":null", "\"left_s\":Infinity"},
    {"\"left_s\":null", "\"left_s\":-2"},
    {"\"left_s\":null", "\"left_s\":\"\""},
    {"\"pixels_done\":3", "\"pixels_done\":-3"},
    {"\"iterations\":8", "\"iterations\":-8"},
    {"\"written_s\":2e9", "\"written_s\":-1"},
    {"\"written_s\":2e9", "\"written_s\":NaN"},
    {"\"busy_s\":5.5", "\"busy_s\":-5.5"},
    {"\"unheard_s\":0", "\"unheard_s\":-1e300"},
    {"\"unheard_s\":0", "\"unheard_s\":NaN"},
    {"\"computes\":true", "\"computes\":1"},
    {"\"process\":1", "\"process\":99999999999"},
    {"\"process\":1", "\"code\":-1,\"process\":1"},
    {"\"process\":1", "\"code\":256,\"process\":1"},
    {"\"process\":1", "\"code\":\"75\",\"process\":1"},
    {"\"process\":1", "\"process\":1e3"},
    {"\"tiles\":2", "\"tiles\":[2]"},
};

IN_FOLDER(nothing_else_is_taken_for_one)
{
    struct run_status read, status = example();
    assert_int_equal(run_status_read(&read, in_folder(state, "missing")), STATUS_NO_INPUT);
    assert_false(run_status_write(&status, in_folder(state, "missing")));
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{}",
        "null",
        "{\"host\":1}",
        "{\"host\":\"a\",\"process\":-1,\"written_s\":0,\"pixels_done\":0,\"pixels\":0,"
        "\"iterations\":0,\"share\":0,\"elapsed_s\":0,\"left_s\":0,\"ranks\":[]}",
        "{\"host\":\"a\",\"process\":1,\"written_s\":0,\"pixels_done\":0,\"pixels\":0,"
        "\"iterations\":0,\"share\":0,\"elapsed_s\":0,\"left_s\":0,\"ranks\":[{}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(run_status_parse(&read, texts[i], strlen(texts[i]), "x"), STATUS_BAD_DATA);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char text[600];
        const char *at = strstr(sound, changes[i][0]);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - sound), sound, changes[i][1],
                 at + strlen(changes[i][0]));
        assert_int_equal(run_status_parse(&read, text, strlen(text), "x"), STATUS_BAD_DATA);
    }
    assert_int_equal(run_status_parse(&read, sound, strlen(sound), "x"), STATUS_OK);
    run_status_destroy(&read);
    const char *control = "{\"host\":\"a\\u001b[2J\\u009b\",\"process\":1,\"written_s\":0,"
                          "\"pixels_done\":0,\"pixels\":0,\"iterations\":0,\"share\":0,"
                          "\"elapsed_s\":0,\"left_s\":0,\"ranks\":[]}";
    assert_int_equal(run_status_parse(&read, control, strlen(control), "x"), STATUS_OK);
    assert_string_equal(read.host, "a?[2J??");
    run_status_destroy(&read);
}
