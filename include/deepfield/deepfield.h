/* deepfield: fields of the Mandelbrot set and its relatives, exact at any depth.
 *
 *     deepfield_world *world;          this process, or the ranks of a communicator
 *     deepfield_renderer *renderer;    devices, memory and threads, kept from picture to picture
 *     deepfield_picture *picture;      what is computed, and its colours: keys and values
 *     deepfield_field *field;          numbers of its pixels: planes in memory
 *
 * Calls return a status; the sentence of the last failure of this thread is deepfield_error(). No
 * call ends the process, prints, reads or changes the environment, or changes signals; none starts
 * or ends MPI. There is no state outside of the objects, but for that sentence.
 *
 * Threads: a world, and all that is made from it, is used by one thread at a time, with the few
 * exceptions that say so. Different threads use different worlds, at the same time if they like.
 * A world of ranks calls MPI on the thread that calls its functions: MPI must have been initialised
 * for MPI_THREAD_FUNNELED at least, for MPI_THREAD_SERIALIZED where that is not MPI's main thread,
 * and for MPI_THREAD_MULTIPLE where several worlds are used at the same time, or a live picture.
 *
 * Callbacks may read objects, set values and cancel. Calls that need the devices or the field that
 * is being rendered are refused in them with DEEPFIELD_USAGE; objects in use may not be destroyed.
 *
 * Ownership: an object is destroyed by its destroyer, before the objects that it was made from.
 * Destroyers accept NULL. Texts that leave by `char **` are the caller's and are freed by
 * deepfield_free. Texts and memory that go in are borrowed during the call, where nothing else is
 * said. Texts are UTF-8; those that are called JSON are one object or one array.
 *
 * Compatibility: structures grow at their end only, and begin with their size; a function is not
 * removed and keeps its meaning while DEEPFIELD_VERSION_MAJOR is the same. */
#ifndef DEEPFIELD_DEEPFIELD_H
#define DEEPFIELD_DEEPFIELD_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define DEEPFIELD_API __attribute__((visibility("default")))
#else
#define DEEPFIELD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define DEEPFIELD_VERSION_MAJOR 1
#define DEEPFIELD_VERSION_MINOR 0
#define DEEPFIELD_VERSION_PATCH 0

/* ---- failures ---- */

typedef enum deepfield_status {
    DEEPFIELD_OK,
    DEEPFIELD_USAGE,         /* a call or a word that makes no sense by itself */
    DEEPFIELD_BAD_DATA,      /* a place, a file or a text that says something impossible */
    DEEPFIELD_NO_INPUT,      /* a file or a name that is not there */
    DEEPFIELD_NO_DEVICE,     /* no device as was asked for */
    DEEPFIELD_INTERNAL,      /* a fault of this library */
    DEEPFIELD_SYSTEM,        /* the operating system or MPI failed, or a rank is lost */
    DEEPFIELD_OUT_OF_MEMORY, /* memory that was asked for was refused */
    DEEPFIELD_CANNOT_CREATE, /* a file that cannot be created, or is there already */
    DEEPFIELD_IO,            /* reading or writing failed, or the disk is full */
    DEEPFIELD_STOPPED,       /* cancelled */
    DEEPFIELD_UNREACHABLE,   /* the view is beyond what the method can compute */
    DEEPFIELD_DEVICE_LOST,   /* a device failed while it computed */
    DEEPFIELD_TOO_LARGE,     /* more memory or disk than there is: the sentence has the sums */
    DEEPFIELD_CONFIG         /* values that are right by themselves and do not go together */
} deepfield_status;

/* One sentence without a final newline, which says what failed, with the values, and the remedy:
 * that of the last call of this thread that failed. "" if none has. Borrowed until the next call.
 */
DEEPFIELD_API const char *deepfield_error(void);

/* Version of the library that runs, as "1.0.0"; static. */
DEEPFIELD_API const char *deepfield_version(void);

/* Frees a text that a function gave. Accepts NULL. Any thread. */
DEEPFIELD_API void deepfield_free(char *text);

/* ---- worlds ---- */

typedef struct deepfield_world deepfield_world;

/* Sentences about what goes on, without a newline: a rank that does not answer, a transport that is
 * not used. On the thread of the call that it is about. */
typedef void deepfield_log(void *user, const char *sentence);

typedef struct deepfield_world_options {
    size_t size;              /* sizeof(deepfield_world_options) */
    const void *communicator; /* address of an MPI_Comm; NULL: this process alone, without MPI */
    const char *data;         /* folder of views and palettes (share/deepfield); NULL: the installed
                                 one */
    deepfield_log *log;       /* NULL: sentences are dropped */
    void *user;
} deepfield_world_options;

/* Opens a world. options NULL: this process alone. With a communicator: collective over it. It is
 * duplicated, and stays the caller's; MPI must have been initialised. Its rank 0 makes all other
 * calls, while the other ranks are in deepfield_serve. */
DEEPFIELD_API deepfield_status deepfield_world_open(deepfield_world **world,
                                                    const deepfield_world_options *options);

