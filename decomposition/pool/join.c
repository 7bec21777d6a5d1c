#include "decomposition/pool/join.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/pool/join_outbox.h"
#include "decomposition/thread/clock.h"

enum {
    POLL_MS = 500,
    BACKLOG = 64,
    GREETERS_MOST = 8, /* connections whose hello is awaited; they take no worker's place */
    MEMBERS = JOINED_MOST + GREETERS_MOST,
    FAILURES_MOST = 8, /* number of failures without a result in between */
    /* What a job sends beside what it is asked for, at once and a second: */
    MESSAGES_AT_ONCE = 64,
    MESSAGES_A_SECOND = 16,
    ANSWERS = 2, /* messages that an instruction brings: it is ready, or not after all */
    /* Jobs that join, each of which is two lines for the user, and lines about those refused: */
    JOINS_AT_ONCE = 64,
    JOINS_A_SECOND = 4,
    REFUSALS_AT_ONCE = 4
};

/* A round of the thread counts as no more, since members may have said or read what it has not
 * seen: this process may have been stopped meanwhile, or had no core. */
static const double round_most_s = 2e-3 * POLL_MS;

static const double refusals_a_second = 0.1;
static const double bytes_a_second_least = 1 << 14; /* at which a message must arrive */

struct join_allowance { /* limit of what comes, at once and in a second; zeroed: nothing has come */
    double left, at_s;
};

struct join_task {
    bool out;
    struct pool_task task;
    double given_s;
};

struct join_member {
    enum { MEMBER_FREE, MEMBER_GREETS, MEMBER_WORKS } state;
    int socket;
    bool ends; /* it is refused: closed when the answer has left */
    double begun_s, heard_s;
    double worked_s; /* when it has last brought a result, or begun to owe one */
    /* Message that is being read: */
    union {
        struct join_hello hello;
        unsigned char header[MESSAGE_BYTES];
    } in;
    size_t got, payload_got;
    struct message message;
    double message_s;       /* when its first byte came */
    unsigned char *payload; /* owned; NULL: the header is being read */
    double payload_s;       /* when it began to come */
    char fault[STATUS_TEXT_BYTES];
    struct join_outbox outbox;
    /* The worker: */
    struct join_allowance messages;
    struct pool_worker shown;
    char backend[16];
    uint32_t sequence; /* number of the newest instruction */
    bool ready;
    /* Key of the rest that all of its ranks have; key of the context that it was told */
    uint64_t key, key_told;
    int failures;       /* failed tasks in a row, but those given before the last of them once */
    double failed_s;    /* time of the last */
    size_t result_most; /* longest result that it was asked for */
    struct join_task task[JOINED_CREDITS_MOST];
};

struct join_result {
    struct join_result *next;
    struct pool_result result;
    unsigned char *bytes;
    char text[STATUS_TEXT_BYTES];
};

struct join {
    pthread_t thread;
    int listener, event, port, first_rank;
    bool everywhere;
    struct join_limits limits;
    double rests_until_s; /* the thread's: no descriptor is free for who connects */
    double round_s;       /* likewise: when its last round began, by the clock */
    struct join_allowance joins, refusals; /* likewise */
    char token[JOIN_TOKEN_BYTES], identity[JOIN_IDENTITY_BYTES];
    struct join_result *taken; /* the owner's */
    struct pool_worker seen;   /* the owner's */
    char backend[16];          /* likewise */

    pthread_mutex_t wake_lock; /* protects these two */
    void (*wake)(void *context);
    void *context;

    pthread_mutex_t mutex; /* protects all below */
    bool quits, news;
    double now_s; /* time of the thread's last round, by which jobs are judged */
    int workers;  /* members that have joined so far */
    struct join_member member[MEMBERS]; /* workers, then greeters */
    uint64_t epoch, key;
    uint32_t sequence;
    struct join_parts newest; /* the newest context; head NULL: none yet */
    struct join_result *first, **last;
};

/* ---- results for the owner ---- */

static struct join_result *result_add(struct join *join, enum pool_result_kind kind, int worker,
                                      enum status status, const char *text)
{
    struct join_result *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    snprintf(made->text, sizeof made->text, "%s", text);
    made->result =
        (struct pool_result){.kind = kind, .worker = worker, .status = status, .text = made->text};
    *join->last = made;
    join->last = &made->next;
    join->news = true;
    return made;
}

