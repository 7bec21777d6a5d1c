/* Hints for the first minutes: one line that says what can be tried next, until the user has tried
 * it, or the time of the line is over. What was learnt is not taught again; what only passed is
 * taught in the next run. Pure. */
#ifndef APP_VIEWER_OVERLAYS_HINTS_H
#define APP_VIEWER_OVERLAYS_HINTS_H

#include <stdbool.h>

#include "app/viewer/input/actions.h"
#include "render/window/event.h"
#include "render/window/paint.h"

enum { HINT_BYTES = 160, HINTS_TEXT_BYTES = 256 };
#define HINT_REST_S 2.0   /* time from one hint to the next */
#define HINT_SHOWN_S 15.0 /* longest time of a hint */

struct hints {       /* zeroed: none is learnt */
    unsigned learnt; /* a bit for each */
    unsigned passed; /* bits of hints that were shown for their time */
    double next_s;   /* earliest time of the next hint */
    bool due;        /* a hint is to come at next_s */
};

void hints_begin(struct hints *hints, double now_s); /* the first line comes after a rest */

/* Note an input, a flight, or an action. True: a hint has been learnt. */
bool hints_event(struct hints *hints, const struct input_event *event);
bool hints_flight(struct hints *hints, double now_s);
bool hints_action(struct hints *hints, enum action action, double now_s);

/* Must a line appear or end? True once for each; else *wake_s becomes no later than its time. */
bool hints_due(struct hints *hints, double now_s, double *wake_s);

/* Converts the learnt hints to text, "drag\nwheel\n", and back; unknown words are ignored. */
void hints_write(const struct hints *hints, char text[HINTS_TEXT_BYTES]);
void hints_read(struct hints *hints, const char *text);

/* The line; "" if there is none now. One whose action has no key is not taught. */
const char *hint_text(const struct hints *hints, const struct actions *actions, double now_s,
                      char text[HINT_BYTES]);

void hint_draw(struct paint *paint, const char *text); /* draws it in the lower left corner */

#endif
