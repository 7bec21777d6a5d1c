/* Pace of frames to one page: how many may be under way, and how large they may be. Pure: it reads
 * no clock.
 *
 * A page confirms every frame that it has shown. What a confirmation takes beyond the shortest one
 * is the time that the frame waited in the network or in the browser; the level follows it, so that
 * a slow link gets smaller frames, and the number of frames under way is bounded, so that it gets
 * fewer. Others are not delayed, since nothing waits for a confirmation. */
#ifndef APP_SERVE_PACE_H
#define APP_SERVE_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PACE_FLIGHT_MOST = 8, /* frames under way */
    PACE_LEVELS = 6,      /* 0: the best */
    PACE_CALM = 6         /* prompt confirmations after which the level becomes better */
};

#define PACE_FRAME_S 0.033 /* wanted time between frames */
#define PACE_LEAST_S 0.015 /* least time between two: no screen shows more */
#define PACE_LATE_S 0.060  /* delay beyond the shortest one at which frames become smaller */
#define PACE_PROMPT_S 0.025
#define PACE_DEAD_S 30.0 /* a page that confirms nothing for so long is gone */

struct pace_frame {
    uint32_t sequence;
    double sent_s;
    size_t bytes;
};

struct pace { /* zeroed: nothing was sent */
    struct pace_frame flight[PACE_FLIGHT_MOST];
    int in_flight;
    int level, prompt;
    double least_s;    /* shortest confirmation; rises slowly, since routes change */
    double last_s;     /* time of the newest frame */
    double changed_s;  /* time at which the level changed */
    uint32_t sequence; /* number of the newest frame */
};

/* May another frame be sent? A page that has not confirmed any yet gets one. */
bool pace_may_send(const struct pace *pace, double now_s);

/* Enters a frame that is sent, and returns its number. */
uint32_t pace_sent(struct pace *pace, size_t bytes, double now_s);

/* Enters a confirmation; it confirms all older frames, too. False: no such frame is under way. */
bool pace_shown(struct pace *pace, uint32_t sequence, double now_s);

/* Has the oldest frame been under way for too long? */
bool pace_is_dead(const struct pace *pace, double now_s);

#endif