/* Ends a world. On rank 0 of several it first ends deepfield_serve of the others, which then close
 * theirs: collective. */
DEEPFIELD_API void deepfield_world_close(deepfield_world *world);

/* Rank of this process in the world, and the number of ranks (may be NULL). */
DEEPFIELD_API int deepfield_world_rank(const deepfield_world *world, int *size);

/* Ranks other than 0: takes part in all that rank 0 does, until that closes its world. Returns the
 * failure that ended it early, or DEEPFIELD_OK. */
DEEPFIELD_API deepfield_status deepfield_serve(deepfield_world *world);

/* What there is, as a JSON array of objects with at least a name and a summary. kind: "views",
 * "palettes", "palettes:NAME" (the gradients of a file, or one palette), "formulas", "planes",
 * "keys", "files" (kinds of picture files), "films" (of videos and frames), "places" (formats of
 * places), "backends" (with `missing`: why this process has none), "machine" (one: the processor,
 * its cores and vectors, the MPI), "transports", "schedules". DEEPFIELD_USAGE for another. Where a
 * view or a palette cannot be read the call fails, and *json has the others. */
DEEPFIELD_API deepfield_status deepfield_list(deepfield_world *world, const char *kind,
                                              char **json);

/* ---- renderers ---- */

typedef struct deepfield_renderer deepfield_renderer;

/* A renderer of all devices of a world, or of those that its keys choose. Devices are opened when
 * they are needed first, which takes up to half a second for a GPU. A world of several ranks has
 * one renderer at a time. */
DEEPFIELD_API deepfield_status deepfield_renderer_create(deepfield_renderer **renderer,
                                                         deepfield_world *world);
DEEPFIELD_API void deepfield_renderer_destroy(deepfield_renderer *renderer);

/* Sets a key of [compute], such as compute.backend, .devices, .threads or .memory, until the
 * devices are open. The error of a wrong name has the nearest one. */
DEEPFIELD_API deepfield_status deepfield_renderer_set(deepfield_renderer *renderer, const char *key,
                                                      const char *value);

/* Devices of all ranks as JSON, in the order of ranks: rank and host, backend, `device`, the number
 * by which that rank's process knows it (of CUDA: cudaSetDevice), name, bus, uuid, memory_bytes,
 * units (multiprocessors or cores), limits in iterations a second, and the devices beside it that
 * it reaches (`peers`). The first of rank 0 is that of DEEPFIELD_CUDA; where rank 0 computes
 * nothing, the first that it may take. Opens them. */
DEEPFIELD_API deepfield_status deepfield_renderer_describe(deepfield_renderer *renderer,
                                                           char **json);

/* Ranks as JSON, in their order: whether each computes, the transport by which its pixels come
 * under a dynamic schedule, the reason, and why no better one (`why_no_better`). Opens the devices
 * and memory for a small picture, and computes nothing. */
DEEPFIELD_API deepfield_status deepfield_renderer_ranks(deepfield_renderer *renderer, char **json);

/* What a rank has done in a call so far. */
typedef struct deepfield_rank_work {
    const char *host;
    int computes; /* 0: it coordinates */
    uint64_t tiles, iterations;
    double busy_s;    /* time of its devices, sum over their threads */
    double unheard_s; /* time that rank 0 has waited for it in vain */
} deepfield_rank_work;

/* What a frame of a film took that was computed, not resampled from key pictures. */
typedef struct deepfield_frame_work {
    int64_t frame;
    double log10_zoom;
    double prepare_s, compute_s; /* several frames may be computed at once */
    double waited_s;             /* time that the file waited for it */
    uint64_t iterations;
} deepfield_frame_work;

typedef struct deepfield_progress {
    size_t size;          /* sizeof(deepfield_progress) of the library */
    double done;          /* part that is done, 0 ... 1 */
    double seconds;       /* seconds since the call began */
    uint64_t iterations;  /* iterations of all devices so far */
    const char *stage;    /* "orbit", "blocks", "pixels", "frames", "proof", "search", "newton";
                             static */
    uint64_t count, of;   /* what of the stage is done, and all: steps of the orbit (which may end
                             sooner), blocks, pixels, frames, proven pixels; of 0: not known */
    double stage_seconds; /* seconds since the stage began */
    int samples;          /* of "pixels": samples of a pixel, -N: up to N; 0: not known */
    int ranks;            /* number of rows of `rank` */
    /* of "pixels" and "frames", the ranks and then jobs that have joined; NULL: not known */
    const deepfield_rank_work *rank;
    const deepfield_frame_work *frame; /* of "frames": one that was computed now; else NULL */
} deepfield_progress;

/* Sets the function that is called about ten times a second while a call of this renderer computes,
 * and for each frame of a film, on the thread of that call. One that returns other than 0 cancels
 * the call. NULL: none. */
typedef int deepfield_progress_call(void *user, const deepfield_progress *progress);
DEEPFIELD_API void deepfield_renderer_progress(deepfield_renderer *renderer,
                                               deepfield_progress_call *call, void *user);

