#include "library/handle/program_live.h"

#include <math.h>
#include <string.h>

#include "library/handle/field.h"
#include "library/handle/live.h"
#include "render/colour/palette.h"
#include "render/file/sink.h"

enum status program_live_open(deepfield_live **live, deepfield_renderer *renderer,
                              const char *orbit_cache)
{
    TRY(live_create(live));
    enum status status = live_engine_open(*live, renderer, orbit_cache);
    if (status != STATUS_OK) {
        live_destroy(*live);
        *live = NULL;
        return status;
    }
    (*live)->is_program = true;
    return STATUS_OK;
}

enum status program_live_run(deepfield_live *live)
{
    return live_run(live->live);
}

enum status program_live_place(struct join_file *place, const char *path)
{
    return join_file_read(place, path);
}

enum status program_live_join(deepfield_live *live, const struct join_file *run,
                              const volatile int *stop, void (*told)(void *context, int rank),
                              void *context)
{
    const struct live_join place = {.address = run->host,
                                    .port = run->port,
                                    .token = run->token,
                                    .program = deepfield_version()};
    return live_join_serve(live->live, &place, stop, told, context);
}

enum status program_live_losses(const deepfield_live *live)
{
    return live_losses(live->live);
}

enum status program_live_close(deepfield_live *live)
{
    if (!live)
        return STATUS_OK;
    TRY(live_engine_close(live)); /* on failure threads still run in this memory */
    live_destroy(live);
    return STATUS_OK;
}

void program_live_quit(deepfield_live *live)
{
    live_quit(live->live);
}

void program_live_wake(deepfield_live *live, void (*wake)(void *user), void *user)
{
    live_wake_with(live->live, wake, user);
}

enum status program_live_ask(deepfield_live *live, const struct place *place,
                             const deepfield_live_request *request, uint64_t *serial)
{
    pthread_mutex_lock(&live->mutex);
    enum status status = live_request_take(live, place, request, false);
    *serial = live->first;
    pthread_mutex_unlock(&live->mutex);
    return status;
}

void program_live_measured(const deepfield_live *live, struct program_live_measured *measured)
{
    measured->distribution = live->now.distribution;
    measured->survey = live->now.survey;
}

void program_field_place(const deepfield_field *field, struct place *place)
{
    place->limit = field->held.limit;
    place->samples = field->light ? field->held.samples : 1;
    look_resolve(&place->look, &field->field);
    look_planes_drop(&place->look, field->field.planes);
}

enum status program_field_write(const deepfield_field *field, const struct program_field_file *file)
{
    struct look look = file->look;
    struct palette *palette = NULL;
    TRY(palette_load(&palette, file->assets, file->palette));
    look.palette = palette;
    const struct sink_request request = {.path = file->path,
                                         .field = &field->field,
                                         .look = &look,
                                         .light = (const float(*)[3])field->light,
                                         .view_text = file->text,
                                         .title = *file->title ? file->title : NULL,
                                         .bits = 8,
                                         .dpi = file->dpi,
                                         .overwrite = file->replace ? OVERWRITE_YES : OVERWRITE_NO};
    enum status status = sink_write(&request);
    palette_destroy(palette);
    return status;
}
