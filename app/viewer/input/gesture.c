#include "app/viewer/input/gesture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOTCHES_MOST 20.0 /* limit for one event */
#define POSITION_MOST 1e6 /* pixels; no screen reaches farther */

enum { QUEUE_MAX = 64, TRAIL_MAX = 16 };

struct spot {
    double time_s, x, y;
};

/* A button or a finger that moves something. */
struct drag {
    bool active, moving; /* moving: farther than a click may slip */
    enum action action;  /* ACTION_NONE: only a click can come of it */
    double start_x, start_y, x, y, slip_px;
    struct spot trail[TRAIL_MAX]; /* where it was, the newest last; for the speed at the end */
    int trail_count;
};

struct finger {
    int64_t id;
    double x, y, start_x, start_y;
};

struct touching {                              /* from the first finger down to the last one up */
    struct finger finger[GESTURE_FINGERS_MAX]; /* the oldest first */
    int count, most;
    bool still; /* none has moved, none has been held long: it can become a tap */
    double since_s, mid_x, mid_y;
    double from[2][2]; /* where the pair was when its last step was made */
    bool pair_moved;
    bool tapped; /* before; a second one makes a double tap */
    struct spot tap;
};

struct pad {
    bool used;
    int id;
    double axis[INPUT_AXES];
};

struct glide { /* rest of a motion, spread evenly over the time until until_s */
    double log2_zoom, dx, dy, turn_deg;
    double x, y;             /* fixed point of zoom and rotation */
    double seconds, until_s; /* duration; 0: GESTURE_GLIDE_S */
    bool on;
};

struct pointer_flight {      /* for as long as something is held */
    enum action action;      /* ACTION_NONE: there is none */
    double x, y;             /* position of the hand */
    double aside_x, aside_y; /* from there to the fixed point of the zoom */
    double since_s;
};

struct gesture {
    struct gesture_settings settings;
    double event_s;    /* newest time of an event */
    double advanced_s; /* time up to which automatic motion has been done */
    struct gesture_result queue[QUEUE_MAX];
    int head, count;

    bool pointer, pressed, reticle;
    double pointer_x, pointer_y, reticle_x, reticle_y;
    unsigned modifiers, press_modifiers;
    int press_button;
    struct drag drag;
    double notches[WHEEL_WAYS]; /* parts of a notch that have no action yet */
    struct touching touching;
    struct pad pad[GESTURE_PADS_MAX];
    struct glide glide;
    double throw_x, throw_y; /* px/s */
    struct pointer_flight flight;
    double press_s;     /* when the button was pressed */
    double flight_log2; /* doublings a second that the hand has chosen */
    double ease;        /* factor, 1 ... 0, of the speed of what is held */
};

/* ---- what comes out ---- */

static struct gesture_result *queue_last(struct gesture *gesture)
{
    return &gesture->queue[(gesture->head + gesture->count - 1) % QUEUE_MAX];
}

static void queue_push(struct gesture *gesture, const struct gesture_result *result)
{
    if (gesture->count == QUEUE_MAX) { /* not read for long: the oldest is stale */
        gesture->head = (gesture->head + 1) % QUEUE_MAX;
        gesture->count--;
    }
    gesture->count++;
    *queue_last(gesture) = *result;
}

static bool is_pan(const struct view_motion *step)
{
    return step->factor == 1 && step->turn_deg == 0;
}

static void step_push(struct gesture *gesture, struct view_motion step)
{
    if (is_pan(&step) && step.from_x == step.to_x && step.from_y == step.to_y)
        return;
    struct gesture_result *last = gesture->count ? queue_last(gesture) : NULL;
    if (last && last->kind == GESTURE_MOTION && is_pan(&last->step) && is_pan(&step)) {
        last->step.to_x += step.to_x - step.from_x;
        last->step.to_y += step.to_y - step.from_y;
        return;
    }
    queue_push(gesture, &(struct gesture_result){.kind = GESTURE_MOTION, .step = step});
}

static enum action gesture_bound(const struct gesture *gesture, enum binding_kind kind,
                                 unsigned modifiers, int32_t code)
{
    return actions_find(gesture->settings.actions,
                        &(struct binding){.kind = kind, .modifiers = modifiers, .code = code});
}

/* ---- what moves by itself: glides of notches and keys, inertia, the sticks of gamepads ---- */

#define GLIDE_LOG2_MOST 16.0 /* most octaves that a glide may have left, either way */
#define GLIDE_PAN_MOST 4.0   /* most pictures that a glide may have left */
#define THROW_LEAST 20.0     /* px/s; slower motion looks like none */
#define STICK_PAN 1.0        /* widths a second, at full tilt */
#define STICK_AIM 0.6
#define TRIGGER_LOG2 2.0 /* doublings a second */
#define FLY_STEP 0.25    /* doublings of the speed by a notch or an arrow */
#define FRAME_MOST_S 0.1 /* sticks move for as long as this at once */

