#include "decomposition/pool/joined.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "decomposition/message/message.h"
#include "decomposition/thread/clock.h"
#include "kernels/stop.h"

enum { WAIT_US = 250000, LOOK_MS = 250 /* interval at which a stop is looked for */ };

#define RANK_SILENT_S 3.0 /* a rank that says nothing for so long is not waited for */
#define CONTEXT_BYTES_MOST (UINT64_C(16) << 30)

struct joined_message { /* from the run */
    struct joined_message *next;
    struct message message;
    unsigned char *payload;
};

struct joined {
    int socket;
    struct pool *pool;
    const volatile int *stop;
    pthread_t reader;
    pthread_mutex_t mutex; /* protects the next four */
    struct joined_message *first, **last;
    bool broken;                 /* the connection has ended */
    char why[STATUS_TEXT_BYTES]; /* reason of that */

    uint32_t sequence; /* number of the newest instruction */
    bool context, ended;
    bool cut; /* a message that was begun has no end: nothing more can be said */
    enum { TOLD_NOTHING, TOLD_READY, TOLD_LOST } told; /* since that instruction */
    bool *failed; /* [workers of the pool] which of them cannot compute this context */
    uint64_t epoch;
    struct pool_task *waiting; /* [JOINED_CREDITS_MOST] tasks that no worker has */
    int waiting_count;
    double beat_s;
};

/* ---- connecting ---- */

struct connect_wait { /* limits of waiting for a run that may never answer */
    const struct joined_place *place;
    double end_s;
    const volatile int *stop;
};

/* Waits until the socket can be read or written. */
static enum status socket_await(int socket, short events, const struct connect_wait *limits)
{
    struct pollfd poll_of = {.fd = socket, .events = events};
    while (poll(&poll_of, 1, LOOK_MS) <= 0) {
        if (stop_asked(limits->stop))
            return status_fail(STATUS_STOPPED, "stopped before the run at %.100s has answered",
                               limits->place->host);
        if (clock_s() > limits->end_s)
            return status_fail(STATUS_SYSTEM, "what listens at %.100s, port %d, does not answer",
                               limits->place->host, limits->place->port);
    }
    return STATUS_OK;
}

/* Connects a socket that does not block; from then on it does. STATUS_OK with *why: an errno. */
static enum status socket_connect(int socket, const struct addrinfo *at, int *why,
                                  const struct connect_wait *limits)
{
    socklen_t length = sizeof *why;
    *why = connect(socket, at->ai_addr, at->ai_addrlen) ? errno : 0;
    if (*why == EINPROGRESS || *why == EINTR) {
        TRY(socket_await(socket, POLLOUT, limits));
        if (getsockopt(socket, SOL_SOCKET, SO_ERROR, why, &length) != 0)
            *why = errno;
    }
    if (!*why && fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK) != 0)
        *why = errno;
    return STATUS_OK;
}

