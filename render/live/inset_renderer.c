#include "render/live/inset_renderer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/executor.h"
#include "kernels/backend.h"
#include "render/live/rank_worker.h"

#define SLICE_S 0.01

struct shelf { /* request and picture of a slot */
    struct inset_request request;
    bool waiting;    /* a request has not been begun */
    bool begun;      /* `request` is being computed, or was */
    uint64_t serial; /* serial of the finished picture; 0: none */
    uint32_t *pixels;
    int32_t width, height;
};

struct inset_renderer {
    const char *assets;
    void (*wake)(void *context);
    void *context;
    struct backend *backend;
    struct palette *palette; /* palette of the thread */
    char palette_name[LIVE_PALETTE_BYTES];
    volatile int stop;
    pthread_t thread;
    pthread_mutex_t mutex; /* protects all below */
    pthread_cond_t asked;
    enum inset_slot at; /* slot being computed, if busy */
    bool busy, quit;    /* if busy */
    uint64_t serial;    /* serial of the newest picture */
    struct shelf shelf[INSET_SLOTS];
};

/* ---- the thread ------------------------------------------------------------------------------ */

static enum status palette_fit(struct inset_renderer *renderer, const char *name)
{
    if (renderer->palette && !strcmp(renderer->palette_name, name))
        return STATUS_OK;
    struct palette *palette;
    TRY(palette_load(&palette, renderer->assets, name));
    palette_destroy(renderer->palette);
    renderer->palette = palette;
    snprintf(renderer->palette_name, sizeof renderer->palette_name, "%s", name);
    return STATUS_OK;
}

static void colours_make(const struct look *look, const struct field *field, uint32_t *pixels)
{
    for (int32_t y = 0; y < field->height; y++) {
        struct colour_run run = colour_run_of(field, y);
        colour_run_8(look, &run, pixels + (size_t)y * (size_t)field->width);
    }
}

static enum status view_of(const struct inset_request *request, struct view_numbers *numbers)
{
    char re[40], im[40], zoom[40];
    struct view view = {.shape.mirrored = request->mirrored};
    snprintf(re, sizeof re, "%.17g", request->centre_re);
    snprintf(im, sizeof im, "%.17g", request->centre_im);
    snprintf(zoom, sizeof zoom, "%.17g", request->zoom);
    TRY(view_set(&view, re, im, zoom, 0, request->width, request->height));
    enum status status = view_numbers(&view, numbers);
    view_destroy(&view);
    return status;
}

static enum status picture_make(struct inset_renderer *renderer,
                                const struct inset_request *request, uint32_t *pixels)
{
    struct view_numbers numbers;
    TRY(formula_check(&request->formula, request->bailout));
    TRY(palette_fit(renderer, request->palette));
    TRY(view_of(request, &numbers));
    struct spec spec = {.limit = request->limit,
                        .bailout = request->bailout,
                        .planes = CONTEXT_PLANES | (look_planes(&request->look) & PLANE_MASK_PHASE),
                        .count_bytes = request->limit <= (int64_t)UINT32_MAX ? 4 : 8,
                        .number = NUMBER_FP64,
                        .formula = request->formula};
    struct field field;
    struct backend_work work = {0};
    TRY(field_create(&field, request->width, request->height, spec.planes, spec.count_bytes));
    struct grid grid = view_grid(&numbers, 0, 0, request->width, request->height);
    enum status status = backend_compute(renderer->backend, &spec, &grid, &field, &work);
    if (status == STATUS_OK) {
        struct look look;
        struct distribution distribution;
        distribution_measure(&distribution, &field);
        look_make(&look, &request->look, &distribution, renderer->palette, field.height);
        colours_make(&look, &field, pixels);
    }
    field_destroy(&field);
    return status;
}

/* Computes the picture of a slot, with the mutex, which is released meanwhile. */
static void shelf_fill(struct inset_renderer *renderer, enum inset_slot slot)
{
    struct shelf *shelf = &renderer->shelf[slot];
    struct inset_request request = shelf->request;
    shelf->waiting = false;
    shelf->begun = renderer->busy = true;
    renderer->at = slot;
    __atomic_store_n(&renderer->stop, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&renderer->mutex);
    uint32_t *pixels = malloc((size_t)request.width * (size_t)request.height * sizeof *pixels);
    bool made = pixels && picture_make(renderer, &request, pixels) == STATUS_OK;
    pthread_mutex_lock(&renderer->mutex);
    renderer->busy = false;
    if (!made) { /* overtaken, or an impossible request: the picture before stays */
        free(pixels);
        return;
    }
    free(shelf->pixels);
    shelf->pixels = pixels;
    shelf->width = request.width;
    shelf->height = request.height;
    shelf->serial = ++renderer->serial;
    if (renderer->wake)
        renderer->wake(renderer->context);
}

