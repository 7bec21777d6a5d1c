/* Notices for the user: a few sentences that go away by themselves. Pure. */
#ifndef APP_VIEWER_OVERLAYS_NOTICE_H
#define APP_VIEWER_OVERLAYS_NOTICE_H

#include <stdbool.h>

#include "render/window/paint.h"

enum { NOTICES = 4, NOTICE_BYTES = 256 };
enum notice_kind { NOTICE_INFO, NOTICE_ALARM };
#define NOTICE_SECONDS 4.0 /* an alarm stays twice as long */

struct notices { /* zeroed: none */
    struct notice {
        double until_s; /* 0: free */
        enum notice_kind kind;
        const void *topic;
        char text[NOTICE_BYTES]; /* longer ones are cut, between characters */
    } notice[NOTICES];           /* oldest first */
};

/* Shows a sentence. The same one again only stays longer, and one of the same topic, which is any
 * address, replaces the one before; NULL: no topic. */
void notice_say(struct notices *notices, enum notice_kind kind, double now_s, const void *topic,
                const char *text);

/* Drops notices whose time is over; returns whether one was. */
bool notices_expire(struct notices *notices, double now_s);

/* When the next notice expires; INFINITY if there is none. */
double notices_next_s(const struct notices *notices);

bool notices_any(const struct notices *notices);

/* Closes the newest notice; false if there was none. */
bool notice_close(struct notices *notices);

/* Draws the newest `most` notices at the lower edge, in `width` units from the left. No sentence is
 * cut, so older ones may have no room. */
void notices_draw(const struct notices *notices, struct paint *paint, double width, int most);

#endif
