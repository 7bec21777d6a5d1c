#include "render/window/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/thread/clock.h"
#include "render/motion/warp.h"
#include "render/window/event_queue.h"
#include "render/window/sdl.h"
#include "render/window/capture.h"
#include "render/window/window_keys.h"
#include "render/window/window_x11.h"

enum { FRAME_ALIGNMENT = 64, WINDOW_PADS_MAX = 16 };

struct window_pad {
    SDL_GameController *controller; /* NULL: free */
    int32_t instance;               /* SDL's number of the pad */
    int number;                     /* our number of the pad */
};

struct window {
    SDL_Window *sdl;
    SDL_Renderer *renderer; /* NULL: the processor copies the frame into the window */
    SDL_Texture *texture;   /* texture of the frame; NULL while lost */
    bool alone;             /* no screen: SDL has no events, and its wait polls */

    uint32_t *pixels; /* pixels of the frame, [height][width] */
    int32_t width, height;
    struct paint paint;
    struct paint_fonts *fonts;
    double ui_scale;
    double upload_s; /* time of copying in the last present */

    bool covers;     /* the window fills the screen without a window manager */
    int restored[4]; /* x, y, width, height before that; in units */

    struct event_queue queue; /* events that did not come from SDL */
    char *dropped;            /* text of the last event's `dropped` */
    struct window_pad pads[WINDOW_PADS_MAX];
    int pads_seen;
};

/* Name of the renderer; outlives the window, because reports are printed after it is closed. */
static char renderer_name[32];

/* ---- from the frame to the screen ---- */

/* The frame is one streaming texture of the output's size or, where the processor draws, the
 * window's own memory. */

static void texture_drop(struct window *window)
{
    if (window->texture)
        sdl.DestroyTexture(window->texture);
    window->texture = NULL;
}

static enum status texture_make(struct window *window)
{
    texture_drop(window);
    window->texture = sdl.CreateTexture(window->renderer, SDL_PIXELFORMAT_ARGB8888,
                                        SDL_TEXTUREACCESS_STREAMING, window->width, window->height);
    if (!window->texture)
        return status_fail(STATUS_SYSTEM, "no picture of %d x %d on the screen: %s", window->width,
                           window->height, sdl.GetError());
    sdl.SetTextureBlendMode(window->texture, SDL_BLENDMODE_NONE);
    sdl.SetTextureScaleMode(window->texture, SDL_ScaleModeNearest);
    return STATUS_OK;
}

/* The window's own memory, if its pixel format is that of the frame. It changes when the window is
 * resized. */
static SDL_Surface *window_memory(struct window *window)
{
    SDL_Surface *surface = sdl.GetWindowSurface(window->sdl);
    if (!surface || SDL_MUSTLOCK(surface))
        return NULL;
    const SDL_PixelFormat *format = surface->format;
    bool same = format->BytesPerPixel == 4 && format->Rmask == 0xff0000 &&
                format->Gmask == 0xff00 && format->Bmask == 0xff;
    return same ? surface : NULL;
}

static bool output_size(struct window *window, int *width, int *height)
{
    if (window->renderer)
        return sdl.GetRendererOutputSize(window->renderer, width, height) == 0;
    SDL_Surface *memory = window_memory(window);
    *width = memory ? memory->w : 0;
    *height = memory ? memory->h : 0;
    return memory;
}

static double scale_within(const struct window *window)
{
    double most =
        fmin((double)window->width / WINDOW_UNITS_WIDE, (double)window->height / WINDOW_UNITS_HIGH);
    return fmin(window->ui_scale, most);
}