static double clamp(double value, double most)
{
    return fmin(fmax(value, -most), most);
}

static struct pad *pad_find(struct gesture *gesture, int id)
{
    struct pad *unused = NULL;
    for (int i = 0; i < GESTURE_PADS_MAX; i++) {
        if (gesture->pad[i].used && gesture->pad[i].id == id)
            return &gesture->pad[i];
        if (!gesture->pad[i].used && !unused)
            unused = &gesture->pad[i];
    }
    if (unused)
        *unused = (struct pad){.used = true, .id = id};
    return unused;
}

static double response(double tilt)
{
    double share = fmin((tilt - GESTURE_DEAD_ZONE) / (1 - GESTURE_DEAD_ZONE), 1);
    return share > 0 ? share * share : 0;
}

/* The stick that is tilted most, of all pads: direction times response. */
static void stick_read(const struct gesture *gesture, int stick, double *x, double *y)
{
    double most = 0;
    *x = *y = 0;
    for (int i = 0; i < GESTURE_PADS_MAX; i++) {
        const double *axis = &gesture->pad[i].axis[stick ? INPUT_AXIS_RIGHT_X : INPUT_AXIS_LEFT_X];
        double tilt = hypot(axis[0], axis[1]);
        if (!gesture->pad[i].used || tilt <= most || response(tilt) == 0)
            continue;
        most = tilt;
        *x = axis[0] / tilt * response(tilt);
        *y = axis[1] / tilt * response(tilt);
    }
}

static double trigger_read(const struct gesture *gesture, int trigger)
{
    int axis = trigger ? INPUT_AXIS_TRIGGER_RIGHT : INPUT_AXIS_TRIGGER_LEFT;
    double most = 0;
    for (int i = 0; i < GESTURE_PADS_MAX; i++)
        if (gesture->pad[i].used)
            most = fmax(most, response(gesture->pad[i].axis[axis]));
    return most;
}

static bool motion_sticks_on(const struct gesture *gesture)
{
    for (int i = 0; i < 2; i++) {
        double x, y;
        stick_read(gesture, i, &x, &y);
        if (x != 0 || y != 0 || trigger_read(gesture, i) > 0)
            return true;
    }
    return false;
}

static bool motion_on(const struct gesture *gesture)
{
    return gesture->glide.on || gesture->throw_x != 0 || gesture->throw_y != 0 ||
           gesture->flight.action != ACTION_NONE || motion_sticks_on(gesture);
}

static void motion_glide(struct gesture *gesture, const struct glide *more)
{
    struct glide *glide = &gesture->glide;
    double pan_most = GLIDE_PAN_MOST * fmax(gesture->settings.width, gesture->settings.height);
    if (!motion_on(gesture))
        gesture->advanced_s = gesture->event_s;
    glide->log2_zoom = clamp(glide->log2_zoom + more->log2_zoom, GLIDE_LOG2_MOST);
    glide->dx = clamp(glide->dx + more->dx, pan_most);
    glide->dy = clamp(glide->dy + more->dy, pan_most);
    glide->turn_deg = clamp(glide->turn_deg + more->turn_deg, 360);
    glide->x = more->x;
    glide->y = more->y;
    glide->seconds = more->seconds > 0 ? more->seconds : GESTURE_GLIDE_S;
    glide->until_s = gesture->event_s + glide->seconds;
    glide->on = true;
    gesture->throw_x = gesture->throw_y = 0;
}

static void motion_stop(struct gesture *gesture)
{
    gesture->glide = (struct glide){0};
    gesture->throw_x = gesture->throw_y = 0;
}

static void motion_pad(struct gesture *gesture, const struct input_event *event)
{
    if (event->kind == INPUT_PAD_ADDED) {
        pad_find(gesture, event->pad);
        return;
    }
    struct pad *pad = pad_find(gesture, event->pad);
    bool was_on = motion_on(gesture);
    if (pad && event->kind == INPUT_PAD_REMOVED)
        *pad = (struct pad){0};
    else if (pad && event->axis >= 0 && event->axis < INPUT_AXES && isfinite(event->value))
        pad->axis[event->axis] = clamp(event->value, 1);
    if (motion_sticks_on(gesture)) {
        gesture->reticle = true;
        if (!was_on)
            gesture->advanced_s = gesture->event_s;
    }
}

