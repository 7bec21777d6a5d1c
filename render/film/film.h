/* A film: the frames of a path, from views to a file.
 *
 * Each frame is a picture of one renderer. The reference orbit of the deepest frame serves all, and
 * the curves of colours are measured before, at small pictures along the path, and interpolated.
 *
 * There are two methods. `frames` computes every frame with its samples. `keyframes` computes
 * pictures of the film's centre at every half doubling of the zoom, so fine that their pixels are
 * FILM_COARSEST_PX of a frame's at most, and takes each frame from the deepest that has all of it
 * (film_resample.h). That is less work where many frames are seen between two doublings; the centre
 * must not move. The middle of a frame is taken from the next deeper pictures, where they have it,
 * so that two of three key pictures are computed without their middle, which is the dearer part. */
#ifndef RENDER_FILM_FILM_H
#define RENDER_FILM_FILM_H

#include <stdbool.h>
#include <stdint.h>

#include "render/film/video/film_encoder.h"
#include "render/film/film_path.h"
#include "render/film/film_store.h"
#include "render/picture/picture.h"
#include "render/disk/atomic_file.h"

enum film_method { FILM_AUTO, FILM_KEYFRAMES, FILM_FRAMES, FILM_METHODS };

#define FILM_COARSEST_PX 0.7

enum { FILM_KEYS_WHOLE = 3 }; /* each so-many-th; more would need pixels below FILM_FINEST_PX */

enum { FILM_CELL_FRAMES = FILM_STRETCH_MOST };

/* "auto", "keyframes", "frames" */
const char *film_method_name(enum film_method method);

/* What is wanted; rank 0. A film is one scene or several: each has a path, a formula, a limit,
 * colours and a method of its own, and all else is the same in all of them. */
/* Where a frame looks, and its colours. */
struct film_frame_place {
    const struct film *film; /* the scene */
    struct view view;
    struct look_options look;
    struct distribution distribution;
};

struct film {
    /* Of a scene: */
    int64_t first;           /* its first frame, 0 of the first scene */
    const struct film *next; /* the scene behind it; NULL: none */
    struct film_path path;
    double dwell_s;                   /* at the end of the path */
    struct picture picture;           /* what frames have in common; its view is not used */
    struct look_options look_options; /* settled: nothing is automatic but density */
    const struct palette *palette;
    const char *palette_name; /* for view_text; borrowed */
    enum film_method method;  /* settled */
    /* Of all: */
    int32_t width, height;
    struct film_rate rate;
    int64_t frames; /* of all scenes */
    struct film_video video;
    int bits;        /* of .png: 8 or 16; of .exr: 16 or 32 */
    const char *out; /* borrowed */
    const char *identity;
    const char *command; /* words, each with a final 0; ... */
    size_t command_bytes;
    enum overwrite overwrite;
    int part, parts; /* 1 ... parts */
    bool limits_flashes;
    /* The ini text that brings a frame back, which its file has inside, where its format can; freed
     * by film_make. NULL: files have none. */
    enum status (*view_text)(const struct film_frame_place *place, char **text);
};

/* Pieces of FILM_CELL_FRAMES frames, the last perhaps shorter: of the film, and of its part. */
int64_t film_pieces(const struct film *film);
int64_t film_pieces_of_part(const struct film *film);

/* The frame behind the last one of the scene. */
int64_t film_scene_end(const struct film *film);

/* When frame number `frame` of the scene is on its path, and the view of it. */
double film_time_s(const struct film *film, int64_t frame);
enum status film_view(const struct film *film, int64_t frame, struct view *view);

/* Is it the same as the frame before, and how many of the scene are not? */
bool film_is_still(const struct film *film, int64_t frame);
int64_t film_frames_moving(const struct film *film);

/* ---- the key pictures of FILM_KEYFRAMES; pure ---- */

struct film_keys {
    double log2_low;       /* of the zoom of the first, ... */
    int count;             /* ... each 2^(1/2) deeper than the one before */
    double scale;          /* their pixels, for one of a frame at the same zoom */
    int32_t width, height; /* pixels of each */
    bool turns;            /* the frames do, they do not */
};

/* Of frames of width x height between two zooms. */
struct film_keys film_keys_of(double log2_low, double log2_high, int32_t width, int32_t height,
                              bool turns);

/* The one that a frame is taken from: the deepest that has all of it. */
int film_key_at(const struct film_keys *keys, double log2_zoom);

/* The last of the key pictures that the frames of `number` are taken from: the first from there on
 * that is computed as a whole. */
int film_key_last(const struct film_keys *keys, int number);

