/* Live pictures of the program, whose window calls include/deepfield/deepfield.h for the rest.
 *
 * Places are values and not texts, colours are those that the window chooses, sentences are in the
 * words of the command line, and the engine runs on the thread that opened the world, which is the
 * one that may call MPI. */
#ifndef LIBRARY_HANDLE_PROGRAM_LIVE_H
#define LIBRARY_HANDLE_PROGRAM_LIVE_H

#include "include/deepfield/deepfield.h"
#include "library/handle/join_file.h"
#include "library/settings/place_text.h"
#include "render/motion/survey.h"

/* Opens the devices of a renderer that has not rendered, on rank 0, while the others are in
 * deepfield_serve. orbit_cache: folder that keeps reference orbits; NULL: none. */
enum status program_live_open(deepfield_live **live, deepfield_renderer *renderer,
                              const char *orbit_cache);

/* Runs the engine until program_live_quit, on the thread that opened the world. */
enum status program_live_run(deepfield_live *live);

/* Reads where a run of another job is, from the file that it has written at `path` (key
 * compute.join_file). STATUS_NO_INPUT, STATUS_BAD_DATA. */
enum status program_live_place(struct join_file *place, const char *path);

/* Computes, in place of program_live_run, for that run, until it ends or *stop is not 0. told:
 * called when it takes part, with its number there; may be NULL. */
enum status program_live_join(deepfield_live *live, const struct join_file *run,
                              const volatile int *stop, void (*told)(void *context, int rank),
                              void *context);

/* Returns, after program_live_run, the first loss of a device or rank. */
enum status program_live_losses(const deepfield_live *live);

/* Closes, after program_live_run; accepts NULL. Fails where something still runs, and the program
 * should end by program_world_abort. */
enum status program_live_close(deepfield_live *live);

/* ---- any thread, until program_live_close ---- */

void program_live_quit(deepfield_live *live);

/* `wake` of deepfield_live_open, which may be set again; NULL: none. */
void program_live_wake(deepfield_live *live, void (*wake)(void *user), void *user);

/* deepfield_live_ask_with, of a place as it is; its view is copied. */
enum status program_live_ask(deepfield_live *live, const struct place *place,
                             const deepfield_live_request *request, uint64_t *serial);

/* What was measured of the picture, for colours and flights: measurement `measured` of the state.
 * Thread: as deepfield_live_update. */
struct program_live_measured {
    struct distribution distribution;
    struct survey survey;
};
void program_live_measured(const deepfield_live *live, struct program_live_measured *measured);

/* ---- settled pictures, any thread ---- */

/* The place becomes that of a field of deepfield_live_field: limit, samples, and a look of its
 * planes alone, as `deepfield render` takes it. */
void program_field_place(const deepfield_field *field, struct place *place);

struct program_field_file {
    const char *path;
    struct look look;    /* look of the picture; its palette is not read */
    const char *assets;  /* folder that holds palettes/ */
    const char *palette; /* name of the palette */
    const char *text;    /* text of the place, kept inside */
    const char *title;   /* "": none */
    double dpi;          /* resolution in print; 0: none */
    bool replace;        /* else STATUS_CANNOT_CREATE where there is a file */
};

/* Writes such a field, with the mean of its samples. */
enum status program_field_write(const deepfield_field *field,
                                const struct program_field_file *file);

#endif
