#include "decomposition/pool/join.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/thread/clock.h"

enum {
    POLL_MS = 500,
    BACKLOG = 8,
    GREETERS_MOST = 8, /* connections whose hello is awaited; they take no worker's place */
    MEMBERS = JOINED_MOST + GREETERS_MOST,
    FAILURES_MOST = 8 /* number of failures without a result in between */
};

struct join_bytes { /* a part of a context, shared by those to which it is sent */
    int holders;
    size_t length;
    unsigned char at[];
};

struct join_parts { /* what follows the header of a message; NULL: nothing */
    struct join_bytes *head, *rest;
};

struct join_out { /* a message on its way */
    struct join_out *next;
    size_t head, sent;
    bool stays; /* the answer to the hello */
    struct join_parts parts;
    unsigned char at[MESSAGE_BYTES + sizeof(struct pool_task)];
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
    unsigned char *payload; /* owned; NULL: the header is being read */
    double payload_s;       /* when it began to come */
    struct join_out *first, **last;
    /* The worker: */
    struct pool_worker shown;
    char backend[16];
    uint32_t sequence; /* number of the newest instruction */
    bool ready;
    uint64_t key, key_told; /* key of the blocks that it has; key of the context that it was told */
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
    double rests_until_s; /* the thread's: no descriptor is free for who connects */
    char token[JOIN_TOKEN_BYTES], identity[JOIN_IDENTITY_BYTES];
    struct join_result *taken; /* the owner's */
    struct pool_worker seen;   /* the owner's */
    char backend[16];          /* likewise */

    pthread_mutex_t wake_lock; /* protects these two */
    void (*wake)(void *context);
    void *context;

    pthread_mutex_t mutex; /* protects all below */
    bool quits, news;
    int workers;                        /* members that have joined so far */
    struct join_member member[MEMBERS]; /* workers, then greeters */
    uint64_t epoch, key;
    uint32_t sequence;
    struct join_parts newest; /* the newest context; head NULL: none yet */
    struct join_result *first, **last;
};

/* ---- bytes of contexts ---- */

static struct join_bytes *bytes_make(const void *bytes, size_t length)
{
    struct join_bytes *made = malloc(sizeof *made + length);
    if (!made)
        return NULL;
    made->holders = 1;
    made->length = length;
    memcpy(made->at, bytes, length);
    return made;
}

static void bytes_drop(struct join_bytes *bytes)
{
    if (bytes && --bytes->holders == 0)
        free(bytes);
}

static size_t parts_length(const struct join_parts *parts)
{
    return (parts->head ? parts->head->length : 0) + (parts->rest ? parts->rest->length : 0);
}

static struct join_parts parts_hold(struct join_bytes *head, struct join_bytes *rest)
{
    if (head)
        head->holders++;
    if (rest)
        rest->holders++;
    return (struct join_parts){head, rest};
}

static void parts_drop(struct join_parts *parts)
{
    bytes_drop(parts->head);
    bytes_drop(parts->rest);
    *parts = (struct join_parts){NULL, NULL};
}

/* Sum of a payload in parts. False: no memory. */
static bool parts_sum(const struct join_parts *parts, uint64_t *checksum)
{
    struct message_sum *sum = message_sum_create();
    if (!sum)
        return false;
    message_sum_begin(sum);
    if (parts->head)
        message_sum_add(sum, parts->head->at, parts->head->length);
    if (parts->rest)
        message_sum_add(sum, parts->rest->at, parts->rest->length);
    *checksum = message_sum_end(sum);
    message_sum_destroy(sum);
    return true;
}

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

static void result_free(struct join_result *result)
{
    if (result)
        free(result->bytes);
    free(result);
}

/* ---- messages that leave ---- */

static void out_free(struct join_out *out)
{
    parts_drop(&out->parts);
    free(out);
}

/* Drops what has not begun to leave: a newer instruction makes it useless. */
static void outs_drop(struct join_member *member)
{
    struct join_out *next, *out = member->first;
    member->first = NULL;
    member->last = &member->first;
    for (; out; out = next) {
        next = out->next;
        out->next = NULL;
        if (!out->stays && out->sent == 0) {
            out_free(out);
            continue;
        }
        *member->last = out;
        member->last = &out->next;
    }
}

