#include "render/growing/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/disk/folder.h"
#include "render/disk/folder_clear.h"
#include "render/disk/run_status.h"

#define STATE_MAGIC UINT64_C(0x45544154534c4431) /* "1DLSTATE" */
enum { TEXT_BYTES_MAX = 1 << 20, LINE_SHOWN = 200 };
enum { STATE_BYTES_MAX = 1 << 26 }; /* most bytes of a state, which has some kilobytes */

struct state_head {
    uint64_t magic;
    int32_t rows, strip_rows;
    uint64_t bytes;
    uint64_t checksum; /* checksum of the head before it and of the bytes */
};

struct journal {
    char *path; /* path of the folder */
    char *identity, *command;
    size_t command_bytes;
    int folder, lock; /* descriptors; -1: not there */
    enum overwrite overwrite;
    bool late;
    struct tile_log *tiles;
    struct state_head head;
    void *state;
};

static enum status journal_failed(const struct journal *journal, const char *what)
{
    return status_fail(STATUS_IO, "cannot %s %s: %s", what, journal->path, strerror(errno));
}

/* Replaces a file of the folder by one of two parts, or leaves it as it was. */
static enum status file_write(const struct journal *journal, const char *name, const void *first,
                              size_t first_bytes, const void *second, size_t second_bytes)
{
    const struct folder_bytes parts[] = {{first, first_bytes}, {second, second_bytes}};
    bool good = folder_file_put(journal->folder, name, parts, 2, FOLDER_SYNCED);
    return good ? STATUS_OK : journal_failed(journal, "write");
}

/* ---- what an interrupted run has left -------------------------------------------------------- */

/* Shows the line that begins at `line`; of a long line the beginning and the text around `at`. */
static void line_show(char shown[LINE_SHOWN], const char *text, size_t line, size_t at)
{
    bool far = at - line > LINE_SHOWN / 2;
    size_t from = far ? at - LINE_SHOWN / 4 : line;
    snprintf(shown, LINE_SHOWN, "%.*s%s%.*s", far ? LINE_SHOWN / 8 : 0, text + line,
             far ? "..." : "", (int)strcspn(text + from, "\n"), text + from);
}

/* Shows the first line that differs, of each text. */
static void lines_differ(const char *left, const char *here, char of_left[LINE_SHOWN],
                         char of_here[LINE_SHOWN])
{
    size_t same = 0, line = 0;
    while (left[same] && left[same] == here[same]) {
        if (left[same] == '\n')
            line = same + 1;
        same++;
    }
    line_show(of_left, left, line, same);
    line_show(of_here, here, line, same);
}

static enum status identity_check(const struct journal *journal, const char *left)
{
    char of_left[LINE_SHOWN], of_here[LINE_SHOWN];
    if (!strcmp(left, journal->identity))
        return STATUS_OK;
    lines_differ(left, journal->identity, of_left, of_here);
    return status_fail(STATUS_BAD_DATA,
                       "%s is of another picture: it has '%s', this run '%s'; finish that one with "
                       "the same command as before, or remove the folder",
                       journal->path, of_left, of_here);
}

/* Loads the state of the last checkpoint. NULL: there is none, or it is damaged. */
static void *state_load(const struct journal *journal, struct state_head *head)
{
    size_t length;
    char *bytes = folder_file_read(journal->folder, "state", STATE_BYTES_MAX, &length);
    if (!bytes)
        return NULL;
    bool sound = length >= sizeof *head;
    if (sound) {
        memcpy(head, bytes, sizeof *head);
        sound = head->magic == STATE_MAGIC && head->bytes == length - sizeof *head &&
                head->rows >= 0 && head->strip_rows >= 1;
    }
    if (sound) {
        ((struct state_head *)(void *)bytes)->checksum = 0;
        sound = XXH3_64bits(bytes, length) == head->checksum;
    }
    if (sound) {
        memmove(bytes, bytes + sizeof *head, head->bytes);
        return bytes;
    }
    free(bytes);
    return NULL;
}

/* Reads the state; a damaged one counts as none: the picture begins again. */
static void state_read(struct journal *journal)
{
    struct state_head head;
    journal->state = state_load(journal, &head);
    if (journal->state)
        journal->head = head;
}

/* Leaves the folder alone from now on: it belongs to another run or another user. */
static void folder_leave(struct journal *journal)
{
    if (journal->lock >= 0)
        close(journal->lock);
    if (journal->folder >= 0)
        close(journal->folder);
    journal->folder = journal->lock = -1;
}

