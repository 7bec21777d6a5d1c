#include "render/live/aside.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"
#include "render/live/scene.h"

#define SLICE_S 0.01

struct shelf { /* of a slot */
    struct aside_wish wish;
    bool waiting;    /* a wish that was not begun */
    bool begun;      /* `wish` is being computed, or was */
    uint64_t serial; /* of the finished picture; 0: none */
    uint32_t *pixels;
    int32_t width, height;
};

struct aside {
    const char *assets;
    void (*wake)(void *context);
    void *context;
    struct backend *backend;
    struct palette *palette; /* the thread's, called: */
    char palette_name[LIVE_PALETTE_BYTES];
    volatile int stop;
    pthread_t thread;
    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t asked;
    enum aside_slot at; /* being computed, */
    bool busy, quit;    /* if busy */
    uint64_t serial;    /* of the newest picture */
    struct shelf shelf[ASIDE_SLOTS];
};

/* ---- the thread ------------------------------------------------------------------------------ */

static enum status palette_fit(struct aside *aside, const char *name)
{
    if (aside->palette && !strcmp(aside->palette_name, name))
        return STATUS_OK;
    struct palette *palette;
    TRY(palette_load(&palette, aside->assets, name));
    palette_destroy(aside->palette);
    aside->palette = palette;
    snprintf(aside->palette_name, sizeof aside->palette_name, "%s", name);
    return STATUS_OK;
}

static void colours_make(const struct look *look, const struct field *field, uint32_t *pixels)
{
    for (int32_t y = 0; y < field->height; y++) {
        struct colour_run run = colour_run_of(field, y);
        colour_run_8(look, &run, pixels + (size_t)y * (size_t)field->width);
    }
}

static enum status view_of(const struct aside_wish *wish, struct view_numbers *numbers)
{
    char re[40], im[40], zoom[40];
    struct view view = {0};
    snprintf(re, sizeof re, "%.17g", wish->centre_re);
    snprintf(im, sizeof im, "%.17g", wish->centre_im);
    snprintf(zoom, sizeof zoom, "%.17g", wish->zoom);
    TRY(view_set(&view, re, im, zoom, 0, wish->width, wish->height));
    enum status status = view_numbers(&view, numbers);
    view_destroy(&view);
    return status;
}

static enum status picture_make(struct aside *aside, const struct aside_wish *wish,
                                uint32_t *pixels)
{
    struct view_numbers numbers;
    TRY(formula_check(&wish->formula, wish->bailout));
    TRY(palette_fit(aside, wish->palette));
    TRY(view_of(wish, &numbers));
    struct spec spec = {.limit = wish->limit,
                        .bailout = wish->bailout,
                        .planes = SCENE_PLANES,
                        .count_bytes = wish->limit <= (int64_t)UINT32_MAX ? 4 : 8,
                        .number = NUMBER_FP64,
                        .formula = wish->formula};
    struct field field;
    struct backend_work work = {0};
    TRY(field_create(&field, wish->width, wish->height, spec.planes, spec.count_bytes));
    struct grid grid = view_grid(&numbers, 0, 0, wish->width, wish->height);
    enum status status = backend_compute(aside->backend, &spec, &grid, &field, &work);
    if (status == STATUS_OK) {
        struct look look;
        struct distribution distribution;
        distribution_measure(&distribution, &field);
        look_make(&look, &wish->look, &distribution, aside->palette, field.height);
        colours_make(&look, &field, pixels);
    }
    field_destroy(&field);
    return status;
}

/* With the mutex, which is given up while computing. */
static void shelf_fill(struct aside *aside, enum aside_slot slot)
{
    struct shelf *shelf = &aside->shelf[slot];
    struct aside_wish wish = shelf->wish;
    shelf->waiting = false;
    shelf->begun = aside->busy = true;
    aside->at = slot;
    __atomic_store_n(&aside->stop, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&aside->mutex);
    uint32_t *pixels = malloc((size_t)wish.width * (size_t)wish.height * sizeof *pixels);
    bool made = pixels && picture_make(aside, &wish, pixels) == STATUS_OK;
    pthread_mutex_lock(&aside->mutex);
    aside->busy = false;
    if (!made) { /* overtaken, or a wish that cannot be: the picture before stays */
        free(pixels);
        return;
    }
    free(shelf->pixels);
    shelf->pixels = pixels;
    shelf->width = wish.width;
    shelf->height = wish.height;
    shelf->serial = ++aside->serial;
    if (aside->wake)
        aside->wake(aside->context);
}

