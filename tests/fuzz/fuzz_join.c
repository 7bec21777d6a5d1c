/* Any bytes as what jobs that join a run do: hellos, messages of every kind with right and wrong
 * sums, lengths and numbers, and connections that end anywhere. Each task that was given comes back
 * once, unless it was cancelled, and a good job is taken in afterwards. Steps are a byte, the slot
 * of a connection, and what belongs to them. */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/pool/join.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SLOTS = 3,
    STEPS_MOST = 60,
    TASKS_MOST = 1 << 12,
    RESULT_BYTES = 300,
    WAIT_US = 50,
    WAITS_MOST = 1000000
};

enum step { GIVE, READY, MESSAGE, HELLO, RAW, INSTRUCT, CONNECT, END, STEP_KINDS };

struct input {
    const uint8_t *data;
    size_t size;
};

static struct {
    struct join *join;
    int slot[SLOTS];
    uint64_t epoch;
    uint32_t sequence; /* number of the newest instruction */
    uint32_t tasks;    /* tasks that were given */
    enum { OUT, BACK, CANCELLED } task[TASKS_MOST];
} run;

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static uint8_t byte_take(struct input *input)
{
    if (!input->size)
        return 0;
    input->size--;
    return *input->data++;
}

/* ---- the run ---- */

static void result_check(const struct pool_result *result)
{
    uint64_t sum = 0;
    must(strlen(result->text) < STATUS_TEXT_BYTES);
    must(result->worker >= 0 && result->worker < JOINED_MOST);
    if (result->kind != POOL_TASK)
        return;
    must(result->task.id < run.tasks && run.task[result->task.id] != BACK);
    run.task[result->task.id] = BACK;
    must((result->status == STATUS_OK) == (result->bytes != NULL));
    must(isfinite(result->busy_s) && result->busy_s >= 0);
    for (size_t i = 0; result->bytes && i < result->task.result_bytes; i++)
        sum += ((const uint8_t *)result->bytes)[i];
    must(sum <= 255 * RESULT_BYTES);
}

static void results_take(void)
{
    struct pool_result result;
    while (join_take(run.join, &result))
        result_check(&result);
}

static void instruct(bool context)
{
    const struct join_context next = {
        .epoch = ++run.epoch, .key = run.epoch / 2, .head = "head", .head_length = 5};
    for (uint32_t i = 0; i < run.tasks; i++)
        run.task[i] = run.task[i] == OUT ? CANCELLED : run.task[i];
    run.sequence++;
    if (context)
        must(join_context(run.join, &next) == STATUS_OK);
    else
        join_cancel(run.join);
}

static void tasks_give(void)
{
    for (int w = 0; w < join_workers(run.join); w++)
        while (run.tasks < TASKS_MOST && join_may_give(run.join, w)) {
            const struct pool_task task = {
                .epoch = run.epoch, .id = run.tasks, .result_bytes = RESULT_BYTES - run.tasks % 2};
            run.task[run.tasks++] = OUT;
            if (join_give(run.join, w, &task) != STATUS_OK) { /* it has left just now */
                run.task[task.id] = BACK;
                break;
            }
        }
}

/* ---- jobs ---- */

