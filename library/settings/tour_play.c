#include "library/settings/tour_play.h"

#include <math.h>

#define EASE_S 1.5      /* ease at both ends of a flight */
#define TURN_EASE_S 1.0 /* ease between the way out and the way in */
#define ABOVE_LOG2 2.5  /* octaves of zoom above a stop of another formula: start of its flight */
#define IN_SIGHT 1.5    /* heights of the wider picture: nearer centres are flown to straight */
#define BOTH_SEEN 2.0   /* height, over the distance, of a picture that shows two locations */
#define LEG_LEAST 0.2   /* least share of a flight for its way out or in */

static struct film_keyframe keyframe_of(const struct view *view, double time_s)
{
    return (struct film_keyframe){.time_s = time_s,
                                  .re = view->re,
                                  .im = view->im,
                                  .zoom = view->zoom,
                                  .rotation_deg = view->rotation_deg,
                                  .relief = NAN,
                                  .ease_s = EASE_S};
}

/* log2 of the distance between two centres, for a plane whose points are of size 1. */
static enum status distance_log2(const struct view *from, const struct view *to, double *log2_apart)
{
    struct view a = {.re = NULL}, b = {.re = NULL};
    struct placement at;
    enum status status = view_set(&a, from->re, from->im, "1", 0, 4, 4); /* pixels are 1 high */
    if (status == STATUS_OK)
        status = view_set(&b, to->re, to->im, "1", 0, 4, 4);
    if (status == STATUS_OK)
        status = view_placement(&a, &b, &at);
    if (status == STATUS_OK)
        *log2_apart = log2(hypot(at.dx_px, at.dy_px)); /* -INFINITY: the same */
    view_destroy(&a);
    view_destroy(&b);
    return status;
}

/* The middle between two centres, at this zoom. */
static enum status middle_of(const struct film_path *ends, double log2_zoom, struct view *middle)
{
    struct film_path level = {.count = 0};
    enum status status = STATUS_OK;
    struct view high = {.re = NULL}, *view = &high;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        const struct film_keyframe *end = &ends->keyframe[i];
        struct view centre = {.re = (char *)end->re, .im = (char *)end->im}; /* only read */
        status = film_view_zoomed(&centre, log2_zoom, end->rotation_deg, 4, 4, view);
        struct film_keyframe keyframe = keyframe_of(view, i);
        if (status == STATUS_OK)
            status = film_path_add(&level, &keyframe);
    }
    view_destroy(&high);
    if (status == STATUS_OK)
        status = film_path_view(&level, 0.5, 4, 4, middle);
    film_path_destroy(&level);
    return status;
}

/* Out to where both are seen, and in. `ends`: the two places. */
static enum status path_over(struct film_path *path, const struct film_path *ends,
                             double log2_middle, double seconds)
{
    const struct film_keyframe *first = &ends->keyframe[0], *last = &ends->keyframe[1];
    double out = fmax(first->log2_zoom - log2_middle, 0),
           in = fmax(last->log2_zoom - log2_middle, 0);
    double share = out + in > 0 ? out / (out + in) : 0.5;
    share = fmin(fmax(share, LEG_LEAST), 1 - LEG_LEAST);
    struct view middle = {.re = NULL};
    TRY(middle_of(ends, log2_middle, &middle));
    struct film_keyframe turn = keyframe_of(&middle, seconds * share), end = *last;
    turn.rotation_deg = (first->rotation_deg + last->rotation_deg) / 2;
    turn.ease_s = TURN_EASE_S;
    end.time_s = seconds;
    enum status status = film_path_add(path, first);
    if (status == STATUS_OK)
        status = film_path_add(path, &turn);
    if (status == STATUS_OK)
        status = film_path_add(path, &end);
    view_destroy(&middle);
    return status;
}

static enum status path_between(struct film_path *path, const struct view *from,
                                const struct view *to, double seconds)
{
    struct film_path ends = {.count = 0};
    struct film_keyframe first = keyframe_of(from, 0), last = keyframe_of(to, seconds);
    double apart;
    TRY(distance_log2(from, to, &apart));
    enum status status = film_path_add(&ends, &first);
    if (status == STATUS_OK)
        status = film_path_add(&ends, &last);
    if (status != STATUS_OK) {
        film_path_destroy(&ends);
        return status;
    }
    double widest = fmin(ends.keyframe[0].log2_zoom, ends.keyframe[1].log2_zoom);
    if (apart + widest - 2 <= log2(IN_SIGHT)) { /* a picture is 4 / zoom high */
        *path = ends;
        return STATUS_OK;
    }
    double log2_middle = 2 - apart - log2(BOTH_SEEN);
    status = path_over(path, &ends, fmin(log2_middle, widest), seconds);
    film_path_destroy(&ends);
    return status;
}