static void glide_advance(struct gesture *gesture, double elapsed_s)
{
    struct glide *glide = &gesture->glide;
    double left_s = glide->until_s - (gesture->advanced_s - elapsed_s);
    bool last = gesture->settings.reduced_motion || elapsed_s >= left_s;
    double share = last ? 1 : elapsed_s / left_s;
    double dx = glide->dx * share, dy = glide->dy * share;
    double log2_zoom = glide->log2_zoom * share, turn_deg = glide->turn_deg * share;
    step_push(gesture, (struct view_motion){.from_x = glide->x,
                                            .from_y = glide->y,
                                            .to_x = glide->x + dx,
                                            .to_y = glide->y + dy,
                                            .factor = exp2(log2_zoom),
                                            .turn_deg = turn_deg});
    glide->dx -= dx;
    glide->dy -= dy;
    glide->log2_zoom -= log2_zoom;
    glide->turn_deg -= turn_deg;
    if (last)
        *glide = (struct glide){0};
}

/* x(t) = v tau (1 - e^(-t/tau)): the same way whatever the frames are. */
static void throw_advance(struct gesture *gesture, double elapsed_s)
{
    double kept = exp(-elapsed_s / GESTURE_INERTIA_S), way_s = GESTURE_INERTIA_S * (1 - kept);
    step_push(gesture, motion_pan(gesture->throw_x * way_s, gesture->throw_y * way_s));
    gesture->throw_x *= kept;
    gesture->throw_y *= kept;
    if (hypot(gesture->throw_x, gesture->throw_y) < THROW_LEAST)
        gesture->throw_x = gesture->throw_y = 0;
}

static void stick_advance(struct gesture *gesture, int stick, double elapsed_s)
{
    const struct gesture_settings *settings = &gesture->settings;
    double x, y, way = settings->width * elapsed_s, pan = gesture->ease * way * STICK_PAN;
    stick_read(gesture, stick, &x, &y);
    if (x == 0 && y == 0)
        return;
    enum action action = gesture_bound(gesture, BINDING_STICK, 0, stick);
    if (action == ACTION_PAD_PAN)
        step_push(gesture, motion_pan(-x * pan, -y * pan));
    else if (action == ACTION_PAD_AIM) {
        gesture->reticle_x =
            fmin(fmax(gesture->reticle_x + x * way * STICK_AIM, 0), settings->width);
        gesture->reticle_y =
            fmin(fmax(gesture->reticle_y + y * way * STICK_AIM, 0), settings->height);
    }
}

static void trigger_advance(struct gesture *gesture, int trigger, double elapsed_s)
{
    double pull = trigger_read(gesture, trigger);
    enum action action = gesture_bound(gesture, BINDING_TRIGGER, 0, trigger);
    if (pull == 0 || (action != ACTION_PAD_IN && action != ACTION_PAD_OUT))
        return;
    double log2_zoom = pull * TRIGGER_LOG2 * elapsed_s * (action == ACTION_PAD_IN ? 1 : -1);
    step_push(gesture, motion_zoom(exp2(log2_zoom), gesture->reticle_x, gesture->reticle_y));
}

/* ---- flights ---- */

/* Doublings a second at a time after the begin. */
static double flight_speed(const struct gesture *gesture, double held_s)
{
    double ramp = fmin(fmax(held_s, 0) / GESTURE_FLY_RAMP_S, 1);
    double growth = fmin(fmax(held_s, 0) / GESTURE_FLY_GROWTH_S, 1);
    return gesture->flight_log2 * ramp * (1 + growth) *
           (gesture->flight.action == ACTION_FLY_IN ? 1 : -1);
}

static void flight_begin(struct gesture *gesture, enum action action, double x, double y,
                         double now_s)
{
    motion_stop(gesture);
    gesture->flight = (struct pointer_flight){.action = action, .x = x, .y = y, .since_s = now_s};
    gesture->advanced_s = now_s;
    gesture->drag = (struct drag){0}; /* it is no drag any more, nor a click */
}

/* Ends a flight with a short glide. */
static void flight_end(struct gesture *gesture)
{
    struct pointer_flight flight = gesture->flight;
    if (flight.action == ACTION_NONE)
        return;
    double speed = flight_speed(gesture, gesture->advanced_s - flight.since_s);
    gesture->flight = (struct pointer_flight){.action = ACTION_NONE};
    if (!gesture->settings.reduced_motion)
        motion_glide(gesture, &(struct glide){.log2_zoom = speed * GESTURE_GLIDE_S / 2,
                                              .x = flight.x + flight.aside_x,
                                              .y = flight.y + flight.aside_y});
}

static void flight_advance(struct gesture *gesture, double elapsed_s)
{
    const struct pointer_flight *flight = &gesture->flight;
    double held_s = gesture->advanced_s - elapsed_s / 2 - flight->since_s;
    double factor = exp2(flight_speed(gesture, held_s) * elapsed_s);
    step_push(gesture,
              motion_zoom(factor, flight->x + flight->aside_x, flight->y + flight->aside_y));
}

