/* What moves by itself: glides of notches and keys, inertia, the sticks of gamepads. */
#include <math.h>

#include "app/viewer/gesture_parts.h"

#define GLIDE_LOG2_MOST 16.0 /* that may be left to zoom, either way */
#define GLIDE_PAN_MOST 4.0   /* pictures */
#define THROW_LEAST 20.0     /* px/s: slower looks like standing */
#define STICK_PAN 1.0        /* widths a second, at full tilt */
#define STICK_AIM 0.6
#define TRIGGER_LOG2 2.0 /* doublings a second */
#define FRAME_MOST_S 0.1 /* sticks move for as long as this at once */

static double clamp(double value, double most)
{
    return fmin(fmax(value, -most), most);
}

void motion_glide(struct gesture *gesture, const struct glide *more)
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
    glide->until_s = gesture->event_s + GESTURE_GLIDE_S;
    glide->on = true;
    gesture->throw_x = gesture->throw_y = 0;
}

void motion_stop(struct gesture *gesture)
{
    gesture->glide = (struct glide){0};
    gesture->throw_x = gesture->throw_y = 0;
}

/* ---- gamepads ---- */

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
    double part = fmin((tilt - GESTURE_DEAD_ZONE) / (1 - GESTURE_DEAD_ZONE), 1);
    return part > 0 ? part * part : 0;
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

bool motion_sticks_on(const struct gesture *gesture)
{
    for (int i = 0; i < 2; i++) {
        double x, y;
        stick_read(gesture, i, &x, &y);
        if (x != 0 || y != 0 || trigger_read(gesture, i) > 0)
            return true;
    }
    return false;
}

void motion_pad(struct gesture *gesture, const struct input_event *event)
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

/* ---- time ---- */

static void glide_advance(struct gesture *gesture, double elapsed_s)
{
    struct glide *glide = &gesture->glide;
    double left_s = glide->until_s - (gesture->advanced_s - elapsed_s);
    bool last = gesture->settings.reduced_motion || elapsed_s >= left_s;
    double part = last ? 1 : elapsed_s / left_s;
    double dx = glide->dx * part, dy = glide->dy * part;
    double log2_zoom = glide->log2_zoom * part, turn_deg = glide->turn_deg * part;
    struct steer_step step = {.from_x = glide->x,
                              .from_y = glide->y,
                              .to_x = glide->x + dx,
                              .to_y = glide->y + dy,
                              .factor = exp2(log2_zoom),
                              .turn_deg = turn_deg};
    gesture_push_step(gesture, &step);
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
    struct steer_step step = steer_pan(gesture->throw_x * way_s, gesture->throw_y * way_s);
    gesture_push_step(gesture, &step);
    gesture->throw_x *= kept;
    gesture->throw_y *= kept;
    if (hypot(gesture->throw_x, gesture->throw_y) < THROW_LEAST)
        gesture->throw_x = gesture->throw_y = 0;
}

static void stick_advance(struct gesture *gesture, int stick, double elapsed_s)
{
    const struct gesture_settings *settings = &gesture->settings;
    double x, y, way = settings->width * elapsed_s;
    stick_read(gesture, stick, &x, &y);
    if (x == 0 && y == 0)
        return;
    enum action action = gesture_bound(gesture, BINDING_STICK, 0, stick);
    if (action == ACTION_PAD_PAN) {
        struct steer_step step = steer_pan(-x * way * STICK_PAN, -y * way * STICK_PAN);
        gesture_push_step(gesture, &step);
    } else if (action == ACTION_PAD_AIM) {
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
    struct steer_step step = steer_zoom(exp2(log2_zoom), gesture->reticle_x, gesture->reticle_y);
    gesture_push_step(gesture, &step);
}

void motion_advance(struct gesture *gesture, double now_s)
{
    /* Two clocks that disagree must not stop the picture for ever. */
    gesture->advanced_s = fmin(gesture->advanced_s, now_s);
    gesture->glide.until_s = fmin(gesture->glide.until_s, now_s + GESTURE_GLIDE_S);
    double elapsed_s = now_s - gesture->advanced_s;
    if (!motion_on(gesture) || (elapsed_s <= 0 && !gesture->settings.reduced_motion))
        return;
    gesture->advanced_s = now_s;
    if (gesture->glide.on)
        glide_advance(gesture, elapsed_s);
    if (gesture->throw_x != 0 || gesture->throw_y != 0)
        throw_advance(gesture, elapsed_s);
    for (int i = 0; i < 2; i++) {
        stick_advance(gesture, i, fmin(elapsed_s, FRAME_MOST_S));
        trigger_advance(gesture, i, fmin(elapsed_s, FRAME_MOST_S));
    }
}

bool motion_on(const struct gesture *gesture)
{
    return gesture->glide.on || gesture->throw_x != 0 || gesture->throw_y != 0 ||
           motion_sticks_on(gesture);
}