static enum status frame_fit(struct window *window)
{
    int width = 0, height = 0;
    if (!output_size(window, &width, &height) || width < 1 || height < 1)
        return status_fail(STATUS_SYSTEM, "the window has no size: %s", sdl.GetError());
    if (window->pixels && width == window->width && height == window->height)
        return STATUS_OK;
    size_t bytes = (size_t)width * (size_t)height * sizeof *window->pixels;
    uint32_t *pixels = aligned_alloc(FRAME_ALIGNMENT, (bytes + FRAME_ALIGNMENT - 1) /
                                                          FRAME_ALIGNMENT * FRAME_ALIGNMENT);
    if (!pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a window of %d x %d", width,
                           height);
    memset(pixels, 0, bytes);
    free(window->pixels);
    window->pixels = pixels;
    window->width = width, window->height = height;
    window->paint = paint_on(pixels, width, height, width, scale_within(window), window->fonts);
    return window->renderer ? texture_make(window) : STATUS_OK;
}

struct paint *window_paint(struct window *window)
{
    return &window->paint;
}

/* ---- presenting ---- */

/* Cuts the box to the frame; false: nothing is left. */
static bool box_cut(const struct window *window, struct paint_box *box)
{
    box->left = box->left > 0 ? box->left : 0;
    box->top = box->top > 0 ? box->top : 0;
    box->right = box->right < window->width ? box->right : window->width;
    box->bottom = box->bottom < window->height ? box->bottom : window->height;
    return box->right > box->left && box->bottom > box->top;
}

static SDL_Rect rect_of(const struct paint_box *box)
{
    return (SDL_Rect){box->left, box->top, box->right - box->left, box->bottom - box->top};
}

static int upload(struct window *window, struct paint_box box)
{
    if (!box_cut(window, &box))
        return 0;
    SDL_Rect rect = rect_of(&box);
    const uint32_t *from = window->pixels + (int64_t)box.top * window->width + box.left;
    double begin_s = clock_s();
    int failed = sdl.UpdateTexture(window->texture, &rect, from, window->width * (int)sizeof *from);
    window->upload_s += clock_s() - begin_s;
    return failed;
}

/* Shows the texture, which has the frame. */
static int texture_show(struct window *window)
{
    int failed = sdl.RenderCopy(window->renderer, window->texture, NULL, NULL);
    if (!failed)
        sdl.RenderPresent(window->renderer);
    return failed;
}

/* Shows all of the frame, after a device was lost and the texture is new and empty. */
static enum status show_whole(struct window *window)
{
    struct paint_box all = {0, 0, window->width, window->height};
    if (!window->texture)
        TRY(texture_make(window));
    if (upload(window, all) != 0 || texture_show(window) != 0)
        return status_fail(STATUS_SYSTEM, "SDL cannot show the picture: %s", sdl.GetError());
    return STATUS_OK;
}

/* Copies boxes to the window's memory, and shows them by one call, which waits for the screen;
 * nothing during a resize, whose event is pending. */
static enum status copy_in(struct window *window, const struct paint_box *changed, int count)
{
    struct paint_box all = {0, 0, window->width, window->height};
    struct warp_image frame = {window->pixels, window->width, window->height, window->width};
    SDL_Surface *memory = window_memory(window);
    if (!memory || memory->w != window->width || memory->h != window->height)
        return STATUS_OK;
    struct warp_image to = {memory->pixels, memory->w, memory->h, memory->pitch / 4};
    SDL_Rect rects[WINDOW_BOXES];
    int used = 0;
    double begin_s = clock_s();
    for (int i = 0; i < (count > 0 ? count : 1); i++) {
        struct paint_box box = count > 0 ? changed[i] : all;
        if (!box_cut(window, &box))
            continue;
        rects[used++] = rect_of(&box);
        warp_copy(&frame, &to, box.left, box.top, box.right, box.bottom);
    }
    window->upload_s += clock_s() - begin_s;
    if (used && sdl.UpdateWindowSurfaceRects(window->sdl, rects, used) != 0)
        return status_fail(STATUS_SYSTEM, "SDL cannot show the picture: %s", sdl.GetError());
    return STATUS_OK;
}

double window_upload_s(const struct window *window)
{
    return window->upload_s;
}

