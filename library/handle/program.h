/* Objects of include/deepfield/deepfield.h made from what the program has already: its world, with
 * its launcher and the ends of its process; settings, whose origins name a flag, a file or a
 * variable; its stop request. Every other program makes them by the functions of that header. */
#ifndef LIBRARY_HANDLE_PROGRAM_H
#define LIBRARY_HANDLE_PROGRAM_H

#include <stdbool.h>

#include "include/deepfield/deepfield.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "library/config/data_folder.h"

struct world;

struct program_parts {
    struct world *world;     /* stays the program's, which closes it after the object; NULL: this
                                process alone */
    struct data_source data; /* borrowed; looked for when something of it is needed */
    volatile int *stop;      /* what a signal sets ends calls with DEEPFIELD_STOPPED, as
                                deepfield_renderer_cancel does, which sets it, too; it stays set */
    deepfield_log *log;      /* NULL: sentences are dropped */
    void *user;
};

/* The program's world as an object; rank 0 closes it by deepfield_world_close, which ends
 * deepfield_serve of the others. From the first one on, sentences of this process name flags of the
 * command line, and no keys. Not collective. */
enum status program_world(struct deepfield_world **world, const struct program_parts *parts);

struct program_devices {
    const struct config *config; /* keys of [compute], with their origins; copied */
    double iterations; /* iterations of all pictures together, at most: fewer GPUs are opened where
                          those are not worth all; 0: not known */
    bool once;         /* one picture: memory that pays for several is not prepared */
    bool mpi_proven, mpi_faster; /* what a trial has found of MPI and device memory */
    const char *mpi_why;         /* why it is not proven; NULL: nothing has tried it; copied */
};

/* deepfield_renderer_create with the program's settings. */
enum status program_renderer(struct deepfield_renderer **renderer, struct deepfield_world *world,
                             const struct program_devices *devices);

/* deepfield_picture_open of settings, which it copies with their origins. */
enum status program_picture(struct deepfield_picture **picture, struct deepfield_world *world,
                            const struct config *config);

/* What the program does on the way of a film into a file, beside the renderer's progress; all is
 * borrowed until the film is destroyed, and may be NULL. */
struct program_film {
    void (*notice)(void *context, const char *text); /* instead of the world's log */
    void (*final)(void *context);                    /* the film gets its name next */
    void *context;
    const char *command; /* words that `deepfield resume` repeats, each with a final 0 */
    size_t command_bytes;
};
void program_film(struct deepfield_film *film, const struct program_film *parts);

/* Folder of what is kept of a film that deepfield_film_save has planned. */
enum status program_film_folder(const struct deepfield_film *film, char *folder, size_t bytes);

/* Status of a call of the interface: the lists are the same, and the sentence is status_text(). */
static inline enum status status_take(deepfield_status status)
{
    return (enum status)status;
}

#endif
