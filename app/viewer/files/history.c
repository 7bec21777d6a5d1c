#include "app/viewer/files/history.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/viewer/files/history_file.h"
#include "app/viewer/files/user_data.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"

/* Limits of the file: undone and dropped records pile up in it, until it is written anew. */
enum { FILE_BYTES_MAX = 4 * HISTORY_BYTES_MAX, LOG_SLACK_BYTES = 1 << 20 };

struct buffer {
    char *bytes;
    size_t length, room;
};

struct history {
    char **step; /* texts, the oldest first; owned */
    size_t count;
    size_t present;        /* index, if count > 0 */
    size_t bytes;          /* sum of all texts */
    struct buffer changes; /* records since the last history_changes */
    size_t log_bytes;      /* size of the file, as far as known */
    bool whole;            /* the file is to be written anew: it lacks earlier records */
};

enum status history_create(struct history **history)
{
    *history = calloc(1, sizeof **history);
    if (!*history)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the history");
    (*history)->whole = true;
    return STATUS_OK;
}

void history_destroy(struct history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->count; i++)
        free(history->step[i]);
    free(history->step);
    free(history->changes.bytes);
    free(history);
}

/* ---- records ---- */

static bool buffer_add(struct buffer *buffer, const char *bytes, size_t length)
{
    if (buffer->room - buffer->length < length) {
        size_t room = 2 * buffer->room + length + 256;
        char *grown = realloc(buffer->bytes, room);
        if (!grown)
            return false;
        buffer->bytes = grown;
        buffer->room = room;
    }
    memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    return true;
}

static bool record_add(struct buffer *buffer, const struct history_record *record)
{
    char line[HISTORY_RECORD_MOST];
    size_t length = history_line(record, line), before = buffer->length;
    bool added = buffer_add(buffer, line, length);
    if (added && record->verb == HISTORY_ADD)
        added = buffer_add(buffer, record->text, record->count) && buffer_add(buffer, "\n", 1);
    if (!added)
        buffer->length = before;
    return added;
}

/* Adds a record to the changes; without memory for it the whole history is written next time. */
static void change_note(struct history *history, enum history_verb verb, size_t count,
                        const char *text)
{
    struct history_record record = {.verb = verb, .count = count, .text = text};
    if (!history->whole && !record_add(&history->changes, &record))
        history_unsaved(history);
}

void history_unsaved(struct history *history)
{
    history->whole = true;
    history->changes.length = 0;
}

/* ---- steps ---- */

static void drop_after(struct history *history)
{
    while (history->count > history->present + 1) {
        char *last = history->step[--history->count];
        history->bytes -= strlen(last);
        free(last);
    }
}

static void drop_oldest(struct history *history)
{
    history->bytes -= strlen(history->step[0]);
    free(history->step[0]);
    history->count--;
    history->present -= history->present > 0;
    memmove(history->step, history->step + 1, history->count * sizeof *history->step);
}

/* Takes `text`, which is freed if that fails. */
static enum status step_push(struct history *history, char *text)
{
    char **grown = realloc(history->step, (history->count + 1) * sizeof *grown);
    if (!grown || !text) {
        if (grown)
            history->step = grown;
        free(text);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a step of the history");
    }
    history->step = grown;
    if (history->count)
        drop_after(history);
    history->step[history->count] = text;
    history->present = history->count++;
    history->bytes += strlen(text);
    while (history->count > HISTORY_STEPS_MAX ||
           (history->count > 1 && history->bytes > HISTORY_BYTES_MAX))
        drop_oldest(history);
    return STATUS_OK;
}

enum status history_add(struct history *history, const char *text)
{
    const char *present = history_present(history);
    if (present && !strcmp(present, text))
        return STATUS_OK;
    size_t length = strlen(text);
    if (length > HISTORY_TEXT_MAX)
        return status_fail(STATUS_TOO_LARGE, "a step of the history of %zu bytes; the most are %d",
                           length, HISTORY_TEXT_MAX);
    TRY(step_push(history, strdup(text)));
    change_note(history, HISTORY_ADD, length, text);
    return STATUS_OK;
}

const char *history_present(const struct history *history)
{
    return history->count ? history->step[history->present] : NULL;
}

const char *history_ago(const struct history *history, size_t steps)
{
    return steps < history->count && steps <= history->present
               ? history->step[history->present - steps]
               : NULL;
}

size_t history_before(const struct history *history)
{
    return history->present;
}

size_t history_after(const struct history *history)
{
    return history->count ? history->count - 1 - history->present : 0;
}

const char *history_undo(struct history *history)
{
    if (history_before(history) == 0)
        return NULL;
    history->present--;
    change_note(history, HISTORY_BACK, 1, NULL);
    return history_present(history);
}

const char *history_redo(struct history *history)
{
    if (history_after(history) == 0)
        return NULL;
    history->present++;
    change_note(history, HISTORY_FORTH, 1, NULL);
    return history_present(history);
}

/* ---- the file ---- */

static enum status record_play(struct history *history, const struct history_record *record)
{
    size_t steps = record->count;
    switch (record->verb) {
    case HISTORY_ADD:
        return step_push(history, strndup(record->text, record->count));
    case HISTORY_BACK:
        history->present -= steps < history_before(history) ? steps : history_before(history);
        return STATUS_OK;
    default:
        history->present += steps < history_after(history) ? steps : history_after(history);
        return STATUS_OK;
    }
}