static enum status lock_take(struct journal *journal)
{
    journal->lock = folder_file_open(journal->folder, "lock", O_RDWR);
    if (journal->lock < 0)
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot open the file lock in %s: %s; remove the folder, or name "
                           "another file",
                           journal->path, folder_reason(errno));
    if (flock(journal->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return STATUS_OK; /* not every disk has locks */
    return status_fail(STATUS_CANNOT_CREATE,
                       "another run is writing to %s; wait for its end, or name another file",
                       journal->path);
}

/* Has the folder only files that a run makes before its identity? */
static bool is_unbegun(int folder)
{
    static const char *const names[] = {".",     "..",      "lock",  "command",
                                        "tiles", "records", "state", RUN_STATUS_FILE};
    DIR *stream = folder_list(folder);
    bool known = stream != NULL;
    for (struct dirent *entry; known && (entry = readdir(stream));) {
        known = false;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            known = known || !strcmp(entry->d_name, names[i]);
    }
    if (stream)
        closedir(stream);
    return known;
}

static enum status left_read(struct journal *journal)
{
    size_t length;
    if (faccessat(journal->folder, "lock", F_OK, AT_SYMLINK_NOFOLLOW) != 0) { /* not a journal */
        folder_leave(journal);
        return STATUS_OK;
    }
    TRY(lock_take(journal));
    folder_clear(journal->folder); /* removes the temporaries of a killed run */
    char *identity = folder_file_read(journal->folder, "identity", TEXT_BYTES_MAX, &length);
    if (!identity) {
        if (!is_unbegun(journal->folder)) /* else the run ended before anything was kept */
            folder_leave(journal);
        return STATUS_OK;
    }
    enum status status = identity_check(journal, identity);
    free(identity);
    TRY(status);
    state_read(journal);
    return journal->head.strip_rows ? tile_log_open(&journal->tiles, journal->folder, journal->path)
                                    : STATUS_OK;
}

static struct journal *journal_make(const struct journal_options *options)
{
    struct journal *journal = calloc(1, sizeof *journal);
    if (!journal)
        return NULL;
    size_t room = strlen(options->target) + sizeof JOURNAL_SUFFIX;
    journal->folder = journal->lock = -1;
    journal->overwrite = options->overwrite;
    journal->path = malloc(room);
    journal->identity = strdup(options->identity);
    journal->command = malloc(options->command_bytes + 1);
    journal->command_bytes = options->command_bytes;
    if (!journal->path || !journal->identity || !journal->command) {
        journal_close(journal);
        return NULL;
    }
    snprintf(journal->path, room, "%s" JOURNAL_SUFFIX, options->target);
    memcpy(journal->command, options->command, options->command_bytes);
    return journal;
}

/* Reports that the folder belongs to another user, or cannot be read. */
static enum status folder_refused(const struct journal *journal, int reason)
{
    bool there = faccessat(AT_FDCWD, journal->path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    return status_fail(STATUS_CANNOT_CREATE, "cannot keep a journal in %s: %s%s", journal->path,
                       folder_reason(reason), there ? "; remove it, or name another file" : "");
}

enum status journal_open(struct journal **out, const struct journal_options *options)
{
    struct journal *journal = journal_make(options);
    *out = NULL;
    if (!journal)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the journal of %s",
                           options->target);
    journal->folder = folder_open_own(journal->path);
    enum status status = STATUS_OK;
    if (journal->folder >= 0)
        status = left_read(journal);
    else if (errno != ENOENT)
        status = folder_refused(journal, errno);
    if (status != STATUS_OK) {
        journal_close(journal);
        return status;
    }
    *out = journal;
    return STATUS_OK;
}

struct journal_left journal_left(const struct journal *journal)
{
    const struct state_head *head = &journal->head;
    return (struct journal_left){
        .rows = head->rows,
        .strip_rows = head->strip_rows,
        .tiles = journal->tiles ? tile_log_count(journal->tiles, head->rows) : 0,
        .state = head->bytes ? journal->state : NULL,
        .bytes = head->bytes};
}

/* ---- writing --------------------------------------------------------------------------------- */

static enum status state_write(struct journal *journal, const void *state, size_t bytes)
{
    struct state_head *head = &journal->head;
    XXH3_state_t *sum = XXH3_createState();
    if (!sum)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the journal %s", journal->path);
    head->magic = STATE_MAGIC;
    head->bytes = bytes;
    head->checksum = 0;
    XXH3_64bits_reset(sum);
    XXH3_64bits_update(sum, head, sizeof *head);
    XXH3_64bits_update(sum, state, bytes);
    head->checksum = XXH3_64bits_digest(sum);
    XXH3_freeState(sum);
    return file_write(journal, "state", head, sizeof *head, state, bytes);
}

bool journal_begun(const struct journal *journal)
{
    return journal->tiles != NULL;
}

static bool is_locked(const char *path)
{
    int folder = folder_open_own(path);
    int lock = folder >= 0 ? folder_file_open(folder, "lock", O_RDWR) : -1;
    bool locked = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lock >= 0)
        close(lock);
    if (folder >= 0)
        close(folder);
    return locked;
}

