/* What there is, as JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/schedule/schedule.h"
#include "decomposition/transport/transport.h"
#include "kernels/backend.h"
#include "library/config/config_view.h"
#include "library/handle/handle.h"
#include "library/place/data.h"
#include "library/place/place_format.h"
#include "library/settings/view_file.h"
#include "library/text/spelling.h"
#include "render/colour/palette.h"
#include "render/colour/palette_file.h"
#include "render/disk/json.h"
#include "render/file/exr_line.h"
#include "render/file/plane_files.h"
#include "render/file/sink.h"
#include "render/film/video/film_encoder.h"

enum { FOLDER_BYTES = 4400 };

static void row_json(struct json *json, const char *name, const char *summary)
{
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "summary", summary);
    json_close(json);
}

/* ---- files of the folder ---- */

/* The last failure of a list, whose other rows are told. */
struct list_worst {
    enum status status;
    char text[STATUS_TEXT_BYTES];
};

static void worst_take(struct list_worst *worst, enum status status)
{
    if (status == STATUS_OK)
        return;
    worst->status = status;
    snprintf(worst->text, sizeof worst->text, "%s", status_text());
}

static enum status worst_give(const struct list_worst *worst)
{
    return worst->status == STATUS_OK ? STATUS_OK : status_fail(worst->status, "%s", worst->text);
}

static enum status view_read(struct config *config, struct view_file *file, const char *path)
{
    TRY(config_create(config));
    TRY(view_file_find(file, path, &(struct data_source){.folder = NULL}, VIEW_WHOLE));
    TRY(config_apply(config, &file->ini, file->path, STATUS_BAD_DATA));
    return config_colours(config);
}

static const char *formula_of(const struct config *config)
{
    const char *formula = config_text(config, OPTION_VIEW_FORMULA);
    if (formula)
        return formula;
    return config_text(config, OPTION_VIEW_JULIA) ? "julia" : "mandelbrot";
}

static enum status view_row_json(struct json *json, const char *folder, const char *name)
{
    char path[FOLDER_BYTES];
    struct config config = {0};
    struct view_file file = {0};
    if (!data_view_path(path, sizeof path, folder, name))
        return STATUS_OK;
    enum status status = view_read(&config, &file, path);
    if (status == STATUS_OK) {
        json_open(json, NULL, '{');
        json_text(json, "name", name);
        json_text(json, "title", config_text(&config, OPTION_VIEW_TITLE));
        json_text(json, "credit", config_text(&config, OPTION_VIEW_CREDIT));
        json_text(json, "formula", formula_of(&config));
        json_text(json, "re", config_text(&config, OPTION_VIEW_RE));
        json_text(json, "im", config_text(&config, OPTION_VIEW_IM));
        json_text(json, "zoom", config_text(&config, OPTION_VIEW_ZOOM));
        json_integer(json, "limit", config_integer(&config, OPTION_VIEW_LIMIT));
        json_text(json, "palette", config_text(&config, OPTION_LOOK_PALETTE));
        json_text(json, "file", path);
        json_text(json, "summary", config_text(&config, OPTION_VIEW_TITLE));
        json_close(json);
    }
    view_file_destroy(&file);
    config_destroy(&config);
    return status;
}

static enum status views_json(struct json *json, const char *data)
{
    char folder[FOLDER_BYTES];
    struct data_names names = {0};
    struct list_worst worst = {.status = STATUS_OK};
    snprintf(folder, sizeof folder, "%s/configs/views", data);
    enum status status = data_views_list(&names, folder);
    for (size_t i = 0; i < names.count && status == STATUS_OK; i++)
        worst_take(&worst, view_row_json(json, folder, names.name[i]));
    data_names_destroy(&names);
    return status == STATUS_OK ? worst_give(&worst) : status;
}

