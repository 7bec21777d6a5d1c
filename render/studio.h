/* What is kept from one picture to the next? The devices of all ranks and the threads that feed
 * them, the memory that the picture lies in, and the road home of every rank.
 *
 * Opening a GPU takes longer than most pictures, and pinning the memory of one does too: a viewer,
 * a video or a benchmark opens one studio and renders many pictures in it. */
#ifndef RENDER_STUDIO_H
#define RENDER_STUDIO_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/job.h"
#include "decomposition/executor.h"
#include "decomposition/transport.h"
#include "decomposition/world.h"
#include "render/canvas.h"
#include "render/crew.h"
#include "render/devices.h"

struct studio_mpi_device { /* device memory through MPI */
    bool asked;            /* then those that cannot, and reach nothing, send host memory */
    bool proven;           /* to rank 0; every rank asks its own MPI besides */
    char why[160];         /* or why not */
};

struct studio_options {  /* on rank 0; the others get them */
    const char *backend; /* a name or "auto" */
    struct devices_wanted devices;
    int threads;         /* of each computing rank on a CPU; 0 = the machine's cores shared */
    double slice_s;      /* see backend_options */
    enum canvas_use use; /* one picture or many? */
    double iterations;   /* of that one picture, at most; 0: not known. A process that is alone and
                            may choose opens no more GPUs than that is worth */
    struct studio_mpi_device mpi_device;
};

struct studio_facts { /* the same on every rank; what the plan needs to know */
    char backend[16]; /* of the first rank that computes */
    int ranks, computing_ranks, away_ranks; /* away: compute on other machines than rank 0's */
    int devices, gpus; /* that compute, in all; those with memory of their own */
    int32_t tile_px;   /* the most that one of them wants */
    bool mixed;        /* not all backends, or GPUs, are alike */
    bool sends_device; /* ranks > 0 send device memory ... */
    bool host_will_do; /* ... or, where they do not, host memory on request */
    bool pageable;     /* GPUs write into memory that is not pinned */
};

struct studio_road { /* of one rank */
    bool computes, reaches_segment, reaches_device, sends_device;
    char why[128];    /* why it does not reach the picture */
    int kind;         /* in transport_kinds */
    char reason[128]; /* why this kind */
};

struct studio {
    struct world *world;
    struct studio_options asked; /* rank 0; what it borrows lives as long */
    struct crew_options crew_options;
    enum canvas_use use;
    struct studio_mpi_device mpi_device;
    bool lends; /* this rank: device memory to MPI */
    struct studio_facts facts;
    struct device_row *rows; /* devices of all ranks; rank 0 */
    int row_count;
    int spared;       /* GPUs that were not opened, because the picture is not worth it */
    int first_device; /* this rank's first among those of all ranks */
    int active; /* only so many of all devices compute; set by benchmarks, alike on all ranks */
    struct executor *lanes; /* the threads that feed the devices */
    /* Since the first picture: */
    struct crew crew;
    struct canvas canvas;
    struct studio_road *road;            /* [ranks] */
    const struct transport_kind **roads; /* [ranks]: the same as a job wants it */
    struct job_memory job_memory;
    struct studio_key { /* what was prepared last */
        struct field shape;
        char transport[16];
        bool is_static, refused; /* refused: no room for it on rank 0's GPU */
    } prepared;
    char refusal[256]; /* why it was refused */
    double speed;      /* of this rank, iterations per second; 0: nobody needs to know */
    volatile int give_up;
};

/* What the plan of a picture may expect of this process alone. */
struct studio_facts studio_facts_alone(const char *backend);

/* Why the picture that was prepared last does not lie on rank 0's GPU, as transport "device"
 * wanted; NULL if it does, or was not to. */
const char *studio_refusal(const struct studio *studio);

/* Name of the backend of the first rank that computes. */
const char *studio_backend(const struct studio *studio);

/* Finds out which devices every rank drives; opens none yet. Collective: rank 0 passes options, the
 * others NULL. STATUS_NO_DEVICE when a rank cannot have what was asked for. */
enum status studio_open(struct studio **studio, struct world *world,
                        const struct studio_options *options);
void studio_close(struct studio *studio); /* collective; accepts NULL */

/* Rank 0, when its world is lost: a studio of the same kind in `alone`, world_alone's, whose
 * devices are those that this process reaches. */
enum status studio_open_alone(struct studio **studio, struct world *alone,
                              const struct studio *lost);

/* Devices opened, memory for a picture of this shape, and the road home of every rank for the
 * transport asked for ("auto" or a name). What is there already is kept. `mine`: of this rank so
 * far; every rank returns the same, as world_agree makes it of that and what comes of it. A GPU
 * without room for the picture is told by studio_refusal, and then it is as if "auto" had been
 * asked for. Collective, with the same arguments on every rank. */
enum status studio_prepare(struct studio *studio, enum status mine, const struct field *shape,
                           const char *transport, bool is_static);

/* A job over what was prepared, for so many tiles; the caller adds epoch, tiles, schedule and
 * calls. With no more tiles than devices each device gets one lane: two on one would leave another
 * idle. */
struct job studio_job(struct studio *studio, const struct field *shape, const char *transport,
                      uint32_t tiles);

/* Rank 0: `height` rows of the picture from row y on in host memory, when a job over them has
 * ended; borrowed until the next studio_prepare. Fetches them from the device where they lie there.
 */
enum status studio_fetch(struct studio *studio, const struct field *shape, const char *transport,
                         int32_t y, int32_t height, struct field *field);

#endif