enum status window_present(struct window *window, const struct paint_box *changed, int count)
{
    window->upload_s = 0;
    count = count > WINDOW_BOXES ? 0 : count;
    if (!window->renderer)
        return copy_in(window, changed, count);
    int failed = 0;
    for (int i = 0; i < count && window->texture && !failed; i++)
        failed = upload(window, changed[i]);
    if (count > 0 && window->texture && !failed && texture_show(window) == 0)
        return STATUS_OK;
    if (failed)
        texture_drop(window);
    return show_whole(window);
}

static void show_again(struct window *window)
{
    if (!window->renderer)
        copy_in(window, NULL, 0);
    else if (window->texture)
        texture_show(window);
    else
        show_whole(window); /* a failure repeats in the next window_present */
}

/* ---- reading back ---- */

static bool memory_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    SDL_Surface *memory = window_memory(window);
    if (!memory || memory->w != window->width || memory->h != window->height)
        return false;
    struct warp_image from = {memory->pixels, memory->w, memory->h, memory->pitch / 4};
    struct warp_image to = {pixels, window->width, window->height, stride};
    warp_copy(&from, &to, 0, 0, window->width, window->height);
    return true;
}

/* Reads back from the renderer, which draws the texture again: its buffer is undefined after
 * presenting. */
static bool renderer_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    SDL_Rect all = {0, 0, window->width, window->height};
    return window->texture && sdl.RenderCopy(window->renderer, window->texture, NULL, NULL) == 0 &&
           sdl.RenderReadPixels(window->renderer, &all, SDL_PIXELFORMAT_ARGB8888, pixels,
                                stride * (int)sizeof *pixels) == 0;
}

enum status window_read(struct window *window, uint32_t *pixels, int32_t stride)
{
    if (window->renderer ? !renderer_read(window, pixels, stride)
                         : !memory_read(window, pixels, stride))
        return status_fail(STATUS_SYSTEM, "cannot read the window: %s", sdl.GetError());
    for (int32_t y = 0; y < window->height; y++)
        for (int32_t x = 0; x < window->width; x++)
            pixels[(int64_t)y * stride + x] |= 0xff000000u;
    return STATUS_OK;
}

enum status window_capture(struct window *window, const char *path, enum overwrite overwrite)
{
    size_t count = (size_t)window->width * (size_t)window->height;
    uint32_t *pixels = malloc(count * sizeof *pixels);
    if (!pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %s", path);
    struct paint_image image = {pixels, window->width, window->height, window->width};
    enum status status = window_read(window, pixels, window->width);
    if (status == STATUS_OK)
        status = capture_write(&image, NULL, path, overwrite);
    free(pixels);
    return status;
}

/* ---- mouse and fingers ---- */

/* Sets the position of the mouse; SDL's is in units of the window, one of which may be several
 * pixels. */
static void mouse_position_set(const struct window *window, double x, double y,
                               struct input_event *event)
{
    int width = 0, height = 0;
    sdl.GetWindowSize(window->sdl, &width, &height);
    event->x = width > 0 ? x * window->width / width : x;
    event->y = height > 0 ? y * window->height / height : y;
    event->modifiers = window_modifiers(sdl.GetModState());
    event->buttons = sdl.GetMouseState(NULL, NULL) << 1; /* bit 0 is the left button's */
}

static bool of_move(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    mouse_position_set(window, said->motion.x, said->motion.y, event);
    event->kind = INPUT_MOVE;
    event->buttons = said->motion.state << 1;
    return said->motion.which != SDL_TOUCH_MOUSEID;
}

static bool of_button(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    mouse_position_set(window, said->button.x, said->button.y, event);
    event->kind = said->type == SDL_MOUSEBUTTONDOWN ? INPUT_BUTTON_DOWN : INPUT_BUTTON_UP;
    event->button = said->button.button;
    event->clicks = said->button.clicks;
    return said->button.which != SDL_TOUCH_MOUSEID;
}

static bool of_wheel(const struct window *window, const SDL_Event *said, struct input_event *event)
{
    double sign = said->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -1 : 1;
    mouse_position_set(window, said->wheel.mouseX, said->wheel.mouseY, event);
    event->kind = INPUT_WHEEL;
    event->wheel_x = sign * (double)said->wheel.preciseX;
    event->wheel_y = sign * (double)said->wheel.preciseY;
    return said->wheel.which != SDL_TOUCH_MOUSEID;
}

/* Translates events of fingers. Their numbers are unique per screen; the screen's number makes them
 * unique. */
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

/* Translates events of axes: SDL's first six are ours, in the same order. */
static bool of_pad_axis(struct window *window, const SDL_Event *said, struct input_event *event)
{
    struct window_pad *pad = pad_find(window, said->caxis.which);
    event->kind = INPUT_PAD_AXIS;
    event->pad = pad ? pad->number : 0;
    event->axis = said->caxis.axis;
    event->value = fmax(said->caxis.value / 32767.0, -1);
    return pad && event->axis < INPUT_AXES;
}

static void pads_close(struct window *window)
{
    for (int i = 0; i < WINDOW_PADS_MAX; i++)
        if (window->pads[i].controller)
            sdl.GameControllerClose(window->pads[i].controller);
}

/* ---- the window itself ---- */

static bool of_resize(struct window *window, struct input_event *event)
{
    int32_t width = window->width, height = window->height;
    if (frame_fit(window) != STATUS_OK)
        return false; /* no memory: the old frame stays, enlarged */
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
        show_again(window);
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

/* Time of an event; SDL counts milliseconds from its start. */
static double time_of(const SDL_Event *said)
{
    Uint32 ago_ms = sdl.GetTicks() - said->common.timestamp;
    return clock_s() - (ago_ms < 60000 ? ago_ms * 1e-3 : 0);
}

/* Translates an event; false: it is not of use. */
static bool event_translate(struct window *window, const SDL_Event *said, struct input_event *event)
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
        texture_drop(window);
        show_again(window);
        return false;
    default:
        return false;
    }
}

