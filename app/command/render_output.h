/* One picture of `deepfield render`: what is printed of it, around library/output/. */
#ifndef APP_COMMAND_RENDER_OUTPUT_H
#define APP_COMMAND_RENDER_OUTPUT_H

#include "app/report/progress.h"
#include "app/settings/invocation.h"
#include "library/output/picture_ahead.h"
#include "library/output/picture_output.h"
#include "render/picture/cores_choice.h"

struct render_output { /* stays where it is until render_output_end */
    /* Set by the caller, all else being zero: */
    struct invocation *invocation; /* receives in its config what the picture settles */
    struct renderer *renderer;
    const struct cores_choice *choice; /* why these devices, for --explain; NULL: nothing to say */
    struct picture_ahead *ahead;       /* what was made ready; NULL: nothing */
    bool of_many; /* one of several pictures: the job may be restarted, since it finds the files
                     that are complete */
    enum status (*begin)(void *context);  /* as those of struct output_hooks */
    void (*before_report)(void *context); /* likewise */
    void *context;
    /* Set by the functions below: */
    struct picture_output_facts facts;
    struct picture_output *output;
    struct progress progress;
};

/* Tells on stderr, from now on, what was finished for killed runs. Called before threads look for
 * files that are there. */
void render_output_listen(void);

/* picture_output_compute and picture_output_end of this picture. */
enum status render_output_compute(struct render_output *render);
enum status render_output_end(struct render_output *render, enum status status);

#endif
