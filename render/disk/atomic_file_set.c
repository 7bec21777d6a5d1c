#include "render/disk/atomic_file_set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/file_swap.h"
#include "render/disk/folder.h"
#include "render/disk/folder_clear.h"

/* Longest wait for a run that gives names: milliseconds, unless it is stopped. */
enum { LOCK_WAIT_S = 60 };

enum status atomic_file_set_add(struct atomic_file_set *set, struct atomic_file *file)
{
    enum status status = atomic_file_finish(file);
    if (status == STATUS_OK)
        return atomic_file_set_add_folder(set, file);
    atomic_file_abandon(file);
    return status;
}

enum status atomic_file_set_add_folder(struct atomic_file_set *set, struct atomic_file *file)
{
    struct atomic_file *grown = realloc(set->file, (set->count + 1) * sizeof *grown);
    if (!grown) {
        atomic_file_abandon(file);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of files");
    }
    set->file = grown;
    set->file[set->count++] = *file;
    *file = (struct atomic_file){0};
    return STATUS_OK;
}

/* ---- the files of one folder ---- */

static enum status swap_failed(const struct file_swap *swap, const struct atomic_file *files)
{
    const char *path = files[swap->failed].path;
    if (errno == EEXIST)
        return status_fail(STATUS_CANNOT_CREATE, "%s has appeared meanwhile; --force replaces it",
                           path);
    if (errno == EISDIR)
        return status_fail(STATUS_CANNOT_CREATE, "cannot create %s: it is a folder", path);
    return status_fail(errno == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_IO,
                       "cannot give %s its name: %s", path, strerror(errno));
}

/* Swaps the files, with the lock of the folder, or without where the disk has no locks. */
static enum status files_swap(struct file_swap *swap, const struct atomic_file *files)
{
    for (size_t i = 0; i < swap->count; i++)
        swap->file[i] = (struct swap_file){.name = files[i].name,
                                           .temporary = files[i].temporary,
                                           .replaces = files[i].overwrite == OVERWRITE_YES};
    if (file_swap_begin(swap) != 0)
        return swap_failed(swap, files);
    if (file_swap_place(swap) == 0) {
        file_swap_end(swap);
        return STATUS_OK;
    }
    char why[STATUS_TEXT_BYTES];
    enum status status = swap_failed(swap, files);
    snprintf(why, sizeof why, "%s", status_text());
    if (!file_swap_undo(swap))
        status_fail(status,
                    "%.900s; the old files beside it are not all back, %s is one; the next run "
                    "there tries again",
                    why, swap->file[swap->failed].old);
    return status;
}

static enum status lock_failed(const struct atomic_file *file)
{
    if (errno == ECANCELED)
        return status_fail(STATUS_STOPPED,
                           "stopped on request while another run gives names beside %s",
                           file->path);
    return status_fail(STATUS_IO,
                       "cannot give %s its name: another run has held its folder for %d seconds",
                       file->path, LOCK_WAIT_S);
}

static enum status group_place(struct atomic_file *files, size_t count)
{
    if (count == 1)
        return atomic_file_place(files);
    struct file_swap swap = {.folder = files->folder, .count = count};
    for (size_t i = 0; i < count; i++)
        TRY(atomic_file_name(&files[i]));
    int lock = folder_lock(files->folder, LOCK_WAIT_S, files->stop);
    if (lock < 0 && (errno == EWOULDBLOCK || errno == ECANCELED))
        return lock_failed(files);
    folder_clear_locked(files->folder); /* a run may have died since these files were opened */
    swap.file = calloc(count, sizeof *swap.file);
    enum status status = swap.file
                             ? files_swap(&swap, files)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of files");
    free(swap.file);
    if (lock >= 0)
        close(lock);
    return status;
}

/* ---- all of them ---- */

/* Moves the files in the folder of the first one behind it; returns how many there are with it. */
static size_t group_gather(struct atomic_file *files, size_t count)
{
    struct stat mine, other;
    size_t group = 1;
    if (files->folder < 0 || fstat(files->folder, &mine) != 0) /* the target is a device */
        return group;
    for (size_t i = 1; i < count; i++) {
        struct atomic_file file = files[i];
        if (file.folder < 0 || fstat(file.folder, &other) != 0 || mine.st_ino != other.st_ino ||
            mine.st_dev != other.st_dev)
            continue;
        files[i] = files[group];
        files[group++] = file;
    }
    return group;
}

enum status atomic_file_set_commit(struct atomic_file_set *set)
{
    enum status status = STATUS_OK;
    for (size_t at = 0, count; at < set->count; at += count) {
        count = group_gather(&set->file[at], set->count - at);
        enum status placed = group_place(&set->file[at], count);
        status = placed == STATUS_OK ? status : placed;
    }
    atomic_file_set_abandon(set);
    return status;
}

void atomic_file_set_cut(struct atomic_file_set *set, size_t count)
{
    while (set->count > count)
        atomic_file_abandon(&set->file[--set->count]);
}

void atomic_file_set_abandon(struct atomic_file_set *set)
{
    atomic_file_set_cut(set, 0);
    free(set->file);
    *set = (struct atomic_file_set){0};
}