static void palette_row(struct json *json, const char *name, const struct palette *palette)
{
    const struct palette_about *about = palette_about(palette);
    json_open(json, NULL, '{');
    json_text(json, "name", name);
    json_text(json, "title", about->title);
    json_text(json, "source", about->source);
    json_text(json, "licence", about->licence);
    json_boolean(json, "cvd_safe", about->cvd_safe);
    json_boolean(json, "cyclic", about->cyclic);
    json_text(json, "summary", about->title);
    json_close(json);
}

static enum status palette_json(struct json *json, const char *assets, const char *name,
                                const char *label)
{
    struct palette *palette;
    TRY(palette_load(&palette, assets, name));
    palette_row(json, label, palette);
    palette_destroy(palette);
    return STATUS_OK;
}

static enum status palettes_json(struct json *json, const char *data)
{
    char assets[FOLDER_BYTES], folder[FOLDER_BYTES + 16];
    struct data_names names = {0};
    struct list_worst worst = {.status = STATUS_OK};
    snprintf(assets, sizeof assets, "%s/assets", data);
    snprintf(folder, sizeof folder, "%s/palettes", assets);
    enum status status = data_names_list(&names, folder, ".csv");
    for (size_t i = 0; i < names.count && status == STATUS_OK; i++)
        worst_take(&worst, palette_json(json, assets, names.name[i], names.name[i]));
    data_names_destroy(&names);
    return status == STATUS_OK ? worst_give(&worst) : status;
}

static enum status gradient_add(void *context, const char *gradient, const struct palette *palette)
{
    palette_row(context, gradient, palette);
    return STATUS_OK;
}

/* The gradients of a file of several, or the one palette of a name or a file. */
static enum status gradients_json(struct json *json, const char *data, const char *name)
{
    char assets[FOLDER_BYTES], label[DATA_NAME_BYTES];
    bool several;
    snprintf(assets, sizeof assets, "%s/assets", data);
    TRY(palette_gradients(name, PALETTE_COLOURS, gradient_add, json, &several));
    if (!several)
        return palette_json(json, assets, name, palette_label(name, label, sizeof label));
    return STATUS_OK;
}

/* ---- lists of rows ---- */

static enum status formulas_json(struct json *json, const char *data)
{
    struct formula formula;
    const char *name;
    (void)data;
    for (int i = 0; (name = formula_name_at(i, &formula)); i++)
        row_json(json, name, formula_summary(&formula));
    return STATUS_OK;
}

/* ---- planes ---- */

/* What a channel of an .exr holds: its plane, times its factor. */
static void channel_value(const struct exr_source *source, char *text, size_t bytes)
{
    const char *sign = source->factor < 0 ? "-" : "", *name = plane_kinds[source->index].name;
    if (fabsf(source->factor) == 1)
        snprintf(text, bytes, "%s%s", sign, name);
    else
        snprintf(text, bytes, "%s%s / %g", sign, name, 1 / fabs((double)source->factor));
}

/* Names the channels of a count, N or its halves, and what interior pixels have there. */
static void channels_text(enum plane plane, char *text, size_t bytes)
{
    char value[64];
    if (plane == PLANE_COUNT) {
        snprintf(text, bytes,
                 "`%s` uint32: count, interior %u; of uint64 `%s` and `%s`, its low and high 32 "
                 "bits, interior %u each",
                 exr_channel_names[EXR_N], (uint32_t)EXR_INTERIOR_COUNT, exr_channel_names[EXR_N0],
                 exr_channel_names[EXR_N1], (uint32_t)EXR_INTERIOR_COUNT);
        return;
    }
    for (int c = 0; c < EXR_CHANNELS; c++)
        if (exr_sources[c].kind == EXR_OF_PLANE && exr_sources[c].index == (int)plane) {
            channel_value(&exr_sources[c], value, sizeof value);
            snprintf(text, bytes, "`%s` float32: %s", exr_channel_names[c], value);
        }
}

static const char *type_name(enum element element)
{
    static const char *const names[] = {
        [ELEMENT_U32] = "uint32", [ELEMENT_U64] = "uint64", [ELEMENT_F32] = "float32"};
    return names[element];
}

