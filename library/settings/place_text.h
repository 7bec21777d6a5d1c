/* Places as texts, read and written.
 *
 * A place is all that undo brings back: where one looks, how far and how accurately is iterated,
 * what is iterated and the colours. Texts are hostile, and of any format that files of places may
 * have (library/place/place_format.h). */
#ifndef LIBRARY_SETTINGS_PLACE_TEXT_H
#define LIBRARY_SETTINGS_PLACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/formula.h"
#include "kernels/spec.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "library/config/options.h"
#include "render/colour/colour.h"
#include "render/live/distances.h"
#include "render/view/view.h"

struct place {
    struct view view; /* owned */
    int64_t limit;    /* 0: automatic */
    bool limit_ends;  /* farther in the limit is automatic: it was said for this place only */
    double bailout, accuracy_px;
    struct orbit_rule orbit;
    struct formula formula;
    char palette[OPTION_PALETTE_MAX + 1]; /* its name; of defaults also how it is chosen */
    struct look_options look;
    struct distribution distribution; /* measured on the picture; unmeasured: not known yet */
    double dpi;                       /* resolution in print of a picture; 0: none, not read */
    int samples;                      /* samples per pixel of a picture; 0: not said, not read */
    char title[OPTION_TEXT_MAX + 1];  /* "": none */
};

/* The whole set, with the colours and the radius that there are by default. What *place held before
 * is not freed. */
enum status place_create(struct place *place, int32_t width, int32_t height);
void place_destroy(struct place *place); /* accepts a zeroed one */

/* The place that the settings describe, as for `deepfield render`. What *place held is not freed.
 * STATUS_CONFIG, STATUS_BAD_DATA. */
enum status place_of_settings(struct place *place, const struct config *config);

/* Is it worth computing distances for the colours of the place? */
enum live_distances place_distances(const struct place *place);

/* The look of a picture of the place that is `height` pixels high, without its palette. */
struct look place_look(const struct place *place, int32_t height);

/* Frees what *copy had. */
enum status place_copy(struct place *copy, const struct place *place);

/* STATUS_UNREACHABLE for a place of which there will be no picture, since it is too deep. */
enum status place_check(const struct place *place);

/* The place of a text, into one that holds what texts need not say: limit, bailout, accuracy and
 * colours, and always the size of the view. But without a rotation it is upright, without a formula
 * z^2 + c, and without a title it has none. The bytes of a picture that deepfield made will do,
 * too. `name` is for messages. STATUS_BAD_DATA leaves *place as it was. */
enum status place_text_read(struct place *place, const char *text, size_t length, const char *name);

/* The ini text of a place, which `deepfield render` takes as a view; without a limit if that is
 * automatic. *text is freed by the caller. */
enum status place_text_write(const struct place *place, char **text);

/* The same without the size of the view and the distribution: a window that became larger, and
 * colours that followed the picture, are no steps to undo. */
enum status place_text_write_step(const struct place *place, char **text);

#endif
