/* A field of the interface: planes in its own memory or the caller's, and what they are of. */
#ifndef LIBRARY_HANDLE_FIELD_H
#define LIBRARY_HANDLE_FIELD_H

#include "library/handle/handle.h"
#include "render/live/live.h"
#include "render/plan/plan.h"

struct placed { /* memory of the caller for a plane */
    bool given;
    deepfield_array array;
};

struct field_device { /* planes in memory of a CUDA device */
    bool all;         /* planes that are given no memory lie there, too */
    int number;       /* number of the device that `all` asks for; -1: the renderer's first */
    int first;        /* number of the renderer's first device, while there are pixels */
    unsigned planes;  /* mask of planes that lie there */
    deepfield_array array[PLANES];
    void *own[PLANES]; /* owned */
};

struct deepfield_field {
    struct placed placed[PLANES];
    struct field_device device;
    deepfield_receive_call *receive; /* NULL: none */
    deepfield_pieces pieces;
    void *user;
    bool rendered; /* deepfield_render writes to it */
    /* Members of a field that was rendered or loaded; all 0 before: */
    bool filled;
    struct field field;     /* planes where they lie: in `own`, or where the caller has placed them;
                               those of device.planes are no host memory */
    void *own[PLANES];      /* owned */
    float (*light)[3];      /* [height][width]; owned, or held; NULL: no samples */
    struct live_field held; /* planes and mean of a live picture; zeroed: none */
    struct config made_of;  /* settings that it was made by, and the same with what was settled */
    struct config config;
    struct picture picture; /* owned view */
    struct plan plan;
    bool planned; /* the plan is known */
    double seconds, samples;
    uint64_t iterations;
};

/* STATUS_USAGE in a callback of deepfield_render, which has its memory. */
enum status field_idle(const struct deepfield_field *field);

/* Forgets the pixels, and what they are of. */
void field_forget(struct deepfield_field *field);

/* Memory for planes of this shape: the caller's where that has no gaps, else its own. light: also
 * for the mean of samples. beside: bytes that the computation takes. STATUS_USAGE for memory of
 * another size or type, STATUS_TOO_LARGE for more than there is. */
enum status field_memory(struct deepfield_field *field, const struct field *shape, bool light,
                         uint64_t beside);

/* Puts rows from row y on into it. light: [height][width], or NULL. Host memory. */
void field_rows_put(struct deepfield_field *field, int32_t y, const struct field *rows,
                    const float (*light)[3]);

/* After the last row: copies into memory of the caller that has gaps. */
void field_placed_fill(struct deepfield_field *field);

size_t plane_pixel_bytes(const struct field *field, int plane);

/* A plane as an array: a window of `planes`, said to be in host memory. */
deepfield_array plane_array(const struct field *planes, enum plane plane);

/* The mean of samples as an array. */
deepfield_array light_array(const float (*light)[3], int32_t width, int32_t height);

/* PLANES: there is none of that name. */
enum plane plane_named(const char *name);

#endif
