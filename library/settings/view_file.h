/* A view by its name, its file or its text: of one of the formats in library/place/place_format.h,
 * told apart by content. FILE:NAME is one of several places in a file, a bare name one of
 * configs/views. */
#ifndef LIBRARY_SETTINGS_VIEW_FILE_H
#define LIBRARY_SETTINGS_VIEW_FILE_H

#include "kernels/status.h"
#include "library/config/config.h"
#include "library/place/place_format.h"
#include "library/text/ini.h"
#include "render/file/exr_header.h"
#include "render/file/png_text.h"

struct view_file {
    const struct place_format *format; /* place_options: no file */
    char *path;                        /* as opened; owned */
    char *stem;                        /* "seahorse"; names the default output; owned */
    struct png_facts facts;            /* facts of a picture, else zeros */
    char *text;                        /* text of a picture; owned; NULL: no picture */
    struct ini ini;                    /* keys of the view */
};

/* Must re, im and zoom be among the keys, or may settings say them? To a whole view that says none
 * of them, but a formula, those of all its set are added. */
enum view_completeness { VIEW_WHOLE, VIEW_PART };

/* The view that a text names: a file, FILE:NAME, or the name of a view among `data`.
 * STATUS_NO_INPUT or STATUS_BAD_DATA with the file, the line and what would be right. */
enum status view_file_find(struct view_file *file, const char *operand,
                           const struct data_source *data, enum view_completeness completeness);

/* The same from a descriptor that is open for reading, a pipe or a terminal, too; `name` is for
 * messages and the stem. */
enum status view_file_read(struct view_file *file, int stream, const char *name,
                           enum view_completeness completeness);

/* The stem of what view_file_find would load, freed by the caller; only whether the file is there
 * is looked at. STATUS_NO_INPUT, STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
enum status view_file_stem(char **stem, const char *operand, const struct data_source *data);

/* STATUS_BAD_DATA: neither the part of a view nor the settings have the key. */
enum status view_file_lacks(const struct view_file *file, const char *key);

/* Reads a whole view from bytes in memory, which stay the caller's; for fuzzers, too. */
enum status view_file_parse(struct view_file *file, const char *bytes, size_t length,
                            const char *path);

/* What a picture says of itself: the texts of an .exr, of which one is taken (NULL: none), and the
 * keys of one, which may be of any format that is a text. STATUS_BAD_DATA: *ini is zeroed. */
const char *view_text_choose(const char *const text[EXR_TEXTS]);
enum status view_text_parse(struct ini *ini, const char *text, const char *path);

void view_file_destroy(struct view_file *file); /* accepts a zeroed one */

#endif
