/* The list of formats of files that say where to look: ours, and those of other programs.
 *
 * A format is told by the content of a text, the same for a file, for the standard input and for
 * what is pasted or typed into the viewer; for a file that is to be written, by its suffix. Reading
 * gives the keys and values that an ini file of ours would have. What a format says about something
 * that cannot be shown here (another formula, a stretched frame) is refused rather than left out;
 * what only says how that program computes is passed over. To add one: a row in a file of its own,
 * and its name in place_format.c. */
#ifndef LIBRARY_PLACE_PLACE_FORMAT_H
#define LIBRARY_PLACE_PLACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "kernels/status.h"
#include "library/config/config.h"
#include "library/place/place_reader.h"
#include "library/text/ini.h"
#include "render/disk/text_lines.h"

struct place_format {
    const char *name;    /* for messages: "kfr file" */
    const char *suffix;  /* ".kfr"; of one that is read, several: ".png .exr" */
    const char *summary; /* what it is, for the list of formats */
    bool several;        /* a file may hold several places, which have names */

    /* Recognise a text by one of its lines, by its first line, or as a whole; NULL: not so. */
    bool (*any_line)(const struct text *line);
    bool (*first_line)(const struct text *line);
    bool (*recognise)(struct text text);

    /* Adds view.re and so on; what was added before a failure is the caller's. STATUS_BAD_DATA with
     * "name:line: ...". NULL: another module reads it. */
    enum status (*read)(struct ini *ini, const struct place_text *text);

    /* NULL: only read. STATUS_CONFIG for a place that the format cannot say. */
    enum status (*write)(const struct config *config, FILE *stream);
};

extern const struct place_format place_view, place_options, place_picture; /* without a reader */
extern const struct place_format place_location, place_numbers, place_kfr, place_fraktaler,
    place_rust_fractal, place_deepdrill, place_imagina, place_fractalshark, place_xaos,
    place_fractint;

extern const struct place_format *const place_formats[];
extern const int place_formats_count;

/* For messages: the formats that can be read. */
#define PLACE_FORMATS \
    "ini text ([view]), three numbers re im zoom, or what `deepfield help formats` lists"

/* NULL: it cannot be read as a place; *what then says why: "a web address, not a place", or NULL:
 * there is nothing but comments in it. A text with NULs, or one that is longer than any place, is
 * still told by how it begins. */
const struct place_format *place_format_of(const char *bytes, size_t length, const char **what);

/* The one that a file of this name is to have. STATUS_USAGE with the suffixes that there are. */
enum status place_format_named(const struct place_format **format, const char *path);

/* Has a file of this name the suffix of a format, case ignored? */
bool place_format_suffix(const char *path);

/* The place as a text of a format that is written; freed by the caller. STATUS_CONFIG if the format
 * cannot say it. NULL unless STATUS_OK. */
enum status place_to_text(char **text, const struct place_format *format,
                          const struct config *config);

/* The texts that pictures hold: the view, and the same for Kalles Fraktaler, or NULL if that cannot
 * say it. Both replace what is there; freed by the caller. */
enum status place_texts(char **view, char **kfr, const struct config *config);

/* The table of `deepfield help formats`. */
void place_formats_print(FILE *stream);

#endif
