/* A film of what is seen: from the whole set to here, or along keyframes that were added by hand;
 * its preview, and its making in the background (viewer_make.h). */
#ifndef APP_VIEWER_CORE_VIEWER_FILM_H
#define APP_VIEWER_CORE_VIEWER_FILM_H

#include "app/viewer/core/viewer_state.h"
#include "render/motion/film_path.h"

enum { FILM_KEYS_MOST = 64, FILM_SIZES = 4, FILM_RATES = 3, FILM_KINDS = 4 };
#define FILM_KEY_S_MOST 120.0

struct viewer_film {
    struct film_key {
        struct view view; /* owned */
        double seconds;   /* time from the keyframe before */
        int64_t limit;    /* iterations that its picture had */
    } key[FILM_KEYS_MOST];
    int keys, selected;
    double seconds;       /* length of a film without keyframes */
    int size, rate, kind; /* numbers of the lists below */
    struct film_path preview;
    bool previews;
    double preview_s, stepped_s; /* time within the preview, of its last step */
};

extern const char *const film_size_names[FILM_SIZES], *const film_rate_names[FILM_RATES],
                                                          *const film_suffixes[FILM_KINDS];

enum status viewer_film_open(struct viewer *viewer); /* STATUS_OUT_OF_MEMORY */
void viewer_film_close(struct viewer *viewer);

/* Edit the list; the number is of the keyframe that is selected. */
enum status viewer_film_add(struct viewer *viewer);
enum status viewer_film_replace(struct viewer *viewer);
void viewer_film_remove(struct viewer *viewer);

/* Moves it up (-1) or down (1) in the list; the times between keyframes stay where they are. */
void viewer_film_move(struct viewer *viewer, int step);
enum status viewer_film_visit(struct viewer *viewer);

enum status viewer_film_preview(struct viewer *viewer);
enum status viewer_film_step(struct viewer *viewer, double now_s);
enum status viewer_film_make(struct viewer *viewer);

#endif
