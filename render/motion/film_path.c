#include "render/motion/film_path.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

#include "render/view/view_map.h"

/* ---- keyframes ------------------------------------------------------------------------------- */

static double log2_of(const char *zoom)
{
    mpfr_t number;
    mpfr_init2(number, LENS_BITS);
    mpfr_set_str(number, zoom, 10, MPFR_RNDN);
    mpfr_log2(number, number, MPFR_RNDN);
    double log2_zoom = mpfr_get_d(number, MPFR_RNDN);
    mpfr_clear(number);
    return log2_zoom;
}

static void keyframe_close(struct film_keyframe *keyframe)
{
    free((char *)keyframe->re);
    free((char *)keyframe->im);
    free((char *)keyframe->zoom);
}

static enum status keyframe_copy(struct film_keyframe *to, const struct film_keyframe *from)
{
    *to = *from;
    to->re = strdup(from->re);
    to->im = strdup(from->im);
    to->zoom = strdup(from->zoom);
    if (to->re && to->im && to->zoom) {
        to->log2_zoom = log2_of(from->zoom);
        return STATUS_OK;
    }
    keyframe_close(to);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a keyframe");
}

static enum status keyframe_check(const struct film_path *path,
                                  const struct film_keyframe *keyframe)
{
    TRY(view_centre_check(keyframe->re, "re"));
    TRY(view_centre_check(keyframe->im, "im"));
    TRY(view_zoom_check(keyframe->zoom, "zoom"));
    if (path->count == FILM_KEYFRAMES_MOST)
        return status_fail(STATUS_BAD_DATA, "more than %d keyframes", FILM_KEYFRAMES_MOST);
    if (!path->count && keyframe->time_s != 0)
        return status_fail(STATUS_BAD_DATA, "time %g of the first keyframe must be 0",
                           keyframe->time_s);
    if (path->count && !(keyframe->time_s > film_path_seconds(path)))
        return status_fail(STATUS_BAD_DATA, "time %g is not after that of the keyframe before, %g",
                           keyframe->time_s, film_path_seconds(path));
    return STATUS_OK;
}

enum status film_path_add(struct film_path *path, const struct film_keyframe *keyframe)
{
    TRY(keyframe_check(path, keyframe));
    struct film_keyframe *grown =
        realloc(path->keyframe, (path->count + 1) * sizeof *path->keyframe);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a keyframe");
    path->keyframe = grown;
    TRY(keyframe_copy(&grown[path->count], keyframe));
    path->count++;
    return STATUS_OK;
}

void film_path_destroy(struct film_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        keyframe_close(&path->keyframe[i]);
    free(path->keyframe);
    *path = (struct film_path){0};
}

double film_path_seconds(const struct film_path *path)
{
    return path->count ? path->keyframe[path->count - 1].time_s : 0;
}

struct film_depth film_path_depth(const struct film_path *path)
{
    struct film_depth depth = {INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < path->count; i++) {
        depth.low = fmin(depth.low, path->keyframe[i].log2_zoom);
        if (path->keyframe[i].log2_zoom > depth.high) {
            depth.high = path->keyframe[i].log2_zoom;
            depth.deepest = i;
        }
    }
    return depth;
}

static bool centre_same(const struct film_keyframe *a, const struct film_keyframe *b)
{
    return !strcmp(a->re, b->re) && !strcmp(a->im, b->im);
}

static struct view_shape shape_at(const struct film_path *path,
                                  const struct film_keyframe *keyframe)
{
    struct view_shape shape = keyframe->stretch.stretch == 0 ? path->shape : keyframe->stretch;
    shape.mirrored = path->shape.mirrored;
    return shape;
}

bool film_path_is_centred(const struct film_path *path)
{
    for (size_t i = 1; i < path->count; i++) {
        struct view_shape shape = shape_at(path, &path->keyframe[i]),
                          first = shape_at(path, &path->keyframe[0]);
        if (!centre_same(&path->keyframe[i], &path->keyframe[0]) ||
            !view_shape_same(&shape, &first))
            return false;
    }
    return true;
}