/* Makes the call that computes in this renderer return DEEPFIELD_STOPPED soon, or, where none does,
 * the next one. Any thread, and signal handlers. */
DEEPFIELD_API void deepfield_renderer_cancel(deepfield_renderer *renderer);

/* ---- pictures ---- */

typedef struct deepfield_picture deepfield_picture;

/* A picture of a place: the name of a view ("seahorse", "formulas:burning-ship-deep"), the path of
 * a file of any format that `deepfield help formats` lists, pictures with their view inside as
 * well, or the text of one, told by a newline in it. NULL: the whole set. DEEPFIELD_NO_INPUT,
 * _BAD_DATA.
 */
DEEPFIELD_API deepfield_status deepfield_picture_open(deepfield_picture **picture,
                                                      deepfield_world *world, const char *place);
DEEPFIELD_API void deepfield_picture_destroy(deepfield_picture *picture);

/* Sets one value, by a key of ini files (configs/KEYS.md): view.re, view.im and view.zoom are
 * decimal texts of any length; view.size, view.limit, view.formula, look.palette, output.planes,
 * compute.accuracy and all others. A view without a formula is of z^2 + c. Every value is checked
 * now; those that do not go together fail when they are used. */
DEEPFIELD_API deepfield_status deepfield_picture_set(deepfield_picture *picture, const char *key,
                                                     const char *value);

/* The value of a key as a text; *value NULL: it has none. Borrowed until the picture changes. */
DEEPFIELD_API deepfield_status deepfield_picture_get(const deepfield_picture *picture,
                                                     const char *key, const char **value);

/* The place as a text that deepfield_picture_open takes. format: a suffix of a format of places
 * that is written, ".ini", ".kfr" or ".toml". DEEPFIELD_CONFIG: the format cannot say it. */
DEEPFIELD_API deepfield_status deepfield_picture_text(const deepfield_picture *picture,
                                                      const char *format, char **text);

/* The point under a position of the image, in pixels from its upper left corner (the centre of the
 * first pixel is 0.5, 0.5), as decimal texts that tell neighbours apart by a thousandth of a pixel.
 */
DEEPFIELD_API deepfield_status deepfield_picture_point(const deepfield_picture *picture, double x,
                                                       double y, char **re, char **im);

/* The other way round: the position of a point. Infinite where it is too far away for a double. */
DEEPFIELD_API deepfield_status deepfield_picture_pixel(const deepfield_picture *picture,
                                                       const char *re, const char *im, double *x,
                                                       double *y);

/* The plan as JSON: method, number type, predicted error in pixels, tiles, schedule, transport,
 * memory in bytes, samples. Computes nothing, but opens the devices. */
DEEPFIELD_API deepfield_status deepfield_picture_plan(deepfield_picture *picture,
                                                      deepfield_renderer *renderer, char **json);

/* What is known of a picture without computing it, as JSON: what `deepfield info --json` prints
 * (title, place, formula, look, log10_zoom, digits that are given and needed, cost of a reference
 * orbit, predicted errors, plan of this process alone, or why it is `refused`). Opens no devices.
 */
DEEPFIELD_API deepfield_status deepfield_picture_info(deepfield_picture *picture, char **json);

/* ---- fields ---- */

typedef struct deepfield_field deepfield_field;

typedef enum deepfield_type {
    DEEPFIELD_U8,
    DEEPFIELD_U16,
    DEEPFIELD_U32,
    DEEPFIELD_U64,
    DEEPFIELD_F32
} deepfield_type;

typedef enum deepfield_space {
    DEEPFIELD_HOST,
    DEEPFIELD_CUDA /* memory of the CUDA device that the renderer's first device is, on rank 0 */
} deepfield_space;

/* An array of pixels: [height][width][channels], the row at the top first. */
typedef struct deepfield_array {
    size_t size; /* sizeof(deepfield_array) */
    void *data;
    deepfield_type type;
    deepfield_space space;
    int32_t width, height, channels;
    int32_t device;    /* number of the CUDA device; 0 on the host. Of memory that goes in it is
                          asked of CUDA */
    int64_t row_bytes; /* bytes from a row to the next; pixels and channels have no gaps */
} deepfield_array;

/* An empty field, which deepfield_render fills. */
DEEPFIELD_API deepfield_status deepfield_field_create(deepfield_field **field);
DEEPFIELD_API void deepfield_field_destroy(deepfield_field *field);

/* Gives the memory that a plane is to be written to, which the caller keeps alive while the field
 * has it. Its type and size must be those of the plane of the picture that is rendered, and no two
 * planes may overlap. Planes that are given no memory lie in memory of the field. array NULL: takes
 * it back.
 *
 * On the host or on a device (DEEPFIELD_CUDA); data NULL, on a device: memory of the field there,
 * of number `device` (-1: the renderer's first), whatever type and size. plane NULL: likewise for
 * all planes that are given none.
 *
 * On a device: DEEPFIELD_NO_DEVICE, with the reason, where there is no CUDA; memory of another
 * device than the renderer's first, and several samples, are refused by deepfield_render. Planes
 * that lie there do not pass through the host. What the caller has begun on the memory, in streams,
 * must have ended before deepfield_render; when it returns all pixels are there, for every stream.
 * The calling thread's current device may be another one afterwards. */
