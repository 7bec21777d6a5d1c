#include "library/settings/settings_description.h"

#include "decomposition/schedule/schedule.h"

#include <stdio.h>
#include <string.h>

#include "library/config/config_view.h"
#include "render/colour/samples.h"
#include "render/file/sink.h"

static enum packing_wish packing_of(const char *word)
{
    return !strcmp(word, "always")  ? PACKING_ALWAYS
           : !strcmp(word, "never") ? PACKING_NEVER
                                    : PACKING_AUTO;
}

struct renderer_options settings_renderer(const struct config *config)
{
    struct renderer_options options = {
        .backend = config_text(config, OPTION_COMPUTE_BACKEND),
        .devices = {.chosen = (uint64_t)config_integer(config, OPTION_COMPUTE_DEVICES),
                    .per_rank = (int)config_integer(config, OPTION_COMPUTE_DEVICES_PER_RANK)},
        .threads = (int)config_integer(config, OPTION_COMPUTE_THREADS),
        .mpi_device.asked = config_boolean(config, OPTION_COMPUTE_MPI_DEVICE),
        .packing = packing_of(config_text(config, OPTION_COMPUTE_PACKING))};
    if (options.mpi_device.asked)
        snprintf(options.mpi_device.why, sizeof options.mpi_device.why, "nothing has tried it");
    return options;
}

int settings_samples(const struct config *config)
{
    int64_t samples = config_integer(config, OPTION_LOOK_SAMPLES);
    if (!config_text(config, OPTION_LOOK_SAMPLES))
        return 0;
    return samples ? (int)samples : SAMPLES_AUTO;
}

/* Is the value of a file, where `other` is not? */
static bool is_alone_of_file(const struct config_value *value, const struct config_value *other)
{
    const char *colon = value->origin ? strrchr(value->origin, ':') : NULL;
    return colon && strncmp(value->origin, other->origin, (size_t)(colon - value->origin) + 1) != 0;
}

enum status settings_region(const struct config *config, struct picture *picture)
{
    const char *text = config_text_or_null(config, OPTION_VIEW_REGION);
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
        .orbit_cache = config_text_or_null(config, OPTION_COMPUTE_ORBIT_CACHE),
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

enum status settings_picture_check(const struct config *config)
{
    struct picture picture;
    enum status status = settings_picture(config, &picture);
    view_destroy(&picture.view);
    return status;
}

enum language settings_language(const struct config *config, enum language automatic)
{
    int64_t number = config_integer(config, OPTION_VIEWER_LANGUAGE); /* 0: auto */
    return number ? (enum language)(number - 1) : automatic;
}

bool settings_schedule_is_static(const struct config *config)
{
    const struct schedule_kind *schedule =
        schedule_named(config_text(config, OPTION_COMPUTE_SCHEDULE));
    return schedule && schedule->is_static;
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
