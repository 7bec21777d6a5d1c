/* A renderer: what is kept from one picture to the next. The devices of all ranks and the threads
 * that feed them, the memory that the picture lies in, and the transport of every rank.
 *
 * Opening a GPU takes longer than most pictures, and pinning the memory of one does too: a viewer,
 * a video or a benchmark opens one renderer and renders many pictures in it. */
#ifndef RENDER_DEVICE_RENDERER_H
#define RENDER_DEVICE_RENDERER_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/pool/job.h"
#include "decomposition/thread/executor.h"
#include "decomposition/transport/transport.h"
#include "decomposition/world/world.h"
#include "render/device/background.h"
#include "render/device/frame_memory.h"
#include "render/device/idle.h"
#include "render/device/device_set.h"
#include "render/device/devices.h"
#include "render/device/light_device.h"
#include "render/device/renderer_facts.h"

struct renderer_mpi_device { /* device memory through MPI */
    bool asked;              /* then those that cannot, and reach nothing, send host memory */
    bool proven;             /* to rank 0; every rank asks its own MPI besides */
    char why[160];           /* or why not */
};

struct renderer_options { /* on rank 0; the others get them */
    const char *backend;  /* a name or "auto" */
    struct devices_wanted devices;
    int threads;               /* of each computing rank on a CPU; 0 = the machine's cores shared */
    double slice_s;            /* see backend_options */
    enum frame_memory_use use; /* one picture or many? */
    double iterations; /* of that one picture, at most; 0: not known. A process that is alone and
                          may choose opens no more GPUs than that is worth */
    struct renderer_mpi_device mpi_device;
};

struct renderer_link { /* of one rank */
    bool computes, reaches_segment, reaches_device, sends_device;
    char why[128];    /* why it does not reach the picture */
    int kind;         /* in transport_kinds */
    char reason[128]; /* why this kind */
};

struct renderer {
    struct world *world;
    struct renderer_options asked; /* rank 0; what it borrows lives as long */
    struct device_set_options device_set_options;
    enum frame_memory_use use;
    struct renderer_mpi_device mpi_device;
    bool lends; /* this rank: device memory to MPI */
    int cores;  /* this rank: its share of those of its machine */
    struct renderer_facts facts;
    struct idle idle;        /* rank 0 */
    struct device_row *rows; /* devices of all ranks; rank 0 */
    int row_count;
    int spared;       /* GPUs that were not opened, because the picture is not worth it */
    int first_device; /* this rank's first among those of all ranks */
    size_t
        light_bytes; /* not 0: pictures lie on rank 0's device, where a mean of samples of so many
                        bytes is made of them; set before renderer_prepare, alike on all ranks */
    int active; /* only so many of all devices compute; set by benchmarks, alike on all ranks */
    struct executor *executor;     /* the threads that feed the devices */
    struct background *background; /* averages samples while devices compute */
    struct renderer_opening {      /* of the devices, in the background */
        uint64_t number;           /* there; 0: not begun */
        enum status status;
        char why[STATUS_TEXT_BYTES];
    } opening;
    /* Since the first picture: */
    struct device_set device_set;
    struct frame_memory frame_memory;
    struct renderer_link *link;               /* [ranks] */
    const struct transport_kind **transports; /* [ranks]: the same as a job wants it */
    struct job_memory job_memory;
    struct renderer_key { /* what was prepared last */
        struct field shape;
        size_t light_bytes;
        char transport[16];
        bool refused; /* no room for it on rank 0's GPU */
    } prepared;
    char refusal[256];      /* why it was refused */
    struct renderer_orbit { /* of many pictures, on ranks > 0: as reference_pack made it */
        uint64_t number;
        void *bytes;
    } orbit;
    uint64_t turn; /* jobs that were begun: what they compute lies in two places in turn */
    double speed;  /* of this rank, iterations per second; 0: nobody needs to know */
    volatile int give_up, *gives_up; /* gives_up: what its devices look at, which may be open since
                                        before it was there */
};

/* Why the picture that was prepared last does not lie on rank 0's GPU, as transport "device"
 * wanted; NULL if it does, or was not to. */
const char *renderer_refusal(const struct renderer *renderer);

/* Name of the backend of the first rank that computes. */
const char *renderer_backend(const struct renderer *renderer);

/* Finds out which devices every rank drives; opens none yet. Collective: rank 0 passes options, the
 * others NULL. STATUS_NO_DEVICE when a rank cannot have what was asked for. */
enum status renderer_open(struct renderer **renderer, struct world *world,
                          const struct renderer_options *options);
void renderer_close(struct renderer *renderer); /* collective; accepts NULL */

/* Begins to open this rank's GPUs, which takes half a second, while the caller does something else;
 * renderer_prepare waits for them, and says what failed. Not collective. */
void renderer_devices_begin(struct renderer *renderer);

/* Until they are open, if they were begun; who has not prepared a picture does this before he
 * touches them. */
void renderer_devices_wait(const struct renderer *renderer);

/* Rank 0, when its world is lost: a renderer of the same kind in `alone`, world_alone's, whose
 * devices are those that this process reaches. */
enum status renderer_open_alone(struct renderer **renderer, struct world *alone,
                                const struct renderer *lost);

/* What computes in this rank, its devices that are open and what they were made ready for, in a
 * world of this process alone; until renderer_part_close the whole has none. STATUS_OUT_OF_MEMORY.
 */
enum status renderer_part_open(struct renderer **part, struct world *alone, struct renderer *whole);
void renderer_part_close(struct renderer *part, struct renderer *whole);

/* Devices opened, memory for a picture of this shape, and the transport of every rank for the
 * transport asked for ("auto" or a name). What is there already is kept. `mine`: of this rank so
 * far; every rank returns the same, as world_agree makes it of that and what comes of it. A GPU
 * without room for the picture is told by renderer_refusal, and then it is as if "auto" had been
 * asked for. Collective, with the same arguments on every rank. */
enum status renderer_prepare(struct renderer *renderer, enum status mine, const struct field *shape,
                             const char *transport);

/* A job over what was prepared, for so many tiles; the caller adds epoch, tiles, schedule and
 * calls. With no more tiles than devices each device gets one thread: two on one would leave
 * another idle. */
struct job renderer_job(struct renderer *renderer, const struct field *shape, const char *transport,
                        uint32_t tiles);

/* Is the light of the picture that was prepared last made on rank 0's device? The same on every
 * rank. */
bool renderer_lights(const struct renderer *renderer);

/* Rank 0: that device. */
struct light_device renderer_light_device(struct renderer *renderer, const struct field *shape);

/* The picture where it lies, as this rank reaches it. */
struct field renderer_frame(const struct renderer *renderer, const struct field *shape,
                            const char *transport);

/* Rank 0: the picture in host memory, whatever is there of it. */
struct field renderer_host(const struct renderer *renderer, const struct field *shape);

/* Rank 0: copies all pixels, between windows of the two. */
enum status renderer_copy(struct renderer *renderer, const struct field *to,
                          const struct field *from);

/* Rank 0: `height` rows of the picture from row y on in host memory, when a job over them has
 * ended; borrowed until the next renderer_prepare. Fetches them from the device where they lie
 * there.
 */
enum status renderer_fetch(struct renderer *renderer, const struct field *shape,
                           const char *transport, int32_t y, int32_t height, struct field *field);

#endif
