/* The message of rank 0 by which all ranks know what picture they compute. */
#ifndef RENDER_PICTURE_PICTURE_MESSAGE_H
#define RENDER_PICTURE_PICTURE_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "decomposition/schedule/tile.h"
#include "kernels/spec.h"
#include "render/picture/picture.h"
#include "render/plan/plan.h"
#include "render/reference/reference.h"
#include "render/view/view.h"

/* Part of the picture that is computed. */
struct picture_scope {
    int samples;         /* samples of a pixel, as in struct picture */
    bool light_alone;    /* the numbers of the centres are not wanted */
    int32_t rows_before; /* computed rows that an interrupted run has left */
    bool restores;       /* it has left tiles of the strip after them, too */
    bool subgrid;        /* pixels that a distribution is measured by are computed first */
    int32_t window_px;   /* side of windows that are computed instead; 0: the picture is */
    struct tile hole;    /* pixels that are left out; width 0: none */
    struct tile crop;    /* pixels that the consumer gets, of those that are computed */
};

/* Plain data; all ranks run the same program, so the bytes mean the same everywhere. */
struct picture_message {
    uint64_t epoch; /* epoch of the first job; 0: there is no picture (picture_decline) */
    struct view_numbers view;
    struct spec spec;
    struct plan plan; /* without reasons; of windows: of one strip, the whole picture */
    struct reference_request request;
    struct picture_scope scope;
    char transport[16]; /* as asked for; each rank's transport may differ */
};

/* Rank 0: everything that can go wrong before the ranks hear of the picture, which may be stopped,
 * refused or too large. `plan` becomes the plan as it is reported. The epoch is the caller's. */
enum status picture_message_make(struct picture_message *message, const struct renderer *renderer,
                                 const struct picture *picture, const struct picture_hooks *hooks,
                                 struct plan *plan);

#endif
