/* Rows of the list of backends by what they are, also where this machine has none of their devices:
 * other ranks and joined jobs may compute with them. */
#ifndef KERNELS_BACKEND_KIND_H
#define KERNELS_BACKEND_KIND_H

#include <stdbool.h>

#include "kernels/backend.h"

/* The row called `name`; NULL: there is none. */
const struct backend_kind *backend_kind_named(const char *name);

/* Are its devices GPUs? Builds that cannot open them know it, too. Accepts NULL. */
bool backend_kind_is_gpu(const struct backend_kind *kind);

#endif
