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

/* ".csv, .ggr, ..."; of those that can be written, or of all. */
enum palette_verb { PALETTE_READ, PALETTE_WRITE };
void palette_suffixes(enum palette_verb verb, char *text, size_t bytes);

/* A draft with nothing in it; freed by the caller. NULL: no memory, and the status says so. */
struct palette_draft *palette_draft_create(void);

/* Adds a colour of 0 ... 255 a channel. STATUS_BAD_DATA beyond PALETTE_STOPS_MAX - 1, which leaves
 * room for the one that closes a ring. */
enum status palette_draft_add(struct palette_draft *draft, const struct palette_text *text,
                              const int rgb[3]);

#endif
