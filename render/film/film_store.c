#include "render/film/film_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "kernels/stop.h"
#include "render/disk/folder.h"
#include "render/disk/folder_clear.h"
#include "render/disk/run_status.h"
#include "render/disk/temporary_file.h"

enum { IDENTITY_BYTES_MOST = 1 << 20, SHOWN_MOST = 80 };
enum { LOCK_WAIT_S = 30, LOOKS_PER_S = 20 }; /* waiting for a run that begins the film */

static const char identity_name[] = RUN_FILM_FILE, measures_suffix[] = ".measures";
static const char light_suffix[] = ".light";
static const char command_name[] = "command", lock_name[] = RUN_LOCK_FILE, whole_begin[] = "film.";
static const char measures_magic[8] = {'d', 'f', 'm', 'e', 'a', 's', '1', '\n'};

static enum status failed(enum status status, const char *path)
{
    return status_fail(errno == ENOMEM ? STATUS_OUT_OF_MEMORY : status, "%s: %s", path,
                       strerror(errno));
}

static struct film_file file_of(const struct film_store *store, const char *name)
{
    struct film_file file = {.folder = store->descriptor, .where = store->folder};
    snprintf(file.name, sizeof file.name, "%s", name);
    return file;
}

static enum status file_failed(enum status status, const struct film_file *file)
{
    return status_fail(status, "%s/%s: %s", file->where, file->name, folder_reason(errno));
}

/* ---- whole small files ----------------------------------------------------------------------- */

enum status film_store_temporary(const struct film_store *store, struct film_file *file, int *claim)
{
    *file = file_of(store, "");
    *claim = temporary_create(store->descriptor, "stretch", ".part", 0666, file->name);
    return *claim < 0 ? failed(STATUS_CANNOT_CREATE, store->folder) : STATUS_OK;
}

static enum status file_write(const struct film_file *file, const void *head, size_t head_bytes,
                              const void *body, size_t body_bytes)
{
    const struct folder_bytes parts[] = {{head, head_bytes}, {body, body_bytes}};
    bool good = folder_file_put(file->folder, file->name, parts, 2, FOLDER_SYNCED);
    return good ? STATUS_OK : file_failed(STATUS_IO, file);
}

/* Reads a file, for free(). NULL if it is not there, too long, or not ours. */
static char *file_read(const struct film_file *file, size_t most, size_t *length)
{
    return folder_file_read(file->folder, file->name, most, length);
}

/* ---- identity -------------------------------------------------------------------------------- */

/* Compares identities: STATUS_CANNOT_CREATE with the first line that differs. */
static enum status identity_compare(const struct film_store *store, const char *there,
                                    const char *wanted)
{
    while (*there && *wanted) {
        size_t a = strcspn(there, "\n"), b = strcspn(wanted, "\n");
        if (a != b || memcmp(there, wanted, a) != 0)
            break;
        there += a + (there[a] == '\n');
        wanted += b + (wanted[b] == '\n');
    }
    if (!*there && !*wanted)
        return STATUS_OK;
    size_t a = strcspn(there, "\n"), b = strcspn(wanted, "\n");
    return status_fail(STATUS_CANNOT_CREATE,
                       "%.300s is of another film: its '%.*s' is '%.*s' here; use another "
                       "%s, or --force to begin anew",
                       store->folder, (int)(a < SHOWN_MOST ? a : SHOWN_MOST), there,
                       (int)(b < SHOWN_MOST ? b : SHOWN_MOST), wanted,
                       *store->suffix ? "-o" : "folder for the frames");
}

static enum status identity_settle(struct film_store *store, const struct film_store_order *order)
{
    const struct film_file file = file_of(store, identity_name);
    size_t length = 0;
    char *there = file_read(&file, IDENTITY_BYTES_MOST, &length);
    store->fresh = !there;
    enum status status = there ? identity_compare(store, there, order->identity) : STATUS_OK;
    free(there);
    return status != STATUS_OK && order->overwrite == OVERWRITE_YES ? film_store_empty(store)
                                                                    : status;
}

enum status film_store_begin(struct film_store *store, const struct film_store_order *order)
{
    const struct film_file command = file_of(store, command_name);
    const struct film_file identity = file_of(store, identity_name);
    if (store->fresh && order->command_bytes)
        TRY(file_write(&command, order->command, order->command_bytes, "", 0));
    if (store->fresh)
        TRY(file_write(&identity, order->identity, strlen(order->identity), "", 0));
    if (folder_sync(store->descriptor) < 0)
        return failed(STATUS_IO, store->folder);
    (void)flock(store->lock, LOCK_SH | LOCK_NB);
    store->alone = false;
    return STATUS_OK;
}