DEEPFIELD_API deepfield_status deepfield_field_place(deepfield_field *field, const char *plane,
                                                     const deepfield_array *array);

/* Pixels as they are ready, on rank 0, on the thread of deepfield_render: rows y ... y + height - 1
 * from column x on, with as many arrays as names, borrowed during the call. Other than 0 cancels.
 */
typedef int deepfield_receive_call(void *user, int32_t x, int32_t y, int32_t width, int32_t height,
                                   const deepfield_array *planes, const char *const *names,
                                   int count);

/* What a receiver gets. */
typedef enum deepfield_pieces {
    DEEPFIELD_ROWS, /* blocks of whole rows from the top, each once, with "light" where the picture
                       has samples; the field keeps nothing, so a picture may be larger than memory
                     */
    DEEPFIELD_TILES /* tiles of the pixels' centres as they return from the devices, in any order,
                       each once; the field keeps the whole picture */
} deepfield_pieces;

/* Sets the receiver of pixels, until it is set to NULL. */
DEEPFIELD_API void deepfield_field_receive(deepfield_field *field, deepfield_pieces pieces,
                                           deepfield_receive_call *call, void *user);

/* What deepfield_render makes. */
typedef enum deepfield_wish {
    DEEPFIELD_NUMBERS, /* the planes of output.planes, at the pixels' centres */
    DEEPFIELD_COLOURS /* also those that the look needs, and "light": the mean of the colours of all
                         samples of a pixel, as many as look.samples or the plan says */
} deepfield_wish;

/* Computes a picture into a field. Blocks, without limit of time; see deepfield_renderer_cancel and
 * _progress. The renderer keeps the reference orbit of a deep picture, up to 256 MiB, for the next
 * one of its place, size, limit and planes. A failure leaves the field empty. */
DEEPFIELD_API deepfield_status deepfield_render(deepfield_renderer *renderer,
                                                deepfield_picture *picture, deepfield_wish wish,
                                                deepfield_field *field);

/* A plane of a field that was rendered or loaded, or "light": linear RGB, F32, three channels:
 * where it lies, on the host or on a device. array->size is set by the caller. Borrowed until the
 * field is rendered into or destroyed. DEEPFIELD_USAGE: there is no such plane. */
DEEPFIELD_API deepfield_status deepfield_field_get(const deepfield_field *field, const char *plane,
                                                   deepfield_array *array);

/* Copies a plane into an array of its type and size, each on the host or on a CUDA device. */
DEEPFIELD_API deepfield_status deepfield_field_copy(const deepfield_field *field, const char *plane,
                                                    const deepfield_array *into);

/* What the field says of itself as JSON: size, planes with units, place, formula, limit, accuracy,
 * plan, seconds, iterations, version. */
DEEPFIELD_API deepfield_status deepfield_field_facts(const deepfield_field *field, char **json);

/* Colours of a field by the look of a picture, which may be another than it was rendered from, into
 * an array of the caller: sRGB as U8 or U16, linear light as F32; 3 channels, or 4 with an opaque
 * last one. The mean of samples serves while the look is the one that it was rendered with; else
 * the centres are coloured. Planes on a device are copied to the host for the call. */
DEEPFIELD_API deepfield_status deepfield_field_colour(const deepfield_field *field,
                                                      deepfield_picture *picture,
                                                      const deepfield_array *into);

/* Writes a file of the kind that its suffix names (deepfield_list "files"), with the place of the
 * field inside where the kind can. The picture gives look, [output] and title. It appears whole or
 * not at all. Planes on a device are copied for the call. replace 0: DEEPFIELD_CANNOT_CREATE where
 * there is one. */
DEEPFIELD_API deepfield_status deepfield_field_save(const deepfield_field *field,
                                                    deepfield_picture *picture, const char *path,
                                                    int replace);

/* Reads a field that was saved with its numbers (.npy with its .planes.json, .exr), and its picture
 * (NULL: not wanted). */
DEEPFIELD_API deepfield_status deepfield_field_load(deepfield_field **field,
                                                    deepfield_picture **picture,
                                                    deepfield_world *world, const char *path);

/* ---- files of pictures ---- */

/* A picture that goes into files row by row as it is computed, so it may be larger than memory
 * (compute.memory), by as many ranks as output.writers says. Of one that takes longer than
 * output.journal seconds finished work is in FILE.deepfield beside the first file: after a kill the
 * same calls go on from there, as does `deepfield resume FILE`. With output.part = K/N only the
 * rows of part K are computed, into FILE.part-K-of-N.rows, of which the same calls without
 * output.part make the files when all are there. */
typedef struct deepfield_output deepfield_output;

