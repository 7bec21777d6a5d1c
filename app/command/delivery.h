/* One picture of `deepfield render`, from its settings to its files, in a renderer that is open. */
#ifndef APP_COMMAND_DELIVERY_H
#define APP_COMMAND_DELIVERY_H

#include <stdbool.h>

#include "app/settings/picture_settings.h"
#include "render/device/renderer.h"
#include "render/picture/cores_choice.h"

struct delivery_order {
    struct invocation *invocation; /* receives in its config what the picture settles */
    struct renderer *renderer;
    const struct cores_choice *choice; /* why these devices, for --explain; NULL: nothing to say */
    struct picture_settings *settings; /* made already, and taken; NULL: not yet */
    struct reference *reference;       /* likewise */
    bool was_there;                    /* with such settings: all files were found complete */
    bool of_many; /* one of several: files that are complete are left alone, and the rest of the
                     job may start again, as it will find them */
    /* Called when it is known that the other ranks are needed, who call picture_render next; NULL:
     * they have called it. */
    enum status (*begin)(void *context);
    void *context;
};

struct delivery_facts {
    bool shared;    /* the other ranks have taken part */
    bool saved;     /* all files are complete and named, whatever the status */
    bool was_there; /* they were so before */
};

/* Rank 0. Collective once `begin` was called; not at all where facts->shared is false, as after a
 * failure before that or where nothing is left to compute. */
enum status delivery_make(const struct delivery_order *order, struct delivery_facts *facts);

/* The other ranks' part. Collective. */
enum status delivery_join(struct renderer *renderer);

#endif
