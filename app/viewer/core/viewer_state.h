/* The state of the viewer, with the functions that all of its files use.
 *
 * All on the window's thread but for the inbox, which has a lock. The files above it, each of which
 * calls only those before it: viewer_files.h, viewer_find.h, viewer_action.h, viewer_pages.h,
 * viewer_panel.h, viewer_input.h, viewer_draw.h, viewer.h. */
#ifndef APP_VIEWER_CORE_VIEWER_STATE_H
#define APP_VIEWER_CORE_VIEWER_STATE_H

#include <pthread.h>

#include "library/settings/tour_play.h"
#include "app/viewer/core/orbit_watch.h"
#include "app/viewer/core/rank_set.h"
#include "app/viewer/core/remote.h"
#include "app/viewer/core/search.h"
#include "app/viewer/core/viewer_options.h"
#include "app/viewer/files/bookmarks.h"
#include "app/viewer/files/child_process.h"
#include "app/viewer/files/favourites.h"
#include "app/viewer/files/history.h"
#include "app/viewer/files/io_thread.h"
#include "app/viewer/files/user_data.h"
#include "app/viewer/input/gesture.h"
#include "app/viewer/input/throttle.h"
#include "app/viewer/input/view_track.h"
#include "app/viewer/overlays/blank.h"
#include "app/viewer/overlays/entry.h"
#include "app/viewer/overlays/hints.h"
#include "app/viewer/overlays/hud.h"
#include "app/viewer/overlays/insets.h"
#include "app/viewer/overlays/notice.h"
#include "app/viewer/overlays/overlay.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/screen/automatic_density.h"
#include "app/viewer/screen/compositor.h"
#include "app/viewer/screen/figures.h"
#include "library/settings/picture_endings.h"
#include "render/motion/autopilot.h"

enum {
    VIEWER_STAMPS = 1024 /* inputs that wait for a present; more are counted as the oldest */
};
#define VIEWER_GLIDE_S 0.014 /* between frames of what moves by itself, at least */

enum panel {
    PANEL_NONE,
    PANEL_HELP,
    PANEL_ENTRY,
    PANEL_BOOKMARKS,
    PANEL_SETTINGS,
    PANEL_PLACES,
    PANEL_PALETTES,
    PANEL_COLOURS,
    PANEL_FILES,
    PANEL_TOURS,
    PANEL_FORMULAS,
    PANEL_FILM,
    PANELS
};
enum find_for { FIND_NUCLEUS, FIND_SHAPE, FIND_MISIUREWICZ, FIND_EMBEDDED };
enum entry_for { ENTRY_GO_TO, ENTRY_PRINT };
enum file_for { FILE_OPEN, FILE_PALETTE, FILE_SAVE };

#define CYCLES_PER_S 0.1      /* through the palette: a fifth of what may flash (WCAG 2.3.1) */
#define CYCLES_MOST_PER_S 0.5 /* fastest that the user can set */

struct pages; /* the panel's: viewer_pages.h */

/* A bookmark whose thumbnail is taken again when the picture of its place is finished. */
struct retake {
    char name[BOOKMARK_NAME_BYTES];
    char *step;      /* its place as a step of the history; NULL: there is none; owned */
    uint64_t serial; /* request that is known to show another location */
};

enum { THUMBNAIL_LISTS = 3 };

/* Pictures for lists of the panel: viewer_thumbnails.h. */
struct viewer_thumbnails {
    unsigned lists, begun; /* bits of lists that were wanted, and whose run has not ended */
    double load_s;         /* when they are loaded again */
    struct bookmarks images;
};

/* What other threads have finished for the window. */
struct viewer_inbox {
    pthread_mutex_t mutex;
    char *text; /* location read from a file; owned */
    size_t length;
    struct bookmarks bookmarks;
    bool has_bookmarks;
    struct retake retake;
    struct child_process *made;                             /* has just been started; owned */
    bool made_failed;                                       /* it could not be */
    struct child_process *thumbnails_made[THUMBNAIL_LISTS]; /* runs under way; owned */
    unsigned thumbnails_failed;                             /* bits of lists without a run */
    struct bookmarks thumbnails;
    bool has_thumbnails;
    bool history_gap; /* the history's file lacks changes, since one could not be saved */
};

/* Overlays on the picture, and whether its colours flow. */
struct viewer_shown {
    enum hud_level hud;
    bool cycling, hidden, tiles, times, minimap, julia_inset, orbit;
    int ray_period; /* period of the external rays; 0: none */
};

/* Effect of the last Home: nothing that can be undone any more, only on overlays, or another place.
 */
enum viewer_home { HOME_WAS_NOTHING, HOME_WAS_SHOWN, HOME_WAS_ELSEWHERE };

/* A file that is made in the background: viewer_make.h. */
struct viewer_making {
    bool begun, stopped;         /* the user has cancelled it */
    struct child_process *child; /* NULL: not started yet; owned */
    struct child_state state;
    char path[PICTURE_PATH_BYTES];
    enum string said; /* sentence with the path, when it is done */
};

