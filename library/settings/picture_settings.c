#include "library/settings/picture_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/config/revision.h"
#include "library/place/place_format.h"
#include "render/colour/samples.h"
#include "render/disk/memory.h"
#include "render/picture/picture_plan.h"
#include "render/picture/region.h"
#include "render/plan/plan_samples.h"

/* ---- memory ---- */

/* Code, stacks, libraries, what compresses rows, and pages of files on their way to the disk. */
enum { PROGRAM_BYTES = 32 << 20 };

/* What the frame and all that comes with it may take; the rest is the program's, and the files'. */
static void memory_settle(struct picture_settings *settings)
{
    bool automatic = config_is_auto(settings->config, OPTION_COMPUTE_MEMORY);
    double given = automatic ? 0 : 0x1p30 * config_real(settings->config, OPTION_COMPUTE_MEMORY);
    settings->memory_bytes = automatic ? memory_available() : (uint64_t)given;
    settings->picture.memory_bytes =
        (uint64_t)(automatic ? 0.75 * (double)memory_available_less(PROGRAM_BYTES) : 0.5 * given);
}

/* Memory that is left for each file. */
static uint64_t memory_of_file(const struct picture_settings *settings)
{
    uint64_t all = settings->memory_bytes, picture = plan_memory(&settings->plan);
    uint64_t left = all > picture ? all - picture : 0;
    left /= settings->path_count > 1 ? settings->path_count : 1;
    return left ? left : 1; /* 0 would be: not known */
}

/* ---- planes and rows that files and colours need ---- */

/* Computed are the planes that are to be saved and those that colours need, which without fractions
 * would be bands. */
static enum status planes_settle(struct picture_settings *settings)
{
    const struct sink_kind *kind;
    settings->planes_saved = settings->picture.spec.planes;
    for (size_t i = 0; i < settings->path_count; i++)
        TRY(sink_for_output(&kind, settings->paths[i]));
    if (settings->coloured)
        settings->picture.spec.planes |= SINK_COLOUR_PLANES | look_planes(&settings->look_options);
    return STATUS_OK;
}

static int32_t common_multiple(int32_t a, int32_t b)
{
    int64_t multiple = a;
    while (multiple % b != 0)
        multiple += a;
    return multiple < INT32_MAX ? (int32_t)multiple : 0;
}

/* Rows of which those that another rank writes are multiples, in all files. */
static enum status writers_settle(struct picture_settings *settings)
{
    struct picture *picture = &settings->picture;
    const struct tile wanted = region_wanted(picture);
    const struct field shape = {.width = wanted.width,
                                .height = wanted.height,
                                .planes = picture->spec.planes,
                                .count_bytes = 8};
    picture->writers = (enum plan_writers)config_integer(settings->config, OPTION_OUTPUT_WRITERS);
    picture->part_rows = settings->path_count > 0;
    picture->part_pixel_bytes = 0;
    for (size_t i = 0; i < settings->path_count && picture->part_rows; i++) {
        struct sink_request sink = settings_sink(settings, i, &shape);
        int32_t rows = sink_part_rows(&sink);
        picture->part_rows = rows ? common_multiple(picture->part_rows, rows) : 0;
        picture->part_pixel_bytes += sink_part_pixel_bytes(&sink);
        if (!rows && picture->writers == WRITERS_ALL)
            return status_fail(STATUS_CONFIG,
                               "%s: rank 0 alone can write it; several ranks write .png, .tif, "
                               ".jpg, .exr and .npy files; take --writers auto",
                               settings->paths[i]);
    }
    return STATUS_OK;
}

/* Sets automatic relief and lines, also where another file of the same run has distances anyway.
 * Says whether they want distances. */
static bool shading_settle(struct picture_settings *settings)
{
    struct look_options *options = &settings->look_options;
    bool deep = settings_shaded(&settings->plan);
    bool wanted = (options->relief_auto && options->relief > 0) ||
                  (options->lines_auto && options->lines > 0);
    if (!deep && options->relief_auto)
        options->relief = 0;
    if (!deep && options->lines_auto)
        options->lines = 0;
    return deep && wanted && settings->coloured;
}

const char *settings_interior_refusal(const struct picture_settings *settings)
{
    bool deep = settings->plan.method == METHOD_PERTURBATION;
    return settings->coloured ? settings_interior_missing(settings->look_options.interior_kind,
                                                          deep, &settings->picture.spec.formula)
                              : NULL;
}

/* The planes of the interior's colours, where there are such. */
static unsigned planes_inside(const struct picture_settings *settings)
{
    bool wanted = settings->coloured && !settings_interior_refusal(settings);
    return wanted ? interior_planes(settings->look_options.interior_kind) : 0;
}

/* ---- the picture ---- */

/* Makes the texts of the files. Of a palette in a file the name says little: the file may change,
 * so what was in it is kept in a comment of the view. */
static enum status texts_make(struct picture_settings *settings, const struct config *config)
{
    char *view = NULL;
    const char *name = config_text(config, OPTION_LOOK_PALETTE);
    TRY(place_texts(&settings->view_text, &settings->kfr_text, config));
    if (!name || !palette_is_path(name))
        return STATUS_OK;
    if (asprintf(&view, "%s" SETTINGS_PALETTE_NOTE "%016llx\n", settings->view_text,
                 (unsigned long long)palette_checksum(settings->palette)) < 0)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the text of the view");
    free(settings->view_text);
    settings->view_text = view;
    return STATUS_OK;
}

