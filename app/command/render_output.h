/* One picture of `deepfield render`: what is printed of it, around a deepfield_output. */
#ifndef APP_COMMAND_RENDER_OUTPUT_H
#define APP_COMMAND_RENDER_OUTPUT_H

#include "app/report/progress.h"
#include "app/settings/invocation.h"
#include "library/handle/program.h"

struct render_output { /* stays where it is until its deepfield_output is closed */
    /* Set by the caller, all else being zero: */
    struct invocation *invocation;  /* receives in its config what the picture settles */
    const struct invocation *whole; /* words of the command line; of one picture the same */
    bool of_many; /* one of several pictures: the job may be restarted, since it finds the files
                     that are complete */
    enum status (*load)(void *context); /* reads the view into the invocation; NULL: it is there */
    void (*ended)(void *context, enum status status); /* as that of struct program_output */
    void *context;
    struct deepfield_output *output; /* made by render_output_open */
    struct progress progress;
};

/* Tells on stderr, from now on, what was finished for killed runs. Called before threads look for
 * files that are there. */
void render_output_listen(void);

/* deepfield_output_open of this picture. */
enum status render_output_open(struct render_output *render, struct deepfield_renderer *renderer);

#endif
