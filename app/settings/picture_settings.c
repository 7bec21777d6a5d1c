#include "app/settings/picture_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/process/environment.h"
#include "app/process/probe_result.h"
#include "app/process/revision.h"
#include "app/process/stop.h"
#include "library/config/config_view.h"
#include "library/text/convert.h"
#include "render/colour/palette_choice.h"
#include "render/disk/memory.h"
#include "render/picture/picture_plan.h"
#include "render/picture/region.h"
#include "render/plan/plan_samples.h"

struct renderer_options settings_renderer(const struct config *config)
{
    struct renderer_options options = {
        .backend = config_text(config, OPTION_COMPUTE_BACKEND),
        .devices = {.chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES),
                    .per_rank = (int)config_integer(config, OPTION_COMPUTE_DEVICES_PER_RANK)},
        .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS),
        .mpi_device.asked = config_boolean(config, OPTION_COMPUTE_MPI_DEVICE)};
    struct renderer_mpi_device *mpi = &options.mpi_device;
    if (mpi->asked && world_launched()) {
        enum mpi_device level = probe_result_read(mpi->why, sizeof mpi->why);
        mpi->proven = level >= MPI_DEVICE_PROVEN;
        mpi->faster = level >= MPI_DEVICE_FASTER;
    } else if (mpi->asked) {
        snprintf(mpi->why, sizeof mpi->why, "one rank sends nothing");
    }
    return options;
}

int settings_samples(const struct config *config)
{
    int64_t samples = config_integer(config, OPTION_LOOK_SAMPLES);
    if (!config_text(config, OPTION_LOOK_SAMPLES))
        return 0;
    return samples ? (int)samples : SAMPLES_AUTO;
}

static const char *text_or_null(const struct config *config, enum option_key option)
{
    const char *text = config_text(config, option);
    return text && *text ? text : NULL;
}

/* Is the value of a file, where `other` is not? */
static bool is_alone_of_file(const struct config_value *value, const struct config_value *other)
{
    const char *colon = value->origin ? strrchr(value->origin, ':') : NULL;
    return colon && strncmp(value->origin, other->origin, (size_t)(colon - value->origin) + 1) != 0;
}

enum status settings_region(const struct config *config, struct picture *picture)
{
    const char *text = text_or_null(config, OPTION_VIEW_REGION);
    const struct view *view = &picture->view;
    struct tile *region = &picture->region;
    int end = 0;
    if (!text)
        return STATUS_OK;
    bool good = sscanf(text, "%9d,%9d,%9dx%9d%n", &region->x, &region->y, &region->width,
                       &region->height, &end) == 4 &&
                !text[end];
    if (!good || region->x < 0 || region->y < 0 || region->width < 1 || region->height < 1 ||
        region->x > view->width - region->width || region->y > view->height - region->height)
        return config_blame(config, OPTION_VIEW_REGION,
                            status_fail(STATUS_CONFIG,
                                        "a region is X,Y,WxH, whole pixels inside the picture of "
                                        "%dx%d, as in 600,400,100x80",
                                        view->width, view->height));
    if (!is_alone_of_file(&config->value[OPTION_VIEW_REGION], &config->value[OPTION_VIEW_SIZE]))
        return STATUS_OK;
    return config_blame(config, OPTION_VIEW_REGION,
                        status_fail(STATUS_CONFIG,
                                    "the region of a file is of its own size, and not of %dx%d; "
                                    "--region says one for that, --region '' is all",
                                    view->width, view->height));
}

struct orbit_rule settings_orbit(const struct config *config)
{
    const struct config_value *trap = &config->value[OPTION_VIEW_TRAP];
    return (struct orbit_rule){.stripes = (int32_t)config_integer(config, OPTION_VIEW_STRIPES),
                               .trap_re = trap->real,
                               .trap_im = trap->imaginary,
                               .trap_radius = config_real(config, OPTION_VIEW_TRAP_RADIUS)};
}

