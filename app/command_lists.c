/* deepfield views, deepfield palettes: the names that other commands take, one a line. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "app/command.h"
#include "app/data.h"
#include "render/json.h"
#include "app/terminal.h"
#include "app/thumbnails.h"
#include "kernels/formula.h"
#include "render/palette.h"

/* So that a name, a strip and a title of 51 characters fit into 80. */
enum { STRIP_CELLS = 16 };

struct list {
    const char *data;   /* folder of configs/ and assets/ */
    const char *folder; /* of the files */
    struct data_names names;
    struct json *json; /* NULL: as text */
    enum terminal_colours colours;
};

/* Of each file; those that fail are told at the end, after the others. */
typedef enum status list_item(const struct list *list, const char *name);

static enum status items_each(const struct list *list, list_item *item)
{
    enum status worst = STATUS_OK;
    char text[STATUS_TEXT_BYTES] = "";
    for (size_t i = 0; i < list->names.count; i++) {
        enum status status = item(list, list->names.name[i]);
        if (status == STATUS_OK)
            continue;
        worst = status;
        snprintf(text, sizeof text, "%s", status_text());
    }
    return worst == STATUS_OK ? worst : status_fail(worst, "%s", text);
}

/* Of views, where a terminal can show them and no other rank waits. */
static enum status pictures_show(const struct invocation *invocation, const struct list *list)
{
    bool wanted = invocation->command->bit == COMMAND_VIEWS && !list->json &&
                  list->colours != TERMINAL_NONE && terminal_utf8() && !world_launched();
    return wanted ? thumbnails_print(invocation->world, list->folder, &list->names, list->colours)
                  : STATUS_OK;
}

static enum status list_show(const struct invocation *invocation, const char *below,
                             const char *suffix, list_item *item)
{
    char data[4096], folder[4200];
    struct json json = {.stream = stdout};
    struct list list = {.data = data, .folder = folder, .colours = terminal_colours_of_stdout()};
    TRY(data_folder(data, sizeof data));
    snprintf(folder, sizeof folder, "%s/%s", data, below);
    TRY(data_names_list(&list.names, folder, suffix));
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        list.json = &json;
    if (list.json) {
        json_open(&json, NULL, '{');
        json_text(&json, "folder", folder);
        json_open(&json, invocation->command->name, '[');
    }
    enum status status = pictures_show(invocation, &list);
    if (status == STATUS_OK)
        status = items_each(&list, item);
    if (list.json) {
        json_close(&json, ']');
        json_close(&json, '}');
        putchar('\n');
    }
    data_names_destroy(&list.names);
    return status;
}

/* ---- palettes ---- */

/* "Meridian: night blue, gold" says its name once. */
static const char *summary_of(const char *title, const char *name)
{
    size_t length = strlen(name);
    bool begins = !strncasecmp(title, name, length) && !strncmp(title + length, ": ", 2);
    return begins ? title + length + 2 : title;
}

/* Once through the palette; one that is not cyclic comes back in the second half of a run. */
static void strip_print(const struct palette *palette, enum terminal_colours colours)
{
    const float(*values)[4] = palette_values(palette);
    int run = palette_about(palette)->cyclic ? PALETTE_SAMPLES : PALETTE_SAMPLES / 2;
    for (int i = 0; i < STRIP_CELLS; i++) {
        const float *value = values[(2 * i + 1) * run / (2 * STRIP_CELLS)];
        const int rgb[3] = {(int)value[0], (int)value[1], (int)value[2]};
        terminal_cell(stdout, colours, rgb);
    }
    terminal_reset(stdout);
    fputs("  ", stdout);
}

static void palette_json(struct json *json, const struct palette *palette, const char *name)
{
    const struct palette_about *about = palette_about(palette);
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "title", about->title);
    json_text(json, "source", about->source);
    json_text(json, "licence", about->licence);
    json_boolean(json, "cvd_safe", about->cvd_safe);
    json_boolean(json, "cyclic", about->cyclic);
    json_close(json, '}');
}

static enum status palette_show(const struct list *list, const char *name)
{
    char assets[4200];
    struct palette *palette;
    snprintf(assets, sizeof assets, "%s/assets", list->data);
    TRY(palette_load(&palette, assets, name));
    if (list->json)
        palette_json(list->json, palette, name);
    else {
        printf("%-*s  ", list->names.longest, name);
        if (list->colours != TERMINAL_NONE)
            strip_print(palette, list->colours);
        printf("%s\n", summary_of(palette_about(palette)->title, name));
    }
    palette_destroy(palette);
    return STATUS_OK;
}

enum status command_palettes(struct invocation *invocation)
{
    return list_show(invocation, "assets/palettes", ".csv", palette_show);
}

/* ---- views ---- */

/* What the file says, whatever flags and the environment do. */
static enum status view_read(struct config *config, struct view_file *file, const char *path)
{
    TRY(config_create(config));
    TRY(view_file_load(file, path));
    return config_apply(config, &file->ini, file->path, STATUS_BAD_DATA);
}

static void view_json(struct json *json, const struct config *config, const char *name,
                      const char *path)
{
    bool julia = config_text(config, OPTION_VIEW_JULIA);
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "title", config_text(config, OPTION_VIEW_TITLE));
    json_text(json, "credit", config_text(config, OPTION_VIEW_CREDIT));
    json_text(json, "formula", formula_rows[julia ? FORMULA_JULIA : FORMULA_MANDELBROT].name);
    json_text(json, "re", config_text(config, OPTION_VIEW_RE));
    json_text(json, "im", config_text(config, OPTION_VIEW_IM));
    json_text(json, "zoom", config_text(config, OPTION_VIEW_ZOOM));
    json_integer(json, "limit", config_integer(config, OPTION_VIEW_LIMIT));
    json_text(json, "palette", config_text(config, OPTION_LOOK_PALETTE));
    json_text(json, "file", path);
    json_close(json, '}');
}

static enum status view_show(const struct list *list, const char *name)
{
    char path[4300];
    struct config config = {0};
    struct view_file file = {0};
    snprintf(path, sizeof path, "%s/%s.ini", list->folder, name);
    enum status status = view_read(&config, &file, path);
    if (status == STATUS_OK && list->json)
        view_json(list->json, &config, name, path);
    else if (status == STATUS_OK) {
        const char *title = config_text(&config, OPTION_VIEW_TITLE);
        printf("%-*s  %-8s  %s\n", list->names.longest, name,
               config_text(&config, OPTION_VIEW_ZOOM), title ? title : "");
    }
    view_file_destroy(&file);
    config_destroy(&config);
    return status;
}

enum status command_views(struct invocation *invocation)
{
    return list_show(invocation, "configs/views", ".ini", view_show);
}
