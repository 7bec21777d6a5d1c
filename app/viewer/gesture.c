#include "app/viewer/gesture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/viewer/gesture_parts.h"

#define NOTCHES_MOST 20.0 /* of one event */
#define PLACE_MOST 1e6    /* pixels; no screen reaches farther */

enum status gesture_create(struct gesture **gesture, const struct gesture_settings *settings)
{
    *gesture = calloc(1, sizeof **gesture);
    if (!*gesture)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for gestures");
    gesture_settings(*gesture, settings);
    (*gesture)->reticle_x = settings->width / 2;
    (*gesture)->reticle_y = settings->height / 2;
    return STATUS_OK;
}

void gesture_destroy(struct gesture *gesture)
{
    free(gesture);
}

void gesture_settings(struct gesture *gesture, const struct gesture_settings *settings)
{
    gesture_cancel(gesture);
    gesture->settings = *settings;
}

void gesture_cancel(struct gesture *gesture)
{
    motion_stop(gesture);
    touch_cancel(gesture);
    gesture->drag = (struct drag){0};
    gesture->pressed = false;
    gesture->modifiers = 0;
    memset(gesture->notches, 0, sizeof gesture->notches);
    for (int i = 0; i < GESTURE_PADS_MAX; i++)
        memset(gesture->pad[i].axis, 0, sizeof gesture->pad[i].axis);
}

enum action gesture_bound(const struct gesture *gesture, enum binding_kind kind, unsigned modifiers,
                          int32_t code)
{
    return actions_find(gesture->settings.actions,
                        &(struct binding){.kind = kind, .modifiers = modifiers, .code = code});
}

/* ---- what comes out ---- */

static struct gesture_result *queue_last(struct gesture *gesture)
{
    return &gesture->queue[(gesture->head + gesture->count - 1) % QUEUE_MAX];
}

static void queue_push(struct gesture *gesture, const struct gesture_result *result)
{
    if (gesture->count == QUEUE_MAX) { /* nobody has asked for long: the oldest is stale */
        gesture->head = (gesture->head + 1) % QUEUE_MAX;
        gesture->count--;
    }
    gesture->count++;
    *queue_last(gesture) = *result;
}

static bool is_pan(const struct steer_step *step)
{
    return step->factor == 1 && step->turn_deg == 0;
}

void gesture_push_step(struct gesture *gesture, const struct steer_step *step)
{
    if (is_pan(step) && step->from_x == step->to_x && step->from_y == step->to_y)
        return;
    struct gesture_result *last = gesture->count ? queue_last(gesture) : NULL;
    if (last && last->kind == GESTURE_STEP && is_pan(&last->step) && is_pan(step)) {
        last->step.to_x += step->to_x - step->from_x;
        last->step.to_y += step->to_y - step->from_y;
        return;
    }
    queue_push(gesture, &(struct gesture_result){.kind = GESTURE_STEP, .step = *step});
}

/* ---- actions ---- */

/* What a press makes of the view. */
static const struct {
    enum action action;
    double log2_zoom, right, down, turn_deg; /* right, down: of what is seen, in pictures */
    bool at_pointer;                         /* else about the middle */
} moves[] = {
    {ACTION_ZOOM_IN, 1, 0, 0, 0, false},          {ACTION_ZOOM_OUT, -1, 0, 0, 0, false},
    {ACTION_ZOOM_IN_FAR, 3, 0, 0, 0, false},      {ACTION_ZOOM_OUT_FAR, -3, 0, 0, 0, false},
    {ACTION_WHEEL_IN, 0.25, 0, 0, 0, true}, /* of a notch */
    {ACTION_WHEEL_OUT, -0.25, 0, 0, 0, true},     {ACTION_WHEEL_IN_FAR, 1, 0, 0, 0, true},
    {ACTION_WHEEL_OUT_FAR, -1, 0, 0, 0, true},    {ACTION_JUMP_IN, 2, 0, 0, 0, true},
    {ACTION_JUMP_OUT, -1, 0, 0, 0, true},         {ACTION_PAN_LEFT, 0, 0.1, 0, 0, false},
    {ACTION_PAN_RIGHT, 0, -0.1, 0, 0, false},     {ACTION_PAN_UP, 0, 0, 0.1, 0, false},
    {ACTION_PAN_DOWN, 0, 0, -0.1, 0, false},      {ACTION_PAN_LEFT_FAR, 0, 0.5, 0, 0, false},
    {ACTION_PAN_RIGHT_FAR, 0, -0.5, 0, 0, false}, {ACTION_PAN_UP_FAR, 0, 0, 0.5, 0, false},
    {ACTION_PAN_DOWN_FAR, 0, 0, -0.5, 0, false},  {ACTION_TURN_LEFT, 0, 0, 0, -15, false},
    {ACTION_TURN_RIGHT, 0, 0, 0, 15, false},
};

enum { MOVES = sizeof moves / sizeof *moves };

