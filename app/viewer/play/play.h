/* Playback of scripts: steps become plain events, on a clock that the caller reads. Pure: the
 * result depends on the script, the times passed in and what is seen.
 *
 * An event carries the time when it was due, not when the viewer asked for it, so that the delays
 * of a slow viewer are measured. */
#ifndef APP_VIEWER_PLAY_PLAY_H
#define APP_VIEWER_PLAY_PLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "app/viewer/play/script.h"
#include "render/window/event.h"

struct play {
    const struct script *script; /* borrowed */
    double begun_s;
    size_t next;      /* the step that is being played */
    double step_s;    /* when the step began; < 0: it has not */
    uint64_t in_step; /* events of the step that have been played */
};

struct play_sight { /* what the player sees of the viewer */
    bool settled;   /* the picture of the last input is finished */
    bool never;     /* the picture of the last input cannot be made */
    bool holds;     /* the condition that the step play_step() waits for is true */
    int32_t width, height;
};

enum play_kind {
    PLAY_EVENT, /* `event` is due now */
    PLAY_STEP,  /* `step`, which is no input, is the caller's to do */
    PLAY_LATE,  /* the condition of `step` has not become true in time */
    PLAY_WAIT,  /* nothing is due before `wake_s`, or before what is seen changes */
    PLAY_END
};

struct play_act {
    struct input_event event;
    const struct script_step *step; /* borrowed from the script */
    double wake_s;
};

/* Are all names in the script known? STATUS_BAD_DATA with "file:line: ...". */
enum status play_check(const struct script *script);

struct play play_begin(const struct script *script, double now_s);

/* The step that is being played or is next; NULL at the end. */
const struct script_step *play_step(const struct play *play);

/* The next thing to do; what is returned is not returned again. */
enum play_kind play_next(struct play *play, double now_s, const struct play_sight *sight,
                         struct play_act *act);

#endif