typedef struct deepfield_output_options {
    size_t size; /* sizeof(deepfield_output_options) */
    int replace; /* files that are there are replaced; 0: those of the same picture are complete and
                    stay, others are DEEPFIELD_CANNOT_CREATE */
    int dry_run; /* nothing is computed but an estimate of the time, in up to two seconds */
    int survey;  /* the report says which blocks of perturbation were used */
} deepfield_output_options;

/* Begins to make a picture ready in the background: its plan, its reference orbit where that takes
 * at most 256 MiB, whether its files are there. Whoever makes several opens the next ones before
 * one is rendered. The kinds of files are those of their suffixes; the picture is copied, and may
 * be destroyed. Opens the devices. options NULL: all 0. */
DEEPFIELD_API deepfield_status deepfield_output_open(deepfield_output **output,
                                                     deepfield_renderer *renderer,
                                                     const deepfield_picture *picture,
                                                     const char *const *paths, int count,
                                                     const deepfield_output_options *options);

/* Computes the picture, as deepfield_render does. The files may be completed in the background when
 * it returns, while another picture is rendered: see deepfield_output_close. Once for each. */
DEEPFIELD_API deepfield_status deepfield_output_render(deepfield_output *output);

/* Waits until the files are complete under their names, whole or not at all, and destroys the
 * output, also after a failure, whose status and sentence it returns; accepts NULL. json: what
 * `deepfield render --json` reports (files, plan, seconds, checksums, ranks), NULL where nothing
 * came of the picture; may be NULL itself. Any thread, but for the sentences of deepfield_log,
 * which come on it. */
DEEPFIELD_API deepfield_status deepfield_output_close(deepfield_output *output, char **json);

/* Colours a field that was saved with its numbers (as deepfield_field_load) anew, into files of the
 * kinds that their suffixes name: rows out of its files, and coloured rows into others, so that it
 * may be larger than memory. The look is that of the field's own view, with the keys of [look],
 * [output] and view.title that were set in `look` over it (NULL: none). All files appear, or none.
 * Computes nothing and opens no device; deepfield_renderer_cancel ends it. replace 0:
 * DEEPFIELD_CANNOT_CREATE where there is one. DEEPFIELD_CONFIG: colours by a plane that was not
 * saved. */
DEEPFIELD_API deepfield_status deepfield_recolour(deepfield_renderer *renderer, const char *field,
                                                  const deepfield_picture *look,
                                                  const char *const *paths, int count, int replace);

/* ---- films ---- */

typedef struct deepfield_film deepfield_film;

/* The flight from one picture to another, whose other settings all frames have; film.seconds and
 * film.fps are keys of `to`. The zoom changes at a constant speed, but for both ends.
 *
 * from NULL: the path that keys of `to` say: from the zoom film.from (1) to film.to (that of the
 * picture), through the keyframes of the file film.path, where the autopilot flies
 * (film.autopilot, a seed), or from stop to stop of a tour (film.tour, a name or a file).
 * DEEPFIELD_CONFIG: keys that say two paths. */
DEEPFIELD_API deepfield_status deepfield_film_open(deepfield_film **film,
                                                   const deepfield_picture *from,
                                                   const deepfield_picture *to);
DEEPFIELD_API void deepfield_film_destroy(deepfield_film *film);

/* Number of its frames. */
DEEPFIELD_API int64_t deepfield_film_frames(const deepfield_film *film);

/* The picture of a frame, 0 ... frames - 1: the caller's. Frames share the reference
 * orbit of the deepest one and colours that are measured along the path, which the first one that
 * is rendered makes, as long as nothing but keys of [look] and [output] is set. Their counts are as
 * exact as with an orbit of their own, within compute.accuracy. Of a path of the autopilot, and of
 * a tour, the first call may compute small pictures in the last renderer of the world. */
DEEPFIELD_API deepfield_status deepfield_film_picture(deepfield_film *film, int64_t frame,
                                                      deepfield_picture **picture);

typedef struct deepfield_film_options {
    size_t size; /* sizeof(deepfield_film_options) */
    int replace; /* a film that is there is replaced; 0: DEEPFIELD_CANNOT_CREATE */
    int plan;    /* nothing is made: *json says what would be */
    int dry_run; /* nothing is made: *json says how long it would take, by samples of a second */
} deepfield_film_options;

/* Makes the film into a video (.mp4, .webm, .mkv by ffmpeg; .y4m) or into numbered pictures of any
 * kind of files ("frames/%05d.png"), by the keys film.method, film.chroma, film.effort,
 * film.flash_safe, look.samples (4), output.bits and output.part. A video appears whole or not at
 * all. What is done is kept in a folder beside it (path + ".deepfield"; film.deepfield beside
 * frames), so the same call goes on after a failure, a cancel or a kill, with the same bytes; a
 * folder of another film is DEEPFIELD_CANNOT_CREATE. output.part = K/N makes one of N parts, by as
 * many processes as like; the call without it makes the rest and joins them. options NULL: all 0.
 * Progress has the stage "frames". Blocks, without limit of time.
 *
 * *json (json may be NULL) becomes what came of it: frames made, seconds, change and flashes; of a
 * plan frames, depth, method, memory and files; of a dry run seconds, at least and at most. It is
 * there after DEEPFIELD_TOO_LARGE of a plan, and where the film is complete although a rank or a
 * device has failed, too. */
