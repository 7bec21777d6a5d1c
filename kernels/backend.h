/* The list of backends, which say where arithmetic runs; a device is one opened backend.
 *
 * Every row gives the same counts and fractions for the same spec and grid, bit for bit; the
 * conformance suite runs over the list. To add a row: docs/extending.md. */
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include <stdint.h>

#include "kernels/colour/look.h"
#include "kernels/deep/deep.h"
#include "kernels/field.h"
#include "kernels/grid.h"
#include "kernels/spec.h"

struct backend; /* an opened device */

struct backend_options {
    int device;               /* 0 ... devices() - 1 of the kind */
    int threads;              /* CPU threads; 0 = all that this process may run on */
    double slice_s;           /* longest work between two polls of `stop`; 0 = 0.05 */
    const volatile int *stop; /* when it becomes non-zero compute returns STATUS_STOPPED within a
                                 slice; may be NULL; must outlive the backend */
};

struct backend_work {    /* what compute did; added to, never reset */
    uint64_t iterations; /* steps taken on behalf of pixels; those repeated in a replay excluded */
    double busy_s;       /* wall seconds inside compute */
    double kernel_s;     /* seconds of kernels by the device's own clock; 0 on a CPU */
};

enum { DEVICE_NAME_BYTES = 96, DEVICE_BUS_BYTES = 16, DEVICE_UUID_BYTES = 40, DEVICES_MAX = 64 };

struct device_facts {
    char name[DEVICE_NAME_BYTES]; /* as its maker calls it */
    char bus[DEVICE_BUS_BYTES];   /* PCI id, "0000:1b:00.0"; "" for a CPU */
    char uuid[DEVICE_UUID_BYTES]; /* "c5e1...-...", different in each MIG instance; or "" */
    uint64_t memory_bytes;        /* the device's own memory; 0 for a CPU */
    int units;                    /* multiprocessors or cores */
    int fp32_per_fp64;            /* operations in fp32 in the time of one in fp64; 0: not known */
    double limit[NUMBERS]; /* iterations per second that its multiply-add units can issue, from its
                              properties; 0 = they do not say */
    uint64_t peers;        /* bit d: this device reaches the memory of device d directly */
};

/* Device memory that another process of this machine may reach. Plain bytes. */
struct backend_handle {
    unsigned char bytes[64];
};

/* Rows of bytes in any memory that a kind reaches. */
struct backend_rows {
    void *first;
    int64_t step_bytes; /* from the start of a row to that of the next */
};

/* What a kind with memory of its own can do with memory. All verbs: any thread. */
struct backend_memory {
    /* Host memory that the device's copy engine reaches at full speed, zeroed. */
    enum status (*host_create)(struct backend *, size_t bytes, void **host);
    void (*host_destroy)(struct backend *, void *host); /* accepts NULL */
    /* Makes existing host memory (page aligned) like that of host_create; costs 0.02 ms per MiB in
     * huge pages, 0.3 in small ones. Memory that is pinned already is accepted. */
    enum status (*pin)(struct backend *, void *host, size_t bytes);
    void (*unpin)(struct backend *, void *host);
    /* Device memory. */
    enum status (*create)(struct backend *, size_t bytes, void **memory);
    void (*destroy)(struct backend *, void *memory); /* accepts NULL */
    /* Lets another process of this machine reach memory from create(). */
    enum status (*share)(struct backend *, void *memory, struct backend_handle *handle);
    enum status (*attach)(struct backend *, const struct backend_handle *handle, void **memory);
    void (*detach)(struct backend *, void *memory);
    /* Copies all pixels, either side in host or in device memory, windows too. Blocks. */
    enum status (*copy)(struct backend *, const struct field *to, const struct field *from);
    /* Adds samples to a mean, as kernels/colour/pixel.h says; begins it with the first. Blocks; one
     * call at a time for a device, during other verbs too. NULL: this kind cannot. */
    enum status (*mean_add)(struct backend *, const struct colour_mean *mean);
    /* Compares such a mean with what it was. Blocks; not during mean_add. NULL where that is. */
    enum status (*compare)(struct backend *, const struct colour_compare *compare);
    /* By the number of a device, which need not be open: memory that outlives what is opened. The
     * calling thread's current device stays as it was. */
    /* Number of the device that memory lies on; -1: of none. */
    int (*owner)(const void *memory);
    enum status (*number_create)(int device, size_t bytes, void **memory);
    void (*number_destroy)(int device, void *memory); /* accepts NULL */
    /* Copies `count` rows of so many bytes, either side in host or in device memory. Blocks. */
    enum status (*number_copy)(int device, const struct backend_rows *to,
                               const struct backend_rows *from, size_t bytes, size_t count);
};