/* ---- segments ------------------------------------------------------------------------------- */

/* Reads NNNNNN-MMMMMM and the suffix; false if it is no such name. */
static bool name_read(const char *name, struct film_segment *segment, const char **suffix)
{
    int end = 0;
    if (strspn(name, "0123456789") < 6 ||
        sscanf(name, "%9" SCNd64 "-%9" SCNd64 "%n", &segment->first, &segment->last, &end) != 2)
        return false;
    *suffix = name + end;
    return **suffix == '.' && segment->first <= segment->last && segment->last < FILM_FRAMES_MOST;
}

struct film_file film_store_file(const struct film_store *store, const struct film_segment *segment,
                                 const char *suffix)
{
    char name[64];
    snprintf(name, sizeof name, "%06" PRId64 "-%06" PRId64 "%s", segment->first, segment->last,
             suffix);
    return file_of(store, name);
}

static int compared(const void *a, const void *b)
{
    const struct film_segment *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->last < y->last) - (x->last > y->last);
}

static bool is_whole(const struct film_store *store, const struct film_segment *segment)
{
    struct stat about;
    if (segment->last - segment->first >= FILM_SEGMENT_MOST || segment->last >= store->frames)
        return false;
    if (store->offsets.frame_bytes) {
        const struct film_file whole = film_store_whole(store);
        return film_y4m_has(&whole, &store->offsets, segment->first, segment->last);
    }
    const struct film_file file = film_store_file(store, segment, store->suffix);
    return !*store->suffix || (fstatat(file.folder, file.name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
                               S_ISREG(about.st_mode));
}

static enum status segment_note(struct film_store *store, const struct film_segment *segment)
{
    if (!(store->count & (store->count - 1))) { /* 0, 1, 2, 4, ... */
        size_t room = store->count ? 2 * store->count : 1;
        struct film_segment *grown = realloc(store->segment, room * sizeof *grown);
        if (!grown)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the stretches of a film");
        store->segment = grown;
    }
    store->segment[store->count++] = *segment;
    return STATUS_OK;
}

enum status film_store_scan(struct film_store *store)
{
    DIR *folder = folder_list(store->descriptor);
    enum status status = folder ? STATUS_OK : failed(STATUS_CANNOT_CREATE, store->folder);
    store->count = 0;
    for (struct dirent *entry; status == STATUS_OK && (entry = readdir(folder));) {
        struct film_segment segment;
        const char *suffix;
        if (name_read(entry->d_name, &segment, &suffix) && !strcmp(suffix, measures_suffix) &&
            is_whole(store, &segment))
            status = segment_note(store, &segment);
    }
    if (folder)
        closedir(folder);
    if (store->count)
        qsort(store->segment, store->count, sizeof *store->segment, compared);
    return status;
}

const struct film_segment *film_store_at(const struct film_store *store, int64_t frame)
{
    for (size_t i = 0; i < store->count; i++)
        if (store->segment[i].first == frame)
            return &store->segment[i];
    return NULL;
}

enum status film_store_commit(const struct film_store *store, const struct film_segment *segment,
                              const struct film_file *temporary,
                              const struct film_measure *measures)
{
    const struct film_file measured = film_store_file(store, segment, measures_suffix);
    const struct film_file file = film_store_file(store, segment, store->suffix);
    size_t frames = (size_t)(segment->last - segment->first + 1);
    TRY(file_write(&measured, measures_magic, sizeof measures_magic, measures,
                   frames * sizeof *measures));
    if (temporary && renameat(file.folder, temporary->name, file.folder, file.name) != 0)
        return file_failed(STATUS_IO, &file);
    return folder_sync(store->descriptor) < 0 ? failed(STATUS_IO, store->folder) : STATUS_OK;
}

bool film_store_measures(const struct film_store *store, const struct film_segment *segment,
                         struct film_measure *measures)
{
    const struct film_file file = film_store_file(store, segment, measures_suffix);
    size_t bytes = (size_t)(segment->last - segment->first + 1) * sizeof *measures, length = 0;
    char *there = file_read(&file, bytes + sizeof measures_magic, &length);
    bool good = there && length == bytes + sizeof measures_magic &&
                !memcmp(there, measures_magic, sizeof measures_magic);
    if (good)
        memcpy(measures, there + sizeof measures_magic, bytes);
    free(there);
    return good;
}

/* ---- light ----------------------------------------------------------------------------------- */

struct light_head {
    char magic[8];
    uint64_t sum;
};

static const char light_magic[8] = {'d', 'f', 'l', 'i', 'g', 'h', 't', '\n'};

enum status film_store_light_write(const struct film_store *store,
                                   const struct film_segment *segment, const float (*light)[3],
                                   size_t pixels)
{
    const struct film_file file = film_store_file(store, segment, light_suffix);
    struct light_head head = {.sum = XXH3_64bits(light, pixels * sizeof *light)};
    memcpy(head.magic, light_magic, sizeof head.magic);
    return file_write(&file, &head, sizeof head, light, pixels * sizeof *light);
}

bool film_store_light_read(const struct film_store *store, const struct film_segment *segment,
                           float (*light)[3], size_t pixels)
{
    const struct film_file file = film_store_file(store, segment, light_suffix);
    struct light_head head;
    size_t bytes = pixels * sizeof *light, length = 0;
    char *there = file_read(&file, bytes + sizeof head, &length);
    bool good = there && length == bytes + sizeof head;
    if (good) {
        memcpy(&head, there, sizeof head);
        good = !memcmp(head.magic, light_magic, sizeof head.magic) &&
               XXH3_64bits(there + sizeof head, bytes) == head.sum;
    }
    if (good && light)
        memcpy(light, there + sizeof head, bytes);
    free(there);
    return good;
}

void film_store_light_remove(const struct film_store *store, const struct film_segment *segment)
{
    const struct film_file file = film_store_file(store, segment, light_suffix);
    (void)unlinkat(file.folder, file.name, 0);
}

bool film_store_past(const struct film_store *store, size_t pixels)
{
    const struct film_segment *segment, *last = NULL;
    struct film_measure *measures = calloc(FILM_SEGMENT_MOST, sizeof *measures);
    bool good = measures != NULL;
    for (int64_t n = 0; good && (segment = film_store_at(store, n)); n = segment->last + 1) {
        good = film_store_measures(store, segment, measures);
        last = segment;
    }
    free(measures);
    /* the list is in the order of frames; of two with the same first frame the longer one comes
     * first */
    for (size_t i = 0; good && i < store->count; i++)
        good = last && store->segment[i].first <= last->first;
    return good && (!last || film_store_light_read(store, last, NULL, pixels));
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Order in which files are removed, -1 for others: after a kill the rest always belongs to the same
 * film. Temporaries of all hosts go, too: no run writes to a film that is complete, or is made
 * anew. */
static int known_order(const char *name)
{
    struct film_segment segment;
    const char *suffix, *dot = strrchr(name, '.');
    if (name_read(name, &segment, &suffix) || !strcmp(name, "join.txt") ||
        !strcmp(name, RUN_STATUS_FILE) || (*name == '.' && !strcmp(dot, ".part")))
        return 0;
    if (!strcmp(name, command_name))
        return 1;
    if (!strcmp(name, identity_name))
        return 3;
    return strncmp(name, whole_begin, sizeof whole_begin - 1) ? -1 : 2;
}

static void known_remove(const struct film_store *store)
{
    DIR *folder = folder_list(store->descriptor);
    if (!folder)
        return;
    for (int order = 0; order < 4; order++) {
        for (struct dirent *entry; (entry = readdir(folder));)
            if (known_order(entry->d_name) == order)
                unlinkat(store->descriptor, entry->d_name, 0);
        rewinddir(folder);
    }
    closedir(folder);
}

static enum status is_taken(const struct film_store *store)
{
    return status_fail(STATUS_CANNOT_CREATE,
                       "another run is writing to %s; wait for its end, or name another file",
                       store->folder);
}

enum status film_store_empty(struct film_store *store)
{
    if (!store->alone)
        return is_taken(store);
    known_remove(store);
    store->fresh = true;
    store->count = 0;
    return STATUS_OK;
}

/* Takes the lock: exclusively, or shared with runs that do not begin the film. */
static enum status lock_take(struct film_store *store, const volatile int *stop)
{
    store->alone = flock(store->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (store->alone) /* also where the disk has no locks */
        return STATUS_OK;
    for (int look = 0; flock(store->lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; look++) {
        if (stop_asked(stop))
            return status_fail(STATUS_STOPPED, "stopped");
        if (look == LOCK_WAIT_S * LOOKS_PER_S)
            return is_taken(store);
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / LOOKS_PER_S}, NULL);
    }
    return STATUS_OK;
}

/* Reports that the folder cannot be made. */
static enum status make_failed(const struct film_store *store)
{
    char above[FILM_PATH_BYTES] = ".";
    const char *slash = strrchr(store->folder, '/');
    int reason = errno;
    if (slash)
        snprintf(above, sizeof above, "%.*s", (int)(slash - store->folder) + 1, store->folder);
    if (reason == ENOENT)
        return status_fail(STATUS_CANNOT_CREATE,
                           "there is no folder %s; make it, or name another with -o", above);
    if (reason == ENOMEM)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to make %s", store->folder);
    return status_fail(STATUS_CANNOT_CREATE,
                       "cannot make %s: %s; name a folder that can be written to with -o",
                       store->folder, strerror(reason));
}

/* Has the folder only files of films? Its removal may have failed. */
static bool is_remainder(const struct film_store *store)
{
    DIR *folder = folder_list(store->descriptor);
    bool ours = folder != NULL;
    for (struct dirent *entry; ours && (entry = readdir(folder));)
        ours = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
               known_order(entry->d_name) >= 0;
    if (folder)
        closedir(folder);
    return ours;
}

/* Opens the folder; one without a lock, and not empty, is not ours. */
static enum status folder_take(struct film_store *store, const volatile int *stop)
{
    store->descriptor = folder_make_locked(store->folder, lock_name, &store->lock);
    store->alone = true;
    if (store->descriptor >= 0)
        return STATUS_OK;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
        return make_failed(store);
    store->descriptor = folder_open_own(store->folder);
    if (store->descriptor < 0)
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot keep a film in %s: %s; remove it, or name another file",
                           store->folder, folder_reason(errno));
    store->lock = folder_file_open(store->descriptor, lock_name, O_RDWR);
    if (store->lock < 0 && errno == ENOENT && is_remainder(store))
        store->lock = folder_file_create(store->descriptor, lock_name, 0666);
    if (store->lock < 0)
        return status_fail(STATUS_CANNOT_CREATE, "%s is not of a film; rename or remove it",
                           store->folder);
    return lock_take(store, stop);
}

enum status film_store_open(struct film_store *store, const struct film_store_order *order)
{
    *store = (struct film_store){.descriptor = -1, .lock = -1};
    snprintf(store->folder, sizeof store->folder, "%s", order->folder);
    snprintf(store->suffix, sizeof store->suffix, "%s", order->suffix);
    store->offsets = order->offsets;
    store->frames = order->frames;
    TRY(folder_take(store, order->stop));
    folder_clear(store->descriptor); /* removes temporaries of killed runs */
    TRY(identity_settle(store, order));
    return film_store_scan(store);
}

void film_store_close(struct film_store *store)
{
    free(store->segment);
    if (store->descriptor > 0)
        close(store->descriptor);
    if (store->lock > 0)
        close(store->lock);
    *store = (struct film_store){.descriptor = -1, .lock = -1};
}

/* ---- the end --------------------------------------------------------------------------------- */

struct film_file film_store_whole(const struct film_store *store)
{
    char name[32];
    snprintf(name, sizeof name, "%s%s", whole_begin, store->suffix + 1);
    return file_of(store, name);
}

bool film_store_is_placed(const char *folder, const char *suffix, const char *path)
{
    char name[32];
    struct stat own, its;
    int opened = folder_open_own(folder);
    if (opened < 0)
        return false;
    snprintf(name, sizeof name, "%s%s", whole_begin, suffix + 1);
    bool placed = fstatat(opened, name, &own, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(own.st_mode) &&
                  stat(path, &its) == 0 && own.st_ino == its.st_ino && own.st_dev == its.st_dev;
    close(opened);
    return placed;
}

void film_store_remove(struct film_store *store)
{
    const char *name;
    int above = folder_above(store->folder, &name);
    known_remove(store);
    unlinkat(store->descriptor, lock_name, 0);
    if (above < 0)
        return;
    unlinkat(above, name, AT_REMOVEDIR); /* fails if it has files of others */
    close(above);
}
