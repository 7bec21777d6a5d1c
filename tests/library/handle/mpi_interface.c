/* The C interface over the ranks of a program that has started MPI: rank 0 calls, the others serve.
 *
 * usage: mpi_interface. Any number of ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "include/deepfield/deepfield.h"

enum { WIDTH = 160, HEIGHT = 90 };

static int rank;

static void must(deepfield_status status, const char *what)
{
    if (status == DEEPFIELD_OK)
        return;
    fprintf(stderr, "rank %d: %s: %s\n", rank, what, deepfield_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void picture_make(deepfield_world *world, const char *place, deepfield_picture **picture)
{
    must(deepfield_picture_open(picture, world, place), "open");
    must(deepfield_picture_set(*picture, "view.size", "160x90"), "size");
}

/* Counts of a place, by a renderer of the world. */
static void counts_make(deepfield_world *world, const char *place, uint32_t *counts)
{
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_field *field;
    const deepfield_array array = {.size = sizeof array,
                                   .data = counts,
                                   .type = DEEPFIELD_U32,
                                   .width = WIDTH,
                                   .height = HEIGHT,
                                   .channels = 1,
                                   .row_bytes = WIDTH * sizeof *counts};
    must(deepfield_renderer_create(&renderer, world), "renderer");
    must(deepfield_renderer_set(renderer, "compute.backend", "cpu"), "backend");
    picture_make(world, place, &picture);
    must(deepfield_field_create(&field), "field");
    must(deepfield_field_place(field, "count", &array), "memory");
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field), "render");
    must(deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field), "render again");
    must(deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field), "by the same reference");
    deepfield_field_destroy(field);
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
}

static void world_make(deepfield_world **world, MPI_Comm *communicator)
{
    const deepfield_world_options options = {
        .size = sizeof options, .communicator = communicator, .data = DATA};
    must(deepfield_world_open(world, &options), "world");
}

static void counts_compare(deepfield_world *together, const char *place)
{
    static uint32_t ours[HEIGHT][WIDTH], theirs[HEIGHT][WIDTH];
    deepfield_world *alone;
    world_make(&alone, NULL);
    counts_make(alone, place, ours[0]);
    counts_make(together, place, theirs[0]);
    deepfield_world_close(alone);
    expect(!memcmp(ours, theirs, sizeof ours), place);
}

static void proof_and_live(deepfield_world *world)
{
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_live *live;
    deepfield_live_state now = {.size = sizeof now};
    char *text;
    must(deepfield_renderer_create(&renderer, world), "renderer");
    must(deepfield_renderer_set(renderer, "compute.backend", "cpu"), "backend");
    picture_make(world, "seahorse", &picture);
    must(deepfield_live_open(&live, renderer, NULL, NULL), "live");
    must(deepfield_live_ask(live, picture, 0, NULL), "ask");
    for (int i = 0; i < 6000 && !now.settled && !*now.error; i++) {
        must(deepfield_live_poll(live, &now, NULL), "poll");
        usleep(5000);
    }
    expect(now.settled, "no live picture");
    deepfield_live_close(live);
    must(deepfield_verify(renderer, picture, 4, &text), "verify");
    deepfield_free(text);
    must(deepfield_renderer_ranks(renderer, &text), "ranks");
    expect(strstr(text, "{\"rank\":0,\"computes\":") != NULL, "no rank 0");
    deepfield_free(text);
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
}

/* Files whose rows all ranks write, and some whose rows rank 0 writes while it gives the next. */
static void files_make(deepfield_world *world)
{
    char folder[] = "/tmp/deepfield-mpi-interface-XXXXXX", path[3][64];
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_output *output[3];
    expect(mkdtemp(folder) != NULL, "no folder");
    must(deepfield_renderer_create(&renderer, world), "renderer");
    must(deepfield_renderer_set(renderer, "compute.backend", "cpu"), "backend");
    picture_make(world, "seahorse", &picture);
    for (int i = 0; i < 3; i++) {
        const char *paths = path[i];
        snprintf(path[i], sizeof path[i], "%s/%d.png", folder, i);
        must(deepfield_picture_set(picture, "output.writers", i ? "one" : "all"), "writers");
        must(deepfield_output_open(&output[i], renderer, picture, &paths, 1, NULL), "output");
    }
    for (int i = 0; i < 3; i++)
        must(deepfield_output_render(output[i]), "pixels");
    for (int i = 0; i < 3; i++)
        must(deepfield_output_close(output[i], NULL), "files");
    for (int i = 0; i < 3; i++)
        expect(unlink(path[i]) == 0, "no file");
    expect(rmdir(folder) == 0, "something was left");
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
}

/* A film whose path small pictures decide; freed by the caller. */
static char *film_make(deepfield_world *world, const char *path, size_t *bytes)
{
    const deepfield_film_options plan = {.size = sizeof plan, .plan = 1};
    deepfield_renderer *renderer;
    deepfield_picture *picture;
    deepfield_film *film;
    char *text;
    must(deepfield_renderer_create(&renderer, world), "renderer");
    must(deepfield_renderer_set(renderer, "compute.backend", "cpu"), "backend");
    picture_make(world, "seahorse", &picture);
    must(deepfield_picture_set(picture, "film.autopilot", "3"), "autopilot");
    must(deepfield_picture_set(picture, "film.seconds", "0.2"), "seconds");
    must(deepfield_picture_set(picture, "film.fps", "25"), "fps");
    must(deepfield_film_open(&film, NULL, picture), "film");
    must(deepfield_film_save(renderer, film, path, &plan, &text), "plan");
    deepfield_free(text);
    must(deepfield_film_save(renderer, film, path, NULL, &text), "frames");
    deepfield_free(text);
    deepfield_film_destroy(film);
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
    FILE *file = fopen(path, "r");
    expect(file && fseek(file, 0, SEEK_END) == 0, "no film");
    *bytes = (size_t)ftell(file);
    text = malloc(*bytes);
    rewind(file);
    expect(text && fread(text, 1, *bytes, file) == *bytes, "no frames");
    fclose(file);
    expect(unlink(path) == 0, "no file");
    return text;
}

static void films_compare(deepfield_world *together)
{
    char folder[] = "/tmp/deepfield-mpi-interface-XXXXXX", path[64];
    size_t ours, theirs;
    deepfield_world *alone;
    expect(mkdtemp(folder) != NULL, "no folder");
    snprintf(path, sizeof path, "%s/film.y4m", folder);
    world_make(&alone, NULL);
    char *one = film_make(alone, path, &ours), *other = film_make(together, path, &theirs);
    deepfield_world_close(alone);
    expect(ours == theirs && !memcmp(one, other, ours), "another film");
    expect(rmdir(folder) == 0, "something was left");
    free(one);
    free(other);
}

static void world_use(MPI_Comm communicator)
{
    deepfield_world *world;
    int size;
    world_make(&world, &communicator);
    if (deepfield_world_rank(world, &size) != 0) {
        must(deepfield_serve(world), "serve");
    } else {
        counts_compare(world, "seahorse");
        counts_compare(world, "julia-seahorse");
        counts_compare(world, "seahorse-deep");
        files_make(world);
        films_compare(world);
        proof_and_live(world);
    }
    deepfield_world_close(world);
}

int main(int argc, char **argv)
{
    int provided, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm last;
    world_use(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, -rank, &last);
    if (last != MPI_COMM_NULL) {
        world_use(last);
        MPI_Comm_free(&last);
    }
    MPI_Finalize();
    return 0;
}
