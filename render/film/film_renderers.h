/* Renderers of one process that compute whole frames of a film in turn, each on a thread of its
 * own. GPUs work on one frame while others begin or end, when few pixels are left. The frames are
 * the same bytes. */
#ifndef RENDER_FILM_FILM_RENDERERS_H
#define RENDER_FILM_FILM_RENDERERS_H

#include "render/film/film.h"
#include "render/film/video/film_writer.h"

struct film_renderers;

struct film_renderers_order {
    /* the film's, which says how the others are opened; not to be used otherwise until
     * film_renderers_close */
    struct renderer *renderer;
    const struct film *film;           /* all borrowed */
    const struct picture_orbit *orbit; /* orbit member NULL: none is needed */
    const volatile int *stop;
};

/* Number of renderers that pay and that GPU and cores have room for; 1 after a stop. */
int film_renderers_count(const struct renderer *renderer, const struct film *film,
                         const volatile int *stop);

/* Opens them. STATUS_OUT_OF_MEMORY, or the reason why the others cannot be opened: then the caller
 * uses one. */
enum status film_renderers_open(struct film_renderers **all, int count,
                                const struct film_renderers_order *order);
void film_renderers_close(struct film_renderers *all); /* waits for all; accepts NULL */

/* Changes the scene of the next frames; frames begun in the one before are dropped. */
void film_renderers_scene_set(struct film_renderers *all, const struct film *film);

bool film_renderers_idle(const struct film_renderers *all); /* is a renderer without a frame? */

/* Begins a frame in an idle renderer; the look is copied. amplification: as in picture_orbit. */
void film_renderers_begin(struct film_renderers *all, int64_t number, const struct look *look,
                          double amplification);

/* Waits for that frame, which was begun, and frees its renderer; earlier frames are dropped. The
 * frame's light and view, and the report, pass to the caller. */
enum status film_renderers_take(struct film_renderers *all, int64_t number,
                                struct film_frame *frame, struct picture_report *report);

#endif
