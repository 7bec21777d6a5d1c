#include "render/window/sdl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

struct sdl sdl;
struct ttf ttf;

struct sdl_function {
    const char *name;
    void *member; /* member of sdl or ttf */
};

static const struct sdl_function sdl_rows[] = {
#define SDL_ROW(name) {"SDL_" #name, &sdl.name},
    SDL_FUNCTIONS(SDL_ROW)};
static const struct sdl_function ttf_rows[] = {
#define TTF_ROW(name) {"TTF_" #name, &ttf.name},
    TTF_FUNCTIONS(TTF_ROW)};

/* Loads a library, which is never unloaded, since it may have started threads. */
static enum status library_load(const char *file, const char *package,
                                const struct sdl_function *rows, size_t count)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return status_fail(STATUS_NO_DEVICE, "a window needs %s, which is in the package %s (%s)",
                           file, package, dlerror());
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, rows[i].name);
        if (!found)
            return status_fail(STATUS_NO_DEVICE,
                               "%s is too old for the window of deepfield: it has no %s", file,
                               rows[i].name);
        memcpy(rows[i].member, &found, sizeof found); /* ISO C does not convert it */
    }
    return STATUS_OK;
}

static enum status both_load(void)
{
    TRY(library_load("libSDL2-2.0.so.0", "libsdl2-2.0-0", sdl_rows,
                     sizeof sdl_rows / sizeof sdl_rows[0]));
    return library_load("libSDL2_ttf-2.0.so.0", "libsdl2-ttf-2.0-0", ttf_rows,
                        sizeof ttf_rows / sizeof ttf_rows[0]);
}

enum status sdl_load(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    enum status status = STATUS_OK;
    pthread_mutex_lock(&lock);
    if (!loaded)
        status = both_load();
    loaded = status == STATUS_OK;
    pthread_mutex_unlock(&lock);
    return status;
}
