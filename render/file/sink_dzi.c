/* The coloured picture as a Deep Zoom pyramid: NAME.dzi for programs, a page that shows it without
 * a network, and the folder of tiles (render/file/pyramid.h).
 *
 * All grow in one folder and get their names together, the tiles first. Without a growing folder a
 * temporary one is made for the run. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "render/disk/folder.h"
#include "render/disk/json.h"
#include "render/disk/temporary_file.h"
#include "render/file/pyramid.h"
#include "render/file/pyramid_page.h"
#include "render/file/sink.h"

enum { DZI, PAGE, TILES, PARTS };

static const char *const suffixes[PARTS] = {".dzi", ".html", "_files"};
static const char waiting_suffix[] = ".waiting";

struct dzi {
    struct sink_request request;   /* with a growing folder */
    char growing[SINK_PATH_BYTES]; /* path of the temporary folder */
    struct atomic_file part[PARTS];
    int own;            /* descriptor of that folder, with its lock; -1: none */
    int tiles, waiting; /* folders */
    struct pyramid *pyramid;
};

struct dzi_mark {
    uint64_t length[TILES];
    struct pyramid_mark pyramid;
};

static bool dzi_file(const struct sink_request *request, int index, char *path)
{
    int stem = (int)(strlen(request->path) - strlen(suffixes[DZI]));
    if (index >= PARTS)
        return false;
    if (index == DZI)
        /* path in the letters of the request */
        snprintf(path, SINK_PATH_BYTES, "%s", request->path);
    else
        snprintf(path, SINK_PATH_BYTES, "%.*s%s", stem, request->path, suffixes[index]);
    return true;
}

static size_t text_length(const char *text)
{
    return text ? strlen(text) : 0;
}

static uint64_t dzi_bytes_max(const struct sink_request *request)
{
    uint64_t text = 6 * (text_length(request->view_text) + text_length(request->title)), bytes;
    uint64_t page = text + 6 * text_length(request->path) + pyramid_page_bytes + 4096;
    bytes = pyramid_bytes_most(request->field->width, request->field->height);
    return __builtin_add_overflow(bytes, page, &bytes) ? UINT64_MAX : bytes;
}

/* ---- what is there ---- */

static bool is_number(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && digits < 3 && !name[digits];
}

/* Is a folder of that name ours, with levels and nothing else? Other folders are not replaced. */
static bool holds_levels_alone(const char *path)
{
    DIR *stream = folder_list_path(path);
    bool alone = stream;
    for (struct dirent *entry; alone && (entry = readdir(stream));)
        alone =
            !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || is_number(entry->d_name);
    if (stream)
        closedir(stream);
    return alone;
}

static enum status dzi_check(const struct sink_request *request)
{
    char path[SINK_PATH_BYTES];
    struct stat about;
    if (lstat(request->path, &about) == 0 && S_ISLNK(about.st_mode))
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot write %s: it is a link; name the file that it leads to",
                           request->path);
    dzi_file(request, TILES, path);
    if (lstat(path, &about) != 0)
        return STATUS_OK;
    if (!S_ISDIR(about.st_mode))
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot write %s: %s is in the way, and no folder of tiles",
                           request->path, path);
    if (request->overwrite == OVERWRITE_NO)
        return status_fail(STATUS_CANNOT_CREATE, "%s exists; --force replaces it", path);
    if (!holds_levels_alone(path))
        return status_fail(STATUS_CANNOT_CREATE,
                           "cannot write %s: %s has more in it than tiles, which would be lost",
                           request->path, path);
    return STATUS_OK;
}

