#include "render/file/exr_header.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"

enum {
    NAME_BYTES_MAX = 255,
    FLAG_TILES = 0x200,
    FLAG_LONG_NAMES = 0x400,
    FLAG_DEEP = 0x800,
    FLAG_PARTS = 0x1000,
    FLAGS_KNOWN = FLAG_TILES | FLAG_LONG_NAMES | FLAG_DEEP | FLAG_PARTS,
    FORMAT_VERSION = 2,
    SIZE_MAX_PX = 1 << 28 /* a row of floats fits the library's 32-bit strides */
};

const char *const exr_text_names[EXR_TEXTS] = {
    [EXR_TEXT_INI] = "deepfield",
    [EXR_TEXT_KFR] = "KallesFraktaler2+",
    [EXR_TEXT_TOML] = "Fraktaler3",
};

const char *const exr_channel_names[EXR_CHANNELS] = {
    "B",      "DEX", "DEY",    "G", "INSIDE",      "N",          "N0",         "N1",      "NF",
    "PERIOD", "R",   "STRIPE", "T", "TRAP_CIRCLE", "TRAP_CROSS", "TRAP_POINT", "TRIANGLE"};

struct exr_cursor { /* rest of the bytes */
    const uint8_t *at, *end;
    const char *name;
};

struct attribute {
    const char *name, *type; /* NUL-ended, within the file */
    const uint8_t *value;
    size_t length;
};

static int32_t little_endian(const uint8_t *bytes)
{
    return (int32_t)((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                     (uint32_t)bytes[3] << 24);
}

static size_t left(const struct exr_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

static enum status cut_fail(const struct exr_cursor *cursor)
{
    return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: ends within its header", cursor->name);
}

/* Takes a NUL-ended name of at least one character. */
static enum status name_next(struct exr_cursor *cursor, const char **name)
{
    size_t most = left(cursor) < NAME_BYTES_MAX + 1 ? left(cursor) : NAME_BYTES_MAX + 1;
    const uint8_t *nul = memchr(cursor->at, 0, most);
    if (!nul && left(cursor) <= NAME_BYTES_MAX)
        return cut_fail(cursor);
    if (!nul || nul == cursor->at)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: a name of its header %s",
                           cursor->name, nul ? "is empty" : "has no end");
    *name = (const char *)cursor->at;
    cursor->at = nul + 1;
    return STATUS_OK;
}

static enum status attribute_next(struct exr_cursor *cursor, struct attribute *attribute)
{
    TRY(name_next(cursor, &attribute->name));
    TRY(name_next(cursor, &attribute->type));
    if (left(cursor) < 4)
        return cut_fail(cursor);
    int32_t length = little_endian(cursor->at);
    cursor->at += 4;
    if (length < 0)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: '%.40s' claims %d bytes",
                           cursor->name, attribute->name, length);
    if ((size_t)length > left(cursor))
        return cut_fail(cursor);
    attribute->value = cursor->at;
    attribute->length = (size_t)length;
    cursor->at += length;
    return STATUS_OK;
}

static enum status attribute_fail(const struct exr_cursor *cursor,
                                  const struct attribute *attribute)
{
    return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: '%.40s' of type %.40s has %zu bytes",
                       cursor->name, attribute->name, attribute->type, attribute->length);
}

/* ---- channels ---- */

enum exr_channel exr_channel_named(const char *name)
{
    int c = 0;
    while (c < EXR_CHANNELS && strcmp(exr_channel_names[c], name) != 0)
        c++;
    return (enum exr_channel)c;
}