static struct join_out *out_add(struct join_member *member, size_t head)
{
    struct join_out *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    out->head = head;
    *member->last = out;
    member->last = &out->next;
    return out;
}

/* Adds a message with a payload of its own. False: no memory. */
static bool message_add(struct join_member *member, struct message *message, const void *payload,
                        size_t length)
{
    struct join_out *out = out_add(member, MESSAGE_BYTES + length);
    if (!out)
        return false;
    message->length = length;
    message->checksum = length ? message_checksum(payload, length) : 0;
    message_encode(message, out->at);
    if (length)
        memcpy(out->at + MESSAGE_BYTES, payload, length);
    return true;
}

/* Adds a message with a payload in parts, which it holds. False: no memory. */
static bool context_add(struct join_member *member, struct message *message,
                        struct join_bytes *head, struct join_bytes *rest)
{
    const struct join_parts parts = {head, rest};
    if (!parts_sum(&parts, &message->checksum))
        return false;
    struct join_out *out = out_add(member, MESSAGE_BYTES);
    if (!out)
        return false;
    message->length = parts_length(&parts);
    message_encode(message, out->at);
    out->parts = parts_hold(head, rest);
    return true;
}

/* What of a message is to be written next, of which `sent` bytes have left. */
static const unsigned char *out_next(const struct join_out *out, size_t sent, size_t *left)
{
    const struct join_bytes *const parts[] = {out->parts.head, out->parts.rest};
    if (sent < out->head) {
        *left = out->head - sent;
        return out->at + sent;
    }
    sent -= out->head;
    for (int i = 0; i < 2; i++) {
        size_t length = parts[i] ? parts[i]->length : 0;
        if (sent < length) {
            *left = length - sent;
            return parts[i]->at + sent;
        }
        sent -= length;
    }
    *left = 0;
    return NULL;
}

/* Writes what can be written now; false: the connection has ended. */
static bool outs_write(struct join_member *member)
{
    while (member->first) {
        struct join_out *out = member->first;
        size_t left, before = out->sent;
        const unsigned char *from = out_next(out, out->sent, &left);
        if (left && !join_write_some(member->socket, from, left, &out->sent))
            return false;
        if (left && out->sent == before)
            return true;
        if (out->sent < out->head + parts_length(&out->parts))
            continue;
        member->first = out->next;
        if (!member->first)
            member->last = &member->first;
        out_free(out);
    }
    return true;
}

/* ---- members ---- */

static int number_of(const struct join *join, const struct join_member *member)
{
    return (int)(member - join->member);
}