DEEPFIELD_API deepfield_status deepfield_film_save(deepfield_renderer *renderer,
                                                   deepfield_film *film, const char *path,
                                                   const deepfield_film_options *options,
                                                   char **json);

/* ---- live pictures ---- */

typedef struct deepfield_live deepfield_live;

typedef enum deepfield_live_stage {
    DEEPFIELD_LIVE_NOTHING, /* no request yet */
    DEEPFIELD_LIVE_ORBIT,   /* a deep view waits for its reference orbit */
    DEEPFIELD_LIVE_COARSE,  /* every 8th pixel of both directions, ... */
    DEEPFIELD_LIVE_QUARTER,
    DEEPFIELD_LIVE_HALF,
    DEEPFIELD_LIVE_FINE,    /* ... all pixels */
    DEEPFIELD_LIVE_DONE,    /* nothing computes */
    DEEPFIELD_LIVE_SAMPLES, /* final, and further samples are added */
    DEEPFIELD_LIVE_FAILED
} deepfield_live_stage;

/* A rank that computes. */
typedef struct deepfield_live_worker {
    int rank, threads;
    int alive;
    double busy;                             /* share of the last second or so, 0 ... 1 */
    double heard_s;                          /* seconds since its last message */
    uint64_t tiles, late, iterations, bytes; /* late: results of older pictures, dropped */
    const char *transport;                   /* "local", "message"; static */
    char host[64];
} deepfield_live_worker;

/* What a worker does for the picture. Times are since the beginning; rank 0 sees what results cost
 * when they have come. */
typedef struct deepfield_live_load {
    int computes;      /* it is alive, and not left out */
    int gpu;           /* its devices are GPUs */
    double compute_s;  /* computing, mean of its threads */
    double transfer_s; /* its results on their way to rank 0 */
    char backend[16];  /* "cuda", "avx2", ...; deepfield_list "backends" */
} deepfield_live_load;

/* A part of a picture that a worker has computed, and that has come to rank 0. */
typedef struct deepfield_live_arrival {
    int32_t worker;              /* index in the workers of the state */
    int32_t x, y, width, height; /* pixels of the picture */
    double at_s;                 /* seconds of CLOCK_MONOTONIC */
} deepfield_live_arrival;
enum { DEEPFIELD_LIVE_ARRIVALS = 64 };

/* When something happened to a picture, in seconds of CLOCK_MONOTONIC; 0: not yet. */
typedef struct deepfield_live_moments {
    double asked;     /* the first request for it */
    double begun;     /* that request was taken */
    double planned;   /* its devices were told what to compute, for the first time */
    double cancelled; /* all devices were idle or working on it */
    double covered;   /* every pixel has a colour */
    double fine;      /* all pixels at least as previews */
    double settled;
} deepfield_live_moments;

/* What a live picture shows. Pointers: borrowed until its state is asked for again. */
typedef struct deepfield_live_state {
    size_t size;      /* sizeof(deepfield_live_state) */
    uint64_t serial;  /* number of the request that the pixels are of; 0: none yet */
    uint64_t version; /* rises with every change */
    int32_t width, height;
    int stage;       /* a deepfield_live_stage */
    int settled;     /* the field is final */
    int covered;     /* every pixel has a colour */
    int samples;     /* samples in the mean that is shown */
    double done;     /* part of the pixels that is done, 0 ... 1 */
    int64_t limit;   /* iteration limit in use */
    char error[256]; /* why it failed; "": it has not */

    uint64_t picture;   /* number of the picture, rising: another one begins from nothing */
    uint32_t planes;    /* bit k: its field has the k-th of deepfield_list "planes" */
    int stride;         /* largest distance of known pixels; 0: somewhere there are none */
    int stopped;        /* DEEPFIELD_LIVE_STOP ended computing; asked again it is computed */
    int samples_wanted; /* samples of a pixel */
    int smooth;         /* settled, and the mean has all samples */
    int mixed;          /* pixels that were copied with this state may have one sample more */
    double sample_done; /* part of the sample in progress that is done, 0 ... 1 */
    double orbit_s;     /* seconds that the orbit has taken which is awaited; else 0 */
    int64_t orbit_steps, orbit_most; /* steps of that orbit so far, and at most */
    int deep;                        /* computed by perturbation */
    char method[96];                 /* "direct, fp32", "perturbation, 12345 steps at 320 bits" */
    double predicted_px;             /* predicted error in pixels */
    uint64_t iterations;             /* iterations of this picture */
    double iterations_per_s;         /* of all workers, in the last second or so */
    uint64_t count_min, count_max;   /* counts of what has escaped so far; 0: nothing */
    double undecided;                /* share of the pixels that have not escaped */
    uint64_t measured;               /* rises when the colours' distribution was measured anew */
    uint64_t measured_picture;       /* picture that the newest measurement is of */
    deepfield_live_moments moments;
    int threads_lost;                    /* threads of lost ranks and devices */
    int troubles;                        /* devices, ranks lost, silent or back; jobs that joined */
    uint64_t late;                       /* late results of older pictures, which were dropped */
    int workers;                         /* ranks that compute */
    const deepfield_live_worker *worker; /* [workers], in the order of ranks */
    const char *trouble;                 /* sentence about the newest trouble; "": none */
    const char *sentence;                /* all of `error` */

    const deepfield_live_load *load; /* [workers] */
    int computing;                   /* workers that compute */
    /* Shortest time of this picture from its request until it was settled, computed from beginning
     * to end by those workers, and by a single one; 0: not measured. */
    double picture_s, picture_one_s;
    /* Since the beginning: seconds in which there was something to compute, and in which rank 0 put
     * results into pictures. */
    double work_s, compose_s;
    /* Parts that have come; number n is arrival[n % DEEPFIELD_LIVE_ARRIVALS], if it is one of the
     * newest of so many. */
    uint64_t arrivals;
    const deepfield_live_arrival *arrival;
} deepfield_live_state;