static bool move_act(struct gesture *gesture, enum action action, double x, double y, double amount)
{
    double width = gesture->settings.width, height = gesture->settings.height;
    for (int i = 0; i < MOVES; i++)
        if (moves[i].action == action) {
            motion_glide(gesture, &(struct glide){.log2_zoom = moves[i].log2_zoom * amount,
                                                  .dx = moves[i].right * width * amount,
                                                  .dy = moves[i].down * height * amount,
                                                  .turn_deg = moves[i].turn_deg * amount,
                                                  .x = moves[i].at_pointer ? x : width / 2,
                                                  .y = moves[i].at_pointer ? y : height / 2});
            return true;
        }
    return false;
}

void gesture_act(struct gesture *gesture, enum action action, double x, double y, double amount)
{
    double middle_x = gesture->settings.width / 2, middle_y = gesture->settings.height / 2;
    if (action == ACTION_NONE || move_act(gesture, action, x, y, amount))
        return;
    if (action == ACTION_CENTRE)
        motion_glide(gesture,
                     &(struct glide){.dx = middle_x - x, .dy = middle_y - y, .x = x, .y = y});
    else if (action_rows[action].sort <= ACTION_REPEAT)
        queue_push(gesture, &(struct gesture_result){
                                .kind = GESTURE_REQUEST, .action = action, .x = x, .y = y});
}

static bool is_by_the_wheel(enum action action)
{
    return action >= ACTION_WHEEL_IN && action <= ACTION_WHEEL_OUT_FAR;
}

/* ---- what comes in ---- */

static void place_of(const struct gesture *gesture, double *x, double *y)
{
    *x = gesture->pointer ? gesture->pointer_x : gesture->settings.width / 2;
    *y = gesture->pointer ? gesture->pointer_y : gesture->settings.height / 2;
}

static void key_take(struct gesture *gesture, const struct input_event *event)
{
    enum action action = gesture_bound(gesture, BINDING_KEY, event->modifiers, event->key);
    double x, y;
    place_of(gesture, &x, &y);
    if (event->repeat && action_rows[action].sort != ACTION_REPEAT)
        return;
    if (gesture->drag.moving) { /* it is what is open; and some drags have Shift or Ctrl held */
        enum action bare = gesture_bound(gesture, BINDING_KEY, 0, event->key);
        if (action == ACTION_ESCAPE || (action == ACTION_NONE && bare == ACTION_ESCAPE)) {
            gesture_cancel(gesture);
            return;
        }
    }
    gesture_act(gesture, action, x, y, 1);
}

/* Parts of notches zoom by parts; other actions wait for a whole one. */
static void notches_take(struct gesture *gesture, const struct input_event *event,
                         enum wheel_way way, double amount)
{
    if (!(amount > 0))
        return;
    amount = fmin(amount, NOTCHES_MOST);
    enum action action = gesture_bound(gesture, BINDING_WHEEL, event->modifiers, way);
    if (is_by_the_wheel(action)) {
        gesture_act(gesture, action, event->x, event->y, amount);
        return;
    }
    gesture->notches[way ^ 1] = 0; /* turned back */
    gesture->notches[way] += amount;
    for (; gesture->notches[way] >= 1; gesture->notches[way]--)
        gesture_act(gesture, action, event->x, event->y, 1);
}

static void wheel_take(struct gesture *gesture, const struct input_event *event)
{
    notches_take(gesture, event, WHEEL_UP, event->wheel_y);
    notches_take(gesture, event, WHEEL_DOWN, -event->wheel_y);
    notches_take(gesture, event, WHEEL_RIGHT, event->wheel_x);
    notches_take(gesture, event, WHEEL_LEFT, -event->wheel_x);
}

static void button_down(struct gesture *gesture, const struct input_event *event)
{
    if (gesture->pressed || gesture->touching.count)
        return;
    motion_stop(gesture);
    gesture->pressed = true;
    gesture->press_button = event->button;
    gesture->press_modifiers = event->modifiers;
    drag_begin(gesture, gesture_bound(gesture, BINDING_DRAG, event->modifiers, event->button),
               event->x, event->y, GESTURE_SLIP_PX * gesture->settings.scale);
}

static void button_up(struct gesture *gesture, const struct input_event *event)
{
    if (!gesture->pressed || event->button != gesture->press_button)
        return;
    gesture->pressed = false;
    drag_move(gesture, event->time_s, event->x, event->y);
    if (!drag_end(gesture, event->time_s))
        return;
    enum action action = ACTION_NONE;
    if (event->clicks > 0 && event->clicks % 2 == 0)
        action =
            gesture_bound(gesture, BINDING_DOUBLE_CLICK, gesture->press_modifiers, event->button);
    if (action == ACTION_NONE)
        action = gesture_bound(gesture, BINDING_CLICK, gesture->press_modifiers, event->button);
    gesture_act(gesture, action, event->x, event->y, 1);
}

