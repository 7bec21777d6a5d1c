#include "library/output/part_join.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/stop.h"
#include "library/settings/part.h"
#include "library/output/picture_there.h"
#include "library/settings/view_file.h"
#include "render/disk/folder.h"
#include "render/file/rows_file.h"

enum { BLOCK_BYTES = 32 << 20 };

/* ---- finding the parts ---- */

/* N of a name BASE.part-K-of-N.rows; 0: it is another name. */
static int parts_named(const char *name, const char *base)
{
    int part = 0, parts = 0, end = 0;
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0)
        return 0;
    bool good = sscanf(name + length, ".part-%6d-of-%6d.rows%n", &part, &parts, &end) == 2 && end &&
                !name[length + (size_t)end];
    return good && part >= 1 && part <= parts ? parts : 0;
}

static enum status folder_search(DIR *stream, const char *target, const char *base, int *parts)
{
    for (struct dirent *entry; (entry = readdir(stream));) {
        int named = parts_named(entry->d_name, base);
        if (named && *parts && named != *parts)
            return status_fail(STATUS_CONFIG,
                               "%s: there are parts of %d and of %d in all; remove those that are "
                               "not wanted",
                               target, *parts, named);
        *parts = named ? named : *parts;
    }
    return STATUS_OK;
}

static enum status missing_check(int parts, const struct picture_settings *settings)
{
    const char *target = settings->paths[0];
    char missing[256] = "";
    size_t used = 0;
    for (int part = 1; part <= parts; part++) {
        char *path = settings_part_path(target, part, parts);
        if (!path)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a part");
        if (access(path, F_OK) != 0 && used < sizeof missing)
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%d",
                                     used ? ", " : "", part);
        free(path);
    }
    if (!used)
        return STATUS_OK;
    return status_fail(STATUS_NO_INPUT,
                       "%s: parts of it are missing: %s; make each with --part K/%d, or remove "
                       "%s.part-*.rows to compute the picture here",
                       target, missing, parts, target);
}

enum status part_join_find(int *parts, const struct picture_settings *settings)
{
    const char *target = settings->paths[0], *slash = strrchr(target, '/');
    const char *base = slash ? slash + 1 : target;
    char folder[4096];
    *parts = 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(base - target), target);
    DIR *stream = folder_list_path(*folder ? folder : ".");
    if (!stream) /* the checks of files tell why */
        return STATUS_OK;
    enum status status = folder_search(stream, target, base, parts);
    closedir(stream);
    return status == STATUS_OK && *parts ? missing_check(*parts, settings) : status;
}

/* ---- checks ---- */

static enum status part_open(struct rows_file **file, int part, int parts,
                             const struct picture_settings *settings)
{
    *file = NULL;
    char *path = settings_part_path(settings->paths[0], part, parts);
    if (!path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a part");
    enum status status = rows_file_open(file, path);
    free(path);
    return status;
}

static int32_t rows_before(int32_t height, int part, int parts)
{
    return (int32_t)((int64_t)height * (part - 1) / parts);
}

static enum status shape_check(const struct rows_file *file, int part, int parts,
                               const struct picture_settings *settings)
{
    const struct rows_head *head = rows_file_head(file);
    const struct field shape = settings_shape(settings);
    int32_t rows =
        rows_before(shape.height, part + 1, parts) - rows_before(shape.height, part, parts);
    bool light = samples_most(settings->picture.samples) > 1;
    if (head->width == shape.width && head->height == rows && head->planes == shape.planes &&
        (int)head->count_bytes == shape.count_bytes && (head->light != 0) == light)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA,
                       "part %d of %d of %s is of another picture, or of other files: it has %d x "
                       "%d pixels and planes %#x, and %d x %d with %#x are wanted; make it again, "
                       "by the same command with --part and --force",
                       part, parts, settings->paths[0], head->width, head->height, head->planes,
                       shape.width, rows, shape.planes);
}

/* The name of a palette's file says nothing of what is in it. */
static enum status palette_check(const struct rows_file *file, int part, int parts,
                                 const struct picture_settings *settings)
{
    const struct rows_head *head = rows_file_head(file);
    if (!head->light || head->palette == palette_checksum(settings->palette))
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA,
                       "part %d of %d of %s has the colours of another palette; make it again, by "
                       "the same command with --part and --force",
                       part, parts, settings->paths[0]);
}

