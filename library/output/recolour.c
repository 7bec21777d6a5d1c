#include "library/output/recolour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/config/config_view.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
#include "library/settings/view_file.h"
#include "library/text/ini.h"
#include "render/file/field_file.h"
#include "render/file/sink.h"

enum { BLOCK_BYTES = 8 << 20 }; /* size of a band of rows held in memory */

struct recolour_work {
    const struct recolour_request *request;
    struct field_file *file;
    struct field_file_facts facts;
    struct config config;
    struct palette *palette;
    struct look look;
    struct picture picture;     /* set only when the location is known */
    char *view_text, *kfr_text; /* NULL: the place is not known, or no .kfr file can say it */
    struct field shape, block;
    struct sink **sink;
    size_t sinks;
};

/* ---- settings ---- */

/* A place of another program that cannot be shown here (another formula) has a field all the same.
 */
static enum status ini_of(const struct recolour_work *work, struct ini *ini)
{
    const char *text = view_text_choose(work->facts.text);
    *ini = (struct ini){0};
    enum status status = text ? view_text_parse(ini, text, work->request->path) : STATUS_OK;
    if (status == STATUS_OK)
        return STATUS_OK;
    ini_destroy(ini);
    return text == work->facts.text[EXR_TEXT_INI] || status != STATUS_BAD_DATA ? status : STATUS_OK;
}

/* Is the field a region of a larger picture, whose size its view says? */
static bool has_region(const struct config *config)
{
    const char *region = config_text(config, OPTION_VIEW_REGION);
    return region && *region;
}

/* The pixels that are there decide, whatever the text says: a stored field has one sample each. */
static enum status pixels_set(struct recolour_work *work)
{
    char size[64];
    const struct config_value *said = &work->config.value[OPTION_VIEW_SIZE];
    int used = snprintf(size, sizeof size, "%dx%d", work->facts.width, work->facts.height);
    if (said->real > 0)
        snprintf(size + used, sizeof size - (size_t)used, "@%.10gdpi", said->real);
    if (!has_region(&work->config))
        TRY(config_set(&work->config, OPTION_VIEW_SIZE, size, work->request->path,
                       STATUS_BAD_DATA));
    return config_set(&work->config, OPTION_LOOK_SAMPLES, "1", work->request->path,
                      STATUS_BAD_DATA);
}

static bool place_is_known(const struct config *config)
{
    return config_text(config, OPTION_VIEW_RE) && config_text(config, OPTION_VIEW_IM) &&
           config_text(config, OPTION_VIEW_ZOOM);
}

/* Colours by a plane that was not saved are left out where the field's own view has them, and
 * refused where this run sets them. */
static enum status planes_check(const struct recolour_work *work,
                                const struct look_options *options)
{
    unsigned shading = look_planes(options) & PLANE_MASK_DISTANCE,
             inside = interior_planes(options->interior_kind);
    const struct colour_layer *layer = &options->layer;
    const enum plane by = colour_input_plane(options->source.input),
                     over = colour_input_plane(layer->source.input);
    const struct {
        enum option_key option;
        unsigned planes;
        const char *name;
    } uses[] = {{OPTION_LOOK_BY, 1u << by, plane_kinds[by].word},
                {OPTION_LOOK_LAYER_BY, layer->blend ? 1u << over : 0, plane_kinds[over].word},
                {OPTION_LOOK_INTERIOR, inside, inside & PLANE_MASK_PERIOD ? "period" : "inside"},
                {OPTION_LOOK_RELIEF, options->relief > 0 ? shading : 0, "distance"},
                {OPTION_LOOK_LINES, options->lines > 0 ? shading : 0, "distance"}};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        const char *flag = option_rows[uses[i].option].flag;
        if (uses[i].planes & ~work->facts.planes &&
            work->request->is_chosen(work->request->context, uses[i].option))
            return status_fail(STATUS_CONFIG,
                               "%s: --%s %s colours by the plane '%s', which is not in this file; "
                               "save it with render --planes, or leave --%s out",
                               work->request->path, flag,
                               config_text(&work->config, uses[i].option), uses[i].name, flag);
    }
    return STATUS_OK;
}