/* Takes one of what an allowance has left; false: none is. */
static bool allowance_take(struct join_allowance *allowance, double at_once, double a_second)
{
    double now = clock_s();
    if (allowance->left < at_once)
        allowance->left = fmin(at_once, allowance->left + a_second * (now - allowance->at_s));
    allowance->at_s = now;
    if (allowance->left < 1)
        return false;
    allowance->left -= 1;
    return true;
}

/* Tells of a job that was refused, but not of each where there are many. */
static void refusal_tell(struct join *join, const char *why)
{
    char text[STATUS_TEXT_BYTES];
    snprintf(text, sizeof text, "a job that wanted to join was refused: %s", why);
    if (allowance_take(&join->refusals, REFUSALS_AT_ONCE, refusals_a_second))
        result_add(join, POOL_JOINED, 0, STATUS_OK, text);
}

static void result_free(struct join_result *result)
{
    if (result)
        free(result->bytes);
    free(result);
}

/* ---- members ---- */

static int number_of(const struct join *join, const struct join_member *member)
{
    return (int)(member - join->member);
}

/* Says that a job has broken a rule, as member_end needs it. */
__attribute__((format(printf, 2, 3))) static const char *fault(struct join_member *member,
                                                               const char *format, ...)
{
    static const char begin[] = "is dropped: ";
    va_list words;
    memcpy(member->fault, begin, sizeof begin);
    va_start(words, format);
    vsnprintf(member->fault + strlen(begin), sizeof member->fault - strlen(begin), format, words);
    va_end(words);
    return member->fault;
}

/* Ends a connection, by what has happened to the job; what it had comes back. */
static void member_end(struct join *join, struct join_member *member, const char *what)
{
    int worker = number_of(join, member);
    char text[STATUS_TEXT_BYTES];
    close(member->socket);
    free(member->payload);
    member->payload = NULL;
    join_outbox_close(&member->outbox);
    bool worked = member->state == MEMBER_WORKS;
    member->state = MEMBER_FREE;
    member->shown.alive = member->shown.ready = member->ready = false;
    if (!worked)
        return;
    snprintf(text, sizeof text, "rank %d on %s %.900s", member->shown.rank, member->shown.host,
             what);
    result_add(join, POOL_WORKER, worker, STATUS_DEVICE_LOST, text);
    for (int i = 0; i < JOINED_CREDITS_MOST; i++) {
        if (!member->task[i].out)
            continue;
        struct join_result *result = result_add(join, POOL_TASK, worker, STATUS_DEVICE_LOST, text);
        if (result)
            result->result.task = member->task[i].task;
    }
    memset(member->task, 0, sizeof member->task);
}

static void tasks_forget(struct join_member *member)
{
    for (int i = 0; i < JOINED_CREDITS_MOST; i++) {
        member->shown.late += member->task[i].out;
        member->task[i].out = false;
    }
    member->shown.outstanding = 0;
}

/* Tells a member the newest instruction. */
static void instruct(struct join *join, struct join_member *member, bool context)
{
    struct message message = {.kind = context ? MESSAGE_CONTEXT : MESSAGE_CANCEL,
                              .sequence = join->sequence,
                              .offset = join->epoch};
    bool has_it = context && join->key && member->key == join->key;
    tasks_forget(member);
    member->sequence = join->sequence;
    member->ready = member->shown.ready = false;
    member->messages.left += ANSWERS;
    if (context) {
        join_outbox_prune(&member->outbox);
        member->key_told = join->key;
        member->key = has_it ? member->key : 0;
    }
    const struct join_parts parts = {join->newest.head, has_it ? NULL : join->newest.rest};
    bool added = context ? join_outbox_add_parts(&member->outbox, &message, &parts)
                         : join_outbox_add_message(&member->outbox, &message, NULL, 0);
    if (!added)
        member_end(join, member, "is dropped: no memory for a message");
}

/* ---- the hello ---- */

static bool same_token(const char *token, const char *said)
{
    unsigned different = 0;
    for (int i = 0; i < JOIN_TOKEN_BYTES; i++)
        different |= (unsigned char)token[i] ^ (unsigned char)said[i];
    return different == 0;
}

/* Keeps what can be shown of a text of another machine. */
static void text_clean(char *text, size_t bytes)
{
    text[bytes - 1] = '\0';
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-_.", *text))
            *text = '-';
}

