#include "decomposition/message/message.h"

#ifdef DEEPFIELD_XXHASH_DISPATCH
#include <xxh_x86dispatch.h>
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

#include <string.h>

/* "DFmg" as it stands in memory. */
static const uint8_t magic[4] = {'D', 'F', 'm', 'g'};

/* Offsets in the header. The bytes between the last value and the sum are zero. */
enum {
    AT_MAGIC = 0,
    AT_VERSION = 4,
    AT_KIND = 6,
    AT_EPOCH = 8,
    AT_TASK = 16,
    AT_SEQUENCE = 20,
    AT_STATUS = 24,
    AT_LENGTH = 32,
    AT_OFFSET = 40,
    AT_CHECKSUM = 48,
    AT_ITERATIONS = 56,
    AT_BUSY = 64,
    AT_SUM = MESSAGE_BYTES - 8 /* checksum of everything before it */
};

static void number_put(uint8_t *bytes, int at, int width, uint64_t value)
{
    for (int i = 0; i < width; i++)
        bytes[at + i] = (uint8_t)(value >> 8 * i);
}

static uint64_t number_get(const uint8_t *bytes, int at, int width)
{
    uint64_t value = 0;
    for (int i = 0; i < width; i++)
        value |= (uint64_t)bytes[at + i] << 8 * i;
    return value;
}

void message_encode(const struct message *message, void *bytes)
{
    uint8_t *b = bytes;
    uint64_t busy;
    memcpy(&busy, &message->busy_s, sizeof busy);
    memset(b, 0, MESSAGE_BYTES);
    memcpy(b + AT_MAGIC, magic, sizeof magic);
    number_put(b, AT_VERSION, 2, MESSAGE_VERSION);
    number_put(b, AT_KIND, 2, (uint64_t)message->kind);
    number_put(b, AT_EPOCH, 8, message->epoch);
    number_put(b, AT_TASK, 4, message->task);
    number_put(b, AT_SEQUENCE, 4, message->sequence);
    number_put(b, AT_STATUS, 4, (uint64_t)message->status);
    number_put(b, AT_LENGTH, 8, message->length);
    number_put(b, AT_OFFSET, 8, message->offset);
    number_put(b, AT_CHECKSUM, 8, message->checksum);
    number_put(b, AT_ITERATIONS, 8, message->iterations);
    number_put(b, AT_BUSY, 8, busy);
    number_put(b, AT_SUM, 8, XXH3_64bits(b, AT_SUM));
}

enum status message_decode(struct message *message, const void *bytes, size_t length)
{
    const uint8_t *b = bytes;
    if (length < MESSAGE_BYTES)
        return status_fail(STATUS_INTERNAL, "a message of %zu bytes is shorter than its header",
                           length);
    if (memcmp(b + AT_MAGIC, magic, sizeof magic))
        return status_fail(STATUS_INTERNAL, "a message does not begin with DFmg");
    uint64_t version = number_get(b, AT_VERSION, 2), kind = number_get(b, AT_KIND, 2);
    if (version != MESSAGE_VERSION)
        return status_fail(STATUS_INTERNAL,
                           "a message has version %u, this program speaks %u: do all ranks run "
                           "the same one?",
                           (unsigned)version, (unsigned)MESSAGE_VERSION);
    if (number_get(b, AT_SUM, 8) != XXH3_64bits(b, AT_SUM))
        return status_fail(STATUS_INTERNAL, "the header of a message arrived damaged");
    uint64_t status = number_get(b, AT_STATUS, 4), busy = number_get(b, AT_BUSY, 8);
    if (kind >= MESSAGE_KINDS || status >= STATUS_KINDS)
        return status_fail(STATUS_INTERNAL, "a message of kind %u and status %u makes no sense",
                           (unsigned)kind, (unsigned)status);
    *message = (struct message){.kind = (enum message_kind)kind,
                                .status = (enum status)status,
                                .epoch = number_get(b, AT_EPOCH, 8),
                                .task = (uint32_t)number_get(b, AT_TASK, 4),
                                .sequence = (uint32_t)number_get(b, AT_SEQUENCE, 4),
                                .length = number_get(b, AT_LENGTH, 8),
                                .offset = number_get(b, AT_OFFSET, 8),
                                .checksum = number_get(b, AT_CHECKSUM, 8),
                                .iterations = number_get(b, AT_ITERATIONS, 8)};
    memcpy(&message->busy_s, &busy, sizeof busy);
    return STATUS_OK;
}

uint64_t message_checksum(const void *payload, size_t length)
{
    return XXH3_64bits(payload, length);
}

struct message_sum *message_sum_create(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state)
        XXH3_64bits_reset(state);
    return (struct message_sum *)state;
}

void message_sum_destroy(struct message_sum *sum)
{
    XXH3_freeState((XXH3_state_t *)sum);
}

void message_sum_begin(struct message_sum *sum)
{
    XXH3_64bits_reset((XXH3_state_t *)sum);
}

void message_sum_add(struct message_sum *sum, const void *bytes, size_t length)
{
    XXH3_64bits_update((XXH3_state_t *)sum, bytes, length);
}

uint64_t message_sum_end(const struct message_sum *sum)
{
    return XXH3_64bits_digest((const XXH3_state_t *)sum);
}

enum status message_damaged(const struct message *message)
{
    return status_fail(STATUS_INTERNAL,
                       "tile %u arrived damaged: %llu bytes with the wrong checksum", message->task,
                       (unsigned long long)message->length);
}

enum status message_verify(const struct message *message, const void *payload)
{
    if (!message->checksum || message_checksum(payload, message->length) == message->checksum)
        return STATUS_OK;
    return message_damaged(message);
}

size_t message_padded(size_t length)
{
    return (length + MESSAGE_UNIT - 1) / MESSAGE_UNIT * MESSAGE_UNIT;
}