/* `wide_type`: its type where the limit is above `wide_above`; null: always `type`. */
static void plane_json(struct json *json, enum plane plane)
{
    const struct plane_kind *kind = &plane_kinds[plane];
    const enum element narrow = plane_element(plane, 4), wide = plane_element(plane, 8);
    char channels[256] = "";
    channels_text(plane, channels, sizeof channels);
    json_open(json, NULL, '{');
    json_text(json, "name", kind->name);
    json_text(json, "summary", kind->summary);
    json_text(json, "unit", kind->unit);
    json_text(json, "word", kind->word);
    json_text(json, "type", type_name(narrow));
    json_text(json, "wide_type", wide == narrow ? NULL : type_name(wide));
    json_count(json, "wide_above", UINT32_MAX - 1);
    json_text(json, "outside", plane_values[plane].outside);
    json_text(json, "interior", plane_values[plane].interior);
    json_text(json, "exr", channels);
    json_close(json);
}

static enum status planes_json(struct json *json, const char *data)
{
    (void)data;
    for (int p = 0; p < PLANES; p++)
        plane_json(json, (enum plane)p);
    return STATUS_OK;
}

/* ---- kinds of files ---- */

static enum status keys_json(struct json *json, const char *data)
{
    char name[64], range[256];
    (void)data;
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        if (!row->key)
            continue;
        option_name((enum option_key)i, name, sizeof name);
        option_range((enum option_key)i, range, sizeof range);
        json_open(json, NULL, '{');
        json_text(json, "name", name);
        json_text(json, "summary", row->help);
        json_text(json, "values", range);
        json_text(json, "default", row->fallback);
        json_close(json);
    }
    return STATUS_OK;
}

static enum status files_json(struct json *json, const char *data)
{
    (void)data;
    for (int i = 0; i < sink_kinds_count; i++) {
        const struct sink_kind *kind = sink_kinds[i];
        json_open(json, NULL, '{');
        json_text(json, "name", kind->suffix);
        json_text(json, "summary", kind->summary);
        json_integer(json, "bits_least", kind->bits_least);
        json_integer(json, "bits_most", kind->bits_most);
        json_boolean(json, "quality", kind->quality);
        json_boolean(json, "overviews", kind->overviews);
        json_boolean(json, "partial", kind->partial);
        json_close(json);
    }
    return STATUS_OK;
}

static enum status films_json(struct json *json, const char *data)
{
    (void)data;
    for (int i = 0; i < film_kinds_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", film_kinds[i].suffix);
        json_text(json, "summary", film_kinds[i].summary);
        json_boolean(json, "frames", film_kinds[i].frames);
        json_boolean(json, "numbers", film_kinds[i].numbers);
        json_close(json);
    }
    return STATUS_OK;
}

static enum status places_json(struct json *json, const char *data)
{
    (void)data;
    for (int i = 0; i < place_formats_count; i++) {
        json_open(json, NULL, '{');
        json_text(json, "name", place_formats[i]->suffix);
        json_text(json, "summary", place_formats[i]->summary);
        json_boolean(json, "written", place_formats[i]->write != NULL);
        json_close(json);
    }
    return STATUS_OK;
}

/* ---- this machine ---- */

static void backend_json(struct json *json, const struct backend_kind *kind)
{
    const bool available = kind->devices() > 0;
    char why[256] = "";
    if (!available)
        kind->missing(why, sizeof why);
    json_open(json, NULL, '{');
    json_text(json, "name", kind->name);
    json_text(json, "summary", kind->summary);
    json_boolean(json, "available", available);
    json_text(json, "missing", available ? NULL : why);
    json_close(json);
}

static enum status backends_json(struct json *json, const char *data)
{
    (void)data;
    for (int i = 0; i < backend_kinds_count; i++)
        backend_json(json, backend_kinds[i]);
    return STATUS_OK;
}