static void bytes_send(int slot, const void *bytes, size_t length)
{
    if (slot >= 0 && length)
        (void)!send(slot, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int connection_open(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)join_port(run.join)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(made >= 0);
    if (connect(made, (struct sockaddr *)(void *)&at, sizeof at) != 0) {
        struct pollfd connected = {.fd = made, .events = POLLOUT};
        must(errno == EINTR); /* libFuzzer's alarm */
        must(TEMP_FAILURE_RETRY(poll(&connected, 1, -1)) == 1);
    }
    return made;
}

/* Says a hello whose numbers are the input's; the number that it is answered. */
static int hello_say(int slot, uint32_t threads, uint32_t credits)
{
    struct join_hello hello = {.identity = "it", .threads = threads, .credits = credits};
    struct join_reply reply;
    memcpy(hello.magic, join_magic, sizeof hello.magic);
    memcpy(hello.token, join_token(run.join), sizeof hello.token);
    memset(hello.host, 0x1b, sizeof hello.host);
    bytes_send(slot, &hello, sizeof hello);
    must(join_receive(slot, &reply, sizeof reply) == STATUS_OK);
    return reply.rank;
}

static void message_say(int slot, struct input *input)
{
    unsigned char block[MESSAGE_BYTES + RESULT_BYTES];
    uint8_t how = byte_take(input);
    const uint64_t lengths[] = {0, RESULT_BYTES, RESULT_BYTES - 1, UINT64_MAX - how};
    struct message message = {.kind = (enum message_kind)(byte_take(input) % MESSAGE_KINDS),
                              .status = how & 1 ? STATUS_DEVICE_LOST : STATUS_OK,
                              .sequence = run.sequence - (how >> 1 & 1),
                              .task = byte_take(input) % 80,
                              .length = lengths[how >> 2 & 3],
                              .busy_s = how & 16 ? (double)NAN : how,
                              .iterations = UINT64_MAX};
    size_t length = message.length <= RESULT_BYTES ? message.length : 0;
    memset(block + MESSAGE_BYTES, how, RESULT_BYTES);
    message.checksum = how & 32 ? 1 : message_checksum(block + MESSAGE_BYTES, length);
    message_encode(&message, block);
    bytes_send(slot, block, MESSAGE_BYTES + length);
}

static void ready_say(int slot)
{
    unsigned char header[MESSAGE_BYTES];
    const struct message message = {.kind = MESSAGE_READY, .sequence = run.sequence};
    message_encode(&message, header);
    bytes_send(slot, header, sizeof header);
    usleep(WAIT_US);
}

static void raw_say(int slot, struct input *input)
{
    size_t length = byte_take(input);
    length = length < input->size ? length : input->size;
    bytes_send(slot, input->data, length);
    input->data += length;
    input->size -= length;
}

static void step_do(struct input *input, enum step step, int *slot)
{
    if (step == CONNECT || step == HELLO || step == END) {
        if (*slot >= 0)
            close(*slot);
        *slot = step == END ? -1 : connection_open();
    }
    if (step == HELLO) {
        uint8_t how = byte_take(input);
        (void)hello_say(*slot, how & 1 ? UINT32_MAX : 2, how >> 1);
    }
    if (step == RAW)
        raw_say(*slot, input);
    if (step == MESSAGE)
        message_say(*slot, input);
    if (step == READY)
        ready_say(*slot);
    if (step == INSTRUCT)
        instruct(byte_take(input) & 1);
    if (step == GIVE)
        tasks_give();
}

/* All that was given is back when all jobs have left. */
static void end_check(void)
{
    bool left = true;
    for (int i = 0; i < WAITS_MOST; i++) {
        left = true;
        for (int w = 0; w < join_workers(run.join); w++)
            left &= !join_worker(run.join, w)->alive;
        if (left)
            break;
        usleep(WAIT_US);
    }
    must(left);
    results_take();
    for (uint32_t i = 0; i < run.tasks; i++)
        must(run.task[i] != OUT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct join_options options = {.address = "127.0.0.1", .identity = "it", .first_rank = 1};
    struct input input = {data, size};
    run.epoch = run.sequence = run.tasks = 0;
    must(join_open(&run.join, &options) == STATUS_OK);
    for (int i = 0; i < SLOTS; i++)
        run.slot[i] = -1;
    instruct(true);
    for (int i = 0; i < STEPS_MOST && input.size; i++) {
        uint8_t step = byte_take(&input);
        step_do(&input, (enum step)(step % STEP_KINDS), &run.slot[step / STEP_KINDS % SLOTS]);
        results_take();
    }
    for (int i = 0; i < SLOTS; i++)
        if (run.slot[i] >= 0)
            close(run.slot[i]);
    end_check();
    int good = connection_open();
    must(hello_say(good, 1, 1) > 0);
    close(good);
    join_close(run.join);
    return 0;
}
