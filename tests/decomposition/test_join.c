/* Is a job that joins and breaks the rules left out, and one too many answered? */
#include "tests/support/check.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/pool/join.h"
#include "decomposition/thread/clock.h"

enum { BYTES = 20000, TRIES = 10000, TRY_US = 1000 };

static struct join *limited_open(const struct join_limits *limits)
{
    struct join *join;
    assert_int_equal(join_open(&join, &(struct join_options){.address = "127.0.0.1",
                                                             .identity = "it",
                                                             .first_rank = 1,
                                                             .limits = *limits}),
                     STATUS_OK);
    return join;
}

static struct join *viewer_open(void)
{
    return limited_open(&(struct join_limits){.silent_s = 0});
}

static int connection(const struct join *join)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)join_port(join)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(made >= 0 && connect(made, (struct sockaddr *)(void *)&at, sizeof at) == 0);
    return made;
}

/* Says a hello with this token; the answer. */
static struct join_reply greeted_with(const char *token, int socket)
{
    struct join_hello hello = {.identity = "it", .threads = 1, .credits = 4};
    struct join_reply reply;
    memcpy(hello.magic, join_magic, sizeof hello.magic);
    memcpy(hello.token, token, sizeof hello.token);
    assert_int_equal(join_send(socket, &hello, sizeof hello), STATUS_OK);
    assert_int_equal(join_receive(socket, &reply, sizeof reply), STATUS_OK);
    return reply;
}

static struct join_reply greeted(const struct join *join, int socket)
{
    return greeted_with(join_token(join), socket);
}

static void say(int socket, struct message message, const void *payload)
{
    unsigned char header[MESSAGE_BYTES];
    if (payload)
        message.checksum = message_checksum(payload, message.length);
    message_encode(&message, header);
    assert_int_equal(join_send(socket, header, sizeof header), STATUS_OK);
    if (payload)
        assert_int_equal(join_send(socket, payload, message.length), STATUS_OK);
}

/* A job that is ready for tasks of the first context. */
static int job_ready(struct join *join)
{
    int job = connection(join);
    assert_int_equal(greeted(join, job).rank, 1);
    assert_int_equal(
        join_context(join, &(struct join_context){.epoch = 1, .head = "text", .head_length = 5}),
        STATUS_OK);
    say(job, (struct message){.kind = MESSAGE_READY, .sequence = 1}, NULL);
    for (int i = 0; i < TRIES && !join_may_give(join, 0); i++)
        usleep(TRY_US);
    assert_true(join_may_give(join, 0));
    return job;
}

static const struct pool_task task = {.epoch = 1, .id = 7, .result_bytes = BYTES};

/* Awaits a result of the kind. */
static struct pool_result taken(struct join *join, enum pool_result_kind kind)
{
    struct pool_result result;
    for (int i = 0; i < TRIES; i++) {
        while (join_take(join, &result))
            if (result.kind == kind)
                return result;
        usleep(TRY_US);
    }
    fail_msg("no result comes");
    return result;
}

/* ---- messages that break a rule ---- */

enum trouble { AS_IT_IS, OTHER_VERSION, DAMAGED_HEADER, DAMAGED_RESULT, CUT_HEADER, CUT_RESULT };

struct broken {      /* a message of a job that has task 0 of instruction 1 */
    const char *why; /* part of the sentence about it */
    struct message message;
    bool result; /* the task's bytes follow */
    enum trouble trouble;
};

#define DONE_OF(task_, length_) \
    .message = {.kind = MESSAGE_DONE, .sequence = 1, .task = task_, .length = length_}

