#include "render/window/window_x11.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "render/window/sdl.h"

/* ---- libX11, which SDL has loaded; its headers are not needed to build ---- */

struct x11_error { /* XErrorEvent */
    int type;
    void *display;
    unsigned long resource, serial;
    unsigned char code, request, minor;
};

struct x11 {
    void *(*open)(const char *name);
    int (*close)(void *display);
    unsigned long (*root)(void *display);
    unsigned long (*atom)(void *display, const char *name, int only_if_exists);
    int (*property)(void *display, unsigned long window, unsigned long name, long offset,
                    long length, int remove, unsigned long wanted, unsigned long *type, int *format,
                    unsigned long *count, unsigned long *left, unsigned char **value);
    int (*free)(void *value);
    int (*(*error_handler)(int (*)(void *, struct x11_error *)))(void *, struct x11_error *);
    int (*(*io_error_handler)(int (*)(void *)))(void *);
};

static bool x11_load(struct x11 *x11)
{
    void *library = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
    const struct {
        const char *name;
        void *member;
    } rows[] = {{"XOpenDisplay", &x11->open},
                {"XCloseDisplay", &x11->close},
                {"XDefaultRootWindow", &x11->root},
                {"XInternAtom", &x11->atom},
                {"XGetWindowProperty", &x11->property},
                {"XFree", &x11->free},
                {"XSetErrorHandler", &x11->error_handler},
                {"XSetIOErrorHandler", &x11->io_error_handler}};
    for (size_t i = 0; library && i < sizeof rows / sizeof *rows; i++) {
        void *found = dlsym(library, rows[i].name);
        if (!found)
            return false;
        memcpy(rows[i].member, &found, sizeof found); /* ISO C does not convert it */
    }
    return library != NULL;
}

/* ---- a window manager ---- */

/* Is the root window marked by a window manager (Extended Window Manager Hints 1.5)? */
static bool root_is_marked(const struct x11 *x11, void *display)
{
    unsigned long name = x11->atom(display, "_NET_SUPPORTING_WM_CHECK", 1);
    unsigned long type = 0, count = 0, left = 0;
    unsigned char *value = NULL;
    int format = 0;
    if (!name)
        return false;
    x11->property(display, x11->root(display), name, 0, 1, 0, 0, &type, &format, &count, &left,
                  &value);
    if (value)
        x11->free(value);
    return count > 0;
}

/* Without a window manager, as in a kiosk, SDL's request for the full screen has no effect, but SDL
 * believes that it was granted, and draws beyond the window. */
bool window_x11_is_managed(void)
{
    struct x11 x11;
    bool managed = true; /* where it is unknown, SDL decides */
    void *display = x11_load(&x11) ? x11.open(NULL) : NULL;
    if (display) {
        managed = root_is_marked(&x11, display);
        x11.close(display);
    }
    return managed;
}

/* ---- the end of the display, or of the window ---- */

/* State of the one window, since handlers have no context. They run on its thread, and on any that
 * wakes it, for which SDL has a connection of its own. */
static unsigned long watched;
static bool destroyed;
static bool ended;
static void (*tell_end)(void);

/* Handles the end of a connection. Both may end at once; the first thread tells it and ends the
 * process. */
static int io_error_seen(void *display)
{
    (void)display;
    while (__atomic_exchange_n(&ended, true, __ATOMIC_RELAXED))
        pause();
    tell_end();
    return 0;
}

/* Handles an error, for which libX11 would call exit(). Most errors are transient, as when the
 * owner of the clipboard has just ended. */
static int error_seen(void *display, struct x11_error *error)
{
    enum { BAD_WINDOW = 3, BAD_DRAWABLE = 9 };
    (void)display;
    unsigned long ours = __atomic_load_n(&watched, __ATOMIC_RELAXED);
    if (error->resource == ours && (error->code == BAD_WINDOW || error->code == BAD_DRAWABLE))
        __atomic_store_n(&destroyed, true, __ATOMIC_RELAXED);
    return 0;
}

void window_x11_guard(void (*display_ended)(void))
{
    struct x11 x11;
    if (!x11_load(&x11))
        return;
    x11.error_handler(error_seen);
    tell_end = display_ended;
    x11.io_error_handler(display_ended ? io_error_seen : NULL);
}

/* Declared here since SDL_syswm.h includes headers of X11. */
struct SDL_SysWMinfo {
    SDL_version version;
    int subsystem;
    union {
        struct {
            void *display;
            unsigned long window;
        } x11;
        Uint8 reserved[64];
    } info;
};

void window_x11_watch(struct SDL_Window *window)
{
    struct SDL_SysWMinfo known = {0};
    SDL_VERSION(&known.version);
    bool found = sdl.GetWindowWMInfo(window, &known) == SDL_TRUE;
    __atomic_store_n(&watched, found ? known.info.x11.window : 0, __ATOMIC_RELAXED);
    __atomic_store_n(&destroyed, false, __ATOMIC_RELAXED);
}

bool window_x11_is_destroyed(void)
{
    return __atomic_load_n(&destroyed, __ATOMIC_RELAXED);
}
