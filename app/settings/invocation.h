/* What a command gets: its words, its view and its settings, and the ranks that it runs on. */
#ifndef APP_SETTINGS_INVOCATION_H
#define APP_SETTINGS_INVOCATION_H

#include <stdbool.h>

#include "app/arguments/arguments.h"
#include "library/config/config.h"
#include "library/settings/view_file.h"

struct world;
struct picture_batch;
struct command;

enum command_ranks { RANKS_ROOT, RANKS_ALL }; /* ranks that run a command, or a suite of bench */

struct invocation {
    const struct command *command;
    struct world *world;
    int ranks;        /* number of them; 0: not known yet */
    double started_s; /* monotonic clock at the start of the program */
    char **argv;      /* the words of the command line, with a final NULL */
    bool listed;      /* its view is one of several, whose list --part is of */
    bool foreign;     /* the launcher made N worlds of one rank each */
    /* Filled on rank 0 only: */
    struct arguments arguments;
    struct view_file view; /* zeroed unless the command takes a view */
    struct config config;
    struct picture_batch
        *batch;         /* views of several pictures (app/command/batch.h); NULL: one view */
    const char **paths; /* files of the picture, each borrowed; owned; NULL: not made yet */
    char *default_path; /* file of the picture where -o names none; owned */
};

/* Frees the names of files, which the settings of its picture borrow. */
void invocation_names_free(struct invocation *invocation);

#endif
