#include <zlib.h>

#include "render/file/png_text.h"
#include "tests/render/disk/folder.h"

struct build {
    unsigned char at[4096];
    size_t length;
};

static void chunk_add(struct build *png, const char *type, const void *data, size_t length)
{
    unsigned char *at = png->at + png->length;
    uLong sum = crc32(crc32(0, (const unsigned char *)type, 4), data, (uInt)length);
    if (length == 0) /* zlib answers NULL data with its start value */
        sum = crc32(0, (const unsigned char *)type, 4);
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(length >> (24 - 8 * i));
        at[8 + length + (size_t)i] = (unsigned char)(sum >> (24 - 8 * i));
    }
    memcpy(at + 4, type, 4);
    if (length)
        memcpy(at + 8, data, length);
    png->length += length + 12;
}

/* Signature and header of a 3 x 2 picture of 8 bits. */
static struct build png_begin(void)
{
    struct build png = {.length = 8};
    memcpy(png.at, "\x89PNG\r\n\x1a\n", 8);
    chunk_add(&png, "IHDR", "\0\0\0\3\0\0\0\2\x08\2\0\0\0", 13);
    return png;
}

#define TEXT(value) "deepfield\0" value, sizeof "deepfield\0" value - 1

static struct build png_whole(void)
{
    struct build png = png_begin();
    chunk_add(&png, "gAMA", "\0\0\xb1\x8f", 4);
    chunk_add(&png, "tEXt", "Title\0deepfield", 15);
    chunk_add(&png, "tEXt", TEXT("[view]\nre = -0.5\n"));
    chunk_add(&png, "tEXt", TEXT("a second one is not looked at"));
    chunk_add(&png, "IDAT", "not deflate", 11);
    chunk_add(&png, "IEND", NULL, 0);
    return png;
}

/* Looks in a block of exactly `length` bytes, so that sanitizers see reads beyond it. */
static enum status find(const void *bytes, size_t length, char **text, struct png_facts *facts)
{
    unsigned char *exact = malloc(length ? length : 1);
    memcpy(exact, bytes, length);
    enum status status = png_text_find(exact, length, "x.png", text, facts);
    free(exact);
    if (status != STATUS_OK)
        assert_null(*text);
    return status;
}

static void assert_found(const struct build *png)
{
    char *text;
    struct png_facts facts;
    if (find(png->at, png->length, &text, &facts) != STATUS_OK)
        fail_msg("%s", status_text());
    assert_string_equal(text, "[view]\nre = -0.5\n");
    assert_true(facts.width == 3 && facts.height == 2 && facts.bits == 8);
    free(text);
}

static void assert_refused(const struct build *png, const char *message)
{
    char *text;
    struct png_facts facts;
    assert_int_equal(find(png->at, png->length, &text, &facts), STATUS_BAD_DATA);
    if (!strstr(status_text(), message))
        fail_msg("'%s' lacks '%s'", status_text(), message);
}

/* Offset of the end of our text chunk: what follows does not matter. */
static size_t text_end(const struct build *png)
{
    struct build before = png_begin();
    chunk_add(&before, "gAMA", "\0\0\xb1\x8f", 4);
    chunk_add(&before, "tEXt", "Title\0deepfield", 15);
    chunk_add(&before, "tEXt", TEXT("[view]\nre = -0.5\n"));
    assert_memory_equal(before.at, png->at, before.length);
    return before.length;
}

TEST(the_view_is_found)
{
    struct build png = png_whole();
    assert_found(&png);
    assert_true(png_text_is_png(png.at, png.length));
    assert_false(png_text_is_png(png.at, 7));
    assert_false(png_text_is_png((const uint8_t *)"[view]\nre = 0", 13));
}

TEST(every_truncation_is_seen)
{
    struct build png = png_whole();
    size_t end = text_end(&png), whole = png.length;
    for (png.length = 0; png.length < end; png.length++)
        assert_refused(&png, png.length < 8 ? "not a PNG" : "damaged PNG");
    for (; png.length <= whole; png.length++)
        assert_found(&png);
}