static void *renderer_run(void *context)
{
    struct inset_renderer *renderer = context;
    thread_priority_lower();
    pthread_mutex_lock(&renderer->mutex);
    while (!renderer->quit) {
        bool any = false;
        for (int slot = 0; slot < INSET_SLOTS && !renderer->quit; slot++)
            if (renderer->shelf[slot].waiting) {
                shelf_fill(renderer, (enum inset_slot)slot);
                any = true;
            }
        if (!any && !renderer->quit)
            pthread_cond_wait(&renderer->asked, &renderer->mutex);
    }
    pthread_mutex_unlock(&renderer->mutex);
    view_thread_end();
    return NULL;
}

/* ---- the others ------------------------------------------------------------------------------ */

enum status inset_renderer_open(struct inset_renderer **out, const char *assets,
                                void (*wake)(void *context), void *context)
{
    struct inset_renderer *renderer = *out = calloc(1, sizeof *renderer);
    if (!renderer)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the insets");
    renderer->assets = assets;
    renderer->wake = wake;
    renderer->context = context;
    struct backend_options options = {.threads = 1, .slice_s = SLICE_S, .stop = &renderer->stop};
    enum status status = backend_open(&renderer->backend, "cpu", &options);
    pthread_mutex_init(&renderer->mutex, NULL);
    pthread_cond_init(&renderer->asked, NULL);
    if (status == STATUS_OK &&
        thread_start_without_signals(&renderer->thread, renderer_run, renderer))
        status = status_fail(STATUS_SYSTEM, "no thread for the insets");
    if (status == STATUS_OK)
        return STATUS_OK;
    backend_close(renderer->backend);
    free(renderer);
    *out = NULL;
    return status;
}

void inset_renderer_close(struct inset_renderer *renderer)
{
    if (!renderer)
        return;
    pthread_mutex_lock(&renderer->mutex);
    renderer->quit = true;
    __atomic_store_n(&renderer->stop, 1, __ATOMIC_RELAXED);
    pthread_cond_signal(&renderer->asked);
    pthread_mutex_unlock(&renderer->mutex);
    pthread_join(renderer->thread, NULL);
    backend_close(renderer->backend);
    palette_destroy(renderer->palette);
    for (int slot = 0; slot < INSET_SLOTS; slot++)
        free(renderer->shelf[slot].pixels);
    pthread_cond_destroy(&renderer->asked);
    pthread_mutex_destroy(&renderer->mutex);
    free(renderer);
}

static bool same_request(const struct inset_request *a, const struct inset_request *b)
{
    return a->centre_re == b->centre_re && a->centre_im == b->centre_im && a->zoom == b->zoom &&
           a->width == b->width && a->height == b->height && a->limit == b->limit &&
           a->bailout == b->bailout && formula_same(&a->formula, &b->formula) &&
           look_options_same(&a->look, &b->look) && !strcmp(a->palette, b->palette);
}

void inset_renderer_ask(struct inset_renderer *renderer, enum inset_slot slot,
                        const struct inset_request *request)
{
    if (request->width < 1 || request->height < 1 || request->limit < 1)
        return;
    struct inset_request mine = *request;
    mine.palette[sizeof mine.palette - 1] = '\0';
    pthread_mutex_lock(&renderer->mutex);
    struct shelf *shelf = &renderer->shelf[slot];
    if (!(shelf->waiting || shelf->begun) || !same_request(&shelf->request, &mine)) {
        shelf->request = mine;
        shelf->waiting = true;
        if (renderer->busy && renderer->at == slot)
            __atomic_store_n(&renderer->stop, 1, __ATOMIC_RELAXED);
        pthread_cond_signal(&renderer->asked);
    }
    pthread_mutex_unlock(&renderer->mutex);
}

bool inset_renderer_poll(struct inset_renderer *renderer, enum inset_slot slot, uint64_t *seen,
                         uint32_t *pixels, int32_t width, int32_t height, int32_t stride)
{
    pthread_mutex_lock(&renderer->mutex);
    const struct shelf *shelf = &renderer->shelf[slot];
    bool newer = shelf->serial > *seen && shelf->width == width && shelf->height == height;
    for (int32_t y = 0; newer && y < height; y++)
        memcpy(pixels + (size_t)y * (size_t)stride, shelf->pixels + (size_t)y * (size_t)width,
               (size_t)width * sizeof *pixels);
    if (newer)
        *seen = shelf->serial;
    pthread_mutex_unlock(&renderer->mutex);
    return newer;
}