bool film_path_is_upright(const struct film_path *path)
{
    for (size_t i = 1; i < path->count; i++)
        if (path->keyframe[i].rotation_deg != path->keyframe[0].rotation_deg)
            return false;
    return true;
}

/* ---- between keyframes ----------------------------------------------------------------------- */

/* The integral of 3 x^2 - 2 x^3 from 0 to x in 0 ... 1. */
static double ramp(double x)
{
    return x * x * x - x * x * x * x / 2;
}

double film_eased(double time_s, double seconds, double ease_in_s, double ease_out_s)
{
    double time = fmin(fmax(time_s, 0), seconds);
    double in = fmin(fmax(ease_in_s, 0), seconds / 2);
    double out = fmin(fmax(ease_out_s, 0), seconds / 2);
    double whole = seconds - in / 2 - out / 2; /* seconds at full speed */
    double way = time - in / 2;
    if (time < in)
        way = in * ramp(time / in);
    if (time > seconds - out)
        way = whole - out * ramp((seconds - time) / out);
    return time < seconds ? way / whole : 1;
}

/* Instant between two keyframes. */
struct instant {
    const struct film_keyframe *from, *to;
    double part; /* part of the way, 0 ... 1 */
};

static struct instant instant_of(const struct film_path *path, double time_s)
{
    size_t next = 1;
    while (next + 1 < path->count && path->keyframe[next].time_s <= time_s)
        next++;
    const struct film_keyframe *from = &path->keyframe[next - 1];
    const struct film_keyframe *to = &path->keyframe[next < path->count ? next : next - 1];
    double seconds = to->time_s - from->time_s;
    double part =
        seconds > 0 ? film_eased(time_s - from->time_s, seconds, from->ease_s, to->ease_s) : 1;
    return (struct instant){from, to, part};
}

static double between(double from, double to, double part)
{
    return part < 1 ? from + (to - from) * part : to;
}

double film_path_log2_zoom(const struct film_path *path, double time_s)
{
    struct instant at = instant_of(path, time_s);
    return between(at.from->log2_zoom, at.to->log2_zoom, at.part);
}

double film_path_rotation_deg(const struct film_path *path, double time_s)
{
    struct instant at = instant_of(path, time_s);
    return between(at.from->rotation_deg, at.to->rotation_deg, at.part);
}

struct film_shade film_path_shade(const struct film_path *path, double time_s)
{
    struct instant at = instant_of(path, time_s);
    return (struct film_shade){.offset = between(at.from->offset, at.to->offset, at.part),
                               .relief = between(at.from->relief, at.to->relief, at.part)};
}

/* (s - s_1) / (s_0 - s_1) for zooms of 2^from, 2^to and, in between, 2^now. */
static void weight_set(mpfr_ptr weight, double from, double to, double now, double part)
{
    if (from == to) {
        mpfr_set_d(weight, 1 - part, MPFR_RNDN);
        return;
    }
    mpfr_t whole; /* 2^(to - now) - 1 over 2^(to - from) - 1 */
    mpfr_init2(whole, LENS_BITS);
    mpfr_set_d(whole, to, MPFR_RNDN);
    mpfr_sub_d(weight, whole, now, MPFR_RNDN);
    mpfr_sub_d(whole, whole, from, MPFR_RNDN);
    mpfr_exp2(weight, weight, MPFR_RNDN);
    mpfr_exp2(whole, whole, MPFR_RNDN);
    mpfr_sub_ui(weight, weight, 1, MPFR_RNDN);
    mpfr_sub_ui(whole, whole, 1, MPFR_RNDN);
    mpfr_div(weight, weight, whole, MPFR_RNDN);
    mpfr_clear(whole);
}