/* Opens a picture that changes: one is asked for, and comes coarse at once and then refined until
 * it is exactly what deepfield_render makes. Takes the world's devices on a thread of its own until
 * deepfield_live_close; until then other calls that need devices are refused. Keys of `renderer` as
 * set so far. wake: called on any thread when there is something newer than at the last poll; it
 * must return at once. May be NULL. */
DEEPFIELD_API deepfield_status deepfield_live_open(deepfield_live **live,
                                                   deepfield_renderer *renderer,
                                                   void (*wake)(void *user), void *user);
DEEPFIELD_API void deepfield_live_close(deepfield_live *live);

/* Asks for a picture: the newest wins. All of the view, also where view.region is set. moving 1:
 * only previews, while a hand moves the view. serial: its number, for deepfield_live_state; may be
 * NULL. Any thread; does not block. */
DEEPFIELD_API deepfield_status deepfield_live_ask(deepfield_live *live, deepfield_picture *picture,
                                                  int moving, uint64_t *serial);

/* State, of which state->size is set by the caller, and pixels into an array of U8 with 4 channels
 * (R, G, B, A; A 0: no colour yet) of the size of the picture, of which only what has changed since
 * the last poll into the same array is written. into NULL: state only. Any one thread; does not
 * block for computing. */
DEEPFIELD_API deepfield_status deepfield_live_poll(deepfield_live *live,
                                                   deepfield_live_state *state,
                                                   const deepfield_array *into);

typedef enum deepfield_live_pace {
    DEEPFIELD_LIVE_SETTLE, /* full accuracy, then further samples */
    DEEPFIELD_LIVE_MOVE,   /* only previews, while a hand moves the view */
    DEEPFIELD_LIVE_STOP    /* computes nothing until another picture is asked for */
} deepfield_live_pace;

/* How a picture is wanted. Of pictures that differ in nothing but their look, and in this, no pixel
 * is computed anew. */
typedef struct deepfield_live_request {
    size_t size;      /* sizeof(deepfield_live_request) */
    int pace;         /* a deepfield_live_pace */
    int keep_colours; /* 1: the distribution of the colours is that of the picture, or none;
                         0: where it has none it follows what is measured, as in
                         deepfield_render */
    /* Position in pixels at which refinement begins; NaN: the middle. */
    double pointer_x, pointer_y;
    int samples;         /* samples of a pixel; 0: as look.samples or the plan says */
    int workers;         /* workers that compute, the first ones; 0: all */
    uint64_t again;      /* another number: the same picture is computed again */
    int64_t limit_most;  /* largest automatic iteration limit; 0: no bound */
    int automatic_limit; /* 1: a picture whose view.limit is not set has a limit that fits it; 0: it
                            has the default of the key */
    /* Workers that are left out: bit w % 64 of without[w / 64]. They take part again at once when
     * they are not; where nobody would be left, all compute. Changes no pixel. */
    uint64_t without[4];
} deepfield_live_request;

/* deepfield_live_ask with more to say. picture NULL where the pace is DEEPFIELD_LIVE_STOP. */
DEEPFIELD_API deepfield_status deepfield_live_ask_with(deepfield_live *live,
                                                       deepfield_picture *picture,
                                                       const deepfield_live_request *request,
                                                       uint64_t *serial);

/* Pixels are shown in blocks of this size, of which there are at most so many in each direction. */
enum { DEEPFIELD_LIVE_BLOCK = 128, DEEPFIELD_LIVE_BLOCKS = 128 };

/* Pixels in memory of the caller, [height][stride], as windows take them, which are brought up to
 * date without a copy in between: 0xAARRGGBB; A 0: no colour yet. */
