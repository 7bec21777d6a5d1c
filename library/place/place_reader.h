/* What the readers of places share, whatever their format (place_format.h): the text of a place,
 * and the keys that it becomes. */
#ifndef LIBRARY_PLACE_PLACE_READER_H
#define LIBRARY_PLACE_PLACE_READER_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"
#include "library/config/config.h"
#include "library/text/ini.h"
#include "render/disk/text_lines.h"

#define ANGLE_MAX 1e6 /* degrees by which a file may rotate its frame */

enum { PLACE_BYTES_MAX = 4 * 1024 * 1024, PLACES_OF_FILE_MAX = 1000 };

struct place_text {
    const char *bytes;
    size_t length;
    const char *name;  /* for messages */
    const char *entry; /* name of the place in a file that has several; NULL: the only one */
};

struct place_number { /* value of a key */
    double value;
    int line; /* line of the key, from 1; 0: it was not there */
};

/* STATUS_BAD_DATA if the key was in a line before, *earlier, which else becomes this one. */
enum status place_once(const struct place_text *text, int line, const char *key, int *earlier);

/* Adds view.`key`; STATUS_BAD_DATA if it is there already. */
enum status place_add(struct ini *ini, const struct place_text *text, int line, const char *key,
                      const char *value);

/* Adds look.`key`, or look.palette as a ring of `count` colours in sRGB; fails as place_add. */
enum status place_add_look(struct ini *ini, const struct place_text *text, int line,
                           const char *key, const char *value);
enum status place_add_colours(struct ini *ini, const struct place_text *text, int line,
                              const uint8_t (*rgb)[3], size_t count);

/* Adds view.mirror, for an imaginary axis that points down. */
enum status place_add_mirror(struct ini *ini, const struct place_text *text);

/* Adds view.rotation for an angle of the frame in degrees, any number of turns. */
enum status place_add_rotation(struct ini *ini, const struct place_text *text, int line,
                               double degrees);

/* Adds view.stretch: the view is longer by the factor along this angle of the plane than across.
 * The sentence of a failure is that of view_shape_check. */
enum status place_add_stretch(struct ini *ini, const struct place_text *text, int line,
                              double factor, double degrees);

/* A copy of `text`; a number that begins or ends with its point gets or loses what is usual here.
 */
enum status place_copy_text(const struct text *text, const struct place_text *whole, int line,
                            char **copy);

/* Adds view.`key` of a number so copied. */
enum status place_add_number(struct ini *ini, const struct place_text *text, int line,
                             const char *key, const struct text *number);

/* STATUS_BAD_DATA: "name:line: what: " and the sentence of what has just failed. */
enum status place_blame(const struct place_text *text, int line, const char *what,
                        enum status status);

/* STATUS_BAD_DATA if there is a NUL. */
enum status place_check_text(const struct place_text *text);

/* STATUS_CONFIG, naming the format that is to be written, for a formula but z^2 + c, and for a
 * Julia set. */
enum status place_check_mandelbrot(const struct config *config, const char *format);

#endif