/* Ranks that are left out, and the chart of their times: viewer_ranks.h. */
enum ranks_devices { RANKS_ALL, RANKS_GPUS, RANKS_CORES, RANKS_DEVICES };
struct viewer_ranks {
    struct rank_set set;
    enum ranks_devices devices;
    struct rank_times times;
    bool again;      /* other ranks compute: once it is finished the picture is computed again */
    double repeat_s; /* when the picture is computed again; 0: it is not finished */
    bool sparks;     /* parts were on their way in the last frame */
};

/* Pages that see the picture, and may lead: viewer_remote.h. */
struct viewer_remote {
    struct remote *hand_over; /* borrowed; NULL: none */
    struct remote_facts facts;
    struct remote_stand stand; /* newest of a stand */
    bool limited;              /* the last frame was changed, since it would have flashed */
    uint32_t motion;           /* newest motion of a page */
    bool holds;                /* a hand at a page holds the picture */
    double aside_x, aside_y;   /* pixels by which its flight was turned away from black */
    double held_s, touched_s;  /* its last motion; the last touch of the window */
    bool leads;                /* a page leads, as it was told to the user */
    int asked;                 /* so many ask for it */
    bool behind;               /* the picture could not be put */
    bool told, final;          /* facts of this picture were put; it is final in them */
    double told_s;
    uint64_t version; /* version of the state that was told last */
};

struct status_page;
struct viewer_film;
struct viewer_kiosk;

/* Sound: what is heard, and the depth at the last step. */
struct tone;
struct viewer_sound {
    struct tone *tone; /* owned; NULL: no sound */
    double log2_zoom, stepped_s, loudness;
};

struct viewer {
    const struct viewer_options *options;
    struct figures *figures;
    deepfield_live *live; /* borrowed */
    struct window *window;
    struct insets insets;
    struct search search;
    enum find_for found_for;
    struct orbit_watch orbit_watch;
    int orbit_count; /* number of points of the orbit that are shown */
    struct io_thread *io_thread;
    struct viewer_inbox inbox;
    struct actions actions;
    struct gesture *gesture;
    struct history *history;
    char history_path[USER_DATA_PATH_BYTES], bookmarks_path[USER_DATA_PATH_BYTES]; /* "": nowhere */
    char palettes[2048]; /* names, with ", " between them */

    struct place place; /* the place that is wanted: the view has the size of the window */
    struct throttle throttle;
    struct automatic_density density;
    uint64_t serial,
        view_serial; /* serials of the newest request, of the newest for another view */
    deepfield_live_state state;
    struct compositor compositor;
    struct program_live_measured measured; /* measurement `measured` of the state */
    struct overlay_owners owners;
    struct view_track track;  /* recent placements of a moving view */
    double cover_s, period_s; /* recent means: time until a picture has a colour everywhere, and
                                 between pictures */
    double flown_s;           /* when a frame of this flight was shown last; 0: none was */

    bool ends;
    struct viewer_shown shown;
    bool picture_wanted;
    struct picture_saving *picture;    /* to be written with all samples; NULL: none */
    uint64_t again;                    /* how often the picture was wanted anew */
    int32_t print_width, print_height; /* a picture of this size is wanted; 0: none */
    double print_dpi;                  /* its resolution in print; 0: none was given */
    uint64_t print_serial;             /* serial of its request; 0: none yet */
    char print_path[PICTURE_PATH_BYTES], picture_path[PICTURE_PATH_BYTES];
    enum viewer_home home_was;
    size_t home_step;               /* history_before when Home had been used */
    struct viewer_shown home_shown; /* `shown` before Home was used */
    double unkept_s;  /* when the place changed last, unless the history has it; else 0 */
    double stepped_s; /* time up to which input has become views */
    double cycled_s, cycles_per_s;
    enum panel panel;
    enum entry_for entry_for;
    enum file_for file_for;
    struct pages *pages; /* owned */
    struct entry entry;
    struct overlay_help help;
    double finger_y;  /* where the finger that moves a panel made its last step; pixels */
    bool finger_taps; /* it has been down since, and has moved nothing */
    struct bookmarks bookmarks;
    struct retake retake;
    int bookmark;      /* the one selected */
    int bookmark_step; /* when they have been loaded, go so many on; 0: show them */
    struct notices notices;
    struct hints hints;
    struct viewer_film *film; /* owned; viewer_film.h */
    struct viewer_making make;
    struct viewer_thumbnails thumbnails;
    struct favourites favourites;
    int samples;         /* samples per pixel */
    bool planes_missing; /* colours go by counts instead of a plane; has been said */
    double pointer_x, pointer_y;

