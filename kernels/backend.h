/* Where does arithmetic run? A list of kinds; a device is one opened backend.
 *
 * Every row gives the same counts and fractions for the same spec and grid, bit for bit; the
 * conformance suite runs over the list. To add a row, see ARCHITECTURE.md. */
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/field.h"
#include "kernels/grid.h"
#include "kernels/spec.h"

struct backend; /* an opened device */

struct backend_options {
    int threads;              /* CPU threads; 0 = all that this process may run on */
    const volatile int *stop; /* when it becomes non-zero compute returns STATUS_STOPPED within
                                 milliseconds; may be NULL; must outlive the backend */
};

struct backend_work {    /* what compute did; added to, never reset */
    uint64_t iterations; /* steps taken on behalf of pixels; those repeated in a replay excluded */
    double busy_s;       /* wall seconds inside compute */
};

struct backend_kind {
    const char *name;
    const char *summary;
    enum memory_space space; /* where compute writes its planes */
    const void *data;        /* private to the row */
    bool (*available)(void); /* can this machine run it? */
    enum status (*open)(struct backend *);
    enum status (*compute)(struct backend *, const struct spec *, const struct grid *,
                           struct field *out, struct backend_work *work);
    /* Iterations per second of the plain unchecked loop on the whole device, from a run of about
     * `seconds`: what no kernel can exceed. */
    double (*ceiling)(struct backend *, enum number number, double seconds);
    void (*close)(struct backend *); /* accepts a half-open backend */
};

/* Best first; backend_kinds_count rows. */
extern const struct backend_kind *const backend_kinds[];
extern const int backend_kinds_count;

/* Opens the backend called `name`; "auto" takes the first available one.
 * STATUS_CONFIG for an unknown name, STATUS_NO_DEVICE when this machine cannot run it. */
enum status backend_open(struct backend **backend, const char *name,
                         const struct backend_options *options);
void backend_close(struct backend *backend); /* accepts NULL */

/* Fills `out` (host memory; size of the grid's tile; planes and count_bytes of the spec).
 * Thread: one at a time per backend. Fails with STATUS_STOPPED leaving `out` undefined. */
enum status backend_compute(struct backend *backend, const struct spec *spec,
                            const struct grid *grid, struct field *out, struct backend_work *work);

/* The row's ceiling; see struct backend_kind. Blocks for about twice `seconds`. */
double backend_ceiling(struct backend *backend, enum number number, double seconds);

/* CPU cores that this process may run on: what `threads = 0` opens. */
int backend_cores_usable(void);

const struct backend_kind *backend_kind_of(const struct backend *backend);
int backend_threads(const struct backend *backend);

#endif
