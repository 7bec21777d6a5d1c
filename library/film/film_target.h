/* What a film is made into: its file, its colours and methods, and what tells it from other films.
 *
 *     film_target_create; film_target_make; film_target_destroy */
#ifndef LIBRARY_FILM_FILM_TARGET_H
#define LIBRARY_FILM_FILM_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "library/film/film_scenes.h"
#include "render/disk/atomic_file.h"

struct film_target_request {
    const char *path; /* path of a video, or pattern of numbered frames */
    enum overwrite overwrite;
    const char *command; /* words for `deepfield resume`, each with a final 0; borrowed */
    size_t command_bytes;
    const volatile int *stop;
};

struct film_target {                  /* owned; zeroed: none */
    const struct film_scenes *scenes; /* borrowed, as the settings are */
    const struct config *config;
    struct film *scene; /* [scenes->count], complete; their paths are those of `scenes` */
    struct palette **palette;
    char *path, *identity;
    char *subtitles;              /* path of the texts beside the video of a tour; NULL: none */
    const char *interior_missing; /* why pixels inside have one colour, though others are set; NULL:
                                     they have those, or have none */
    bool relief;                  /* frames have some */
};

/* Completes the scenes, which were found, and checks that the film can be written. Computes
 * nothing. film_target_destroy also after a failure. */
enum status film_target_create(struct film_target *target, const struct film_scenes *scenes,
                               const struct config *config, const struct renderer_facts *facts,
                               const struct film_target_request *request);

/* film_make with the subtitles, on rank 0. `hooks` without `placed`. The sentence of a failure says
 * what is kept. report->whole: all frames that were wanted are made, whatever the status. */
enum status film_target_make(const struct film_target *target, struct renderer *renderer,
                             const struct film_hooks *hooks, struct film_report *report);

void film_target_destroy(struct film_target *target);

#endif