static void notice(const struct recolour_work *work, const char *sentence)
{
    if (work->request->notice)
        work->request->notice(work->request->context, sentence);
}

/* Says that roots have one colour, since without the phase they cannot be told apart, and which
 * plane of the field's own colours is missing. No error, since the caller does not ask for it. */
static void planes_tell(const struct recolour_work *work, const struct look_options *options)
{
    char text[STATUS_TEXT_BYTES];
    if (options->roots && !(work->facts.planes & PLANE_MASK_PHASE)) {
        snprintf(text, sizeof text,
                 "%s: all roots have the same colours, since the plane 'phase' is not in this "
                 "file; render --planes count,fraction,phase saves it",
                 work->request->path);
        notice(work, text);
    }
    const struct colour_source *sources[] = {&options->source, &options->layer.source};
    for (int i = 0; i < (options->layer.blend ? 2 : 1); i++) {
        if (!(colour_source_planes(sources[i]) & ~work->facts.planes))
            continue;
        snprintf(text, sizeof text,
                 "%s: its colours go by the plane '%s', which is not in this file and left out; "
                 "render --planes saves it",
                 work->request->path, plane_kinds[colour_input_plane(sources[i]->input)].word);
        notice(work, text);
    }
}

/* Without a distribution in its view the field is measured as a render would. */
static enum status look_settle(struct recolour_work *work)
{
    struct distribution distribution = settings_distribution(&work->config);
    struct look_options options;
    struct formula formula;
    TRY(settings_look_options(&work->config, &options));
    TRY(config_formula(&work->config, &formula));
    TRY(planes_check(work, &options));
    planes_tell(work, &options);
    if (work->request->look) {
        const struct look_options asked = options;
        look_resolve(&options, &work->shape);
        TRY(work->request->look(work->request->context, &asked, &formula, options.relief > 0));
    }
    if (settings_wants_distribution(&work->config)) {
        int32_t x[SUBGRID_WIDTH], y[SUBGRID_HEIGHT];
        struct field subgrid;
        distribution_subgrid(work->facts.width, work->facts.height, x, y);
        TRY(field_file_pixels(work->file, x, SUBGRID_WIDTH, y, SUBGRID_HEIGHT, &subgrid));
        distribution_measure_subgrid(&distribution, &subgrid, work->facts.height);
        field_destroy(&subgrid);
    }
    TRY(settings_palette(&work->config, &work->palette));
    struct field whole = work->shape;
    whole.height = (int32_t)work->config.value[OPTION_VIEW_SIZE].second;
    return settings_look(&work->config, &distribution, work->palette, &whole, &options,
                         &work->look);
}

static enum status region_check(const struct recolour_work *work)
{
    const struct tile *region = &work->picture.region;
    if (!region->width ||
        (region->width == work->facts.width && region->height == work->facts.height))
        return STATUS_OK;
    return status_fail(
        STATUS_BAD_DATA, "%s: it has %d x %d pixels, but its view a region of %d x %d",
        work->request->path, work->facts.width, work->facts.height, region->width, region->height);
}

static enum status settings_take(struct recolour_work *work)
{
    struct ini ini;
    TRY(ini_of(work, &ini));
    enum status status =
        work->request->settings(work->request->context, &work->config, &ini, work->request->path);
    ini_destroy(&ini);
    TRY(status);
    TRY(config_colours(&work->config));
    TRY(pixels_set(work));
    TRY(look_settle(work));
    if (!place_is_known(&work->config))
        return STATUS_OK;
    TRY(settings_picture(&work->config, &work->picture));
    TRY(settings_region(&work->config, &work->picture));
    TRY(region_check(work));
    return place_texts(&work->view_text, &work->kfr_text, &work->config);
}

static enum status field_open(struct recolour_work *work)
{
    TRY(field_file_open(&work->file, work->request->path));
    work->facts = field_file_facts(work->file);
    work->shape = (struct field){.width = work->facts.width,
                                 .height = work->facts.height,
                                 .planes = work->facts.planes,
                                 .count_bytes = work->facts.count_bytes};
    return settings_take(work);
}

/* ---- files ---- */

