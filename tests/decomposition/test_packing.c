/* Packed pixels: the same bits come back, and bytes that are none of ours are refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/transport/link.h"
#include "decomposition/transport/packing.h"
#include "tests/support/check.h"

enum { MOST = 1 << 19 };

static unsigned char elements[MOST], back[MOST], packed[MOST + PACKING_HEADER];
static struct packing *packing;

enum content { NOISE, ZEROS, RAMP, EXTREMES, SPARSE, CONTENTS };

static void fill(enum content content, size_t bytes, uint64_t *seed)
{
    static const uint64_t extremes[] = {
        0, UINT64_MAX, 1, UINT64_C(1) << 63, INT64_MAX, UINT64_C(0x7fffffff80000000)};
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word = content == NOISE    ? (uint32_t)check_random(seed)
                        : content == RAMP   ? (uint32_t)(i / 128)
                        : content == SPARSE ? (check_random(seed) % 97 == 0) * 0x3f800001u
                                            : 0;
        memcpy(elements + i, &word, 4);
    }
    for (size_t i = 0; content == EXTREMES && i + 8 <= bytes; i += 8)
        memcpy(elements + i, &extremes[check_random(seed) % 6], 8);
}

static void round_trip(enum content content, size_t bytes, size_t element, uint64_t *seed)
{
    size_t length;
    fill(content, bytes, seed);
    memset(back, 0x5a, sizeof back);
    assert_int_equal(packing_pack(packing, elements, bytes, element, packed, &length), STATUS_OK);
    assert_true(length <= packing_room(bytes));
    assert_int_equal(packing_unpack(packing, packed, length, back, bytes, element), STATUS_OK);
    assert_memory_equal(back, elements, bytes);
    if (content == ZEROS && bytes > 4096)
        assert_true(length < bytes / 20);
}

TEST(test_round_trips)
{
    static const size_t sizes[] = {8, 16, 24, 4088, 65536, MOST};
    uint64_t seed = 7;
    packing = packing_create();
    if (!packing_is_built())
        skip();
    assert_non_null(packing);
    for (int content = 0; content < CONTENTS; content++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t element = 4; element <= 8; element += 4)
                round_trip((enum content)content, sizes[i], element, &seed);
    round_trip(NOISE, 4, 4, &seed);
    packing_destroy(packing);
}

/* Every byte changed, every length, and noise: refused, or other pixels, and nothing outside is
 * read or written (the sanitizers look). */
TEST(test_broken_blocks)
{
    enum { BYTES = 2048 };
    uint64_t seed = 11;
    size_t length, refused = 0;
    packing = packing_create();
    if (!packing_is_built())
        skip();
    fill(RAMP, BYTES, &seed);
    assert_int_equal(packing_pack(packing, elements, BYTES, 4, packed, &length), STATUS_OK);
    unsigned char *broken = malloc(length);
    for (size_t cut = 0; cut < length; cut++) {
        memcpy(broken, packed, length);
        assert_int_equal(packing_unpack(packing, broken, cut, back, BYTES, 4), STATUS_BAD_DATA);
        broken[cut] ^= (unsigned char)(1 + check_random(&seed) % 255);
        refused += packing_unpack(packing, broken, length, back, BYTES, 4) == STATUS_BAD_DATA;
    }
    free(broken);
    assert_true(refused > PACKING_HEADER / 2);
    assert_int_equal(packing_unpack(packing, packed, length, back, BYTES, 8), STATUS_BAD_DATA);
    assert_int_equal(packing_unpack(packing, packed, length, back, BYTES - 4, 4), STATUS_BAD_DATA);
    for (int i = 0; i < 20000; i++) {
        size_t noise = check_random(&seed) % 200;
        for (size_t k = 0; k < noise; k++)
            back[k] = (unsigned char)check_random(&seed);
        memcpy(back, packed, noise < 6 ? noise : check_random(&seed) % 41);
        packing_unpack(packing, back, noise, elements, BYTES, 4);
    }
    packing_destroy(packing);
}

TEST(test_links)
{
    const struct link_speeds gigabit = {.link = 118e6, .pack = 900e6, .unpack = 1100e6},
                             fast = {.link = 6e9, .pack = 900e6, .unpack = 1100e6},
                             many = {.link = 118e6, .pack = 900e6, .unpack = 1100e6 / 16},
                             endless = {.link = INFINITY, .pack = 900e6, .unpack = 1100e6};
    assert_true(link_packs(&gigabit));
    assert_false(link_packs(&fast));
    assert_false(link_packs(&many)); /* rank 0 unpacks no faster than its link brings */
    assert_false(link_packs(&endless));
}
