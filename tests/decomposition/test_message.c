/* Is a damaged message noticed, whatever byte it is? */
#include "tests/support/check.h"

#include <string.h>

#include "decomposition/message/message.h"

static const struct message sample = {.kind = MESSAGE_KEPT,
                                      .status = STATUS_IO,
                                      .epoch = 0x0123456789abcdefu,
                                      .task = 0xfffffffeu,
                                      .sequence = 3,
                                      .length = 0x1122334455667788u,
                                      .offset = 0x8877665544332211u,
                                      .checksum = 0xfedcba9876543210u,
                                      .iterations = 0x7fffffffffffffffu,
                                      .busy_s = 0.1};

TEST(a_header_survives_the_journey)
{
    uint8_t bytes[MESSAGE_BYTES];
    struct message got;
    message_encode(&sample, bytes);
    assert_int_equal(message_decode(&got, bytes, sizeof bytes), STATUS_OK);
    assert_int_equal(got.kind, sample.kind);
    assert_int_equal(got.status, sample.status);
    assert_true(got.epoch == sample.epoch);
    assert_int_equal(got.task, sample.task);
    assert_int_equal(got.sequence, sample.sequence);
    assert_true(got.length == sample.length && got.offset == sample.offset);
    assert_true(got.checksum == sample.checksum && got.iterations == sample.iterations);
    assert_true(got.busy_s == sample.busy_s);
}

TEST(the_layout_is_fixed)
{
    uint8_t bytes[MESSAGE_BYTES];
    message_encode(&sample, bytes);
    static const uint8_t head[] = {'D',  'F',  'm',  'g',  12,   0,    6,    0,
                                   0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01};
    assert_memory_equal(bytes, head, sizeof head);
}

TEST(every_flipped_bit_is_noticed)
{
    uint8_t bytes[MESSAGE_BYTES];
    message_encode(&sample, bytes);
    for (size_t at = 0; at < sizeof bytes; at++)
        for (int bit = 0; bit < 8; bit++) {
            struct message got;
            bytes[at] ^= (uint8_t)(1 << bit);
            assert_int_equal(message_decode(&got, bytes, sizeof bytes), STATUS_INTERNAL);
            bytes[at] ^= (uint8_t)(1 << bit);
        }
}

TEST(a_short_block_is_refused)
{
    uint8_t bytes[MESSAGE_BYTES];
    struct message got;
    message_encode(&sample, bytes);
    assert_int_equal(message_decode(&got, bytes, MESSAGE_BYTES - 1), STATUS_INTERNAL);
    assert_int_equal(message_decode(&got, bytes, 0), STATUS_INTERNAL);
}

TEST(values_out_of_range_are_refused_though_the_sum_is_right)
{
    uint8_t bytes[MESSAGE_BYTES];
    struct message got, bad = sample;
    bad.kind = MESSAGE_KINDS;
    message_encode(&bad, bytes);
    assert_int_equal(message_decode(&got, bytes, sizeof bytes), STATUS_INTERNAL);
    bad = sample;
    bad.status = STATUS_KINDS;
    message_encode(&bad, bytes);
    assert_int_equal(message_decode(&got, bytes, sizeof bytes), STATUS_INTERNAL);
}

TEST(a_sum_of_parts_is_that_of_the_whole)
{
    uint8_t payload[3000];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * i >> 3);
    struct message_sum *sum = message_sum_create();
    assert_non_null(sum);
    for (size_t part = 1; part < 1000; part += 37) {
        message_sum_begin(sum);
        for (size_t at = 0; at < sizeof payload; at += part)
            message_sum_add(sum, payload + at,
                            sizeof payload - at < part ? sizeof payload - at : part);
        assert_true(message_sum_end(sum) == message_checksum(payload, sizeof payload));
    }
    message_sum_destroy(sum);
}

TEST(every_damaged_payload_byte_is_noticed)
{
    uint8_t payload[1000];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7);
    struct message message = {.length = sizeof payload,
                              .checksum = message_checksum(payload, sizeof payload)};
    assert_int_equal(message_verify(&message, payload), STATUS_OK);
    for (size_t i = 0; i < sizeof payload; i++) {
        payload[i] ^= 0x80;
        assert_int_equal(message_verify(&message, payload), STATUS_INTERNAL);
        payload[i] ^= 0x80;
    }
    message.length--;
    assert_int_equal(message_verify(&message, payload), STATUS_INTERNAL);
}

TEST(padding_is_to_whole_units)
{
    assert_int_equal(message_padded(0), 0);
    assert_int_equal(message_padded(1), 64);
    assert_int_equal(message_padded(64), 64);
    assert_int_equal(message_padded(65), 128);
    assert_int_equal(MESSAGE_BYTES % MESSAGE_UNIT, 0);
}
