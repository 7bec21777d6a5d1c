/* The kinds of palette files. A row is a `const struct palette_kind` in the file that reads it; the
 * ordered array in palette_kinds.c names the rows. What is in a file chooses; its suffix only where
 * that says nothing, and of a file that is written. */
#ifndef RENDER_COLOUR_PALETTE_KINDS_H
#define RENDER_COLOUR_PALETTE_KINDS_H

#include <stdio.h>

#include "render/colour/palette_file.h"
#include "render/colour/palette_make.h"
#include "render/colour/palette_text.h"

struct palette_kind {
    const char *suffix;  /* ".ggr" */
    const char *summary; /* what it is, for people */
    bool (*recognise)(struct text text);
    /* A kind reads in one of two ways. Stops: draft is empty. STATUS_BAD_DATA with the line. */
    enum status (*stops)(struct palette_draft *draft, struct palette_text *text);
    /* A palette: `gradient` is the one that is wanted, NULL: the only one. STATUS_BAD_DATA with the
     * line, STATUS_NO_INPUT if there is none of that name, STATUS_OUT_OF_MEMORY. */
    enum status (*read)(struct palette **palette, struct palette_text *text, const char *gradient);
    /* All gradients, in the order of the file, at most PALETTE_GRADIENTS_MAX; NULL: a file of this
     * kind holds one. STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
    enum status (*each)(struct palette_text *text, enum palette_want want, palette_visit *visit,
                        void *context);
    /* NULL: this kind is not written. The draft is a palette_outline of this course; the stream's
     * errors are the caller's to find. */
    void (*write)(const struct palette_draft *draft, FILE *stream);
    enum palette_course course;
};

extern const struct palette_kind palette_csv, palette_ggr, palette_gpl, palette_map, palette_ugr,
    palette_kfp, palette_kfr;
extern const struct palette_kind *const palette_kinds[];
extern const int palette_kinds_count;

/* By the suffix of a path, case ignored; NULL: none has it. */
const struct palette_kind *palette_kind_of(const char *path);

/* By what is in a text; NULL: no kind knows it. */
const struct palette_kind *palette_kind_in(struct text text);

/* By what is in a text; else by the suffix of its name, for what is wrong to be said. */
const struct palette_kind *palette_kind_of_text(const struct palette_text *text);

/* palette_parse, of a gradient of several; NULL: the only one. STATUS_NO_INPUT if there is none of
 * that name. */
enum status palette_kind_read(struct palette **palette, const char *bytes, size_t length,
                              const char *name, const char *gradient);

/* ".csv, .ggr, ..."; of those that can be written, or of all. */
enum palette_verb { PALETTE_READ, PALETTE_WRITE };
void palette_suffixes(enum palette_verb verb, char *text, size_t bytes);

#endif