/* Handles an injected event; a request for another size resizes the window like a user. */
static bool event_injected(struct window *window, const struct input_event *event)
{
    int width = 0, height = 0, pixels_wide = 0, pixels_high = 0;
    if (event->kind != INPUT_RESIZE)
        return true;
    /* fullscreen windows have the size of the screen */
    if (window_screen(window) == WINDOW_FULLSCREEN)
        window_set_screen(window, WINDOW_NORMAL);
    sdl.GetWindowSize(window->sdl, &width, &height);
    if (output_size(window, &pixels_wide, &pixels_high) && pixels_wide > 0 && pixels_high > 0)
        sdl.SetWindowSize(window->sdl, (int)lrint((double)event->width * width / pixels_wide),
                          (int)lrint((double)event->height * height / pixels_high));
    return false;
}

/* Takes the next event. Wakes are last, so that they do not delay the user's input. */
static bool event_take(struct window *window, struct input_event *event)
{
    while (event_queue_take(&window->queue, event, &window->dropped))
        if (event_injected(window, event))
            return true;
    SDL_Event said;
    while (sdl.PollEvent(&said))
        if (event_translate(window, &said, event))
            return true;
    *event = (struct input_event){.kind = INPUT_WAKE, .time_s = clock_s()};
    return event_queue_wake_take(&window->queue);
}

/* Sleeps until an event may have come, or the time is over. SDL's dummy driver would poll every
 * millisecond, and has no events. */
static void event_sleep(struct window *window, double until_s)
{
    if (window->alone) {
        event_queue_wait(&window->queue, until_s);
        return;
    }
    double left_ms = ceil((until_s - clock_s()) * 1e3);
    if (left_ms > 0) /* NULL: the event stays in the queue */
        sdl.WaitEventTimeout(NULL, left_ms < 1e9 ? (int)left_ms : 1000000000);
}

/* Ends a wait by an event of SDL, since SDL's wait ends with these only. If its queue is full it
 * does not wait either. */