enum status settings_picture(const struct config *config, struct picture *picture)
{
    *picture = (struct picture){
        .spec.limit = config_integer(config, OPTION_VIEW_LIMIT),
        .spec.bailout = config_real(config, OPTION_VIEW_BAILOUT),
        .spec.planes = (unsigned)config_integer(config, OPTION_OUTPUT_PLANES),
        .spec.orbit = settings_orbit(config),
        .accuracy_px = config_real(config, OPTION_COMPUTE_ACCURACY),
        .precision = (enum precision)config_integer(config, OPTION_COMPUTE_PRECISION),
        .blocks = config_integer(config, OPTION_COMPUTE_BLOCKS) ? BLOCKS_NONE : BLOCKS_QUARTIC,
        .tile_px = (int32_t)config_integer(config, OPTION_COMPUTE_TILE),
        .schedule = config_text(config, OPTION_COMPUTE_SCHEDULE),
        .forecast = (enum plan_forecast)config_integer(config, OPTION_COMPUTE_FORECAST),
        .transport = config_text(config, OPTION_COMPUTE_TRANSPORT),
        .backend = config_text(config, OPTION_COMPUTE_BACKEND),
        .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS),
        .spec.shortcuts =
            config_boolean(config, OPTION_COMPUTE_SHORTCUTS) ? SHORTCUTS_ON : SHORTCUTS_OFF,
        .orbit_cache = text_or_null(config, OPTION_COMPUTE_ORBIT_CACHE),
    };
    TRY(config_formula(config, &picture->spec.formula));
    picture->host_colours =
        config_integer(config, OPTION_LOOK_BY) || config_integer(config, OPTION_LOOK_LAYER);
    const struct config_value *size = &config->value[OPTION_VIEW_SIZE];
    TRY(config_view_shape(config, &picture->view.shape));
    TRY(view_set(&picture->view, config_text(config, OPTION_VIEW_RE),
                 config_text(config, OPTION_VIEW_IM), config_text(config, OPTION_VIEW_ZOOM),
                 config_real(config, OPTION_VIEW_ROTATION), (int32_t)size->integer,
                 (int32_t)size->second));
    return STATUS_OK;
}

static bool is_auto(const struct config *config, enum option_key option)
{
    const char *text = config_text(config, option);
    return !text || !strcmp(text, "auto");
}

static struct colour_source source_of(const struct config *config, enum option_key by,
                                      enum option_key runs)
{
    return colour_source_at((int)config_integer(config, by), config_real(config, runs));
}

enum status settings_look_options(const struct config *config, struct look_options *options)
{
    *options = (struct look_options){.density = config_real(config, OPTION_LOOK_DENSITY),
                                     .runs = config_real(config, OPTION_LOOK_RUNS),
                                     .contrast = config_real(config, OPTION_LOOK_CONTRAST),
                                     .offset = config_real(config, OPTION_LOOK_OFFSET),
                                     .offset_auto = is_auto(config, OPTION_LOOK_OFFSET),
                                     .relief_auto = is_auto(config, OPTION_LOOK_RELIEF),
                                     .lines_auto = is_auto(config, OPTION_LOOK_LINES),
                                     .relief = config_real(config, OPTION_LOOK_RELIEF),
                                     .lines = config_real(config, OPTION_LOOK_LINES),
                                     .light_deg = config_real(config, OPTION_LOOK_LIGHT)};
    struct formula formula;
    TRY(config_formula(config, &formula));
    options->roots = formula_roots(&formula);
    options->source = source_of(config, OPTION_LOOK_BY, OPTION_LOOK_BY_RUNS);
    options->layer = (struct colour_layer){
        .blend = (enum colour_blend)config_integer(config, OPTION_LOOK_LAYER),
        .source = source_of(config, OPTION_LOOK_LAYER_BY, OPTION_LOOK_LAYER_RUNS),
        .offset = config_real(config, OPTION_LOOK_LAYER_OFFSET),
        .opacity = config_real(config, OPTION_LOOK_LAYER_OPACITY)};
    if (options->offset_auto)
        options->offset = PALETTE_OFFSET;
    if (options->relief_auto)
        options->relief = LOOK_RELIEF;
    if (options->lines_auto)
        options->lines = LOOK_LINES;
    return interior_parse(config_text(config, OPTION_LOOK_INTERIOR), &options->interior_kind,
                          options->interior);
}