static const char *hello_check(const struct join *join, struct join_hello *hello)
{
    if (memcmp(hello->magic, join_magic, sizeof join_magic) != 0 ||
        !same_token(join->token, hello->token))
        return "the token is not that of this run";
    hello->identity[sizeof hello->identity - 1] = '\0';
    if (strcmp(hello->identity, join->identity) != 0)
        return join->identity;
    if (hello->threads < 1 || hello->threads > JOINED_THREADS_MOST || hello->credits < 1)
        return "it has nothing to compute with";
    return NULL;
}

static void reply_add(struct join *join, struct join_member *member, int rank, const char *why)
{
    struct join_reply reply = {.rank = rank};
    memcpy(reply.magic, join_magic, sizeof reply.magic);
    snprintf(reply.why, sizeof reply.why, "%s%s", why == join->identity ? "that run is " : "",
             why ? why : "");
    (void)join_outbox_add_reply(&member->outbox, &reply,
                                sizeof reply); /* without it they wait 10 s */
}

/* A free place from `first` on, before `end`. */
static struct join_member *member_free(struct join *join, int first, int end)
{
    for (int i = first; i < end; i++)
        if (join->member[i].state == MEMBER_FREE)
            return &join->member[i];
    return NULL;
}

/* Makes a worker of a greeter whose hello is complete, in another place, or refuses it. */
static void hello_take(struct join *join, struct join_member *greeter)
{
    struct join_member *member = member_free(join, 0, JOINED_MOST);
    const char *why = hello_check(join, &greeter->in.hello);
    char full[48];
    snprintf(full, sizeof full, "%d jobs have joined already", JOINED_MOST);
    if (!why && !member)
        why = full;
    if (!why && !allowance_take(&join->joins, JOINS_AT_ONCE, JOINS_A_SECOND))
        why = "too many jobs have joined and left in the last seconds";
    greeter->got = 0;
    greeter->ends = why != NULL;
    if (why) {
        reply_add(join, greeter, -1, why);
        refusal_tell(join, why == join->identity ? "it runs another program" : why);
        return;
    }
    *member = *greeter;
    join_outbox_open(&member->outbox, &join->now_s);
    greeter->state = MEMBER_FREE;
    struct join_hello *hello = &member->in.hello;
    int worker = number_of(join, member);
    reply_add(join, member, join->first_rank + worker, NULL);
    text_clean(hello->host, sizeof hello->host);
    text_clean(hello->backend, sizeof hello->backend);
    uint32_t credits = hello->credits < JOINED_CREDITS_MOST ? hello->credits : JOINED_CREDITS_MOST;
    member->state = MEMBER_WORKS;
    member->shown = (struct pool_worker){.rank = join->first_rank + worker,
                                         .threads = (int)hello->threads,
                                         .credits = (int)credits,
                                         .alive = true,
                                         .transport = "tcp"};
    memcpy(member->shown.host, hello->host, sizeof hello->host);
    memcpy(member->backend, hello->backend, sizeof hello->backend);
    member->key = member->key_told = 0;
    member->result_most = 0;
    if (worker >= join->workers)
        join->workers = worker + 1;
    char text[128];
    snprintf(text, sizeof text, "rank %d on %s has joined, with %d thread%s", member->shown.rank,
             member->shown.host, member->shown.threads, member->shown.threads == 1 ? "" : "s");
    result_add(join, POOL_JOINED, worker, STATUS_OK, text);
    if (join->newest.head)
        instruct(join, member, true);
}

/* ---- messages that come ---- */

static struct join_task *task_of(struct join_member *member, const struct message *message)
{
    bool known = message->sequence == member->sequence && message->task < JOINED_CREDITS_MOST &&
                 member->task[message->task].out;
    return known ? &member->task[message->task] : NULL;
}

/* Says what is wrong with a header; NULL: a joined job may send it. A result is good that is
 * awaited, or late: of an instruction before. */
