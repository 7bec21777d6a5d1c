/* A film: the frames of a path, from views to a file.
 *
 * Each frame is a picture of one renderer. The reference orbit of the deepest frame serves all, and
 * the curves of colours are measured before, at small pictures along the path, and interpolated.
 *
 * There are two methods. `frames` computes every frame with its samples. `keyframes` computes
 * pictures of the film's centre at every half doubling of the zoom, so fine that their pixels are
 * FILM_COARSEST_PX of a frame's at most, and resamples each frame from the deepest that covers it
 * (film_resample.h). That is less work where many frames are seen between two doublings; the centre
 * must not move. The middle of a frame is taken from the next deeper pictures, where they have it,
 * so that two of three key pictures are computed without their middle, which is the more expensive
 * part. */
#ifndef RENDER_FILM_FILM_H
#define RENDER_FILM_FILM_H

#include <stdbool.h>
#include <stdint.h>

#include "render/film/video/film_encoder.h"
#include "render/motion/film_path.h"
#include "render/film/film_store.h"
#include "render/picture/picture.h"
#include "render/disk/atomic_file.h"

enum film_method { FILM_AUTO, FILM_KEYFRAMES, FILM_FRAMES, FILM_METHODS };

#define FILM_COARSEST_PX 0.7

/* every third key picture is whole; a larger step would need pixels below FILM_FINEST_PX */
enum { FILM_KEYS_WHOLE = 3 };

enum { FILM_CELL_FRAMES = FILM_SEGMENT_MOST };

/* Name of a method: "auto", "keyframes", "frames". */
const char *film_method_name(enum film_method method);

/* A frame: its view, and its colours. */
struct film_frame_view {
    const struct film *film; /* the scene */
    struct view view;
    struct look_options look;
    struct distribution distribution;
};

/* Settings of a film, on rank 0. A film is one scene or several: each has a path, a formula, a
 * limit, colours and a method of its own, and all else is the same in all of them. */
struct film {
    /* Members of a scene: */
    int64_t first;           /* number of its first frame; 0 in the first scene */
    const struct film *next; /* next scene; NULL: none */
    struct film_path path;
    double dwell_s;                   /* seconds of standstill at the end of the path */
    struct picture picture;           /* settings that frames share; its view is not used */
    struct look_options look_options; /* resolved: only density is automatic */
    const struct palette *palette;
    const char *palette_name; /* for view_text; borrowed */
    enum film_method method;  /* resolved: not FILM_AUTO */
    /* Members of the film, the same in all scenes: */
    int32_t width, height;
    struct film_rate rate;
    int64_t frames; /* frames of all scenes */
    struct film_video video;
    int bits;        /* bits of .png: 8 or 16; of .exr: 16 or 32 */
    const char *out; /* borrowed */
    const char *identity;
    const char *command; /* words of the command line, each with a final 0 */
    size_t command_bytes;
    enum overwrite overwrite;
    int part, parts; /* number of this part, 1 ... parts */
    bool limits_flashes;
    /* Makes the ini text of a frame's view, which its file contains where the format can; freed by
     * film_make. NULL: files have none. */
    enum status (*view_text)(const struct film_frame_view *frame, char **text);
};

/* Number of cells, FILM_CELL_FRAMES frames each, the last perhaps shorter: of the film, and of its
 * part. */
int64_t film_cells(const struct film *film);
int64_t film_cells_of_part(const struct film *film);

/* End of the scene: the frame behind its last one. */
int64_t film_scene_end(const struct film *film);

/* Time of frame number `frame` on the path of the scene, and its view. */
double film_time_s(const struct film *film, int64_t frame);
enum status film_view(const struct film *film, int64_t frame, struct view *view);

/* Does the frame repeat the one before; and number of frames of the scene that do not. */
bool film_is_still(const struct film *film, int64_t frame);
int64_t film_frames_moving(const struct film *film);

/* ---- the key pictures of FILM_KEYFRAMES; pure ---- */

struct film_keys {
    double log2_low;       /* log2 of the zoom of the first key picture */
    int count;             /* number of key pictures, each 2^(1/2) deeper than the one before */
    double scale;          /* pixels of a key picture for one of a frame at the same zoom */
    int32_t width, height; /* pixels of each */
    bool turns;            /* frames are rotated; key pictures are not */
};

/* Key pictures for frames of width x height between two zooms. */
struct film_keys film_keys_of(double log2_low, double log2_high, int32_t width, int32_t height,
                              bool turns);

/* Key picture that a frame is resampled from: the deepest that covers it. */
int film_key_at(const struct film_keys *keys, double log2_zoom);

/* Last of the key pictures that the frames of `number` are resampled from: the first from there on
 * that is computed as a whole. */
int film_key_last(const struct film_keys *keys, int number);

/* Rectangle of a key picture that no frame reads; width 0: none. */
struct tile film_key_hole(const struct film_keys *keys, int number);