struct distribution settings_distribution(const struct config *config)
{
    struct distribution distribution = {.runs = 0};
    if (!is_auto(config, OPTION_LOOK_DISTRIBUTION)) /* checked when it was set */
        distribution_parse(&distribution, config_text(config, OPTION_LOOK_DISTRIBUTION));
    return distribution;
}

bool settings_wants_distribution(const struct config *config)
{
    return !(config_real(config, OPTION_LOOK_DENSITY) > 0) &&
           !(settings_distribution(config).runs > 0);
}

struct distribution settings_measure(const struct config *config, const struct field *field,
                                     int32_t height)
{
    struct distribution distribution = settings_distribution(config);
    bool wanted = field && settings_wants_distribution(config);
    if (wanted && field->height == height)
        distribution_measure(&distribution, field);
    else if (wanted)
        distribution_measure_subgrid(&distribution, field, height);
    return distribution;
}

enum status settings_palette(const struct config *config, struct palette **palette)
{
    char folder[4096], assets[4200];
    TRY(data_folder(&config->data, folder, sizeof folder));
    snprintf(assets, sizeof assets, "%s/assets", folder);
    return config_blame(config, OPTION_LOOK_PALETTE,
                        palette_load(palette, assets, config_text(config, OPTION_LOOK_PALETTE)));
}

enum language settings_language(const struct config *config)
{
    int64_t number = config_integer(config, OPTION_VIEWER_LANGUAGE); /* 0: auto */
    return number ? (enum language)(number - 1) : environment_language();
}

enum status settings_part(const struct config *config, int *part, int *parts)
{
    const char *text = config_text(config, OPTION_OUTPUT_PART);
    const char *slash = text ? strchr(text, '/') : NULL;
    *part = *parts = 1;
    if (!text || !*text)
        return STATUS_OK;
    char *first = slash ? strndup(text, (size_t)(slash - text)) : NULL;
    int64_t k = 0, n = 0;
    bool good = first && convert_integer(slash + 1, 1, 100000, &n) == STATUS_OK &&
                convert_integer(first, 1, n, &k) == STATUS_OK;
    free(first);
    *part = (int)k;
    *parts = (int)n;
    return good ? STATUS_OK
                : status_fail(STATUS_USAGE,
                              "--part %.40s: it must be K/N, as 1/8 ... 8/8 for eight parts", text);
}

int settings_bits(const struct config *config, const char *path)
{
    static const int choices[] = {0, 8, 16, 32, 16}; /* auto, 8, 16, 32; 10: of films alone */
    int bits = choices[config_integer(config, OPTION_OUTPUT_BITS)];
    const struct sink_kind *kind;
    if (sink_for_path(&kind, path) != STATUS_OK)
        return 0;
    return bits < kind->bits_least  ? kind->bits_least
           : bits > kind->bits_most ? kind->bits_most
                                    : bits;
}

static enum status path_add(struct picture_settings *settings, const char *path)
{
    const struct sink_kind *kind;
    if (!*path)
        return status_fail(STATUS_USAGE, "-o needs the name of a file");
    for (size_t i = 0; i < settings->path_count; i++)
        if (!strcmp(settings->paths[i], path))
            return status_fail(STATUS_USAGE, "-o %s was given twice", path);
    if (sink_for_path(&kind, path) == STATUS_OK) { /* else planes_settle says so */
        settings->coloured |= kind->coloured;
        settings->quality |= kind->quality;
    }
    settings->paths[settings->path_count++] = path;
    return STATUS_OK;
}

static enum status paths_take(struct picture_settings *settings,
                              const struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    settings->paths = calloc(arguments->count + 1, sizeof *settings->paths);
    if (!settings->paths)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == OPTION_OUTPUT)
            TRY(path_add(settings, arguments->given[i].text));
    if (settings->path_count)
        return STATUS_OK;
    if (asprintf(&settings->default_path, "%s.png", invocation->view.stem) < 0) {
        settings->default_path = NULL; /* asprintf leaves it undefined */
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the file");
    }
    return path_add(settings, settings->default_path);
}

/* Computed are the planes that are to be saved and those that the files need: colours without
 * fractions would be bands. */
