/* What pages are told, as JSON: facts of the picture, lists, the text of the place. */
#ifndef APP_SERVE_SESSION_JSON_H
#define APP_SERVE_SESSION_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "app/serve/exploration.h"
#include "app/serve/wall.h"
#include "app/viewer/core/remote.h"
#include "app/viewer/files/bookmarks.h"
#include "include/deepfield/deepfield.h"

/* Names and titles of views, palettes and formulas. Each text is freed by the caller. */
enum status session_lists_text(struct deepfield_world *world, char **text);

struct session_steps { /* are there places before and after? */
    bool back, forward;
};

/* Stage, place, limit, method, ranks. */
enum status session_facts_text(const struct exploration *exploration,
                               const struct session_steps *steps, const struct look_seen *seen,
                               const deepfield_live_state *state, char **text);

struct session_role { /* what a page may do */
    bool leads, may_lead, waits;
    bool bookmarks; /* there are some for the one who leads */
    bool window;    /* a window has the picture, and its size */
    int pages, asked;
    uint32_t motion; /* number of the newest motion: the leader goes on from there */
    uint32_t exact;  /* number of the exact picture that the facts speak of; 0: of none */
    const struct remote_stand *stand; /* NULL: none */
    const struct wall *wall;          /* NULL: none */
    int place;                        /* number of its screen, row by row; -1: it is none */
    bool staff;
};

/* The facts with the role of one page. */
enum status session_role_text(const struct session_role *role, const char *facts, char **text);

/* The place as an .ini with the limit that its picture has; title: instead of its own, "": that. */
enum status session_place_ini(const struct exploration *exploration,
                              const deepfield_live_state *state, const char *title, char **ini);

/* Names and titles of the newest bookmarks, up to `most` of them; a thumbnail, NULL: none. */
enum status session_bookmarks_text(const struct bookmarks *bookmarks, size_t most, char **text);
enum status session_bookmark_text(const char *name, const char *picture, char **text);

/* The place as an .ini, and the words of a command that renders it. */
enum status session_place_text(const struct exploration *exploration,
                               const deepfield_live_state *state, char **text);

/* The same of a text that is there. */
enum status session_ini_text(const char *ini, char **text);

/* A sentence for a page: without one that names a folder of this machine. */
void session_note(char note[static 512], const char *sentence, const char *folder);
/* Tells a screen to present a frame; late: screens that are left behind meanwhile. */
enum status session_present_text(uint32_t frame, int late, char **text);
enum status session_note_text(const char *note, char **text);

#endif