/* Path from above the stop down to it. */
static enum status path_from_above(struct film_path *path, const struct view *to, double seconds)
{
    struct film_keyframe last = keyframe_of(to, seconds);
    struct film_path alone = {.count = 0};
    struct view above = {.re = NULL};
    last.time_s = 0;
    enum status status = film_path_add(&alone, &last);
    if (status == STATUS_OK)
        status = film_view_zoomed(to, fmax(alone.keyframe[0].log2_zoom - ABOVE_LOG2, 0),
                                  to->rotation_deg, 4, 4, &above);
    struct film_keyframe first = keyframe_of(&above, 0);
    last.time_s = seconds;
    if (status == STATUS_OK)
        status = film_path_add(path, &first);
    if (status == STATUS_OK)
        status = film_path_add(path, &last);
    view_destroy(&above);
    film_path_destroy(&alone);
    return status;
}

/* The flight to play->stop. */
static enum status flight_begin(struct tour_play *play, const struct place *from)
{
    const struct tour_stop *stop = &play->tour->stop[play->stop];
    film_path_destroy(&play->path);
    play->phase = TOUR_FLIES;
    play->phase_s = 0;
    play->is_new = true;
    if (stop->flight_s <= 0)
        return STATUS_OK;
    enum status status =
        formula_same(&from->formula, &stop->place.formula)
            ? path_between(&play->path, &from->view, &stop->place.view, stop->flight_s)
            : path_from_above(&play->path, &stop->place.view, stop->flight_s);
    if (status != STATUS_OK)
        film_path_destroy(&play->path);
    play->path.shape = stop->place.view.shape; /* from the beginning on */
    return status;
}

enum status tour_begin(struct tour_play *play, const struct tour *tour, const struct place *from)
{
    tour_end(play);
    play->tour = tour;
    return flight_begin(play, from);
}

enum status tour_go(struct tour_play *play, int by, const struct place *from)
{
    if (!play->tour)
        return STATUS_OK;
    if (by > 0 && play->stop + 1 >= play->tour->stops) {
        play->phase = TOUR_ENDED;
        return STATUS_OK;
    }
    if (by > 0)
        play->stop++;
    if (by < 0 && play->stop > 0)
        play->stop--;
    play->paused = false;
    return flight_begin(play, from);
}

/* What the stop says; its view only without a flight. */
static enum status place_begin(const struct tour_stop *stop, struct place *place)
{
    struct view view = place->view;
    place->view = (struct view){.re = NULL};
    enum status status = place_copy(place, &stop->place);
    place->limit = 0; /* far out on the way */
    view_destroy(&place->view);
    place->view = view;
    return status;
}

static enum status place_arrive(const struct tour_stop *stop, struct place *place)
{
    const struct view *to = &stop->place.view;
    place->limit = stop->place.limit;
    place->limit_ends = true;
    place->view.shape = to->shape;
    return view_set(&place->view, to->re, to->im, to->zoom, to->rotation_deg, place->view.width,
                    place->view.height);
}

/* Has the flight passed half of the octaves of its end? */
static bool is_near(const struct tour_play *play)
{
    const struct film_path *path = &play->path;
    return path->count &&
           film_path_log2_zoom(path, play->phase_s) > path->keyframe[path->count - 1].log2_zoom / 2;
}

enum status tour_step(struct tour_play *play, double elapsed_s, struct place *place, bool *moved)
{
    *moved = false;
    if (tour_is_at_end(play) || play->paused)
        return STATUS_OK;
    const struct tour_stop *stop = tour_at(play);
    play->phase_s += fmax(elapsed_s, 0);
    if (play->is_new) {
        TRY(place_begin(stop, place));
        play->is_new = false;
    }
    if (play->phase == TOUR_FLIES) {
        *moved = true;
        if (stop->place.limit && is_near(play)) { /* else it may be black */
            place->limit = stop->place.limit;
            place->limit_ends = true;
        }
        if (play->phase_s < stop->flight_s && play->path.count)
            return film_path_view(&play->path, play->phase_s, place->view.width, place->view.height,
                                  &place->view);
        play->phase = TOUR_DWELLS;
        play->phase_s = 0;
        return place_arrive(stop, place);
    }
    return play->phase_s < stop->dwell_s ? STATUS_OK : tour_go(play, 1, place);
}

const struct tour_stop *tour_at(const struct tour_play *play)
{
    return play->tour ? &play->tour->stop[play->stop] : NULL;
}

bool tour_is_at_end(const struct tour_play *play)
{
    return !play->tour || play->phase == TOUR_ENDED;
}

void tour_end(struct tour_play *play)
{
    film_path_destroy(&play->path);
    *play = (struct tour_play){.tour = NULL};
}
