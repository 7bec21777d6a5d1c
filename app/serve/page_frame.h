/* Frames: what a page does not have yet of the served picture, as one message.
 *
 * While the picture changes its cells are JPEG, at the level of the page's pace; a picture of
 * another view is sent whole, so that the page can show it at once. Once it is final its cells
 * follow as WebP without loss, in messages so short that a motion can begin between them.
 *
 * A message, numbers with the low byte first:
 *
 *     bytes   1 byte 'D', 1 byte flags, 2 bytes number of cells, 4 bytes sequence (to be
 * confirmed), 4 bytes number of the newest motion that is in the picture, 2 + 2 bytes size of the
 *             picture, 4 bytes number of the picture, 4 bytes number of the exact picture, as facts
 *             name it, or 0
 *     a cell  2 + 2 bytes position, 2 + 2 bytes size, 1 byte kind, 3 bytes 0, 4 bytes length
 *             of the file that follows */
#ifndef APP_SERVE_PAGE_FRAME_H
#define APP_SERVE_PAGE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/serve/cell_cache.h"
#include "app/serve/pace.h"

enum {
    FRAME_NEW = 1,   /* another picture */
    FRAME_EXACT = 2, /* all pixels are the final ones */
    FRAME_HELD = 4   /* is to be shown when that is said (wall.h) */
};
enum { FRAME_JPEG, FRAME_WEBP };

struct page_view { /* what a page has; zeroed: nothing */
    struct pace pace;
    uint32_t have[CELLS_MOST]; /* version of each cell; 0: none */
    bool exact[CELLS_MOST];    /* without loss */
    uint64_t picture;
    uint32_t motion;
    int32_t width, height;
    uint32_t told_exact;   /* number of the picture that it knows to be exact; 0: none */
    struct cell_rect part; /* part of the picture that it shows; width 0: all of it */
};

struct frame_facts {
    uint64_t picture; /* number of the picture in the cells; 0: none that can be shown */
    uint32_t motion;  /* newest motion that is in it */
    int32_t width, height;
    uint32_t number; /* names the last final picture, in facts too */
    bool final;      /* no pixel will change any more */
    bool slow;       /* pixels change by smoothing alone: frames can wait */
};

struct frame_bytes { /* kept from frame to frame */
    uint8_t *bytes;  /* owned */
    size_t length, capacity;
    size_t before; /* bytes that are left free for the transport */
};

/* Is there anything that the page may be sent now? */
bool page_frame_due(const struct page_view *page, const struct cell_cache *cells,
                    const struct frame_facts *facts, double now_s);

/* Makes the next frame behind `before` bytes, and enters it as sent. length 0: there is none. */
enum status page_frame_make(struct page_view *page, struct cell_cache *cells,
                            const struct frame_facts *facts, double now_s,
                            struct frame_bytes *frame);

/* Makes a frame of a wall, of this number, also where nothing is new. */
enum status page_frame_held(struct page_view *page, struct cell_cache *cells,
                            const struct frame_facts *facts, uint32_t number, double now_s,
                            struct frame_bytes *frame);

#endif