/* Ends a connection; what the worker had comes back. */
static void member_end(struct join *join, struct join_member *member, const char *why)
{
    int worker = number_of(join, member);
    char text[STATUS_TEXT_BYTES];
    close(member->socket);
    free(member->payload);
    member->payload = NULL;
    for (struct join_out *next, *out = member->first; out; out = next) {
        next = out->next;
        out_free(out);
    }
    member->first = NULL;
    bool worked = member->state == MEMBER_WORKS;
    member->state = MEMBER_FREE;
    member->shown.alive = member->shown.ready = member->ready = false;
    if (!worked)
        return;
    snprintf(text, sizeof text, "rank %d on %s has left: %s", member->shown.rank,
             member->shown.host, why);
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
    if (context) {
        outs_drop(member);
        member->key_told = join->key;
        member->key = has_it ? member->key : 0;
    }
    bool added = context ? context_add(member, &message, join->newest.head,
                                       has_it ? NULL : join->newest.rest)
                         : message_add(member, &message, NULL, 0);
    if (!added)
        member_end(join, member, "no memory for a message");
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
    struct join_bytes *bytes;
    memcpy(reply.magic, join_magic, sizeof reply.magic);
    snprintf(reply.why, sizeof reply.why, "%s%s", why == join->identity ? "that run is " : "",
             why ? why : "");
    bytes = bytes_make(&reply, sizeof reply);
    struct join_out *out = bytes ? out_add(member, 0) : NULL;
    if (out) {
        out->parts.head = bytes;
        out->stays = true;
    } else
        bytes_drop(bytes);
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
    greeter->got = 0;
    greeter->ends = why != NULL;
    if (why) {
        reply_add(join, greeter, -1, why);
        return;
    }
    *member = *greeter;
    member->last = &member->first;
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

/* Is the header one that a joined job may send? */
static bool header_check(struct join_member *member)
{
    const struct message *message = &member->message;
    bool done = message->kind == MESSAGE_DONE && message->status == STATUS_OK;
    const struct join_task *task = task_of(member, message);
    if (message->kind != MESSAGE_DONE && message->kind != MESSAGE_GOT &&
        message->kind != MESSAGE_READY && message->kind != MESSAGE_BYE)
        return false;
    if (!isfinite(message->busy_s) || message->busy_s < 0)
        return false;
    if (!done)
        return message->length == 0;
    return task ? message->length == task->task.result_bytes
                : message->length <= member->result_most;
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

/* False: the connection ends. The task is looked up again, for its number may have been given out
 * since the header came. */
static bool done_take(struct join *join, struct join_member *member)
{
    const struct message *message = &member->message;
    struct join_task *task = task_of(member, message);
    struct pool_worker *shown = &member->shown;
    double most_s = clock_s() - (task ? task->given_s : member->begun_s);
    double busy_s = message->busy_s < most_s ? message->busy_s : most_s; /* one thread's */
    shown->busy_s += busy_s;
    shown->bytes += message->length;
    if (member->payload)
        shown->transfer_s += clock_s() - member->payload_s;
    if (!task) {
        shown->late++;
        return true;
    }
    bool good = message->status == STATUS_OK;
    if (good && message->length != task->task.result_bytes)
        return false;
    failure_note(member, good, task->given_s);
    struct join_result *result = result_add(join, POOL_TASK, number_of(join, member),
                                            good ? STATUS_OK : STATUS_DEVICE_LOST, "");
    task->out = false;
    shown->outstanding--;
    member->worked_s = clock_s();
    if (!result)
        return true;
    result->result.task = task->task;
    result->result.iterations = message->iterations;
    result->result.busy_s = busy_s;
    result->bytes = member->payload;
    result->result.bytes = good ? member->payload : NULL;
    member->payload = NULL;
    shown->tiles += good;
    shown->iterations += message->iterations;
    return true;
}

/* Obeys a message that is complete; false: the connection ends. */
static bool message_take(struct join *join, struct join_member *member)
{
    const struct message *message = &member->message;
    member->got = member->payload_got = 0;
    if (message->length && message_verify(message, member->payload) != STATUS_OK)
        return false;
    switch (message->kind) {
    case MESSAGE_READY:
        if (message->sequence != member->sequence)
            break;
        member->ready = member->shown.ready = message->status == STATUS_OK;
        member->key = member->ready ? member->key_told : 0;
        join->news = true;
        break;
    case MESSAGE_DONE:
        if (!done_take(join, member))
            return false;
        break;
    case MESSAGE_BYE:
        return false;
    default:
        break;
    }
    free(member->payload);
    member->payload = NULL;
    return true;
}

/* Reads the header that is complete; false: the connection ends. */
static bool header_take(struct join *join, struct join_member *member)
{
    size_t length = MESSAGE_BYTES;
    if (message_decode(&member->message, member->in.header, length) != STATUS_OK ||
        !header_check(member))
        return false;
    if (member->message.length == 0)
        return message_take(join, member);
    size_t room = message_padded(member->message.length);
    member->payload = aligned_alloc(MESSAGE_UNIT, room);
    member->payload_s = clock_s();
    return member->payload != NULL;
}

/* Reads what has come; false: the connection ends. */
static bool member_read(struct join *join, struct join_member *member)
{
    for (int round = 0; round < 16; round++) {
        bool greets = member->state == MEMBER_GREETS;
        size_t wanted = greets ? sizeof member->in.hello : MESSAGE_BYTES, before;
        if (member->payload) {
            before = member->payload_got;
            if (!join_read_some(member->socket, member->payload + before,
                                member->message.length - before, &member->payload_got))
                return false;
            if (member->payload_got == before)
                return true;
            member->heard_s = clock_s();
            if (member->payload_got == member->message.length && !message_take(join, member))
                return false;
            continue;
        }
        before = member->got;
        if (!join_read_some(member->socket, (char *)&member->in + before, wanted - before,
                            &member->got))
            return false;
        if (member->got == before)
            return true;
        member->heard_s = clock_s();
        if (member->got < wanted)
            continue;
        if (greets) {
            hello_take(join, member);
            return true;
        }
        if (!header_take(join, member))
            return false;
    }
    return true;
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
    member->begun_s = member->heard_s = clock_s();
    member->last = &member->first;
}

/* Why a member is not waited for any longer; NULL: it is. */
static const char *member_judge(const struct join_member *member, double now)
{
    if (member->state == MEMBER_GREETS && now > member->begun_s + JOIN_HELLO_S)
        return "it has not said who it is";
    if (member->state == MEMBER_WORKS && now > member->heard_s + JOIN_SILENT_S)
        return "it does not answer";
    if (member->state == MEMBER_WORKS && member->failures >= FAILURES_MOST)
        return "its tasks fail";
    return NULL;
}

/* Reads before it judges: while this process was stopped, a member has spoken into its buffer. */
static void member_step(struct join *join, struct join_member *member, short events)
{
    bool reads = events & (POLLIN | POLLHUP | POLLERR) || member_judge(member, clock_s());
    const char *why = NULL;
    if (reads && !member->ends && !member_read(join, member))
        why = "the connection has ended";
    if (!why)
        why = member_judge(member, clock_s());
    if (!why && member->state != MEMBER_FREE && !outs_write(member))
        why = "the connection has ended";
    if (!why && member->ends && !member->first)
        why = "it is refused";
    if (why && member->state != MEMBER_FREE)
        member_end(join, member, why);
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
        polls[count++] = (struct pollfd){.fd = member->socket,
                                         .events = (short)(POLLIN | (member->first ? POLLOUT : 0))};
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

static void join_free(struct join *join)
{
    for (struct join_result *next, *result = join->first; result; result = next) {
        next = result->next;
        result_free(result);
    }
    result_free(join->taken);
    parts_drop(&join->newest);
    if (join->listener >= 0)
        close(join->listener);
    if (join->event >= 0)
        close(join->event);
    pthread_mutex_destroy(&join->mutex);
    pthread_mutex_destroy(&join->wake_lock);
    free(join);
}

enum status join_open(struct join **out, const struct join_options *options)
{
    struct join *join = calloc(1, sizeof *join);
    *out = NULL;
    if (!join)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for workers of other jobs");
    *join = (struct join){.listener = -1,
                          .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                          .first_rank = options->first_rank};
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
        outs_drop(member);
        if (!member->first && message_add(member, &end, NULL, 0))
            (void)outs_write(member);
        member_end(join, member, "this run ends");
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
        join->seen.heard_s = clock_s() - member->worked_s;
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
    struct join_bytes *head = bytes_make(context->head, context->head_length);
    struct join_bytes *rest =
        context->rest ? bytes_make(context->rest, context->rest_length) : NULL;
    if (!head || (context->rest && !rest)) {
        bytes_drop(head);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context of %zu bytes",
                           context->head_length + context->rest_length);
    }
    pthread_mutex_lock(&join->mutex);
    if (!rest && context->key && context->key == join->key) {
        rest = join->newest.rest;
        join->newest.rest = NULL;
    }
    parts_drop(&join->newest);
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

void join_forget(struct join *join)
{
    pthread_mutex_lock(&join->mutex);
    parts_drop(&join->newest);
    join->key = 0;
    pthread_mutex_unlock(&join->mutex);
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

static enum status task_add(struct join_member *member, const struct pool_task *task)
{
    struct message message = {.kind = MESSAGE_TASK, .sequence = member->sequence};
    while (member->task[message.task].out)
        message.task++;
    if (!message_add(member, &message, task, sizeof *task))
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a task");
    member->task[message.task] =
        (struct join_task){.out = true, .task = *task, .given_s = clock_s()};
    if (member->shown.outstanding++ == 0)
        member->worked_s = clock_s();
    if (task->result_bytes > member->result_most)
        member->result_most = task->result_bytes;
    return STATUS_OK;
}

enum status join_give(struct join *join, int worker, const struct pool_task *task)
{
    pthread_mutex_lock(&join->mutex);
    struct join_member *member = &join->member[worker];
    enum status status = member->state == MEMBER_WORKS && member->ready
                             ? task_add(member, task)
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
