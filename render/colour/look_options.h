/* Options of a look, as settings say them. Values: nothing here sees a pixel. */
#ifndef RENDER_COLOUR_LOOK_OPTIONS_H
#define RENDER_COLOUR_LOOK_OPTIONS_H

#include <stdbool.h>

#include "kernels/field.h"
#include "render/colour/blend.h"
#include "render/colour/interior.h"

/* Options of a look; with the distribution of a picture they become a look. */
struct look_options {
    double density;  /* 0: automatic */
    double runs;     /* palette runs of automatic density; 0: those of the distribution */
    double contrast; /* contrast of automatic density, 0 ... 1 */
    double offset, relief, lines;
    bool offset_auto;             /* offset is that of the palette (palette_choice.h) */
    bool relief_auto, lines_auto; /* relief and lines take their defaults in fields that have
                                     distances anyway; distances are not computed for them */
    double light_deg; /* direction that light comes from, counter-clockwise from the right */
    int roots;        /* formula_roots of the formula */
    struct colour_source source;
    struct colour_layer layer;
    enum interior_kind interior_kind;
    float interior[3];
};

/* Defaults of relief and lines, for fields whose distances cost little. */
#define LOOK_RELIEF 0.5
#define LOOK_LINES 1.0

bool look_options_same(const struct look_options *a, const struct look_options *b);

/* Puts counts in the place of sources whose plane is not among `planes`, as colours do. */
void look_planes_drop(struct look_options *options, unsigned planes);

/* Does a device with memory of its own make these colours, or a processor alone (blend.h)? */
bool look_is_plain(const struct look_options *options);

/* Do counts decide about any of these colours? */
bool look_has_counts(const struct look_options *options);

/* Planes that the options need, beside count and fraction, without those of its interior
 * (interior_planes), which direct iteration alone has. */
unsigned look_planes(const struct look_options *options);

/* Replaces automatic options by their values in this field. */
void look_resolve(struct look_options *options, const struct field *field);

#endif
