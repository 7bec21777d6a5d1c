/* One picture into files, from its settings to the names of the files, in a renderer that is open.
 *
 *     picture_output_compute; then, beside the next picture if it may be, picture_output_end. */
#ifndef LIBRARY_OUTPUT_PICTURE_OUTPUT_H
#define LIBRARY_OUTPUT_PICTURE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "library/output/outcome.h"
#include "library/settings/output_settings.h"
#include "library/output/picture_journal.h"
#include "render/device/renderer.h"
#include "render/disk/atomic_file_set.h"

/* What a caller does on the way; each may be NULL. On the threads of the calls. */
struct output_hooks {
    void *context;
    /* The plan is made, and not admitted yet; of pictures with `survey`. */
    void (*planned)(void *context, const struct picture_settings *settings);
    /* Files are opened next, or were found complete; perhaps twice. */
    enum status (*open)(void *context, const struct picture_settings *settings);
    /* Called before the first collective call, so that the other ranks call picture_render. */
    enum status (*begin)(void *context);
    void (*progress)(void *context, const struct job_progress *progress);
    void (*prepare)(void *context, const struct reference_progress *progress);
    void (*notice)(void *context, const char *sentence); /* a rank does not answer, or again */
    void (*computed)(void *context);                     /* progress has ended, also by a failure */
    /* The pixels are there; of pictures with `survey`. */
    void (*surveyed)(void *context, const struct picture_settings *settings,
                     const struct outcome *outcome);
    void (*say)(void *context, const char *sentence); /* what the user should know */
    /* Called before anything is said of a complete picture without failure. */
    void (*before_report)(void *context);
    void (*naming)(void *context); /* files are named next, or removed after a failure */
    enum status (*commit)(void *context, struct atomic_file_set *set); /* NULL: the set's own */
    /* What came of the picture; a failure is the picture's. */
    enum status (*report)(void *context, const struct picture_settings *settings,
                          const struct outcome *outcome);
    picture_command *command; /* NULL: all that is set */
};

struct picture_output_request {
    struct output_request asked;
    struct renderer *renderer;
    struct picture_settings *settings; /* settings made already, moved out; NULL: none */
    struct reference *reference;       /* reference made already, moved out; NULL: none */
    bool was_there;                    /* with such settings: all files were found complete */
    const struct picture_orbit *orbit; /* as that of struct picture_hooks; NULL: none */
    bool dry;                          /* nothing is computed but an estimate */
    bool brief;                        /* with `dry`: not even that */
    bool attached; /* it says more while it is computed: nothing of it may be beside others */
    uint64_t copied_bytes; /* rows that take so much at most are copied: picture_files.h */
    double started_s;      /* when the call began, on the clock */
    struct output_hooks hooks;
};

struct picture_output_facts {
    bool shared;    /* the other ranks have taken part */
    bool saved;     /* all files are complete and named, whatever the status */
    bool was_there; /* all files were complete before */
};

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
 * All but one that is attached or goes to stdout, or whose ranks or devices were lost. */
bool picture_output_is_apart(const struct picture_output *output);

/* Completes the files, reports, and destroys the output. status: that of picture_output_compute,
 * with its sentence. */
enum status picture_output_end(struct picture_output *output, enum status status,
                               struct picture_output_facts *facts);

#endif
