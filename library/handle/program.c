#include "library/handle/program.h"

#include <stdio.h>
#include <stdlib.h>

#include "library/handle/film.h"
#include "library/handle/handle.h"
#include "library/handle/sentence.h"
#include "library/output/picture_ahead.h"
#include "render/disk/run_status.h"

enum status program_world(struct deepfield_world **world, const struct program_parts *parts)
{
    struct deepfield_world *made = calloc(1, sizeof *made);
    *world = made;
    if (!made)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a world");
    made->world = parts->world;
    made->has_borrowed_data = true;
    made->has_borrowed_world = parts->world != NULL;
    made->data = parts->data;
    made->stop = parts->stop;
    made->log = parts->log;
    made->user = parts->user;
    sentence_keep_flags();
    enum status status = parts->world ? STATUS_OK : world_alone(&made->world);
    if (status != STATUS_OK) {
        free(made);
        *world = NULL;
    }
    return status;
}

enum status program_renderer(struct deepfield_renderer **renderer, struct deepfield_world *world,
                             const struct program_devices *devices)
{
    struct config config;
    *renderer = NULL;
    TRY(config_copy(&config, devices->config));
    enum status status = STATUS_OK;
    if (!devices->joins)
        status = config_set(&config, OPTION_COMPUTE_JOIN_FILE, "", "program", STATUS_INTERNAL);
    if (status == STATUS_OK)
        status = status_take(deepfield_renderer_create(renderer, world));
    if (status != STATUS_OK) {
        config_destroy(&config);
        return status;
    }
    struct deepfield_renderer *made = *renderer;
    config_destroy(&made->config);
    made->config = config;
    made->iterations = devices->iterations;
    made->once = devices->once;
    made->first = devices->picture;
    made->few_queues = devices->few_queues;
    made->mpi_device = (struct renderer_mpi_device){.asked = devices->mpi_why != NULL,
                                                    .proven = devices->mpi_proven,
                                                    .faster = devices->mpi_faster};
    if (devices->mpi_why)
        snprintf(made->mpi_device.why, sizeof made->mpi_device.why, "%s", devices->mpi_why);
    return STATUS_OK;
}

enum status program_picture(struct deepfield_picture **picture, struct deepfield_world *world,
                            const struct config *config)
{
    return picture_of_config(picture, world, config);
}

void program_film(struct deepfield_film *film, const struct program_film *parts)
{
    film->program = *parts;
}

enum status program_film_folder(const struct deepfield_film *film, char *folder, size_t bytes)
{
    char path[FILM_PATH_BYTES];
    const struct film *planned = film->target.scene;
    TRY(run_film_folder(path, planned->out, planned->video.kind->frames));
    snprintf(folder, bytes, "%s", path);
    return STATUS_OK;
}

enum status program_output(struct deepfield_output **output, struct deepfield_renderer *renderer,
                           const struct program_output *parts)
{
    return output_of_program(output, renderer, parts);
}

bool program_output_saved(const struct deepfield_output *output, bool *was_there)
{
    return output_saved(output, was_there);
}

enum status program_outputs_ahead(struct deepfield_renderer *renderer, int *count)
{
    TRY(renderer_ready(renderer));
    *count = picture_ahead_count(renderer->renderer);
    return STATUS_OK;
}
