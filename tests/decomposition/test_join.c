/* Is a job that joins and breaks the rules left out, and one too many answered? */
#include "tests/support/check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/pool/join.h"

enum { BYTES = 20000, TRIES = 10000, TRY_US = 1000 };

static struct join *viewer_open(void)
{
    struct join *join;
    assert_int_equal(join_open(&join, &(struct join_options){.address = "127.0.0.1",
                                                             .identity = "it",
                                                             .first_rank = 1}),
                     STATUS_OK);
    return join;
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

/* Says a hello; the answer. */
static struct join_reply greeted(const struct join *join, int socket)
{
    struct join_hello hello = {.identity = "it", .threads = 1, .credits = 4};
    struct join_reply reply;
    memcpy(hello.magic, join_magic, sizeof hello.magic);
    memcpy(hello.token, join_token(join), sizeof hello.token);
    assert_int_equal(join_send(socket, &hello, sizeof hello), STATUS_OK);
    assert_int_equal(join_receive(socket, &reply, sizeof reply), STATUS_OK);
    return reply;
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

/* Its header came while nothing was awaited, its payload when the task was given again. */
TEST(a_result_of_another_length_than_the_task_has_by_now_is_none)
{
    static const unsigned char bytes[BYTES];
    struct join *join = viewer_open();
    int job = job_ready(join);
    struct message done = {.kind = MESSAGE_DONE, .sequence = 1, .length = BYTES};
    assert_int_equal(join_give(join, 0, &task), STATUS_OK);
    say(job, done, bytes);
    done.length = 1;
    done.checksum = message_checksum("A", 1);
    say(job, done, NULL);
    assert_int_equal(taken(join, POOL_TASK).status, STATUS_OK);
    usleep(100000); /* its header is read */
    if (join_give(join, 0, &task) == STATUS_OK) {
        assert_int_equal(join_send(job, "A", 1), STATUS_OK);
        struct pool_result result = taken(join, POOL_TASK);
        assert_int_equal(result.status, STATUS_DEVICE_LOST);
        assert_true(result.bytes == NULL);
    }
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
