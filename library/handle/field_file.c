/* Colours of a field, and its files. */
#include <stdlib.h>
#include <string.h>

#include "library/handle/field_device.h"
#include "library/config/revision.h"
#include "library/place/place_format.h"
#include "library/settings/view_file.h"
#include "render/file/field_file.h"
#include "render/file/sink.h"

/* ---- the look ---- */

struct field_look {       /* how a picture would colour the field */
    struct config config; /* place of the field, and look of the picture, with what was settled */
    struct palette *palette;
    struct look look;
    bool same;         /* the field was rendered so: the mean of its samples serves */
    struct field host; /* the field in host memory */
    void *memory;      /* its, where the field lies on a device; owned */
};

static void field_look_close(struct field_look *look)
{
    palette_destroy(look->palette);
    config_destroy(&look->config);
    free(look->memory);
}

/* Keys that decide colours. A picture without a distribution has what was measured. */
static bool colours_same(const struct config *picture, const struct config *made_of)
{
    for (int i = OPTION_LOOK_PALETTE; i < OPTION_LOOK_SAMPLES; i++) {
        const char *x = config_text(picture, (enum option_key)i),
                   *y = config_text(made_of, (enum option_key)i);
        bool measured =
            i == OPTION_LOOK_DISTRIBUTION && config_is_auto(picture, OPTION_LOOK_DISTRIBUTION);
        if (!measured && (!x != !y || (x && strcmp(x, y) != 0)))
            return false;
    }
    return true;
}

static bool is_of(enum option_key option, const char *section)
{
    const struct option_row *row = &option_rows[option];
    return row->section && !strcmp(row->section, section);
}

/* Does the option decide how a field is shown and written, and not what it is of? */
static bool is_shown(const struct config *picture, enum option_key option)
{
    const char *origin = picture->value[option].origin;
    if (option == OPTION_VIEW_TITLE || option == OPTION_VIEW_CREDIT)
        return origin && !strcmp(origin, PICTURE_ORIGIN);
    return is_of(option, "output") || (is_of(option, "look") && option != OPTION_LOOK_SAMPLES);
}

/* The field keeps its place, whatever the picture is of by now, and what was settled for the same
 * look. The folder is that of the picture's world: the field may outlive its own. */
static enum status place_keep(struct field_look *look, const struct deepfield_field *field)
{
    struct config picture = look->config;
    look->same = colours_same(&picture, &field->made_of);
    enum status status = config_copy(&look->config, &field->config);
    look->config.data = picture.data;
    for (int i = 0; i < OPTIONS && status == STATUS_OK; i++)
        if (is_shown(&picture, (enum option_key)i) &&
            !(look->same && is_of((enum option_key)i, "look")))
            config_move(&look->config, &picture, (enum option_key)i);
    config_destroy(&picture);
    return status;
}

/* field_look_close also after a failure. */
static enum status field_look_open(struct field_look *look, const struct deepfield_field *field,
                                   const struct deepfield_picture *picture)
{
    struct look_options options;
    *look = (struct field_look){.same = false};
    if (!field->filled)
        return status_fail(STATUS_USAGE, "the field has no pixels yet");
    TRY(field_host(field, &look->host, &look->memory));
    TRY(picture_config(picture, &look->config));
    TRY(place_keep(look, field));
    TRY(settings_look_options(&look->config, &options));
    settings_shading_drop(&options, &field->picture.spec.formula);
    look_planes_drop(&options, look->host.planes);
    TRY(settings_palette(&look->config, &look->palette));
    struct distribution distribution =
        settings_measure(&look->config, &look->host, look->host.height);
    struct field shape = look->host;
    shape.height = field->picture.view.height;
    return settings_look(&look->config, &distribution, look->palette, &shape, &options,
                         &look->look);
}

/* ---- colours ---- */

