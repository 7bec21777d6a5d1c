/* The reference of the last deep picture of a renderer, for the next one of the same place: its
 * orbit, how errors grow along it, and its blocks of the processor. All pixels have the same bits
 * with and without. */
#ifndef LIBRARY_HANDLE_LAST_REFERENCE_H
#define LIBRARY_HANDLE_LAST_REFERENCE_H

#include "library/settings/picture_settings.h"

struct last_reference {
    char *key;                  /* all that decides the reference; owned; NULL: there is none */
    struct kept_reference kept; /* zeroed: none */
};

/* Lets a picture take the reference, if it is of its place, and keep its own; for the hooks of a
 * picture without an orbit of others. */
void last_reference_offer(struct last_reference *last, const struct picture_settings *settings,
                          struct picture_hooks *hooks);

/* After picture_render: drops what a failure has left, what would take too much memory, and blocks
 * that GPUs have themselves. */
void last_reference_keep(struct last_reference *last, enum status status, bool has_gpus);

void last_reference_close(struct last_reference *last); /* accepts a zeroed one */

#endif
