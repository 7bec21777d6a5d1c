#include "app/viewer/kiosk/kiosk.h"

#include <math.h>
#include <string.h>

#define TREMBLE 8.0 /* units that a mouse may move without a hand */
#define DRIFT 0.25  /* tilt that a stick may have without a hand */

/* clang-format off */
static const enum action allowed[] = {
    ACTION_ZOOM_IN, ACTION_ZOOM_OUT, ACTION_ZOOM_IN_FAR, ACTION_ZOOM_OUT_FAR,
    ACTION_WHEEL_IN, ACTION_WHEEL_OUT, ACTION_WHEEL_IN_FAR, ACTION_WHEEL_OUT_FAR,
    ACTION_JUMP_IN, ACTION_JUMP_OUT, ACTION_BOX, ACTION_CENTRE,
    ACTION_PAN, ACTION_PAN_LEFT, ACTION_PAN_RIGHT, ACTION_PAN_UP, ACTION_PAN_DOWN,
    ACTION_PAN_LEFT_FAR, ACTION_PAN_RIGHT_FAR, ACTION_PAN_UP_FAR, ACTION_PAN_DOWN_FAR,
    ACTION_TURN, ACTION_TURN_LEFT, ACTION_TURN_RIGHT, ACTION_UPRIGHT,
    ACTION_PINCH, ACTION_FLY_IN, ACTION_FLY_OUT,
    ACTION_PAD_PAN, ACTION_PAD_AIM, ACTION_PAD_IN, ACTION_PAD_OUT,
    ACTION_HOME, ACTION_UNDO, ACTION_REDO,
    ACTION_PALETTE_NEXT, ACTION_PALETTE_PREVIOUS, ACTION_DENSITY_MORE, ACTION_DENSITY_LESS,
    ACTION_OFFSET_MORE, ACTION_OFFSET_LESS, ACTION_CONTRAST_MORE, ACTION_CONTRAST_LESS,
    ACTION_RELIEF_MORE, ACTION_RELIEF_LESS, ACTION_INTERIOR, ACTION_CYCLE,
    ACTION_JULIA, ACTION_JULIA_PEEK, ACTION_JULIA_INSET,
    ACTION_MINIMAP, ACTION_HUD, ACTION_TILES, ACTION_INFO,
    ACTION_RANK_TIMES, ACTION_RANKS_MORE, ACTION_RANKS_LESS, ACTION_RANKS_DEVICES,
};
/* clang-format on */

bool kiosk_allows(enum action action)
{
    size_t i = 0;
    while (i < sizeof allowed / sizeof *allowed && allowed[i] != action)
        i++;
    return i < sizeof allowed / sizeof *allowed;
}

