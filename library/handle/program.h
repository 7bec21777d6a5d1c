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

struct atomic_file_set;
struct output_request;
struct picture_settings;
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
    bool joins;        /* other jobs may join, where compute.join_file says so */
    bool once;         /* one picture: memory that pays for several is not prepared */
    bool mpi_proven, mpi_faster; /* what a trial has found of MPI and device memory */
    const char *mpi_why;         /* why it is not proven; NULL: nothing has tried it; copied */
    /* Settings of the one picture, borrowed until the devices are open: the cores are taken where
       they make it sooner than a GPU opens. NULL: not known */
    const struct config *picture;
    void (*few_queues)(void); /* called where a GPU opens for a small picture; may be NULL */
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

struct program_report { /* what came of a picture, borrowed */
    const struct picture_settings *settings;
    const char *json;          /* as that of deepfield_output_close */
    const char *files;         /* paths, each with a newline, byte for byte */
    double total_s;            /* wall seconds; 0: nothing was made */
    const uint64_t *checksums; /* [PLANES] of the planes that were computed; 0: not known */
    double disk_bytes;         /* most that the files need; of a dry run alone */
    const char *explained;     /* plan as lines; of a dry run alone, else NULL */
};

/* What the program does on the way of a picture into files. All may be NULL. */
struct program_output {
    void *context;
    /* Reads the view and makes the request, on the thread that makes the picture ready. */
    enum status (*load)(void *context, struct output_request *request);
    /* The plan as lines, before the picture is admitted; of requests with `survey`. */
    void (*explain)(void *context, const struct picture_settings *settings, const char *lines);
    /* Files are opened next, or were found complete; perhaps twice. */
    enum status (*open)(void *context, const struct picture_settings *settings);
    void (*progress)(void *context, const deepfield_progress *progress); /* instead of the
                                                                             renderer's */
    void (*notice)(void *context, const char *sentence);
    void (*computed)(void *context); /* progress has ended */
    /* The document when the pixels are there; of requests with `survey`. */
    void (*surveyed)(void *context, const struct picture_settings *settings, const char *json);
    void (*say)(void *context, const char *sentence);
    void (*naming)(void *context); /* files are named next, or removed after a failure */
    enum status (*commit)(void *context, struct atomic_file_set *set);
    /* Called in the order of rendering, perhaps while the next picture is computed: */
    enum status (*report)(void *context, const struct program_report *report);
    void (*ended)(void *context, enum status status); /* with the sentence of the status */
    char *(*command)(void *context, size_t *bytes);   /* words for `deepfield resume` */
    bool alone; /* one picture: nothing is made ready in the background, and files that are there
                   are refused */
    double started_s; /* with `alone`: when the program began, on the clock */
    bool dry, brief;  /* nothing is computed but an estimate, or not even that */
    bool attached;    /* it says more while it is computed: nothing of it may be beside others */
};

/* deepfield_output_open of a picture that `load` makes; *parts is copied. */
enum status program_output(struct deepfield_output **output, struct deepfield_renderer *renderer,
                           const struct program_output *parts);

/* Are all files of a picture that was rendered complete under their names, whatever its status, and
 * were they before? After its end: `ended`, or deepfield_output_render that failed. */
bool program_output_saved(const struct deepfield_output *output, bool *was_there);

/* Number of pictures to open before one is rendered. Opens the devices. */
enum status program_outputs_ahead(struct deepfield_renderer *renderer, int *count);

/* Status of a call of the interface: the lists are the same, and the sentence is status_text(). */
static inline enum status status_take(deepfield_status status)
{
    return (enum status)status;
}

#endif
