/* The place that is served, as settings: motions, texts and keys of pages change it, and the places
 * before are kept.
 *
 * What a page says is hostile: of a text only the view and the look are taken, never a path of this
 * machine's disk. Thread: one. */
#ifndef APP_SERVE_EXPLORATION_H
#define APP_SERVE_EXPLORATION_H

#include <stdbool.h>

#include "app/viewer/input/actions.h"
#include "include/deepfield/deepfield.h"
#include "kernels/status.h"
#include "library/config/config.h"
#include "library/settings/look_step.h"
#include "render/view/view_motion.h"

enum { EXPLORATION_STEPS = 64 };

struct exploration {
    struct deepfield_world *world; /* borrowed */
    const char *data;              /* folder that holds configs/views; borrowed */
    struct config config;          /* the place now */
    struct config begin;           /* settings of the program, with the place at which it began */
    struct config step[EXPLORATION_STEPS]; /* places at which it rested */
    int steps, at;                         /* step[at] is the newest one that was left or shown */
};

/* Begins with settings, which are copied. */
enum status exploration_create(struct exploration *exploration, struct deepfield_world *world,
                               const struct config *config, const char *data);
void exploration_destroy(struct exploration *exploration);

/* Moves the view; positions from the middle of the picture. */
enum status exploration_move(struct exploration *exploration, const struct view_motion *motion);

/* Another size in pixels: the middle and the zoom stay. */
enum status exploration_size(struct exploration *exploration, int32_t width, int32_t height);

/* Another place; in a Julia set _julia goes back. Each leaves it as it was after a failure. */
enum status exploration_home(struct exploration *exploration);
enum status exploration_julia(struct exploration *exploration, double x, double y);
enum status exploration_go(struct exploration *exploration, const char *text);
enum status exploration_set(struct exploration *exploration, const char *key, const char *value);

/* One step of the look by an action of the window; STATUS_BAD_DATA for other actions. */
enum status exploration_look_step(struct exploration *exploration, enum action action,
                                  const struct look_seen *seen);

/* Does the action change the look by a step? */
bool exploration_is_look(enum action action);

/* The look, with automatic values as options say. */
enum status exploration_look(const struct exploration *exploration, struct look_options *look);

/* Follows a window, whose place is this text: it becomes the place, whatever a page may set. */
enum status exploration_follow(struct exploration *exploration, const char *text);

/* The place as a text of a view, freed by the caller. */
enum status exploration_text(const struct exploration *exploration, char **text);

/* Enters the place, where the picture has come to rest, into the list. */
enum status exploration_rested(struct exploration *exploration);

/* One back (-1) or forward (1) in that list. *moved: there was one. */
enum status exploration_step(struct exploration *exploration, int direction, bool *moved);

/* A picture of the place, which the caller destroys. */
enum status exploration_picture(const struct exploration *exploration,
                                struct deepfield_picture **picture);

#endif
