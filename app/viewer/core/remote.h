/* The hand-over between the viewer and pages that see its picture and may move it.
 *
 * The viewer puts pictures and facts and takes commands; the server of the pages does the reverse,
 * on a thread of its own. The viewer never waits: where the server copies a picture meanwhile, it
 * puts its next one. */
#ifndef APP_VIEWER_CORE_REMOTE_H
#define APP_VIEWER_CORE_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/deepfield/deepfield.h"
#include "kernels/status.h"
#include "library/settings/place_text.h"
#include "render/motion/changed_blocks.h"
#include "render/motion/warp.h"
#include "render/window/paint.h"

enum {
    REMOTE_COMMANDS = 512, /* most that wait for the viewer; a motion without room is dropped */
    REMOTE_WORKERS = 256
};

enum remote_word {
    REMOTE_MOVE, /* motion, number, held */
    REMOTE_REST, /* the hand has let go */
    REMOTE_HOME,
    REMOTE_BACK,
    REMOTE_FORWARD,
    REMOTE_SHOW, /* text: a place */
    REMOTE_LOOK, /* number: enum action of the look, which is obeyed as a key of the window */
    REMOTE_RANK, /* number of a worker; held: it takes part */
    REMOTE_SIZE, /* width, height: of a window that nobody sees */
    /* Words of a stand: */
    REMOTE_TOUCH, /* somebody is there */
    REMOTE_PRESS, /* number of a button */
    REMOTE_RESET, /* staff ends the visit */
    REMOTE_END    /* staff ends the program */
};

struct remote_command {
    enum remote_word word;
    bool held;
    uint32_t number;
    struct view_motion motion; /* positions from the middle of the picture */
    int32_t width, height;
    char *text; /* owned; NULL: none */
};

enum { REMOTE_SENTENCE_BYTES = 640, REMOTE_CODE_SIDE = 177, REMOTE_BUTTONS = 10 };

/* What a stand shows besides its picture, in the language that it has now. Plain data, zeroed
 * before it is filled, so that its bytes tell whether anything is new. */
struct remote_stand {
    bool on;          /* there is a stand */
    int stage;        /* enum kiosk_stage */
    int seconds;      /* seconds of the countdown that are left */
    int language;     /* enum language */
    bool more, flies; /* the second row of buttons is open; the picture moves by itself */
    uint8_t buttons[REMOTE_BUTTONS]; /* by enum kiosk_button: it is there */
    bool ranks_shown;
    bool hand; /* a sign over what is worth a visit */
    double hand_x, hand_y;
    uint64_t visitors;
    int alarms;
    char alarm[256];
    char sentence[REMOTE_SENTENCE_BYTES], caption[REMOTE_SENTENCE_BYTES], notice[256];
    bool title, shared;
    int code_side; /* 0: there is no code */
    uint8_t code[REMOTE_CODE_SIDE * REMOTE_CODE_SIDE];
};

struct remote_facts {
    deepfield_live_state state; /* without sentences, troubles and arrivals */
    deepfield_live_worker worker[REMOTE_WORKERS];
    deepfield_live_load load[REMOTE_WORKERS];
    struct place place; /* owned */
    char *text;      /* text of the place, as `deepfield render` makes the picture; owned; NULL: the
                        picture is not finished */
    uint32_t motion; /* newest motion of a page that is in the picture */
    bool back, forward; /* there are places before and after */
    bool final;         /* no pixel of the picture that was put will change */
    bool slow;          /* pixels change by smoothing alone */
    double touched_s;   /* when a hand was at the window last */
    struct remote_stand stand;
};

struct remote;

enum status remote_create(struct remote **remote);
void remote_destroy(struct remote *remote); /* accepts NULL */

/* ---- the viewer ---- */

/* The function that wakes the viewer where there is a command; NULL: none. */
void remote_viewer_wake(struct remote *remote, void (*wake)(void *context), void *context);

/* Is there anybody who wants pictures? */
bool remote_is_watched(const struct remote *remote);

/* Must all of the next picture be put, since somebody came who has none? Reading clears it. */
bool remote_wants_all(struct remote *remote);

/* Copies the boxes of the picture that may have changed; count 0: all of it. False: it must be put
 * again, since the server is copying the one before. */
bool remote_picture_put(struct remote *remote, const struct warp_image *image,
                        const struct paint_box *box, int count);

/* Copies facts, of which `text` is taken where it is not NULL. False: as above. */
bool remote_facts_put(struct remote *remote, const struct remote_facts *facts);

/* The next command, whose text the caller frees; false: there is none. */
bool remote_command_next(struct remote *remote, struct remote_command *command);

/* Does a page lead? The viewer takes the lead back by remote_lead_take. */
bool remote_page_leads(const struct remote *remote);
void remote_lead_take(struct remote *remote);

/* Number of pages that ask for the lead. */
int remote_asked(const struct remote *remote);

/* ---- the server ---- */

/* The function that is called when there is something new; NULL: none. */
void remote_server_wake(struct remote *remote, void (*wake)(void *context), void *context);

/* Tells the viewer of pages, and that a new one needs all of the picture. */
void remote_watchers_set(struct remote *remote, int watchers, bool all);
void remote_lead_set(struct remote *remote, bool page_leads, int asked);

/* Has the viewer taken the lead back? Reading clears it. */
bool remote_lead_taken(struct remote *remote);

/* Rises with every picture and every text of facts. */
uint64_t remote_version(const struct remote *remote);

/* Takes over what is new. The facts' memory is the caller's, freed by remote_facts_free. Pixels of
 * another size, of which *width and *height tell the right one, are left alone: false. */
bool remote_take(struct remote *remote, struct remote_facts *facts,
                 struct deepfield_live_pixels *pixels, int32_t *width, int32_t *height);
void remote_facts_free(struct remote_facts *facts);

/* Hands a command over with its text, which is freed in any case. */
void remote_command_give(struct remote *remote, const struct remote_command *command);

#endif