static enum status array_check(const deepfield_array *into, const struct field *field)
{
    size_t sample = into->type == DEEPFIELD_U8 ? 1 : into->type == DEEPFIELD_U16 ? 2 : 4;
    if (into->size < sizeof *into || !into->data || into->space != DEEPFIELD_HOST)
        return status_fail(STATUS_USAGE, "colours need an array in host memory");
    if (into->type != DEEPFIELD_U8 && into->type != DEEPFIELD_U16 && into->type != DEEPFIELD_F32)
        return status_fail(STATUS_USAGE, "colours are U8, U16 or F32");
    if (into->width != field->width || into->height != field->height)
        return status_fail(STATUS_USAGE, "the array is of %d x %d pixels, the field of %d x %d",
                           into->width, into->height, field->width, field->height);
    if (into->channels != 3 && into->channels != 4)
        return status_fail(STATUS_USAGE, "colours have 3 channels, or 4, not %d", into->channels);
    if (into->row_bytes < (int64_t)into->width * into->channels * (int64_t)sample)
        return status_fail(STATUS_USAGE, "rows of the array overlap");
    return STATUS_OK;
}

/* A row of three channels becomes one of the array. */
static void row_spread(const deepfield_array *into, int32_t y, const void *row)
{
    char *out = (char *)into->data + (int64_t)y * into->row_bytes;
    size_t sample = into->type == DEEPFIELD_U8 ? 1 : into->type == DEEPFIELD_U16 ? 2 : 4;
    const float one = 1;
    uint64_t full = UINT64_MAX;
    if (into->channels == 3) {
        memcpy(out, row, (size_t)into->width * 3 * sample);
        return;
    }
    for (int32_t x = 0; x < into->width; x++, out += 4 * sample) {
        memcpy(out, (const char *)row + (size_t)x * 3 * sample, 3 * sample);
        memcpy(out + 3 * sample, into->type == DEEPFIELD_F32 ? (const void *)&one : &full, sample);
    }
}

static void row_colour(const struct deepfield_field *field, const struct field_look *look,
                       const deepfield_array *into, int32_t y, float (*light)[3])
{
    int32_t width = field->field.width;
    uint16_t *samples = (uint16_t *)light; /* room for three floats a pixel */
    bool mean = look->same && field->light;
    if (mean)
        memcpy(light, field->light + (size_t)y * (size_t)width, (size_t)width * sizeof *light);
    else if (into->type == DEEPFIELD_U8)
        colour_row_8(&look->look, &look->host, y, (uint8_t *)samples);
    else if (into->type == DEEPFIELD_U16)
        colour_window_row_16(&look->look, &look->host, y, y, samples);
    else
        colour_window_row_light(&look->look, &look->host, y, y, light);
    if (mean && into->type == DEEPFIELD_U8)
        colour_light_row_8((const float(*)[3])(field->light + (size_t)y * (size_t)width), width, 0,
                           y, (uint8_t *)samples);
    else if (mean && into->type == DEEPFIELD_U16)
        colour_light_row_16((const float(*)[3])(field->light + (size_t)y * (size_t)width), width,
                            samples);
    row_spread(into, y, light);
}

static enum status rows_colour(const struct deepfield_field *field, const struct field_look *look,
                               const deepfield_array *into)
{
    bool failed = false;
#pragma omp parallel
    {
        float(*light)[3] = malloc((size_t)into->width * sizeof *light);
#pragma omp for schedule(dynamic, 16)
        for (int32_t y = 0; y < into->height; y++)
            if (light)
                row_colour(field, look, into, y, light);
        if (!light)
            __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
        free(light);
    }
    return failed ? status_fail(STATUS_OUT_OF_MEMORY, "no memory for a row of colours") : STATUS_OK;
}

deepfield_status deepfield_field_colour(const deepfield_field *field, deepfield_picture *picture,
                                        const deepfield_array *into)
{
    struct field_look look;
    NEED(field);
    NEED(picture);
    NEED(into);
    enum status status = field_look_open(&look, field, picture);
    if (status == STATUS_OK)
        status = array_check(into, &field->field);
    if (status == STATUS_OK)
        status = rows_colour(field, &look, into);
    field_look_close(&look);
    return status_give(status);
}

/* ---- files ---- */

