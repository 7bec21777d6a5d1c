/* Renderers of one process that compute whole frames of a film in turn, each on a thread of its
 * own. GPUs go on with one frame while others begin or come to their ends, where few pixels are
 * left. The frames are the same bytes. */
#ifndef RENDER_FILM_FILM_RENDERERS_H
#define RENDER_FILM_FILM_RENDERERS_H

#include "render/film/film.h"
#include "render/film/video/film_writer.h"

struct film_renderers;

struct film_renderers_order {
    struct renderer *renderer;         /* the first; used by nobody else until they close */
    const struct film *film;           /* all borrowed */
    const struct picture_orbit *orbit; /* its orbit NULL: none is needed */
    const volatile int *stop;
};

/* How many pay: of those as many as GPU and cores have room for; 1 after a stop. */
int film_renderers_count(const struct renderer *renderer, const struct film *film,
                         const volatile int *stop);

/* STATUS_OUT_OF_MEMORY, or why the others cannot be had: then one must do. */
enum status film_renderers_open(struct film_renderers **all, int count,
                                const struct film_renderers_order *order);
void film_renderers_close(struct film_renderers *all); /* waits for all; accepts NULL */

/* The next frames are of another scene; what was begun of the one before is dropped. */
void film_renderers_turn(struct film_renderers *all, const struct film *film);

bool film_renderers_idle(const struct film_renderers *all); /* is one without a frame? */

/* Begins a frame in one that is idle; the look is copied. amplification: as in picture_orbit. */
void film_renderers_begin(struct film_renderers *all, int64_t number, const struct look *look,
                          double amplification);

/* Waits for that frame, which was begun, and frees its renderer; frames before it, which nobody
 * wants any more, are dropped. The frame's light and view are the caller's, and the report too. */
enum status film_renderers_take(struct film_renderers *all, int64_t number,
                                struct film_frame *frame, struct picture_report *report);

#endif
