#include "render/file/jpg_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    SIGNATURE_BYTES = 3,
    FRAME = 0xc0, /* shape of a baseline frame; 0xc1 and 0xc2: of others */
    SCAN = 0xda,  /* entropy-coded data follow */
    COMMENT = 0xfe,
    LINE_BYTES = 64 /* line before the text of a comment */
};

bool jpg_text_is_jpg(const uint8_t *bytes, size_t length)
{
    return length >= SIGNATURE_BYTES && !memcmp(bytes, "\xff\xd8\xff", SIGNATURE_BYTES);
}

/* ---- writing ---- */

bool jpg_segment_write(FILE *stream, int marker, const void *bytes, size_t length)
{
    size_t whole = length + 2;
    const uint8_t head[4] = {0xff, (uint8_t)marker, (uint8_t)(whole >> 8), (uint8_t)whole};
    return fwrite(head, 1, sizeof head, stream) == sizeof head &&
           fwrite(bytes, 1, length, stream) == length;
}

static size_t line_make(char line[LINE_BYTES], size_t number, size_t count)
{
    return (size_t)snprintf(line, LINE_BYTES, "deepfield view, part %zu of %zu\n", number, count);
}

bool jpg_text_write(FILE *stream, const char *text)
{
    enum { PART_BYTES = JPG_SEGMENT_BYTES_MAX - LINE_BYTES };
    char part[JPG_SEGMENT_BYTES_MAX];
    size_t length = strlen(text), count = (length + PART_BYTES - 1) / PART_BYTES;
    for (size_t i = 0; i < count; i++) {
        size_t used = line_make(part, i + 1, count), from = i * PART_BYTES;
        size_t bytes = length - from < PART_BYTES ? length - from : PART_BYTES;
        memcpy(part + used, text + from, bytes);
        if (!jpg_segment_write(stream, COMMENT, part, used + bytes))
            return false;
    }
    return true;
}

/* ---- reading ---- */

bool jpg_segment_next(const uint8_t *bytes, size_t length, size_t *offset,
                      struct jpg_segment *segment)
{
    if (*offset > length || length - *offset < 4 || bytes[*offset] != 0xff)
        return false;
    const uint8_t *at = bytes + *offset;
    size_t whole = (size_t)at[2] << 8 | at[3]; /* with its own two bytes */
    if (at[1] < 0xc0 || at[1] == 0xff || whole < 2 || whole > length - *offset - 2)
        return false;
    *segment = (struct jpg_segment){.marker = at[1], .data = at + 4, .length = whole - 2};
    *offset += 2 + whole;
    return true;
}

/* Reads the shape from the head of a frame: bits, height, width, components. */
static void frame_read(const struct jpg_segment *segment, struct png_facts *facts)
{
    if (segment->marker < FRAME || segment->marker > FRAME + 2 || segment->length < 6)
        return;
    const uint8_t *data = segment->data;
    *facts = (struct png_facts){.width = (uint32_t)data[3] << 8 | data[4],
                                .height = (uint32_t)data[1] << 8 | data[2],
                                .bits = data[0]};
}

struct jpg_view { /* parts of the view so far */
    char *text;
    size_t length, parts, count;
};

/* Adds the comment if it is the next part of a view. False without memory. */
static bool comment_take(struct jpg_view *view, const struct jpg_segment *segment)
{
    char line[LINE_BYTES] = "", again[LINE_BYTES];
    size_t number, count;
    memcpy(line, segment->data,
           segment->length < sizeof line - 1 ? segment->length : sizeof line - 1);
    if (segment->marker != COMMENT ||
        sscanf(line, "deepfield view, part %5zu of %5zu", &number, &count) != 2)
        return true;
    size_t head = line_make(again, number, count);
    if (head >= sizeof again || head > segment->length || /* scanf takes -1 for a large number */
        memcmp(segment->data, again, head) != 0 || number != view->parts + 1 ||
        (view->parts && count != view->count))
        return true;
    size_t bytes = segment->length - head;
    if (bytes > PNG_TEXT_BYTES_MAX - view->length || memchr(segment->data + head, 0, bytes))
        return true;
    char *text = realloc(view->text, view->length + bytes + 1);
    if (!text)
        return false;
    memcpy(text + view->length, segment->data + head, bytes);
    *view = (struct jpg_view){text, view->length + bytes, number, count};
    text[view->length] = '\0';
    return true;
}

static enum status view_end(const struct jpg_view *view, const char *name, bool memory)
{
    if (!memory)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the view in %s", name);
    if (view->parts == 0)
        return status_fail(STATUS_BAD_DATA,
                           "%s: a JPEG without a view: another program made or rewrote it", name);
    if (view->parts < view->count)
        return status_fail(STATUS_BAD_DATA, "%s: damaged JPEG: %zu of %zu parts of its view", name,
                           view->parts, view->count);
    return STATUS_OK;
}

enum status jpg_text_find(const uint8_t *bytes, size_t length, const char *name, char **text,
                          struct png_facts *facts)
{
    struct jpg_view view = {0};
    struct jpg_segment segment;
    size_t offset = 2;
    bool memory = true;
    *text = NULL;
    *facts = (struct png_facts){0};
    if (!jpg_text_is_jpg(bytes, length))
        return status_fail(STATUS_BAD_DATA, "%s: not a JPEG", name);
    while (memory && jpg_segment_next(bytes, length, &offset, &segment) && segment.marker != SCAN) {
        frame_read(&segment, facts);
        memory = comment_take(&view, &segment);
    }
    enum status status = view_end(&view, name, memory);
    if (status == STATUS_OK && (facts->width == 0 || facts->height == 0 || facts->bits == 0))
        status = status_fail(STATUS_BAD_DATA, "%s: damaged JPEG: the size is missing", name);
    if (status == STATUS_OK) {
        *text = view.text;
        return STATUS_OK;
    }
    free(view.text);
    *facts = (struct png_facts){0};
    return status;
}