static enum status connect_to(int *made, const struct connect_wait *limits)
{
    const struct joined_place *place = limits->place;
    enum status status = STATUS_OK;
    int why = 0;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    char port[16];
    int one = 1;
    snprintf(port, sizeof port, "%d", place->port);
    int failure = getaddrinfo(place->host, port, &hints, &found);
    if (failure)
        return status_fail(STATUS_SYSTEM, "there is no machine '%.100s': %s", place->host,
                           gai_strerror(failure));
    *made = -1;
    for (struct addrinfo *at = found; at && *made < 0 && status == STATUS_OK; at = at->ai_next) {
        *made = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        why = *made < 0 ? errno : 0;
        if (*made >= 0)
            status = socket_connect(*made, at, &why, limits);
        if (*made >= 0 && (status != STATUS_OK || why)) {
            close(*made);
            *made = -1;
        }
    }
    freeaddrinfo(found);
    TRY(status);
    if (*made < 0)
        return status_fail(STATUS_SYSTEM, "no run listens at %.100s, port %d: %s", place->host,
                           place->port, strerror(why));
    setsockopt(*made, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return STATUS_OK;
}

/* Sends the hello, which the buffers of a new connection hold, and reads the reply. */
static enum status greet(int socket, int *rank, const struct join_hello *hello,
                         const struct connect_wait *limits)
{
    struct join_reply reply;
    TRY(join_send(socket, hello, sizeof *hello));
    for (size_t got = 0; got < sizeof reply;) {
        TRY(socket_await(socket, POLLIN, limits));
        if (!join_read_some(socket, (char *)&reply + got, sizeof reply - got, &got))
            return status_fail(STATUS_SYSTEM,
                               "what listens at %.100s, port %d, ends the connection",
                               limits->place->host, limits->place->port);
    }
    reply.why[sizeof reply.why - 1] = '\0';
    if (memcmp(reply.magic, join_magic, sizeof join_magic) != 0)
        return status_fail(STATUS_SYSTEM, "what listens there is no run of deepfield");
    if (reply.rank < 0)
        return status_fail(STATUS_SYSTEM, "that run refuses this job: %s; this is %s", reply.why,
                           hello->identity);
    *rank = reply.rank;
    return STATUS_OK;
}

enum status joined_connect(int *socket, int *rank, const struct joined_place *place,
                           const char *identity, const char *backend, const struct pool *pool,
                           const volatile int *stop)
{
    const struct connect_wait limits = {place, clock_s() + 2 * JOIN_HELLO_S, stop};
    struct join_hello hello = {.threads = 0};
    memcpy(hello.magic, join_magic, sizeof hello.magic);
    snprintf(hello.identity, sizeof hello.identity, "%s", identity);
    snprintf(hello.token, sizeof hello.token, "%s", place->token);
    snprintf(hello.backend, sizeof hello.backend, "%s", backend);
    snprintf(hello.host, sizeof hello.host, "%s", pool_worker(pool, 0)->host);
    for (int w = 0; w < pool_workers(pool); w++) {
        hello.threads += (uint32_t)pool_worker(pool, w)->threads;
        hello.credits += (uint32_t)pool_worker(pool, w)->credits;
    }
    TRY(connect_to(socket, &limits));
    enum status status = greet(*socket, rank, &hello, &limits);
    if (status != STATUS_OK)
        close(*socket);
    return status;
}

/* ---- the thread that reads ---- */

static bool is_sane(const struct message *message)
{
    switch (message->kind) {
    case MESSAGE_CONTEXT:
        return message->length > 0 && message->length <= CONTEXT_BYTES_MOST;
    case MESSAGE_TASK:
        return message->length == sizeof(struct pool_task) && message->task < JOINED_CREDITS_MOST;
    default:
        return (message->kind == MESSAGE_CANCEL || message->kind == MESSAGE_GOT ||
                message->kind == MESSAGE_END) &&
               message->length == 0;
    }
}

static enum status message_read(int socket, struct joined_message *made)
{
    unsigned char header[MESSAGE_BYTES];
    TRY(join_receive(socket, header, sizeof header));
    TRY(message_decode(&made->message, header, sizeof header));
    if (!is_sane(&made->message))
        return status_fail(STATUS_INTERNAL, "the run that was joined sent what it may not");
    if (!made->message.length)
        return STATUS_OK;
    made->payload = aligned_alloc(MESSAGE_UNIT, message_padded(made->message.length));
    if (!made->payload)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a context");
    TRY(join_receive(socket, made->payload, made->message.length));
    return message_verify(&made->message, made->payload);
}

static void message_free(struct joined_message *message)
{
    if (message)
        free(message->payload);
    free(message);
}

/* Reads the next message that says more than that the run is there. */
static enum status message_await(int socket, struct joined_message **made)
{
    for (;;) {
        *made = calloc(1, sizeof **made);
        if (!*made)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a message");
        enum status status = message_read(socket, *made);
        if (status == STATUS_OK && (*made)->message.kind != MESSAGE_GOT)
            return STATUS_OK;
        message_free(*made);
        *made = NULL;
        TRY(status);
    }
}

/* The connection has ended: who waits until something can be sent comes back. */
static void connection_break(struct joined *joined)
{
    joined->broken = true;
    snprintf(joined->why, sizeof joined->why, "%s", status_text());
    shutdown(joined->socket, SHUT_RDWR);
}

static void *reader_run(void *context)
{
    struct joined *joined = context;
    for (bool goes_on = true; goes_on;) {
        struct joined_message *made;
        goes_on = message_await(joined->socket, &made) == STATUS_OK;
        pthread_mutex_lock(&joined->mutex);
        if (goes_on) {
            *joined->last = made;
            joined->last = &made->next;
            goes_on = made->message.kind != MESSAGE_END;
        } else
            connection_break(joined);
        pthread_mutex_unlock(&joined->mutex);
        pool_wake(joined->pool);
    }
    return NULL;
}

/* ---- what the run says ---- */

static struct joined_message *message_next(struct joined *joined)
{
    pthread_mutex_lock(&joined->mutex);
    struct joined_message *first = joined->first;
    if (first) {
        joined->first = first->next;
        if (!joined->first)
            joined->last = &joined->first;
    }
    pthread_mutex_unlock(&joined->mutex);
    return first;
}

static void instruction_begin(struct joined *joined, const struct message *message)
{
    joined->sequence = message->sequence;
    joined->told = TOLD_NOTHING;
    joined->waiting_count = 0;
}

static enum status message_take(struct joined *joined, const struct joined_message *from)
{
    const struct message *message = &from->message;
    switch (message->kind) {
    case MESSAGE_CONTEXT:
        instruction_begin(joined, message);
        joined->context = true;
        memset(joined->failed, 0, (size_t)pool_workers(joined->pool) * sizeof *joined->failed);
        return pool_context(joined->pool, ++joined->epoch, from->payload, message->length);
    case MESSAGE_CANCEL:
        instruction_begin(joined, message);
        pool_cancel(joined->pool);
        return STATUS_OK;
    case MESSAGE_TASK:
        if (message->sequence != joined->sequence || joined->waiting_count == JOINED_CREDITS_MOST)
            return STATUS_OK;
        struct pool_task *task = &joined->waiting[joined->waiting_count++];
        memcpy(task, from->payload, sizeof *task);
        task->epoch = joined->epoch;
        task->id = (uint64_t)message->sequence << 32 | message->task;
        return STATUS_OK;
    default:
        joined->ended = true;
        return STATUS_OK;
    }
}

static enum status messages_take(struct joined *joined)
{
    struct joined_message *message;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && (message = message_next(joined))) {
        status = message_take(joined, message);
        message_free(message);
    }
    return status;
}

