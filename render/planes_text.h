/* Which view does the NAME.planes.json beside .npy planes hold? Its member "view", a text.
 *
 * Hostile input is normal here. Only as much of JSON (RFC 8259) is checked as is needed to find
 * that member and to know where the text ends. */
#ifndef RENDER_PLANES_TEXT_H
#define RENDER_PLANES_TEXT_H

#include <stddef.h>

#include "kernels/status.h"

enum { PLANES_JSON_BYTES_MAX = 25 << 20, PLANES_JSON_DEPTH_MAX = 64 };

/* The text in UTF-8, freed by the caller; NULL if there is no such member, or it is null.
 * STATUS_BAD_DATA names the byte; STATUS_OUT_OF_MEMORY. */
enum status planes_text_find(const char *json, size_t length, const char *path, char **text);

/* The same of a file; *text is NULL if there is none. STATUS_BAD_DATA also if it is longer than
 * PLANES_JSON_BYTES_MAX; STATUS_IO. */
enum status planes_text_read(const char *path, char **text);

#endif