static enum status channel_take(struct exr_header *header, struct exr_cursor *cursor)
{
    enum { DETAIL_BYTES = 16 }; /* type, linearity, samplings */
    const char *name = NULL;
    TRY(name_next(cursor, &name));
    if (left(cursor) < DETAIL_BYTES)
        return cut_fail(cursor);
    int32_t type = little_endian(cursor->at), x_step = little_endian(cursor->at + 8),
            y_step = little_endian(cursor->at + 12);
    cursor->at += DETAIL_BYTES;
    enum exr_channel channel = exr_channel_named(name);
    if (type < 0 || type >= EXR_TYPES)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: channel %.40s is of type %d",
                           cursor->name, name, type);
    if (x_step < 1 || y_step < 1 || ++header->channel_count > EXR_CHANNELS_MAX)
        return status_fail(STATUS_BAD_DATA,
                           "%s: damaged EXR: channel %.40s is number %d, sampled "
                           "every %d x %d pixels",
                           cursor->name, name, header->channel_count, x_step, y_step);
    if (x_step != 1 || y_step != 1)
        header->unreadable = "has channels with fewer samples than pixels";
    if (channel == EXR_CHANNELS)
        return STATUS_OK;
    if (header->channels & 1u << channel)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: channel %s is there twice",
                           cursor->name, name);
    header->channels |= 1u << channel;
    header->type[channel] = (enum exr_type)type;
    return STATUS_OK;
}

static enum status channels_take(struct exr_header *header, const struct exr_cursor *whole,
                                 const struct attribute *attribute)
{
    struct exr_cursor cursor = {attribute->value, attribute->value + attribute->length,
                                whole->name};
    while (left(&cursor) > 0 && *cursor.at)
        TRY(channel_take(header, &cursor));
    if (left(&cursor) != 1 || header->channel_count == 0)
        return attribute_fail(&cursor, attribute);
    return STATUS_OK;
}

/* ---- other attributes ---- */

static enum status window_take(struct exr_header *header, const struct exr_cursor *cursor,
                               const struct attribute *attribute)
{
    if (attribute->length != 16)
        return attribute_fail(cursor, attribute);
    const uint8_t *value = attribute->value;
    int64_t x = little_endian(value), y = little_endian(value + 4);
    int64_t width = little_endian(value + 8) - x + 1, height = little_endian(value + 12) - y + 1;
    if (width < 1 || height < 1 || width > SIZE_MAX_PX || height > SIZE_MAX_PX)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: a picture of %lld x %lld pixels",
                           cursor->name, (long long)width, (long long)height);
    header->x = (int32_t)x;
    header->y = (int32_t)y;
    header->width = (int32_t)width;
    header->height = (int32_t)height;
    return STATUS_OK;
}

static enum status text_take(char **text, const struct exr_cursor *cursor,
                             const struct attribute *attribute)
{
    if (*text)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: '%s' is there twice", cursor->name,
                           attribute->name);
    size_t length = attribute->length;
    if (length > EXR_TEXT_BYTES_MAX || memchr(attribute->value, 0, length))
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: '%s' of %zu bytes %s", cursor->name,
                           attribute->name, length,
                           length > EXR_TEXT_BYTES_MAX ? "is too long" : "is not text");
    *text = malloc(length + 1);
    if (!*text)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the texts in %s", cursor->name);
    memcpy(*text, attribute->value, length);
    (*text)[length] = '\0';
    return STATUS_OK;
}

/* Takes an int, or the decimal text of a larger number. */
static enum status number_take(int64_t *number, const struct exr_cursor *cursor,
                               const struct attribute *attribute)
{
    char text[24];
    if (!strcmp(attribute->type, "int") && attribute->length == 4) {
        *number = little_endian(attribute->value);
        return STATUS_OK;
    }
    if (strcmp(attribute->type, "string") != 0 || attribute->length >= sizeof text)
        return attribute_fail(cursor, attribute);
    memcpy(text, attribute->value, attribute->length);
    text[attribute->length] = '\0';
    const char *at = text + strspn(text, " ");
    int64_t value;
    if (!number_whole_take(&at, &value) || *at || value == INT64_MIN || value == INT64_MAX)
        return attribute_fail(cursor, attribute);
    *number = value;
    return STATUS_OK;
}

enum seen { SEEN_CHANNELS = 1, SEEN_WINDOW = 2, SEEN_COMPRESSION = 4, SEEN_ALL = 7 };

static bool is_of(const struct attribute *attribute, const char *name, const char *type)
{
    return !strcmp(attribute->name, name) && !strcmp(attribute->type, type);
}

/* Does the type attribute say scan lines? Deep and tiled files have it, too; one without the flags
 * of such a file would be a trap. */
static bool is_scan_lines(const struct attribute *attribute)
{
    static const char type[] = "scanlineimage";
    return attribute->length == strlen(type) && !memcmp(attribute->value, type, strlen(type));
}