static const char *header_fault(struct join_member *member)
{
    const struct message *message = &member->message;
    const struct join_task *task = task_of(member, message);
    bool done = message->kind == MESSAGE_DONE;
    bool late = done && message->sequence != member->sequence;
    size_t most = !done || message->status != STATUS_OK ? 0
                  : task                                ? task->task.result_bytes
                                                        : member->result_most;
    if (!done && message->kind != MESSAGE_GOT && message->kind != MESSAGE_READY &&
        message->kind != MESSAGE_BYE)
        return fault(member, "it sends messages of kind %d, which are not a joined job's",
                     (int)message->kind);
    if ((int32_t)(message->sequence - member->sequence) > 0)
        return fault(member, "it answers an instruction that it was not given");
    if (done && message->task >= JOINED_CREDITS_MOST)
        return fault(member, "it has sent a result of task %u of %d", message->task,
                     JOINED_CREDITS_MOST);
    if (done && !task && !late)
        return fault(member, "it has sent a result that nobody has asked for");
    if (message->length > most || (task && message->length != most))
        return fault(member, "it sends %llu bytes instead of %zu",
                     (unsigned long long)message->length, most);
    if (!isfinite(message->busy_s) || message->busy_s < 0)
        return fault(member, "it gives a time that is none");
    return NULL;
}

/* Counts tasks that fail. Those that a job had together count once: a rank of it may have died. */
static void failure_note(struct join_member *member, bool good, double given_s)
{
    if (good)
        member->failures = 0;
    else if (given_s >= member->failed_s) {
        member->failures++;
        member->failed_s = clock_s();
    }
}

/* Takes a result. The task is looked up again: since the header came it may have been taken back.
 */
static void done_take(struct join *join, struct join_member *member)
{
    const struct message *message = &member->message;
    struct join_task *task = task_of(member, message);
    struct pool_worker *shown = &member->shown;
    double most_s = task ? clock_s() - task->given_s : join->now_s - member->begun_s;
    double busy_s = message->busy_s < most_s ? message->busy_s : most_s; /* one thread's */
    shown->busy_s += busy_s;
    shown->bytes += message->length;
    if (member->payload)
        shown->transfer_s += clock_s() - member->payload_s;
    if (!task) {
        shown->late++;
        return;
    }
    bool good = message->status == STATUS_OK;
    failure_note(member, good, task->given_s);
    struct join_result *result = result_add(join, POOL_TASK, number_of(join, member),
                                            good ? STATUS_OK : STATUS_DEVICE_LOST, "");
    task->out = false;
    shown->outstanding--;
    member->worked_s = join->now_s;
    if (!result)
        return;
    result->result.task = task->task;
    result->result.iterations = message->iterations;
    result->result.busy_s = busy_s;
    result->bytes = member->payload;
    result->result.bytes = good ? member->payload : NULL;
    member->payload = NULL;
    shown->tiles += good;
    shown->iterations += message->iterations;
}

static void ready_take(struct join *join, struct join_member *member)
{
    const struct message *message = &member->message;
    if (message->sequence != member->sequence)
        return;
    member->ready = member->shown.ready = message->status == STATUS_OK;
    member->key = member->ready && message->task == JOINED_READY_ALL ? member->key_told : 0;
    join->news = true;
}

/* Obeys a message that is complete. This and the next: why the connection ends; NULL: it does not.
 */
static const char *message_take(struct join *join, struct join_member *member)
{
    const struct message *message = &member->message;
    member->got = member->payload_got = 0;
    if (message->length && message_verify(message, member->payload) != STATUS_OK)
        return fault(member, "%s", status_text());
    if (message->kind == MESSAGE_BYE)
        return "has left: it has ended";
    if (message->kind == MESSAGE_READY)
        ready_take(join, member);
    if (message->kind == MESSAGE_DONE)
        done_take(join, member);
    free(member->payload);
    member->payload = NULL;
    return NULL;
}

/* Reads the header that is complete. */
static const char *header_take(struct join *join, struct join_member *member)
{
    if (message_decode(&member->message, member->in.header, MESSAGE_BYTES) != STATUS_OK)
        return fault(member, "%s", status_text());
    const char *why = header_fault(member);
    if (!why && !allowance_take(&member->messages, MESSAGES_AT_ONCE, MESSAGES_A_SECOND))
        why = fault(member, "it sends messages that nobody has asked for");
    if (why || member->message.length == 0)
        return why ? why : message_take(join, member);
    member->payload = aligned_alloc(MESSAGE_UNIT, message_padded(member->message.length));
    member->payload_s = clock_s();
    return member->payload ? NULL : fault(member, "no memory for its result");
}

