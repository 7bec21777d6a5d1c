/* One picture of `deepfield render`, from its settings to its files, in a renderer that is open. */
#ifndef APP_COMMAND_PICTURE_OUTPUT_H
#define APP_COMMAND_PICTURE_OUTPUT_H

#include <stdbool.h>

#include "app/settings/picture_settings.h"
#include "render/device/renderer.h"
#include "render/picture/cores_choice.h"

struct picture_output_request {
    struct invocation *invocation; /* receives in its config what the picture settles */
    struct renderer *renderer;
    const struct cores_choice *choice; /* why these devices, for --explain; NULL: nothing to say */
    struct picture_settings *settings; /* settings made already, moved out; NULL: none */
    struct reference *reference;       /* reference made already, moved out; NULL: none */
    bool was_there;                    /* with such settings: all files were found complete */
    bool of_many; /* one of several pictures: the job may be restarted, since it finds the files
                     that are complete */
    /* Called before the first collective call, so that the other ranks call picture_output_join;
     * NULL: they have called it. */
    enum status (*begin)(void *context);
    void *context;
};

struct picture_output_facts {
    bool shared;    /* the other ranks have taken part */
    bool saved;     /* all files are complete and named, whatever the status */
    bool was_there; /* all files were complete before */
};

/* Makes the files of one picture; rank 0. Collective once `begin` was called; not at all where
 * facts->shared is false, as after a failure before that or where nothing is left to compute. */
enum status picture_output_make(const struct picture_output_request *request,
                                struct picture_output_facts *facts);

/* Takes part in the computation of a picture; ranks > 0. Collective. */
enum status picture_output_join(struct renderer *renderer);

#endif