/* What one device keeps for the pixels of a picture by perturbation. */
struct backend_deep {
    struct backend *backend;
    void *reference;            /* what the row keeps of the reference; NULL: not open */
    size_t table_bytes;         /* size of the blocks */
    const struct deep *on_host; /* where a processor computes; else NULL */
};

struct backend_kind {
    const char *name;
    const char *summary;
    int tiles_at_once; /* threads that may be in compute of one device at a time, so that the copy
                          of one tile overlaps the computing of the next */
    int32_t tile_px;   /* smallest tile that keeps one device busy, side in pixels */
    const struct backend_memory *memory;     /* NULL: works in ordinary host memory */
    const void *data;                        /* private to the row */
    const struct deep_kernels *deep_kernels; /* NULL: perturbation is not for a processor */
    /* May this machine have any? Asks no driver, which takes a tenth of a second to wake; of kinds
     * with memory of their own alone. */
    bool (*likely)(void);
    int (*devices)(void); /* how many this machine has, 0 ... DEVICES_MAX */
    /* Why devices() is 0, and what would help: a sentence. */
    void (*missing)(char *text, size_t bytes);
    enum status (*facts)(int device, struct device_facts *facts);
    enum status (*open)(struct backend *);
    /* `out` is packed, or, if the kind has memory verbs, any field or window in any space. */
    enum status (*compute)(struct backend *, const struct spec *, const struct grid *,
                           struct field *out, struct backend_work *work);
    /* Perturbation: see the functions of these names. `deep` is zeroed but for its backend. */
    enum status (*deep_open)(struct backend_deep *deep, const struct deep_options *,
                             const struct orbit *, const struct spec *, const struct grid *whole);
    enum status (*deep_compute)(const struct backend_deep *deep, const struct spec *,
                                const struct grid *, struct field *out, struct backend_work *work);
    void (*deep_close)(struct backend_deep *deep); /* accepts one that is not open */
    /* Iterations per second of the plain unchecked loop on the whole device, from a run of about
     * `seconds`: what no kernel can exceed. */
    double (*ceiling)(struct backend *, enum number number, double seconds);
    void (*close)(struct backend *); /* accepts a half-open backend */
};

/* Best first; backend_kinds_count rows. */
extern const struct backend_kind *const backend_kinds[];
extern const int backend_kinds_count;

/* The row called `name`; "auto" takes the first that has a device, "cpu" the first of those that
 * need no memory of their own. STATUS_CONFIG for an unknown name; STATUS_NO_DEVICE, saying why,
 * when this machine has none. */
enum status backend_kind_find(const struct backend_kind **kind, const char *name);

/* Opens one device of the backend called `name`. Fails as backend_kind_find does, or with
 * STATUS_NO_DEVICE for a device number beyond what there is. */
enum status backend_open(struct backend **backend, const char *name,
                         const struct backend_options *options);
void backend_close(struct backend *backend); /* accepts NULL */

/* Fills `out` (size of the grid's tile; planes and count_bytes of the spec): host memory, packed or
 * a window; where the kind has memory verbs, device memory too. Thread: up to kind.tiles_at_once at
 * a time per backend. Fails with STATUS_STOPPED, or STATUS_DEVICE_LOST after which every call fails
 * so; `out` is then undefined, but a window holds nothing but old and final values. */
enum status backend_compute(struct backend *backend, const struct spec *spec,
                            const struct grid *grid, struct field *out, struct backend_work *work);

/* Prepares a device for the pixels of a picture by perturbation, as deep_open (kernels/deep/deep.h)
 * does and with the same blocks everywhere; `options->threads` is ignored. The orbit is
 * borrowed until backend_deep_close, which is called also after a failure. STATUS_TOO_LARGE, with
 * figures, when the device has no room for it. */
enum status backend_deep_open(struct backend_deep *deep, struct backend *backend,
                              const struct deep_options *options, const struct orbit *orbit,
                              const struct spec *spec, const struct grid *whole);

/* As backend_compute, for a grid whose centre is relative to the reference; the iterations are
 * blocks and steps. */
enum status backend_deep_compute(const struct backend_deep *deep, const struct spec *spec,
                                 const struct grid *grid, struct field *out,
                                 struct backend_work *work);

void backend_deep_close(struct backend_deep *deep); /* accepts a zeroed one */

/* The row's ceiling; see struct backend_kind. Blocks for about twice `seconds`. */
double backend_ceiling(struct backend *backend, enum number number, double seconds);

/* CPU cores that this process may run on: what `threads = 0` opens. */
int backend_cores_usable(void);

const struct backend_kind *backend_kind_of(const struct backend *backend);
int backend_threads(const struct backend *backend);
int backend_device(const struct backend *backend);

#endif
