/* Undo and redo over texts of places (place_text.h): view, limit, colours, formula alike. A settled
 * view is a step; stepping on from an undone place drops what had been redoable.
 *
 * Kept in a file to which every change is added, so that a crash loses at most the change that was
 * being written. A record that is damaged ends the reading with a warning; what could not be read
 * is kept beside the file as *.damaged, and the file is written anew. Only history_load and
 * history_save, which may run on any thread, use the disk. */
#ifndef APP_VIEWER_FILES_HISTORY_H
#define APP_VIEWER_FILES_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/status.h"

enum {
    HISTORY_STEPS_MAX = 10000,    /* the oldest go first */
    HISTORY_BYTES_MAX = 64 << 20, /* limit of all texts together; the oldest go first */
    HISTORY_TEXT_MAX = 1 << 20    /* limit of one text */
};

struct history;

/* Creates an empty history, in memory only. */
enum status history_create(struct history **history);
void history_destroy(struct history *history); /* accepts NULL; what is not saved is lost */

/* Reads the file, if there is one. What could not be read is reported in *warning (a buffer of
 * STATUS_TEXT_BYTES; "" otherwise) and is no failure. STATUS_IO, STATUS_OUT_OF_MEMORY. */
enum status history_load(struct history *history, const char *path, char *warning);

/* Adds a new present place, with a copy of the text, unless it is the present one already.
 * STATUS_OUT_OF_MEMORY; STATUS_TOO_LARGE beyond HISTORY_TEXT_MAX. */
enum status history_add(struct history *history, const char *text);

/* The present place; NULL if there is none. Borrowed until the next history_add. */
const char *history_present(const struct history *history);

/* The place so many steps before the present one, 0: itself; NULL if there is none. Borrowed
 * likewise. */
const char *history_ago(const struct history *history, size_t steps);

/* Steps to the place before or after and returns it; NULL if there is none. Borrowed likewise. */
const char *history_undo(struct history *history);
const char *history_redo(struct history *history);

/* Number of places before and after the present one. */
size_t history_before(const struct history *history);
size_t history_after(const struct history *history);

/* Changes since the last call, as bytes that history_save adds to the file, so that the thread
 * which has the history need not wait for the disk. *bytes is NULL without changes; *whole: the
 * file is to be written anew. Freed by the caller. STATUS_OUT_OF_MEMORY leaves all to the next
 * call. */
enum status history_changes(struct history *history, char **bytes, size_t *length, bool *whole);

/* Adds the bytes to the file, synced, or replaces it whole. Its folder is made if need be. Calls
 * are in the order of history_changes, one at a time. STATUS_IO, STATUS_CANNOT_CREATE leaving the
 * file as it was; then history_unsaved is to be called. */
enum status history_save(const char *path, const char *bytes, size_t length, bool whole);

/* Makes the next changes the whole history, since the file lacks some. */
void history_unsaved(struct history *history);

#endif