    struct autopilot autopilot;
    bool autopilots;
    uint64_t surveyed, seed; /* state.measured of its last decision; of its last flight */
    double piloted_s;        /* when it made its last step */
    struct tour_play tour;
    double toured_s, repeat_s; /* when it made its last step; when a picture to repeat was done */
    bool tour_touched;         /* a hand has been at it since it was paused */
    double hurry;              /* factor of its speed, for tests */
    int workers;               /* number of ranks that compute, said by the tour; 0: all */
    struct viewer_ranks ranks;

    char failure[STATUS_TEXT_BYTES]; /* the expectation that was not met and ended the script; "" */

    struct viewer_sound sound;
    struct viewer_kiosk *kiosk;   /* NULL: no stand; viewer_kiosk.h */
    struct viewer_status *status; /* NULL: no status feed; viewer_status.h */
    struct viewer_remote remote;
    double log2_zoom_most; /* zoom limit of a stand */
    double slowed;         /* slowing of automatic motion against flashes: 0 none, 1 a stop */
    int64_t limit_most;    /* bound for automatic limits; 0: none */
    int alarms;            /* number of alarms of a stand, reported to staff only */
    char alarm[STATUS_TEXT_BYTES];
    double alarm_s;

    /* What must be drawn, and who waits for it. */
    bool picture_stale, overlay_stale, pixels_new, state_new;
    double presented_s, polled_s, wake_s;
    double frame_s, poll_s; /* duration of the last frame with new pixels, of the last poll */
    struct paint_box drawn; /* where overlays are on the screen */
    double stamp[VIEWER_STAMPS];
    int stamps;
    double input_s;       /* the first input since the last request; 0: none */
    double asked_input_s; /* input time of the newest request for another view */
    struct viewer_wait {  /* the newest picture of the engine */
        uint64_t picture;
        double input_s;
        bool coarse, fine, settled, cancelled, covered; /* have been measured */
    } wait;
};

/* ---- notices ---- */

void viewer_say(struct viewer *viewer, enum notice_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Shows a row of the table of texts, in the user's language; its marks can be filled in. */
void viewer_tell(struct viewer *viewer, enum notice_kind kind, enum string string);
#define viewer_tell_of(viewer, kind, string, ...) \
    viewer_tell_values(viewer, kind, string, (const char *const[]){__VA_ARGS__, NULL})
void viewer_tell_values(struct viewer *viewer, enum notice_kind kind, enum string string,
                        const char *const *values);

/* Shows a failure that is no reason to end, and returns one that is, such as a lack of memory. */
enum status viewer_forgive(struct viewer *viewer, enum status status);

/* Shows the failure of a motion, also for want of memory: the view stays, and all motion ends. */
void viewer_motion_end(struct viewer *viewer, enum status status);

/* ---- queries ---- */

bool viewer_moves(const struct viewer *viewer); /* does a hand move the view, or does it glide? */

bool viewer_is_hidden(const struct viewer *viewer); /* is it seen in pages alone? */

bool viewer_flies(const struct viewer *viewer); /* does the view move steadily, for long? */

/* Is the picture of the wanted place finished and received? */
bool viewer_settled(const struct viewer *viewer);

/* Are the planes that are computed for the wanted place known: `state.planes`? */
bool viewer_planes_known(const struct viewer *viewer);

/* Brings `owners` up to date. */
enum status viewer_owners_poll(struct viewer *viewer);

bool viewer_never(const struct viewer *viewer);       /* the requested picture cannot be made */
enum blank viewer_blank(const struct viewer *viewer); /* judges the picture shown, if finished */
struct view_range viewer_range(const struct viewer *viewer); /* range of motions */
struct gesture_settings viewer_gesture_settings(const struct viewer *viewer);
struct insets_shown viewer_insets(const struct viewer *viewer);

/* ---- changes ---- */

/* Shows the chooser of files; the chosen file is opened, imported or written. */
void viewer_files_show(struct viewer *viewer, enum file_for what);

void viewer_view_changed(struct viewer *viewer, double now_s);
void viewer_look_changed(struct viewer *viewer);

/* Computes the picture again, at full accuracy at once: no hand moves it. */
void viewer_repeat(struct viewer *viewer, double now_s);
void viewer_insets_ask(struct viewer *viewer);
bool viewer_panel_close(struct viewer *viewer); /* has a panel been open? */

/* ---- places ---- */

/* Notes that another place, or another look of it, is wanted: its colours are measured anew, and
 * those of `before` serve until then. at_once: without a glide. */
void viewer_colours_renew(struct viewer *viewer, const struct distribution *before, bool at_once);

enum place_source { PLACE_GIVEN, PLACE_KEPT }; /* PLACE_KEPT: the history has the text */

/* Shows the place of a text. False: shows why not. */
bool viewer_set_place(struct viewer *viewer, const char *text, size_t length, const char *name,
                      enum place_source source);

/* The ini text of the place, as `deepfield render` makes the picture that is seen. */
enum status viewer_place_text(struct viewer *viewer, char **text);

#endif
