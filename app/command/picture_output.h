/* One picture of `deepfield render`, from its settings to its files, in a renderer that is open. */
#ifndef APP_COMMAND_PICTURE_OUTPUT_H
#define APP_COMMAND_PICTURE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "library/settings/picture_settings.h"
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
    uint64_t copied_bytes; /* rows that take so much at most are copied: picture_files.h */
    /* Called before the first collective call, so that the other ranks call picture_output_join;
     * NULL: they have called it. */
    enum status (*begin)(void *context);
    /* Called before anything is printed of a picture without failure whose pixels are there; NULL:
     * nobody waits for it. */
    void (*before_report)(void *context);
    void *context;
};

struct picture_output_facts {
    bool shared;    /* the other ranks have taken part */
    bool saved;     /* all files are complete and named, whatever the status */
    bool was_there; /* all files were complete before */
};

/* Tells on stderr, from now on, what was finished for killed runs. Called before threads look for
 * files that are there. */
void picture_output_listen(void);

/* A picture whose pixels are there. */
struct picture_output;

/* Computes the pixels of a picture; rank 0. Collective once `begin` was called; not at all where
 * facts->shared is false, as after a failure before that or where nothing is left to compute. What
 * the request borrows must stay until picture_output_end, which follows also after a failure.
 * *output NULL: STATUS_OUT_OF_MEMORY. */
enum status picture_output_compute(struct picture_output **output,
                                   const struct picture_output_request *request,
                                   struct picture_output_facts *facts);

/* May picture_output_end be called on another thread, while the renderer computes the next picture?
 * All but one that prints while it is computed, or whose ranks or devices were lost. */
bool picture_output_is_apart(const struct picture_output *output);

/* Completes the files, reports, and destroys the output. status: that of picture_output_compute,
 * with its sentence. */
enum status picture_output_end(struct picture_output *output, enum status status,
                               struct picture_output_facts *facts);

/* Takes part in the computation of a picture; ranks > 0. Collective. */
enum status picture_output_join(struct renderer *renderer);

#endif
