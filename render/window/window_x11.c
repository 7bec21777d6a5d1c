/* Is there a window manager on this X screen? Without one, as in a kiosk, nobody answers SDL's wish
 * for the full screen, but SDL believes that it was granted, and draws beyond the window. */
#include <dlfcn.h>
#include <string.h>

#include "render/window/window_parts.h"

/* Of libX11, which SDL has loaded; its headers are not needed to build. */
struct x11 {
    void *(*open)(const char *name);
    int (*close)(void *display);
    unsigned long (*root)(void *display);
    unsigned long (*atom)(void *display, const char *name, int only_if_exists);
    int (*property)(void *display, unsigned long window, unsigned long name, long offset,
                    long length, int remove, unsigned long wanted, unsigned long *type, int *format,
                    unsigned long *count, unsigned long *left, unsigned char **value);
    int (*free)(void *value);
};

static bool x11_load(void *library, struct x11 *x11)
{
    const struct {
        const char *name;
        void *member;
    } rows[] = {{"XOpenDisplay", &x11->open},           {"XCloseDisplay", &x11->close},
                {"XDefaultRootWindow", &x11->root},     {"XInternAtom", &x11->atom},
                {"XGetWindowProperty", &x11->property}, {"XFree", &x11->free}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *found = dlsym(library, rows[i].name);
        if (!found)
            return false;
        memcpy(rows[i].member, &found, sizeof found); /* ISO C does not convert it */
    }
    return true;
}

/* Window managers leave their mark on the root window (Extended Window Manager Hints 1.5). */
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

bool window_x11_is_managed(void)
{
    struct x11 x11;
    bool managed = true; /* where it cannot be known, SDL knows best */
    void *library = dlopen("libX11.so.6", RTLD_NOW | RTLD_LOCAL);
    void *display = library && x11_load(library, &x11) ? x11.open(NULL) : NULL;
    if (display) {
        managed = root_is_marked(&x11, display);
        x11.close(display);
    }
    return managed;
}