static const struct broken broken[] = {
    {"messages of kind 0", .message = {.kind = MESSAGE_CONTEXT, .sequence = 1}},
    {"messages of kind 2", .message = {.kind = MESSAGE_TASK, .sequence = 1, .length = 1 << 20}},
    {"was not given", .message = {.kind = MESSAGE_READY, .sequence = 2}},
    {"was not given", .message = {.kind = MESSAGE_DONE, .sequence = 2, .length = BYTES}},
    {"task 64 of 64", DONE_OF(64, BYTES)},
    {"task 4294967295 of 64", DONE_OF(UINT32_MAX, BYTES)},
    {"nobody has asked for", DONE_OF(1, BYTES)},
    {"19999 bytes instead of 20000", DONE_OF(0, BYTES - 1)},
    {"20001 bytes instead of 20000", DONE_OF(0, BYTES + 1)},
    {"0 bytes instead of 20000", DONE_OF(0, 0)},
    {"18446744073709551615 bytes instead", DONE_OF(0, UINT64_MAX)},
    {"bytes instead of 20000", .message = {.kind = MESSAGE_DONE, .length = UINT64_MAX / 2}},
    {"8 bytes instead of 0", .message = {.kind = MESSAGE_READY, .sequence = 1, .length = 8}},
    {"9 bytes instead of 0", .message = {.kind = MESSAGE_GOT, .length = 9}},
    {"9 bytes instead of 0", .message = {.kind = MESSAGE_BYE, .length = 9}},
    {"20000 bytes instead of 0",
     .message = {MESSAGE_DONE, STATUS_DEVICE_LOST, .sequence = 1, .length = BYTES}},
    {"a time that is none", .message = {.kind = MESSAGE_GOT, .busy_s = -1}},
    {"a time that is none", .message = {.kind = MESSAGE_GOT, .busy_s = NAN}},
    {"has version", .message = {.kind = MESSAGE_GOT}, .trouble = OTHER_VERSION},
    {"header of a message arrived damaged", .message = {.kind = MESSAGE_GOT},
     .trouble = DAMAGED_HEADER},
    {"tile 0 arrived damaged", DONE_OF(0, BYTES), true, DAMAGED_RESULT},
    {"in the middle of a message", .message = {.kind = MESSAGE_GOT}, .trouble = CUT_HEADER},
    {"in the middle of a message", DONE_OF(0, BYTES), true, CUT_RESULT},
    {"has left: it has ended", .message = {.kind = MESSAGE_BYE}},
};

static void broken_say(int socket, const struct broken *row)
{
    enum { VERSION_AT = 4, LENGTH_AT = 32 };
    static const unsigned char bytes[BYTES];
    unsigned char header[MESSAGE_BYTES];
    struct message message = row->message;
    if (row->result)
        message.checksum = message_checksum(bytes, BYTES) ^ (row->trouble == DAMAGED_RESULT);
    message_encode(&message, header);
    header[VERSION_AT] ^= row->trouble == OTHER_VERSION;
    header[LENGTH_AT] ^= row->trouble == DAMAGED_HEADER;
    size_t cut = row->trouble == CUT_HEADER ? 1 : 0;
    assert_int_equal(join_send(socket, header, sizeof header - cut), STATUS_OK);
    cut = row->trouble == CUT_RESULT ? 1 : 0;
    if (row->result)
        assert_int_equal(join_send(socket, bytes, sizeof bytes - cut), STATUS_OK);
}

/* The job is left out with a sentence, its task comes back, and another job takes its place. */
static void must_be_dropped(struct join *join, const char *why)
{
    struct pool_result result = taken(join, POOL_WORKER);
    if (!strstr(result.text, why))
        fail_msg("'%s' does not say '%s'", result.text, why);
    assert_true(!strncmp(result.text, "rank 1 on ", 10));
    result = taken(join, POOL_TASK);
    assert_int_equal(result.status, STATUS_DEVICE_LOST);
    assert_int_equal(result.task.id, task.id);
    assert_true(result.bytes == NULL);
    assert_int_equal(join_worker(join, 0)->alive, false);
    assert_int_equal(join_worker(join, 0)->tiles, 0);
    int next = connection(join);
    assert_int_equal(greeted(join, next).rank, 1);
    close(next);
}