/* ---- what it is told ---- */

/* Sends bytes. Where the run reads nothing, a stop that is asked for leaves the message cut. */
static enum status bytes_say(struct joined *joined, const void *bytes, size_t length)
{
    for (size_t done = 0; done < length && !joined->cut;) {
        struct pollfd room = {.fd = joined->socket, .events = POLLOUT};
        size_t before = done;
        if (!join_write_some(joined->socket, (const char *)bytes + done, length - done, &done))
            return status_fail(STATUS_SYSTEM, "the run that was joined has ended the connection");
        if (done == before && poll(&room, 1, LOOK_MS) <= 0)
            joined->cut = stop_asked(joined->stop);
    }
    return STATUS_OK;
}

static enum status message_say(struct joined *joined, struct message *message, const void *payload)
{
    unsigned char header[MESSAGE_BYTES];
    message->checksum = message->length ? message_checksum(payload, message->length) : 0;
    message_encode(message, header);
    joined->beat_s = clock_s();
    TRY(bytes_say(joined, header, sizeof header));
    return bytes_say(joined, payload, message->length);
}

/* Tells whether this job computes the context, when all ranks that answer know: it gets tasks for
 * all of them. */
static enum status ready_tell(struct joined *joined)
{
    bool ready = false, all = true, prepares = !joined->context;
    for (int w = 0; w < pool_workers(joined->pool); w++) {
        const struct pool_worker *worker = pool_worker(joined->pool, w);
        ready |= worker->alive && worker->ready;
        all &= !worker->alive || worker->ready;
        prepares |= worker->alive && !worker->ready && !joined->failed[w] &&
                    worker->heard_s < RANK_SILENT_S;
    }
    if (prepares || joined->told == (ready ? TOLD_READY : TOLD_LOST))
        return STATUS_OK;
    joined->told = ready ? TOLD_READY : TOLD_LOST;
    struct message message = {.kind = MESSAGE_READY,
                              .sequence = joined->sequence,
                              .task = all ? JOINED_READY_ALL : 0,
                              .status = ready ? STATUS_OK : STATUS_DEVICE_LOST};
    return message_say(joined, &message, NULL);
}

/* Gives waiting tasks to workers that have room. */
static enum status tasks_give(struct joined *joined)
{
    for (int w = 0; w < pool_workers(joined->pool); w++)
        while (joined->waiting_count > 0 && pool_may_give(joined->pool, w)) {
            struct pool_task *task = &joined->waiting[--joined->waiting_count];
            TRY(pool_give(joined->pool, w, task));
        }
    return STATUS_OK;
}

