/* Transports: how a finished tile reaches rank 0. A list of kinds.
 *
 * Every finished tile is announced to rank 0 by a small header, whatever the transport: credits and
 * failures travel in it. The kind decides where a tile is computed and when its pixels follow; rank
 * 0 receives them alike (pixels.h).
 *
 * Transports that write in place (local, shared, device) let a rank compute straight into the
 * frame: nothing is copied, and the pixels have no checksum. They cross no network, and summing 133
 * MB takes ten times as long as a GPU needs to write them; the header keeps its own sum.
 *
 * A kind is opened once per job on every rank that computes. The verbs are called by the job only,
 * from the thread that opened the world. */
#ifndef DECOMPOSITION_TRANSPORT_TRANSPORT_H
#define DECOMPOSITION_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/status.h"

struct job_memory;
struct message;
struct tile;
struct world;

struct transport_site { /* tiles, frame and limits that an end is opened for */
    struct world *world;
    const struct field *frame; /* as this rank reaches it; planes NULL where it does not */
    const struct tile *tiles;
    uint32_t tile_count;
    unsigned planes;
    int count_bytes;
    size_t tile_bytes_max;           /* size of the largest field */
    uint64_t all_bytes;              /* size of all fields, each in whole message units */
    int fields;                      /* limit of fields that are reserved and not sent */
    const struct job_memory *memory; /* may be NULL */
    /* Rank 0's own worker: a task is done, its field is `out`. */
    enum status (*arrived)(void *context, const struct message *message, const struct field *out);
    void *context;
};

/* Memory that rank 0's frame has to lie in. */
enum transport_frame {
    TRANSPORT_FRAME_ANYWHERE,
    TRANSPORT_FRAME_SHARED, /* host memory that the ranks of its machine share */
    TRANSPORT_FRAME_DEVICE  /* memory of its device */
};

struct transport_load {  /* figures of a picture that decide what memory a transport takes */
    uint64_t tile_bytes; /* size of the largest tile */
    uint64_t tiles;      /* tiles of one sample */
    uint64_t samples;    /* samples that a job computes */
    uint64_t job_bytes;  /* size of all tiles of a job */
    uint64_t workers;    /* ranks that compute */
    uint64_t devices;    /* devices of each worker */
};

struct transport_kind {
    const char *name;
    const char *summary;
    bool in_place; /* computes into the frame, which its rank must reach */
    bool at_end;   /* pixels are kept until all tiles are announced, and all ranks needed then */
    bool device_memory; /* keeps pixels in memory of its rank's devices, if MPI is proven to send it
                         */
    enum transport_frame frame;
    int announces; /* enum message_kind by which a finished tile is announced */

    /* Bytes that it takes on a rank that computes, and on rank 0 for all others. Pure. */
    uint64_t (*worker_bytes)(const struct transport_load *load);
    uint64_t (*root_bytes)(const struct transport_load *load);

    /* `site` outlives it. On failure *end may be half open. */
    enum status (*open)(void **end, const struct transport_site *site);
    void (*close)(void *end); /* accepts NULL and a half-open end */

    /* Reserves a field to compute the tile into, for as long as it takes to compute and send it:
     * packed in the transport's memory, aligned to 64 bytes, or a window of the frame. False when
     * there is none for the moment. `bytes`: size of the result. */
    bool (*reserve)(void *end, const struct tile *tile, size_t bytes, struct field *out);
    /* Announces a finished tile and sets its pixels on their way; `out` is a reserved field, in any
     * order. Does not wait. Fills in kind and checksum of `message`. */
    enum status (*send)(void *end, struct message *message, const struct field *out);
    /* Takes back a reserved field that will not be sent. NULL: its memory is not used again. */
    void (*forget)(void *end, const struct field *out);
    /* Lets MPI work. *left: chunks that have not left this rank. NULL: all leave at once. */
    enum status (*progress)(void *end, uint64_t *left);
    /* Bytes that have left this rank, as they travel. NULL: none by themselves. */
    uint64_t (*sent)(const void *end);
    /* Kinds at_end, NULL for others: all reserved fields, for gather.h. A tile of theirs is done
     * when it is announced; of the others when its pixels are here. */
    const void *(*share)(const void *end, uint64_t *bytes);
};

extern const struct transport_kind transport_local, transport_shared, transport_device,
    transport_sent, transport_gatherv, transport_staged;

/* Not in the list, since it is not for pictures: results of any form, `bytes` of them at out->base,
 * each in a message of its own; on rank 0 they stay where they are until they are forgotten. */
extern const struct transport_kind transport_message;

extern const struct transport_kind *const transport_kinds[];
extern const int transport_kinds_count;

/* NULL if there is none of that name. "auto" is not a kind: see transport_choose. */
const struct transport_kind *transport_named(const char *name);

struct transport_question { /* about one rank */
    const char *name;       /* setting of the user: "auto" or the name of a kind */
    int ranks;              /* ranks of the world */
    int rank;
    bool reaches_segment; /* this rank has mapped rank 0's frame in node-shared host memory */
    bool reaches_device;  /* this rank's devices write into rank 0's frame in device memory */
    bool others_reach;    /* some computing rank > 0 reaches what `name` asks for, or host memory
                             is as good for those that do not */
    bool sends_device;    /* MPI is proven to send the memory of this rank's devices */
    bool device_faster;   /* proven faster than by way of the host */
};

/* The transport of one rank. "auto" takes the cheapest that works: local on rank 0, else device
 * where the caller has put the picture into device memory and this rank reaches it, else shared
 * where reached, else sent where MPI is proven to be faster from device memory, else staged. (The
 * program does so for "device" only: its pictures go to files, and host memory is the shorter way
 * there.) A rank that does not reach the memory of the named kind takes staged, if others do;
 * instead of device, sent, if MPI sends its device memory. *reason: static text for --explain.
 * Pure. Fails with STATUS_CONFIG for an unknown name and for one that works for no rank. */
enum status transport_choose(const struct transport_question *question,
                             const struct transport_kind **transport, const char **reason);

/* Speed of MPI alone, for benchmarks: sends the bytes from `first` to `first + length` of every
 * rank's `whole` to the same offset of rank 0's, by MPI_Isend and MPI_Irecv and nothing else.
 * `span` [world size] is the same on every rank; rank 0's is not used. Collective. Blocks. */
struct transport_span {
    uint64_t first, length;
};
enum status transport_plain(struct world *world, void *whole, const struct transport_span *span);

#endif