/* Reads some bytes; false: the connection has ended. *more: some have come. */
static bool bytes_read(const struct join_member *member, void *to, size_t wanted, size_t *got,
                       bool *more)
{
    size_t before = *got;
    bool open = join_read_some(member->socket, (char *)to + before, wanted - before, got);
    *more = *got > before;
    return open || *more;
}

/* Reads what has come. */
static const char *member_read(struct join *join, struct join_member *member)
{
    const char *why = NULL;
    bool more = true;
    for (int round = 0; round < 16 && more && !why; round++) {
        bool greets = member->state == MEMBER_GREETS, begun = member->payload || member->got;
        size_t wanted = member->payload ? member->message.length
                        : greets        ? sizeof member->in.hello
                                        : MESSAGE_BYTES;
        size_t *got = member->payload ? &member->payload_got : &member->got;
        if (!bytes_read(member, member->payload ? member->payload : (void *)&member->in, wanted,
                        got, &more))
            return begun ? "has left: the connection has ended in the middle of a message"
                         : "has left: the connection has ended";
        if (more)
            member->heard_s = join->now_s;
        if (more && !begun)
            member->message_s = join->now_s;
        if (*got < wanted)
            continue;
        if (greets) {
            hello_take(join, member);
            return NULL;
        }
        why = member->payload ? message_take(join, member) : header_take(join, member);
    }
    return why;
}

/* ---- the thread ---- */

