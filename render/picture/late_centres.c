#include "render/picture/late_centres.h"

#include <stdio.h>

#include "kernels/backend.h"
#include "render/colour/distribution.h"
#include "render/disk/memory.h"

enum status late_centres_open(struct late_centres *centres, struct renderer *renderer,
                              const struct field *host, const struct field *device)
{
    int32_t column[SUBGRID_WIDTH], row[SUBGRID_HEIGHT];
    *centres = (struct late_centres){.renderer = renderer, .host = *host, .device = *device};
    distribution_subgrid(host->width, host->height, column, row);
    for (int i = 0; i < SUBGRID_HEIGHT; i++) {
        struct field to = field_window(host, 0, row[i], host->width, 1);
        struct field from = field_window(device, 0, row[i], device->width, 1);
        TRY(renderer_copy(renderer, &to, &from));
    }
    return STATUS_OK;
}

/* Touches the pages by all threads: the copy touches them by one. */
static void pages_touch(const struct field *field)
{
    for (int p = 0; p < PLANES; p++)
        if (field->planes & 1u << p)
            memory_touch(field_row(field, (enum plane)p, 0),
                         (size_t)field->stride * (size_t)field->height *
                             element_bytes(plane_element((enum plane)p, field->count_bytes)),
                         backend_cores_usable());
}

static void centres_fetch(void *context)
{
    struct late_centres *centres = context;
    pages_touch(&centres->host);
    centres->status = renderer_copy(centres->renderer, &centres->host, &centres->device);
    if (centres->status != STATUS_OK)
        snprintf(centres->why, sizeof centres->why, "%s", status_text());
}

void late_centres_begin(struct late_centres *centres)
{
    if (!centres->renderer || centres->background)
        return;
    if (background_open(&centres->background) == STATUS_OK)
        background_run(centres->background, centres_fetch, centres);
}

enum status late_centres_wait(struct late_centres *centres)
{
    if (!centres->background) {
        centres_fetch(centres);
        return centres->status;
    }
    background_rest(centres->background);
    return centres->status == STATUS_OK ? STATUS_OK
                                        : status_fail(centres->status, "%s", centres->why);
}

void late_centres_close(struct late_centres *centres)
{
    background_rest(centres->background);
    background_close(centres->background);
    *centres = (struct late_centres){.renderer = NULL};
}