static void event_wake(struct window *window)
{
    SDL_Event event = {.type = SDL_USEREVENT};
    if (!window->alone)
        sdl.PushEvent(&event);
}

void window_wake(struct window *window)
{
    if (event_queue_wake(&window->queue))
        event_wake(window);
}

bool window_inject(struct window *window, const struct input_event *event)
{
    bool first = false;
    if (event->kind == INPUT_WAKE) {
        window_wake(window);
        return true;
    }
    bool room = event_queue_put(&window->queue, event, &first);
    if (first)
        event_wake(window);
    return room;
}

bool window_wait(struct window *window, double timeout_s, struct input_event *event)
{
    double until_s = timeout_s < 0 ? INFINITY : clock_s() + timeout_s;
    free(window->dropped);
    window->dropped = NULL;
    while (!event_take(window, event)) {
        if (clock_s() >= until_s)
            return false;
        event_sleep(window,
                    fmin(until_s, clock_s() + 1e5)); /* within the range of SDL and timespec */
    }
    return true;
}

/* ---- opening ---- */

/* Sets hints: touches are no mouse events, and mouse events no touches; Ctrl-C stays the program's
 * signal. The first click counts although the window was not active, since it can do no harm. */
static void hints_set(const struct window_options *options)
{
    sdl.SetHint(SDL_HINT_TOUCH_MOUSE_EVENTS, "0");
    sdl.SetHint(SDL_HINT_MOUSE_TOUCH_EVENTS, "0");
    sdl.SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    sdl.SetHint(SDL_HINT_POLL_SENTINEL, "0");
    sdl.SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    sdl.SetHint(SDL_HINT_MOUSE_FOCUS_CLICKTHROUGH, "1");
    sdl.SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    sdl.SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    sdl.SetHint(SDL_HINT_APP_NAME, "deepfield");
    if (options->kiosk) {
        sdl.SetHint(SDL_HINT_ALLOW_ALT_TAB_WHILE_GRABBED, "0");
        sdl.SetHint(SDL_HINT_VIDEO_MINIMIZE_ON_FOCUS_LOSS, "0");
        sdl.SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "0");
    }
    if (options->pads)
        sdl.SetHint(SDL_HINT_GAMECONTROLLERCONFIG_FILE, options->pads);
}

#define REMEDY                                                                          \
    "deepfield view needs a display: DISPLAY or WAYLAND_DISPLAY must name one; over a " \
    "network, ssh -X or ssh -Y brings one along; with --script FILE none is needed "    \
    "(SDL_VIDEODRIVER=dummy); deepfield render makes pictures without a window"

/* Checks the driver: SDL silently falls back to invisible ones. */
static enum status driver_check(struct window *window, enum window_user user)
{
    const char *driver = sdl.GetCurrentVideoDriver();
    window->alone = driver && strcmp(driver, "dummy") == 0;
    if (driver && strcmp(driver, "offscreen") == 0)
        return status_fail(STATUS_NO_DEVICE, "there is no display. " REMEDY);
    if (window->alone && user == WINDOW_PERSON)
        return status_fail(STATUS_NO_DEVICE,
                           "SDL_VIDEODRIVER is dummy, which shows nothing. " REMEDY);
    return STATUS_OK;
}

static bool on_x11(void)
{
    const char *driver = sdl.GetCurrentVideoDriver();
    return driver && strcmp(driver, "x11") == 0;
}

/* Starts SDL; a script on a machine without a display gets SDL's dummy driver. */
static enum status sdl_start(struct window *window, const struct window_options *options)
{
    sdl.SetMainReady();
    hints_set(options);
    window_x11_guard(options->display_ended);
    if (options->user == WINDOW_NOBODY)
        sdl.SetHintWithPriority(SDL_HINT_VIDEODRIVER, "dummy", SDL_HINT_OVERRIDE);
    int failed = sdl.InitSubSystem(SDL_INIT_VIDEO);
    const char *driver = failed ? NULL : sdl.GetCurrentVideoDriver();
    if (options->user == WINDOW_SCRIPT && (!driver || strcmp(driver, "offscreen") == 0)) {
        if (driver)
            sdl.QuitSubSystem(SDL_INIT_VIDEO);
        sdl.SetHint(SDL_HINT_VIDEODRIVER, "dummy");
        failed = sdl.InitSubSystem(SDL_INIT_VIDEO);
    }
    if (failed)
        return status_fail(STATUS_NO_DEVICE, "SDL finds no display (%s). " REMEDY, sdl.GetError());
    TRY(driver_check(window, options->user));
    sdl.InitSubSystem(SDL_INIT_GAMECONTROLLER); /* a failure only means no pads */
    return STATUS_OK;
}

