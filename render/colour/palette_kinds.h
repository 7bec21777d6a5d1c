/* The kinds of palette files. A row is a `const struct palette_kind` in the file that reads it; the
 * ordered array in palette_kinds.c names the rows. The content of a file chooses its kind; the
 * suffix chooses where the content does not tell, and when a file is written. */
#ifndef RENDER_COLOUR_PALETTE_KINDS_H
#define RENDER_COLOUR_PALETTE_KINDS_H

#include <stdio.h>

#include "render/colour/palette_file.h"
#include "render/colour/palette_make.h"
#include "render/colour/palette_text.h"

struct palette_kind {
    const char *suffix;  /* ".ggr" */
    const char *summary; /* description for people */
    bool (*recognise)(struct text text);
    /* A kind reads in one of two ways. Stops: draft is empty. STATUS_BAD_DATA with the line. */
    enum status (*stops)(struct palette_draft *draft, struct palette_text *text);
    /* A palette: `gradient` names the wanted one, NULL: the only one. STATUS_BAD_DATA with the
     * line, STATUS_NO_INPUT if none has that name, STATUS_OUT_OF_MEMORY. */
    enum status (*read)(struct palette **palette, struct palette_text *text, const char *gradient);
    /* Visits all gradients, in the order of the file, at most PALETTE_GRADIENTS_MAX; NULL: a file
     * of this kind holds one. STATUS_BAD_DATA, STATUS_OUT_OF_MEMORY. */
    enum status (*each)(struct palette_text *text, enum palette_want want, palette_visit *visit,
                        void *context);
    /* Writes a draft that is a palette_outline of this course; the caller checks the stream for
     * errors. NULL: this kind is not written. */
    void (*write)(const struct palette_draft *draft, FILE *stream);
    enum palette_course course;
};

extern const struct palette_kind palette_csv, palette_ggr, palette_gpl, palette_map, palette_ugr,
    palette_kfp, palette_kfr;
extern const struct palette_kind *const palette_kinds[];
extern const int palette_kinds_count;

/* Kind by the suffix of a path, case ignored; NULL: none has it. */
const struct palette_kind *palette_kind_of(const char *path);

/* Kind by the content of a text; NULL: no kind recognises it. */
const struct palette_kind *palette_kind_in(struct text text);

/* Kind by the content of a text; else by the suffix of its name, so that errors can be told. */
const struct palette_kind *palette_kind_of_text(const struct palette_text *text);

/* Parses one gradient of several; NULL: the only one. STATUS_NO_INPUT if none has that name. */
enum status palette_kind_read(struct palette **palette, const char *bytes, size_t length,
                              const char *name, const char *gradient);

/* Lists suffixes, ".csv, .ggr, ...": of the kinds that can be written, or of all. */
enum palette_verb { PALETTE_READ, PALETTE_WRITE };
void palette_suffixes(enum palette_verb verb, char *text, size_t bytes);

#endif