static void member_accept(struct join *join)
{
    struct join_member *member = member_free(join, JOINED_MOST, MEMBERS);
    int one = 1;
    if (!member)
        return;
    int socket = accept4(join->listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0) {
        bool full = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        join->rests_until_s = full ? clock_s() + POLL_MS * 1e-3 : 0;
        return;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    memset(member, 0, sizeof *member);
    member->socket = socket;
    member->state = MEMBER_GREETS;
    member->begun_s = member->heard_s = join->now_s;
    join_outbox_open(&member->outbox, &join->now_s);
}

/* Does the message that is being read come too slowly? */
static bool is_slow(const struct join *join, const struct join_member *member)
{
    double length = member->payload ? (double)member->message.length : 0;
    double most_s = join->limits.message_s + length / bytes_a_second_least;
    return (member->payload || member->got) && join->now_s > member->message_s + most_s;
}

/* Why a member is not waited for any longer; NULL: it is. */
static const char *member_judge(const struct join *join, struct join_member *member)
{
    const struct join_limits *limits = &join->limits;
    double now = join->now_s;
    if (member->state == MEMBER_GREETS)
        return now > member->begun_s + JOIN_HELLO_S ? "has not said who it is" : NULL;
    if (member->state == MEMBER_FREE)
        return NULL;
    if (now > member->heard_s + limits->silent_s)
        return fault(member, "it has said nothing for %.0f s", limits->silent_s);
    if (is_slow(join, member))
        return fault(member, "its message does not come to an end");
    if (member->outbox.first && now > member->outbox.moved_s + limits->unread_s)
        return fault(member, "it reads nothing");
    if (member->failures >= FAILURES_MOST)
        return fault(member, "its tasks fail");
    return NULL;
}

/* Lets a worker know that this run is there, where no other message does. */
static void beat_send(struct join *join, struct join_member *member)
{
    struct message beat = {.kind = MESSAGE_GOT, .sequence = member->sequence};
    if (member->state != MEMBER_WORKS || member->outbox.first ||
        join->now_s < member->outbox.moved_s + JOIN_BEAT_S)
        return;
    if (!join_outbox_add_message(&member->outbox, &beat, NULL, 0))
        member_end(join, member, "is dropped: no memory for a message");
}

/* Reads and writes before it judges: a member may have spoken, or read, since the last round. */
static void member_step(struct join *join, struct join_member *member, short events)
{
    const char *why = NULL;
    if (events & (POLLIN | POLLHUP | POLLERR) && !member->ends)
        why = member_read(join, member);
    beat_send(join, member);
    if (!why && member->state != MEMBER_FREE && !join_outbox_write(&member->outbox, member->socket))
        why = "has left: the connection has ended";
    if (!why && (why = member_judge(join, member)) && member->state == MEMBER_GREETS &&
        !member->ends)
        refusal_tell(join, "it did not say who it is");
    if (!why && member->ends && !member->outbox.first)
        why = "is refused";
    if (why && member->state != MEMBER_FREE)
        member_end(join, member, why);
}

static void round_begin(struct join *join)
{
    double clock = clock_s();
    join->now_s += fmin(clock - join->round_s, round_most_s);
    join->round_s = clock;
}

static int polls_fill(const struct join *join, struct pollfd *polls, int *members)
{
    int count = 0, free_places = 0;
    polls[count++] = (struct pollfd){.fd = join->event, .events = POLLIN};
    for (int i = JOINED_MOST; i < MEMBERS; i++)
        free_places += join->member[i].state == MEMBER_FREE;
    bool accepts = free_places && clock_s() >= join->rests_until_s;
    polls[count++] = (struct pollfd){.fd = accepts ? join->listener : -1, .events = POLLIN};
    for (int i = 0; i < MEMBERS; i++) {
        const struct join_member *member = &join->member[i];
        if (member->state == MEMBER_FREE)
            continue;
        members[count] = i;
        polls[count++] = (struct pollfd){
            .fd = member->socket, .events = (short)(POLLIN | (member->outbox.first ? POLLOUT : 0))};
    }
    return count;
}

static void owner_wake(struct join *join)
{
    pthread_mutex_lock(&join->wake_lock);
    if (join->wake)
        join->wake(join->context);
    pthread_mutex_unlock(&join->wake_lock);
}

static void *join_thread(void *context)
{
    struct join *join = context;
    struct pollfd polls[MEMBERS + 2];
    int members[MEMBERS + 2];
    pthread_mutex_lock(&join->mutex);
    while (!join->quits) {
        int count = polls_fill(join, polls, members);
        pthread_mutex_unlock(&join->mutex);
        (void)poll(polls, (nfds_t)count, POLL_MS);
        uint64_t ignored;
        if (polls[0].revents && read(join->event, &ignored, sizeof ignored) < 0)
            ignored = 0;
        pthread_mutex_lock(&join->mutex);
        round_begin(join);
        for (int i = 2; i < count; i++)
            if (join->member[members[i]].state != MEMBER_FREE)
                member_step(join, &join->member[members[i]], polls[i].revents);
        if (polls[1].revents)
            member_accept(join);
        bool news = join->news;
        join->news = false;
        pthread_mutex_unlock(&join->mutex);
        if (news)
            owner_wake(join);
        pthread_mutex_lock(&join->mutex);
    }
    pthread_mutex_unlock(&join->mutex);
    return NULL;
}

static void thread_wake(struct join *join)
{
    uint64_t one = 1;
    if (write(join->event, &one, sizeof one) < 0)
        return; /* it wakes twice a second */
}

/* ---- opening and closing ---- */

static enum status token_make(char token[JOIN_TOKEN_BYTES])
{
    unsigned char random[(JOIN_TOKEN_BYTES - 1) / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return status_fail(STATUS_SYSTEM, "no random bytes for a token: %s", strerror(errno));
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(token + 2 * i, 3, "%02x", random[i]);
    return STATUS_OK;
}

static bool is_everywhere(const struct sockaddr_storage *bound)
{
    const struct sockaddr_in *four = (const void *)bound;
    const struct sockaddr_in6 *six = (const void *)bound;
    static const unsigned char none[4];
    if (bound->ss_family == AF_INET)
        return four->sin_addr.s_addr == htonl(INADDR_ANY);
    return IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr) ||
           (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr) &&
            !memcmp(six->sin6_addr.s6_addr + 12, none, sizeof none));
}

static enum status listener_open(struct join *join, const struct join_options *options)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    struct sockaddr_storage bound = {0};
    socklen_t length = sizeof bound;
    char port[16];
    int one = 1;
    snprintf(port, sizeof port, "%d", options->port);
    int failure = getaddrinfo(options->address, port, &hints, &found);
    if (failure)
        return status_fail(STATUS_CONFIG, "'%.100s' is no address to listen at: %s",
                           options->address, gai_strerror(failure));
    join->listener = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (join->listener >= 0)
        setsockopt(join->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bool listens = join->listener >= 0 &&
                   !bind(join->listener, found->ai_addr, found->ai_addrlen) &&
                   !listen(join->listener, BACKLOG) &&
                   !getsockname(join->listener, (struct sockaddr *)&bound, &length);
    freeaddrinfo(found);
    if (!listens)
        return status_fail(STATUS_CONFIG, "cannot listen at %.100s, port %d: %s", options->address,
                           options->port, strerror(errno));
    join->everywhere = is_everywhere(&bound);
    join->port =
        ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
                                          : ((struct sockaddr_in *)(void *)&bound)->sin_port);
    return STATUS_OK;
}

