#include "render/file/pyramid.h"

#include <errno.h>
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <turbojpeg.h>
#include <unistd.h>
#include <xxhash.h>

#include "render/disk/file_bytes.h"
#include "render/disk/folder.h"
#include "render/file/png_writer.h"

enum {
    TILE = PYRAMID_TILE_PX,
    OVERLAP = PYRAMID_OVERLAP_PX,
    SIDE = TILE + 2 * OVERLAP, /* side of a tile with its neighbours' pixels */
    PIXEL_BYTES = 3,
    LINE_BYTES = SIDE * PIXEL_BYTES,
    BLOCK_BYTES = SIDE * LINE_BYTES,
    LIGHT_BYTES = 8 << 20,       /* bytes of the picture's rows that are taken at once */
    LIGHT_BYTES_MOST = 96 << 20, /* most of them, for so many rows of each thread */
    ROWS_A_THREAD = 4,
    ALONE_PX = 16 << 10, /* pixels up to which one thread is faster */
    NAME_BYTES = 48
};

/* Strip: the rows of a row of tiles, in a file: SIDE lines of SIDE pixels for each column of tiles,
 * so that a tile is read at once. It is written once from its start to its end, and not changed. */
struct strip {
    int file; /* -1: none */
};

struct level {
    int number; /* level number; 0: one pixel */
    int32_t width, height;
    int32_t across;   /* columns of tiles */
    int32_t y;        /* next row */
    int32_t tile_row; /* first row of tiles that is not made */
    /* strips of that row of tiles and of the next, which begins before that one ends */
    struct strip at[2];
    int32_t saved[2];  /* tile_row at the last mark, and at the one before; -1: none */
    float (*above)[3]; /* row that waits for the one below it */
};

struct pyramid {
    const struct sink_request *request;
    int tiles, waiting; /* folders */
    int levels, threads, light_file;
    uint8_t (*block)[BLOCK_BYTES]; /* [threads] */
    int failed;                    /* errno errno of a thread that failed */
    struct level level[PYRAMID_LEVELS_MOST];
};

/* ---- shapes ---- */

int pyramid_levels(int32_t width, int32_t height)
{
    int64_t most = width > height ? width : height;
    int levels = 1;
    while ((int64_t)1 << (levels - 1) < most)
        levels++;
    return levels;
}

static int32_t halved(int32_t length, int times)
{
    return (int32_t)(((int64_t)length + ((int64_t)1 << times) - 1) >> times);
}

static int32_t tiles_over(int32_t length)
{
    return (length - 1) / TILE + 1;
}

static int32_t least(int64_t a, int64_t b)
{
    return (int32_t)(a < b ? a : b);
}

/* End of the rows of a row of tiles, with the overlap. */
static int32_t row_end(const struct level *level, int32_t tile_row)
{
    return least(((int64_t)tile_row + 1) * TILE + OVERLAP, level->height);
}

/* First row of a row of tiles, with the overlap. */
static int32_t row_first(int32_t tile_row)
{
    return tile_row ? tile_row * TILE - OVERLAP : 0;
}

static bool tile_row_exists(const struct level *level, int32_t tile_row)
{
    return (int64_t)tile_row * TILE < level->height;
}

/* Bytes of tiles, four strips and a row of light. */
static bool level_bytes(int32_t width, int32_t height, uint64_t *bytes)
{
    const struct png_shape shape = {least(width, SIDE), least(height, SIDE), 8, 0};
    uint64_t across = (uint64_t)tiles_over(width), tiles, strips;
    return !__builtin_mul_overflow(across * (uint64_t)tiles_over(height), png_bytes_most(&shape, 0),
                                   &tiles) &&
           !__builtin_mul_overflow(across * 4, (uint64_t)shape.height * LINE_BYTES, &strips) &&
           !__builtin_add_overflow(*bytes, tiles, bytes) &&
           !__builtin_add_overflow(*bytes, strips + 24 * (uint64_t)width, bytes);
}

uint64_t pyramid_bytes_most(int32_t width, int32_t height)
{
    uint64_t bytes = 0;
    for (int times = 0; times < pyramid_levels(width, height); times++)
        if (!level_bytes(halved(width, times), halved(height, times), &bytes))
            return UINT64_MAX;
    return bytes;
}

/* ---- failures ---- */

