/* Loading of palettes: files by path, or by name below the assets. */
#include "render/colour/palette_colours.h"
#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/colour/palette_kinds.h"
#include "render/colour/palette_make.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 64, NAMES_MAX = 256 };

struct palette_list {
    int count;
    char name[NAMES_MAX][NAME_BYTES];
};

static int name_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Lists the names; NULL without memory; empty without a folder. */
static struct palette_list *names_list(const char *assets)
{
    struct palette_list *names = calloc(1, sizeof *names);
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s/palettes", assets);
    DIR *stream = names ? folder_list_path(folder) : NULL;
    if (!stream)
        return names;
    for (struct dirent *entry; names->count < NAMES_MAX && (entry = readdir(stream));) {
        size_t length = strlen(entry->d_name);
        if (length > 4 && length - 4 < NAME_BYTES && entry->d_name[0] != '.' &&
            !strcmp(entry->d_name + length - 4, ".csv"))
            memcpy(names->name[names->count++], entry->d_name, length - 4);
    }
    closedir(stream);
    qsort(names->name, (size_t)names->count, NAME_BYTES, name_compare);
    return names;
}

void palette_names(const char *assets, char *text, size_t bytes)
{
    struct palette_list *names = names_list(assets);
    size_t used = 0;
    if (bytes > 0)
        text[0] = '\0';
    for (int i = 0; names && i < names->count && used < bytes; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", i ? ", " : "", names->name[i]);
    free(names);
}

/* Edits (insert, delete, replace) that turn a into b: Wagner and Fischer, J. ACM 21 (1974). */
static int edit_distance(const char *a, const char *b)
{
    int row[NAME_BYTES + 1];
    int length = (int)strlen(b);
    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= length; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length];
}

static enum status palette_unknown(const char *assets, const char *name)
{
    struct palette_list *names = names_list(assets);
    const char *nearest = NULL;
    int distance = 4; /* a name that differs in more than 3 letters is no help */
    for (int i = 0; names && strlen(name) < NAME_BYTES && i < names->count; i++) {
        int this_distance = edit_distance(name, names->name[i]);
        if (this_distance < distance) {
            distance = this_distance;
            nearest = names->name[i];
        }
    }
    char list[700];
    palette_names(assets, list, sizeof list);
    enum status status =
        status_fail(STATUS_NO_INPUT, "no palette '%.64s'%s%s%s; there %s %s", name,
                    nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "",
                    list[0] ? "are" : "is none in", list[0] ? list : assets);
    free(names);
    return status;
}

/* Suffix that no kind has, ".txt" of "x/blues.txt"; NULL where there is none, or a bare dot. */
static const char *suffix_unknown(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name && dot[1] && !palette_kind_of(path) ? dot : NULL;
}

/* Fails for a file that exists but whose kind is not read: the kind tells more than an error in the
 * first line. */
static enum status kind_unknown(const char *path)
{
    char known[80];
    palette_suffixes(PALETTE_READ, known, sizeof known);
    return status_fail(STATUS_BAD_DATA,
                       "the palette %.200s is of a kind that is not read (%.16s); those that are: "
                       "%s, and any file with lines 'position, red, green, blue', each number 0 to "
                       "1",
                       path, suffix_unknown(path), known);
}

static enum status file_read(const char *path, char **text, size_t *length)
{
    enum status status;
    int file = folder_input(path);
    *text = NULL;
    if (file < 0)
        return status_fail(STATUS_NO_INPUT, "cannot open the palette %s: %s", path,
                           strerror(errno));
    *text = file_bytes_all(file, PALETTE_BYTES_MAX, length);
    if (*text)
        status = STATUS_OK;
    else if (errno == EINVAL)
        status = status_fail(STATUS_NO_INPUT, "the palette %s is not a file", path);
    else if (errno == EFBIG)
        status = status_fail(STATUS_BAD_DATA, "palette %s: %zu bytes; at most %d are read", path,
                             *length, PALETTE_BYTES_MAX);
    else if (errno == ENOMEM)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the palette %s", path);
    else
        status = status_fail(STATUS_IO, "cannot read the palette %s: %s", path, strerror(errno));
    close(file);
    return status;
}

/* ---- one of several ---- */

struct palette_source { /* file and gradient that a name means */
    char path[PATH_BYTES];
    const char *gradient; /* NULL: the only gradient of the file */
    bool is_path;
};

