/* backend_compute as a test sees it that is linked with --wrap=backend_compute. */
#ifndef TESTS_SUPPORT_WRAP_COMPUTE_H
#define TESTS_SUPPORT_WRAP_COMPUTE_H

#include "kernels/backend.h"

enum status __real_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work);
enum status __wrap_backend_compute(struct backend *backend, const struct spec *spec,
                                   const struct grid *grid, struct field *out,
                                   struct backend_work *work);

#endif
