#include "app/thumbnails.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/picture_settings.h"
#include "app/stop.h"
#include "render/srgb.h"

/* Half a character is about as wide as it is high, so a character holds two pixels. Each is the
 * mean of OVER x OVER. */
enum { ACROSS = 3, WIDTH = 25, HEIGHT = 14, OVER = 6 };

struct thumbnail {
    int rgb[HEIGHT][WIDTH][3]; /* sRGB, 0 ... 255 */
    enum status status;
};

/* One row of the field, added to the light of a row of pixels. */
static void row_add(const struct look *look, const struct field *field, int32_t y,
                    float light[WIDTH][3])
{
    float run_light[WIDTH * OVER][3];
    const struct colour_run run = colour_run_of(field, y);
    colour_run_light(look, &run, run_light);
    for (int x = 0; x < WIDTH * OVER; x++)
        for (int c = 0; c < 3; c++)
            light[x / OVER][c] += run_light[x][c] / (OVER * OVER);
}

static void field_shrink(struct thumbnail *thumbnail, const struct look *look,
                         const struct field *field)
{
    for (int y = 0; y < HEIGHT; y++) {
        float light[WIDTH][3] = {{0}};
        for (int i = 0; i < OVER; i++)
            row_add(look, field, y * OVER + i, light);
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++)
                thumbnail->rgb[y][x][c] = (int)lround(255 * srgb_encode(fmin(light[x][c], 1)));
    }
}

static enum status config_compute(struct thumbnail *thumbnail, struct config *config,
                                  struct renderer *renderer)
{
    char size[32];
    struct picture picture = {.limit = 0};
    struct picture_report report = {.iterations = 0};
    struct picture_hooks hooks = {.stop = &stop_requested};
    struct palette *palette = NULL;
    struct look_options options;
    struct look look;
    struct field field = {0};
    snprintf(size, sizeof size, "%dx%d", WIDTH * OVER, HEIGHT * OVER);
    TRY(config_set(config, OPTION_VIEW_SIZE, size, "thumbnail", STATUS_INTERNAL));
    TRY(settings_look_options(config, &options));
    TRY(settings_palette(config, &palette));
    enum status status = settings_picture(config, &picture);
    picture.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | look_planes(&options);
    if (status == STATUS_OK)
        status = picture_render(renderer, &picture, &hooks, &field, &report);
    if (status == STATUS_OK) {
        struct distribution distribution = settings_measure(config, &field, field.height);
        look_make(&look, &options, &distribution, palette, field.height);
        field_shrink(thumbnail, &look, &field);
    }
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    palette_destroy(palette);
    return status;
}

static void thumbnail_make(struct thumbnail *thumbnail, const char *path, struct renderer *renderer)
{
    struct config config = {0};
    struct view_file file = {0};
    *thumbnail = (struct thumbnail){.status = config_create(&config)};
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = view_file_load(&file, path);
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = config_apply(&config, &file.ini, path, STATUS_BAD_DATA);
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = config_compute(thumbnail, &config, renderer);
    view_file_destroy(&file);
    config_destroy(&config);
}

static void row_print(const struct thumbnail thumbnail[ACROSS], size_t count, int y,
                      enum terminal_colours colours)
{
    for (size_t i = 0; i < count; i++) {
        for (int x = 0; x < WIDTH && thumbnail[i].status == STATUS_OK; x++)
            terminal_halves(stdout, colours, thumbnail[i].rgb[y][x], thumbnail[i].rgb[y + 1][x]);
        terminal_reset(stdout);
        printf("%*s", thumbnail[i].status == STATUS_OK ? 1 : WIDTH + 1, "");
    }
    putchar('\n');
}

static enum status line_print(struct renderer *renderer, const char *folder,
                              const struct data_names *names, size_t first,
                              enum terminal_colours colours)
{
    struct thumbnail thumbnail[ACROSS];
    size_t count = names->count - first < ACROSS ? names->count - first : ACROSS;
    for (size_t i = 0; i < count; i++) {
        char path[4300];
        snprintf(path, sizeof path, "%s/%s.ini", folder, names->name[first + i]);
        thumbnail_make(&thumbnail[i], path, renderer);
        if (thumbnail[i].status == STATUS_STOPPED)
            return STATUS_STOPPED;
    }
    for (int y = 0; y < HEIGHT; y += 2)
        row_print(thumbnail, count, y, colours);
    for (size_t i = 0; i < count; i++)
        printf("%-*s ", WIDTH, names->name[first + i]);
    fputs("\n\n", stdout);
    fflush(stdout);
    return STATUS_OK;
}

enum status thumbnails_print(struct world *world, const char *folder,
                             const struct data_names *names, enum terminal_colours colours)
{
    struct renderer_options options = {.backend = "cpu", .use = FRAME_MEMORY_MANY};
    struct renderer *renderer;
    TRY(renderer_open(&renderer, world, &options));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < names->count && status == STATUS_OK; i += ACROSS)
        status = line_print(renderer, folder, names, i, colours);
    renderer_close(renderer);
    return status;
}