/* Colon behind an existing file, or behind the suffix of a kind that holds several. */
static const char *colon_of(const char *name)
{
    char path[PATH_BYTES];
    struct stat about;
    for (const char *colon = strchr(name, ':'); colon; colon = strchr(colon + 1, ':')) {
        snprintf(path, sizeof path, "%.*s", (int)(colon - name), name);
        const struct palette_kind *kind = palette_kind_of(path);
        if ((kind && kind->each) || (stat(path, &about) == 0 && S_ISREG(about.st_mode)))
            return colon;
    }
    return NULL;
}

static enum status source_find(struct palette_source *source, const char *assets, const char *name)
{
    struct stat about;
    bool there = strlen(name) < sizeof source->path && stat(name, &about) == 0;
    const char *colon = there || strlen(name) >= sizeof source->path ? NULL : colon_of(name);
    size_t length = colon ? (size_t)(colon - name) : strlen(name);
    *source = (struct palette_source){.gradient = colon ? colon + 1 : NULL};
    source->is_path =
        colon || strchr(name, '/') || palette_kind_of(name) || (suffix_unknown(name) && there);
    int wanted =
        source->is_path
            ? snprintf(source->path, sizeof source->path, "%.*s", (int)length, name)
            : snprintf(source->path, sizeof source->path, "%s/palettes/%s.csv", assets, name);
    if (wanted >= (int)sizeof source->path || length >= sizeof source->path)
        return status_fail(STATUS_NO_INPUT, "the name of the palette is longer than %d bytes",
                           PATH_BYTES);
    return STATUS_OK;
}

/* Palettes that were loaded last. Pictures of a list load one of a few, twice each, and the table
 * of one takes 0.3 ms. */
enum { PALETTES_KEPT = 16 };

static struct palette_kept {
    char *name, *text; /* what was loaded, and what was in it; owned */
    size_t length;
    struct palette *palette; /* NULL: none */
} kept[PALETTES_KEPT];
static size_t kept_next;
static pthread_mutex_t kept_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct palette *kept_find(const char *name, const char *text, size_t length)
{
    struct palette *found = NULL;
    pthread_mutex_lock(&kept_mutex);
    for (int i = 0; i < PALETTES_KEPT && !found; i++)
        if (kept[i].palette && kept[i].length == length && !strcmp(kept[i].name, name) &&
            !memcmp(kept[i].text, text, length))
            found = palette_copy(kept[i].palette);
    pthread_mutex_unlock(&kept_mutex);
    return found;
}

static void kept_add(const struct palette *palette, const char *name, const char *text,
                     size_t length)
{
    pthread_mutex_lock(&kept_mutex);
    struct palette_kept *one = &kept[kept_next++ % PALETTES_KEPT];
    free(one->name);
    free(one->text);
    palette_destroy(one->palette);
    *one =
        (struct palette_kept){.name = strdup(name), .text = malloc(length + 1), .length = length};
    if (one->text)
        memcpy(one->text, text, length);
    if (one->name && one->text)
        one->palette = palette_copy(palette);
    pthread_mutex_unlock(&kept_mutex);
}

bool palette_is_path(const char *name)
{
    struct palette_source source;
    return !palette_is_colours(name) && source_find(&source, "", name) == STATUS_OK &&
           source.is_path;
}

size_t palette_name_length(const char *name)
{
    size_t length = strlen(name), end = strlen(PALETTE_REVERSED);
    bool reversed = length > end && !strcmp(name + length - end, PALETTE_REVERSED);
    return reversed ? length - end : length;
}

static enum status palette_load_forward(struct palette **palette, const char *assets,
                                        const char *name)
{
    struct palette_source source;
    struct stat about;
    char *text;
    size_t length;
    if (palette_is_colours(name))
        return palette_of_colours(palette, name);
    TRY(source_find(&source, assets, name));
    if (!source.is_path && stat(source.path, &about) != 0 && errno == ENOENT)
        return palette_unknown(assets, name);
    enum status status = file_read(source.path, &text, &length);
    if (status == STATUS_OK)
        *palette = kept_find(name, text, length);
    if (status == STATUS_OK && !*palette) {
        status = palette_kind_read(palette, text, length, source.is_path ? source.path : name,
                                   source.gradient);
        if (status == STATUS_OK)
            kept_add(*palette, name, text, length);
    }
    if (status == STATUS_BAD_DATA && text && suffix_unknown(source.path) &&
        !palette_kind_in(text_lines_of(text, length)))
        status = kind_unknown(source.path);
    free(text);
    return status;
}

