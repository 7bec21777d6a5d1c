/* Values of foreign files that no field can have, and no colour could take, become such that it
 * can. */
#ifndef RENDER_FILE_FIELD_SANITIZE_H
#define RENDER_FILE_FIELD_SANITIZE_H

#include "kernels/field.h"

/* One row, in host memory: fractions and phases are in [0,1), 1 becoming the number below it
 * (Kalles Fraktaler writes fractions in (0,1]), and distances are finite; what is not, and all of a
 * pixel that has not escaped, becomes 0. */
void field_sanitize_row(struct field *field, int32_t row);

#endif