/* Samples that nobody has named; of numbers alone the centres do. */
static enum status samples_settle(struct picture_settings *settings, struct config *config)
{
    struct picture *picture = &settings->picture;
    char text[16];
    if (picture->samples || !settings->coloured)
        return STATUS_OK;
    picture->samples = plan_samples(&settings->plan, &settings->known, picture->spec.limit);
    snprintf(text, sizeof text, "%d", picture->samples);
    return config_set(config, OPTION_LOOK_SAMPLES, text, "the plan", STATUS_INTERNAL);
}

/* What the files ask of the picture, whose names the caller has checked. */
static enum status paths_take(struct picture_settings *settings,
                              const struct settings_request *request)
{
    settings->paths = calloc(request->path_count + 1, sizeof *settings->paths);
    if (!settings->paths)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    for (size_t i = 0; i < request->path_count; i++) {
        const struct sink_kind *kind;
        const char *path = settings->paths[settings->path_count++] = request->paths[i];
        settings->to_stdout = settings->to_stdout || atomic_file_is_stdout(path);
        if (sink_for_path(&kind, path) == STATUS_OK) { /* else planes_settle says so */
            settings->coloured |= kind->coloured;
            settings->quality |= kind->quality;
            settings->overviews |= kind->overviews;
        }
    }
    return STATUS_OK;
}

enum status settings_create(struct picture_settings *settings, const struct config *config,
                            const struct settings_request *request)
{
    *settings = (struct picture_settings){.title = config_text_or_null(config, OPTION_VIEW_TITLE),
                                          .config = config,
                                          .coloured = request->coloured,
                                          .overwrite = request->overwrite,
                                          .stop = request->stop};
    TRY(settings_picture(config, &settings->picture));
    TRY(settings_region(config, &settings->picture));
    settings->picture.samples = settings_samples(config);
    settings->picture.survey = request->survey;
    memory_settle(settings);
    TRY(settings_look_options(config, &settings->look_options));
    TRY(settings_palette(config, &settings->palette));
    return paths_take(settings, request);
}

/* Plans again with what the first plan has settled. */
static enum status plan_again(struct picture_settings *settings, const struct renderer_facts *facts)
{
    struct picture *picture = &settings->picture;
    unsigned more = (shading_settle(settings) ? PLANE_MASK_DISTANCE : 0) | planes_inside(settings);
    if (!(more & ~picture->spec.planes) && samples_most(picture->samples) <= 1)
        return STATUS_OK;
    picture->spec.planes |= more;
    return picture_plan(picture, facts, settings->stop, &settings->numbers, &settings->plan);
}

enum status settings_plan_choose(struct picture_settings *settings, struct config *config,
                                 const struct renderer_facts *facts)
{
    struct picture *picture = &settings->picture;
    settings_shading_drop(&settings->look_options, &picture->spec.formula);
    TRY(planes_settle(settings));
    TRY(writers_settle(settings));
    settings->known = picture_know(picture, NULL, settings->stop);
    settings_moved(settings);
    TRY(picture_plan(picture, facts, settings->stop, &settings->numbers, &settings->plan));
    TRY(samples_settle(settings, config));
    TRY(plan_again(settings, facts));
    return texts_make(settings, config);
}

enum status settings_fit(struct picture_settings *settings, struct config *config,
                         const struct field *field)
{
    struct distribution distribution =
        settings_measure(config, field, settings->picture.view.height);
    struct field shape = settings_shape(settings);
    shape.height = settings->picture.view.height; /* height of the image, even for a region */
    TRY(settings_look(config, &distribution, settings->palette, &shape, &settings->look_options,
                      &settings->look));
    return texts_make(settings, config); /* with what is settled */
}

void settings_moved(struct picture_settings *settings)
{
    settings->picture.known = &settings->known;
}

void settings_destroy(struct picture_settings *settings)
{
    view_destroy(&settings->picture.view);
    palette_destroy(settings->palette);
    free(settings->view_text);
    free(settings->kfr_text);
    free(settings->paths);
    free(settings->part_path);
    *settings = (struct picture_settings){0};
}

/* The files have a quarter of what the frame may take: with it that is all but a sixteenth of what
 * is free, or five eighths of what was given. */
struct sink_request settings_sink(const struct picture_settings *settings, size_t number,
                                  const struct field *field)
{
    return (struct sink_request){
        .path = settings->paths[number],
        .field = field,
        .x = settings->picture.region.x,
        .y = settings->picture.region.y,
        .picture = &settings->picture,
        .plan = &settings->plan,
        .version = DEEPFIELD_VERSION,
        .revision = deepfield_revision,
        .look = &settings->look,
        .view_text = settings->view_text,
        .kfr_text = settings->kfr_text,
        .title = settings->title,
        .bits = settings_bits(settings->config, settings->paths[number]),
        .quality = (int)config_integer(settings->config, OPTION_OUTPUT_QUALITY),
        .overviews = (int)config_integer(settings->config, OPTION_OUTPUT_OVERVIEWS),
        .dpi = config_real(settings->config, OPTION_VIEW_SIZE),
        .planes = settings->planes_saved,
        .overwrite = settings->overwrite,
        .memory_bytes = settings->picture.memory_bytes / 4 / settings->path_count,
        .memory_most = memory_of_file(settings),
        .stop = settings->stop};
}

struct field settings_shape(const struct picture_settings *settings)
{
    const struct tile wanted = region_wanted(&settings->picture);
    return (struct field){.width = wanted.width,
                          .height = wanted.height,
                          .planes = settings->picture.spec.planes,
                          .count_bytes = settings->plan.count_bytes,
                          .space = MEMORY_HOST};
}
