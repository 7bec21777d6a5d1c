/* The pictures of a `deepfield render` of several views: which views there are, and the names of
 * their files. Each picture is an invocation of its own, as if its view and its -o had been the
 * only ones: nothing of one view reaches the next. Rank 0. */
#ifndef APP_COMMAND_BATCH_H
#define APP_COMMAND_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "app/settings/invocation.h"

struct batch_item {
    char *view;         /* word that names the view; owned */
    char **out;         /* names of its files, ended by NULL; owned; NULL: see `status` */
    size_t number;      /* position among all views, from 1 */
    enum status status; /* why the view cannot be read; STATUS_OK: it can */
    char *why;          /* sentence of that; owned */
};

struct picture_batch {
    struct batch_item *item;
    size_t count; /* pictures of this run; with --part only those of the part */
    size_t all;   /* pictures of all parts */
    bool listed;  /* --part selects views of the list, not rows of a picture */
};

/* Are several views given, or names of files for several? */
bool batch_is_wanted(const struct arguments *arguments);

/* Reads the lists, and names all files; makes none. A view that cannot be read is an item with a
 * status. STATUS_USAGE, also for two views that would write one file; STATUS_NO_INPUT,
 * STATUS_BAD_DATA for a list; STATUS_CANNOT_CREATE for a folder that is missing;
 * STATUS_OUT_OF_MEMORY. */
enum status batch_create(struct picture_batch **batch, const struct invocation *invocation);
void batch_destroy(struct picture_batch *batch); /* accepts NULL */

/* Makes the invocation of one picture, with its view and settings. To be closed also after a
 * failure; borrows from the item and from `whole`. Fails as invocation_load. */
enum status batch_picture_open(struct invocation *picture, const struct batch_item *item,
                               const struct invocation *whole);
void batch_picture_close(struct invocation *picture);

#endif