static void newest_drop(struct join *join)
{
    join_bytes_drop(join->newest.head);
    join_bytes_drop(join->newest.rest);
    join->newest = (struct join_parts){NULL, NULL};
}

static void join_free(struct join *join)
{
    for (struct join_result *next, *result = join->first; result; result = next) {
        next = result->next;
        result_free(result);
    }
    result_free(join->taken);
    newest_drop(join);
    if (join->listener >= 0)
        close(join->listener);
    if (join->event >= 0)
        close(join->event);
    pthread_mutex_destroy(&join->mutex);
    pthread_mutex_destroy(&join->wake_lock);
    free(join);
}

static void limits_fill(struct join_limits *limits)
{
    double *const each[] = {&limits->silent_s, &limits->message_s, &limits->unread_s};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (*each[i] == 0)
            *each[i] = JOIN_SILENT_S;
}

enum status join_open(struct join **out, const struct join_options *options)
{
    struct join *join = calloc(1, sizeof *join);
    *out = NULL;
    if (!join)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for workers of other jobs");
    *join = (struct join){.listener = -1,
                          .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                          .first_rank = options->first_rank,
                          .limits = options->limits,
                          .round_s = clock_s()};
    limits_fill(&join->limits);
    join->last = &join->first;
    pthread_mutex_init(&join->mutex, NULL);
    pthread_mutex_init(&join->wake_lock, NULL);
    snprintf(join->identity, sizeof join->identity, "%s", options->identity);
    enum status status = token_make(join->token);
    if (status == STATUS_OK)
        status = listener_open(join, options);
    if (status == STATUS_OK &&
        (join->event < 0 || pthread_create(&join->thread, NULL, join_thread, join) != 0))
        status = status_fail(STATUS_SYSTEM, "no thread for workers of other jobs");
    if (status != STATUS_OK) {
        join_free(join);
        return status;
    }
    *out = join;
    return STATUS_OK;
}

void join_close(struct join *join)
{
    if (!join)
        return;
    pthread_mutex_lock(&join->mutex);
    join->quits = true;
    pthread_mutex_unlock(&join->mutex);
    thread_wake(join);
    pthread_join(join->thread, NULL);
    for (int i = 0; i < MEMBERS; i++) {
        struct join_member *member = &join->member[i];
        struct message end = {.kind = MESSAGE_END};
        if (member->state == MEMBER_FREE)
            continue;
        join_outbox_prune(&member->outbox);
        if (!member->outbox.first && join_outbox_add_message(&member->outbox, &end, NULL, 0))
            (void)join_outbox_write(&member->outbox, member->socket);
        member_end(join, member, "has left: this run ends");
    }
    join_free(join);
}

/* ---- the calls of the owner ---- */

int join_port(const struct join *join)
{
    return join->port;
}

bool join_everywhere(const struct join *join)
{
    return join->everywhere;
}

const char *join_token(const struct join *join)
{
    return join->token;
}

int join_workers(struct join *join)
{
    if (!join)
        return 0;
    pthread_mutex_lock(&join->mutex);
    int workers = join->workers;
    pthread_mutex_unlock(&join->mutex);
    return workers;
}

const struct pool_worker *join_worker(struct join *join, int worker)
{
    pthread_mutex_lock(&join->mutex);
    const struct join_member *member = &join->member[worker];
    join->seen = member->shown;
    if (member->state == MEMBER_WORKS && member->shown.outstanding > 0)
        join->seen.heard_s = join->now_s - member->worked_s;
    pthread_mutex_unlock(&join->mutex);
    return &join->seen;
}

const char *join_backend(struct join *join, int worker)
{
    pthread_mutex_lock(&join->mutex);
    memcpy(join->backend, join->member[worker].backend, sizeof join->backend);
    pthread_mutex_unlock(&join->mutex);
    return join->backend;
}

