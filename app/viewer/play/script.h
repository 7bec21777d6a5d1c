/* Scripts of input and of expectations for the viewer: a text of one step a line, for tests,
 * measurements and demonstrations.
 *
 *     # comments and empty lines are skipped
 *     t=0.50 wheel 3 at 400 300
 *     key ctrl+z
 *     settle
 *     expect zoom > 8
 *
 * A step with `t=` begins that many seconds after the script did, one without when the step before
 * it has ended. Positions are in pixels of the window, those of fingers in shares of it. The forms
 * of all steps stand in one table, script_forms. */
#ifndef APP_VIEWER_PLAY_SCRIPT_H
#define APP_VIEWER_PLAY_SCRIPT_H

#include <stddef.h>

#include "kernels/status.h"

enum script_verb {
    /* input */
    SCRIPT_MOVE,
    SCRIPT_WHEEL,
    SCRIPT_CLICK,
    SCRIPT_DRAG,
    SCRIPT_HOLD,
    SCRIPT_HOLD_MOVED,
    SCRIPT_KEY,
    SCRIPT_TEXT,
    SCRIPT_FINGER,
    SCRIPT_PAD_BUTTON,
    SCRIPT_PAD_AXIS,
    SCRIPT_RANDOM,
    SCRIPT_MASH,
    SCRIPT_CHANGES,
    /* waiting */
    SCRIPT_WAIT,
    SCRIPT_WAIT_UNTIL,
    SCRIPT_SETTLE,
    /* what the viewer itself does */
    SCRIPT_CLIPBOARD,
    SCRIPT_RESIZE,
    SCRIPT_CLOSE,
    SCRIPT_STALL,
    SCRIPT_HURRY,
    SCRIPT_WORKERS,
    SCRIPT_CAPTURE,
    SCRIPT_PICTURE,
    SCRIPT_EXPECT,
    SCRIPT_EXPECT_PIXEL,
    SCRIPT_EXPECT_RENDER,
    SCRIPT_QUIT
};

enum { SCRIPT_NUMBERS = 5, SCRIPT_WORDS = 3, SCRIPT_BYTES_MAX = 1 << 20 };

struct script_step {
    int line;    /* line number in the file, from 1 */
    double at_s; /* time since the script began; < 0: when the step before has ended */
    enum script_verb verb;
    double number[SCRIPT_NUMBERS]; /* ordered as in the form; 0 where a form has fewer */
    char *word[SCRIPT_WORDS];      /* ordered as in the form; owned; NULL where a form has fewer */
};

struct script {
    char *name; /* file name; owned */
    struct script_step *steps;
    size_t count;
};

/* Form of a step: `#` stands for a number, `$` for a word or a quoted text with \n, \" and \\. */
struct script_form {
    enum script_verb verb;
    const char *words;
    const char *help;
};

extern const struct script_form script_forms[];
extern const int script_forms_count;

/* STATUS_NO_INPUT, STATUS_BAD_DATA with "file:line: ..." and what would be right. */
enum status script_load(struct script *script, const char *path);
enum status script_parse(struct script *script, const char *text, size_t length, const char *name);
void script_destroy(struct script *script); /* accepts a zeroed one */

#endif
