#include <math.h>

#include "render/film/film.h"
#include "render/film/film_resample.h"

enum { KEYS_A_DOUBLING = 2, KEY_SAMPLES = 4 };

const char *film_method_name(enum film_method method)
{
    static const char *const names[FILM_METHODS] = {"auto", "keyframes", "frames"};
    return names[method];
}

int64_t film_scene_end(const struct film *film)
{
    return film->next ? film->next->first : film->frames;
}

double film_time_s(const struct film *film, int64_t frame)
{
    double seconds = film_path_seconds(&film->path), all = seconds + film->dwell_s;
    int64_t last = film_scene_end(film) - 1 - film->first;
    return last > 0 ? fmin(all * (double)(frame - film->first) / (double)last, seconds) : 0;
}

bool film_is_still(const struct film *film, int64_t frame)
{
    return film->dwell_s > 0 && frame > film->first && frame < film_scene_end(film) &&
           film_time_s(film, frame - 1) >= film_path_seconds(&film->path);
}

int64_t film_frames_moving(const struct film *film)
{
    /* the first repeated frame is computed */
    int64_t low = film->first + 1, high = film_scene_end(film);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (film_is_still(film, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low - film->first;
}

enum status film_view(const struct film *film, int64_t frame, struct view *view)
{
    return film_path_view(&film->path, film_time_s(film, frame), film->width, film->height, view);
}

/* Pixels of a key picture for one of a frame at the same zoom: at the zoom of the next key picture
 * they have the largest allowed size. */
static double finest(void)
{
    return exp2(1.0 / KEYS_A_DOUBLING) / FILM_COARSEST_PX;
}

static int32_t even(double length)
{
    return 2 * (int32_t)fmin(ceil(length / 2), INT32_MAX / 2);
}

struct film_keys film_keys_of(double log2_low, double log2_high, int32_t width, int32_t height,
                              bool turns)
{
    /* margin around the frame for the filter at its edges */
    double margin = 2 * FILM_FILTER_PX + 1;
    struct film_keys keys = {.log2_low = log2_low,
                             .count = 1 + (int)floor((log2_high - log2_low) * KEYS_A_DOUBLING),
                             .scale = finest(),
                             .turns = turns};
    double diagonal = hypot(width, height);
    keys.width = even(((turns ? diagonal : width) + margin) * keys.scale);
    keys.height = even(((turns ? diagonal : height) + margin) * keys.scale);
    return keys;
}

int film_key_at(const struct film_keys *keys, double log2_zoom)
{
    int number = (int)floor((log2_zoom - keys->log2_low) * KEYS_A_DOUBLING);
    number = number < keys->count - 1 ? number : keys->count - 1;
    return number > 0 ? number : 0;
}

static bool is_whole(const struct film_keys *keys, int number)
{
    return number % FILM_KEYS_WHOLE == 0 || number == keys->count - 1;
}

int film_key_last(const struct film_keys *keys, int number)
{
    while (!is_whole(keys, number))
        number++;
    return number;
}

/* Half of the side of the hole. A pixel (x, y) of the frame is taken from the next picture, whose
 * pixels are s' = s 2^(-1/2) of the frame's, where |x| <= (side / 2 - 1/2) s' - (1 + s'), and y
 * alike (film_resample.h). What is taken from this one has its filter, of 1 + s, beyond that. The
 * frames of the first of a group see it with the smallest s. */
static int32_t hole_half(const struct film_keys *keys, int number, int32_t side)
{
    int before = number % FILM_KEYS_WHOLE - 1;
    double ratio = exp2(-1.0 / KEYS_A_DOUBLING);
    double s = pow(ratio, before) / keys->scale;
    double half = (side / 2.0 - 0.5) * ratio - ratio - 1 - 2 / s;
    return half > 2 ? (int32_t)half - 1 : 0; /* less a pixel for roundings */
}

struct tile film_key_hole(const struct film_keys *keys, int number)
{
    if (is_whole(keys, number))
        return (struct tile){.width = 0};
    int32_t x = hole_half(keys, number, keys->width), y = hole_half(keys, number, keys->height);
    if (x == 0 || y == 0)
        return (struct tile){.width = 0};
    return (struct tile){keys->width / 2 - x, keys->height / 2 - y, 2 * x, 2 * y, 0, 0};
}

double film_keys_pixels(const struct film_keys *keys)
{
    double pixels = 0;
    for (int i = 0; i < keys->count; i++) {
        struct tile hole = film_key_hole(keys, i);
        pixels += (double)keys->width * keys->height - (double)hole.width * hole.height;
    }
    return pixels;
}

double film_key_scale(const struct film_keys *keys, int number, double log2_zoom)
{
    double log2_key = keys->log2_low + (double)number / KEYS_A_DOUBLING;
    return exp2(log2_zoom - log2_key) / keys->scale;
}

/* log2 of the zoom of a key picture: its 4 / (zoom H) is that of a frame there over `scale`. */
double film_key_log2_zoom(const struct film_keys *keys, int number, int32_t frame_height)
{
    double log2_key = keys->log2_low + (double)number / KEYS_A_DOUBLING;
    return log2_key + log2((double)frame_height * keys->scale / keys->height);
}

const char *film_keyframes_refusal(const struct film *film)
{
    if (!film_path_is_centred(&film->path))
        return "the centre of the film moves";
    if (film->video.kind->numbers)
        return "its files hold the numbers of each frame";
    return NULL;
}

/* Number of pixels to be computed. */
static double pixels_of_keys(const struct film *film)
{
    struct film_depth depth = film_path_depth(&film->path);
    struct film_keys keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                                         !film_path_is_upright(&film->path));
    return film_keys_pixels(&keys);
}

enum film_method film_method_choose(const struct film *film, bool gpus)
{
    int samples = film->picture.samples; /* more samples are requested than key pictures have */
    double of_frames = (double)film_frames_moving(film) * film->width * film->height * samples;
    if (film_keyframes_refusal(film) || gpus || samples > KEY_SAMPLES || samples < 1)
        return FILM_FRAMES;
    return pixels_of_keys(film) < of_frames ? FILM_KEYFRAMES : FILM_FRAMES;
}