/* What of a key picture no frame reads; width 0: nothing. */
struct tile film_key_hole(const struct film_keys *keys, int number);

/* Pixels of all key pictures that are computed. */
double film_keys_pixels(const struct film_keys *keys);

/* What a pixel of key picture `number` measures in pixels of a frame. */
double film_key_scale(const struct film_keys *keys, int number, double log2_zoom);

/* The zoom of the view that is the key picture. */
double film_key_log2_zoom(const struct film_keys *keys, int number, int32_t frame_height);

/* Why not keyframes? NULL: they can be had. */
const char *film_keyframes_refusal(const struct film *film);

/* What `auto` takes: FILM_FRAMES on GPUs, and where it is less work or all there is. */
enum film_method film_method_choose(const struct film *film, bool gpus);

/* ---- memory ---- */

struct film_memory {    /* bytes on rank 0's machine */
    struct plan plan;   /* of a frame or key picture, which takes plan_memory */
    uint64_t keys;      /* key pictures that a frame is taken from, and colours of one */
    uint64_t under_way; /* frames on their way to the file, and one that is repeated */
};

/* Frames on their way to the file, beside the one that is made. With GPUs the cost of frames
 * changes more than that of writing them: those that are dear give the writer time for cheap ones.
 */
int film_under_way(const struct film *film, const struct renderer_facts *facts);

enum { FILM_RENDERERS_MOST = 4 };

/* The most renderers of whole frames that can pay (film_renderers.h): 1 beside other ranks, without
 * a GPU, of key pictures, and where numbers are wanted, which the host gets from the frame itself.
 */
int film_renderers_most(const struct renderer_facts *facts, const struct film *film);

/* Of the scene that takes the most. The encoder's process is not in it. Fails as picture_plan. */
enum status film_memory_sum(const struct film *film, const struct renderer_facts *facts,
                            const volatile int *stop, struct film_memory *memory);
uint64_t film_memory_all(const struct film_memory *memory);

/* Refuses (STATUS_TOO_LARGE, sums shown) what does not fit into the memory that there is. */
enum status film_admit(const struct film_memory *memory);

/* ---- making it ---- */

struct film_progress {
    int64_t done, frames; /* of this run */
    double seconds;
    struct job_progress job; /* all pictures so far; its share is not known */
};

struct film_frame_report { /* of a frame that was computed itself */
    int64_t frame;
    double log10_zoom;
    double prepare_s, compute_s; /* several may be under way at once */
    double waited_s;             /* for its end, when it was the next one to be written */
    uint64_t iterations;
};

struct film_hooks {
    void (*progress)(void *context, const struct film_progress *progress); /* may be NULL */
    void (*frame)(void *context, const struct film_frame_report *report);  /* may be NULL */
    void (*prepare)(void *context, const struct reference_progress *progress);
    void (*notice)(void *context, const char *text);
    void (*final)(void *context); /* the film gets its name now; may be NULL */
    /* The film has its name. Its folder stays until this has returned, so that a run that is killed
     * meanwhile is followed by one that does it again; of frames never. May be NULL. */
    enum status (*placed)(void *placed_context);
    void *placed_context;
    void *context;
    const volatile int *stop;
};

struct film_report { /* rank 0 */
    int64_t frames;  /* that this run has made */
    int64_t there;   /* of those of the film, now */
    int64_t keys;    /* key pictures computed */
    bool joined;     /* the film is complete */
    bool kept;       /* another run goes on from what is done */
    bool whole;      /* or what was asked for of it */
    double reference_s, colours_s, compute_s, resample_s, join_s, total_s;
    double prepare_s, devices_s; /* of compute, in frames: plans and blocks before the first
                                    sample; all devices' threads in samples, together */
    struct film_writer_figures {
        double busy_s, waited_s;
        int64_t dimmed;
    } writer;
    /* Of all frames that were measured: */
    int64_t measured;
    double change_median, change_most; /* L* */
    int64_t change_frame;
    double flashes; /* the most in a second */
    int64_t flash_frame;
    char lost[STATUS_TEXT_BYTES]; /* a device that failed on the way, as a sentence; "": none */
};

/* Rank 0, before: is there room for the file, and can it be encoded? */
enum status film_check(const struct film *film);

/* Makes what is missing of the film, or of this part of it. Collective: rank 0 passes `film`, the
 * others NULL; every rank returns the same status. STATUS_STOPPED leaves what another run goes on
 * from. */
enum status film_make(struct renderer *renderer, const struct film *film,
                      const struct film_hooks *hooks, struct film_report *report);

/* Rank 0, instead: there is no film, because of `status`, which all return. */
enum status film_decline(struct renderer *renderer, enum status status);

#endif