/* clang-format off */
static const enum string texts[] = {
    STRING_STAND_HOME, STRING_STAND_OUT, STRING_STAND_PALETTE, STRING_STAND_SURPRISE,
    STRING_STAND_TOUR, STRING_STAND_LANGUAGE, STRING_STAND_LEFT, STRING_STAND_TITLE,
    STRING_STAND_HOLD, STRING_STAND_BLACK, STRING_STAND_PLAIN, STRING_STAND_WAIT,
    STRING_STAND_RANKS, STRING_SAY_PAGE_LEADS, STRING_SAY_PAGE_ASKS,
    STRING_RANKS_COMPUTE, STRING_RANKS_FASTER, STRING_RANKS_MEASURE, STRING_RANKS_PICTURE,
    STRING_RANKS_COMPUTES, STRING_RANKS_TRANSFERS, STRING_RANKS_COMPOSES, STRING_RANKS_WAITS,
    STRING_RANKS_PAUSES, STRING_RANKS_ALL, STRING_RANKS_GPUS, STRING_RANKS_CORES,
    STRING_RANKS_ALIKE,
    STRING_STAND_MORE, STRING_STAND_TAKE_AWAY, STRING_STAND_CODE, STRING_STAND_CODE_SHARED,
    STRING_STAND_SHARED, STRING_STAND_SHARED_MINUTES, STRING_STAND_SHARED_SAVE,
    STRING_STAND_SHARED_PLACE, STRING_STAND_NO_CODE,
    STRING_SAY_CONTRAST, STRING_SAY_RELIEF, STRING_SAY_POINT,
    STRING_SAY_INSIDE, STRING_SAY_INSIDE_DEEP, STRING_SAY_INSIDE_FORMULA, STRING_SAY_INSIDE_JULIA,
    STRING_INSIDE_COLOUR, STRING_INSIDE_PERIOD, STRING_INSIDE_DISTANCE,
    STRING_SAY_REDUCED_MOTION, STRING_SAY_DEEPEST, STRING_SAY_WIDEST,
    STRING_INSET_SEED, STRING_INSET_MAP, STRING_INSET_MAP_JULIA,
    STRING_HUD_ZOOM, STRING_HUD_TURNED, STRING_HUD_STRETCHED, STRING_HUD_NO_ESCAPE,
    STRING_HUD_COUNTS, STRING_HUD_ORBIT_STEPS, STRING_HUD_ORBIT, STRING_HUD_SMOOTHING,
    STRING_HUD_COMPUTING, STRING_HUD_FORMULA, STRING_HUD_JULIA, STRING_HUD_PALETTE,
    STRING_HUD_PALETTE_CYCLING, STRING_HUD_PALETTE_PLACE, STRING_HUD_LIMIT,
    STRING_HUD_LIMIT_AUTOMATIC, STRING_HUD_RANK, STRING_HUD_TILES, STRING_HUD_TILES_SILENT,
    STRING_HUD_LOST, STRING_HUD_MORE,
    STRING_STAGE_NOTHING, STRING_STAGE_COARSE, STRING_STAGE_QUARTER, STRING_STAGE_HALF,
    STRING_STAGE_FINE, STRING_STAGE_FINISHED, STRING_STAGE_PREVIEW, STRING_STAGE_SAMPLES,
    STRING_STAGE_FAILED,
};
/* clang-format on */

bool kiosk_shows(enum string string)
{
    if (string >= STRING_CHALLENGE && string <= STRING_DEPTH_PROTON)
        return true; /* challenges and depth */
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] == string)
            return true;
    return false;
}

/* ---- visits ---- */

double kiosk_left(const struct kiosk_idle *idle, double now_s)
{
    if (idle->stage != KIOSK_COUNTDOWN)
        return 0;
    double gone_s = now_s - idle->touched_s - idle->idle_s;
    return fmin(fmax(1 - gone_s / idle->countdown_s, 0), 1);
}

bool kiosk_is_sign(struct kiosk_idle *idle, const struct input_event *event, double scale)
{
    switch (event->kind) {
    case INPUT_KEY_DOWN:
        return !event->repeat;
    case INPUT_BUTTON_DOWN:
    case INPUT_BUTTON_UP:
    case INPUT_WHEEL:
    case INPUT_FINGER_DOWN:
    case INPUT_FINGER_MOVE:
    case INPUT_FINGER_UP:
    case INPUT_PAD_DOWN:
    case INPUT_PAD_UP:
        return true;
    case INPUT_PAD_AXIS:
        return fabs(event->value) > DRIFT;
    case INPUT_MOVE:
        if (fmax(fabs(event->x - idle->pointer_x), fabs(event->y - idle->pointer_y)) <
            TREMBLE * scale)
            return false;
        idle->pointer_x = event->x;
        idle->pointer_y = event->y;
        return true;
    default:
        return false;
    }
}

bool kiosk_is_touch(const struct input_event *event)
{
    return event->kind == INPUT_FINGER_DOWN || event->kind == INPUT_BUTTON_DOWN ||
           event->kind == INPUT_WHEEL || event->kind == INPUT_PAD_DOWN ||
           event->kind == INPUT_PAD_AXIS || (event->kind == INPUT_KEY_DOWN && !event->repeat);
}

