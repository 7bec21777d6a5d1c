/* A renderer as its own files see it: renderer.c, renderer_survey.c, renderer_prepare.c,
 * renderer_job.c. */
#ifndef RENDER_DEVICE_RENDERER_STATE_H
#define RENDER_DEVICE_RENDERER_STATE_H

#include "render/device/renderer.h"

struct renderer {
    struct world *world;
    struct renderer_info info;
    struct join *join;  /* rank 0; NULL: no job may join */
    bool join_is_lent;  /* it is another renderer's */
    bool lends;         /* this rank gives device memory to MPI */
    size_t light_bytes; /* not 0: pictures lie on rank 0's device, where a mean of samples of so
                           many bytes is made of them */
    int active; /* only so many of all devices compute; set by benchmarks, alike on all ranks */
    struct executor *executor;     /* the threads that feed the devices */
    struct background *background; /* averages samples while devices compute */
    struct renderer_opening {      /* opening of the devices, in the background */
        uint64_t number;           /* number of its function in the background; 0: not begun */
        enum status status;
        char why[STATUS_TEXT_BYTES];
    } opening;
    /* Members that are set since the first picture: */
    struct device_set device_set;
    struct frame_memory frame_memory;
    struct renderer_link *link;               /* [ranks] */
    const struct transport_kind **transports; /* [ranks]: the same as a job wants it */
    struct job_memory job_memory;
    struct renderer_key { /* key of the picture that was prepared last */
        struct field shape;
        size_t light_bytes;
        char transport[16];
        bool refused; /* no room for it on rank 0's GPU */
    } prepared;
    char refusal[256]; /* why it was refused */
    struct renderer_orbit orbit;
    uint64_t jobs;                   /* jobs that were begun */
    double speed;                    /* speed of this rank, iterations per second; 0: not needed */
    volatile int give_up, *gives_up; /* gives_up: the flag that its devices poll, which may have
                                        been opened before the renderer */
};

/* Fills the info: what devices the ranks drive. Collective; every rank returns the same status, as
 * world_agree makes it of `mine` and what comes of it; with a failure of its own this rank may pass
 * no renderer. Rank 0 passes options, the others NULL. */
enum status renderer_survey(struct renderer *renderer, struct world *world, enum status mine,
                            const struct renderer_options *options);

/* The memory that pictures lie in, with this transport asked for. */
enum frame_memory_place renderer_place(const struct renderer *renderer, const char *transport);

#endif