/* Arrows and the wheel: `doublings` of the speed. Is there a flight that they are for? */
static bool flight_hurry(struct gesture *gesture, double doublings)
{
    if (gesture->flight.action == ACTION_NONE)
        return false;
    double speed = gesture->flight_log2 * exp2(clamp(doublings, 1));
    gesture->flight_log2 = fmin(fmax(speed, GESTURE_FLY_LOG2_LEAST), GESTURE_FLY_LOG2_MOST);
    return true;
}

static void motion_advance(struct gesture *gesture, double now_s)
{
    /* Two clocks that disagree must not stop the picture for ever. */
    gesture->advanced_s = fmin(gesture->advanced_s, now_s);
    gesture->glide.until_s = fmin(gesture->glide.until_s, now_s + gesture->glide.seconds);
    double elapsed_s = now_s - gesture->advanced_s;
    if (!motion_on(gesture) || (elapsed_s <= 0 && !gesture->settings.reduced_motion))
        return;
    gesture->advanced_s = now_s;
    if (gesture->glide.on)
        glide_advance(gesture, elapsed_s);
    if (gesture->throw_x != 0 || gesture->throw_y != 0)
        throw_advance(gesture, elapsed_s);
    if (gesture->flight.action != ACTION_NONE)
        flight_advance(gesture, gesture->ease * fmin(elapsed_s, FRAME_MOST_S));
    for (int i = 0; i < 2; i++) {
        stick_advance(gesture, i, fmin(elapsed_s, FRAME_MOST_S));
        trigger_advance(gesture, i, gesture->ease * fmin(elapsed_s, FRAME_MOST_S));
    }
}

/* ---- a button or one finger that drags: pan 1:1 with inertia, turn about the middle, a box ----
 */

#define BOX_LEAST_PX 8.0  /* smaller ones were no boxes */
#define TURN_LEAST_PX 8.0 /* least distance from the middle at which angles are used */
#define TRAIL_S 0.08      /* time over which the speed is measured */
#define REST_S 0.05       /* a hand that has rested so long does not throw */
#define TRAIL_LEAST_S 0.01
#define THROW_MOST 4.0 /* pictures a second */

static void drag_begin(struct gesture *gesture, enum action action, double x, double y,
                       double slip_px)
{
    gesture->drag = (struct drag){.active = true,
                                  .action = action,
                                  .start_x = x,
                                  .start_y = y,
                                  .x = x,
                                  .y = y,
                                  .slip_px = slip_px};
}

static void trail_add(struct drag *drag, double time_s, double x, double y)
{
    if (drag->trail_count == TRAIL_MAX) {
        memmove(drag->trail, drag->trail + 1, (TRAIL_MAX - 1) * sizeof *drag->trail);
        drag->trail_count--;
    }
    drag->trail[drag->trail_count++] = (struct spot){time_s, x, y};
}

static void turn_by(struct gesture *gesture, const struct drag *drag, double x, double y)
{
    double middle_x = gesture->settings.width / 2, middle_y = gesture->settings.height / 2;
    double before_x = drag->x - middle_x, before_y = drag->y - middle_y;
    double after_x = x - middle_x, after_y = y - middle_y;
    if (hypot(before_x, before_y) < TURN_LEAST_PX || hypot(after_x, after_y) < TURN_LEAST_PX)
        return;
    double angle =
        atan2(before_x * after_y - before_y * after_x, before_x * after_x + before_y * after_y);
    step_push(gesture, motion_turn(angle * (180 / M_PI), middle_x, middle_y));
}

static void drag_move(struct gesture *gesture, double time_s, double x, double y)
{
    struct drag *drag = &gesture->drag;
    if (!drag->active)
        return;
    if (!drag->moving && hypot(x - drag->start_x, y - drag->start_y) <= drag->slip_px)
        return;
    drag->moving = true;
    if (drag->action == ACTION_PAN)
        step_push(gesture, motion_pan(x - drag->x, y - drag->y));
    else if (drag->action == ACTION_TURN)
        turn_by(gesture, drag, x, y);
    if (x != drag->x || y != drag->y) /* letting go is no movement */
        trail_add(drag, time_s, x, y);
    drag->x = x;
    drag->y = y;
}