TEST(a_message_that_breaks_a_rule_drops_its_job_with_a_sentence)
{
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct join *join = viewer_open();
        int job = job_ready(join);
        assert_int_equal(join_give(join, 0, &task), STATUS_OK);
        broken_say(job, &broken[i]);
        if (broken[i].trouble == CUT_HEADER || broken[i].trouble == CUT_RESULT)
            shutdown(job, SHUT_WR);
        must_be_dropped(join, broken[i].why);
        close(job);
        join_close(join);
    }
}

/* What follows the end of a job is read by nobody. */
TEST(a_result_that_is_sent_twice_or_after_the_end_is_none)
{
    static const unsigned char bytes[BYTES];
    const struct message done = {.kind = MESSAGE_DONE, .sequence = 1, .length = BYTES};
    struct join *join = viewer_open();
    int job = job_ready(join);
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    say(job, done, bytes);
    assert_int_equal(taken(join, POOL_TASK).status, STATUS_OK);
    say(job, done, bytes);
    assert_true(strstr(taken(join, POOL_WORKER).text, "nobody has asked for") != NULL);
    close(job);
    join_close(join);

    join = viewer_open();
    job = job_ready(join);
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    say(job, (struct message){.kind = MESSAGE_BYE, .sequence = 1}, NULL);
    (void)!send(job, bytes, sizeof bytes, MSG_NOSIGNAL);
    must_be_dropped(join, "has left: it has ended");
    close(job);
    join_close(join);
}

/* A late result is read and dropped, of the length that it may have. */
TEST(a_result_of_a_cancelled_task_is_late)
{
    static const unsigned char bytes[BYTES];
    struct message done = {.kind = MESSAGE_DONE, .sequence = 1, .length = BYTES};
    struct join *join = viewer_open();
    int job = job_ready(join);
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    join_cancel(join);
    uint64_t before = join_worker(join, 0)->late;
    say(job, done, bytes);
    for (int i = 0; i < TRIES && join_worker(join, 0)->late == before; i++)
        usleep(TRY_US);
    assert_int_equal(join_worker(join, 0)->late, before + 1);
    assert_int_equal(join_worker(join, 0)->alive, true);
    close(job);
    join_close(join);
}

/* More than it was asked for, however well formed. */
TEST(a_flood_of_messages_ends_its_connection)
{
    struct join *join = viewer_open();
    int job = job_ready(join);
    unsigned char header[MESSAGE_BYTES];
    message_encode(&(struct message){.kind = MESSAGE_READY, .sequence = 1}, header);
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    for (int i = 0; i < 1000; i++)
        if (send(job, header, sizeof header, MSG_NOSIGNAL) < 0)
            break;
    must_be_dropped(join, "messages that nobody has asked for");
    close(job);
    join_close(join);
}

/* A job that comes and leaves again and again fills neither memory nor the screen. */
TEST(jobs_that_come_and_leave_are_refused_when_they_are_too_many)
{
    struct join *join = viewer_open();
    struct join_reply reply = {.rank = 1};
    int turns = 0;
    for (; reply.rank == 1 && turns < TRIES; turns++) {
        int job = connection(join);
        reply = greeted(join, job);
        close(job);
        while (join_worker(join, 0)->alive)
            usleep(100);
    }
    assert_string_equal(reply.why, "too many jobs have joined and left in the last seconds");
    assert_true(turns > 64);
    join_close(join);
}

/* ---- jobs that stand still ---- */

/* The job is left out with a sentence. */
static void must_be_told(struct join *join, const char *why)
{
    const char *text = taken(join, POOL_WORKER).text;
    if (!strstr(text, why))
        fail_msg("'%s' does not say '%s'", text, why);
    assert_int_equal(join_worker(join, 0)->alive, false);
}

TEST(a_job_that_says_nothing_is_left_out)
{
    struct join *join = limited_open(&(struct join_limits){.silent_s = 0.1});
    int job = connection(join);
    assert_int_equal(greeted(join, job).rank, 1);
    must_be_told(join, "is dropped: it has said nothing for");
    close(job);
    join_close(join);
}

