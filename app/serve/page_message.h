/* Messages of a page: a word, and what belongs to it. Hostile input; pure. */
#ifndef APP_SERVE_PAGE_MESSAGE_H
#define APP_SERVE_PAGE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/view/view_motion.h"

enum {
    PAGE_MESSAGE_MOST = 700 << 10, /* bytes: a place with two coordinates of NUMBER_DIGITS_MAX */
    PAGE_MESSAGE_BOOKMARK = 512,   /* bytes with the name and the title of a bookmark */
    PAGE_MESSAGE_SHORT = 256,      /* bytes of all others at most */
    PAGE_BUTTONS_MOST = 64,
    PAGE_SCREENS_MOST = 8, /* columns and rows of a wall */
    PAGE_RANKS_MOST = 256, /* workers that a page can leave out */
    PAGE_SIDE_LEAST = 16,
    PAGE_SIDE_MOST = 8192 /* pixels of a side of the picture at most */
};

enum page_word {
    PAGE_MOVE,  /* move NUMBER FROM_X FROM_Y TO_X TO_Y FACTOR TURN HELD: a motion */
    PAGE_REST,  /* rest: the hand has let go */
    PAGE_SHOWN, /* shown SEQUENCE: that frame is on the screen */
    PAGE_SIZE,  /* size WIDTH HEIGHT: pixels of the canvas */
    PAGE_HOME,  /* home: all of the set */
    PAGE_BACK,  /* back, forward: through the places that were seen */
    PAGE_FORWARD,
    PAGE_JULIA,    /* julia X Y: the Julia set of the point there */
    PAGE_GO,       /* go TEXT: a view by name, or the text of a place */
    PAGE_SET,      /* set KEY VALUE */
    PAGE_STEP,     /* step ACTION: one of the window that changes the look, as "density-more" */
    PAGE_PLACE,    /* place: wants its text */
    PAGE_RANK,     /* rank WORKER IN: the worker of that number takes part, or is left out */
    PAGE_LEAD,     /* lead: wants to lead; gives it to whoever asked, from the one who leads */
    PAGE_BOOKMARK, /* bookmark WORDS: as in session_bookmarks.h */
    PAGE_SCREEN,   /* screen COLUMN ROW: shows that place of a wall; -1 -1: chooses one */
    PAGE_READY,    /* ready SEQUENCE: that frame of a wall can be shown */
    PAGE_TOUCH,    /* touch: somebody is at the stand */
    PAGE_PRESS,    /* press BUTTON: of a stand */
    PAGE_RESET,    /* reset, end: staff ends a visit, or the program */
    PAGE_END,
    PAGE_WORDS
};

struct page_message {
    enum page_word word;
    uint32_t number; /* PAGE_MOVE, PAGE_SHOWN, PAGE_READY; PAGE_RANK: of the worker; PAGE_PRESS */
    /* PAGE_MOVE, PAGE_JULIA (from_x, from_y): positions from the middle of the picture, so that
     * they mean the same in a picture whose size has changed meanwhile. */
    struct view_motion motion;
    bool held; /* PAGE_MOVE: a finger or button is down, or a key */
    bool in;   /* PAGE_RANK */
    int32_t width, height;
    int column, row;  /* PAGE_SCREEN */
    char key[32];     /* PAGE_SET; PAGE_STEP: the action */
    const char *text; /* PAGE_GO, PAGE_SET, PAGE_BOOKMARK: the rest of the message, borrowed */
};

/* Reads a message, which ends with a NUL. STATUS_BAD_DATA: it is none; the client is no page of
 * ours. */
enum status page_message_read(struct page_message *message, const char *bytes, size_t length);

#endif
