#include "render/file/field_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/disk/json.h"
#include "render/file/exr_read.h"
#include "render/file/field_sanitize.h"
#include "render/file/npy_read.h"

/* most bytes of NAME.planes.json: two numbers of a view may be long */
enum { ABOUT_BYTES_MAX = 4 << 20 };

struct field_file {
    char *path;
    int file;                  /* descriptor of the .exr; -1: .npy planes */
    struct exr_reader *reader; /* NULL: .npy planes */
    struct npy_plane plane[PLANES];
    char *plane_path[PLANES];
    char *view; /* view of NAME.planes.json; NULL: none */
    struct field_file_facts facts;
};

/* ---- names ---- */

static bool ends(const char *text, size_t length, const char *with)
{
    size_t most = strlen(with);
    return length > most && !strncasecmp(text + length - most, with, most);
}

/* Length of the path without ".npy" and the name of a plane, or without ".png". */
static size_t base_length(const char *path)
{
    size_t length = strlen(path);
    char suffix[64];
    if (ends(path, length, ".png"))
        return length - strlen(".png");
    if (!ends(path, length, ".npy"))
        return length;
    length -= strlen(".npy");
    for (int p = 0; p < PLANES; p++) {
        snprintf(suffix, sizeof suffix, ".%s", plane_kinds[p].name);
        if (ends(path, length, suffix))
            return length - strlen(suffix);
    }
    return length;
}

char *field_file_stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = base_length(path) - (size_t)(name - path);
    const char *dot = memrchr(name, '.', length);
    if (!ends(path, strlen(path), ".npy") && dot && dot != name)
        length = (size_t)(dot - name);
    return strndup(name, length);
}

/* ---- planes of .npy ---- */

static enum status plane_open(struct field_file *field, int p, size_t base)
{
    static const char suffix[] = ".npy";
    if (asprintf(&field->plane_path[p], "%.*s.%s%s", (int)base, field->path, plane_kinds[p].name,
                 suffix) < 0) {
        field->plane_path[p] = NULL; /* asprintf leaves it undefined */
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its name", field->path);
    }
    if (p != PLANE_COUNT && access(field->plane_path[p], F_OK) != 0 && errno == ENOENT)
        return STATUS_OK; /* a plane that cannot be read exists, though */
    struct npy_plane *plane = &field->plane[p];
    TRY(npy_plane_open(plane, field->plane_path[p]));
    bool real = plane->element == ELEMENT_F32;
    if (real == (p == PLANE_COUNT))
        return status_fail(STATUS_BAD_DATA, "%s: holds %s numbers; %s is of %s ones",
                           field->plane_path[p], real ? "real" : "whole", plane_kinds[p].name,
                           real ? "whole" : "real");
    const struct npy_plane *count = &field->plane[PLANE_COUNT];
    if (plane->width != count->width || plane->height != count->height)
        return status_fail(STATUS_BAD_DATA, "%s: %d x %d numbers, but %s has %d x %d",
                           field->plane_path[p], plane->width, plane->height,
                           field->plane_path[PLANE_COUNT], count->width, count->height);
    return STATUS_OK;
}

/* Reads the view in NAME.planes.json. NULL: there is none, or no such file. */
static char *view_read(const struct field_file *field, size_t base)
{
    char *path = NULL, *json = NULL, *view = NULL;
    size_t length;
    if (asprintf(&path, "%.*s.planes.json", (int)base, field->path) < 0)
        return NULL;
    int file = folder_input(path);
    if (file >= 0)
        json = file_bytes_all(file, ABOUT_BYTES_MAX, &length);
    if (json)
        view = json_text_find(json, "view");
    if (file >= 0)
        close(file);
    free(json);
    free(path);
    return view;
}

static enum status planes_open(struct field_file *field)
{
    size_t base = base_length(field->path);
    for (int p = 0; p < PLANES; p++)
        TRY(plane_open(field, p, base));
    const struct npy_plane *count = &field->plane[PLANE_COUNT];
    field->facts = (struct field_file_facts){.width = count->width,
                                             .height = count->height,
                                             .count_bytes = (int)element_bytes(count->element),
                                             .rows = 1};
    for (int p = 0; p < PLANES; p++)
        if (field->plane[p].file >= 0)
            field->facts.planes |= 1u << p;
    if ((field->facts.planes & PLANE_MASK_DISTANCE) != PLANE_MASK_DISTANCE) /* both or none */
        field->facts.planes &= ~(unsigned)PLANE_MASK_DISTANCE;
    field->facts.text[EXR_TEXT_INI] = field->view = view_read(field, base);
    return STATUS_OK;
}

/* ---- opening ---- */

static bool is_exr(int file)
{
    uint8_t head[4];
    return pread(file, head, sizeof head, 0) == sizeof head && exr_is_one(head, sizeof head);
}