TEST(a_job_that_reads_nothing_is_left_out)
{
    enum { LENGTH = 1 << 25 }; /* more than the buffers of a connection hold */
    struct join *join = limited_open(&(struct join_limits){.unread_s = 0.1});
    struct join_context context = {.epoch = 1, .head_length = LENGTH};
    void *head = calloc(1, LENGTH);
    int job = connection(join);
    assert_non_null(head);
    context.head = head;
    assert_int_equal(greeted(join, job).rank, 1);
    assert_int_equal(join_context(join, &context), STATUS_OK);
    must_be_told(join, "is dropped: it reads nothing");
    free(head);
    close(job);
    join_close(join);
}

TEST(a_header_that_does_not_come_to_an_end_drops_its_job)
{
    struct join *join = limited_open(&(struct join_limits){.message_s = 0.1});
    int job = job_ready(join);
    unsigned char header[MESSAGE_BYTES];
    message_encode(&(struct message){.kind = MESSAGE_GOT}, header);
    assert_int_equal(join_send(job, header, sizeof header / 2), STATUS_OK);
    must_be_told(join, "is dropped: its message does not come to an end");
    close(job);
    join_close(join);
}

/* 16 KiB a second are enough. */
TEST(a_result_has_the_time_of_its_bytes)
{
    static const unsigned char bytes[BYTES / 2];
    static const double message_s = 0.1, bytes_s = BYTES / 16384.0;
    struct join *join = limited_open(&(struct join_limits){.message_s = message_s});
    int job = job_ready(join);
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    double begun_s = clock_s();
    say(job, (struct message){.kind = MESSAGE_DONE, .sequence = 1, .length = BYTES}, NULL);
    assert_int_equal(join_send(job, bytes, sizeof bytes), STATUS_OK);
    must_be_told(join, "is dropped: its message does not come to an end");
    assert_true(clock_s() - begun_s >= message_s + bytes_s);
    close(job);
    join_close(join);
}

/* After Ctrl-Z and fg, or a pause of the machine, nobody has been silent. */
TEST(time_in_which_the_run_is_stopped_counts_for_no_job)
{
    enum { STOPPED_S = 2, COUNTED_S = 1 };
    double begun_s = clock_s();
    struct join *join = viewer_open();
    int job = job_ready(join);
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    pid_t run = getpid(), child = fork();
    if (child == 0) {
        kill(run, SIGSTOP);
        usleep(STOPPED_S * 1000000);
        kill(run, SIGCONT);
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, NULL, 0) == child);
    int later = connection(join); /* when it is answered the thread has seen what time it is */
    assert_int_equal(greeted(join, later).rank, 2);
    double quiet_s = join_quiet_s(join, 0), heard_s = join_worker(join, 0)->heard_s;
    double most_s = clock_s() - begun_s - STOPPED_S + COUNTED_S;
    assert_true(quiet_s <= most_s && heard_s <= most_s);
    close(later);
    close(job);
    join_close(join);
}

TEST(of_many_jobs_that_are_refused_four_are_told)
{
    static const char token[JOIN_TOKEN_BYTES] = "another";
    struct join *join = viewer_open();
    struct pool_result result;
    int told = 0;
    for (int i = 0; i < 10; i++) {
        int job = connection(join);
        assert_int_equal(greeted_with(token, job).rank, -1);
        close(job);
    }
    while (join_take(join, &result)) {
        assert_int_equal(result.kind, POOL_JOINED);
        assert_non_null(strstr(result.text, "the token is not that of this run"));
        told++;
    }
    assert_int_equal(told, 4);
    join_close(join);
}

/* ---- contexts ---- */