static struct sink_request sink_request_of(const struct recolour_work *work, size_t number)
{
    const struct config *config = &work->config;
    return (struct sink_request){.path = work->request->out[number],
                                 .field = &work->shape,
                                 .x = work->picture.region.x,
                                 .y = work->picture.region.y,
                                 .picture = work->view_text ? &work->picture : NULL,
                                 .look = &work->look,
                                 .view_text = work->view_text,
                                 .kfr_text = work->kfr_text,
                                 .title = config_text(config, OPTION_VIEW_TITLE),
                                 .bits = settings_bits(config, work->request->out[number]),
                                 .quality = (int)config_integer(config, OPTION_OUTPUT_QUALITY),
                                 .overviews = (int)config_integer(config, OPTION_OUTPUT_OVERVIEWS),
                                 .dpi = config_real(config, OPTION_VIEW_SIZE),
                                 .overwrite = work->request->overwrite,
                                 .stop = work->request->stop};
}

static enum status sinks_begin(struct recolour_work *work)
{
    uint64_t beside = 0;
    work->sink = calloc(work->request->out_count, sizeof *work->sink);
    if (!work->sink)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to write the files");
    for (size_t i = 0; i < work->request->out_count; i++) {
        struct sink_request sink = sink_request_of(work, i);
        sink.other_files_bytes = beside;
        TRY(sink_check(&sink));
        if (__builtin_add_overflow(beside, sink_bytes_on_disk(&sink, sink.path), &beside))
            beside = UINT64_MAX;
        work->sinks = i + 1;
        TRY(sink_begin(&work->sink[i], &sink));
    }
    return STATUS_OK;
}

/* As many rows at a time as fill the threads, and no more than can be read together if those are
 * many. */
static enum status block_create(struct recolour_work *work)
{
    const struct field_file_facts *facts = &work->facts;
    size_t row = (size_t)facts->width * planes_bytes(facts->planes, facts->count_bytes);
    size_t steps = BLOCK_BYTES / row / (size_t)facts->rows + 1;
    int64_t rows = (int64_t)steps * facts->rows;
    return field_create(&work->block, facts->width,
                        rows < facts->height ? (int32_t)rows : facts->height, facts->planes,
                        facts->count_bytes);
}

static enum status rows_pass(struct recolour_work *work)
{
    for (int32_t y = 0; y < work->facts.height; y += work->block.height) {
        int32_t left = work->facts.height - y;
        int32_t height = left < work->block.height ? left : work->block.height;
        struct sink_rows rows = {.y = y,
                                 .height = height,
                                 .field =
                                     field_window(&work->block, 0, 0, work->facts.width, height)};
        TRY(field_file_rows(work->file, y, &rows.field));
        for (size_t i = 0; i < work->sinks; i++)
            TRY(sink_add(work->sink[i], &rows));
    }
    return STATUS_OK;
}

static enum status files_finish(struct recolour_work *work)
{
    struct atomic_file_set set = {.count = 0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < work->sinks && status == STATUS_OK; i++)
        status = sink_end(work->sink[i], &set);
    if (status == STATUS_OK)
        status = work->request->commit ? work->request->commit(&set) : atomic_file_set_commit(&set);
    else
        atomic_file_set_abandon(&set);
    return status;
}

static void work_end(struct recolour_work *work)
{
    for (size_t i = 0; i < work->sinks; i++)
        sink_destroy(work->sink[i]);
    free(work->sink);
    field_destroy(&work->block);
    palette_destroy(work->palette);
    view_destroy(&work->picture.view);
    free(work->view_text);
    free(work->kfr_text);
    config_destroy(&work->config);
    field_file_close(work->file);
}

static enum status work_do(struct recolour_work *work)
{
    TRY(field_open(work));
    TRY(sinks_begin(work));
    TRY(block_create(work));
    TRY(rows_pass(work));
    return files_finish(work);
}

enum status recolour(const struct recolour_request *request)
{
    struct recolour_work work = {.request = request};
    const int before = request->threads ? sink_threads_use(request->threads) : 0;
    enum status status = work_do(&work);
    work_end(&work);
    if (before)
        sink_threads_use(before);
    return status;
}
