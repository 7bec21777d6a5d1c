/* A wall: screens side by side that show one picture, each its part, all the same frame.
 *
 * A frame goes to every screen, which decodes it and says that it is ready; once all are, and each
 * has said that it shows the one before, all are told to present it, and the next one begins: it
 * travels while this one is presented. So the frames of two screens are never more than one apart,
 * and a frame takes one round trip instead of two. A screen that does not answer for WALL_LATE_S is
 * left behind, so that it delays no others for longer, and takes part again with the first frame
 * after the last of its answers. Pure: it reads no clock. */
#ifndef APP_SERVE_WALL_H
#define APP_SERVE_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "app/serve/cell_cache.h"
#include "kernels/status.h"

enum { WALL_SIDE_MOST = 8, WALL_SCREENS_MOST = 64 };

#define WALL_LATE_S 1.0

/* Answers for which screens are waited. */
enum wall_answer {
    WALL_READY, /* can present the newest frame */
    WALL_SHOWN, /* shows the frame that it was told to present */
    WALL_ANSWERS
};

struct wall_screen {
    const void *page;            /* NULL: there is none at this place */
    uint32_t owed[WALL_ANSWERS]; /* number of the frame of which it owes an answer; 0: none */
    uint32_t ready;              /* number of the frame that it can present; 0: none */
    bool late;                   /* is not waited for */
    bool behind;                 /* was late, and has been given no frame since */
};

struct wall { /* zeroed, with a size: no screen yet */
    int columns, rows;
    struct wall_screen screen[WALL_SCREENS_MOST]; /* row by row */
    uint32_t frame;                               /* number of the newest frame */
    uint32_t presented;           /* number of the frame to present: that, or the one before */
    double begun_s[WALL_ANSWERS]; /* when the answers have begun to be waited for */
};

/* Reads "2x2", columns first. STATUS_CONFIG: no size of a wall. */
enum status wall_of_text(struct wall *wall, const char *text);

/* Is there such a place? */
bool wall_has(const struct wall *wall, int column, int row);

/* Puts a page at a place, in place of one that was there; a page has one place at most. False:
 * there is no such place. */
bool wall_enter(struct wall *wall, const void *page, int column, int row);
void wall_leave(struct wall *wall, const void *page);

/* The screen of a page; NULL: it is none. */
struct wall_screen *wall_screen_of(struct wall *wall, const void *page);

/* The part of a picture that a screen shows: parts cover it without gap or overlap. */
struct cell_rect wall_part(const struct wall *wall, const struct wall_screen *screen, int32_t width,
                           int32_t height);

/* Number of screens that are left behind. */
int wall_late(const struct wall *wall);

/* Is there a screen that was left behind, and has answered since? It shows an older frame until
 * another one is made, also where the picture is finished. */
bool wall_wants_frame(const struct wall *wall);

/* May another frame begin? Its number is then that of wall_begin, and it goes to each screen of
 * which WALL_READY is owed then. */
bool wall_may_begin(const struct wall *wall);
uint32_t wall_begin(struct wall *wall, double now_s);

/* A page says that it has decoded a frame, or that it shows it. Only the answer that its screen
 * still owes counts: another number brings back none that is late. */
void wall_ready(struct wall *wall, const void *page, uint32_t frame);
void wall_shown(struct wall *wall, const void *page, uint32_t frame);

/* Goes on where all have answered or are late; true: the frame is to be presented now, by the
 * screens of which WALL_SHOWN is owed. *until_s falls to the time when somebody is late. */
bool wall_step(struct wall *wall, double now_s, double *until_s);

#endif