/* The payload of the next context, of at most so many bytes; its length. */
static size_t context_length(int socket)
{
    unsigned char header[MESSAGE_BYTES], payload[64];
    struct message message = {.kind = MESSAGE_GOT};
    while (message.kind != MESSAGE_CONTEXT) {
        assert_int_equal(join_receive(socket, header, sizeof header), STATUS_OK);
        assert_int_equal(message_decode(&message, header, sizeof header), STATUS_OK);
        assert_true(message.length <= sizeof payload);
        assert_int_equal(join_receive(socket, payload, message.length), STATUS_OK);
    }
    return message.length;
}

enum { HEAD_BYTES = 5, REST_BYTES = 10 };

/* A job that has a context with a key, and says that it is ready for it. */
static int keyed_ready(struct join *join, const struct join_context *frame, uint32_t ranks)
{
    struct join_context first = *frame;
    int job = connection(join);
    first.rest = "the orbit";
    first.rest_length = REST_BYTES;
    assert_int_equal(greeted(join, job).rank, 1);
    assert_int_equal(join_context(join, &first), STATUS_OK);
    assert_int_equal(context_length(job), HEAD_BYTES + REST_BYTES);
    say(job, (struct message){.kind = MESSAGE_READY, .sequence = 1, .task = ranks}, NULL);
    for (int i = 0; i < TRIES && !join_may_give(join, 0); i++)
        usleep(TRY_US);
    assert_true(join_may_give(join, 0));
    return job;
}

/* A rank that could not take the orbit gets it with the next context. */
TEST(a_job_gets_the_rest_again_unless_all_of_its_ranks_have_it)
{
    struct join *join = viewer_open();
    struct join_context frame = {.epoch = 1, .key = 5, .head = "head", .head_length = HEAD_BYTES};
    int job = keyed_ready(join, &frame, 0);
    frame.epoch = 2;
    assert_int_equal(join_context(join, &frame), STATUS_OK);
    assert_int_equal(context_length(job), HEAD_BYTES + REST_BYTES);
    close(job);
    join_close(join);
}

/* The orbit of a picture may take gigabytes. */
TEST(a_rest_that_no_other_picture_shares_is_dropped_with_its_picture)
{
    struct join *join = viewer_open();
    const struct join_context frame = {.epoch = 1,
                                       .key = 5,
                                       .head = "head",
                                       .head_length = HEAD_BYTES,
                                       .rest = "the orbit",
                                       .rest_length = REST_BYTES};
    assert_int_equal(join_context(join, &frame), STATUS_OK);
    assert_true(join_has(join, 5));
    join_forget(join, JOIN_REST_DROPPED);
    assert_true(!join_has(join, 5));
    join_close(join);
}

/* Frames of a film share their orbit. */
TEST(the_rest_of_a_context_is_sent_once_for_its_key)
{
    struct join *join = viewer_open();
    struct join_context frame = {.epoch = 1, .key = 5, .head = "head", .head_length = HEAD_BYTES};
    int job = keyed_ready(join, &frame, JOINED_READY_ALL), late;
    join_forget(join, JOIN_REST_KEPT); /* the picture ends */
    assert_true(join_has(join, 5) && !join_has(join, 6));
    frame.epoch = 2;
    assert_int_equal(join_context(join, &frame), STATUS_OK);
    assert_int_equal(context_length(job), 5);
    late = connection(join); /* one that joins now has nothing yet */
    assert_int_equal(greeted(join, late).rank, 2);
    assert_int_equal(context_length(late), 15);
    frame.epoch = 3;
    frame.key = 0;
    assert_int_equal(join_context(join, &frame), STATUS_OK);
    assert_int_equal(context_length(job), 5);
    assert_true(!join_has(join, 5));
    close(job);
    close(late);
    join_close(join);
}