/* Number of computed pixels of all key pictures. */
double film_keys_pixels(const struct film_keys *keys);

/* Size of a pixel of key picture `number` in pixels of a frame. */
double film_key_scale(const struct film_keys *keys, int number, double log2_zoom);

/* log2 of the zoom of the key picture's view. */
double film_key_log2_zoom(const struct film_keys *keys, int number, int32_t frame_height);

/* Reason why the film cannot use keyframes; NULL: it can. */
const char *film_keyframes_refusal(const struct film *film);

/* Method of `auto`: FILM_FRAMES on GPUs, and where it is less work or the only one. */
enum film_method film_method_choose(const struct film *film, bool gpus);

/* ---- memory ---- */

struct film_memory {    /* bytes on rank 0's machine */
    struct plan plan;   /* plan of a frame or key picture, which takes plan_memory */
    uint64_t keys;      /* key pictures that a frame is resampled from, and colours of one */
    uint64_t under_way; /* frames in flight to the file, and one that is repeated */
};

/* Number of frames in flight to the file, beside the one that is computed. With GPUs the cost of
 * frames varies more than that of writing them: expensive ones give the writer time for cheap
 * ones. */
int film_under_way(const struct film *film, const struct renderer_facts *facts);

enum { FILM_RENDERERS_OF_GPU = 4, FILM_RENDERERS_MOST = 16 };

/* The most renderers of whole frames that can pay (film_renderers.h): 1 beside other ranks, without
 * a GPU, of key pictures, and where numbers are wanted, which the host gets from the frame itself.
 */
int film_renderers_most(const struct renderer_facts *facts, const struct film *film);

/* Sums the memory of the scene that takes the most, without the encoder's process. Fails as
 * picture_plan. */
enum status film_memory_sum(const struct film *film, const struct renderer_facts *facts,
                            const volatile int *stop, struct film_memory *memory);
uint64_t film_memory_all(const struct film_memory *memory);

/* Rejects (STATUS_TOO_LARGE, with sums) a film that does not fit into the available memory. */
enum status film_admit(const struct film_memory *memory);

/* ---- making it ---- */

struct film_progress {
    int64_t done, frames; /* frames done and in all, of this run */
    double seconds;
    struct job_progress job; /* progress of all pictures so far, without a share */
};

struct film_frame_report { /* report of a frame that was computed, not resampled */
    int64_t frame;
    double log10_zoom;
    double prepare_s, compute_s; /* several frames may be computed at once */
    double waited_s;             /* time that the writer waited for its end */
    uint64_t iterations;
};

struct film_hooks {
    void (*progress)(void *context, const struct film_progress *progress); /* may be NULL */
    void (*frame)(void *context, const struct film_frame_report *report);  /* may be NULL */
    void (*prepare)(void *context, const struct reference_progress *progress);
    void (*notice)(void *context, const char *text);
    void (*final)(void *context); /* called before the film gets its name; may be NULL */
    /* Called when the film has its name. Its folder stays until this returns, so that after a kill
     * the next run calls it again; not called for films of frames. May be NULL. */
    enum status (*placed)(void *placed_context);
    void *placed_context;
    void *context;
    const volatile int *stop;
};

struct film_report { /* rank 0 */
    int64_t frames;  /* frames that this run has made */
    int64_t there;   /* frames of the film that are made now */
    int64_t keys;    /* key pictures computed */
    bool joined;     /* the film is complete */
    bool kept;       /* the finished part is kept for another run */
    bool whole;      /* all frames of the film, or of the requested part, are made */
    double reference_s, colours_s, compute_s, resample_s, join_s, total_s;
    double prepare_s, devices_s; /* parts of the computing time of frames: plans and blocks before
                                    the first sample; samples, sum over all devices' threads */
    struct film_writer_figures {
        double busy_s, waited_s;
        int64_t dimmed;
    } writer;
    /* Results of all frames that were measured: */
    int64_t measured;
    double change_median, change_most; /* L* */
    int64_t change_frame;
    double flashes; /* most flashes in a second */
    int64_t flash_frame;
    char lost[STATUS_TEXT_BYTES]; /* sentence about a device that failed meanwhile; "": none */
};

/* Rank 0, before film_make: checks that the disk has space for the file, and that it can be
 * encoded. */
enum status film_check(const struct film *film);

/* Makes the missing frames of the film, or of this part of it. Collective: rank 0 passes `film`,
 * the others NULL; every rank returns the same status. STATUS_STOPPED leaves a folder from which
 * another run continues. */
enum status film_make(struct renderer *renderer, const struct film *film,
                      const struct film_hooks *hooks, struct film_report *report);

/* Rank 0, instead of film_make: tells the other ranks that there is no film because of `status`,
 * which all return. */
enum status film_decline(struct renderer *renderer, enum status status);

#endif