/* ---- the two files ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void description_write(FILE *stream, const struct sink_request *request)
{
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<Image xmlns=\"http://schemas.microsoft.com/deepzoom/2008\" Format=\"%s\" "
            "Overlap=\"%d\" TileSize=\"%d\">\n"
            "  <Size Width=\"%d\" Height=\"%d\"/>\n"
            "</Image>\n",
            pyramid_format(request), PYRAMID_OVERLAP_PX, PYRAMID_TILE_PX, request->field->width,
            request->field->height);
}

static char *facts_text(const struct sink_request *request)
{
    char path[SINK_PATH_BYTES], *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    struct json json = {.stream = stream};
    if (!stream)
        return NULL;
    dzi_file(request, TILES, path);
    json_open(&json, NULL, '{');
    json_text(&json, "title", request->title ? request->title : last_part(request->path));
    json_text(&json, "tiles", last_part(path));
    json_integer(&json, "width", request->field->width);
    json_integer(&json, "height", request->field->height);
    json_integer(&json, "levels", pyramid_levels(request->field->width, request->field->height));
    json_integer(&json, "tile", PYRAMID_TILE_PX);
    json_integer(&json, "overlap", PYRAMID_OVERLAP_PX);
    json_text(&json, "format", pyramid_format(request));
    json_text(&json, "view", request->view_text);
    bool good = json_end(&json) == STATUS_OK;
    if (fclose(stream) == 0 && good)
        return text;
    free(text);
    return NULL;
}

/* pyramid_page_bytes, which the caller frees; NULL: no memory. */
static unsigned char *page_text(void)
{
    enum { GZIP = 16 }; /* added to the size of the window */
    unsigned char *page = malloc(pyramid_page_bytes);
    z_stream flow = {.next_in = (Bytef *)(uintptr_t)pyramid_page_packed,
                     .avail_in = (uInt)pyramid_page_packed_bytes,
                     .next_out = page,
                     .avail_out = (uInt)pyramid_page_bytes};
    bool good = page && inflateInit2(&flow, MAX_WBITS + GZIP) == Z_OK;
    if (good) {
        good = inflate(&flow, Z_FINISH) == Z_STREAM_END && flow.avail_out == 0;
        inflateEnd(&flow);
    }
    if (good)
        return page;
    free(page);
    return NULL;
}

/* Writes the page. The facts stand in its script; no text in them can end it. */
static enum status page_write(FILE *stream, const struct sink_request *request)
{
    char *facts = facts_text(request);
    unsigned char *page = facts ? page_text() : NULL;
    if (!page) {
        free(facts);
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    }
    fwrite(page, 1, pyramid_page_facts_at, stream);
    for (const char *c = facts; *c; c++)
        if (*c == '<')
            fputs("\\u003c", stream);
        else
            putc(*c, stream);
    fwrite(page + pyramid_page_facts_at, 1, pyramid_page_bytes - pyramid_page_facts_at, stream);
    free(page);
    free(facts);
    return STATUS_OK; /* finishing the file reports failed writes */
}

/* ---- folders ---- */

/* Creates the temporary folder, with a lock that shows that this process lives
 * (temporary_file.h). */
static enum status own_folder_create(struct dzi *dzi)
{
    char name[TEMPORARY_NAME_BYTES], *growing = dzi->growing;
    const char *path = dzi->request.path, *last;
    atomic_file_clear(path);
    temporary_name(name, last_part(path), ".part");
    int length =
        snprintf(growing, SINK_PATH_BYTES, "%.*s%s", (int)(last_part(path) - path), path, name);
    int folder = folder_above(path, &last);
    if (length >= SINK_PATH_BYTES)
        errno = ENAMETOOLONG;
    else if (folder >= 0)
        dzi->own = folder_make(folder, name, S_IRWXU);
    int reason = errno;
    if (folder >= 0)
        close(folder);
    errno = reason;
    if (dzi->own < 0)
        return status_fail(STATUS_CANNOT_CREATE, "cannot create %s: %s", path, strerror(errno));
    temporary_claim(dzi->own);
    dzi->request.growing_folder = growing;
    return STATUS_OK;
}

static enum status tiles_open(struct dzi *dzi, bool resumes)
{
    char path[SINK_PATH_BYTES];
    struct atomic_file *tiles = &dzi->part[TILES];
    const struct growth growth = {.folder = dzi->request.growing_folder, .resumes = resumes};
    dzi_file(&dzi->request, TILES, path);
    TRY(atomic_folder_grow(tiles, path, dzi->request.overwrite, &growth, &dzi->tiles));
    if (dzi->own >= 0) { /* from here on dzi_close removes it */
        tiles->scratch = strdup(last_part(dzi->growing));
        if (!tiles->scratch)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", path);
        tiles->file = dzi->own;
        dzi->own = -1;
    }
    return STATUS_OK;
}

static enum status waiting_open(struct dzi *dzi, bool resumes)
{
    char name[SINK_PATH_BYTES];
    const struct sink_request *request = &dzi->request;
    snprintf(name, sizeof name, "%s%s", last_part(request->path), waiting_suffix);
    int folder = folder_open_own(request->growing_folder);
    if (folder >= 0 && resumes)
        dzi->waiting = folder_open_in(folder, name);
    else if (folder >= 0 && (folder_remove(folder, name) == 0 || errno == ENOENT))
        dzi->waiting = folder_make(folder, name, S_IRWXU);
    int reason = errno;
    if (folder >= 0)
        close(folder);
    if (dzi->waiting >= 0)
        return STATUS_OK;
    return status_fail(resumes ? STATUS_BAD_DATA : STATUS_CANNOT_CREATE, "cannot open %s in %s: %s",
                       name, request->growing_folder, folder_reason(reason));
}