enum kiosk_change kiosk_touched(struct kiosk_idle *idle, double now_s)
{
    bool arrived = idle->stage == KIOSK_ATTRACT;
    idle->stage = KIOSK_VISITOR;
    idle->touched_s = now_s;
    return arrived ? KIOSK_ARRIVED : KIOSK_NOTHING;
}

enum kiosk_change kiosk_step(struct kiosk_idle *idle, double now_s)
{
    double gone_s = now_s - idle->touched_s;
    if (idle->stage == KIOSK_VISITOR && gone_s >= idle->idle_s)
        idle->stage = KIOSK_COUNTDOWN;
    if (idle->stage != KIOSK_COUNTDOWN || gone_s < idle->idle_s + idle->countdown_s)
        return KIOSK_NOTHING;
    idle->stage = KIOSK_ATTRACT;
    return KIOSK_LEFT;
}

double kiosk_next_s(const struct kiosk_idle *idle)
{
    return idle->stage == KIOSK_VISITOR     ? idle->touched_s + idle->idle_s
           : idle->stage == KIOSK_COUNTDOWN ? idle->touched_s + idle->idle_s + idle->countdown_s
                                            : INFINITY;
}

/* ---- the way out for staff ---- */

bool kiosk_pin_is_valid(const char *pin)
{
    size_t length = strlen(pin);
    return length >= KIOSK_PIN_LEAST && length <= KIOSK_PIN_MOST &&
           strspn(pin, "0123456789") == length;
}

/* 0: the upper left one, 1: the upper right one, -1: none. */
static int corner_at(double x, double y, double width_px, double corner_px)
{
    if (!(y <= corner_px))
        return -1;
    return x <= corner_px ? 0 : x >= width_px - corner_px ? 1 : -1;
}

void kiosk_exit_finger(struct kiosk_exit *staff, const struct input_event *event, double width_px,
                       double corner_px)
{
    int at =
        event->kind == INPUT_FINGER_UP ? -1 : corner_at(event->x, event->y, width_px, corner_px);
    for (int i = 0; i < 2; i++)
        if (staff->corner[i].held && staff->corner[i].finger == event->finger && at != i)
            staff->corner[i].held = false;
    if (at >= 0 && event->kind == INPUT_FINGER_DOWN) {
        staff->corner[at].held = true;
        staff->corner[at].finger = event->finger;
    }
    bool both = staff->corner[0].held && staff->corner[1].held;
    if (!both)
        staff->held_s = 0;
    else if (!(staff->held_s > 0))
        staff->held_s = event->time_s;
}

bool kiosk_exit_step(struct kiosk_exit *staff, double now_s)
{
    if (staff->asks && now_s >= staff->asked_s + KIOSK_PIN_S) {
        staff->asks = false;
        return true;
    }
    if (staff->asks || !(staff->held_s > 0) || now_s < staff->held_s + KIOSK_CORNERS_S ||
        !staff->pin || !*staff->pin)
        return false;
    staff->corner[0].held = staff->corner[1].held = false;
    staff->held_s = 0;
    staff->asks = true;
    staff->asked_s = now_s;
    staff->typed[0] = '\0';
    return true;
}

bool kiosk_exit_digit(struct kiosk_exit *staff, char digit, double now_s)
{
    size_t length = strlen(staff->typed);
    if (!staff->asks || length >= KIOSK_PIN_MOST || digit < '0' || digit > '9')
        return false;
    staff->typed[length] = digit;
    staff->typed[length + 1] = '\0';
    staff->asked_s = now_s;
    if (length + 1 < strlen(staff->pin))
        return false;
    staff->asks = false;
    return strcmp(staff->typed, staff->pin) == 0;
}