/* Each end hears of the other each second. */
TEST(a_job_that_has_nothing_to_do_hears_that_the_run_is_there)
{
    struct join *join = viewer_open();
    int job = connection(join);
    unsigned char header[MESSAGE_BYTES];
    struct message message;
    assert_int_equal(greeted(join, job).rank, 1);
    assert_int_equal(join_receive(job, header, sizeof header), STATUS_OK);
    assert_int_equal(message_decode(&message, header, sizeof header), STATUS_OK);
    assert_int_equal(message.kind, MESSAGE_GOT);
    assert_true(join_quiet_s(join, 0) > 0.5);
    say(job, (struct message){.kind = MESSAGE_GOT}, NULL);
    bool heard = false;
    for (int i = 0; i < TRIES && !heard; i++, usleep(TRY_US))
        heard = join_quiet_s(join, 0) <= 0.5;
    assert_true(heard);
    close(job);
    join_close(join);
}

/* Tasks that fail together are those of a part of the job that has died. */
TEST(a_job_whose_tasks_fail_again_and_again_is_left_out)
{
    struct join *join = viewer_open();
    int job = job_ready(join);
    struct message done = {.kind = MESSAGE_DONE, .sequence = 1, .status = STATUS_DEVICE_LOST};
    for (int turn = 0; turn < 8; turn++) {
        assert_int_equal(join_worker(join, 0)->alive, true);
        for (done.task = 0; done.task < 4; done.task++)
            assert_int_equal(join_give(join, 0, &task), STATUS_OK);
        for (done.task = 0; done.task < 4 && turn < 7; done.task++)
            say(job, done, NULL);
        for (int i = 0; i < 4 && turn < 7; i++)
            assert_int_equal(taken(join, POOL_TASK).status, STATUS_DEVICE_LOST);
    }
    done.task = 0;
    say(job, done, NULL);
    assert_true(strstr(taken(join, POOL_WORKER).text, "its tasks fail") != NULL);
    assert_int_equal(join_worker(join, 0)->alive, false);
    close(job);
    join_close(join);
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A connection that cannot be accepted stays in the queue of the kernel, and would wake the thread
 * again at once. */
TEST(no_core_is_busy_while_descriptors_lack)
{
    struct join *join = viewer_open();
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)join_port(join)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int job = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct rlimit before, few;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)job + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    double begun_s = cpu_s();
    assert_int_equal(connect(job, (struct sockaddr *)(void *)&at, sizeof at), 0);
    usleep(400000);
    double spent_s = cpu_s() - begun_s;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(spent_s < 0.1);
    assert_int_equal(greeted(join, job).rank, 1);
    close(job);
    join_close(join);
}

/* Is an address of the whole machine known in every spelling? */
TEST(all_addresses_of_the_machine_are_known_by_any_name)
{
    static const struct {
        const char *address;
        bool everywhere;
    } rows[] = {{"0.0.0.0", true}, {"0", true}, {"0x0", true}, {"127.0.0.1", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct join *join;
        const struct join_options options = {.address = rows[i].address, .identity = "it"};
        assert_int_equal(join_open(&join, &options), STATUS_OK);
        assert_int_equal(join_everywhere(join), rows[i].everywhere);
        join_close(join);
    }
}

/* Connections that say nothing take no worker's place. */
TEST(one_job_too_many_is_told_so)
{
    struct join *join = viewer_open();
    int job[JOINED_MOST + 1], silent[4];
    for (int i = 0; i < 4; i++)
        silent[i] = connection(join);
    for (int i = 0; i <= JOINED_MOST; i++) {
        job[i] = connection(join);
        struct join_reply reply = greeted(join, job[i]);
        assert_int_equal(reply.rank, i < JOINED_MOST ? i + 1 : -1);
        assert_string_equal(reply.why, i < JOINED_MOST ? "" : "16 jobs have joined already");
    }
    close(job[0]);
    assert_int_equal(taken(join, POOL_WORKER).worker, 0);
    job[0] = connection(join);
    assert_int_equal(greeted(join, job[0]).rank, 1);
    for (int i = 0; i <= JOINED_MOST; i++)
        close(job[i]);
    for (int i = 0; i < 4; i++)
        close(silent[i]);
    join_close(join);
}
