#include "render/whole_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/leftover.h"

enum status whole_set_add(struct whole_set *set, struct whole_file *file)
{
    enum status status = whole_file_finish(file);
    struct whole_file *grown =
        status == STATUS_OK ? realloc(set->file, (set->count + 1) * sizeof *grown) : NULL;
    if (status == STATUS_OK && !grown)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of files");
    if (status != STATUS_OK) {
        whole_file_abandon(file);
        return status;
    }
    set->file = grown;
    set->file[set->count++] = *file;
    *file = (struct whole_file){0};
    return STATUS_OK;
}

/* ---- the record ---- */

static bool is_plain(const struct whole_file *file)
{
    return file->folder >= 0; /* and no device */
}

static bool same_folder(const struct whole_file *a, const struct whole_file *b)
{
    struct stat mine, other;
    return fstat(a->folder, &mine) == 0 && fstat(b->folder, &other) == 0 &&
           mine.st_ino == other.st_ino && mine.st_dev == other.st_dev;
}

struct record {
    int file; /* -1: there is none */
    int folder;
    char name[LEFTOVER_NAME_BYTES];
};

/* Of files with temporaries. None if they are in several folders. */
static enum status record_write(struct record *record, const struct whole_set *set)
{
    struct leftover_pair *pairs = calloc(set->count, sizeof *pairs);
    const struct whole_file *first = NULL;
    size_t count = 0;
    bool together = true;
    record->file = -1;
    if (!pairs)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of files");
    for (size_t i = 0; i < set->count; i++) {
        const struct whole_file *file = &set->file[i];
        if (!is_plain(file))
            continue;
        first = first ? first : file;
        together = together && same_folder(first, file);
        pairs[count++] = (struct leftover_pair){.name = file->name,
                                                .temporary = file->temporary,
                                                .replaces = file->overwrite == OVERWRITE_YES};
    }
    enum status status = STATUS_OK;
    if (together && count) {
        record->folder = first->folder;
        record->file = leftover_record(first->folder, pairs, count, record->name);
        if (record->file < 0)
            status = status_fail(STATUS_IO, "cannot write a list of files beside %s: %s",
                                 first->path, strerror(errno));
    }
    free(pairs);
    return status == STATUS_OK && record->file >= 0 ? whole_file_folder_sync(first) : status;
}

static void record_remove(struct record *record)
{
    if (record->file < 0)
        return;
    unlinkat(record->folder, record->name, 0);
    close(record->file);
}

/* ---- the old files ---- */

typedef char old_name[LEFTOVER_NAME_BYTES]; /* "": there was none */

static enum status old_move(const struct whole_file *file, old_name old)
{
    if (!is_plain(file) || file->overwrite == OVERWRITE_NO)
        return STATUS_OK;
    leftover_name(old, file->name, ".part");
    if (renameat(file->folder, file->name, file->folder, old) == 0)
        return STATUS_OK;
    *old = '\0';
    return errno == ENOENT
               ? STATUS_OK
               : status_fail(STATUS_IO, "cannot replace %s: %s", file->path, strerror(errno));
}

static enum status old_move_all(const struct whole_set *set, old_name *old)
{
    for (size_t i = 0; i < set->count; i++)
        TRY(old_move(&set->file[i], old[i]));
    for (size_t i = 0; i < set->count; i++)
        if (*old[i]) /* else it could come back beside a new one when the machine goes down */
            TRY(whole_file_folder_sync(&set->file[i]));
    return STATUS_OK;
}

static void old_remove_all(const struct whole_set *set, old_name *old)
{
    for (size_t i = 0; i < set->count; i++)
        if (*old[i])
            unlinkat(set->file[i].folder, old[i], 0);
}

/* The first `placed` files have their names; the file after them may. */
static void undo(const struct whole_set *set, old_name *old, size_t placed)
{
    for (size_t i = 0; i < placed; i++)
        if (is_plain(&set->file[i]))
            unlinkat(set->file[i].folder, set->file[i].name, 0);
    for (size_t i = 0; i < set->count; i++)
        if (*old[i])
            renameat(set->file[i].folder, old[i], set->file[i].folder, set->file[i].name);
}

/* ---- all together ---- */

static enum status place_all(struct whole_set *set, old_name *old)
{
    struct record record;
    size_t placed = 0;
    for (size_t i = 0; i < set->count; i++)
        TRY(whole_file_name(&set->file[i]));
    TRY(record_write(&record, set));
    enum status status = old_move_all(set, old);
    for (; status == STATUS_OK && placed < set->count; placed++) {
        status = whole_file_place(&set->file[placed]);
        if (status != STATUS_OK)
            break;
    }
    if (status == STATUS_OK)
        old_remove_all(set, old);
    else
        undo(set, old, placed);
    record_remove(&record);
    return status;
}

enum status whole_set_commit(struct whole_set *set)
{
    enum status status = STATUS_OK;
    if (set->count == 1)
        status = whole_file_place(&set->file[0]);
    if (set->count > 1) {
        old_name *old = calloc(set->count, sizeof *old);
        status = old ? place_all(set, old)
                     : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of files");
        free(old);
    }
    whole_set_abandon(set);
    return status;
}

void whole_set_abandon(struct whole_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        whole_file_abandon(&set->file[i]);
    free(set->file);
    *set = (struct whole_set){0};
}