static enum status result_tell(struct joined *joined, const struct pool_result *result)
{
    uint32_t sequence = (uint32_t)(result->task.id >> 32);
    struct message message = {.kind = MESSAGE_DONE,
                              .sequence = sequence,
                              .task = (uint32_t)result->task.id,
                              .iterations = result->iterations,
                              .busy_s = result->busy_s};
    if (sequence != joined->sequence)
        return STATUS_OK;
    if (result->status == STATUS_OK)
        message.length = result->task.result_bytes;
    else
        message.status = STATUS_DEVICE_LOST;
    return message_say(joined, &message, result->bytes);
}

static bool anybody_left(const struct joined *joined)
{
    for (int w = 0; w < pool_workers(joined->pool); w++)
        if (pool_worker(joined->pool, w)->alive)
            return true;
    return false;
}

static enum status results_tell(struct joined *joined)
{
    struct pool_result result;
    while (pool_take(joined->pool, &result)) {
        if (result.kind == POOL_WORKER && !anybody_left(joined))
            return status_fail(result.status, "%s", result.text);
        if (result.kind == POOL_CONTEXT)
            joined->failed[result.worker] = true;
        if (result.kind == POOL_TASK)
            TRY(result_tell(joined, &result));
        TRY(tasks_give(joined));
    }
    return STATUS_OK;
}

static enum status round_run(struct joined *joined)
{
    struct message beat = {.kind = MESSAGE_GOT, .sequence = joined->sequence};
    TRY(messages_take(joined));
    TRY(results_tell(joined));
    TRY(ready_tell(joined));
    TRY(tasks_give(joined));
    if (clock_s() > joined->beat_s + JOIN_BEAT_S)
        TRY(message_say(joined, &beat, NULL));
    pthread_mutex_lock(&joined->mutex);
    bool broken = joined->broken, waits = joined->first == NULL;
    pthread_mutex_unlock(&joined->mutex);
    if (broken && waits && !joined->ended)
        return status_fail(STATUS_SYSTEM, "%s", joined->why);
    if (!joined->ended && waits)
        pool_wait(joined->pool, WAIT_US);
    return STATUS_OK;
}

static void joined_end(struct joined *joined)
{
    struct message bye = {.kind = MESSAGE_BYE, .sequence = joined->sequence};
    if (!joined->ended && !joined->broken)
        (void)message_say(joined, &bye, NULL);
    shutdown(joined->socket, SHUT_RDWR); /* the reader comes back */
    pthread_join(joined->reader, NULL);
    for (struct joined_message *message; (message = message_next(joined));)
        message_free(message);
}

enum status joined_serve(int socket, struct pool *pool, const volatile int *stop)
{
    struct joined joined = {.socket = socket, .pool = pool, .stop = stop, .beat_s = clock_s()};
    const struct timeval silent = {.tv_sec = (time_t)JOIN_SILENT_S};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &silent, sizeof silent);
    joined.last = &joined.first;
    joined.waiting = calloc(JOINED_CREDITS_MOST, sizeof *joined.waiting);
    joined.failed = calloc((size_t)pool_workers(pool), sizeof *joined.failed);
    if (!joined.waiting || !joined.failed) {
        free(joined.waiting);
        free(joined.failed);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for tasks");
    }
    pthread_mutex_init(&joined.mutex, NULL);
    enum status status = STATUS_OK;
    if (pthread_create(&joined.reader, NULL, reader_run, &joined) != 0)
        status = status_fail(STATUS_SYSTEM, "no thread for the viewer that was joined");
    else {
        while (status == STATUS_OK && !joined.ended && !stop_asked(stop))
            status = round_run(&joined);
        char text[STATUS_TEXT_BYTES];
        snprintf(text, sizeof text, "%s", status == STATUS_OK ? "" : status_text());
        pthread_mutex_lock(&joined.mutex);
        if (joined.broken) /* what was being sent then has failed for this reason */
            snprintf(text, sizeof text, "%s", joined.why);
        pthread_mutex_unlock(&joined.mutex);
        joined_end(&joined);
        if (status != STATUS_OK)
            status = status_fail(status, "%s", text);
    }
    pthread_mutex_destroy(&joined.mutex);
    free(joined.waiting);
    free(joined.failed);
    return status;
}