static enum status attribute_take(struct exr_header *header, const struct exr_cursor *cursor,
                                  const struct attribute *attribute, unsigned *seen)
{
    unsigned bit = is_of(attribute, "channels", "chlist")           ? SEEN_CHANNELS
                   : is_of(attribute, "dataWindow", "box2i")        ? SEEN_WINDOW
                   : is_of(attribute, "compression", "compression") ? SEEN_COMPRESSION
                                                                    : 0;
    if (*seen & bit)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: '%s' is there twice", cursor->name,
                           attribute->name);
    *seen |= bit;
    if (bit == SEEN_CHANNELS)
        return channels_take(header, cursor, attribute);
    if (bit == SEEN_WINDOW)
        return window_take(header, cursor, attribute);
    if (bit == SEEN_COMPRESSION) {
        header->compression = attribute->length == 1 ? attribute->value[0] : -1;
        return attribute->length == 1 ? STATUS_OK : attribute_fail(cursor, attribute);
    }
    if (is_of(attribute, "type", "string") && !is_scan_lines(attribute))
        header->unreadable = header->unreadable ? header->unreadable : "is of a type of its own";
    if (!strcmp(attribute->name, "Iterations"))
        return number_take(&header->limit, cursor, attribute);
    if (!strcmp(attribute->name, "IterationsBias"))
        return number_take(&header->bias, cursor, attribute);
    for (int i = 0; i < EXR_TEXTS; i++)
        if (is_of(attribute, exr_text_names[i], "string"))
            return text_take(&header->text[i], cursor, attribute);
    return STATUS_OK;
}

/* ---- the whole ---- */

bool exr_is_one(const uint8_t *bytes, size_t length)
{
    return length >= 4 && !memcmp(bytes, "\x76\x2f\x31\x01", 4);
}

static enum status version_take(struct exr_header *header, struct exr_cursor *cursor)
{
    if (!exr_is_one(cursor->at, left(cursor)))
        return status_fail(STATUS_BAD_DATA, "%s: not an EXR", cursor->name);
    if (left(cursor) < EXR_VERSION_BYTES)
        return cut_fail(cursor);
    unsigned version = (unsigned)little_endian(cursor->at + 4), flags = version & ~0xffu;
    cursor->at += EXR_VERSION_BYTES;
    if ((version & 0xff) != FORMAT_VERSION || flags & ~(unsigned)FLAGS_KNOWN)
        return status_fail(STATUS_BAD_DATA,
                           "%s: an EXR of version %u with flags 0x%x, which is "
                           "unknown here; version 2 is read",
                           cursor->name, version & 0xff, flags);
    header->unreadable = flags & FLAG_PARTS   ? "has several parts"
                         : flags & FLAG_DEEP  ? "is deep"
                         : flags & FLAG_TILES ? "is tiled"
                                              : NULL;
    return STATUS_OK;
}

static enum status header_walk(struct exr_header *header, struct exr_cursor *cursor)
{
    unsigned seen = 0;
    TRY(version_take(header, cursor));
    for (;;) {
        struct attribute attribute;
        if (left(cursor) == 0)
            return cut_fail(cursor);
        if (*cursor->at == 0)
            break;
        TRY(attribute_next(cursor, &attribute));
        TRY(attribute_take(header, cursor, &attribute, &seen));
    }
    if (seen != SEEN_ALL)
        return status_fail(STATUS_BAD_DATA, "%s: damaged EXR: its header has no %s", cursor->name,
                           !(seen & SEEN_CHANNELS) ? "channels"
                           : !(seen & SEEN_WINDOW) ? "dataWindow"
                                                   : "compression");
    return STATUS_OK;
}

enum status exr_header_read(const uint8_t *bytes, size_t length, const char *name,
                            struct exr_header *header)
{
    struct exr_cursor cursor = {bytes, bytes + length, name};
    *header = (struct exr_header){0};
    enum status status = header_walk(header, &cursor);
    if (status != STATUS_OK)
        exr_header_destroy(header);
    return status;
}

void exr_header_destroy(struct exr_header *header)
{
    for (int i = 0; i < EXR_TEXTS; i++)
        free(header->text[i]);
    *header = (struct exr_header){0};
}
