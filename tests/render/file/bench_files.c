/* How long a coloured picture takes to become a file, beside libpng on the same samples.
 *
 * usage: bench_files FOLDER NAME...: for each, the planes NAME.count.npy and NAME.fraction.npy, as
 * `deepfield render VIEW --size 3840x2160 -o NAME.npy` leaves them. Files go to FOLDER, and their
 * sync is timed apart. Prints medians of ROUNDS, all ways in turn, so that a machine that is busy
 * with other things slows all of them; the ratio to libpng is what counts. */
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "render/colour/palette.h"
#include "render/file/sink.h"

enum { ROUNDS = 5, WAYS_MAX = 16, NPY_HEADER_BYTES = 128 };

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const char *what)
{
    fprintf(stderr, "bench_files: %s: %s\n", what, status_text());
    exit(1);
}

/* ---- the field ---- */

static void plane_read(const char *name, const char *plane, struct field *field)
{
    char path[4096], header[NPY_HEADER_BYTES + 1] = "";
    int width, height;
    snprintf(path, sizeof path, "%s.%s.npy", name, plane);
    FILE *stream = fopen(path, "rb");
    if (!stream || fread(header, 1, NPY_HEADER_BYTES, stream) != NPY_HEADER_BYTES)
        fail(path);
    const char *shape = strstr(header + 10, "'shape': (");
    if (!shape || sscanf(shape, "'shape': (%d, %d)", &height, &width) != 2)
        fail(path);
    bool first = !field->base;
    if (first && field_create(field, width, height, PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
                              strstr(header + 10, "u8") ? 8 : 4) != STATUS_OK)
        fail(path);
    size_t pixels = (size_t)field->width * (size_t)field->height;
    void *to = field->plane[first ? PLANE_COUNT : PLANE_FRACTION];
    if (fread(to, first ? (size_t)field->count_bytes : 4, pixels, stream) != pixels)
        fail(path);
    fclose(stream);
}

/* ---- ways ---- */

struct way {
    const char *name, *suffix;
    int bits, level, filters; /* level -1: ours */
    double elapsed_s[ROUNDS], cpu_s[ROUNDS];
    long long bytes;
};

static const struct way ways[] = {
    {.name = "png", .suffix = ".png", .bits = 8, .level = -1},
    {.name = "libpng 1, Sub", .bits = 8, .level = 1, .filters = PNG_FILTER_SUB},
    {.name = "libpng 1", .bits = 8, .level = 1, .filters = PNG_ALL_FILTERS},
    {.name = "libpng default", .bits = 8, .level = 6, .filters = PNG_ALL_FILTERS},
    {.name = "png 16", .suffix = ".png", .bits = 16, .level = -1},
    {.name = "libpng 1, Up 16", .bits = 16, .level = 1, .filters = PNG_FILTER_UP},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void by_libpng(const struct way *way, const char *path, const struct sink_request *order)
{
    const struct field *field = order->field;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_bytep row = malloc((size_t)field->width * 6);
    FILE *stream = fopen(path, "wb");
    if (!row || !stream || setjmp(png_jmpbuf(png)))
        fail(path);
    png_init_io(png, stream);
    png_set_IHDR(png, info, (png_uint_32)field->width, (png_uint_32)field->height, way->bits,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, 0, 0);
    png_set_compression_level(png, way->level);
    png_set_filter(png, 0, way->filters);
    png_write_info(png, info);
    if (way->bits == 16)
        png_set_swap(png);
    struct sink_rows rows = {.height = field->height, .field = *field};
    for (int32_t y = 0; y < field->height; y++) {
        sink_colour_row(order, &rows, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(stream);
    free(row);
}

static void by_us(const char *path, const struct sink_request *order)
{
    if (sink_write(order) != STATUS_OK)
        fail(path);
}

static void way_run(struct way *way, int round, const char *folder, struct sink_request *order)
{
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/bench%s", folder, way->suffix ? way->suffix : ".png");
    order->path = path;
    order->bits = way->bits;
    double began = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (way->level < 0)
        by_us(path, order);
    else
        by_libpng(way, path, order);
    way->elapsed_s[round] = seconds(CLOCK_MONOTONIC) - began;
    way->cpu_s[round] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    way->bytes = stat(path, &about) == 0 ? (long long)about.st_size : 0;
    unlink(path);
}

static int real_compare(const void *a, const void *b)
{
    const double *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, real_compare);
    return values[ROUNDS / 2];
}

/* A file of as many bytes, written before: what its sync alone takes. */
static double sync_s(const char *folder, long long bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/bench.sync", folder);
    FILE *stream = fopen(path, "wb");
    char *block = calloc(1, (size_t)bytes);
    if (!stream || !block || fwrite(block, 1, (size_t)bytes, stream) != (size_t)bytes ||
        fflush(stream) != 0)
        fail(path);
    double began = seconds(CLOCK_MONOTONIC);
    fsync(fileno(stream));
    double took = seconds(CLOCK_MONOTONIC) - began;
    fclose(stream);
    unlink(path);
    free(block);
    return took;
}

static void field_bench(const char *folder, const char *name, const struct palette *palette)
{
    struct field field = {0};
    plane_read(name, plane_kinds[PLANE_COUNT].name, &field);
    plane_read(name, plane_kinds[PLANE_FRACTION].name, &field);
    struct look look = {.palette = palette, .density = 1};
    struct sink_request order = {.field = &field, .look = &look, .overwrite = OVERWRITE_YES};
    struct way all[WAYS];
    memcpy(all, ways, sizeof all);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WAYS; i++)
            way_run(&all[i], round, folder, &order);
    printf("%s: %d x %d\n", name, field.width, field.height);
    for (int i = 0; i < WAYS; i++)
        printf("  %-16s %7.1f ms  %7.1f ms of processor  %6.2f MB\n", all[i].name,
               1e3 * median(all[i].elapsed_s), 1e3 * median(all[i].cpu_s),
               1e-6 * (double)all[i].bytes);
    printf("  %-16s %7.1f ms\n", "sync of the first", 1e3 * sync_s(folder, all[0].bytes));
    field_destroy(&field);
}

int main(int count, char **words)
{
    struct palette *palette;
    if (count < 3) {
        fputs("usage: bench_files FOLDER NAME...\n", stderr);
        return 64;
    }
    if (palette_load(&palette, DEEPFIELD_ASSETS, "meridian") != STATUS_OK)
        fail("palette");
    for (int i = 2; i < count; i++)
        field_bench(words[1], words[i], palette);
    palette_destroy(palette);
    return 0;
}
