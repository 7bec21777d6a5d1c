/* Replacement of values of foreign files that no field can have and no colour could take. */
#ifndef RENDER_FILE_FIELD_SANITIZE_H
#define RENDER_FILE_FIELD_SANITIZE_H

#include "kernels/field.h"

/* Sanitizes one row, in host memory: fractions and phases lie in [0,1) afterwards, 1 becoming the
 * number below it (Kalles Fraktaler writes fractions in (0,1]), and distances are finite; other
 * values, and all of a pixel that has not escaped, become 0. */
void field_sanitize_row(struct field *field, int32_t row);

#endif
