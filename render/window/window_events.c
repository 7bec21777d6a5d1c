/* What SDL says, in our words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/clock.h"
#include "render/window/sdl.h"
#include "render/window/window_keys.h"
#include "render/window/window_parts.h"

/* ---- mouse and fingers ---- */

/* SDL's mouse is in the window's units, of which one may be several pixels. */
static void place_mouse(const struct window *window, double x, double y, struct input_event *event)
{
    int width = 0, height = 0;
    sdl.GetWindowSize(window->sdl, &width, &height);
    event->x = width > 0 ? x * window->width / width : x;
    event->y = height > 0 ? y * window->height / height : y;
    event->modifiers = window_modifiers(sdl.GetModState());
    event->buttons = sdl.GetMouseState(NULL, NULL) << 1; /* its bits begin with the left button's */
}

static bool of_move(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    place_mouse(window, said->motion.x, said->motion.y, event);
    event->kind = INPUT_MOVE;
    event->buttons = said->motion.state << 1;
    return said->motion.which != SDL_TOUCH_MOUSEID;
}

static bool of_button(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    place_mouse(window, said->button.x, said->button.y, event);
    event->kind = said->type == SDL_MOUSEBUTTONDOWN ? INPUT_BUTTON_DOWN : INPUT_BUTTON_UP;
    event->button = said->button.button;
    event->clicks = said->button.clicks;
    return said->button.which != SDL_TOUCH_MOUSEID;
}

static bool of_wheel(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    double sign = said->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1;
    place_mouse(window, said->wheel.mouseX, said->wheel.mouseY, event);
    event->kind = INPUT_WHEEL;
    event->wheel_x = sign * (double)said->wheel.preciseX;
    event->wheel_y = sign * (double)said->wheel.preciseY;
    return said->wheel.which != SDL_TOUCH_MOUSEID;
}

/* The numbers of fingers are those of their screen: the screen's number makes them different. */
static bool of_finger(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    event->kind = said->type == SDL_FINGERDOWN ? INPUT_FINGER_DOWN
                  : said->type == SDL_FINGERUP ? INPUT_FINGER_UP
                                               : INPUT_FINGER_MOVE;
    event->x = (double)said->tfinger.x * window->width;
    event->y = (double)said->tfinger.y * window->height;
    event->finger =
        (int64_t)((uint64_t)said->tfinger.fingerId + ((uint64_t)said->tfinger.touchId << 40));
    event->modifiers = window_modifiers(sdl.GetModState());
    return said->tfinger.touchId != SDL_MOUSE_TOUCHID;
}

/* ---- keys and text ---- */

static bool of_key(const SDL_Event *said, struct input_event *event)
{
    const SDL_Keysym *sym = &said->key.keysym;
    event->kind = said->type == SDL_KEYDOWN ? INPUT_KEY_DOWN : INPUT_KEY_UP;
    event->key = window_key(sym->sym, sym->scancode, sym->mod);
    event->modifiers = window_modifiers(sym->mod);
    event->repeat = said->key.repeat != 0;
    return event->key != INPUT_KEY_NONE;
}

static bool of_text(const SDL_Event *said, struct input_event *event)
{
    event->kind = INPUT_TEXT;
    event->modifiers = window_modifiers(sdl.GetModState());
    snprintf(event->text, sizeof event->text, "%s", said->text.text);
    return event->text[0] != '\0';
}

static bool of_drop(struct window *window, const SDL_Event *said, struct input_event *event)
{
    event->kind = said->type == SDL_DROPFILE ? INPUT_DROP_FILE : INPUT_DROP_TEXT;
    window->dropped = said->drop.file ? strdup(said->drop.file) : NULL;
    event->dropped = window->dropped;
    sdl.free(said->drop.file);
    return event->dropped != NULL;
}

/* ---- gamepads, which come and go ---- */

static struct window_pad *pad_find(struct window *window, int32_t instance)
{
    for (int i = 0; i < WINDOW_PADS_MAX; i++)
        if (window->pads[i].controller && window->pads[i].instance == instance)
            return &window->pads[i];
    return NULL;
}

static bool of_pad_added(struct window *window, const SDL_Event *said, struct input_event *event)
{
    int32_t instance = sdl.JoystickGetDeviceInstanceID(said->cdevice.which);
    struct window_pad *pad = window->pads;
    while (pad < window->pads + WINDOW_PADS_MAX && pad->controller)
        pad++;
    if (pad == window->pads + WINDOW_PADS_MAX || pad_find(window, instance))
        return false;
    pad->controller = sdl.GameControllerOpen(said->cdevice.which);
    pad->instance = instance;
    pad->number = window->pads_seen;
    event->kind = INPUT_PAD_ADDED;
    event->pad = pad->number;
    window->pads_seen += pad->controller != NULL;
    return pad->controller != NULL;
}

static bool of_pad_removed(struct window *window, const SDL_Event *said, struct input_event *event)
{
    struct window_pad *pad = pad_find(window, said->cdevice.which);
    if (!pad)
        return false;
    sdl.GameControllerClose(pad->controller);
    pad->controller = NULL;
    event->kind = INPUT_PAD_REMOVED;
    event->pad = pad->number;
    return true;
}

