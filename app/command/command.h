/* The list of commands; to add one, write command_X.c and a row in commands.c. */
#ifndef APP_COMMAND_COMMAND_H
#define APP_COMMAND_COMMAND_H

#include "app/settings/invocation.h"
#include "kernels/status.h"
#include "library/config/options.h"

enum command_operand {
    OPERAND_NONE,
    OPERAND_VIEW,
    OPERAND_VIEWS, /* one or more */
    OPERAND_VIEW_OR_HOME,
    OPERAND_FIELDS, /* one or more */
    OPERAND_FREE
};

struct command {
    const char *name;
    const char *operand;        /* as in the usage line; NULL: takes none */
    enum command_operand takes; /* OPERAND_VIEW: needs one, and it is loaded into the config; of
                                   OPERAND_VIEWS the only one is, if there are not several;
                                   OPERAND_VIEW_OR_HOME: without one, the whole set is */
    enum command_ranks ranks;   /* RANKS_ALL: run is collective; else rank 0 alone runs it */
    enum command_bit bit;
    const char *summary;                               /* one line */
    const char *help;                                  /* a paragraph or two for --help */
    const char *examples;                              /* lines that can be typed as they are */
    enum status (*run)(struct invocation *invocation); /* NULL: help, which program.c answers */
};

extern const struct command commands[];
extern const int commands_count;

/* The command of this name; NULL if there is none. */
const struct command *command_named(const char *name);

enum status command_render(struct invocation *invocation);
enum status command_film(struct invocation *invocation);
enum status command_find(struct invocation *invocation);
enum status command_info(struct invocation *invocation);
enum status command_devices(struct invocation *invocation);
enum status command_colour(struct invocation *invocation);
enum status command_verify(struct invocation *invocation);
enum status command_view(struct invocation *invocation);
enum status command_views(struct invocation *invocation);
enum status command_palettes(struct invocation *invocation);
enum status command_clean(struct invocation *invocation);
enum status command_status(struct invocation *invocation);
enum status command_join(struct invocation *invocation);
enum status command_doctor(struct invocation *invocation);

#endif
