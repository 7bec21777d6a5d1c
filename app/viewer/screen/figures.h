/* Statistics of the viewer for `--report`: counts, durations, memory. */
#ifndef APP_VIEWER_SCREEN_FIGURES_H
#define APP_VIEWER_SCREEN_FIGURES_H

#include <stdint.h>
#include <stdio.h>

#include "app/viewer/screen/flash_guard.h"
#include "app/viewer/screen/measure.h"

struct flight_figures {      /* frames shown while the view moved steadily, by hand or by itself */
    struct measure interval; /* seconds from one frame to the next */
    double frames;           /* the shares below are sums over these */
    double missing;          /* share of the pixels without a picture */
    double stale;            /* share from requests more than 100 ms old */
    double coarse_8, coarse_4;        /* shares coarser than every 8th, 4th pixel */
    double coarsest_px, misplaced_px; /* the most of any frame: in the middle; by rounding */
};

/* Durations of the parts of a frame whose picture changed. */
struct frame_figures {
    struct measure compose; /* the picture of the view, from computed and older pixels */
    struct measure paint;   /* its copy into the frame, overlays and the limit of flashes */
    struct measure upload;  /* the frame into the texture or the window's memory */
    struct measure present; /* until the renderer has shown it */
};

/* Durations of the parts of `coarse`, in their order. */
struct coarse_figures {
    struct measure request; /* from the input to the request: the throttle, and the frame before */
    struct measure begin;   /* until the engine takes the request */
    struct measure plan;    /* until devices are told the picture: plan, reference orbit */
    struct measure compute; /* until every pixel has a colour */
    struct measure show;    /* until the present */
};

#define FIGURES_POLL_S 1.0     /* time between readings of the memory */
#define FIGURES_WINDOW_S 60.0  /* duration of a window; its minimum counts: peaks are no growth */
#define FIGURES_STEADY_S 600.0 /* time after which memory should not grow any more */

struct memory_level { /* minimum of a window, bytes */
    double at_s;      /* end of the window; 0: there is none */
    uint64_t resident;
};

struct memory_trend { /* sums for the least-squares line through levels */
    double count, time, bytes, time_time, time_bytes; /* hours since FIGURES_STEADY_S; bytes */
};

struct figures {
    double begun_s, ended_s; /* monotonic clock */
    /* Durations in seconds: */
    struct measure reaction; /* from the input to the end of the present that shows it */
    struct measure coarse;   /* from the input to the present with a colour everywhere */
    struct measure settled;  /* from the input to the present of the finished picture, with the rest
                                of the hand (throttle.h) */
    struct measure cancel;   /* from the request to all devices idle or on new work */
    struct measure fine;     /* from the request to a colour, at least a preview, of every pixel */
    struct measure frame;    /* from the begin of drawing to the end of the present */
    struct measure fetch;    /* copy of new pixels from the engine */
    struct frame_figures parts;
    struct coarse_figures coarse_parts;
    struct flight_figures flight;
    uint64_t events, frames, requests, pictures, settled_pictures;
    uint64_t late;                                 /* results of older pictures, dropped */
    uint64_t settled_bytes, end_bytes, most_bytes; /* resident memory: at the first settled picture,
                                                      at the end, and the most of all readings */
    struct flash_report flash;     /* measured on a stand; no pictures: not metered */
    double polled_s;               /* time of the last reading of the memory */
    struct memory_level window;    /* minimum of the window in progress */
    struct memory_trend trend;     /* line through windows after FIGURES_STEADY_S */
    const char *driver, *renderer; /* borrowed */
    int32_t width, height;
};

/* Resident memory of this process now; 0 where the system does not report it. */
uint64_t figures_memory(void);

/* Reads the memory at the first settled picture, and every FIGURES_POLL_S. */
void figures_poll(struct figures *figures, double now_s);

/* Adds a reading of the memory. Pure. */
void figures_level(struct figures *figures, double now_s, uint64_t resident);

/* One line of JSON. */
enum status figures_json(const struct figures *figures, FILE *stream);

#endif
