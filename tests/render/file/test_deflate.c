/* Pieces of a stream, compressed apart, are one stream to zlib. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/check.h"
#include <zlib.h>

#include "render/deflate/deflate_runs.h"

enum { BYTES = 300000 };

enum way { PACKED, RUNS, STORED, WAYS };

enum content { ZEROS, STEPS, NOISE, LENGTHS, RARE, RARE_FIRST, CONTENTS };

/* Byte b half as often as byte b - 1: codes would be longer than deflate has them. */
static uint8_t rare(uint32_t noise)
{
    return (uint8_t)__builtin_clz(noise | 1);
}

static void fill(uint8_t *bytes, enum content content)
{
    uint32_t value = 12345;
    for (size_t i = 0, run = 0, length = 1; i < BYTES; i++) {
        value = value * 1664525u + 1013904223u;
        run = run == length ? 1 : run + 1;
        length += run == 1; /* runs of 1, 2, 3 ... */
        bytes[i] = content == ZEROS     ? 0
                   : content == STEPS   ? (uint8_t)(i / 7 * 3)
                   : content == LENGTHS ? (uint8_t)length
                   : content == RARE    ? rare(value)
                   : content == RARE_FIRST
                       ? (i % 70001 < 32 ? (uint8_t)(200 + i % 70001) : rare(value))
                       : (uint8_t)(value >> 24);
    }
}

/* The stream of `in` in these pieces; its length. */
static size_t stream_make(const uint8_t *in, size_t piece, enum way way, uint8_t *out)
{
    struct deflater *deflater = deflater_create();
    uint32_t sum = 1;
    uint8_t *at = out;
    assert_non_null(deflater);
    zlib_header(at);
    at += ZLIB_HEADER_BYTES;
    for (size_t done = 0, part; done < BYTES; done += part) {
        part = BYTES - done < piece ? BYTES - done : piece;
        enum deflate_end end = done + part == BYTES ? DEFLATE_LAST : DEFLATE_MORE;
        size_t length = way == STORED ? deflate_store(in + done, part, end, at)
                        : way == RUNS ? deflate_runs(in + done, part, end, at)
                                      : deflate_piece(deflater, in + done, part, end, at);
        assert_true(length > 0 && length <= deflate_most(part));
        at += length;
        sum = deflate_adler_join(sum, deflate_adler(1, in + done, part), part);
    }
    bytes_set_big_endian(at, sum);
    deflater_destroy(deflater);
    return (size_t)(at + ZLIB_SUM_BYTES - out);
}

TEST(pieces_are_one_stream)
{
    static const size_t pieces[] = {BYTES, BYTES - 1, 70001, 65536, 65535, 999};
    uint8_t *in = malloc(BYTES), *back = malloc(BYTES), *out = malloc(2 * BYTES);
    for (enum content content = 0; content < CONTENTS; content++)
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
            for (enum way way = PACKED; way < WAYS; way++) {
                fill(in, content);
                uLongf length = BYTES;
                size_t made = stream_make(in, pieces[i], way, out);
                assert_int_equal(uncompress(back, &length, out, (uLong)made), Z_OK);
                assert_int_equal(length, BYTES);
                assert_memory_equal(back, in, BYTES);
            }
    free(in);
    free(back);
    free(out);
}

TEST(a_byte_is_a_piece)
{
    struct deflater *deflater = deflater_create();
    uint8_t one = 200, out[64], stream[64] = {0}, back[4];
    for (int end = DEFLATE_MORE; end <= DEFLATE_LAST; end++)
        assert_true(deflate_piece(deflater, &one, 1, (enum deflate_end)end, out) <=
                    deflate_most(1));
    zlib_header(stream);
    size_t length = deflate_piece(deflater, &one, 1, DEFLATE_LAST, stream + ZLIB_HEADER_BYTES);
    bytes_set_big_endian(stream + ZLIB_HEADER_BYTES + length, deflate_adler(1, &one, 1));
    uLongf got = sizeof back;
    assert_int_equal(uncompress(back, &got, stream, (uLong)(length + 6)), Z_OK);
    assert_true(got == 1 && back[0] == one);
    deflater_destroy(deflater);
    deflater_destroy(NULL);
}

/* Whatever was compressed before, and wherever the deflater lies in memory. */
TEST(bytes_depend_on_the_piece_alone)
{
    enum { TURNS = 60 };
    uint8_t *in = calloc(1, BYTES), *first = malloc(2 * BYTES), *out = malloc(2 * BYTES);
    struct deflater *kept[TURNS];
    for (size_t i = 0; i < BYTES; i++) /* noise at the left of rows of zeros: edges of tiles */
        in[i] = (uint8_t)(i % 1536 < 42 ? (uint32_t)i * 2654435761u >> 24 : 0);
    size_t length = 0;
    for (int i = 0; i < TURNS; i++) {
        kept[i] = deflater_create();
        deflate_piece(kept[i], in + i, (size_t)(1000 * i + 1), DEFLATE_MORE, out);
        size_t now = deflate_piece(kept[i], in, BYTES, DEFLATE_LAST, i ? out : first);
        length = i ? length : now;
        assert_int_equal(now, length);
        assert_memory_equal(i ? out : first, first, length);
    }
    for (int i = 0; i < TURNS; i++)
        deflater_destroy(kept[i]);
    free(in);
    free(first);
    free(out);
}

/* Codes fit the middle of a piece, or parts of it. What they do not fit at all is stored, and never
 * larger. */
TEST(codes_fit_the_piece)
{
    uint8_t *in = malloc(BYTES), *out = malloc(2 * BYTES), *back = malloc(BYTES);
    for (enum way way = PACKED; way <= RUNS; way++) {
        uint32_t value = 1;
        for (size_t i = 0; i < BYTES; i++) { /* the sum of two dice, as differences of pixels are */
            value = value * 1664525u + 1013904223u;
            in[i] = (uint8_t)((value >> 28) + (value >> 24 & 15));
        }
        uLongf theirs = 2 * BYTES, length = BYTES;
        assert_int_equal(compress2(out, &theirs, in, BYTES, 1), Z_OK);
        assert_true(stream_make(in, BYTES, way, out) <= theirs * 101 / 100);
        fill(in, NOISE);
        memset(in + BYTES / 4, 0, BYTES / 2);
        for (size_t i = 0; i < BYTES; i += 8192) /* where deflate_runs looks */
            memset(in + i, 0, 1024);
        assert_true(stream_make(in, BYTES, way, out) <= BYTES + BYTES / 100);
        assert_int_equal(uncompress(back, &length, out, BYTES + BYTES / 100), Z_OK);
        assert_memory_equal(back, in, BYTES);
    }
    fill(in, ZEROS);
    assert_true(stream_make(in, BYTES, RUNS, out) < BYTES / 200);
    fill(in, RARE);
    assert_true(stream_make(in, BYTES, RUNS, out) < BYTES / 8 * 2.1); /* its entropy is 2 bits */
    free(in);
    free(out);
    free(back);
}

TEST(sums_are_those_of_zlib)
{
    uint8_t *in = malloc(BYTES);
    fill(in, NOISE);
    for (size_t length = 1; length < BYTES; length = length * 3 + 1) {
        assert_int_equal(deflate_adler(1, in, length), adler32(1, in, (uInt)length));
        assert_int_equal(deflate_crc(0, in, length), crc32(0, in, (uInt)length));
        assert_int_equal(deflate_crc(deflate_crc(0, in, 1), in + 1, length - 1),
                         crc32(0, in, (uInt)length));
    }
    free(in);
}