static enum status exr_open(struct field_file *field)
{
    TRY(exr_reader_open(&field->reader, field->file, field->path));
    struct exr_field_facts facts = exr_reader_facts(field->reader);
    field->facts = (struct field_file_facts){.width = facts.width,
                                             .height = facts.height,
                                             .planes = facts.planes,
                                             .count_bytes = facts.count_bytes,
                                             .rows = facts.chunk_rows};
    for (int i = 0; i < EXR_TEXTS; i++)
        field->facts.text[i] = exr_reader_header(field->reader)->text[i];
    return STATUS_OK;
}

static enum status kind_open(struct field_file *field)
{
    struct stat about;
    bool npy = ends(field->path, strlen(field->path), ".npy");
    field->file = folder_input(field->path);
    if (field->file < 0 && !npy)
        return status_fail(STATUS_NO_INPUT, "%s: %s", field->path, strerror(errno));
    if (field->file >= 0 && (fstat(field->file, &about) != 0 || !S_ISREG(about.st_mode)))
        return status_fail(STATUS_BAD_DATA, "%s: is not a regular file", field->path);
    if (field->file >= 0 && is_exr(field->file))
        return exr_open(field);
    bool beside = ends(field->path, strlen(field->path), ".png");
    enum status status = npy || beside ? planes_open(field) : STATUS_NO_INPUT;
    if (npy || status != STATUS_NO_INPUT)
        return status;
    return status_fail(STATUS_BAD_DATA,
                       "%s: holds no field; colours are made from an .exr, or from .npy planes "
                       "(NAME.count.npy, NAME.fraction.npy)",
                       field->path);
}

enum status field_file_open(struct field_file **field, const char *path)
{
    struct field_file *made = *field = calloc(1, sizeof *made);
    if (made)
        made->file = -1;
    for (int p = 0; made && p < PLANES; p++)
        made->plane[p].file = -1;
    enum status status = STATUS_OK;
    if (!made || !(made->path = strdup(path)))
        status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory to read it", path);
    else
        status = kind_open(made);
    if (status == STATUS_OK)
        return STATUS_OK;
    field_file_close(made);
    *field = NULL;
    return status;
}

void field_file_close(struct field_file *field)
{
    if (!field)
        return;
    exr_reader_close(field->reader);
    for (int p = 0; p < PLANES; p++) {
        npy_plane_close(&field->plane[p]);
        free(field->plane_path[p]);
    }
    if (field->file >= 0)
        close(field->file);
    free(field->view);
    free(field->path);
    free(field);
}

struct field_file_facts field_file_facts(const struct field_file *field)
{
    return field->facts;
}

/* ---- rows ---- */

enum status field_file_rows(struct field_file *field, int32_t y, struct field *rows)
{
    assert(rows->planes == field->facts.planes && rows->stride == rows->width);
    if (field->reader)
        return exr_reader_rows(field->reader, y, rows);
    for (int p = 0; p < PLANES; p++)
        if (rows->plane[p])
            TRY(npy_plane_rows(&field->plane[p], field->plane_path[p], y, rows->height,
                               rows->plane[p]));
#pragma omp parallel for schedule(static)
    for (int32_t row = 0; row < rows->height; row++)
        field_sanitize_row(rows, row);
    return STATUS_OK;
}

/* Reads the block of rows, read together, that has row y. */
static enum status block_read(struct field_file *field, int32_t y, struct field *block,
                              int32_t *first)
{
    const struct field_file_facts *facts = &field->facts;
    *first = y - y % facts->rows;
    int32_t left = facts->height - *first, height = left < facts->rows ? left : facts->rows;
    TRY(field_create(block, facts->width, height, facts->planes, facts->count_bytes));
    enum status status = field_file_rows(field, *first, block);
    if (status != STATUS_OK)
        field_destroy(block);
    return status;
}

enum status field_file_pixels(struct field_file *field, const int32_t *x, int32_t columns,
                              const int32_t *y, int32_t lines, struct field *pixels)
{
    const struct field_file_facts *facts = &field->facts;
    struct field block = {0};
    int32_t first = 0;
    enum status status = STATUS_OK;
    TRY(field_create(pixels, columns, lines, facts->planes, facts->count_bytes));
    for (int32_t j = 0; j < lines && status == STATUS_OK; j++) {
        if (!block.base || y[j] >= first + block.height) {
            field_destroy(&block);
            status = block_read(field, y[j], &block, &first);
        }
        for (int32_t i = 0; i < columns && status == STATUS_OK; i++) {
            struct field from = field_window(&block, x[i], y[j] - first, 1, 1);
            struct field to = field_window(pixels, i, j, 1, 1);
            field_copy(&to, &from);
        }
    }
    field_destroy(&block);
    if (status != STATUS_OK)
        field_destroy(pixels);
    return status;
}
