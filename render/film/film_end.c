#include "render/film/film_end.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/film/film_flash.h"
#include "render/folder.h"

static int compared(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void flashes_note(struct film_report *report, struct flash_state *state,
                         const struct film_measure *measures, const struct film_stretch *stretch)
{
    for (int64_t n = stretch->first; n <= stretch->last; n++) {
        double flashes = flash_add(state, &measures[n - stretch->first].flash) / 2.0;
        if (flashes > report->flashes) {
            report->flashes = flashes;
            report->flash_frame = n;
        }
    }
}

static void changes_note(struct film_report *report, float *changes,
                         const struct film_measure *measures, const struct film_stretch *stretch)
{
    for (int64_t n = stretch->first; n <= stretch->last; n++) {
        float change = measures[n - stretch->first].change;
        if (isnan(change))
            continue;
        changes[report->measured++] = change;
        if ((double)change > report->change_most) {
            report->change_most = (double)change;
            report->change_frame = n;
        }
    }
}

enum status film_measures_report(const struct film *film, const struct film_store *store,
                                 struct film_report *report)
{
    int64_t frames = film->frames;
    float *changes = calloc((size_t)frames, sizeof *changes);
    struct film_measure *measures = calloc(FILM_CELL_FRAMES, sizeof *measures);
    struct flash_state *state = NULL;
    enum status status = changes && measures
                             ? flash_create(&state, film->fps)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for measures");
    for (int64_t n = 0; n < frames && status == STATUS_OK;) {
        const struct film_stretch *stretch = film_store_at(store, n);
        if (!stretch || !film_store_measures(store, stretch, measures)) {
            flash_destroy(state); /* a gap */
            status = flash_create(&state, film->fps);
            n = stretch ? stretch->last + 1 : n + 1;
            continue;
        }
        flashes_note(report, state, measures, stretch);
        changes_note(report, changes, measures, stretch);
        n = stretch->last + 1;
    }
    if (changes && report->measured) {
        qsort(changes, (size_t)report->measured, sizeof *changes, compared);
        report->change_median = (double)changes[report->measured / 2];
    }
    flash_destroy(state);
    free(changes);
    free(measures);
    return status;
}

enum status film_stretches_join(const struct film *film, const struct film_store *store,
                                const char *whole)
{
    enum { NAME = 64 };
    char temporary[FILM_PATH_BYTES];
    char(*names)[NAME] = calloc(store->count, sizeof *names);
    const char **list = calloc(store->count, sizeof *list);
    double *seconds = calloc(store->count, sizeof *seconds);
    size_t count = 0;
    int claim = -1;
    enum status status = names && list && seconds
                             ? STATUS_OK
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory to join a film");
    for (int64_t n = 0; status == STATUS_OK && n < film->frames; count++) {
        const struct film_stretch *stretch = film_store_at(store, n);
        film_store_path(store, stretch, store->suffix, temporary);
        snprintf(names[count], NAME, "%s", strrchr(temporary, '/') + 1);
        list[count] = names[count];
        seconds[count] = (double)(stretch->last + 1 - n) / film->fps;
        n = stretch->last + 1;
    }
    *temporary = '\0';
    if (status == STATUS_OK)
        status = film_store_temporary(store, temporary, &claim);
    if (status == STATUS_OK)
        status = film_join(&film->video, store->folder, list, seconds, count, temporary);
    if (status == STATUS_OK && rename(temporary, whole) < 0)
        status = status_fail(STATUS_IO, "%s: %s", whole, strerror(errno));
    if (status != STATUS_OK && *temporary)
        unlink(temporary);
    if (claim >= 0)
        close(claim);
    free(names);
    free(list);
    free(seconds);
    return status;
}

/* The name is on the disk before the stretches go. */
static void name_sync(const char *path)
{
    char folder[FILM_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return; /* it may be written, but not read */
    folder_sync(descriptor);
    close(descriptor);
}

enum status film_place(const struct film *film, const char *whole)
{
    bool placed = film->overwrite == OVERWRITE_YES ? rename(whole, film->out) == 0
                                                   : link(whole, film->out) == 0;
    if (!placed && film->overwrite == OVERWRITE_NO && errno != EEXIST) /* a disk without links */
        placed = access(film->out, F_OK) != 0 && rename(whole, film->out) == 0;
    if (!placed)
        return status_fail(STATUS_CANNOT_CREATE, "%s: %s; the film is in %s", film->out,
                           strerror(errno), whole);
    name_sync(film->out);
    return STATUS_OK;
}