static enum status file_write(const struct deepfield_field *field, const struct field_look *look,
                              const char *path, bool replace)
{
    const struct config *config = &look->config;
    char *view = NULL, *kfr = NULL;
    TRY(place_texts(&view, &kfr, config));
    const struct sink_request request = {
        .path = path,
        .field = &look->host,
        .x = field->picture.region.x,
        .y = field->picture.region.y,
        .picture = &field->picture,
        .plan = field->planned ? &field->plan : NULL,
        .version = DEEPFIELD_VERSION,
        .revision = deepfield_revision,
        .look = &look->look,
        .light = look->same ? (const float(*)[3])field->light : NULL,
        .view_text = view,
        .kfr_text = kfr,
        .title = config_text(config, OPTION_VIEW_TITLE),
        .bits = settings_bits(config, path),
        .quality = (int)config_integer(config, OPTION_OUTPUT_QUALITY),
        .overviews = (int)config_integer(config, OPTION_OUTPUT_OVERVIEWS),
        .dpi = config_real(config, OPTION_VIEW_SIZE),
        .planes = (unsigned)config_integer(config, OPTION_OUTPUT_PLANES) & field->field.planes,
        .overwrite = replace ? OVERWRITE_YES : OVERWRITE_NO};
    enum status status = sink_write(&request);
    free(view);
    free(kfr);
    return status;
}

deepfield_status deepfield_field_save(const deepfield_field *field, deepfield_picture *picture,
                                      const char *path, int replace)
{
    struct field_look look;
    NEED(field);
    NEED(picture);
    NEED(path);
    enum status status = field_look_open(&look, field, picture);
    if (status == STATUS_OK)
        status = file_write(field, &look, path, replace != 0);
    field_look_close(&look);
    return status_give(status);
}

/* ---- reading ---- */

/* The pixels that are there decide, whatever the text says. */
static enum status loaded_settings(struct deepfield_picture *picture,
                                   const struct field_file_facts *facts, const char *path)
{
    char size[32];
    struct ini ini = {0};
    const char *text = view_text_choose(facts->text);
    if (text)
        TRY(view_text_parse(&ini, text, path));
    enum status status = config_apply(&picture->config, &ini, path, STATUS_BAD_DATA);
    ini_destroy(&ini);
    TRY(status);
    const char *region = config_text(&picture->config, OPTION_VIEW_REGION);
    snprintf(size, sizeof size, "%dx%d", facts->width, facts->height);
    bool same = config_integer(&picture->config, OPTION_VIEW_SIZE) == facts->width &&
                picture->config.value[OPTION_VIEW_SIZE].second == facts->height;
    if (!same && (!region || !*region))
        TRY(config_set(&picture->config, OPTION_VIEW_SIZE, size, path, STATUS_BAD_DATA));
    return config_set(&picture->config, OPTION_LOOK_SAMPLES, "1", path, STATUS_BAD_DATA);
}

static enum status loaded_pixels(struct deepfield_field *field, struct field_file *file,
                                 const struct field_file_facts *facts)
{
    struct field shape = {.width = facts->width,
                          .height = facts->height,
                          .planes = facts->planes,
                          .count_bytes = facts->count_bytes};
    TRY(field_memory(field, &shape, false, 0));
    TRY(field_file_rows(file, 0, &field->field));
    field->filled = true;
    return STATUS_OK;
}

static enum status field_read(struct deepfield_field *field, struct deepfield_picture *picture,
                              const char *path)
{
    struct field_file *file;
    TRY(field_file_open(&file, path));
    const struct field_file_facts facts = field_file_facts(file);
    enum status status = loaded_settings(picture, &facts, path);
    if (status == STATUS_OK)
        status = loaded_pixels(field, file, &facts);
    if (status == STATUS_OK)
        status = picture_config(picture, &field->made_of);
    if (status == STATUS_OK)
        status = config_copy(&field->config, &field->made_of);
    if (status == STATUS_OK)
        status = settings_picture(&field->config, &field->picture);
    if (status == STATUS_OK)
        status = settings_region(&field->config, &field->picture);
    field_file_close(file);
    return status;
}

deepfield_status deepfield_field_load(deepfield_field **field, deepfield_picture **picture,
                                      deepfield_world *world, const char *path)
{
    struct deepfield_picture *of = NULL;
    NEED(field);
    *field = NULL;
    if (picture)
        *picture = NULL;
    NEED(world);
    NEED(path);
    TRY_GIVE((enum status)deepfield_field_create(field));
    enum status status = picture_of_config(&of, world, NULL);
    if (status == STATUS_OK)
        status = field_read(*field, of, path);
    if (status != STATUS_OK || !picture) {
        deepfield_picture_destroy(of);
        of = NULL;
    }
    if (status != STATUS_OK) {
        deepfield_field_destroy(*field);
        *field = NULL;
    }
    if (picture)
        *picture = of;
    return status_give(status);
}