/* Vector instruction sets of the processor, best last. */
static void vectors_json(struct json *json)
{
    json_open(json, "vectors", '[');
#if defined(__x86_64__)
    const struct {
        const char *name;
        int there;
    } sets[] = {{"sse2", __builtin_cpu_supports("sse2")},
                {"avx", __builtin_cpu_supports("avx")},
                {"fma", __builtin_cpu_supports("fma")},
                {"avx2", __builtin_cpu_supports("avx2")},
                {"avx512f", __builtin_cpu_supports("avx512f")},
                {"avx512dq", __builtin_cpu_supports("avx512dq")}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (sets[i].there)
            json_text(json, NULL, sets[i].name);
#elif defined(__aarch64__)
    json_text(json, NULL, "neon");
#endif
    json_close(json);
}

static enum status machine_json(struct json *json, const char *data)
{
    const struct backend_kind *scalar, *automatic;
    struct device_facts cpu;
    (void)data;
    TRY(backend_kind_find(&scalar, "scalar"));
    TRY(scalar->facts(0, &cpu));
    TRY(backend_kind_find(&automatic, "auto"));
    json_open(json, NULL, '{');
    json_text(json, "name", cpu.name);
    json_text(json, "summary", "processor of this process");
    json_integer(json, "cores", backend_cores_usable());
    vectors_json(json);
    json_text(json, "mpi", world_library());
    json_text(json, "auto", automatic->name);
    json_close(json);
    return STATUS_OK;
}

/* ---- further lists of rows ---- */

static enum status transports_json(struct json *json, const char *data)
{
    (void)data;
    for (int i = 0; i < transport_kinds_count; i++)
        row_json(json, transport_kinds[i]->name, transport_kinds[i]->summary);
    return STATUS_OK;
}

static enum status schedules_json(struct json *json, const char *data)
{
    (void)data;
    for (int i = 0; i < schedule_kinds_count; i++)
        row_json(json, schedule_kinds[i]->name, schedule_kinds[i]->summary);
    return STATUS_OK;
}

static const struct list_kind {
    const char *kind;
    enum status (*write)(struct json *json, const char *data);
    bool is_of_data; /* reads the folder of views and palettes */
} lists[] = {
    {"views", views_json, true},
    {"palettes", palettes_json, true},
    {"formulas", formulas_json, false},
    {"planes", planes_json, false},
    {"keys", keys_json, false},
    {"files", files_json, false},
    {"places", places_json, false},
    {"backends", backends_json, false},
    {"films", films_json, false},
    {"machine", machine_json, false},
    {"transports", transports_json, false},
    {"schedules", schedules_json, false},
};

/* NULL, with the nearest name. */
static const struct list_kind *list_named(const char *kind)
{
    struct spelling spelling = spelling_of(kind);
    char hint[96];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!strcmp(lists[i].kind, kind))
            return &lists[i];
        spelling_offer(&spelling, lists[i].kind);
    }
    spelling_hint(&spelling, hint, sizeof hint);
    status_fail(STATUS_USAGE, "%.60s is no list%s", kind, hint);
    return NULL;
}

/* What stands behind a word and a colon; NULL: another text. */
static const char *behind(const char *text, const char *word)
{
    size_t length = strlen(word);
    return !strncmp(text, word, length) && text[length] == ':' ? text + length + 1 : NULL;
}

deepfield_status deepfield_list(deepfield_world *world, const char *kind, char **json)
{
    struct text_json text;
    char data[WORLD_DATA_BYTES] = "";
    NEED(json);
    *json = NULL;
    NEED(world);
    NEED(kind);
    const char *palette = behind(kind, "palettes");
    const struct list_kind *list = palette ? NULL : list_named(kind);
    if (!palette && !list)
        return DEEPFIELD_USAGE;
    if (palette || list->is_of_data)
        TRY_GIVE(world_data(world, data));
    TRY_GIVE(text_json_open(&text, '['));
    struct list_worst worst = {.status = STATUS_OK};
    worst_take(&worst,
               palette ? gradients_json(&text.json, data, palette) : list->write(&text.json, data));
    enum status status = text_json_end(&text, STATUS_OK, json);
    return status_give(status == STATUS_OK ? worst_give(&worst) : status);
}
