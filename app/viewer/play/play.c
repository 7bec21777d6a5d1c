#include "app/viewer/play/play.h"

#include <math.h>
#include <string.h>

#include "app/viewer/play/play_random.h"
#include "library/text/convert.h"

enum { DRAG_MOVES_PER_S = 60 };
#define SETTLE_S 60.0
#define HOLD_STILL_S 0.5
#define HOLDS_S 250.0 /* on a busy machine with sanitizers, too */
#define POLL_S 0.02   /* time between polls of a condition */
#define DAY_S 86400.0

static double bounded(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* ---- names ---- */

static unsigned modifiers_find(const char *text)
{
    static const char *const names[] = {"shift", "ctrl", "alt", "meta"};
    unsigned bits = 0;
    while (*text) {
        size_t length = strcspn(text, "+");
        unsigned bit = 0;
        for (unsigned i = 0; i < 4; i++)
            if (strlen(names[i]) == length && !strncmp(names[i], text, length))
                bit = 1u << i;
        if (!bit)
            return ~0u;
        bits |= bit;
        text += length + (text[length] == '+');
    }
    return bits;
}

/* "ctrl+shift+z" */
static bool key_find(const char *text, struct input_event *event)
{
    char before[64];
    const char *plus = strrchr(text, '+');
    size_t length = plus ? (size_t)(plus - text) : 0;
    if (length >= sizeof before)
        return false;
    memcpy(before, text, length);
    before[length] = '\0';
    event->modifiers = modifiers_find(before);
    event->key = input_key_find(plus ? plus + 1 : text);
    return event->modifiers != ~0u && event->key != INPUT_KEY_NONE;
}

static int index_of(const char *text, const char *(*name)(int))
{
    for (int i = 0; name(i); i++)
        if (!strcmp(name(i), text))
            return i;
    return -1;
}

static const char *button_name(int number)
{
    static const char *const names[] = {"double", "left", "middle", "right"};
    return number < 4 ? names[number] : NULL;
}

static const char *finger_name(int number)
{
    static const char *const names[] = {"down", "move", "up"};
    return number < 3 ? names[number] : NULL;
}

/* ---- events of a step ---- */

/* Event number `i` of a click or double click. */
static bool click_event(const struct script_step *step, uint64_t i, struct input_event *event)
{
    int named = index_of(step->word[0], button_name);
    if (named < 0 || i >= (named ? 2 : 4))
        return false;
    event->kind = i % 2 ? INPUT_BUTTON_UP : INPUT_BUTTON_DOWN;
    event->button = named ? named : INPUT_LEFT;
    event->clicks = 1 + (int)(i / 2);
    event->x = step->number[0];
    event->y = step->number[1];
    event->buttons = i % 2 ? 0 : 1u << event->button;
    return true;
}

static bool drag_event(const struct script_step *step, uint64_t i, struct input_event *event,
                       double *after_s)
{
    double seconds = bounded(step->number[4], 0, DAY_S);
    uint64_t moves = (uint64_t)fmax(1, round(seconds * DRAG_MOVES_PER_S));
    double share = i == 0 ? 0 : fmin((double)i / (double)moves, 1);
    event->kind = i == 0 ? INPUT_BUTTON_DOWN : i <= moves ? INPUT_MOVE : INPUT_BUTTON_UP;
    event->button = INPUT_LEFT;
    event->clicks = 1;
    event->buttons = i <= moves ? 1u << INPUT_LEFT : 0;
    event->modifiers = step->word[0] ? modifiers_find(step->word[0]) : 0;
    event->x = step->number[0] + share * (step->number[2] - step->number[0]);
    event->y = step->number[1] + share * (step->number[3] - step->number[1]);
    *after_s = share * seconds;
    return event->modifiers != ~0u && i <= moves + 1;
}

/* Event number `i` of a button that is held until it is a flight, then moved evenly. */
static bool hold_event(const struct script_step *step, uint64_t i, struct input_event *event,
                       double *after_s)
{
    const double *n = step->number;
    bool moves = step->verb == SCRIPT_HOLD_MOVED;
    double seconds = bounded(n[moves ? 4 : 2], 0, DAY_S), begin_s = fmin(HOLD_STILL_S, seconds);
    uint64_t steps = moves ? (uint64_t)((seconds - begin_s) * DRAG_MOVES_PER_S) : 0;
    double share = steps ? fmin((double)i / (double)steps, 1) : 0;
    int named = index_of(step->word[0], button_name);
    event->kind = i == 0 ? INPUT_BUTTON_DOWN : i <= steps ? INPUT_MOVE : INPUT_BUTTON_UP;
    event->button = named;
    event->clicks = 1;
    event->buttons = i <= steps && named > 0 ? 1u << named : 0;
    event->x = n[0] + (moves ? share * (n[2] - n[0]) : 0);
    event->y = n[1] + (moves ? share * (n[3] - n[1]) : 0);
    *after_s = i == 0 ? 0 : i <= steps ? begin_s + share * (seconds - begin_s) : seconds;
    return named > 0 && i <= steps + 1;
}

/* Event number `i` of a text, which is cut between characters of UTF-8. */
static bool text_event(const struct script_step *step, uint64_t i, struct input_event *event)
{
    const char *from = step->word[0];
    event->kind = INPUT_TEXT;
    for (uint64_t cut = 0;; cut++) {
        size_t length = strnlen(from, INPUT_TEXT_BYTES - 1);
        while (length > 1 && ((unsigned char)from[length] & 0xc0) == 0x80)
            length--;
        if (cut == i) {
            memcpy(event->text, from, length);
            return length > 0;
        }
        if (!length)
            return false;
        from += length;
    }
}

static bool finger_event(const struct script_step *step, const struct play_sight *sight,
                         struct input_event *event)
{
    int named = index_of(step->word[0], finger_name);
    event->kind = (enum input_kind)(INPUT_FINGER_DOWN + named);
    event->finger = (int64_t)bounded(step->number[0], 0, 1e9);
    event->x = step->number[1] * sight->width;
    event->y = step->number[2] * sight->height;
    return named >= 0;
}

static bool wheel_event(const struct script_step *step, struct input_event *event)
{
    event->kind = INPUT_WHEEL;
    event->wheel_y = step->number[0];
    event->x = step->number[1];
    event->y = step->number[2];
    event->modifiers = step->word[0] ? modifiers_find(step->word[0]) : 0;
    return event->modifiers != ~0u;
}

static bool pad_event(const struct script_step *step, struct input_event *event)
{
    event->kind = INPUT_PAD_AXIS;
    event->value = step->number[0];
    if (step->verb == SCRIPT_PAD_AXIS)
        return (event->axis = index_of(step->word[0], input_axis_name)) >= 0;
    int named = index_of(step->word[1], finger_name);
    event->kind = named ? INPUT_PAD_UP : INPUT_PAD_DOWN;
    event->pad_button = index_of(step->word[0], input_pad_button_name);
    return event->pad_button >= 0 && named >= 0 && named != 1;
}

static bool many_event(const struct script_step *step, uint64_t i, const struct play_sight *sight,
                       struct input_event *event, double *after_s)
{
    const double *n = step->number;
    bool random = step->verb == SCRIPT_RANDOM || step->verb == SCRIPT_MASH;
    double seconds = bounded(random ? n[0] : n[1], 0, DAY_S);
    double count = bounded(random ? seconds * n[1] : n[0], 0, 1e9);
    *after_s = (double)i * seconds / count;
    if (!((double)i < count)) {
        event->kind = INPUT_FOCUS_LOST; /* lets go of all that is still held */
        *after_s = seconds;
        return (double)i < count + 1;
    }
    if (step->verb == SCRIPT_MASH)
        play_mash_event(event, (uint64_t)bounded(n[2], 0, 1e9), i, sight->width, sight->height);
    else if (random)
        play_random_event(event, (uint64_t)bounded(n[2], 0, 1e9), i, sight->width, sight->height);
    else
        play_change_event(event, i, sight->width, sight->height);
    return true;
}

/* Event number `i` of the step and its seconds after the step's begin; false if it has no more. */
static bool step_event(const struct script_step *step, uint64_t i, const struct play_sight *sight,
                       struct input_event *event, double *after_s)
{
    *event = (struct input_event){0};
    *after_s = 0;
    switch (step->verb) {
    case SCRIPT_MOVE:
        *event =
            (struct input_event){.kind = INPUT_MOVE, .x = step->number[0], .y = step->number[1]};
        return i < 1;
    case SCRIPT_WHEEL:
        return wheel_event(step, event) && i < 1;
    case SCRIPT_CLICK:
        return click_event(step, i, event);
    case SCRIPT_DRAG:
        return drag_event(step, i, event, after_s);
    case SCRIPT_HOLD:
    case SCRIPT_HOLD_MOVED:
        return hold_event(step, i, event, after_s);
    case SCRIPT_KEY:
        event->kind = i ? INPUT_KEY_UP : INPUT_KEY_DOWN;
        return key_find(step->word[0], event) && i < 2;
    case SCRIPT_TEXT:
        return text_event(step, i, event);
    case SCRIPT_FINGER:
        return finger_event(step, sight, event) && i < 1;
    case SCRIPT_PAD_BUTTON:
    case SCRIPT_PAD_AXIS:
        return pad_event(step, event) && i < 1;
    case SCRIPT_RANDOM:
    case SCRIPT_MASH:
    case SCRIPT_CHANGES:
        return many_event(step, i, sight, event, after_s);
    default:
        return false;
    }
}

static bool is_input(enum script_verb verb)
{
    return verb <= SCRIPT_CHANGES;
}

enum status play_check(const struct script *script)
{
    const struct play_sight sight = {.width = 1, .height = 1};
    for (size_t i = 0; i < script->count; i++) {
        const struct script_step *step = &script->steps[i];
        struct input_event event;
        double after_s;
        if (is_input(step->verb) && !step_event(step, 0, &sight, &event, &after_s)) {
            char first[SHOWN_BYTES], second[SHOWN_BYTES];
            return status_fail(STATUS_BAD_DATA, "%s:%d: nothing is called '%s%s%s'", script->name,
                               step->line, text_shown(step->word[0] ? step->word[0] : "", first),
                               step->word[1] ? " " : "",
                               text_shown(step->word[1] ? step->word[1] : "", second));
        }
    }
    return STATUS_OK;
}

struct play play_begin(const struct script *script, double now_s)
{
    return (struct play){.script = script, .begun_s = now_s, .step_s = -1};
}

static void step_end(struct play *play)
{
    play->next++;
    play->step_s = -1;
    play->in_step = 0;
}

/* PLAY_END stands for: this step is over, ask the next. */
static enum play_kind step_next(struct play *play, double now_s, const struct play_sight *sight,
                                struct play_act *act)
{
    const struct script_step *step = act->step = &play->script->steps[play->next];
    if (step->verb == SCRIPT_WAIT_UNTIL) {
        if (sight->holds && play->in_step > 0) /* before, it is about another step */
            return PLAY_END;
        play->in_step = 1;
        act->wake_s = fmin(now_s + POLL_S, play->step_s + HOLDS_S);
        return now_s < play->step_s + HOLDS_S ? PLAY_WAIT : PLAY_LATE;
    }
    if (step->verb == SCRIPT_WAIT || step->verb == SCRIPT_SETTLE) {
        bool waits = step->verb == SCRIPT_WAIT;
        double least_s = waits ? step->number[0] : 0, most_s = waits ? least_s : SETTLE_S;
        if (!waits && step->number[0] > 0)
            most_s = step->number[0];
        act->wake_s = play->step_s + most_s;
        if (!waits && sight->settled)
            return PLAY_END;
        if (now_s < act->wake_s && (waits || !sight->never))
            return PLAY_WAIT;
        return waits ? PLAY_END : PLAY_LATE;
    }
    if (!is_input(step->verb))
        return PLAY_STEP;
    double after_s;
    if (!step_event(step, play->in_step, sight, &act->event, &after_s))
        return PLAY_END;
    act->event.time_s = act->wake_s = play->step_s + after_s;
    if (now_s < act->wake_s)
        return PLAY_WAIT;
    play->in_step++;
    return PLAY_EVENT;
}

const struct script_step *play_step(const struct play *play)
{
    return play->next < play->script->count ? &play->script->steps[play->next] : NULL;
}

enum play_kind play_next(struct play *play, double now_s, const struct play_sight *sight,
                         struct play_act *act)
{
    while (play->next < play->script->count) {
        double at_s = play->script->steps[play->next].at_s;
        if (play->step_s < 0) {
            if (at_s >= 0 && now_s < play->begun_s + at_s) {
                act->wake_s = play->begun_s + at_s;
                return PLAY_WAIT;
            }
            play->step_s = at_s >= 0 ? play->begun_s + at_s : now_s;
        }
        enum play_kind kind = step_next(play, now_s, sight, act);
        if (kind == PLAY_STEP || kind == PLAY_LATE)
            step_end(play);
        if (kind != PLAY_END)
            return kind;
        step_end(play);
    }
    return PLAY_END;
}
