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
#include "decomposition/pool/join.h"
#include "decomposition/thread/executor.h"
#include "decomposition/transport/link.h"
#include "decomposition/transport/transport.h"
#include "decomposition/world/world.h"
#include "kernels/orbit/device/orbit_device.h"
#include "render/device/background.h"
#include "render/device/frame_memory.h"
#include "render/device/idle.h"
#include "render/device/device_set.h"
#include "render/device/devices.h"
#include "render/device/light_device.h"
#include "render/device/renderer_facts.h"

struct renderer_mpi_device { /* device memory through MPI */
    bool asked;              /* ranks that cannot, and reach nothing, then send host memory */
    bool proven;             /* proven to rank 0; every rank asks its own MPI besides */
    bool faster;             /* proven, and faster than by way of the host */
    char why[160];           /* reason why it is not proven */
};

struct renderer_listen { /* where other jobs may join (join.h); borrowed until renderer_open returns
                          */
    const char *address; /* NULL: none may */
    const char *identity;
};

struct renderer_options { /* on rank 0; the others get them */
    const char *backend;  /* a name or "auto" */
    struct devices_wanted devices;
    int threads;       /* threads of each computing rank on a CPU; 0 = the machine's cores shared */
    double slice_s;    /* see backend_options */
    bool several;      /* pictures one after the other; all ranks have to know */
    double iterations; /* most iterations of the picture, or of all; 0: not known. A process that
                          is alone and may choose opens no more GPUs than that is worth */
    struct renderer_mpi_device mpi_device;
    enum packing_wish packing; /* packing of pixels that come from other machines */
    struct renderer_listen listen;
};

struct renderer_link { /* connection of one rank with the picture */
    bool computes, reaches_segment, reaches_device, sends_device, device_faster;
    char why[128];    /* why it does not reach the picture */
    int kind;         /* index in transport_kinds */
    char reason[128]; /* why this kind */
};

struct renderer;

/* Description of a renderer, from renderer_open on. Plain data. */
struct renderer_info {
    struct renderer_facts facts;
    struct renderer_options asked; /* rank 0; what it borrows lives as long */
    struct renderer_mpi_device mpi_device;
    struct link_facts link;            /* links of ranks on other machines, on every rank */
    bool several;                      /* as rank 0 was asked, on every rank */
    struct device_set_options devices; /* devices of this rank */
    struct idle idle;                  /* rank 0 */
    struct device_row *rows;           /* devices of all ranks; rank 0 */
    int row_count;
    int spared;       /* GPUs that were not opened, because the picture is not worth it */
    int first_device; /* this rank's first among those of all ranks */
    int cores;        /* this rank: its share of those of its machine */
};

/* Orbit of many pictures, kept by ranks > 0 as reference_pack made it. */
struct renderer_orbit {
    uint64_t number; /* 0: none */
    void *bytes;     /* the renderer's */
};

/* Borrowed until renderer_close. */
const struct renderer_info *renderer_info(const struct renderer *renderer);
struct world *renderer_world(const struct renderer *renderer);

/* Devices of this rank, open since the first picture was prepared. */
struct device_set *renderer_device_set(struct renderer *renderer);

/* Averages samples while devices compute. */
struct background *renderer_background(const struct renderer *renderer);

/* This rank's device for the steps of long orbits; kind NULL: it has none, and the reason is
 * written as a part of a sentence (`why` may be NULL). */
struct orbit_device renderer_orbit_device(const struct renderer *renderer, char *why, size_t bytes);

/* Jobs that have joined; rank 0. NULL: none may. */
struct join *renderer_join(const struct renderer *renderer);

/* Lends those of `whole` to a renderer that takes its place and is closed before. */
void renderer_join_lend(struct renderer *renderer, const struct renderer *whole);

/* Orbit that the caller may replace. */
struct renderer_orbit *renderer_orbit(struct renderer *renderer);

/* Memory that a rank reaches of the picture that was prepared last, and its transport. */
const struct renderer_link *renderer_link(const struct renderer *renderer, int rank);
const struct transport_kind *renderer_transport(const struct renderer *renderer, int rank);

/* Number of this rank among those that compute, of which there are *count; -1: it does not. Once a
 * picture was prepared. */
int renderer_computing(const struct renderer *renderer, int *count);

/* Devices of all ranks that compute: all but while a benchmark takes fewer, alike on all ranks. */
int renderer_active(const struct renderer *renderer);
void renderer_activate(struct renderer *renderer, int devices);

/* All devices of this rank compute what follows, though the last job may have had fewer. */
void renderer_devices_all(struct renderer *renderer);

/* Number of the next job in this renderer: what jobs compute lies in two places in turn. */
uint64_t renderer_job_number(struct renderer *renderer);

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

/* Waits until they are open, if they were begun; a caller that has not prepared a picture does this
 * before it touches them. */
void renderer_devices_wait(const struct renderer *renderer);

/* Rank 0, when its world is lost or it computes several pictures at a time: a renderer of the same
 * kind in `alone`, world_alone's, whose devices are those that this process reaches. chosen: of
 * them, as in devices_wanted; 0: those that were asked for. */
enum status renderer_open_alone(struct renderer **renderer, struct world *alone,
                                const struct renderer *like, uint64_t chosen);

/* What computes in this rank, its devices that are open and what they were made ready for, in a
 * world of this process alone; until renderer_part_close the whole has none. STATUS_OUT_OF_MEMORY.
 */
enum status renderer_part_open(struct renderer **part, struct world *alone, struct renderer *whole);
void renderer_part_close(struct renderer *part, struct renderer *whole);

/* Devices opened, memory for a picture of this shape (light_bytes: and for a mean of its samples on
 * rank 0's device, on which it lies then; 0: none), and the transport of every rank for the
 * transport asked for ("auto" or a name). What is there already is kept. `mine`: of this rank so
 * far; every rank returns the same, as world_agree makes it of that and what comes of it. A GPU
 * without room for the picture is told by renderer_refusal, and then it is as if "auto" had been
 * asked for. Collective, with the same arguments on every rank. */
enum status renderer_prepare(struct renderer *renderer, enum status mine, const struct field *shape,
                             const char *transport, size_t light_bytes);

/* Bytes of host memory that are kept for the next picture. */
uint64_t renderer_kept_bytes(const struct renderer *renderer);

/* Gives the memory of the picture back, and prepares the next anew. Collective. */
void renderer_memory_release(struct renderer *renderer);

/* A job over what was prepared, for so many tiles; the caller adds epoch, tiles, schedule and
 * calls. With no more tiles than devices each device gets one thread: two on one would leave
 * another idle. */
struct job renderer_job(struct renderer *renderer, const struct field *shape, const char *transport,
                        uint32_t tiles);

/* Is the light of the picture that was prepared last made on rank 0's device? The same on every
 * rank. */
bool renderer_lights(const struct renderer *renderer);

/* Rank 0: the device that makes the light. */
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
