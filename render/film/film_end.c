#include "render/film/film_end.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render/disk/folder.h"
#include "render/motion/film_flash.h"

static int compared(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void flashes_note(struct film_report *report, struct flash_state *state,
                         const struct film_measure *measures, const struct film_segment *segment)
{
    for (int64_t n = segment->first; n <= segment->last; n++) {
        double flashes = flash_add(state, &measures[n - segment->first].flash) / 2.0;
        if (flashes > report->flashes) {
            report->flashes = flashes;
            report->flash_frame = n;
        }
    }
}

static void changes_note(struct film_report *report, float *changes,
                         const struct film_measure *measures, const struct film_segment *segment)
{
    for (int64_t n = segment->first; n <= segment->last; n++) {
        float change = measures[n - segment->first].change;
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
                             ? flash_create(&state, film_rate_whole(film->rate))
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for measures");
    for (int64_t n = 0; n < frames && status == STATUS_OK;) {
        const struct film_segment *segment = film_store_at(store, n);
        if (!segment || !film_store_measures(store, segment, measures)) {
            flash_destroy(state); /* begins anew after a gap */
            status = flash_create(&state, film_rate_whole(film->rate));
            n = segment ? segment->last + 1 : n + 1;
            continue;
        }
        flashes_note(report, state, measures, segment);
        changes_note(report, changes, measures, segment);
        n = segment->last + 1;
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

/* Time of a frame in whole microseconds, as the list has them: their differences add up without an
 * error. */
static double time_of(const struct film *film, int64_t frame)
{
    return 1e-6 * rint(1e6 * film_rate_seconds(film->rate, frame));
}

enum status film_segments_join(const struct film *film, const struct film_store *store,
                               const struct film_file *whole)
{
    enum { NAME = 64 };
    struct film_file temporary = {.folder = -1};
    char(*names)[NAME] = calloc(store->count, sizeof *names);
    const char **list = calloc(store->count, sizeof *list);
    double *seconds = calloc(store->count, sizeof *seconds);
    size_t count = 0;
    int claim = -1;
    enum status status = names && list && seconds
                             ? STATUS_OK
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory to join a film");
    for (int64_t n = 0; status == STATUS_OK && n < film->frames; count++) {
        const struct film_segment *segment = film_store_at(store, n);
        const struct film_file file = film_store_file(store, segment, store->suffix);
        snprintf(names[count], NAME, "%.*s", NAME - 1, file.name);
        list[count] = names[count];
        seconds[count] = time_of(film, segment->last + 1) - time_of(film, n);
        n = segment->last + 1;
    }
    if (status == STATUS_OK)
        status = film_store_temporary(store, &temporary, &claim);
    if (status == STATUS_OK)
        status = film_join(&film->video, list, seconds, count, &temporary);
    if (status == STATUS_OK &&
        renameat(temporary.folder, temporary.name, whole->folder, whole->name) != 0)
        status = status_fail(STATUS_IO, "%s/%s: %s", whole->where, whole->name, strerror(errno));
    if (status != STATUS_OK && claim >= 0)
        unlinkat(temporary.folder, temporary.name, 0);
    if (claim >= 0)
        close(claim);
    free(names);
    free(list);
    free(seconds);
    return status;
}

static bool name_give(const struct film *film, const struct film_file *whole, int folder,
                      const char *name)
{
    if (film->overwrite == OVERWRITE_YES)
        return renameat(whole->folder, whole->name, folder, name) == 0;
    if (linkat(whole->folder, whole->name, folder, name, 0) == 0)
        return true;
    return errno != EEXIST && access(film->out, F_OK) != 0 && /* the disk has no links */
           renameat(whole->folder, whole->name, folder, name) == 0;
}

/* Syncs the name before the segments are removed. */
enum status film_place(const struct film *film, const struct film_file *whole)
{
    const char *name;
    int folder = folder_above(film->out, &name);
    bool placed = folder >= 0 && name_give(film, whole, folder, name);
    enum status status = placed
                             ? STATUS_OK
                             : status_fail(STATUS_CANNOT_CREATE, "%s: %s; the film is in %s/%s",
                                           film->out, strerror(errno), whole->where, whole->name);
    if (placed)
        folder_sync(folder);
    if (folder >= 0)
        close(folder);
    return status;
}
