/* How does one rank compute tasks of a scene that may become old at any moment?
 *
 * A shop is a rank's lanes (lane.h) and what they work for. A scene is prepared by one of the
 * lanes, when no other computes; so the thread that owns the shop goes on meanwhile. A newer scene,
 * or a cancel, sets *give_up; when the last lane has heard of it, it is cleared, and the next
 * begins. All functions are the owner's and return at once. Private to session*.c. */
#ifndef DECOMPOSITION_SESSION_SHOP_H
#define DECOMPOSITION_SESSION_SHOP_H

#include "decomposition/session.h"
#include "decomposition/session_bell.h"

/* The bytes of a scene, held by whoever still needs them. One thread. */
struct scene {
    int holders;
    uint64_t turn; /* of rank 0's orders; see session_parts.h */
    uint64_t epoch;
    size_t length;
    uint64_t checksum;    /* of the bytes; where they are sent */
    unsigned char *bytes; /* [length, in whole units of messages] */
};

/* With one holder, the caller. */
enum status scene_make(struct scene **scene, uint64_t epoch, size_t length);
struct scene *scene_hold(struct scene *scene);
void scene_drop(struct scene *scene); /* accepts NULL */

enum shop_state {
    SHOP_EMPTY,     /* no scene yet */
    SHOP_CLEARING,  /* useless work is giving up */
    SHOP_PREPARING, /* the scene */
    SHOP_READY,
    SHOP_FAILED, /* to prepare the scene */
    SHOP_GONE    /* no lane is alive */
};

struct shop;

struct shop_done {
    uint32_t number; /* as it was given */
    bool wanted;     /* no: cancelled; only `room` is of interest */
    void *room;
    size_t length; /* of its result */
    enum status status;
    const char *text; /* of a failure; borrowed until the next call */
    uint64_t iterations;
    double busy_s;
};

/* `bell` is rung by lanes that have finished. */
enum status shop_open(struct shop **shop, const struct session_options *options, struct bell *bell);

/* Nothing may be running. Accepts NULL. */
void shop_close(struct shop *shop);

/* Cancels, and prepares this one. */
void shop_scene(struct shop *shop, struct scene *scene);

/* Makes all tasks useless; a scene that is being prepared goes on. */
void shop_cancel(struct shop *shop);

/* Cancels everything and wants nothing any more. */
void shop_end(struct shop *shop);

/* A task for a shop that is ready, with memory for its result. At most its credits at a
 * time; what was cancelled must have been taken before the next cancel. */
void shop_give(struct shop *shop, uint32_t number, const struct session_task *task, void *room);

/* Goes on with what is to be done; the next task that is done, dropped ones too. */
bool shop_take(struct shop *shop, struct shop_done *done);

/* Would shop_take find anything? */
bool shop_has_done(const struct shop *shop);

enum shop_state shop_state(const struct shop *shop);
enum status shop_failure(const struct shop *shop); /* why FAILED or GONE, with status_text() */
int shop_lanes(const struct shop *shop);           /* alive */
bool shop_runs(const struct shop *shop);           /* does anything run, useless or not? */

struct shop_tally { /* of what nobody wanted */
    uint64_t late;  /* finished all the same */
    uint64_t iterations;
    double busy_s;
};
struct shop_tally shop_dropped(const struct shop *shop);

#endif