static enum status palette_load_one(struct palette **palette, const char *assets, const char *name)
{
    size_t length = palette_name_length(name);
    if (!name[length])
        return palette_load_forward(palette, assets, name);
    char *forward = strndup(name, length);
    *palette = NULL;
    if (!forward)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a palette");
    enum status status = palette_load_forward(palette, assets, forward);
    if (status == STATUS_OK)
        palette_reverse(*palette);
    free(forward);
    return status;
}

const char *palette_plus(const char *name)
{
    struct stat about;
    const char *plus = strchr(name, '+');
    return plus && stat(name, &about) != 0 ? plus : NULL;
}

enum status palette_load(struct palette **palette, const char *assets, const char *name)
{
    const char *plus = palette_plus(name);
    struct palette *first = NULL, *second = NULL;
    *palette = NULL;
    if (!plus)
        return palette_load_one(palette, assets, name);
    char *before = strndup(name, (size_t)(plus - name));
    enum status status = before
                             ? palette_load_one(&first, assets, before)
                             : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a palette's name");
    if (status == STATUS_OK)
        status = palette_load_one(&second, assets, plus + 1);
    if (status == STATUS_OK)
        status = palette_pair(palette, first, second);
    free(before);
    palette_destroy(first);
    palette_destroy(second);
    return status;
}

struct gradient_visits { /* counts visits */
    palette_visit *visit;
    void *context;
    size_t count;
};

static enum status gradient_count(void *context, const char *gradient,
                                  const struct palette *palette)
{
    struct gradient_visits *visits = context;
    visits->count++;
    return visits->visit(visits->context, gradient, palette);
}

enum status palette_gradients(const char *name, enum palette_want want, palette_visit *visit,
                              void *context, bool *several)
{
    struct gradient_visits visits = {visit, context, 0};
    struct palette_source source;
    struct palette_text text;
    char *bytes;
    size_t length;
    TRY(source_find(&source, "", name));
    *several = false;
    if (!source.is_path || source.gradient)
        return STATUS_OK;
    TRY(file_read(source.path, &bytes, &length));
    enum status status = palette_text_open(&text, bytes, length, source.path);
    const struct palette_kind *kind = status == STATUS_OK ? palette_kind_of_text(&text) : NULL;
    *several = kind && kind->each;
    if (*several)
        status = kind->each(&text, want, gradient_count, &visits);
    free(bytes);
    if (*several && status == STATUS_OK && !visits.count)
        return status_fail(STATUS_BAD_DATA, "palette %.300s: there is no gradient in it", name);
    return *several ? status : STATUS_OK; /* palette_load reports errors of other files */
}

char *palette_label(const char *name, char *label, size_t bytes)
{
    const char *slash = strrchr(name, '/');
    const char *begin = slash ? slash + 1 : name, *dot = strrchr(begin, '.');
    const char *colon = dot ? strchr(dot, ':') : NULL;
    begin = colon ? colon + 1 : begin;
    int length = dot > begin ? (int)(dot - begin) : (int)strlen(begin);
    snprintf(label, bytes, "%.*s", length, begin);
    return label;
}

/* ---- writing ---- */

enum status palette_save_check(const char *path)
{
    const struct palette_kind *kind = palette_kind_of(path);
    char known[80];
    if (kind && kind->write)
        return STATUS_OK;
    palette_suffixes(PALETTE_WRITE, known, sizeof known);
    return status_fail(STATUS_USAGE,
                       "%.300s: a palette is not written as this kind of file; it can be %s, or "
                       ".png for a picture of it",
                       path, known);
}

enum status palette_save(const struct palette *palette, const char *path, enum overwrite overwrite)
{
    struct atomic_file file = {0};
    TRY(palette_save_check(path));
    const struct palette_kind *kind = palette_kind_of(path);
    struct palette_draft *draft = palette_draft_create();
    enum status status =
        draft ? palette_outline(palette, kind->course, draft) : STATUS_OUT_OF_MEMORY;
    if (status == STATUS_OK)
        status = atomic_file_open(&file, path, overwrite, NULL);
    if (status == STATUS_OK) {
        kind->write(draft, file.stream);
        status = atomic_file_commit(&file);
    }
    atomic_file_abandon(&file);
    free(draft);
    return status;
}
