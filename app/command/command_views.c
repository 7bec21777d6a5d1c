/* deepfield views: the names that other commands take, one a line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/command/command.h"
#include "app/launch/program_world.h"
#include "app/process/environment.h"
#include "app/process/terminal.h"
#include "app/report/document.h"
#include "app/settings/engine.h"
#include "include/deepfield/deepfield.h"
#include "library/place/data.h"
#include "render/colour/srgb.h"
#include "render/disk/json.h"

/* ---- small pictures side by side on a terminal, each computed when it is shown ---- */

/* Half a character is about as wide as it is high, so a character holds two pixels. Each is the
 * mean of OVER x OVER. */
enum { ACROSS = 3, WIDTH = 25, HEIGHT = 14, OVER = 6 };

struct thumbnail {
    int rgb[HEIGHT][WIDTH][3]; /* sRGB, 0 ... 255 */
    enum status status;
};

struct thumbnail_maker {
    struct deepfield_world *world;
    struct deepfield_renderer *renderer;
    deepfield_field *field;
    float light[HEIGHT * OVER][WIDTH * OVER][3]; /* linear RGB of the picture under way */
};

static void light_shrink(struct thumbnail *thumbnail, const struct thumbnail_maker *maker)
{
    float sum[HEIGHT][WIDTH][3] = {{{0}}};
    for (int y = 0; y < HEIGHT * OVER; y++)
        for (int x = 0; x < WIDTH * OVER; x++)
            for (int c = 0; c < 3; c++)
                sum[y / OVER][x / OVER][c] += maker->light[y][x][c] / (OVER * OVER);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++)
                thumbnail->rgb[y][x][c] =
                    (int)lround(255 * srgb_encode(fmin((double)sum[y][x][c], 1)));
}

static deepfield_status picture_colour(struct thumbnail_maker *maker, deepfield_picture *picture)
{
    char size[32];
    const deepfield_array light = {.size = sizeof light,
                                   .data = maker->light,
                                   .type = DEEPFIELD_F32,
                                   .width = WIDTH * OVER,
                                   .height = HEIGHT * OVER,
                                   .channels = 3,
                                   .row_bytes = sizeof maker->light[0]};
    snprintf(size, sizeof size, "%dx%d", WIDTH * OVER, HEIGHT * OVER);
    deepfield_status status = deepfield_picture_set(picture, "view.size", size);
    if (status == DEEPFIELD_OK)
        status = deepfield_picture_set(picture, "look.samples", "1");
    if (status == DEEPFIELD_OK)
        status = deepfield_render(maker->renderer, picture, DEEPFIELD_COLOURS, maker->field);
    return status == DEEPFIELD_OK ? deepfield_field_colour(maker->field, picture, &light) : status;
}

static void thumbnail_make(struct thumbnail *thumbnail, const char *path,
                           struct thumbnail_maker *maker)
{
    deepfield_picture *picture;
    thumbnail->status = status_take(deepfield_picture_open(&picture, maker->world, path));
    if (thumbnail->status == STATUS_OK)
        thumbnail->status = status_take(picture_colour(maker, picture));
    if (thumbnail->status == STATUS_OK)
        light_shrink(thumbnail, maker);
    deepfield_picture_destroy(picture);
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

static enum status line_print(struct thumbnail_maker *maker, const char *folder,
                              const struct data_names *names, size_t first,
                              enum terminal_colours colours)
{
    struct thumbnail thumbnail[ACROSS];
    size_t count = names->count - first < ACROSS ? names->count - first : ACROSS;
    for (size_t i = 0; i < count; i++) {
        char path[4300];
        data_view_path(path, sizeof path, folder, names->name[first + i]);
        thumbnail_make(&thumbnail[i], path, maker);
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
 * or computed stays blank. STATUS_STOPPED; STATUS_NO_DEVICE. About 0.3 s for the program's own
 * views on two cores. */
static enum status thumbnails_print(struct thumbnail_maker *maker, const char *folder,
                                    const struct data_names *names, enum terminal_colours colours)
{
    enum status status =
        status_take(deepfield_renderer_set(maker->renderer, "compute.backend", "cpu"));
    if (status == STATUS_OK)
        status = status_take(deepfield_field_create(&maker->field));
    for (size_t i = 0; i < names->count && status == STATUS_OK; i += ACROSS)
        status = line_print(maker, folder, names, i, colours);
    deepfield_field_destroy(maker->field);
    return status;
}

/* Shows pictures before the lines where a terminal can and no other rank waits; only views with a
 * file of their own have one. */
static enum status pictures_show(struct deepfield_world *world, const char *folder)
{
    enum terminal_colours colours = terminal_colours_of_stdout();
    struct data_names files = {0};
    struct thumbnail_maker maker = {.world = world};
    if (colours == TERMINAL_NONE || !terminal_utf8() || program_is_launched())
        return STATUS_OK;
    enum status status = data_names_list(&files, folder, ".ini");
    if (status == STATUS_OK)
        status = status_take(deepfield_renderer_create(&maker.renderer, world));
    if (status == STATUS_OK && files.count)
        status = thumbnails_print(&maker, folder, &files, colours);
    deepfield_renderer_destroy(maker.renderer);
    data_names_destroy(&files);
    return status;
}

/* ---- the list ---- */

/* Places of a file, whose names are long, have a wider column than views. */
static int width_of(struct json_object *views, const char *name)
{
    int longest = 0;
    for (int i = 0; i < json_length(views); i++) {
        const char *other = json_text_of(json_element(views, i), "name");
        int length = (int)strlen(other);
        if (!strchr(other, ':') == !strchr(name, ':') && length > longest)
            longest = length;
    }
    return longest;
}

static void lines_print(struct json_object *views)
{
    for (int i = 0; i < json_length(views); i++) {
        struct json_object *view = json_element(views, i);
        const char *name = json_text_of(view, "name"), *title = json_text_of(view, "title");
        printf("%-*s  %-8s  %s\n", width_of(views, name), name, json_text_of(view, "zoom"),
               title ? title : "");
    }
}

static enum status json_show(struct json_object *views, const char *folder)
{
    static const char *const but[] = {"summary", NULL};
    struct json json = {.stream = stdout};
    json_begin(&json, "views/1");
    json_text(&json, "folder", folder);
    json_open(&json, "views", '[');
    for (int i = 0; i < json_length(views); i++) {
        json_open(&json, NULL, '{');
        json_add_members(&json, json_element(views, i), but);
        json_close(&json);
    }
    json_close(&json);
    return document_end(&json);
}

/* Views that fail are reported after the others; a document that is not whole is none. */
static enum status views_show(struct invocation *invocation, struct deepfield_world *world)
{
    const bool as_json = arguments_has(&invocation->arguments, OPTION_JSON);
    char data[4096], folder[4200], *text, why[STATUS_TEXT_BYTES];
    TRY(environment_data_folder(data, sizeof data));
    snprintf(folder, sizeof folder, "%s/configs/views", data);
    if (!as_json)
        TRY(pictures_show(world, folder));
    enum status status = status_take(deepfield_list(world, "views", &text)), shown = STATUS_OK;
    snprintf(why, sizeof why, "%s", status_text());
    struct json_object *views = text ? json_read(text) : NULL;
    deepfield_free(text);
    if (!as_json)
        lines_print(views);
    else if (status == STATUS_OK)
        shown = json_show(views, folder);
    json_free(views);
    return status == STATUS_OK ? shown : status_fail(status, "%s", why);
}

enum status command_views(struct invocation *invocation)
{
    return engine_run_alone(invocation, views_show);
}
