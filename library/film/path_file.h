/* Paths of films as ini text: a section for each keyframe, in the order of their times. Its name
 * says nothing.
 *
 *     [begin]
 *     time = 0          ; seconds; the first is 0
 *     zoom = 1
 *     [end]
 *     time = 20
 *     zoom = 1e20
 *     re = -0.75        ; re, im, rotation: otherwise those of the place
 *     im = 0.1          ; numbers of any length, in parts re.0, re.1, ... if they are long
 *     rotation = 90     ; degrees, of any size: the frame turns through all of it
 *     offset = 1.6      ; in the palette: colours run through all of it
 *     relief = 0.5
 *     ease = 1          ; seconds in which the motion comes to rest here, and begins again; 1 at
 *                       ; both ends, 0 between, unless it is said
 */
#ifndef LIBRARY_FILM_PATH_FILE_H
#define LIBRARY_FILM_PATH_FILE_H

#include <stddef.h>

#include "kernels/status.h"
#include "render/motion/film_path.h"

#define FILM_SECONDS_MOST 36000.0

/* `place` has what keyframes do not say; its numbers are copied. *path is the caller's to destroy.
 * STATUS_NO_INPUT, STATUS_BAD_DATA with "name:line: ...". */
enum status path_file_read(struct film_path *path, const char *name,
                           const struct film_keyframe *place);

/* path_file_read from text in memory. */
enum status path_file_parse(struct film_path *path, const char *text, size_t length,
                            const char *name, const struct film_keyframe *place);

#endif