/* Checks that the screen is there; else lists those that are. */
static enum status display_check(int number)
{
    char list[512] = "";
    size_t used = 0;
    int count = sdl.GetNumVideoDisplays();
    if (number <= count)
        return STATUS_OK;
    for (int i = 0; i < count && used < sizeof list; i++) {
        const char *name = sdl.GetDisplayName(i);
        SDL_Rect at = {0};
        sdl.GetDisplayBounds(i, &at);
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%d (%.60s, %dx%d at %d,%d)",
                             i ? ", " : "", i + 1, name ? name : "no name", at.w, at.h, at.x, at.y);
    }
    return status_fail(STATUS_NO_DEVICE, "there is no screen %d; there %s %s", number,
                       count == 1 ? "is" : "are", *list ? list : "none");
}

static bool is_managed(void)
{
    return !on_x11() || window_x11_is_managed();
}

static enum status sdl_window_open(struct window *window, const struct window_options *options)
{
    Uint32 flags = SDL_WINDOW_ALLOW_HIGHDPI | SDL_WINDOW_RESIZABLE;
    if (options->screen == WINDOW_FULLSCREEN && is_managed())
        flags |= SDL_WINDOW_FULLSCREEN_DESKTOP;
    int width = options->width > 0 ? options->width : 1280;
    int height = options->height > 0 ? options->height : 720;
    int at = options->display > 0 ? (int)SDL_WINDOWPOS_CENTERED_DISPLAY(options->display - 1)
                                  : (int)SDL_WINDOWPOS_UNDEFINED;
    window->sdl = sdl.CreateWindow(options->title, at, at, width, height, flags);
    if (!window->sdl)
        return status_fail(STATUS_SYSTEM, "no window of %d x %d: %s", width, height,
                           sdl.GetError());
    sdl.SetWindowMinimumSize(window->sdl, 160, 120);
    return STATUS_OK;
}

static void renderer_close(struct window *window)
{
    if (window->renderer)
        sdl.DestroyRenderer(window->renderer);
    if (window->sdl)
        sdl.DestroyWindow(window->sdl);
    window->renderer = NULL;
    window->sdl = NULL;
}

/* Is OpenGL emulated by Mesa on the processor? Then it competes with computing threads, and shows
 * 1920 x 1080 in 14 ms where SDL's own renderer takes 3 (Xvfb, two cores of an AMD EPYC). */
static bool gl_is_emulated(void)
{
    enum { GL_RENDERER_NAME = 0x1f01 };
    const unsigned char *(*get_string)(unsigned) = NULL;
    void *found = sdl.GL_GetCurrentContext() ? sdl.GL_GetProcAddress("glGetString") : NULL;
    memcpy(&get_string, &found, sizeof found); /* ISO C does not convert it */
    const char *name = found ? (const char *)get_string(GL_RENDERER_NAME) : NULL;
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe"));
}

/* Is there a device of a GPU? Without one OpenGL is emulated, and to find that out by OpenGL takes
 * a second, since Mesa loads LLVM, which compiles. */
static bool has_gpu(void)
{
    static const char *const devices[] = {"/dev/dri", "/dev/nvidiactl", "/dev/nvmap", "/dev/mali0",
                                          "/dev/dxg"};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (access(devices[i], F_OK) == 0)
            return true;
    return false;
}