/* Keeps what could not be read; if that fails, too, it is lost, but the program goes on. */
static void set_aside(const char *path)
{
    char aside[NAME_MAX + 1];
    const char *name;
    int folder = folder_above(path, &name);
    if (folder < 0)
        return;
    if (snprintf(aside, sizeof aside, "%s.damaged", name) < (int)sizeof aside)
        (void)renameat(folder, name, folder, aside);
    close(folder);
}

static enum status file_play(struct history *history, const char *bytes, size_t length,
                             const char *path, char *warning)
{
    size_t header = strlen(HISTORY_HEADER);
    const char *at = bytes + header, *end = bytes + length;
    enum history_reading reading = HISTORY_DAMAGED;
    struct history_record record;
    if (length < header || memcmp(bytes, HISTORY_HEADER, header) != 0)
        at = bytes;
    else
        while ((reading = history_read(&record, &at, end)) == HISTORY_READ)
            TRY(record_play(history, &record));
    history->whole = reading != HISTORY_END;
    if (reading == HISTORY_CUT)
        snprintf(warning, STATUS_TEXT_BYTES, "%s: the last change was not written whole", path);
    else if (reading == HISTORY_DAMAGED) {
        snprintf(warning, STATUS_TEXT_BYTES,
                 "%s is damaged from byte %zu on, or no history; it is kept as %s.damaged", path,
                 (size_t)(at - bytes), path);
        set_aside(path);
    }
    return STATUS_OK;
}

enum status history_load(struct history *history, const char *path, char *warning)
{
    size_t length = 0;
    *warning = '\0';
    history_unsaved(history);
    const char *name;
    int folder = folder_above(path, &name);
    char *bytes = folder >= 0 ? folder_file_read(folder, name, FILE_BYTES_MAX, &length) : NULL;
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (!bytes && reason == ENOENT)
        return STATUS_OK;
    if (!bytes && reason == ENOMEM)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the history %s", path);
    if (!bytes || length == 0) {
        snprintf(warning, STATUS_TEXT_BYTES, "%s: %s", path,
                 bytes ? "it is empty" : folder_reason(reason));
        set_aside(path);
        free(bytes);
        return STATUS_OK;
    }
    enum status status = file_play(history, bytes, length, path, warning);
    history->log_bytes = length;
    free(bytes);
    return status;
}

/* Writes the whole history with as few records as possible. */
static bool whole_write(const struct history *history, struct buffer *buffer)
{
    bool written = buffer_add(buffer, HISTORY_HEADER, strlen(HISTORY_HEADER));
    for (size_t i = 0; i < history->count && written; i++)
        written = record_add(buffer, &(struct history_record){.verb = HISTORY_ADD,
                                                              .count = strlen(history->step[i]),
                                                              .text = history->step[i]});
    size_t undone = history_after(history);
    if (written && undone)
        written =
            record_add(buffer, &(struct history_record){.verb = HISTORY_BACK, .count = undone});
    return written;
}

enum status history_changes(struct history *history, char **bytes, size_t *length, bool *whole)
{
    struct buffer buffer = {0};
    *bytes = NULL;
    *length = 0;
    *whole = false;
    if (history->whole ? history->count == 0 : history->changes.length == 0)
        return STATUS_OK;
    if (history->log_bytes + history->changes.length > 2 * history->bytes + LOG_SLACK_BYTES)
        history_unsaved(history);
    *whole = history->whole;
    if (history->whole && !whole_write(history, &buffer)) {
        free(buffer.bytes);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to save the history");
    }
    if (!history->whole)
        buffer = history->changes;
    else
        free(history->changes.bytes);
    history->changes = (struct buffer){0};
    history->log_bytes = (history->whole ? 0 : history->log_bytes) + buffer.length;
    history->whole = false;
    *bytes = buffer.bytes;
    *length = buffer.length;
    return STATUS_OK;
}

static enum status save_whole(const char *path, const char *bytes, size_t length)
{
    char folder[USER_DATA_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    if (slash && slash > path && slash - path < USER_DATA_PATH_BYTES) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        TRY(user_data_make(folder));
    }
    return user_data_replace(path, bytes, length);
}

/* True if all bytes are on the disk. A part of them would hide whatever comes behind it. */
static bool append_synced(int file, const char *bytes, size_t length)
{
    off_t before = lseek(file, 0, SEEK_END);
    if (before >= 0 && file_bytes_put(file, bytes, length, before) &&
        TEMP_FAILURE_RETRY(fdatasync(file)) == 0)
        return true;
    int reason = errno;
    if (before >= 0 && TEMP_FAILURE_RETRY(ftruncate(file, before)) != 0)
        reason = errno;
    errno = reason;
    return false;
}

enum status history_save(const char *path, const char *bytes, size_t length, bool whole)
{
    if (whole)
        return save_whole(path, bytes, length);
    const char *name;
    int folder = folder_above(path, &name);
    int file = folder >= 0 ? folder_file_open(folder, name, O_WRONLY | O_APPEND) : -1;
    bool good = file_bytes_close(file, file >= 0 && append_synced(file, bytes, length));
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (good)
        return STATUS_OK;
    return status_fail(STATUS_IO, "cannot write %s: %s", path, folder_reason(reason));
}