static enum status planes_settle(struct picture_settings *settings)
{
    settings->planes_saved = settings->picture.spec.planes;
    for (size_t i = 0; i < settings->path_count; i++) {
        const struct sink_kind *kind;
        TRY(sink_for_output(&kind, settings->paths[i]));
        if (kind->coloured)
            settings->picture.spec.planes |=
                SINK_COLOUR_PLANES | look_planes(&settings->look_options);
    }
    return STATUS_OK;
}

/* Perturbation has the derivatives along: distances cost 1.1 to 1.35 times the pixels without,
 * where direct iteration takes twice as long. So automatic relief and lines are those of deep
 * views, also where another file of the same run has distances anyway. Says whether they want
 * distances. */
static bool shading_settle(struct picture_settings *settings)
{
    struct look_options *options = &settings->look_options;
    bool deep = settings->plan.method == METHOD_PERTURBATION;
    bool wanted = (options->relief_auto && options->relief > 0) ||
                  (options->lines_auto && options->lines > 0);
    if (!deep && options->relief_auto)
        options->relief = 0;
    if (!deep && options->lines_auto)
        options->lines = 0;
    return deep && wanted && settings->coloured;
}

/* kernels/escape/attractor.h */
const char *settings_interior_missing(enum interior_kind kind, bool deep,
                                      const struct formula *formula)
{
    unsigned planes = interior_planes(kind);
    if (planes && deep)
        return "deep views keep one colour inside: periods and distances inside are found by "
               "direct iteration";
    if (planes && !formula_quadratic(formula))
        return "this formula keeps one colour inside: periods are found for z^2 + c alone";
    if (planes & PLANE_MASK_INSIDE && formula->plane == DYNAMIC_PLANE)
        return "a Julia set keeps one colour inside: distances inside are those of the Mandelbrot "
               "set";
    return NULL;
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

static enum status requests_differ(const struct sink_request *before,
                                   const struct sink_request *sink)
{
    char path[SINK_PATH_BYTES];
    if (!sink_requests_meet(before, sink, path))
        return STATUS_OK;
    return status_fail(STATUS_USAGE, "-o %s and -o %s are both the file %s", before->path,
                       sink->path, path);
}

enum status settings_files_check(struct picture_settings *settings)
{
    struct field shape = settings_shape(settings);
    for (size_t i = 0; i < settings->path_count; i++) {
        struct sink_request sink = settings_sink(settings, i, &shape);
        for (size_t j = 0; j < i; j++) {
            struct sink_request before = settings_sink(settings, j, &shape);
            TRY(requests_differ(&before, &sink));
            uint64_t bytes = sink_bytes_on_disk(&before, sink.path);
            if (__builtin_add_overflow(sink.other_files_bytes, bytes, &sink.other_files_bytes))
                sink.other_files_bytes = UINT64_MAX;
        }
        TRY(sink_check(&sink));
    }
    return STATUS_OK;
}

/* Code, stacks, libraries, what compresses rows, and pages of files on their way to the disk. */
enum { PROGRAM_BYTES = 32 << 20 };

/* What the frame and all that comes with it may take; the rest is the program's, and the files'. */
static void memory_settle(struct picture_settings *settings)
{
    bool automatic = is_auto(settings->config, OPTION_COMPUTE_MEMORY);
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
    picture->part_rows = 1;
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

void settings_shading_drop(struct look_options *options, const struct formula *formula)
{
    if (formula_has_distances(formula))
        return;
    options->relief = options->lines = 0;
    options->relief_auto = options->lines_auto = false;
}

enum status settings_look_flags(const struct look_options *look, const struct formula *formula,
                                const struct arguments *arguments)
{
    static const char flat[] = "this formula has no distances";
    static const char no_counts[] = "no colours go by counts", no_layer[] = "there is no --layer";
    const struct colour_layer *layer = &look->layer;
    const bool counts = look_has_counts(look), none = !formula_has_distances(formula);
    const bool fixed = look->density > 0 || !counts;
    const char *why = counts ? "it is for --density auto" : no_counts;
    const struct idle_flag flags[] = {
        {OPTION_LOOK_RUNS, fixed, why},
        {OPTION_LOOK_CONTRAST, fixed, why},
        {OPTION_LOOK_DISTRIBUTION, fixed, why},
        {OPTION_LOOK_DENSITY, !counts, no_counts},
        {OPTION_LOOK_BY_RUNS, !look->source.input, "it is for --by with a plane"},
        {OPTION_LOOK_LAYER_BY, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_OFFSET, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_OPACITY, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_RUNS, !layer->blend, no_layer},
        {OPTION_LOOK_LAYER_RUNS, !layer->source.input, "it is for --layer-by with a plane"},
        {OPTION_LOOK_RELIEF, none && look->relief > 0, flat},
        {OPTION_LOOK_LINES, none && look->lines > 0, flat},
    };
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

enum status settings_light_flag(bool relief, const struct arguments *arguments)
{
    const struct idle_flag flag = {OPTION_LOOK_LIGHT, !relief, "there is no --relief"};
    return arguments_none_idle(arguments, &flag, 1);
}

enum status settings_forecast_flag(const struct picture *picture, const struct arguments *arguments)
{
    const struct schedule_kind *schedule = schedule_named(picture->schedule);
    const bool idle = picture->forecast == FORECAST_ON && schedule && schedule->is_static;
    const struct idle_flag flag = {OPTION_COMPUTE_FORECAST, idle, "it is for --schedule dynamic"};
    return arguments_none_idle(arguments, &flag, 1);
}

static enum status flags_check(const struct picture_settings *settings,
                               const struct arguments *arguments)
{
    const struct idle_flag flags[] = {
        {OPTION_OUTPUT_JPEG, !settings->quality, "it is for .jpg and tiles of a .dzi"},
        {OPTION_LOOK_SAMPLES, !settings->coloured,
         "numbers in .npy are those of the pixels' centres"},
        {OPTION_OUTPUT_BITS, !settings->coloured, "numbers in .npy have the bits of their planes"},
        {OPTION_OUTPUT_LOG_JSON, arguments_has(arguments, OPTION_DRY_RUN),
         "a dry run has no events"},
    };
    TRY(settings_forecast_flag(&settings->picture, arguments));
    TRY(settings_look_flags(&settings->look_options, &settings->picture.spec.formula, arguments));
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

/* Refuses flags of colours without effect, once the plan has settled what is automatic. */
static enum status shading_flags_check(const struct picture_settings *settings,
                                       const struct arguments *arguments)
{
    const char *why = settings_interior_refusal(settings);
    const unsigned planes = settings->picture.spec.planes;
    const struct idle_flag flags[] = {
        {OPTION_LOOK_INTERIOR, why != NULL, why},
        {OPTION_VIEW_STRIPES, !(planes & PLANE_MASK_STRIPE), "nothing wants the plane 'stripe'"},
        {OPTION_VIEW_TRAP, !(planes & PLANE_MASK_TRAPS), "nothing wants a plane of a trap"},
        {OPTION_VIEW_TRAP_RADIUS, !(planes & PLANE_MASK_CIRCLE),
         "nothing wants the plane 'trap_circle'"},
    };
    if (settings->coloured)
        TRY(settings_light_flag(settings->look_options.relief > 0, arguments));
    return arguments_none_idle(arguments, flags, sizeof flags / sizeof *flags);
}

char *settings_part_path(const char *target, int part, int parts)
{
    char *path;
    return asprintf(&path, "%s.part-%d-of-%d.rows", target, part, parts) < 0 ? NULL : path;
}

/* Rows that are this part's share. */
static enum status part_region_take(struct picture_settings *settings, int part, int parts)
{
    struct picture *picture = &settings->picture;
    struct tile all = region_wanted(picture);
    int64_t from = (int64_t)all.height * (part - 1) / parts;
    int64_t to = (int64_t)all.height * part / parts;
    if (parts == 1)
        return STATUS_OK;
    if (from == to)
        return status_fail(STATUS_CONFIG, "--part %d/%d: the picture has only %d rows", part, parts,
                           all.height);
    picture->region = all;
    picture->region.y += (int32_t)from;
    picture->region.height = (int32_t)(to - from);
    return STATUS_OK;
}

/* The files of a part are its rows alone, from which those of the picture are made. */
static enum status part_path_take(struct picture_settings *settings, int part, int parts)
{
    if (parts == 1)
        return STATUS_OK;
    settings->part_path = settings_part_path(settings->paths[0], part, parts);
    if (!settings->part_path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a file");
    settings->paths[0] = settings->part_path;
    settings->path_count = 1;
    return STATUS_OK;
}

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

enum status settings_create(struct picture_settings *settings, struct invocation *invocation,
                            const struct renderer_facts *facts)
{
    const struct config *config = &invocation->config;
    *settings = (struct picture_settings){
        .title = text_or_null(config, OPTION_VIEW_TITLE),
        .config = config,
        .overwrite =
            arguments_has(&invocation->arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO};
    TRY(settings_picture(config, &settings->picture));
    int part = 1, parts = 1;
    if (!invocation->listed)
        TRY(settings_part(config, &part, &parts));
    TRY(settings_region(config, &settings->picture));
    TRY(part_region_take(settings, part, parts));
    settings->picture.samples = settings_samples(config);
    memory_settle(settings);
    settings->picture.survey = arguments_has(&invocation->arguments, OPTION_EXPLAIN);
    TRY(settings_look_options(config, &settings->look_options));
    TRY(settings_palette(config, &settings->palette));
    TRY(paths_take(settings, invocation));
    TRY(flags_check(settings, &invocation->arguments));
    settings_shading_drop(&settings->look_options, &settings->picture.spec.formula);
    TRY(planes_settle(settings));
    TRY(writers_settle(settings));
    settings->known = picture_know(&settings->picture, NULL, &stop_requested);
    settings_moved(settings);
    TRY(picture_plan(&settings->picture, facts, &stop_requested, &settings->numbers,
                     &settings->plan));
    TRY(samples_settle(settings, &invocation->config));
    unsigned more = (shading_settle(settings) ? PLANE_MASK_DISTANCE : 0) | planes_inside(settings);
    if (more & ~settings->picture.spec.planes || samples_most(settings->picture.samples) > 1) {
        settings->picture.spec.planes |= more;
        TRY(picture_plan(&settings->picture, facts, &stop_requested, &settings->numbers,
                         &settings->plan));
    }
    TRY(shading_flags_check(settings, &invocation->arguments));
    TRY(part_path_take(settings, part, parts));
    TRY(texts_make(settings, config));
    for (size_t i = 0; i < settings->path_count; i++)
        settings->to_stdout = settings->to_stdout || atomic_file_is_stdout(settings->paths[i]);
    if (settings->to_stdout && arguments_has(&invocation->arguments, OPTION_JSON))
        return status_fail(STATUS_USAGE, "standard output cannot take both a picture and --json; "
                                         "name a file for -o");
    return STATUS_OK;
}

/* What was automatic is from now on what it became. */
static enum status resolved_set(struct config *config, enum option_key option, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    return is_auto(config, option) ? config_set(config, option, text, "measured", STATUS_INTERNAL)
                                   : STATUS_OK;
}

enum status settings_look(struct config *config, const struct distribution *distribution,
                          const struct palette *palette, const struct field *shape,
                          struct look_options *options, struct look *look)
{
    char text[DISTRIBUTION_TEXT_BYTES];
    look_resolve(options, shape);
    look_make(look, options, distribution, palette, shape->height);
    distribution_text(distribution, text);
    TRY(config_set(config, OPTION_LOOK_DISTRIBUTION, text, "measured", STATUS_INTERNAL));
    TRY(resolved_set(config, OPTION_LOOK_RELIEF, options->relief));
    return resolved_set(config, OPTION_LOOK_LINES, options->lines);
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
    free(settings->default_path);
    free(settings->part_path);
    free(settings->paths);
    *settings = (struct picture_settings){0};
}

/* The files have a quarter of what the frame may take: with it that is all but a sixteenth of what
 * is free, or five eighths of what was given. */
struct sink_request settings_sink(const struct picture_settings *settings, size_t number,
                                  const struct field *field)
{
    return (struct sink_request){.path = settings->paths[number],
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
                                 .jpeg = (int)config_integer(settings->config, OPTION_OUTPUT_JPEG),
                                 .dpi = config_real(settings->config, OPTION_VIEW_SIZE),
                                 .planes = settings->planes_saved,
                                 .overwrite = settings->overwrite,
                                 .memory_bytes =
                                     settings->picture.memory_bytes / 4 / settings->path_count,
                                 .memory_most = memory_of_file(settings),
                                 .stop = &stop_requested};
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