/* `to` += weight (from - to), to as many places as both have been opened with. */
static void coordinate_move(struct decimal *to, struct decimal *from, mpfr_srcptr weight)
{
    mpfr_t way;
    mpfr_init2(way, LENS_BITS);
    decimal_subtract(from, to);
    decimal_get(way, from);
    mpfr_mul(way, way, weight, MPFR_RNDN);
    decimal_add(to, way);
    mpfr_clear(way);
}

/* Centre on the way, computed from that of the deeper keyframe, which it approaches as 1 / zoom
 * approaches 0; to be freed, also after a failure. */
static enum status centre_between(const struct instant *at, double log2_zoom, char *centre[2])
{
    bool out = at->from->log2_zoom > at->to->log2_zoom;
    const struct film_keyframe *first = out ? at->to : at->from, *last = out ? at->from : at->to;
    const char *from[2] = {first->re, first->im}, *to[2] = {last->re, last->im};
    long places = centre_places(-last->log2_zoom - 32); /* places for pictures of any height */
    enum status status = STATUS_OK;
    mpfr_t weight;
    mpfr_init2(weight, LENS_BITS);
    weight_set(weight, first->log2_zoom, last->log2_zoom, log2_zoom, at->part);
    for (int i = 0; i < 2; i++) {
        struct decimal begin, end;
        bool opened = decimal_open(&begin, from[i], places);
        opened = decimal_open(&end, to[i], places) && opened;
        if (opened) {
            coordinate_move(&end, &begin, weight);
            centre[i] = decimal_text(&end);
        }
        decimal_close(&begin);
        decimal_close(&end);
        if (!centre[i])
            status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the digits of a view");
    }
    mpfr_clear(weight);
    return status;
}

static char *zoom_of(double log2_zoom)
{
    mpfr_t zoom;
    mpfr_init2(zoom, LENS_BITS);
    mpfr_set_d(zoom, log2_zoom, MPFR_RNDN);
    mpfr_exp2(zoom, zoom, MPFR_RNDN);
    char *text = zoom_text(zoom);
    mpfr_clear(zoom);
    return text;
}

static enum status view_zoomed(const char *re, const char *im, double log2_zoom,
                               double rotation_deg, int32_t width, int32_t height,
                               struct view *view)
{
    char *zoom = zoom_of(log2_zoom);
    if (!zoom)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a zoom");
    enum status status =
        view_set(view, re, im, zoom, fmod(rotation_deg, VIEW_ROTATION_MAX_DEG), width, height);
    free(zoom);
    return status;
}

enum status film_view_zoomed(const struct view *centre, double log2_zoom, double rotation_deg,
                             int32_t width, int32_t height, struct view *view)
{
    view->shape = centre->shape;
    return view_zoomed(centre->re, centre->im, log2_zoom, rotation_deg, width, height, view);
}

enum status film_path_view(const struct film_path *path, double time_s, int32_t width,
                           int32_t height, struct view *view)
{
    struct instant at = instant_of(path, time_s);
    double log2_zoom = between(at.from->log2_zoom, at.to->log2_zoom, at.part);
    double rotation = between(at.from->rotation_deg, at.to->rotation_deg, at.part);
    bool stays = centre_same(at.from, at.to);
    const struct film_keyframe *end = at.part < 0.5 ? at.from : at.to;
    struct view_shape from = shape_at(path, at.from), to = shape_at(path, at.to);
    view->shape = view_shape_between(&from, &to, at.part);
    if (stays || at.part <= 0 || at.part >= 1)
        return view_zoomed(end->re, end->im, log2_zoom, rotation, width, height, view);
    char *centre[2] = {NULL, NULL};
    enum status status = centre_between(&at, log2_zoom, centre);
    if (status == STATUS_OK)
        status = view_zoomed(centre[0], centre[1], log2_zoom, rotation, width, height, view);
    free(centre[0]);
    free(centre[1]);
    return status;
}