TEST(every_changed_byte_is_seen)
{
    struct build png = png_whole();
    size_t end = text_end(&png);
    for (size_t i = 0; i < png.length; i++)
        for (int change = 1; change < 256; change++) {
            png.at[i] ^= (unsigned char)change;
            if (i < end)
                assert_refused(&png, i < 8 ? "not a PNG" : "damaged PNG");
            else
                assert_found(&png);
            png.at[i] ^= (unsigned char)change;
        }
}

TEST(pictures_of_others_are_told_from_damaged_ones)
{
    struct build png = png_begin();
    chunk_add(&png, "tEXt", "deepfield2\0x", 12);
    chunk_add(&png, "tEXt", "deepfield", 9); /* no NUL */
    chunk_add(&png, "tEXt", NULL, 0);
    chunk_add(&png, "zTXt", "deepfield\0\0x", 12);
    struct build ended = png;
    chunk_add(&png, "IDAT", "x", 1);
    chunk_add(&png, "tEXt", TEXT("too late"));
    assert_refused(&png, "another program");
    chunk_add(&ended, "IEND", NULL, 0);
    assert_refused(&ended, "another program");
}

TEST(hostile_chunks_are_refused)
{
    static const unsigned char length[][4] = {{0xff, 0xff, 0xff, 0xff},
                                              {0x80, 0, 0, 0},
                                              {0x7f, 0xff, 0xff, 0xff},
                                              {0xff, 0xff, 0xff, 0xf4}};
    for (size_t i = 0; i < sizeof length / sizeof length[0]; i++) {
        struct build png = png_begin();
        memcpy(png.at + png.length, length[i], 4);
        memcpy(png.at + png.length + 4, "tEXt", 4);
        png.length += 100;
        assert_refused(&png, "claims");
    }
    struct build png = png_begin();
    chunk_add(&png, "tEXt", TEXT("a\0b"));
    assert_refused(&png, "is not text");
}

TEST(hostile_headers_are_refused)
{
    static const char *const header[] = {
        "\0\0\0\0\0\0\0\2\x08\2\0\0\0",   "\0\0\0\3\0\0\0\0\x08\2\0\0\0",
        "\x80\0\0\0\0\0\0\2\x08\2\0\0\0", "\0\0\0\3\xff\xff\xff\xff\x08\2\0\0\0",
        "\0\0\0\3\0\0\0\2\0\2\0\0\0",     "\0\0\0\3\0\0\0\2\7\2\0\0\0",
        "\0\0\0\3\0\0\0\2\x20\2\0\0\0",
    };
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++) {
        struct build png = {.length = 8};
        memcpy(png.at, "\x89PNG\r\n\x1a\n", 8);
        chunk_add(&png, "IHDR", header[i], 13);
        chunk_add(&png, "tEXt", TEXT("x"));
        assert_refused(&png, "the header says");
    }
    struct build png = {.length = 8};
    memcpy(png.at, "\x89PNG\r\n\x1a\n", 8);
    struct build short_header = png, data_first = png;
    chunk_add(&png, "tEXt", TEXT("x"));
    assert_refused(&png, "does not begin with a header");
    chunk_add(&short_header, "IHDR", "\0\0\0\3\0\0\0\2\x08\2\0\0", 12);
    assert_refused(&short_header, "does not begin with a header");
    chunk_add(&data_first, "IDAT", "x", 1);
    assert_refused(&data_first, "does not begin with a header");
}

TEST(long_texts_are_limited)
{
    for (int more = 0; more <= 1; more++) {
        size_t length = 10 + PNG_TEXT_BYTES_MAX + (size_t)more;
        struct build png = png_begin();
        unsigned char *bytes = malloc(png.length + length + 12), *data = bytes + png.length + 8;
        memcpy(bytes, png.at, png.length);
        memcpy(data - 4, "tEXt", 4);
        memset(data, 'x', length);
        memcpy(data, PNG_TEXT_KEY, sizeof PNG_TEXT_KEY);
        uLong sum = crc32(0, data - 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++) {
            data[-8 + i] = (unsigned char)(length >> (24 - 8 * i));
            data[length + (size_t)i] = (unsigned char)(sum >> (24 - 8 * i));
        }
        char *text;
        struct png_facts facts;
        assert_int_equal(png_text_find(bytes, png.length + length + 12, "x", &text, &facts),
                         more ? STATUS_BAD_DATA : STATUS_OK);
        free(text);
        free(bytes);
    }
}
