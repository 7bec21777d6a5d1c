/* The objects of include/deepfield/deepfield.h, as the files of this room see them. */
#ifndef LIBRARY_HANDLE_HANDLE_H
#define LIBRARY_HANDLE_HANDLE_H

#include <stdbool.h>

#include "decomposition/world/world.h"
#include "include/deepfield/deepfield.h"
#include "kernels/field.h"
#include "library/config/config.h"
#include "library/config/data_folder.h"
#include "library/handle/last_reference.h"
#include "library/handle/text_json.h"
#include "library/output/first_devices.h"
#include "library/settings/picture_settings.h"
#include "render/device/background.h"
#include "render/device/renderer.h"

struct program_output;

/* What ranks other than 0 do next: a word in deepfield_serve, with a collective call behind it. */
enum order {
    ORDER_END,
    ORDER_RENDERER_OPEN,
    ORDER_RENDERER_CLOSE,
    ORDER_PICTURE,
    ORDER_RELEASE, /* memory of the frame is given back */
    ORDER_FILM,
    ORDER_PROOF,
    ORDER_LINKS,
    ORDER_LIVE
};

struct deepfield_world {
    struct world *world;
    bool has_borrowed_world, has_borrowed_data; /* a program's (library/handle/program.h) */
    struct data_source data;                    /* folder of views and palettes */
    volatile int *stop; /* a program's stop request; NULL: each renderer has its own */
    deepfield_log *log;
    void *user;
    struct deepfield_renderer *renderer; /* the one that ranks other than 0 have, too; or NULL */
    struct deepfield_live *live;         /* has the devices, on a thread of its own; or NULL */
    bool computes;                       /* a call is in progress, whose callbacks may run */
    uint64_t renderers;                  /* number of those that were made */
};

enum { RENDERER_COMPLETIONS = 3 }; /* pictures whose files are completed behind the one in work */

struct deepfield_renderer {
    struct deepfield_world *world;
    uint64_t number;                    /* from 1, in its world */
    struct config config;               /* keys of [compute] */
    char identity[JOIN_IDENTITY_BYTES]; /* what a job has to be that joins */
    char *join_file;                    /* written for jobs that join; owned; NULL: none may */
    struct renderer *renderer;          /* NULL: not open yet */
    deepfield_progress_call *progress;
    void *user;
    volatile int cancelled;    /* written by any thread, by __atomic builtins */
    volatile int *stop;        /* what calls look at: `cancelled`, or the program's request */
    double begun_s;            /* start of the call that computes */
    deepfield_rank_work *work; /* [ranks], for its progress; owned; NULL: not told yet */
    /* What a program knows beforehand (library/handle/program.h); zeroed: nothing */
    double iterations;
    bool once;
    const struct config *first; /* settings of the one picture; borrowed */
    void (*few_queues)(void);
    struct cores_choice choice; /* why these devices */
    struct renderer_mpi_device mpi_device;
    /* Threads that complete the files of pictures (library/handle/output.c), in turn; owned */
    struct background *completion[RENDERER_COMPLETIONS];
    struct last_reference last; /* reference of deepfield_render */
    unsigned completions;       /* number of pictures so far */
    struct background *before;  /* thread that completes the last one; NULL: it has ended */
    uint64_t before_number;     /* number of the function there */
};

struct deepfield_picture {
    struct deepfield_world *world;
    struct config config;        /* as set: what is automatic stays open */
    struct deepfield_film *film; /* film that it is a frame of, held; NULL: none */
    size_t film_scene;
    double film_time_s; /* on the path of that scene */
};

/* Orders ranks other than 0 to do something. STATUS_SYSTEM: a rank is lost. */
enum status order_send(struct deepfield_world *world, enum order order);

/* The same at an end, of which nobody hears: a failure leaves the sentence of the last one. */
enum status order_send_last(struct deepfield_world *world, enum order order);

/* Tells whoever wants to know. */
void world_notice(void *world, const char *sentence);

/* The folder of views and palettes. STATUS_NO_INPUT. */
enum { WORLD_DATA_BYTES = 4096 };
enum status world_data(const struct deepfield_world *world, char folder[WORLD_DATA_BYTES]);

/* STATUS_USAGE in a callback of a call that computes, where another would use what that one has. */
enum status world_idle(const struct deepfield_world *world);

/* Opens the devices, if they are not open. */
enum status renderer_ready(struct deepfield_renderer *renderer);

/* Finds out by which transport each rank's pixels come. Collective. */
enum status renderer_links_find(struct renderer *renderer);

/* The devices that it opens. */
struct renderer_options renderer_options(const struct deepfield_renderer *renderer);

/* Writes the file by which other jobs join, if there is to be one; join: of the renderer that is
 * open. The statuses of join_file_write. */
enum status renderer_join_publish(struct deepfield_renderer *renderer, const struct join *join);
void renderer_join_withdraw(struct deepfield_renderer *renderer, const struct join *join);

/* Says what the job has and does not compute with. */
void renderer_idle_tell(struct deepfield_renderer *renderer, const struct idle *idle);

/* Begins and ends a call that computes: progress counts from here, and a cancel is taken.
 * STATUS_USAGE in a callback of such a call, without an end. */
enum status renderer_call_begin(struct deepfield_renderer *renderer);
void renderer_call_end(struct deepfield_renderer *renderer);

/* Reports progress, whose size and seconds it fills in, and keeps the receiver's wish to end. */
void renderer_tell(struct deepfield_renderer *renderer, deepfield_progress progress);

/* Puts the work of ranks into a progress, where it is known. */
void renderer_work_put(struct deepfield_renderer *renderer, const struct job_progress *job,
                       deepfield_progress *progress);

/* A progress of pixels, or of the orbit and the blocks before them; the caller sets `seconds`. */
deepfield_progress progress_of_job(struct deepfield_renderer *renderer,
                                   const struct job_progress *job);
deepfield_progress progress_of_orbit(const struct reference_progress *reference);

/* Hooks of a picture, for struct picture_hooks; the context is a struct deepfield_renderer. */
void renderer_progress(void *renderer, const struct job_progress *progress);
void renderer_prepare_progress(void *renderer, const struct reference_progress *progress);

#define PICTURE_ORIGIN "picture" /* origin of values that deepfield_picture_set has given */

/* Settings of the picture for one use, with all that is chosen by the place. config_destroy also
 * after a failure. */
enum status picture_config(const struct deepfield_picture *picture, struct config *config);

/* The option of "section.key". STATUS_USAGE with the nearest name. */
enum status option_named(enum option_key *option, const char *key, const char *origin);

/* Copies of the settings with another origin. */
enum status picture_of_config(struct deepfield_picture **picture, struct deepfield_world *world,
                              const struct config *config);

/* The functions of library/handle/program.h about files of pictures. */
enum status output_of_program(struct deepfield_output **output, struct deepfield_renderer *renderer,
                              const struct program_output *parts);
bool output_saved(const struct deepfield_output *output, bool *was_there);

/* A status of the engine as one of the interface, which has the same list; the sentence of a
 * failure is in the interface's words from then on. */
deepfield_status status_give(enum status status);

/* TRY of a function of the interface. */
#define TRY_GIVE(call)                        \
    do {                                      \
        enum status give_status_ = (call);    \
        if (give_status_ != STATUS_OK)        \
            return status_give(give_status_); \
    } while (0)

/* A failure of the caller: no object where one is needed. */
#define NEED(object)                                                                            \
    do {                                                                                        \
        if (!(object))                                                                          \
            return status_give(status_fail(STATUS_USAGE, "%s: " #object " is NULL", __func__)); \
    } while (0)

#endif
