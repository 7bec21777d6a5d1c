#include "render/disk/file_swap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/number_text.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"

enum { RECORD_BYTES_MOST = 1 << 24 };
static const char record_magic[] = "deepfield set 3";

/* ---- which file is it? ---- */

static const char id_other[] = "other"; /* neither a file nor a link nor a folder, or not visible */
static const char id_folder[] = "folder ";

static void id_take(file_id id, int folder, const char *name)
{
    struct stat about;
    if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0)
        snprintf(id, sizeof(file_id), "%s", errno == ENOENT ? "" : id_other);
    else if (S_ISDIR(about.st_mode)) /* its time changes with its entries */
        snprintf(id, sizeof(file_id), "%s%llu", id_folder, (unsigned long long)about.st_ino);
    else if (!S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))
        snprintf(id, sizeof(file_id), "%s", id_other);
    else
        snprintf(id, sizeof(file_id), "%llu %lld.%09ld %lld", (unsigned long long)about.st_ino,
                 (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec, (long long)about.st_size);
}

static bool is_folder(const char *id)
{
    return !strncmp(id, id_folder, sizeof id_folder - 1);
}

/* Is it the same file, or may it be replaced by the new one? */
static bool is_alike(const char *id, const char *new_id)
{
    return strcmp(id, id_other) != 0 && is_folder(id) == is_folder(new_id);
}

/* Is the temporary "FOLDER/NAME", which has grown there, and goes back there if it cannot get its
 * name? */
static bool has_grown(const char *temporary)
{
    return strchr(temporary, '/');
}

static bool is_there(const struct file_swap *swap, const char *name)
{
    file_id id;
    id_take(id, swap->folder, name);
    return *id;
}

/* Does the new file have its name? */
static bool is_placed(const struct file_swap *swap, const struct swap_file *file)
{
    file_id id;
    id_take(id, swap->folder, file->name);
    return *id && !strcmp(id, file->new_id);
}

/* ---- the record ---- */

/* Text of the record: the magic and the number of files; for each file two ids and three names; all
 * texts with their NULs. */