/* The distribution that a part has settled must be that of all. */
static enum status distribution_take(const struct ini *ini, struct config *config, int part)
{
    const char *now = config_text(config, OPTION_LOOK_DISTRIBUTION);
    const struct ini_entry *entry = ini_find(ini, "look", "distribution");
    const char *text = entry ? entry->value : NULL;
    if (!text || !strcmp(text, "auto"))
        return STATUS_OK;
    if (part == 1)
        return config_set(config, OPTION_LOOK_DISTRIBUTION, text, "measured", STATUS_BAD_DATA);
    if (now && !strcmp(now, text))
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "part %d has other colours than those before it", part);
}

static enum status part_check(const struct rows_file *file, int part, int parts,
                              const struct picture_settings *settings, struct config *config)
{
    char name[64];
    struct ini ini = {0};
    snprintf(name, sizeof name, "part %d of %d", part, parts);
    TRY(view_text_parse(&ini, rows_file_text(file), name));
    enum status status = shape_check(file, part, parts, settings);
    if (status == STATUS_OK)
        status = palette_check(file, part, parts, settings);
    if (status == STATUS_OK)
        status = distribution_take(&ini, config, part);
    if (status == STATUS_OK && picture_there_check(name, &ini, settings) != STATUS_OK)
        status = status_fail(STATUS_BAD_DATA,
                             "%s: %.900s; make it again, by the same command with --part "
                             "and --force",
                             settings->paths[0], status_text());
    ini_destroy(&ini);
    return status;
}

enum status part_join_look(int parts, struct picture_settings *settings, struct config *config)
{
    for (int part = 1; part <= parts; part++) {
        struct rows_file *file;
        TRY(part_open(&file, part, parts, settings));
        enum status status = part_check(file, part, parts, settings, config);
        rows_file_close(file);
        TRY(status);
    }
    return settings_fit(settings, config, NULL);
}

/* ---- rows ---- */

struct row_block {
    struct field rows;
    float (*light)[3]; /* NULL: none */
};

static enum status block_consume(struct rows_file *file, struct row_block *block, int32_t y,
                                 int32_t above, int32_t height,
                                 const struct picture_consumer *consumer)
{
    struct field rows = field_window(&block->rows, 0, 0, block->rows.width, height);
    TRY(rows_file_read(file, y, &rows, block->light));
    return consumer->strip(consumer->context, above + y, &rows, (const float(*)[3])block->light);
}

static enum status part_consume(int part, int parts, const struct picture_settings *settings,
                                struct row_block *block, const struct picture_consumer *consumer)
{
    struct rows_file *file;
    const struct field shape = settings_shape(settings);
    TRY(part_open(&file, part, parts, settings));
    enum status status = shape_check(file, part, parts, settings); /* it may be another by now */
    int32_t height = status == STATUS_OK ? rows_file_head(file)->height : 0;
    int32_t above = rows_before(shape.height, part, parts);
    for (int32_t y = 0; status == STATUS_OK && y < height; y += block->rows.height) {
        int32_t left = height - y;
        status =
            stop_asked(settings->stop)
                ? status_fail(STATUS_STOPPED, "stopped on request; the parts are there")
                : block_consume(file, block, y, above,
                                left < block->rows.height ? left : block->rows.height, consumer);
    }
    rows_file_close(file);
    return status;
}

enum status part_join_run(int parts, const struct picture_settings *settings,
                          const struct picture_consumer *consumer)
{
    struct field shape = settings_shape(settings);
    struct row_block block = {.light = NULL};
    bool light = samples_most(settings->picture.samples) > 1;
    uint64_t row =
        (uint64_t)shape.width * (planes_bytes(shape.planes, shape.count_bytes) + (light ? 12 : 0));
    uint64_t rows = BLOCK_BYTES / row + 1;
    int32_t height = rows < (uint64_t)shape.height ? (int32_t)rows : shape.height;
    TRY(field_create(&block.rows, shape.width, height, shape.planes, shape.count_bytes));
    enum status status = STATUS_OK;
    if (light) {
        block.light = malloc((size_t)height * (size_t)shape.width * sizeof *block.light);
        if (!block.light)
            status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for rows of a part");
    }
    for (int part = 1; status == STATUS_OK && part <= parts; part++)
        status = part_consume(part, parts, settings, &block, consumer);
    field_destroy(&block.rows);
    free(block.light);
    return status;
}

void part_join_clear(int parts, const struct picture_settings *settings)
{
    for (int part = 1; part <= parts; part++) {
        char *path = settings_part_path(settings->paths[0], part, parts);
        if (path)
            (void)folder_path_remove(path);
        free(path);
    }
}