typedef struct deepfield_live_pixels {
    size_t size; /* sizeof(deepfield_live_pixels) */
    uint32_t *pixels;
    int32_t width, height, stride;
    int written; /* the last call wrote a pixel */
    /* Picture and version that the pixels are of, written by the library: 0 where the memory is
     * another, or has other pixels. */
    uint64_t picture, version;
    /* [y / DEEPFIELD_LIVE_BLOCK][x / DEEPFIELD_LIVE_BLOCK]: 1 where something was written, until
     * the caller writes 0. */
    uint8_t changed[DEEPFIELD_LIVE_BLOCKS][DEEPFIELD_LIVE_BLOCKS];
} deepfield_live_pixels;

/* deepfield_live_poll into such pixels, of which only what has changed since `version` is written.
 * pixels NULL, or of another size than the picture: state only. */
DEEPFIELD_API deepfield_status deepfield_live_update(deepfield_live *live,
                                                     deepfield_live_state *state,
                                                     deepfield_live_pixels *pixels);

/* The newest version that there is, for deepfield_live_state. Any thread; one atomic read. */
DEEPFIELD_API uint64_t deepfield_live_version(deepfield_live *live);

/* Workers that computed the squares of `*side` pixels, [rows][columns]: 255: none yet, else the
 * number of the worker modulo 255. into: U8 of one channel, of which `width` and `height` become
 * columns and rows, not more than they were before. Thread: as deepfield_live_poll. */
DEEPFIELD_API deepfield_status deepfield_live_owners(deepfield_live *live, deepfield_array *into,
                                                     int32_t *side);

/* The settled field of the request of that number, which is destroyed by the caller, after
 * deepfield_live_close as well: it stays as it is, without a copy, and the live picture goes on in
 * other memory. Once the state is smooth it has the mean of samples, "light". DEEPFIELD_NO_INPUT:
 * another request, or none, is settled. Thread: as deepfield_live_poll. */
DEEPFIELD_API deepfield_status deepfield_live_field(deepfield_live *live, uint64_t serial,
                                                    deepfield_field **field);

/* ---- tools ---- */

enum { DEEPFIELD_ORBIT_POINTS = 10001, DEEPFIELD_RAY_POINTS = 2464 }; /* as many as there can be */

/* The orbit of a point, as far as it is drawn. Points are (re, im) in doubles. */
typedef struct deepfield_orbit {
    size_t size;           /* sizeof(deepfield_orbit) */
    double (*points)[2];   /* memory of the caller for z_0, z_1, ...; NULL: not wanted */
    double (*ray)[2];      /* memory for the external ray through the point, outwards; or NULL */
    int32_t points_most;   /* points that there is memory for */
    int32_t ray_most;      /* likewise */
    int32_t count;         /* points that were computed, at most DEEPFIELD_ORBIT_POINTS */
    int32_t ray_count;     /* points of the ray; 0: it is not known, as in deep views */
    int64_t escape;        /* n with |z_n|^2 > 8; 0: none in so many steps */
    int32_t period;        /* period of the cycle that it comes to; 0: none was found */
    double multiplier;     /* absolute value of the multiplier of that cycle: < 1 attracts */
    double log2_potential; /* log2 of the potential of a point that escapes */
    double ray_turn;       /* angle of the ray in turns, 0 ... 1 */
} deepfield_orbit;

/* The orbit of the point under a position of the image, in pixels from its upper left corner, of
 * z^2 + c, in the plane of c or a Julia set's, computed with as many digits as the view has.
 * Milliseconds; longer in views of thousands of digits. DEEPFIELD_CONFIG: another formula. */
DEEPFIELD_API deepfield_status deepfield_picture_orbit(const deepfield_picture *picture, double x,
                                                       double y, deepfield_orbit *orbit);

/* The external ray of the Mandelbrot set at numerator/denominator of a turn, from outside in: up to
 * `most` values of c. Any thread. */
DEEPFIELD_API deepfield_status deepfield_ray(int64_t numerator, int64_t denominator,
                                             double (*points)[2], int32_t most, int32_t *count);

/* Finds the nucleus of a minibrot in the middle of a picture, or a Misiurewicz point, as JSON: what
 * `deepfield find --json` prints (period, re, im, size, proven), `shown`, the view that shows it in
 * numbers, and `view`, the keys that make a picture of it. Keys find.* of the picture say which. */
DEEPFIELD_API deepfield_status deepfield_find(deepfield_renderer *renderer,
                                              deepfield_picture *picture, char **json);

/* Computes a picture and compares `pixels` of its pixels, those of key verify.seed, with counts
 * that are proven at full precision, as JSON: what `deepfield verify --json` prints (verdict,
 * mismatches and the list of them, how many rounding explains, errors in pixels).
 * DEEPFIELD_INTERNAL: counts that rounding does not explain; *json is there then, too. */
DEEPFIELD_API deepfield_status deepfield_verify(deepfield_renderer *renderer,
                                                deepfield_picture *picture, int pixels,
                                                char **json);

#ifdef __cplusplus
}
#endif

#endif