void join_wake_with(struct join *join, void (*wake)(void *context), void *context)
{
    pthread_mutex_lock(&join->wake_lock);
    join->wake = wake;
    join->context = context;
    pthread_mutex_unlock(&join->wake_lock);
}

enum status join_context(struct join *join, const struct join_context *context)
{
    struct join_bytes *head = join_bytes_make(context->head, context->head_length);
    struct join_bytes *rest =
        context->rest ? join_bytes_make(context->rest, context->rest_length) : NULL;
    if (!head || (context->rest && !rest)) {
        join_bytes_drop(head);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context of %zu bytes",
                           context->head_length + context->rest_length);
    }
    pthread_mutex_lock(&join->mutex);
    if (!rest && context->key && context->key == join->key) {
        rest = join->newest.rest;
        join->newest.rest = NULL;
    }
    newest_drop(join);
    join->newest = (struct join_parts){head, rest};
    join->epoch = context->epoch;
    join->key = context->key;
    join->sequence++;
    for (int i = 0; i < JOINED_MOST; i++)
        if (join->member[i].state == MEMBER_WORKS)
            instruct(join, &join->member[i], true);
    pthread_mutex_unlock(&join->mutex);
    thread_wake(join);
    return STATUS_OK;
}

void join_cancel(struct join *join)
{
    pthread_mutex_lock(&join->mutex);
    join->sequence++;
    for (int i = 0; i < JOINED_MOST; i++)
        if (join->member[i].state == MEMBER_WORKS && join->member[i].shown.outstanding > 0)
            instruct(join, &join->member[i], false);
    pthread_mutex_unlock(&join->mutex);
    thread_wake(join);
}

void join_forget(struct join *join, enum join_rest rest)
{
    pthread_mutex_lock(&join->mutex);
    join_bytes_drop(join->newest.head);
    join->newest.head = NULL;
    if (rest == JOIN_REST_DROPPED)
        newest_drop(join);
    pthread_mutex_unlock(&join->mutex);
}

double join_quiet_s(struct join *join, int worker)
{
    pthread_mutex_lock(&join->mutex);
    const struct join_member *member = &join->member[worker];
    double quiet_s = member->state == MEMBER_WORKS ? join->now_s - member->heard_s : 0;
    pthread_mutex_unlock(&join->mutex);
    return quiet_s;
}

bool join_has(struct join *join, uint64_t key)
{
    pthread_mutex_lock(&join->mutex);
    bool has = key && join->key == key && join->newest.rest;
    pthread_mutex_unlock(&join->mutex);
    return has;
}

bool join_may_give(struct join *join, int worker)
{
    pthread_mutex_lock(&join->mutex);
    const struct join_member *member = &join->member[worker];
    bool may = member->state == MEMBER_WORKS && member->ready &&
               member->shown.outstanding < member->shown.credits;
    pthread_mutex_unlock(&join->mutex);
    return may;
}

static enum status task_add(const struct join *join, struct join_member *member,
                            const struct pool_task *task)
{
    struct message message = {.kind = MESSAGE_TASK, .sequence = member->sequence};
    while (member->task[message.task].out)
        message.task++;
    if (!join_outbox_add_message(&member->outbox, &message, task, sizeof *task))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a task");
    member->task[message.task] =
        (struct join_task){.out = true, .task = *task, .given_s = clock_s()};
    member->messages.left += 1;
    if (member->shown.outstanding++ == 0)
        member->worked_s = join->now_s;
    if (task->result_bytes > member->result_most)
        member->result_most = task->result_bytes;
    return STATUS_OK;
}

enum status join_give(struct join *join, int worker, const struct pool_task *task)
{
    pthread_mutex_lock(&join->mutex);
    struct join_member *member = &join->member[worker];
    enum status status = member->state == MEMBER_WORKS && member->ready
                             ? task_add(join, member, task)
                             : status_fail(STATUS_DEVICE_LOST, "this worker has left");
    pthread_mutex_unlock(&join->mutex);
    thread_wake(join);
    return status;
}

bool join_take(struct join *join, struct pool_result *result)
{
    result_free(join->taken);
    pthread_mutex_lock(&join->mutex);
    struct join_result *first = join->taken = join->first;
    if (first) {
        join->first = first->next;
        if (!join->first)
            join->last = &join->first;
        *result = first->result;
    }
    pthread_mutex_unlock(&join->mutex);
    return first != NULL;
}