/* The speed over the last moments, if the hand was still moving. */
static void throw_picture(struct gesture *gesture, double time_s)
{
    const struct drag *drag = &gesture->drag;
    if (gesture->settings.reduced_motion || drag->trail_count < 2)
        return;
    const struct spot *last = &drag->trail[drag->trail_count - 1], *first = last;
    for (int i = drag->trail_count - 1; i >= 0 && time_s - drag->trail[i].time_s <= TRAIL_S; i--)
        first = &drag->trail[i];
    if (first == last || time_s - last->time_s > REST_S)
        return;
    double span_s = fmax(time_s - first->time_s, TRAIL_LEAST_S);
    double x = (last->x - first->x) / span_s, y = (last->y - first->y) / span_s;
    double most = THROW_MOST * hypot(gesture->settings.width, gesture->settings.height);
    double speed = hypot(x, y), share = speed > most ? most / speed : 1;
    gesture->throw_x = x * share;
    gesture->throw_y = y * share;
    gesture->advanced_s = fmax(gesture->advanced_s, time_s);
}

/* True if it was a click. Makes the step of a box, and throws the picture. */
static bool drag_end(struct gesture *gesture, double time_s)
{
    struct drag *drag = &gesture->drag;
    bool click = drag->active && !drag->moving;
    if (drag->active && drag->moving && drag->action == ACTION_PAN)
        throw_picture(gesture, time_s);
    if (drag->active && drag->moving && drag->action == ACTION_BOX &&
        fmax(fabs(drag->x - drag->start_x), fabs(drag->y - drag->start_y)) >= BOX_LEAST_PX)
        step_push(gesture, motion_box(gesture->settings.width, gesture->settings.height,
                                      drag->start_x, drag->start_y, drag->x, drag->y));
    *drag = (struct drag){0};
    return click;
}

/* ---- actions ---- */