/* Opens the window's pixels for direct copies; SDL's own renderer would copy the frame twice, on
 * one core. */
static bool pixels_open(struct window *window)
{
    snprintf(renderer_name, sizeof renderer_name, "software");
    return window_memory(window) != NULL;
}

/* Opens window and renderer: a GPU with vertical synchronisation, else one without, else the
 * processor, for which the window must never have been used by OpenGL; but SDL 2 cannot show its
 * own pixels on Wayland, so any OpenGL is the last choice. */
static enum status renderer_open(struct window *window, const struct window_options *options)
{
    enum { PIXELS = 2, SOFTWARE, TRIES = 5 };
    static const Uint32 flags[TRIES] = {
        SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC,
        SDL_RENDERER_ACCELERATED, [SOFTWARE] = SDL_RENDERER_SOFTWARE, SDL_RENDERER_ACCELERATED};
    bool asked = sdl.GetHint(SDL_HINT_RENDER_DRIVER) != NULL; /* SDL_RENDER_DRIVER */
    int first = options->software || window->alone || (!asked && !has_gpu()) ? PIXELS : 0;
    for (int i = first; i < TRIES && !window->renderer; i++) {
        TRY(sdl_window_open(window, options));
        if (i == PIXELS && pixels_open(window))
            return STATUS_OK;
        if (i != PIXELS)
            window->renderer = sdl.CreateRenderer(window->sdl, -1, flags[i]);
        bool played = window->renderer && i < PIXELS && !asked && gl_is_emulated();
        if (!window->renderer || played)
            renderer_close(window);
        if (played)
            i = PIXELS - 1; /* without vertical synchronisation it would be emulated, too */
    }
    SDL_RendererInfo info;
    if (!window->renderer || sdl.GetRendererInfo(window->renderer, &info) != 0)
        return status_fail(STATUS_SYSTEM, "SDL cannot draw into its window: %s", sdl.GetError());
    snprintf(renderer_name, sizeof renderer_name, "%s", info.name);
    return STATUS_OK;
}

static double clamped_scale(double scale)
{
    return scale > WINDOW_UI_SCALE_MIN ? scale < WINDOW_UI_SCALE_MAX ? scale : WINDOW_UI_SCALE_MAX
                                       : WINDOW_UI_SCALE_MIN;
}

/* Guesses the scale: 96 dots per inch are scale 1, in quarters, times the scale of windows by SDL.
 * Screens often report a wrong size, so values below 1.25 count as 1. */
static double guessed_scale(const struct window *window)
{
    float dpi = 0;
    int width = 0, ignored;
    sdl.GetWindowSize(window->sdl, &width, &ignored);
    double scaled = width > 0 ? (double)window->width / width : 1;
    int display = sdl.GetWindowDisplayIndex(window->sdl);
    if (display < 0 || sdl.GetDisplayDPI(display, NULL, &dpi, NULL) != 0)
        dpi = 0;
    return fmax(scaled, floor(dpi / 96 * 4) / 4);
}

static enum status open_all(struct window *window, const struct window_options *options)
{
    event_queue_open(&window->queue);
    TRY(sdl_load());
    TRY(sdl_start(window, options));
    TRY(display_check(options->display));
    TRY(paint_fonts_open(&window->fonts, options->font));
    TRY(renderer_open(window, options));
    if (on_x11())
        window_x11_watch(window->sdl);
    if (options->screen == WINDOW_FULLSCREEN && window_screen(window) != WINDOW_FULLSCREEN)
        window_set_screen(window, WINDOW_FULLSCREEN);
    if (options->kiosk) {
        sdl.SetWindowKeyboardGrab(window->sdl, SDL_TRUE);
        sdl.SetWindowAlwaysOnTop(window->sdl, SDL_TRUE);
    }
    TRY(frame_fit(window));
    window_set_ui_scale(window, options->ui_scale > 0 ? options->ui_scale : guessed_scale(window));
    sdl.StopTextInput();
    sdl.EventState(SDL_DROPFILE, SDL_ENABLE);
    sdl.EventState(SDL_DROPTEXT, SDL_ENABLE);
    return STATUS_OK;
}

