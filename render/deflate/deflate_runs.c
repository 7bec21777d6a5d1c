#include "render/deflate/deflate_runs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    END = 256,          /* symbol behind the last byte */
    FIRST_LENGTH = 257, /* symbol of a run of 3 */
    SYMBOLS = 286,
    LENGTH_MOST = 258,
    LENGTH_SYMBOLS = 19,     /* symbols of the lengths of codes */
    GROUP = 8,               /* bytes that are compared at once */
    CODE_BITS_MOST = 14,     /* longest code: 4 codes and 7 pending bits fit into 64 */
    SAMPLED_BYTES = 1 << 10, /* bytes that the codes are made for, of each SAMPLES_APART */
    SAMPLES_APART = 8 << 10, /* with all bytes files are 0.2 % smaller and take 1.4 times as long */
    BYTES_LEAST = 1 << 10,   /* shortest piece: the codes alone take 300 bytes */
    MARGIN_BYTES = 64        /* room for a group, the end and whole words */
};

struct code {
    uint32_t bits; /* bits in the order in which they are written */
    unsigned length;
};

struct bits {
    uint64_t waiting;
    unsigned count; /* at most 7 between two calls of bits_flush */
    uint8_t *at;
};

static uint64_t load_64(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static inline void bits_flush(struct bits *bits)
{
    uint64_t value =
        __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(bits->waiting) : bits->waiting;
    memcpy(bits->at, &value, sizeof value);
    bits->at += bits->count / 8;
    bits->waiting >>= bits->count & ~7u;
    bits->count &= 7;
}

static inline void bits_put(struct bits *bits, uint32_t value, unsigned count)
{
    bits->waiting |= (uint64_t)value << bits->count;
    bits->count += count;
}

static inline void code_put(struct bits *bits, struct code code)
{
    bits_put(bits, code.bits, code.length);
}

/* ---- codes ---- */

static int rarer(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Parents of a Huffman tree from leaves in order of their counts; inner nodes come about in order
 * too. Depth of the leaves goes to `depth`. */
static void depths_find(const uint64_t *leaf, int leaves, unsigned *depth)
{
    uint64_t weight[2 * SYMBOLS];
    int parent[2 * SYMBOLS], inner = leaves, next = 0, made = leaves;
    unsigned level[2 * SYMBOLS];
    for (int i = 0; i < leaves; i++)
        weight[i] = leaf[i] >> 16;
    for (; made < 2 * leaves - 1; made++) {
        weight[made] = 0;
        for (int child = 0; child < 2; child++) {
            bool is_leaf = next < leaves && (inner == made || weight[next] <= weight[inner]);
            int taken = is_leaf ? next++ : inner++;
            weight[made] += weight[taken];
            parent[taken] = made;
        }
    }
    level[made - 1] = 0;
    for (int i = made - 2; i >= 0; i--)
        level[i] = level[parent[i]] + 1;
    memcpy(depth, level, (size_t)leaves * sizeof *depth);
}

/* Lengths of at most `most` bits that fill the space of codes, from a tree that may be deeper. */
static void depths_limit(unsigned *depth, int leaves, unsigned most)
{
    int64_t space = (int64_t)1 << most;
    for (int i = 0; i < leaves; i++) {
        depth[i] = depth[i] < most ? depth[i] : most;
        space -= (int64_t)1 << (most - depth[i]);
    }
    for (int i = 0; space < 0; i = depth[i] < most ? i : i + 1) /* make the rarest longer */
        for (; space < 0 && depth[i] < most; depth[i]++)
            space += (int64_t)1 << (most - depth[i] - 1);
    for (int i = leaves - 1; i >= 0; i--) /* then the commonest shorter again */
        while (depth[i] > 1 && space >= (int64_t)1 << (most - depth[i])) {
            space -= (int64_t)1 << (most - depth[i]);
            depth[i]--;
        }
}

/* RFC 1951, 3.2.2 */
static void codes_number(struct code *code, int symbols)
{
    uint32_t next[CODE_BITS_MOST + 2] = {0}, count[CODE_BITS_MOST + 1] = {0};
    for (int s = 0; s < symbols; s++)
        count[code[s].length]++;
    count[0] = 0;
    for (int bits = 1; bits <= CODE_BITS_MOST; bits++)
        next[bits] = (next[bits - 1] + count[bits - 1]) << 1;
    for (int s = 0; s < symbols; s++) {
        uint32_t value = code[s].length ? next[code[s].length]++ : 0, bits = 0;
        for (unsigned b = 0; b < code[s].length; b++)
            bits |= (value >> b & 1) << (code[s].length - 1 - b);
        code[s].bits = bits;
    }
}

/* Makes codes; at least two symbols must have a count. */
static void codes_make(const uint32_t *count, int symbols, unsigned most, struct code *code)
{
    uint64_t leaf[SYMBOLS];
    unsigned depth[SYMBOLS];
    int leaves = 0;
    for (int s = 0; s < symbols; s++)
        if (count[s])
            leaf[leaves++] = (uint64_t)count[s] << 16 | (unsigned)s;
    qsort(leaf, (size_t)leaves, sizeof *leaf, rarer);
    depths_find(leaf, leaves, depth);
    depths_limit(depth, leaves, most);
    memset(code, 0, (size_t)symbols * sizeof *code);
    for (int i = 0; i < leaves; i++)
        code[leaf[i] & 0xffff].length = depth[i];
    codes_number(code, symbols);
}

/* ---- runs ---- */

/* Symbol of a run of 3 ... 258, and the extra bits behind it. */
static int run_symbol(size_t length, unsigned *extra_bits, uint32_t *extra)
{
    unsigned value = (unsigned)length - 3, bits = 0;
    *extra_bits = 0;
    *extra = 0;
    if (length == LENGTH_MOST)
        return SYMBOLS - 1;
    while (value >> bits >= 8)
        bits++;
    *extra_bits = bits;
    *extra = value & ((1u << bits) - 1);
    return FIRST_LENGTH + (int)(4 * bits + (value >> bits));
}

/* Does the group at `at`, which is not the first byte, repeat the byte before it? */
static inline bool is_run(const uint8_t *in, size_t at, uint64_t group)
{
    return load_64(in + at - 1) == group;
}

/* Number of bytes from `at` on that repeat the one before it, up to LENGTH_MOST; the first group
 * does. */
static size_t run_length(const uint8_t *in, size_t at, size_t length, uint64_t group)
{
    size_t most = length - at < LENGTH_MOST ? length - at : LENGTH_MOST, run = GROUP;
    while (run + GROUP <= most && load_64(in + at + run) == group)
        run += GROUP;
    while (run < most && in[at + run] == in[at])
        run++;
    return run;
}

static void symbols_count(const uint8_t *in, size_t from, size_t to, size_t length,
                          uint32_t count[SYMBOLS])
{
    unsigned bits;
    uint32_t extra;
    for (size_t at = from, run; at + GROUP <= to; at += run) {
        uint64_t group = load_64(in + at);
        if (at && is_run(in, at, group)) {
            run = run_length(in, at, length, group);
            count[run_symbol(run, &bits, &extra)]++;
            continue;
        }
        for (run = 0; run < GROUP; run++, group >>= 8)
            count[group & 255]++;
    }
}

/* ---- the piece ---- */

/* Writes the head of a piece. Lengths of codes are written one by one: few repeat. */
static void head_put(struct bits *bits, const struct code *code, enum deflate_end end)
{
    static const uint8_t order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                  11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint32_t count[LENGTH_SYMBOLS] = {0};
    struct code length_code[LENGTH_SYMBOLS];
    for (int s = 0; s < SYMBOLS; s++)
        count[code[s].length]++;
    count[0]++;
    count[1]++;
    codes_make(count, LENGTH_SYMBOLS, 7, length_code);
    bits_put(bits, end == DEFLATE_LAST, 1);
    bits_put(bits, 2, 2);
    bits_put(bits, SYMBOLS - 257, 5);
    bits_put(bits, 0, 5); /* number of distance codes less 1 */
    bits_put(bits, LENGTH_SYMBOLS - 4, 4);
    for (int i = 0; i < LENGTH_SYMBOLS; i++) {
        bits_put(bits, length_code[order[i]].length, 3);
        bits_flush(bits);
    }
    for (int s = 0; s < SYMBOLS; s++) {
        code_put(bits, length_code[code[s].length]);
        bits_flush(bits);
    }
    code_put(bits, length_code[1]);
    bits_flush(bits);
}

/* Writes a group. Codes are joined in pairs, so that few shifts depend on each other. */
static inline void group_put(struct bits *bits, const struct code *code, uint64_t group)
{
    for (int half = 0; half < 2; half++, group >>= 32) {
        struct code a = code[group & 255], b = code[group >> 8 & 255];
        struct code c = code[group >> 16 & 255], d = code[group >> 24 & 255];
        uint64_t ab = a.bits | (uint64_t)b.bits << a.length;
        uint64_t cd = c.bits | (uint64_t)d.bits << c.length;
        unsigned first = a.length + b.length;
        bits->waiting |= (ab | cd << first) << bits->count;
        bits->count += first + c.length + d.length;
        bits_flush(bits);
    }
}

static void run_put(struct bits *bits, const struct code *code, size_t length)
{
    unsigned extra_bits;
    uint32_t extra;
    code_put(bits, code[run_symbol(length, &extra_bits, &extra)]);
    bits_put(bits, extra, extra_bits);
    bits_put(bits, 0, 1); /* distance 1 */
    bits_flush(bits);
}

/* Writes the body; false: it does not fit into `most` bytes. */
static bool body_put(struct bits *out, const struct code *code, const uint8_t *in, size_t length,
                     const uint8_t *most)
{
    struct bits bits = *out;
    size_t at = 1;
    code_put(&bits, code[in[0]]);
    bits_flush(&bits); /* a group of rare bytes needs the space */
    for (size_t run; at + GROUP <= length && bits.at < most; at += run) {
        uint64_t group = load_64(in + at);
        if (is_run(in, at, group)) {
            run = run_length(in, at, length, group);
            run_put(&bits, code, run);
        } else {
            run = GROUP;
            group_put(&bits, code, group);
        }
    }
    for (; at < length && bits.at < most; at++) {
        code_put(&bits, code[in[at]]);
        bits_flush(&bits);
    }
    code_put(&bits, code[END]);
    bits_flush(&bits);
    *out = bits;
    return bits.at < most;
}

static size_t end_put(struct bits *bits, enum deflate_end end, const uint8_t *out)
{
    static const uint8_t empty[] = {0, 0, 255, 255}; /* stored block, so that the end is a byte */
    if (end == DEFLATE_MORE)
        bits_put(bits, 0, 3);
    bits->count += 7;
    bits_flush(bits);
    if (end == DEFLATE_MORE) {
        memcpy(bits->at, empty, sizeof empty);
        bits->at += sizeof empty;
    }
    return (size_t)(bits->at - out);
}

static void count_sampled(const uint8_t *in, size_t length, uint32_t count[SYMBOLS])
{
    for (int s = 0; s < SYMBOLS; s++) /* so that each symbol has a code */
        count[s] = 1;
    for (size_t from = 0; from < length; from += SAMPLES_APART) {
        size_t to = from + SAMPLED_BYTES;
        symbols_count(in, from, to < length ? to : length, length, count);
    }
}

size_t deflate_runs(const uint8_t *in, size_t length, enum deflate_end end, uint8_t *out)
{
    uint32_t count[SYMBOLS];
    struct code code[SYMBOLS];
    struct bits bits = {.at = out};
    if (length < BYTES_LEAST)
        return deflate_store(in, length, end, out);
    count_sampled(in, length, count);
    codes_make(count, SYMBOLS, CODE_BITS_MOST, code);
    head_put(&bits, code, end);
    if (!body_put(&bits, code, in, length, out + length - MARGIN_BYTES))
        return deflate_store(in, length, end, out);
    return end_put(&bits, end, out);
}
