#include "decomposition/pool/join_outbox.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/pool/join_link.h"
#include "decomposition/pool/pool.h"

struct join_out { /* a message on its way */
    struct join_out *next;
    size_t head, sent;
    bool stays; /* the answer to the hello */
    struct join_parts parts;
    unsigned char at[MESSAGE_BYTES + sizeof(struct pool_task)];
};

/* ---- shared bytes ---- */

struct join_bytes *join_bytes_make(const void *bytes, size_t length)
{
    struct join_bytes *made = malloc(sizeof *made + length);
    if (!made)
        return NULL;
    made->holders = 1;
    made->length = length;
    memcpy(made->at, bytes, length);
    return made;
}

void join_bytes_drop(struct join_bytes *bytes)
{
    if (bytes && --bytes->holders == 0)
        free(bytes);
}

static size_t parts_length(const struct join_parts *parts)
{
    return (parts->head ? parts->head->length : 0) + (parts->rest ? parts->rest->length : 0);
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

/* ---- the queue ---- */

static void out_free(struct join_out *out)
{
    join_bytes_drop(out->parts.head);
    join_bytes_drop(out->parts.rest);
    free(out);
}

void join_outbox_open(struct join_outbox *outbox, const double *now_s)
{
    outbox->now_s = now_s;
    outbox->first = NULL;
    outbox->last = &outbox->first;
    outbox->moved_s = *outbox->now_s;
}

void join_outbox_close(struct join_outbox *outbox)
{
    for (struct join_out *next, *out = outbox->first; out; out = next) {
        next = out->next;
        out_free(out);
    }
    outbox->first = NULL;
    outbox->last = &outbox->first;
}

void join_outbox_prune(struct join_outbox *outbox)
{
    struct join_out *next, *out = outbox->first;
    outbox->first = NULL;
    outbox->last = &outbox->first;
    for (; out; out = next) {
        next = out->next;
        out->next = NULL;
        if (!out->stays && out->sent == 0) {
            out_free(out);
            continue;
        }
        *outbox->last = out;
        outbox->last = &out->next;
    }
}

static struct join_out *out_add(struct join_outbox *outbox, size_t head)
{
    struct join_out *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    if (!outbox->first)
        outbox->moved_s = *outbox->now_s;
    out->head = head;
    *outbox->last = out;
    outbox->last = &out->next;
    return out;
}

bool join_outbox_add_reply(struct join_outbox *outbox, const void *reply, size_t length)
{
    struct join_bytes *bytes = join_bytes_make(reply, length);
    struct join_out *out = bytes ? out_add(outbox, 0) : NULL;
    if (!out) {
        join_bytes_drop(bytes);
        return false;
    }
    out->parts.head = bytes;
    out->stays = true;
    return true;
}

bool join_outbox_add_message(struct join_outbox *outbox, struct message *message,
                             const void *payload, size_t length)
{
    struct join_out *out = out_add(outbox, MESSAGE_BYTES + length);
    if (!out)
        return false;
    message->length = length;
    message->checksum = length ? message_checksum(payload, length) : 0;
    message_encode(message, out->at);
    if (length)
        memcpy(out->at + MESSAGE_BYTES, payload, length);
    return true;
}

bool join_outbox_add_parts(struct join_outbox *outbox, struct message *message,
                           const struct join_parts *parts)
{
    if (!parts_sum(parts, &message->checksum))
        return false;
    struct join_out *out = out_add(outbox, MESSAGE_BYTES);
    if (!out)
        return false;
    message->length = parts_length(parts);
    message_encode(message, out->at);
    out->parts = *parts;
    if (parts->head)
        parts->head->holders++;
    if (parts->rest)
        parts->rest->holders++;
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

bool join_outbox_write(struct join_outbox *outbox, int socket)
{
    while (outbox->first) {
        struct join_out *out = outbox->first;
        size_t left, before = out->sent;
        const unsigned char *from = out_next(out, out->sent, &left);
        if (left && !join_write_some(socket, from, left, &out->sent))
            return false;
        if (left && out->sent == before)
            return true;
        outbox->moved_s = *outbox->now_s;
        if (out->sent < out->head + parts_length(&out->parts))
            continue;
        outbox->first = out->next;
        if (!outbox->first)
            outbox->last = &outbox->first;
        out_free(out);
    }
    return true;
}