static bool of_pad_button(struct window *window, const SDL_Event *said, struct input_event *event)
{
    struct window_pad *pad = pad_find(window, said->cbutton.which);
    event->kind = said->type == SDL_CONTROLLERBUTTONDOWN ? INPUT_PAD_DOWN : INPUT_PAD_UP;
    event->pad = pad ? pad->number : 0;
    event->pad_button = window_pad_button(said->cbutton.button);
    return pad && event->pad_button >= 0;
}

/* SDL's first six axes are ours, in the same order. */
static bool of_pad_axis(struct window *window, const SDL_Event *said, struct input_event *event)
{
    struct window_pad *pad = pad_find(window, said->caxis.which);
    event->kind = INPUT_PAD_AXIS;
    event->pad = pad ? pad->number : 0;
    event->axis = said->caxis.axis;
    event->value = fmax(said->caxis.value / 32767.0, -1);
    return pad && event->axis < INPUT_AXES;
}

void window_pads_close(struct window *window)
{
    for (int i = 0; i < WINDOW_PADS_MAX; i++)
        if (window->pads[i].controller)
            sdl.GameControllerClose(window->pads[i].controller);
}

/* ---- the window itself ---- */

static bool of_resize(struct window *window, struct input_event *event)
{
    int32_t width = window->width, height = window->height;
    if (window_fit(window) != STATUS_OK)
        return false; /* no memory: the old frame goes on, enlarged */
    event->kind = INPUT_RESIZE;
    event->width = window->width;
    event->height = window->height;
    return width != window->width || height != window->height;
}

static bool of_window(struct window *window, const SDL_Event *said, struct input_event *event)
{
    switch (said->window.event) {
    case SDL_WINDOWEVENT_SIZE_CHANGED:
        return of_resize(window, event);
    case SDL_WINDOWEVENT_EXPOSED:
        window_show_again(window);
        return false;
    case SDL_WINDOWEVENT_FOCUS_LOST:
        event->kind = INPUT_FOCUS_LOST;
        return true;
    case SDL_WINDOWEVENT_FOCUS_GAINED:
        event->kind = INPUT_FOCUS_GAINED;
        return true;
    case SDL_WINDOWEVENT_LEAVE:
        event->kind = INPUT_LEAVE;
        return true;
    default:
        return false;
    }
}

/* ---- all of them ---- */

/* SDL's clock counts milliseconds from its start. */
static double time_of(const SDL_Event *said)
{
    Uint32 ago_ms = sdl.GetTicks() - said->common.timestamp;
    return clock_s() - (ago_ms < 60000 ? ago_ms * 1e-3 : 0);
}

/* False: nothing that anybody wants to know. */
static bool translate(struct window *window, const SDL_Event *said, struct input_event *event)
{
    *event = (struct input_event){.time_s = time_of(said)};
    switch (said->type) {
    case SDL_QUIT:
        event->kind = INPUT_QUIT;
        return true;
    case SDL_WINDOWEVENT:
        return of_window(window, said, event);
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        return of_key(said, event);
    case SDL_TEXTINPUT:
        return of_text(said, event);
    case SDL_MOUSEMOTION:
        return of_move(window, said, event);
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        return of_button(window, said, event);
    case SDL_MOUSEWHEEL:
        return of_wheel(window, said, event);
    case SDL_FINGERDOWN:
    case SDL_FINGERMOTION:
    case SDL_FINGERUP:
        return of_finger(window, said, event);
    case SDL_CONTROLLERDEVICEADDED:
        return of_pad_added(window, said, event);
    case SDL_CONTROLLERDEVICEREMOVED:
        return of_pad_removed(window, said, event);
    case SDL_CONTROLLERBUTTONDOWN:
    case SDL_CONTROLLERBUTTONUP:
        return of_pad_button(window, said, event);
    case SDL_CONTROLLERAXISMOTION:
        return of_pad_axis(window, said, event);
    case SDL_DROPFILE:
    case SDL_DROPTEXT:
        return of_drop(window, said, event);
    case SDL_RENDER_TARGETS_RESET:
    case SDL_RENDER_DEVICE_RESET:
        window_texture_lost(window);
        window_show_again(window);
        return false;
    default:
        return false;
    }
}

/* A script's wish for another size goes the way that a user's would. */
static bool injected(struct window *window, const struct input_event *event)
{
    int width = 0, height = 0;
    if (event->kind != INPUT_RESIZE)
        return true;
    sdl.GetWindowSize(window->sdl, &width, &height);
    sdl.SetWindowSize(window->sdl, (int)lrint((double)event->width * width / window->width),
                      (int)lrint((double)event->height * height / window->height));
    return false;
}

/* Somebody's news must not keep the user's input waiting, so wakes are last. */
static bool take(struct window *window, struct input_event *event)
{
    while (window_queue_take(window, event))
        if (injected(window, event))
            return true;
    SDL_Event said;
    while (sdl.PollEvent(&said))
        if (translate(window, &said, event))
            return true;
    *event = (struct input_event){.kind = INPUT_WAKE, .time_s = clock_s()};
    return window_wake_take(window);
}

bool window_wait(struct window *window, double timeout_s, struct input_event *event)
{
    double until_s = timeout_s < 0 ? INFINITY : clock_s() + timeout_s;
    free(window->dropped);
    window->dropped = NULL;
    while (!take(window, event)) {
        if (clock_s() >= until_s)
            return false;
        window_sleep(window, fmin(until_s, clock_s() + 1e5)); /* what SDL and timespec can hold */
    }
    return true;
}