static void pointer_take(struct gesture *gesture, const struct input_event *event)
{
    gesture->pointer = true;
    gesture->reticle = false;
    gesture->pointer_x = event->x;
    gesture->pointer_y = event->y;
}

static void size_take(struct gesture *gesture, const struct input_event *event)
{
    if (event->width < 1 || event->height < 1)
        return;
    gesture->reticle_x *= event->width / gesture->settings.width;
    gesture->reticle_y *= event->height / gesture->settings.height;
    gesture->settings.width = event->width;
    gesture->settings.height = event->height;
}

static void pad_take(struct gesture *gesture, const struct input_event *event)
{
    gesture->reticle = true;
    gesture_act(gesture, gesture_bound(gesture, BINDING_PAD_BUTTON, 0, event->pad_button),
                gesture->reticle_x, gesture->reticle_y, 1);
}

static void event_take(struct gesture *gesture, const struct input_event *event)
{
    switch (event->kind) {
    case INPUT_KEY_DOWN:
        key_take(gesture, event);
        break;
    case INPUT_MOVE:
        pointer_take(gesture, event);
        if (gesture->pressed)
            drag_move(gesture, event->time_s, event->x, event->y);
        break;
    case INPUT_LEAVE:
        gesture->pointer = false;
        break;
    case INPUT_BUTTON_DOWN:
        pointer_take(gesture, event);
        button_down(gesture, event);
        break;
    case INPUT_BUTTON_UP:
        button_up(gesture, event);
        break;
    case INPUT_WHEEL:
        pointer_take(gesture, event);
        wheel_take(gesture, event);
        break;
    case INPUT_FINGER_DOWN:
    case INPUT_FINGER_MOVE:
    case INPUT_FINGER_UP:
        touch_take(gesture, event);
        break;
    case INPUT_PAD_DOWN:
        pad_take(gesture, event);
        break;
    case INPUT_PAD_ADDED:
    case INPUT_PAD_REMOVED:
    case INPUT_PAD_AXIS:
        motion_pad(gesture, event);
        break;
    case INPUT_RESIZE:
        size_take(gesture, event);
        break;
    case INPUT_FOCUS_LOST:
        gesture_cancel(gesture);
        break;
    default:
        break;
    }
}

static bool has_modifiers(enum input_kind kind)
{
    return kind == INPUT_KEY_DOWN || kind == INPUT_KEY_UP || kind == INPUT_MOVE ||
           kind == INPUT_BUTTON_DOWN || kind == INPUT_BUTTON_UP || kind == INPUT_WHEEL;
}

void gesture_take(struct gesture *gesture, const struct input_event *event)
{
    struct input_event checked = *event;
    if (!isfinite(event->time_s) || event->time_s < gesture->event_s)
        checked.time_s = gesture->event_s;
    if (!(fabs(event->x) <= PLACE_MOST && fabs(event->y) <= PLACE_MOST))
        return;
    gesture->event_s = checked.time_s;
    if (has_modifiers(event->kind))
        gesture->modifiers = event->modifiers;
    event_take(gesture, &checked);
}

/* ---- asking ---- */

static bool queue_pop(struct gesture *gesture, struct gesture_result *result)
{
    if (gesture->count == 0)
        return false;
    *result = gesture->queue[gesture->head];
    gesture->head = (gesture->head + 1) % QUEUE_MAX;
    gesture->count--;
    return true;
}

bool gesture_next(struct gesture *gesture, double now_s, struct gesture_result *result)
{
    if (queue_pop(gesture, result))
        return true;
    if (!isfinite(now_s))
        now_s = gesture->event_s;
    touch_flush(gesture);
    touch_wait(gesture, now_s);
    motion_advance(gesture, now_s);
    return queue_pop(gesture, result);
}

double gesture_wait_s(const struct gesture *gesture, double now_s)
{
    if (gesture->count || motion_on(gesture))
        return 0;
    return touch_wait_s(gesture, now_s);
}

void gesture_marks(const struct gesture *gesture, struct gesture_marks *marks)
{
    const struct drag *drag = &gesture->drag;
    const struct touching *touching = &gesture->touching;
    *marks =
        (struct gesture_marks){.held = drag->moving || (touching->count > 1 && !touching->still) ||
                                       motion_sticks_on(gesture),
                               .box = drag->moving && drag->action == ACTION_BOX,
                               .box_x = {drag->start_x, drag->x},
                               .box_y = {drag->start_y, drag->y},
                               .reticle = gesture->reticle,
                               .reticle_x = gesture->reticle_x,
                               .reticle_y = gesture->reticle_y,
                               .pointer = gesture->pointer,
                               .hold = gesture_bound(gesture, BINDING_MOVE, gesture->modifiers, 0)};
    marks->moving = marks->held || motion_on(gesture);
    place_of(gesture, &marks->pointer_x, &marks->pointer_y);
}