static void failed(struct pyramid *pyramid, int reason)
{
    int none = 0;
    __atomic_compare_exchange_n(&pyramid->failed, &none, reason ? reason : EIO, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool has_failed(const struct pyramid *pyramid)
{
    return __atomic_load_n(&pyramid->failed, __ATOMIC_RELAXED);
}

static enum status pyramid_status(const struct pyramid *pyramid)
{
    TRY(sink_stopped(pyramid->request));
    if (!pyramid->failed)
        return STATUS_OK;
    return status_fail(pyramid->failed == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_IO,
                       "cannot write the tiles of %s: %s", pyramid->request->path,
                       strerror(pyramid->failed));
}

static enum status pyramid_incomplete(const struct pyramid *pyramid, const char *name)
{
    return status_fail(STATUS_BAD_DATA,
                       "cannot go on with %s: %s in %s is missing or shorter; begin anew",
                       pyramid->request->path, name, pyramid->request->growing_folder);
}

/* ---- strips ---- */

static void strip_name(char name[NAME_BYTES], const struct level *level, int32_t tile_row)
{
    snprintf(name, NAME_BYTES, "rows.%d.%d", level->number, tile_row);
}

static bool strip_open(const struct pyramid *pyramid, struct level *level, int which,
                       enum sink_side_use use)
{
    char name[NAME_BYTES];
    strip_name(name, level, level->tile_row + which);
    if (level->at[which].file < 0)
        level->at[which].file = use == SINK_SIDE_ADD
                                    ? folder_file_take(pyramid->waiting, name)
                                    : folder_file_open(pyramid->waiting, name, O_RDWR);
    return level->at[which].file >= 0;
}

/* Does one of the two marks need the strip? */
static bool is_saved(const struct level *level, int32_t tile_row)
{
    for (int i = 0; i < 2; i++)
        if (level->saved[i] >= 0 &&
            (tile_row == level->saved[i] || tile_row == level->saved[i] + 1))
            return true;
    return false;
}

static void strip_remove(const struct pyramid *pyramid, const struct level *level, int32_t tile_row)
{
    char name[NAME_BYTES];
    if (tile_row < 0 || tile_row >= level->tile_row || is_saved(level, tile_row))
        return;
    strip_name(name, level, tile_row);
    (void)unlinkat(pyramid->waiting, name, 0);
}

/* Columns of the picture that a line of a column of tiles has. */
static void line_span(const struct level *level, int32_t column, int32_t *from, int32_t *end)
{
    *from = row_first(column);
    *end = least(((int64_t)column + 1) * TILE + OVERLAP, level->width);
}

/* Offset of row y within the column's block of a strip. */
static off_t line_offset(int32_t column, int32_t tile_row, int32_t y)
{
    int32_t line = (int32_t)(y - ((int64_t)tile_row * TILE - OVERLAP));
    return (off_t)column * BLOCK_BYTES + (off_t)line * LINE_BYTES;
}

/* Writes rows from..end-1 to the strip of a row of tiles; samples[0] is row y. */
static void strip_write(struct pyramid *pyramid, const struct level *level, int which,
                        const uint8_t *samples, int32_t y, int32_t from, int32_t end)
{
    size_t row_bytes = (size_t)level->width * PIXEL_BYTES;
#pragma omp parallel for schedule(dynamic, 4) num_threads(pyramid->threads) if (level->across > 1)
    for (int32_t column = 0; column < level->across; column++) {
        uint8_t *block = pyramid->block[omp_get_thread_num()];
        int32_t x, x_end;
        line_span(level, column, &x, &x_end);
        for (int32_t row = from; row < end; row++)
            memcpy(block + (size_t)(row - from) * LINE_BYTES,
                   samples + (size_t)(row - y) * row_bytes + (size_t)x * PIXEL_BYTES,
                   (size_t)(x_end - x) * PIXEL_BYTES);
        if (!file_bytes_put(level->at[which].file, block, (size_t)(end - from) * LINE_BYTES,
                            line_offset(column, level->tile_row + which, from)))
            failed(pyramid, errno);
    }
}

/* ---- tiles ---- */

const char *pyramid_format(const struct sink_request *request)
{
    return request->quality ? "jpg" : "png";
}

static void tile_name(const struct pyramid *pyramid, char name[NAME_BYTES],
                      const struct level *level, int32_t column, int32_t tile_row)
{
    snprintf(name, NAME_BYTES, "%d/%d_%d.%s", level->number, column, tile_row,
             pyramid_format(pyramid->request));
}

struct tile_rows {
    const uint8_t *block;
    size_t bytes;
};

static void tile_row_copy(const void *context, int32_t row, void *samples)
{
    const struct tile_rows *rows = context;
    memcpy(samples, rows->block + (size_t)row * LINE_BYTES, rows->bytes);
}

/* Encodes a JPEG with colours at full resolution, because these pictures have thin coloured lines.
 * To be freed by tjFree; NULL without memory. */
static unsigned char *jpeg_encode(const struct pyramid *pyramid, const uint8_t *block,
                                  const struct png_shape *shape, size_t *length)
{
    tjhandle encoder = tjInitCompress();
    unsigned char *jpeg = NULL;
    unsigned long bytes = 0;
    bool good = encoder && tjCompress2(encoder, block, shape->width, LINE_BYTES, shape->height,
                                       TJPF_RGB, &jpeg, &bytes, TJSAMP_444,
                                       pyramid->request->quality, TJFLAG_ACCURATEDCT) == 0;
    if (encoder)
        tjDestroy(encoder);
    *length = bytes;
    if (good)
        return jpeg;
    tjFree(jpeg);
    return NULL;
}

/* Encodes a PNG in memory, to be freed; NULL without memory. */
static char *png_encode(const struct pyramid *pyramid, const uint8_t *block,
                        const struct png_shape *shape, size_t *length)
{
    static const struct png_note none = {0};
    const struct tile_rows context = {block, (size_t)shape->width * PIXEL_BYTES};
    const struct png_rows rows = {tile_row_copy, &context, shape->height};
    char *png = NULL, path[] = "a tile";
    struct atomic_file file = {.stream = open_memstream(&png, length),
                               .path = path,
                               .folder = -1,
                               .file = -1,
                               .stop = pyramid->request->stop};
    struct png_writer *writer = NULL;
    if (!file.stream)
        return NULL;
    bool good = png_writer_create(&writer, &file, shape, &none) == STATUS_OK &&
                png_writer_add(writer, &rows) == STATUS_OK;
    png_writer_destroy(writer);
    good = fclose(file.stream) == 0 && good;
    if (good)
        return png;
    free(png);
    return NULL;
}

static bool tile_write(const struct pyramid *pyramid, const char *name, const void *bytes,
                       size_t length)
{
    int file = folder_file_create(pyramid->tiles, name, 0666);
    bool good = file >= 0 && file_bytes_put(file, bytes, length, 0);
    return file_bytes_close(file, good);
}

static void tile_make(struct pyramid *pyramid, const struct level *level, int32_t column)
{
    uint8_t *block = pyramid->block[omp_get_thread_num()];
    int32_t x, x_end, y = row_first(level->tile_row), y_end = row_end(level, level->tile_row);
    char name[NAME_BYTES];
    size_t length = 0;
    line_span(level, column, &x, &x_end);
    const struct png_shape shape = {x_end - x, y_end - y, 8, 0};
    errno = 0;
    if (!file_bytes_get(level->at[0].file, block, (size_t)shape.height * LINE_BYTES,
                        line_offset(column, level->tile_row, y))) {
        failed(pyramid, errno);
        return;
    }
    char *png = NULL;
    unsigned char *jpeg = NULL;
    if (pyramid->request->quality)
        jpeg = jpeg_encode(pyramid, block, &shape, &length);
    else
        png = png_encode(pyramid, block, &shape, &length);
    tile_name(pyramid, name, level, column, level->tile_row);
    if (!png && !jpeg)
        failed(pyramid, ENOMEM);
    else if (!tile_write(pyramid, name, png ? (void *)png : (void *)jpeg, length))
        failed(pyramid, errno);
    free(png);
    tjFree(jpeg);
}

/* Makes the tiles of the rows of tiles that are complete now. */
static void tiles_make(struct pyramid *pyramid, struct level *level)
{
    while (tile_row_exists(level, level->tile_row) && !has_failed(pyramid) &&
           level->y >= row_end(level, level->tile_row)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(pyramid->threads) if (level->across > 1)
        for (int32_t column = 0; column < level->across; column++)
            if (!has_failed(pyramid) && sink_stopped(pyramid->request) == STATUS_OK)
                tile_make(pyramid, level, column);
        close(level->at[0].file);
        level->at[0] = level->at[1];
        level->at[1].file = -1;
        level->tile_row++;
        strip_remove(pyramid, level, level->tile_row - 1);
    }
}

/* ---- rows of a level ---- */

/* Keeps as many rows as belong to the row of tiles that has begun. */
static void rows_keep(struct pyramid *pyramid, struct level *level, const uint8_t *samples,
                      int32_t y, int32_t end)
{
    for (int which = 0; which < 2; which++) {
        int32_t tile_row = level->tile_row + which;
        if (!tile_row_exists(level, tile_row) || row_first(tile_row) >= end)
            continue;
        int32_t from = row_first(tile_row) > y ? row_first(tile_row) : y;
        if (strip_open(pyramid, level, which, SINK_SIDE_ADD))
            strip_write(pyramid, level, which, samples, y, from, end);
        else
            failed(pyramid, errno);
    }
}

static void rows_put(struct pyramid *pyramid, struct level *level, const uint8_t *samples,
                     int32_t count)
{
    size_t row_bytes = (size_t)level->width * PIXEL_BYTES;
    for (int32_t end = level->y + count; level->y < end && !has_failed(pyramid);) {
        int32_t y = level->y, to = row_end(level, level->tile_row);
        to = to < end ? to : end;
        rows_keep(pyramid, level, samples, y, to);
        samples += (size_t)(to - y) * row_bytes;
        level->y = to;
        tiles_make(pyramid, level);
    }
}

/* Rows of the level below that rows y ... y + count - 1 complete: out[rows][halved width]. */
static void rows_halve(const struct pyramid *pyramid, const struct level *level,
                       const float (*light)[3], int32_t y, int32_t from, int32_t end,
                       float (*out)[3])
{
    size_t width = (size_t)level->width, half = (size_t)halved(level->width, 1);
#pragma omp parallel for schedule(static) \
    num_threads(pyramid->threads) if ((size_t)(end - from) * half > ALONE_PX)
    for (int32_t row = from; row < end; row++) {
        const float(*above)[3] =
            2 * row < y ? (const float(*)[3])level->above : light + (size_t)(2 * row - y) * width;
        const float(*below)[3] =
            2 * (int64_t)row + 1 < level->height ? light + (size_t)(2 * row + 1 - y) * width : NULL;
        colour_row_halve(above, below, level->width, out + (size_t)(row - from) * half);
    }
}

static void light_take(struct pyramid *pyramid, int number, const float (*light)[3], int32_t count);

/* Passes the rows of the next smaller level on that rows from y on, which this level has taken,
 * complete. */
static void rows_pass_on(struct pyramid *pyramid, struct level *level, const float (*light)[3],
                         int32_t y)
{
    int32_t from = y / 2, end = level->y / 2;
    if (level->y == level->height)
        end = halved(level->height, 1);
    if (end > from) {
        size_t half = (size_t)halved(level->width, 1);
        float(*out)[3] = malloc((size_t)(end - from) * half * sizeof *out);
        if (!out) {
            failed(pyramid, ENOMEM);
            return;
        }
        rows_halve(pyramid, level, light, y, from, end, out);
        light_take(pyramid, level->number - 1, (const float(*)[3])out, end - from);
        free(out);
    }
    if (level->y % 2 && level->y < level->height)
        memcpy(level->above, light + (size_t)(level->y - 1 - y) * (size_t)level->width,
               (size_t)level->width * sizeof *light);
}

static void light_take(struct pyramid *pyramid, int number, const float (*light)[3], int32_t count)
{
    struct level *level = &pyramid->level[number];
    size_t width = (size_t)level->width;
    int32_t y = level->y;
    uint8_t *samples = malloc((size_t)count * width * PIXEL_BYTES);
    if (!samples) {
        failed(pyramid, ENOMEM);
        return;
    }
#pragma omp parallel for schedule(static) \
    num_threads(pyramid->threads) if ((size_t)count * width > ALONE_PX)
    for (int32_t row = 0; row < count; row++)
        colour_light_row_8(light + (size_t)row * width, level->width, 0, y + row,
                           samples + (size_t)row * width * PIXEL_BYTES);
    rows_put(pyramid, level, samples, count);
    free(samples);
    if (number > 0 && !has_failed(pyramid))
        rows_pass_on(pyramid, level, light, y);
}

/* ---- rows of the picture ---- */

struct taken { /* batch of rows of the picture */
    float (*light)[3];
    uint8_t *samples;
};

static void rows_colour(const struct pyramid *pyramid, const struct sink_rows *rows, int32_t from,
                        int32_t count, const struct taken *taken)
{
    size_t width = (size_t)rows->field.width;
    const struct sink_request *request = pyramid->request;
#pragma omp parallel for schedule(dynamic, 1) num_threads(pyramid->threads)
    for (int32_t row = 0; row < count; row++) {
        float(*light)[3] = taken->light + (size_t)row * width;
        sink_colour_row(request, rows, from + row,
                        taken->samples + (size_t)row * width * PIXEL_BYTES);
        if (rows->light)
            memcpy(light, rows->light + (size_t)(from + row) * width, width * sizeof *light);
        else
            colour_window_row_light(request->look, &rows->field, from + row, rows->y + from + row,
                                    light);
    }
}

static enum status rows_take(struct pyramid *pyramid, const struct sink_rows *rows, int32_t most,
                             const struct taken *taken)
{
    struct level *level = &pyramid->level[pyramid->levels - 1];
    for (int32_t from = 0, count; from < rows->height; from += count) {
        int32_t y = level->y;
        count = rows->height - from < most ? rows->height - from : most;
        TRY(sink_stopped(pyramid->request));
        rows_colour(pyramid, rows, from, count, taken);
        rows_put(pyramid, level, taken->samples, count);
        if (level->number > 0 && !has_failed(pyramid))
            rows_pass_on(pyramid, level, (const float(*)[3])taken->light, y);
        TRY(pyramid_status(pyramid));
    }
    return STATUS_OK;
}

/* Number of rows of a batch: threads share rows, and each level has half as many as the one
 * above. */
static int32_t rows_at_once(const struct pyramid *pyramid, size_t width)
{
    size_t row_bytes = width * sizeof(float[3]), rows = 1 + LIGHT_BYTES / row_bytes;
    size_t shared = (size_t)pyramid->threads * ROWS_A_THREAD;
    size_t most = 1 + LIGHT_BYTES_MOST / row_bytes;
    shared = shared < most ? shared : most;
    return (int32_t)(rows > shared ? rows : shared);
}

enum status pyramid_add(struct pyramid *pyramid, const struct sink_rows *rows)
{
    size_t width = (size_t)rows->field.width;
    int32_t most = rows_at_once(pyramid, width);
    most = most < rows->height ? most : rows->height;
    struct taken taken = {malloc((size_t)most * width * sizeof *taken.light),
                          malloc((size_t)most * width * PIXEL_BYTES)};
    enum status status =
        taken.light && taken.samples
            ? rows_take(pyramid, rows, most, &taken)
            : status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", pyramid->request->path);
    free(taken.light);
    free(taken.samples);
    return status;
}

/* ---- marks ---- */

static const char *const light_names[2] = {"light0", "light1"};

static bool is_waiting(const struct level *level)
{
    return level->number > 0 && level->y % 2 && level->y < level->height;
}

/* Writes, or reads back, the rows of all levels that wait for the one below them. */
static bool light_pass(struct pyramid *pyramid, int file, bool reads, uint64_t *sum)
{
    off_t offset = 0;
    *sum = 0;
    for (int i = 0; i < pyramid->levels; i++) {
        struct level *level = &pyramid->level[i];
        size_t bytes = (size_t)level->width * sizeof *level->above;
        if (!is_waiting(level))
            continue;
        if (!(reads ? file_bytes_get(file, level->above, bytes, offset)
                    : file_bytes_put(file, level->above, bytes, offset)))
            return false;
        *sum = XXH3_64bits_withSeed(level->above, bytes, *sum);
        offset += (off_t)bytes;
    }
    return true;
}

static void strips_drop(const struct pyramid *pyramid)
{
    for (int i = 0; i < pyramid->levels; i++) {
        struct level level = pyramid->level[i];
        int32_t old = pyramid->level[i].saved[1];
        level.saved[1] = level.saved[0];
        level.saved[0] = level.tile_row;
        if (old >= 0) {
            strip_remove(pyramid, &level, old);
            strip_remove(pyramid, &level, old + 1);
        }
    }
}

enum status pyramid_checkpoint(struct pyramid *pyramid, struct pyramid_mark *mark)
{
    pyramid->light_file = !pyramid->light_file;
    int file = folder_file_take(pyramid->waiting, light_names[pyramid->light_file]);
    *mark = (struct pyramid_mark){.light_file = pyramid->light_file};
    bool good = file >= 0 && light_pass(pyramid, file, false, &mark->sum);
    /* syncing thousands of small tiles one by one takes longer */
    good = good && TEMP_FAILURE_RETRY(syncfs(file)) == 0;
    if (!good)
        failed(pyramid, errno);
    if (file >= 0)
        close(file);
    if (good)
        strips_drop(pyramid);
    for (int i = 0; good && i < pyramid->levels; i++) {
        struct level *level = &pyramid->level[i];
        level->saved[1] = level->saved[0];
        level->saved[0] = level->tile_row;
    }
    return good ? STATUS_OK : pyramid_status(pyramid);
}

/* Checks that all tiles of the rows that are made exist. */
static enum status tiles_check(const struct pyramid *pyramid, const struct level *level)
{
    char name[NAME_BYTES];
    struct stat about;
    for (int32_t row = 0; row < level->tile_row; row++)
        for (int32_t column = 0; column < level->across; column++) {
            tile_name(pyramid, name, level, column, row);
            if (fstatat(pyramid->tiles, name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
                about.st_size == 0)
                return pyramid_incomplete(pyramid, name);
        }
    return STATUS_OK;
}

static enum status level_resume(const struct pyramid *pyramid, struct level *level)
{
    char name[NAME_BYTES];
    while (tile_row_exists(level, level->tile_row) && level->y >= row_end(level, level->tile_row))
        level->tile_row++;
    level->saved[0] = level->tile_row;
    for (int which = 0; which < 2; which++) {
        struct stat about;
        int32_t tile_row = level->tile_row + which;
        if (!tile_row_exists(level, tile_row) || level->y <= row_first(tile_row))
            continue;
        off_t needed = line_offset(level->across - 1, tile_row, level->y);
        strip_name(name, level, tile_row);
        if (!strip_open(pyramid, level, which, SINK_SIDE_THERE) ||
            fstat(level->at[which].file, &about) != 0 || about.st_size < needed)
            return pyramid_incomplete(pyramid, name);
    }
    return tiles_check(pyramid, level);
}

enum status pyramid_resume(struct pyramid *pyramid, const struct pyramid_mark *mark, int32_t y)
{
    for (int i = pyramid->levels - 1; i >= 0; i--) {
        struct level *level = &pyramid->level[i];
        level->y = y;
        y = y == level->height ? halved(y, 1) : y / 2;
        TRY(level_resume(pyramid, level));
    }
    uint64_t sum;
    pyramid->light_file = mark->light_file == 1;
    int file = folder_file_open(pyramid->waiting, light_names[pyramid->light_file], O_RDONLY);
    bool good = file >= 0 && light_pass(pyramid, file, true, &sum) && sum == mark->sum;
    if (file >= 0)
        close(file);
    return good ? STATUS_OK : pyramid_incomplete(pyramid, light_names[pyramid->light_file]);
}

/* ---- creation ---- */

static bool level_create(const struct pyramid *pyramid, struct level *level, int number)
{
    const struct field *field = pyramid->request->field;
    char name[NAME_BYTES];
    int times = pyramid->levels - 1 - number;
    *level = (struct level){.number = number,
                            .width = halved(field->width, times),
                            .height = halved(field->height, times),
                            .at = {{-1}, {-1}},
                            .saved = {-1, -1}};
    level->across = tiles_over(level->width);
    level->above = malloc((size_t)level->width * sizeof *level->above);
    snprintf(name, sizeof name, "%d", number);
    int folder = level->above ? folder_make(pyramid->tiles, name, 0777) : -1;
    if (folder < 0 && level->above && errno == EEXIST) /* folder of the run before */
        folder = folder_open_in(pyramid->tiles, name);
    if (folder >= 0)
        close(folder);
    return folder >= 0;
}

enum status pyramid_create(struct pyramid **created, const struct sink_request *request, int tiles,
                           int waiting)
{
    struct pyramid *pyramid = *created = calloc(1, sizeof *pyramid);
    if (!pyramid)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", request->path);
    pyramid->request = request;
    pyramid->tiles = tiles;
    pyramid->waiting = waiting;
    pyramid->threads = omp_get_max_threads();
    pyramid->block = calloc((size_t)pyramid->threads, sizeof *pyramid->block);
    int levels = pyramid_levels(request->field->width, request->field->height);
    bool good = pyramid->block;
    for (pyramid->levels = levels; good && levels > 0; levels--)
        good = level_create(pyramid, &pyramid->level[levels - 1], levels - 1);
    if (good)
        return STATUS_OK;
    failed(pyramid, pyramid->block ? errno : ENOMEM);
    return pyramid_status(pyramid);
}

void pyramid_destroy(struct pyramid *pyramid)
{
    if (!pyramid)
        return;
    for (int i = 0; i < pyramid->levels; i++) {
        struct level *level = &pyramid->level[i];
        for (int which = 0; level->across && which < 2; which++)
            if (level->at[which].file >= 0)
                close(level->at[which].file);
        free(level->above);
    }
    free(pyramid->block);
    free(pyramid);
}