/* Checks the target again: another run may have ended since journal_open. It names its file and
 * then removes its folder, so that the run that makes the folder sees the file. */
static enum status target_check(struct journal *journal)
{
    int length = (int)(strlen(journal->path) - strlen(JOURNAL_SUFFIX));
    char target[4096];
    snprintf(target, sizeof target, "%.*s", length, journal->path);
    journal->late = journal->overwrite == OVERWRITE_NO && access(target, F_OK) == 0;
    if (!journal->late)
        return STATUS_OK;
    folder_discard(journal->path, journal->folder);
    folder_leave(journal);
    return status_fail(STATUS_CANNOT_CREATE, "%s has appeared meanwhile; --force replaces it",
                       target);
}

/* Makes the folder. One that is there by now is another run's, or no journal. */
static enum status begun_make(struct journal *journal)
{
    journal->folder = folder_make_locked(journal->path, "lock", &journal->lock);
    if (journal->folder >= 0)
        return target_check(journal);
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
        return status_fail(STATUS_CANNOT_CREATE, "cannot make %s: %s", journal->path,
                           strerror(errno));
    journal->late = is_locked(journal->path);
    if (journal->late)
        return status_fail(STATUS_CANNOT_CREATE,
                           "another run has begun to write to %s; wait for its end, or name "
                           "another file",
                           journal->path);
    return status_fail(STATUS_CANNOT_CREATE, "%s is no journal of this run; rename or remove it",
                       journal->path);
}

enum status journal_begin(struct journal *journal, int32_t strip_rows)
{
    if (journal_begun(journal))
        return STATUS_OK;
    if (journal->folder < 0)
        TRY(begun_make(journal));
    journal->head = (struct state_head){.strip_rows = strip_rows};
    TRY(tile_log_open(&journal->tiles, journal->folder, journal->path));
    TRY(tile_log_clear(journal->tiles));
    TRY(file_write(journal, "command", journal->command, journal->command_bytes, "", 0));
    TRY(state_write(journal, "", 0));
    return file_write(journal, "identity", journal->identity, strlen(journal->identity), "", 0);
}

bool journal_is_late(const struct journal *journal)
{
    return journal->late;
}

const char *journal_folder(const struct journal *journal)
{
    return journal->path;
}

bool journal_is_there(const struct journal *journal)
{
    const char *name;
    int above = journal->folder >= 0 ? folder_above(journal->path, &name) : -1;
    bool there = above >= 0 && folder_is_named(above, name, journal->folder);
    if (above >= 0)
        close(above);
    return there;
}

enum status journal_checkpoint(struct journal *journal, int32_t rows, const void *state,
                               size_t bytes)
{
    bool later = rows != journal->head.rows;
    journal->head.rows = rows;
    TRY(state_write(journal, state, bytes));
    return later ? tile_log_clear(journal->tiles)
                 : STATUS_OK; /* tiles of earlier rows are not read again */
}

void *journal_state(const struct journal *journal, size_t *bytes)
{
    struct state_head head;
    void *state = state_load(journal, &head);
    *bytes = state ? head.bytes : 0;
    return state;
}

struct tile_log *journal_tiles(struct journal *journal)
{
    return journal->tiles;
}

/* ---- the end --------------------------------------------------------------------------------- */

void journal_remove(struct journal *journal)
{
    tile_log_close(journal->tiles);
    journal->tiles = NULL;
    if (journal->folder < 0)
        return;
    folder_discard(journal->path, journal->folder);
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    tile_log_close(journal->tiles);
    folder_leave(journal);
    free(journal->path);
    free(journal->identity);
    free(journal->command);
    free(journal->state);
    free(journal);
}