static char *record_text(const struct file_swap *swap, size_t *length)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        return NULL;
    fprintf(stream, "%s%c%zu%c", record_magic, 0, swap->count, 0);
    for (size_t i = 0; i < swap->count; i++) {
        const struct swap_file *file = &swap->file[i];
        fprintf(stream, "%s%c%s%c%s%c%s%c%s%c", file->new_id, 0, file->old_id, 0, file->temporary,
                0, file->old, 0, file->name, 0);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static bool record_remove(struct file_swap *swap)
{
    bool gone = unlinkat(swap->folder, swap->record_name, 0) == 0;
    close(swap->record);
    return gone;
}

static int record_write(struct file_swap *swap)
{
    size_t length = 0;
    char *text = record_text(swap, &length);
    swap->record =
        text ? temporary_create(swap->folder, "deepfield", ".set", 0600, swap->record_name) : -1;
    bool good = swap->record >= 0 && file_bytes_put(swap->record, text, length, 0) &&
                TEMP_FAILURE_RETRY(fsync(swap->record)) == 0 && folder_sync(swap->folder) == 0;
    int reason = errno;
    free(text);
    if (!good && swap->record >= 0)
        record_remove(swap);
    errno = reason;
    return good ? 0 : -1;
}

int file_swap_begin(struct file_swap *swap)
{
    for (size_t i = 0; i < swap->count; i++) {
        struct swap_file *file = &swap->file[i];
        swap->failed = i;
        id_take(file->new_id, swap->folder, file->temporary);
        id_take(file->old_id, swap->folder, file->name);
        *file->old = '\0';
        if (file->replaces)
            temporary_name(file->old, file->name, ".old");
        if (*file->old_id && (!file->replaces || !is_alike(file->old_id, file->new_id))) {
            errno = !file->replaces ? EEXIST : is_folder(file->new_id) ? ENOTDIR : EISDIR;
            return -1;
        }
    }
    return record_write(swap);
}

/* ---- there ---- */

static int old_move(const struct file_swap *swap, struct swap_file *file)
{
    file_id id;
    id_take(id, swap->folder, file->name);
    if (!*file->old || !*id || !strcmp(id, file->new_id))
        return 0;
    if (swap->recovering && (!is_there(swap, file->temporary) || strcmp(id, file->old_id) != 0))
        return 0; /* the new file, in a copy of the folder, or one that appeared just now */
    if (!is_alike(id, file->new_id)) {
        errno = EISDIR;
        return -1;
    }
    if (renameat(swap->folder, file->name, swap->folder, file->old) != 0)
        return -1;
    id_take(id, swap->folder, file->old);
    if (!swap->recovering || !strcmp(id, file->old_id))
        return 0;
    errno = EEXIST; /* a newer file, which appeared just now */
    return -1;
}

/* Is the temporary another file? What has grown has a name that others may use, too. */
static bool is_another(const struct file_swap *swap, const struct swap_file *file)
{
    file_id id;
    id_take(id, swap->folder, file->temporary);
    return has_grown(file->temporary) && strcmp(id, file->new_id) != 0;
}

static int new_place(const struct file_swap *swap, const struct swap_file *file)
{
    if (is_placed(swap, file)) { /* linked by a process that was killed afterwards */
        (void)unlinkat(swap->folder, file->temporary, 0);
        return 0;
    }
    if (swap->recovering && !is_there(swap, file->temporary))
        return 0;
    if (is_another(swap, file)) {
        errno = ESTALE;
        return -1;
    }
    return file->replaces ? renameat(swap->folder, file->temporary, swap->folder, file->name)
                          : folder_rename_new(swap->folder, file->temporary, file->name);
}

int file_swap_place(struct file_swap *swap)
{
    for (swap->failed = 0; swap->failed < swap->count; swap->failed++)
        if (old_move(swap, &swap->file[swap->failed]) != 0)
            return -1;
    swap->failed = 0;
    if (folder_sync(swap->folder) != 0) /* else an old one could come back beside a new one */
        return -1;
    for (; swap->failed < swap->count; swap->failed++)
        if (new_place(swap, &swap->file[swap->failed]) != 0)
            return -1;
    swap->failed = 0;
    return folder_sync(swap->folder);
}

/* Renames an old file that cannot get its name back to a visible name, where its user finds it. */
static bool old_show(const struct file_swap *swap, const struct swap_file *file)
{
    return folder_rename_new(swap->folder, file->old, file->old + 1) == 0;
}

void file_swap_end(struct file_swap *swap)
{
    bool good = true;
    for (size_t i = 0; i < swap->count; i++) {
        const struct swap_file *file = &swap->file[i];
        if (!*file->old || !is_there(swap, file->old))
            continue;
        bool replaced = !swap->recovering || is_placed(swap, file);
        good =
            ((replaced && folder_remove(swap->folder, file->old) == 0) || old_show(swap, file)) &&
            good;
    }
    if (good)
        record_remove(swap);
    else
        close(swap->record);
}

/* ---- and back ---- */

static bool old_return(const struct file_swap *swap, const struct swap_file *file)
{
    if (!*file->old || !is_there(swap, file->old) ||
        folder_rename_new(swap->folder, file->old, file->name) == 0)
        return true;
    return errno == EEXIST && old_show(swap, file);
}

static bool new_return(const struct file_swap *swap, const struct swap_file *file)
{
    if (has_grown(file->temporary))
        return folder_rename_new(swap->folder, file->name, file->temporary) == 0;
    return unlinkat(swap->folder, file->name, 0) == 0;
}

bool file_swap_undo(struct file_swap *swap)
{
    bool good = true;
    for (size_t i = 0; i < swap->count; i++)
        if (is_placed(swap, &swap->file[i]))
            good = new_return(swap, &swap->file[i]) && good;
    for (size_t i = 0; i < swap->count; i++)
        if (!old_return(swap, &swap->file[i])) {
            swap->failed = i;
            good = false;
        }
    good = folder_sync(swap->folder) == 0 && good;
    if (good)
        return record_remove(swap);
    close(swap->record);
    return false;
}

/* ---- of a dead process ---- */

static const char *text_next(const char **at, const char *end)
{
    const char *text = *at, *nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
    *at = nul ? nul + 1 : end;
    return nul ? text : "";
}

static bool is_dots(const char *name, size_t length)
{
    return length == 0 || (length <= 2 && !memcmp(name, "..", length));
}

/* Is it a name that only we give, or one in a folder of this folder? */
static bool is_temporary(const char *name)
{
    const char *slash = strchr(name, '/');
    if (!slash)
        return temporary_is(name, ".part");
    return !strchr(slash + 1, '/') && !is_dots(name, (size_t)(slash - name)) &&
           !is_dots(slash + 1, strlen(slash + 1));
}

/* Reads the entry of a file. Names have no slash, so they lead to no other folder. */
static bool file_read(struct swap_file *file, const char **at, const char *end)
{
    snprintf(file->new_id, sizeof file->new_id, "%s", text_next(at, end));
    snprintf(file->old_id, sizeof file->old_id, "%s", text_next(at, end));
    file->temporary = text_next(at, end);
    snprintf(file->old, sizeof file->old, "%s", text_next(at, end));
    file->name = text_next(at, end);
    return is_temporary(file->temporary) && (!*file->old || temporary_is(file->old, ".old")) &&
           *file->name && !strpbrk(file->name, "/") && !strpbrk(file->old, "/");
}

/* Reads the record; the files are for free(). 0: it was not written to its end, so nothing has
 * begun; -1: no memory. */
static int record_read(struct file_swap *swap, const char *text, const char *end)
{
    text_next(&text, end);
    size_t count = (size_t)number_whole(text_next(&text, end));
    if (!count || count > (size_t)(end - text))
        return 0;
    swap->file = calloc(count, sizeof *swap->file);
    for (; swap->file && swap->count < count; swap->count++)
        if (!file_read(&swap->file[swap->count], &text, end))
            return 0;
    return swap->file ? 1 : -1;
}

/* Finishes or undoes the swap. A temporary that is missing has got its name before. */
static enum swap_outcome recover(struct file_swap *swap)
{
    bool waiting = false, placed = false, blocked = false;
    for (size_t i = 0; i < swap->count; i++) {
        const struct swap_file *file = &swap->file[i];
        file_id id;
        id_take(id, swap->folder, file->name);
        bool waits = is_there(swap, file->temporary), is_new = *id && !strcmp(id, file->new_id);
        waiting = waiting || waits;
        placed = placed || is_new;
        blocked = blocked || (waits && *id && !is_new && strcmp(id, file->old_id) != 0);
    }
    if (waiting ? !blocked && file_swap_place(swap) == 0 : placed) {
        file_swap_end(swap);
        return SWAP_FINISHED;
    }
    return file_swap_undo(swap) ? SWAP_UNDONE : SWAP_STUCK;
}

enum swap_outcome file_swap_recover(int folder, const char *record,
                                    char first[TEMPORARY_NAME_BYTES])
{
    struct file_swap swap = {.folder = folder, .recovering = true};
    struct stat about;
    swap.record = temporary_open(folder, record, &about);
    if (swap.record < 0)
        return SWAP_NOTHING;
    if (!S_ISREG(about.st_mode) || about.st_nlink > 1 || about.st_size > RECORD_BYTES_MOST) {
        close(swap.record);
        return SWAP_NOTHING;
    }
    snprintf(swap.record_name, sizeof swap.record_name, "%s", record);
    size_t length, magic = sizeof record_magic;
    char *text = file_bytes_all(swap.record, RECORD_BYTES_MOST, &length);
    int read = -1; /* also for a record of another version */
    if (text && !memcmp(text, record_magic, length < magic ? length : magic))
        read = record_read(&swap, text, text + length);
    enum swap_outcome outcome = read < 0 ? SWAP_STUCK : SWAP_NOTHING;
    snprintf(first, TEMPORARY_NAME_BYTES, "%s", read > 0 ? swap.file[0].name : record);
    if (read > 0)
        outcome = recover(&swap);
    else if (read == 0)
        record_remove(&swap);
    else
        close(swap.record);
    free(swap.file);
    free(text);
    return outcome;
}
