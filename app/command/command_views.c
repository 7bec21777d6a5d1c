/* deepfield views: the names that other commands take, one a line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/process/environment.h"
#include "app/process/stop.h"
#include "app/process/terminal.h"
#include "app/report/document.h"
#include "app/settings/view_operand.h"
#include "decomposition/world/world.h"
#include "kernels/formula.h"
#include "kernels/status.h"
#include "library/config/config_view.h"
#include "library/place/data.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "library/settings/view_file.h"
#include "render/colour/srgb.h"
#include "render/disk/json.h"
#include "render/picture/picture.h"

/* ---- small pictures side by side on a terminal, each computed when it is shown ---- */

/* Half a character is about as wide as it is high, so a character holds two pixels. Each is the
 * mean of OVER x OVER. */
enum { ACROSS = 3, WIDTH = 25, HEIGHT = 14, OVER = 6 };

struct thumbnail {
    int rgb[HEIGHT][WIDTH][3]; /* sRGB, 0 ... 255 */
    enum status status;
};

/* Adds one row of the field to the linear RGB of a row of pixels. */
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
    struct picture picture = {.spec.limit = 0};
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
    picture.spec.planes = PLANE_MASK_COUNT | PLANE_MASK_FRACTION | look_planes(&options);
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
    config.data = environment_data();
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = view_operand_load(&file, path, VIEW_WHOLE);
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = config_apply(&config, &file.ini, path, STATUS_BAD_DATA);
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = config_colours(&config);
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
        data_view_path(path, sizeof path, folder, names->name[first + i]);
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

/* Prints those of the files FOLDER/NAME.ini to stdout, with their names below. What cannot be read
 * or computed stays blank. `world` has one rank. STATUS_STOPPED; STATUS_NO_DEVICE. About 0.3 s for
 * the program's own views on two cores. */
static enum status thumbnails_print(struct world *world, const char *folder,
                                    const struct data_names *names, enum terminal_colours colours)
{
    struct renderer_options options = {.backend = "cpu"};
    struct renderer *renderer;
    TRY(renderer_open(&renderer, world, &options));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < names->count && status == STATUS_OK; i += ACROSS)
        status = line_print(renderer, folder, names, i, colours);
    renderer_close(renderer);
    return status;
}

struct list {
    const char *folder; /* where the files are */
    struct data_names names;
    struct json *json; /* NULL: as text */
};

/* Loads the file alone, without flags and the environment. */
static enum status view_read(struct config *config, struct view_file *file, const char *path)
{
    TRY(config_create(config));
    config->data = environment_data();
    TRY(view_operand_load(file, path, VIEW_WHOLE));
    TRY(config_apply(config, &file->ini, file->path, STATUS_BAD_DATA));
    return config_colours(config);
}

static void view_json(struct json *json, const struct config *config, const char *name,
                      const char *path)
{
    const char *formula = config_text(config, OPTION_VIEW_FORMULA);
    if (!formula)
        formula = config_text(config, OPTION_VIEW_JULIA) ? "julia" : "mandelbrot";
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "title", config_text(config, OPTION_VIEW_TITLE));
    json_text(json, "credit", config_text(config, OPTION_VIEW_CREDIT));
    json_text(json, "formula", formula);
    json_text(json, "re", config_text(config, OPTION_VIEW_RE));
    json_text(json, "im", config_text(config, OPTION_VIEW_IM));
    json_text(json, "zoom", config_text(config, OPTION_VIEW_ZOOM));
    json_integer(json, "limit", config_integer(config, OPTION_VIEW_LIMIT));
    json_text(json, "palette", config_text(config, OPTION_LOOK_PALETTE));
    json_text(json, "file", path);
    json_close(json);
}

/* Places of a file, whose names are long, have a wider column than views. */
static int width_of(const struct list *list, const char *name)
{
    int longest = 0;
    for (size_t i = 0; i < list->names.count; i++) {
        const char *other = list->names.name[i];
        int length = (int)strlen(other);
        if (!strchr(other, ':') == !strchr(name, ':') && length > longest)
            longest = length;
    }
    return longest;
}

static enum status view_show(const struct list *list, const char *name)
{
    char path[4300];
    struct config config = {0};
    struct view_file file = {0};
    data_view_path(path, sizeof path, list->folder, name);
    enum status status = view_read(&config, &file, path);
    if (status == STATUS_OK && list->json)
        view_json(list->json, &config, name, path);
    else if (status == STATUS_OK) {
        const char *title = config_text(&config, OPTION_VIEW_TITLE);
        printf("%-*s  %-8s  %s\n", width_of(list, name), name,
               config_text(&config, OPTION_VIEW_ZOOM), title ? title : "");
    }
    view_file_destroy(&file);
    config_destroy(&config);
    return status;
}

/* Views that fail are reported after the others. */
static enum status views_show(const struct list *list)
{
    enum status worst = STATUS_OK;
    char text[STATUS_TEXT_BYTES] = "";
    for (size_t i = 0; i < list->names.count; i++) {
        enum status status = view_show(list, list->names.name[i]);
        if (status == STATUS_OK)
            continue;
        worst = status;
        snprintf(text, sizeof text, "%s", status_text());
    }
    return worst == STATUS_OK ? worst : status_fail(worst, "%s", text);
}

static enum status json_show(struct list *list)
{
    struct json json = {.stream = stdout};
    list->json = &json;
    json_begin(&json, "views/1");
    json_text(&json, "folder", list->folder);
    json_open(&json, "views", '[');
    enum status status = views_show(list);
    json_close(&json);
    if (status == STATUS_OK)
        return document_end(&json);
    json_drop(&json); /* a list that is not whole is none */
    return status;
}

/* Shows pictures before the lines where a terminal can and no other rank waits; only views with a
 * file of their own have one. */
static enum status text_show(const struct list *list, struct world *world)
{
    enum terminal_colours colours = terminal_colours_of_stdout();
    struct data_names files = {0};
    enum status status = STATUS_OK;
    if (colours != TERMINAL_NONE && terminal_utf8() && !world_launched())
        status = data_names_list(&files, list->folder, ".ini");
    if (status == STATUS_OK && files.count)
        status = thumbnails_print(world, list->folder, &files, colours);
    data_names_destroy(&files);
    return status == STATUS_OK ? views_show(list) : status;
}

enum status command_views(struct invocation *invocation)
{
    char data[4096], folder[4200];
    struct list list = {.folder = folder};
    TRY(environment_data_folder(data, sizeof data));
    snprintf(folder, sizeof folder, "%s/configs/views", data);
    TRY(data_views_list(&list.names, folder));
    enum status status = arguments_has(&invocation->arguments, OPTION_JSON)
                             ? json_show(&list)
                             : text_show(&list, invocation->world);
    data_names_destroy(&list.names);
    return status;
}