/* Motions of the view by actions. */
static const struct {
    enum action action;
    double log2_zoom, right, down, turn_deg; /* right, down: of what is seen, in pictures */
    bool at_pointer;                         /* else about the middle */
} moves[] = {
    {ACTION_ZOOM_IN, 1, 0, 0, 0, false},          {ACTION_ZOOM_OUT, -1, 0, 0, 0, false},
    {ACTION_ZOOM_IN_FAR, 3, 0, 0, 0, false},      {ACTION_ZOOM_OUT_FAR, -3, 0, 0, 0, false},
    {ACTION_WHEEL_IN, 0.25, 0, 0, 0, true}, /* wheel: steps of a notch */
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

/* `amount`: notches of a wheel, else 1. (x, y): the pointer; zoom by keys is about the middle. */
static void gesture_act(struct gesture *gesture, enum action action, double x, double y,
                        double amount)
{
    double middle_x = gesture->settings.width / 2, middle_y = gesture->settings.height / 2;
    if (action == ACTION_NONE || move_act(gesture, action, x, y, amount))
        return;
    if (action == ACTION_CENTRE)
        motion_glide(gesture,
                     &(struct glide){.dx = middle_x - x, .dy = middle_y - y, .x = x, .y = y});
    else if (action_rows[action].sort <= ACTION_NUMBER)
        queue_push(gesture, &(struct gesture_result){
                                .kind = GESTURE_ACTION, .action = action, .x = x, .y = y});
}

/* ---- fingers: one drags, the two oldest move, zoom and turn at once, and taps ---- */

static double slip_px(const struct gesture *gesture)
{
    return GESTURE_TOUCH_SLIP_PX * gesture->settings.scale;
}

static enum action touch_bound(const struct gesture *gesture, enum touch touch)
{
    return gesture_bound(gesture, BINDING_TOUCH, 0, touch);
}

static int finger_find(const struct touching *touching, int64_t id)
{
    for (int i = 0; i < touching->count; i++)
        if (touching->finger[i].id == id)
            return i;
    return -1;
}

/* Begins the steps of a pair of fingers anew at their positions. */
static void pair_begin(struct touching *touching)
{
    touching->pair_moved = false;
    for (int i = 0; i < 2 && touching->count >= 2; i++) {
        touching->from[i][0] = touching->finger[i].x;
        touching->from[i][1] = touching->finger[i].y;
    }
}

/* Makes the step of a pair that moved. */
static void touch_flush(struct gesture *gesture)
{
    struct touching *touching = &gesture->touching;
    if (touching->count < 2 || !touching->pair_moved || touching->still)
        return;
    const struct finger *finger = touching->finger;
    const double to[2][2] = {{finger[0].x, finger[0].y}, {finger[1].x, finger[1].y}};
    if (touch_bound(gesture, TOUCH_TWO_FINGERS) == ACTION_PINCH)
        step_push(gesture, motion_fingers((const double(*)[2])touching->from, to));
    pair_begin(touching);
}

/* Called when fingers have changed: one drags, two are a pair. */
static void roles_assign(struct gesture *gesture, double slip)
{
    struct touching *touching = &gesture->touching;
    gesture->drag = (struct drag){0};
    if (touching->count == 1)
        drag_begin(gesture, touch_bound(gesture, TOUCH_ONE_FINGER), touching->finger[0].x,
                   touching->finger[0].y, slip);
    pair_begin(touching);
}

static void finger_down(struct gesture *gesture, const struct input_event *event)
{
    struct touching *touching = &gesture->touching;
    if (finger_find(touching, event->finger) >= 0 || touching->count == GESTURE_FINGERS_MAX)
        return;
    touch_flush(gesture);
    flight_end(gesture);
    gesture->pressed = false; /* the finger takes over from the mouse */
    motion_stop(gesture);
    if (touching->count == 0) {
        touching->still = true;
        touching->most = 0;
        touching->since_s = event->time_s;
    }
    touching->finger[touching->count++] =
        (struct finger){event->finger, event->x, event->y, event->x, event->y};
    if (touching->count > touching->most)
        touching->most = touching->count;
    touching->mid_x = event->x;
    touching->mid_y = event->y;
    if (touching->count == 2) {
        touching->mid_x = (touching->finger[0].x + event->x) / 2;
        touching->mid_y = (touching->finger[0].y + event->y) / 2;
    }
    if (touching->count <= 2)
        roles_assign(gesture, slip_px(gesture));
}

/* Steers towards the finger, or the middle between two. */
static void flight_steer(struct gesture *gesture)
{
    const struct touching *touching = &gesture->touching;
    const struct finger *last = &touching->finger[touching->count > 1 ? 1 : 0];
    gesture->flight.x = (touching->finger[0].x + last->x) / 2;
    gesture->flight.y = (touching->finger[0].y + last->y) / 2;
}

static void finger_move(struct gesture *gesture, const struct input_event *event)
{
    struct touching *touching = &gesture->touching;
    int i = finger_find(touching, event->finger);
    if (i < 0)
        return;
    struct finger *finger = &touching->finger[i];
    finger->x = event->x;
    finger->y = event->y;
    if (hypot(finger->x - finger->start_x, finger->y - finger->start_y) > slip_px(gesture))
        touching->still = false;
    if (gesture->flight.action != ACTION_NONE) { /* steers */
        flight_steer(gesture);
        return;
    }
    touching->pair_moved = touching->pair_moved || (touching->count >= 2 && i < 2);
    if (touching->count == 1)
        drag_move(gesture, event->time_s, event->x, event->y);
}

/* Flies in at a position, as a tap does on a stand. */
static void tap_fly(struct gesture *gesture, double x, double y)
{
    motion_glide(gesture, &(struct glide){.log2_zoom = gesture->settings.tap_log2,
                                          .x = x,
                                          .y = y,
                                          .seconds = GESTURE_TAP_GLIDE_S});
}

static void tap(struct gesture *gesture, double time_s)
{
    struct touching *touching = &gesture->touching;
    double x = touching->mid_x, y = touching->mid_y;
    if (touching->most > 2)
        return;
    if (touching->most == 2) {
        touching->tapped = false;
        gesture_act(gesture, touch_bound(gesture, TOUCH_TWO_FINGER_TAP), x, y, 1);
        return;
    }
    if (gesture->settings.tap_log2 > 0) {
        tap_fly(gesture, x, y);
        return;
    }
    bool second = touching->tapped && time_s - touching->tap.time_s <= GESTURE_DOUBLE_TAP_S &&
                  hypot(x - touching->tap.x, y - touching->tap.y) <=
                      GESTURE_DOUBLE_TAP_PX * gesture->settings.scale;
    touching->tapped = !second;
    touching->tap = (struct spot){time_s, x, y};
    if (second)
        gesture_act(gesture, touch_bound(gesture, TOUCH_DOUBLE_TAP), x, y, 1);
}

static void finger_up(struct gesture *gesture, const struct input_event *event)
{
    struct touching *touching = &gesture->touching;
    int i = finger_find(touching, event->finger);
    if (i < 0)
        return;
    touch_flush(gesture);
    flight_end(gesture);
    touching->count--;
    memmove(&touching->finger[i], &touching->finger[i + 1],
            (size_t)(touching->count - i) * sizeof touching->finger[0]);
    if (touching->count == 0) {
        drag_end(gesture, event->time_s);
        if (touching->still && event->time_s - touching->since_s <= GESTURE_TAP_S)
            tap(gesture, event->time_s);
        else
            touching->tapped = false;
    } else if (i < 2) /* the next oldest fingers take over, at once */
        roles_assign(gesture, touching->still ? slip_px(gesture) : 0);
}

static bool is_flight(enum action action)
{
    return action_rows[action].sort == ACTION_FLY;
}

/* Action of one or two fingers that do not move; ACTION_NONE: none. */
static enum action touch_waits_for(const struct gesture *gesture)
{
    const struct touching *touching = &gesture->touching;
    bool waits = touching->still && touching->count == touching->most;
    return waits && touching->count == 1   ? touch_bound(gesture, TOUCH_LONG_PRESS)
           : waits && touching->count == 2 ? touch_bound(gesture, TOUCH_TWO_FINGER_HOLD)
                                           : ACTION_NONE;
}

/* Time of that action; HUGE_VAL: there is none. */
static double touch_due_s(const struct gesture *gesture)
{
    enum action action = touch_waits_for(gesture);
    double held_s = is_flight(action) ? GESTURE_TOUCH_HOLD_S : GESTURE_LONG_PRESS_S;
    return action == ACTION_NONE ? HUGE_VAL : gesture->touching.since_s + held_s;
}

static void touch_wait(struct gesture *gesture, double now_s)
{
    struct touching *touching = &gesture->touching;
    enum action action = touch_waits_for(gesture);
    if (!(now_s >= touch_due_s(gesture)))
        return;
    touching->still = false;
    if (is_flight(action))
        flight_begin(gesture, action, touching->mid_x, touching->mid_y,
                     touching->since_s + GESTURE_TOUCH_HOLD_S);
    else
        gesture_act(gesture, action, touching->mid_x, touching->mid_y, 1);
}

static enum action button_waits_for(const struct gesture *gesture)
{
    const struct drag *drag = &gesture->drag;
    if (!gesture->pressed || !drag->active || (drag->moving && drag->action != ACTION_NONE))
        return ACTION_NONE;
    return gesture_bound(gesture, BINDING_HOLD, gesture->press_modifiers, gesture->press_button);
}

static double button_due_s(const struct gesture *gesture)
{
    bool waits = button_waits_for(gesture) != ACTION_NONE;
    return waits ? gesture->press_s + GESTURE_HOLD_S : HUGE_VAL;
}

static void button_wait(struct gesture *gesture, double now_s)
{
    double due_s = button_due_s(gesture);
    if (now_s >= due_s)
        flight_begin(gesture, button_waits_for(gesture), gesture->pointer_x, gesture->pointer_y,
                     due_s);
}

/* ---- what comes in ---- */

static void pointer_read(const struct gesture *gesture, double *x, double *y)
{
    *x = gesture->pointer ? gesture->pointer_x : gesture->settings.width / 2;
    *y = gesture->pointer ? gesture->pointer_y : gesture->settings.height / 2;
}

static void key_take(struct gesture *gesture, const struct input_event *event)
{
    enum action action = gesture_bound(gesture, BINDING_KEY, event->modifiers, event->key);
    double x, y;
    pointer_read(gesture, &x, &y);
    if (action == ACTION_NONE && event->key >= '1' && event->key <= '9') {
        action = gesture_bound(gesture, BINDING_DIGIT, event->modifiers, 0);
        x = event->key - '0';
    }
    if (event->repeat && action_rows[action].sort != ACTION_REPEAT)
        return;
    if ((action == ACTION_PAN_UP && flight_hurry(gesture, FLY_STEP)) ||
        (action == ACTION_PAN_DOWN && flight_hurry(gesture, -FLY_STEP)))
        return;
    if (gesture->flight.action != ACTION_NONE && action == ACTION_ESCAPE) {
        gesture_cancel(gesture);
        return;
    }
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
    if (action >= ACTION_WHEEL_IN && action <= ACTION_WHEEL_OUT_FAR) {
        gesture_act(gesture, action, event->x, event->y, amount);
        return;
    }
    gesture->notches[way ^ 1] = 0; /* the wheel has changed its direction */
    gesture->notches[way] += amount;
    for (; gesture->notches[way] >= 1; gesture->notches[way]--)
        gesture_act(gesture, action, event->x, event->y, 1);
}

static void wheel_take(struct gesture *gesture, const struct input_event *event)
{
    if (flight_hurry(gesture, clamp(event->wheel_y, NOTCHES_MOST) * FLY_STEP))
        return;
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
    gesture->press_s = event->time_s;
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
    flight_end(gesture);
    drag_move(gesture, event->time_s, event->x, event->y);
    if (!drag_end(gesture, event->time_s))
        return;
    if (gesture->settings.tap_log2 > 0 && event->button == INPUT_LEFT) {
        tap_fly(gesture, event->x, event->y);
        return;
    }
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
        if (gesture->flight.action != ACTION_NONE && gesture->pressed) {
            gesture->flight.x = event->x;
            gesture->flight.y = event->y;
        } else if (gesture->pressed)
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
        finger_down(gesture, event);
        break;
    case INPUT_FINGER_MOVE:
        finger_move(gesture, event);
        break;
    case INPUT_FINGER_UP:
        finger_up(gesture, event);
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
    if (!(fabs(event->x) <= POSITION_MOST && fabs(event->y) <= POSITION_MOST))
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
    button_wait(gesture, now_s);
    motion_advance(gesture, now_s);
    return queue_pop(gesture, result);
}

double gesture_wait_s(const struct gesture *gesture, double now_s)
{
    if (gesture->count || motion_on(gesture))
        return 0;
    return fmax(fmin(touch_due_s(gesture), button_due_s(gesture)) - now_s, 0);
}

static bool trigger_zooms_in(const struct gesture *gesture)
{
    for (int i = 0; i < 2; i++)
        if (trigger_read(gesture, i) > 0 &&
            gesture_bound(gesture, BINDING_TRIGGER, 0, i) == ACTION_PAD_IN)
            return true;
    return false;
}

/* Marks the fixed point of what zooms in. */
static void aim_mark(const struct gesture *gesture, struct gesture_marks *marks)
{
    const struct pointer_flight *flight = &gesture->flight;
    const struct glide *glide = &gesture->glide;
    bool flies = flight->action == ACTION_FLY_IN, glides = glide->on && glide->log2_zoom > 0;
    marks->aims = flies || glides || trigger_zooms_in(gesture);
    marks->aim_x = flies ? flight->x + flight->aside_x : glides ? glide->x : gesture->reticle_x;
    marks->aim_y = flies ? flight->y + flight->aside_y : glides ? glide->y : gesture->reticle_y;
}

void gesture_marks(const struct gesture *gesture, struct gesture_marks *marks)
{
    const struct drag *drag = &gesture->drag;
    const struct touching *touching = &gesture->touching;
    *marks = (struct gesture_marks){
        .held = drag->moving || (touching->count > 1 && !touching->still) ||
                gesture->flight.action != ACTION_NONE || motion_sticks_on(gesture),
        .flies = gesture->flight.action != ACTION_NONE || trigger_read(gesture, 0) > 0 ||
                 trigger_read(gesture, 1) > 0,
        .box = drag->moving && drag->action == ACTION_BOX,
        .box_x = {drag->start_x, drag->x},
        .box_y = {drag->start_y, drag->y},
        .reticle = gesture->reticle,
        .reticle_x = gesture->reticle_x,
        .reticle_y = gesture->reticle_y,
        .pointer = gesture->pointer,
        .hold = gesture_bound(gesture, BINDING_MOVE, gesture->modifiers, 0)};
    marks->moving = marks->held || motion_on(gesture);
    marks->down = gesture->pressed || touching->count > 0;
    pointer_read(gesture, &marks->pointer_x, &marks->pointer_y);
    aim_mark(gesture, marks);
}

void gesture_steer(struct gesture *gesture, double dx, double dy)
{
    gesture->flight.aside_x = clamp(gesture->flight.aside_x + dx, gesture->settings.width);
    gesture->flight.aside_y = clamp(gesture->flight.aside_y + dy, gesture->settings.height);
    gesture->glide.x += dx;
    gesture->glide.y += dy;
    if (gesture->flight.action == ACTION_NONE && !gesture->glide.on) {
        gesture->reticle_x = fmin(fmax(gesture->reticle_x + dx, 0), gesture->settings.width);
        gesture->reticle_y = fmin(fmax(gesture->reticle_y + dy, 0), gesture->settings.height);
    }
}

/* ---- life ---- */

enum status gesture_create(struct gesture **gesture, const struct gesture_settings *settings)
{
    *gesture = calloc(1, sizeof **gesture);
    if (!*gesture)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for gestures");
    gesture_settings(*gesture, settings);
    (*gesture)->flight_log2 = GESTURE_FLY_LOG2;
    (*gesture)->ease = 1;
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

void gesture_ease(struct gesture *gesture, double ease)
{
    gesture->ease = fmin(fmax(ease, 0), 1);
}

void gesture_cancel(struct gesture *gesture)
{
    motion_stop(gesture);
    gesture->touching = (struct touching){0};
    gesture->drag = (struct drag){0};
    gesture->flight = (struct pointer_flight){.action = ACTION_NONE};
    gesture->pressed = false;
    gesture->modifiers = 0;
    memset(gesture->notches, 0, sizeof gesture->notches);
    for (int i = 0; i < GESTURE_PADS_MAX; i++)
        memset(gesture->pad[i].axis, 0, sizeof gesture->pad[i].axis);
}

void gesture_glide_out(struct gesture *gesture, double doublings, double seconds, double now_s)
{
    gesture->event_s = now_s;
    motion_glide(gesture, &(struct glide){.log2_zoom = -doublings,
                                          .x = gesture->settings.width / 2,
                                          .y = gesture->settings.height / 2,
                                          .seconds = seconds});
}

void gesture_do(struct gesture *gesture, enum action action, double now_s)
{
    gesture->event_s = now_s;
    gesture_act(gesture, action, gesture->settings.width / 2, gesture->settings.height / 2, 1);
}
