#include "app/serve/page_frame.h"

#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"

enum { HEAD_BYTES = 24, CELL_BYTES = 16 };

#define SLOW_S 0.25   /* least time between frames that only smooth */
#define ENCODE_S 0.04 /* time for the cells of a message without loss */

/* Bytes of a message without loss; so long does a motion wait at most. */
static size_t exact_bytes_most(const struct page_view *page)
{
    return page->pace.level == 0 ? 256 << 10 : page->pace.level == 1 ? 128 << 10 : 48 << 10;
}

/* Does the page show any of this cell? */
static bool is_seen(const struct page_view *page, const struct cell_cache *cells, int cell)
{
    const struct cell_rect *part = &page->part, box = cell_cache_box(cells, cell);
    return !part->width || (box.x < part->x + part->width && box.x + box.width > part->x &&
                            box.y < part->y + part->height && box.y + box.height > part->y);
}

static bool is_stale(const struct page_view *page, const struct cell_cache *cells,
                     const struct frame_facts *facts, int cell)
{
    return is_seen(page, cells, cell) && (page->have[cell] != cell_cache_version(cells, cell) ||
                                          (facts->final && !page->exact[cell]));
}

static bool is_new(const struct page_view *page, const struct frame_facts *facts)
{
    return page->picture != facts->picture || page->width != facts->width ||
           page->height != facts->height;
}

bool page_frame_due(const struct page_view *page, const struct cell_cache *cells,
                    const struct frame_facts *facts, double now_s)
{
    if (!facts->picture || !pace_may_send(&page->pace, now_s))
        return false;
    if (is_new(page, facts) || page->motion != facts->motion)
        return true;
    if (facts->slow && now_s - page->pace.last_s < SLOW_S)
        return false;
    for (int i = 0; i < cell_cache_count(cells); i++)
        if (is_stale(page, cells, facts, i))
            return true;
    return facts->final && page->told_exact != facts->number;
}

/* ---- bytes ---- */

static enum status bytes_want(struct frame_bytes *frame, size_t more)
{
    size_t needed = frame->before + frame->length + more;
    if (needed <= frame->capacity)
        return STATUS_OK;
    uint8_t *bytes = realloc(frame->bytes, needed + needed / 2);
    if (!bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a frame");
    frame->bytes = bytes;
    frame->capacity = needed + needed / 2;
    return STATUS_OK;
}

static uint8_t *number_put(uint8_t *to, uint32_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *to++ = (uint8_t)(number >> 8 * i);
    return to;
}

static enum status cell_put(struct frame_bytes *frame, struct cell_cache *cells, int cell,
                            int level)
{
    const struct cell_rect box = cell_cache_box(cells, cell);
    const uint8_t *file;
    size_t length;
    TRY(cell_cache_encode(cells, cell, level, &file, &length));
    TRY(bytes_want(frame, CELL_BYTES + length));
    uint8_t *to = frame->bytes + frame->before + frame->length;
    to = number_put(to, (uint32_t)box.x, 2);
    to = number_put(to, (uint32_t)box.y, 2);
    to = number_put(to, (uint32_t)box.width, 2);
    to = number_put(to, (uint32_t)box.height, 2);
    to = number_put(to, level == CELL_EXACT ? FRAME_WEBP : FRAME_JPEG, 4);
    to = number_put(to, (uint32_t)length, 4);
    memcpy(to, file, length);
    frame->length += CELL_BYTES + length;
    return STATUS_OK;
}

static void head_put(struct frame_bytes *frame, const struct page_view *page, unsigned flags,
                     uint32_t cells, uint32_t sequence)
{
    uint8_t *to = frame->bytes + frame->before;
    *to++ = 'D';
    *to++ = (uint8_t)flags;
    to = number_put(to, cells, 2);
    to = number_put(to, sequence, 4);
    to = number_put(to, page->motion, 4);
    to = number_put(to, (uint32_t)page->width, 2);
    to = number_put(to, (uint32_t)page->height, 2);
    to = number_put(to, (uint32_t)page->picture, 4);
    number_put(to, page->told_exact, 4);
}

/* ---- frames ---- */

static bool all_exact(const struct page_view *page, const struct cell_cache *cells)
{
    for (int i = 0; i < cell_cache_count(cells); i++)
        if (is_seen(page, cells, i) &&
            (page->have[i] != cell_cache_version(cells, i) || !page->exact[i]))
            return false;
    return true;
}

/* Adds cells that the page does not have; returns their number. */
static enum status cells_put(struct page_view *page, struct cell_cache *cells,
                             const struct frame_facts *facts, struct frame_bytes *frame, int *count)
{
    const bool whole = is_new(page, facts), exact = facts->final && !whole;
    const int level = exact ? CELL_EXACT : page->pace.level;
    const double begun_s = clock_s();
    *count = 0;
    for (int i = 0; i < cell_cache_count(cells); i++) {
        if (!(whole ? is_seen(page, cells, i) : is_stale(page, cells, facts, i)))
            continue;
        TRY(cell_put(frame, cells, i, level));
        page->have[i] = cell_cache_version(cells, i);
        page->exact[i] = exact;
        ++*count;
        if (exact && (frame->length > exact_bytes_most(page) || clock_s() - begun_s > ENCODE_S))
            break;
    }
    return STATUS_OK;
}

static enum status frame_build(struct page_view *page, struct cell_cache *cells,
                               const struct frame_facts *facts, unsigned flags, double now_s,
                               struct frame_bytes *frame)
{
    int count;
    flags |= is_new(page, facts) ? FRAME_NEW : 0;
    frame->length = 0;
    TRY(bytes_want(frame, HEAD_BYTES));
    frame->length = HEAD_BYTES;
    TRY(cells_put(page, cells, facts, frame, &count));
    page->picture = facts->picture;
    page->motion = facts->motion;
    page->width = facts->width;
    page->height = facts->height;
    page->told_exact = facts->final && all_exact(page, cells) ? facts->number : 0;
    if (page->told_exact)
        flags |= FRAME_EXACT;
    head_put(frame, page, flags, (uint32_t)count, pace_sent(&page->pace, frame->length, now_s));
    return STATUS_OK;
}

enum status page_frame_make(struct page_view *page, struct cell_cache *cells,
                            const struct frame_facts *facts, double now_s,
                            struct frame_bytes *frame)
{
    frame->length = 0;
    return page_frame_due(page, cells, facts, now_s)
               ? frame_build(page, cells, facts, 0, now_s, frame)
               : STATUS_OK;
}

enum status page_frame_held(struct page_view *page, struct cell_cache *cells,
                            const struct frame_facts *facts, uint32_t number, double now_s,
                            struct frame_bytes *frame)
{
    page->pace.in_flight = 0; /* the wall knows what is under way */
    page->pace.sequence = number - 1;
    return frame_build(page, cells, facts, FRAME_HELD, now_s, frame);
}