static void *aside_live(void *context)
{
    struct aside *aside = context;
    scene_step_back();
    pthread_mutex_lock(&aside->mutex);
    while (!aside->quit) {
        bool any = false;
        for (int slot = 0; slot < ASIDE_SLOTS && !aside->quit; slot++)
            if (aside->shelf[slot].waiting) {
                shelf_fill(aside, (enum aside_slot)slot);
                any = true;
            }
        if (!any && !aside->quit)
            pthread_cond_wait(&aside->asked, &aside->mutex);
    }
    pthread_mutex_unlock(&aside->mutex);
    view_thread_end();
    return NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

static int thread_start(struct aside *aside)
{
    sigset_t all, before; /* signals are for the other threads */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failed = pthread_create(&aside->thread, NULL, aside_live, aside);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

enum status aside_open(struct aside **out, const char *assets, void (*wake)(void *context),
                       void *context)
{
    struct aside *aside = *out = calloc(1, sizeof *aside);
    if (!aside)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the pictures aside");
    aside->assets = assets;
    aside->wake = wake;
    aside->context = context;
    struct backend_options options = {.threads = 1, .slice_s = SLICE_S, .stop = &aside->stop};
    enum status status = backend_open(&aside->backend, "cpu", &options);
    pthread_mutex_init(&aside->mutex, NULL);
    pthread_cond_init(&aside->asked, NULL);
    if (status == STATUS_OK && thread_start(aside))
        status = status_fail(STATUS_SYSTEM, "no thread for the pictures aside");
    if (status == STATUS_OK)
        return STATUS_OK;
    backend_close(aside->backend);
    free(aside);
    *out = NULL;
    return status;
}

void aside_close(struct aside *aside)
{
    if (!aside)
        return;
    pthread_mutex_lock(&aside->mutex);
    aside->quit = true;
    __atomic_store_n(&aside->stop, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&aside->asked);
    pthread_mutex_unlock(&aside->mutex);
    pthread_join(aside->thread, NULL);
    backend_close(aside->backend);
    palette_destroy(aside->palette);
    for (int slot = 0; slot < ASIDE_SLOTS; slot++)
        free(aside->shelf[slot].pixels);
    pthread_cond_destroy(&aside->asked);
    pthread_mutex_destroy(&aside->mutex);
    free(aside);
}

static bool same_wish(const struct aside_wish *a, const struct aside_wish *b)
{
    return a->centre_re == b->centre_re && a->centre_im == b->centre_im && a->zoom == b->zoom &&
           a->width == b->width && a->height == b->height && a->limit == b->limit &&
           a->bailout == b->bailout && formula_same(&a->formula, &b->formula) &&
           look_wish_same(&a->look, &b->look) && !strcmp(a->palette, b->palette);
}

void aside_ask(struct aside *aside, enum aside_slot slot, const struct aside_wish *wish)
{
    if (wish->width < 1 || wish->height < 1 || wish->limit < 1)
        return;
    struct aside_wish mine = *wish;
    mine.palette[sizeof mine.palette - 1] = '\0';
    pthread_mutex_lock(&aside->mutex);
    struct shelf *shelf = &aside->shelf[slot];
    if (!(shelf->waiting || shelf->begun) || !same_wish(&shelf->wish, &mine)) {
        shelf->wish = mine;
        shelf->waiting = true;
        if (aside->busy && aside->at == slot)
            __atomic_store_n(&aside->stop, 1, __ATOMIC_RELAXED);
        pthread_cond_signal(&aside->asked);
    }
    pthread_mutex_unlock(&aside->mutex);
}

bool aside_look(struct aside *aside, enum aside_slot slot, uint64_t *seen, uint32_t *pixels,
                int32_t width, int32_t height, int32_t stride)
{
    pthread_mutex_lock(&aside->mutex);
    const struct shelf *shelf = &aside->shelf[slot];
    bool newer = shelf->serial > *seen && shelf->width == width && shelf->height == height;
    for (int32_t y = 0; newer && y < height; y++)
        memcpy(pixels + (size_t)y * (size_t)stride, shelf->pixels + (size_t)y * (size_t)width,
               (size_t)width * sizeof *pixels);
    if (newer)
        *seen = shelf->serial;
    pthread_mutex_unlock(&aside->mutex);
    return newer;
}