static enum status parts_open(struct dzi *dzi, const uint64_t *length)
{
    char path[SINK_PATH_BYTES];
    for (int i = 0; i < TILES; i++) {
        dzi_file(&dzi->request, i, path);
        TRY(sink_file_open(&dzi->part[i], &dzi->request, path, length ? &length[i] : NULL));
    }
    TRY(dzi_check(&dzi->request));
    TRY(tiles_open(dzi, length));
    TRY(waiting_open(dzi, length));
    return pyramid_create(&dzi->pyramid, &dzi->request, dzi->tiles, dzi->waiting);
}

/* ---- verbs ---- */

static void state_begin(struct dzi *dzi, const struct sink_request *request)
{
    dzi->request = *request;
    dzi->request.bits = 8;
    dzi->own = dzi->tiles = dzi->waiting = -1;
}

static enum status dzi_begin(void *state, const struct sink_request *request)
{
    struct dzi *dzi = state;
    state_begin(dzi, request);
    if (!request->growing_folder)
        TRY(own_folder_create(dzi));
    TRY(parts_open(dzi, NULL));
    description_write(dzi->part[DZI].stream, request);
    return page_write(dzi->part[PAGE].stream, request);
}

static enum status dzi_rows(void *state, const struct sink_rows *rows)
{
    struct dzi *dzi = state;
    return pyramid_add(dzi->pyramid, rows);
}

static enum status dzi_checkpoint(void *state, void *marked)
{
    struct dzi *dzi = state;
    struct dzi_mark *mark = marked;
    for (int i = 0; i < TILES; i++)
        TRY(atomic_file_checkpoint(&dzi->part[i], &mark->length[i]));
    return pyramid_checkpoint(dzi->pyramid, &mark->pyramid);
}

static enum status dzi_resume(void *state, const struct sink_request *request, const void *marked,
                              int32_t y)
{
    struct dzi *dzi = state;
    const struct dzi_mark *mark = marked;
    state_begin(dzi, request);
    TRY(parts_open(dzi, mark->length));
    return pyramid_resume(dzi->pyramid, &mark->pyramid, y);
}

/* Ends the files. All data must be synced before the names. */
static enum status dzi_end(void *state, struct atomic_file_set *set)
{
    struct dzi *dzi = state;
    if (TEMP_FAILURE_RETRY(syncfs(dzi->tiles)) != 0)
        return status_fail(STATUS_IO, "cannot write the tiles of %s: %s", dzi->request.path,
                           strerror(errno));
    TRY(atomic_file_set_add_folder(set, &dzi->part[TILES]));
    TRY(atomic_file_set_add(set, &dzi->part[PAGE]));
    return atomic_file_set_add(set, &dzi->part[DZI]);
}

static void dzi_close(void *state)
{
    struct dzi *dzi = state;
    pyramid_destroy(dzi->pyramid);
    for (int i = 0; i < PARTS; i++)
        atomic_file_abandon(&dzi->part[i]);
    if (dzi->own >= 0) {
        folder_discard(dzi->growing, dzi->own);
        close(dzi->own);
    }
    if (dzi->tiles >= 0)
        close(dzi->tiles);
    if (dzi->waiting >= 0)
        close(dzi->waiting);
}

extern const struct sink_kind sink_dzi;
const struct sink_kind sink_dzi = {
    .name = "dzi",
    .suffix = ".dzi",
    .summary = "a Deep Zoom pyramid in NAME_files; NAME.html shows it",
    .bits_least = 8,
    .bits_most = 8,
    .positions = true,
    .coloured = true,
    .quality = true,
    .folder = TILES,
    .file = dzi_file,
    .check = dzi_check,
    .bytes_max = dzi_bytes_max,
    .state_bytes = sizeof(struct dzi),
    .mark_bytes = sizeof(struct dzi_mark),
    .checkpoint = dzi_checkpoint,
    .resume = dzi_resume,
    .begin = dzi_begin,
    .rows = dzi_rows,
    .end = dzi_end,
    .close = dzi_close,
};
