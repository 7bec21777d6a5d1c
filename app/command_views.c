/* deepfield views: the names that other commands take, one a line. */
#include <stdio.h>

#include "app/command.h"
#include "app/data.h"
#include "app/terminal.h"
#include "app/thumbnails.h"
#include "kernels/formula.h"
#include "render/json.h"

struct list {
    const char *folder; /* of the files */
    struct data_names names;
    struct json *json; /* NULL: as text */
};

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
    json_text(json, "formula", formula_names[julia ? DYNAMIC_PLANE : PARAMETER_PLANE].name);
    json_text(json, "re", config_text(config, OPTION_VIEW_RE));
    json_text(json, "im", config_text(config, OPTION_VIEW_IM));
    json_text(json, "zoom", config_text(config, OPTION_VIEW_ZOOM));
    json_integer(json, "limit", config_integer(config, OPTION_VIEW_LIMIT));
    json_text(json, "palette", config_text(config, OPTION_LOOK_PALETTE));
    json_text(json, "file", path);
    json_close(json);
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

/* Those that fail are told at the end, after the others. */
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
    json_open(&json, NULL, '{');
    json_text(&json, "folder", list->folder);
    json_open(&json, "views", '[');
    enum status status = views_show(list);
    json_close(&json);
    json_close(&json);
    putchar('\n');
    return status;
}

/* Pictures before the lines, where a terminal can show them and no other rank waits. */
static enum status text_show(const struct list *list, struct world *world)
{
    enum terminal_colours colours = terminal_colours_of_stdout();
    if (colours != TERMINAL_NONE && terminal_utf8() && !world_launched())
        TRY(thumbnails_print(world, list->folder, &list->names, colours));
    return views_show(list);
}

enum status command_views(struct invocation *invocation)
{
    char data[4096], folder[4200];
    struct list list = {.folder = folder};
    TRY(data_folder(data, sizeof data));
    snprintf(folder, sizeof folder, "%s/configs/views", data);
    TRY(data_names_list(&list.names, folder, ".ini"));
    enum status status = arguments_has(&invocation->arguments, OPTION_JSON)
                             ? json_show(&list)
                             : text_show(&list, invocation->world);
    data_names_destroy(&list.names);
    return status;
}
