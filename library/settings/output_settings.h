/* The settings of a picture that goes into files: what is asked of it, as a plan with its files. */
#ifndef LIBRARY_SETTINGS_OUTPUT_SETTINGS_H
#define LIBRARY_SETTINGS_OUTPUT_SETTINGS_H

#include "library/settings/picture_settings.h"

/* When a caller looks at settings: described, or with the plan and what it has settled. */
enum output_check { OUTPUT_CHECK_DESCRIBED, OUTPUT_CHECK_PLANNED };

struct output_request {
    struct config *config;    /* receives what the picture settles; borrowed until the end */
    const char *const *paths; /* files to write, each of another name; likewise */
    size_t path_count;
    bool of_list; /* the key output.part selects pictures of a list, not rows of this one */
    bool survey;  /* the plan is explained: see struct picture */
    enum overwrite overwrite;
    const volatile int *stop; /* NULL: nothing stops it */
    /* Refuses settings that make no sense for the caller; any thread. NULL: all do. */
    enum status (*check)(void *context, const struct picture_settings *settings,
                         enum output_check stage);
    void *context;
};

/* Makes all settings, with the plan for the devices that there are. settings_destroy also after a
 * failure. */
enum status output_settings_make(struct picture_settings *settings,
                                 const struct output_request *request,
                                 const struct renderer_facts *facts);

/* Checks every file for being writable, before anything is computed. */
enum status output_settings_check(const struct picture_settings *settings);

#endif