enum status window_open(struct window **window, const struct window_options *options)
{
    *window = calloc(1, sizeof **window);
    if (!*window)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a window");
    enum status status = open_all(*window, options);
    if (status != STATUS_OK) {
        window_close(*window);
        *window = NULL;
    }
    return status;
}

void window_close(struct window *window)
{
    if (!window)
        return;
    pads_close(window);
    texture_drop(window);
    renderer_close(window);
    paint_fonts_close(window->fonts);
    if (sdl.Quit)
        sdl.Quit();
    event_queue_close(&window->queue);
    free(window->dropped);
    free(window->pixels);
    free(window);
}

/* ---- asking and setting ---- */

enum status window_check(const struct window *window)
{
    (void)window;
    if (on_x11() && window_x11_is_destroyed())
        return status_fail(STATUS_SYSTEM, "the window is gone: another program destroyed it");
    return STATUS_OK;
}

const char *window_driver(const struct window *window)
{
    (void)window;
    const char *driver = sdl.GetCurrentVideoDriver();
    return driver ? driver : "none";
}

const char *window_renderer(const struct window *window)
{
    (void)window;
    return renderer_name;
}

void window_size(const struct window *window, int32_t *width, int32_t *height)
{
    *width = window->width;
    *height = window->height;
}

double window_ui_scale(const struct window *window)
{
    return window->ui_scale;
}

void window_set_ui_scale(struct window *window, double scale)
{
    window->ui_scale = clamped_scale(scale);
    window->paint.scale = scale_within(window);
}

/* Covers the screen, where there is no window manager. */
static void screen_cover(struct window *window, enum window_screen screen)
{
    int *at = window->restored, display = sdl.GetWindowDisplayIndex(window->sdl);
    SDL_Rect all;
    if (window->covers == (screen == WINDOW_FULLSCREEN))
        return;
    if (!window->covers && (display < 0 || sdl.GetDisplayBounds(display, &all) != 0))
        return;
    if (!window->covers) {
        sdl.GetWindowPosition(window->sdl, &at[0], &at[1]);
        sdl.GetWindowSize(window->sdl, &at[2], &at[3]);
    } else
        all = (SDL_Rect){at[0], at[1], at[2], at[3]};
    sdl.SetWindowSize(window->sdl, all.w, all.h);
    sdl.SetWindowPosition(window->sdl, all.x, all.y);
    window->covers = !window->covers;
}

void window_set_screen(struct window *window, enum window_screen screen)
{
    if (window->covers || !is_managed()) {
        screen_cover(window, screen);
        return;
    }
    sdl.SetWindowFullscreen(window->sdl,
                            screen == WINDOW_FULLSCREEN ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
}

enum window_screen window_screen(const struct window *window)
{
    bool full = window->covers || sdl.GetWindowFlags(window->sdl) & SDL_WINDOW_FULLSCREEN;
    return full ? WINDOW_FULLSCREEN : WINDOW_NORMAL;
}

void window_set_cursor(struct window *window, bool shown)
{
    (void)window;
    sdl.ShowCursor(shown ? SDL_ENABLE : SDL_DISABLE);
}

void window_set_typing(struct window *window, bool typing)
{
    (void)window;
    if (typing)
        sdl.StartTextInput();
    else
        sdl.StopTextInput();
}

char *window_clipboard(struct window *window)
{
    (void)window;
    char *text = sdl.HasClipboardText() ? sdl.GetClipboardText() : NULL;
    char *copy = text && text[0] ? strdup(text) : NULL;
    sdl.free(text);
    return copy;
}

enum status window_set_clipboard(struct window *window, const char *text)
{
    (void)window;
    if (sdl.SetClipboardText(text) != 0)
        return status_fail(STATUS_SYSTEM, "the clipboard takes no text: %s", sdl.GetError());
    return STATUS_OK;
}
