#include "library/config/options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "decomposition/schedule/schedule.h"
#include "decomposition/transport/transport.h"
#include "kernels/backend.h"
#include "kernels/field.h"
#include "kernels/formula.h"
#include "kernels/spec.h"
#include "library/config/language.h"
#include "library/text/convert.h"
#include "library/text/image_size.h"
#include "render/colour/blend.h"
#include "render/colour/distribution.h"
#include "render/colour/samples.h"
#include "render/film/film.h"
#include "render/file/sink.h"
#include "render/find/finder.h"
#include "render/plan/plan.h"

static const char *schedule_choice(int number)
{
    if (number > schedule_kinds_count)
        return NULL;
    return number ? schedule_kinds[number - 1]->name : "auto";
}

static const char *forecast_choice(int number)
{
    return number < FORECASTS ? plan_forecast_name((enum plan_forecast)number) : NULL;
}

static const char *packing_choice(int number)
{
    static const char *const words[] = {"auto", "always", "never"};
    return number < 3 ? words[number] : NULL;
}

static const char *transport_choice(int number)
{
    if (number > transport_kinds_count)
        return NULL;
    return number ? transport_kinds[number - 1]->name : "auto";
}

static const char *backend_choice(int number)
{
    if (number > backend_kinds_count + 1)
        return NULL;
    return number == 0 ? "auto" : number == 1 ? "cpu" : backend_kinds[number - 2]->name;
}

static const char *precision_choice(int number)
{
    static const char *const names[] = {[PRECISION_AUTO] = "auto",
                                        [PRECISION_FP32] = "fp32",
                                        [PRECISION_DS] = "ds",
                                        [PRECISION_FP64] = "fp64"};
    return number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
}

static const char *blocks_choice(int number)
{
    return number == 0 ? "auto" : number == 1 ? plan_blocks_name(BLOCKS_NONE) : NULL;
}

static const char *formula_choice(int number)
{
    struct formula formula;
    return formula_name_at(number, &formula);
}

static const char *bits_choice(int number)
{
    static const char *const names[] = {"auto", "8", "16", "32", "10"};
    return number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
}

static const char *method_choice(int number)
{
    return number < FILM_METHODS ? film_method_name((enum film_method)number) : NULL;
}

static const char *chroma_choice(int number)
{
    return number < FILM_CHROMAS ? film_chroma_name((enum film_chroma)number) : NULL;
}

static const char *effort_choice(int number)
{
    return number < FILM_EFFORTS ? film_effort_name((enum film_effort)number) : NULL;
}

static const char *text_choice(int number)
{
    static const char *const names[] = {"normal", "large"};
    return number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
}

static const char *language_choice(int number)
{
    return number == 0 ? "auto" : number <= LANGUAGES ? language_codes[number - 1] : NULL;
}

#define PLANNERS (COMMAND_RENDER | COMMAND_VERIFY | COMMAND_INFO | COMMAND_FILM)
#define VIEWERS (PLANNERS | COMMAND_VIEW | COMMAND_FIND)
#define COMPUTERS (COMMAND_RENDER | COMMAND_VERIFY | COMMAND_FILM)
#define ORBITS (COMPUTERS | COMMAND_VIEW)
#define SENDERS (COMPUTERS | COMMAND_BENCH | COMMAND_DEVICES)
#define DRIVERS (SENDERS | COMMAND_VIEW | COMMAND_JOIN)
#define JOINED (COMMAND_RENDER | COMMAND_FILM | COMMAND_VIEW)
#define PAINTERS (COMMAND_RENDER | COMMAND_VIEW | COMMAND_COLOUR | COMMAND_FILM)
#define PRINTERS (COMPUTERS | COMMAND_INFO | COMMAND_FIND | COMMAND_DEVICES | COMMAND_BENCH)
#define WATCHERS (COMMAND_STATUS | COMMAND_CLEAN)
#define EVERYONE (PRINTERS | COMMAND_DOCTOR | COMMAND_VIEW | COMMAND_COLOUR | COMMAND_JOIN)
#define WRITERS                                                                         \
    (COMMAND_RENDER | COMMAND_COLOUR | COMMAND_FILM | COMMAND_PALETTES | COMMAND_INFO | \
     COMMAND_FIND)
#define LISTERS (COMMAND_VIEWS | COMMAND_PALETTES)

/* Members in the order of the struct; a row per enum option_key. */
/* clang-format off */
const struct option_row option_rows[OPTIONS] = {
[OPTION_VIEW_VERSION] = {.section = "view", .key = "version", .type = OPTION_INTEGER,
    .least = 1, .most = 1, .fallback = "1", .traits = OPTION_OF_PICTURE,
    .help = "version of the file format"},
[OPTION_VIEW_TITLE] = {.section = "view", .key = "title", .type = OPTION_TEXT,
    .traits = OPTION_OF_PICTURE, .help = "name of the place"},
[OPTION_VIEW_CREDIT] = {.section = "view", .key = "credit", .type = OPTION_TEXT,
    .traits = OPTION_OF_PICTURE, .help = "who found the place"},
[OPTION_VIEW_RE] = {.section = "view", .key = "re", .flag = "re", .argument = "NUMBER",
    .type = OPTION_NUMBER, .traits = OPTION_OF_PICTURE, .commands = VIEWERS,
    .help = "centre, real part, with any number of digits"},
[OPTION_VIEW_IM] = {.section = "view", .key = "im", .flag = "im", .argument = "NUMBER",
    .type = OPTION_NUMBER, .traits = OPTION_OF_PICTURE, .commands = VIEWERS,
    .help = "centre, imaginary part"},
[OPTION_VIEW_ZOOM] = {.section = "view", .key = "zoom", .flag = "zoom", .argument = "NUMBER",
    .type = OPTION_NUMBER, .traits = OPTION_OF_PICTURE, .commands = VIEWERS,
    .help = "magnification: the image is 4/zoom high"},
[OPTION_VIEW_ROTATION] = {.section = "view", .key = "rotation", .flag = "rotation",
    .argument = "DEGREES", .type = OPTION_REAL, .low = -VIEW_ROTATION_MAX_DEG,
    .high = VIEW_ROTATION_MAX_DEG, .fallback = "0", .traits = OPTION_OF_PICTURE,
    .commands = VIEWERS,
    .help = "turn the frame counter-clockwise; what it shows turns clockwise"},
[OPTION_VIEW_MIRROR] = {.section = "view", .key = "mirror", .flag = "mirror",
    .opposite = "no-mirror", .type = OPTION_BOOLEAN, .traits = OPTION_OF_PICTURE, .commands = VIEWERS,
    .help = "the imaginary axis points down, as others show ships; --no-mirror: up"},
[OPTION_VIEW_STRETCH] = {.section = "view", .key = "stretch", .flag = "stretch",
    .argument = "F[@DEGREES]", .type = OPTION_STRETCH, .traits = OPTION_OF_PICTURE,
    .commands = VIEWERS,
    .help = "show the plane longer by F along an angle than across it"},
[OPTION_VIEW_SIZE] = {.section = "view", .key = "size", .flag = "size", .letter = 's',
    .argument = "SIZE", .type = OPTION_SIZE, .fallback = "1920x1080", .in_view = "1280x720",
    .traits = OPTION_OF_PICTURE, .commands = VIEWERS | COMMAND_BENCH,
    .help = "size of the image in pixels, or on paper"},
[OPTION_VIEW_REGION] = {.section = "view", .key = "region", .flag = "region",
    .argument = "X,Y,WxH", .type = OPTION_TEXT, .traits = OPTION_OF_PICTURE,
    .commands = COMMAND_RENDER,
    .help = "render these pixels of the picture alone, X and Y from the upper left"},
[OPTION_VIEW_LIMIT] = {.section = "view", .key = "limit", .flag = "limit", .letter = 'l',
    .argument = "N", .type = OPTION_INTEGER, .least = 1, .most = SPEC_LIMIT_MAX,
    .fallback = "10000", .in_view = "of the place", .traits = OPTION_OF_PICTURE, .commands = VIEWERS,
    .help = "most iterations per pixel"},
[OPTION_VIEW_BAILOUT] = {.section = "view", .key = "bailout", .flag = "bailout",
    .argument = "R", .type = OPTION_REAL, .low = SPEC_BAILOUT_MIN, .high = SPEC_BAILOUT_MAX,
    .fallback = "1024", .traits = OPTION_OF_PICTURE, .commands = COMPUTERS | COMMAND_VIEW,
    .help = "escape radius"},
[OPTION_VIEW_STRIPES] = {.section = "view", .key = "stripes", .flag = "stripes",
    .argument = "N", .type = OPTION_INTEGER, .least = 1, .most = SPEC_STRIPES_MAX,
    .fallback = "5", .traits = OPTION_OF_PICTURE, .commands = ORBITS,
    .help = "waves around 0 of the plane 'stripe'"},
[OPTION_VIEW_TRAP] = {.section = "view", .key = "trap", .flag = "trap", .argument = "RE,IM",
    .type = OPTION_POINT, .low = -SPEC_TRAP_MAX, .high = SPEC_TRAP_MAX, .fallback = "0,0",
    .traits = OPTION_OF_PICTURE, .commands = ORBITS,
    .help = "centre of the planes 'trap_point', 'trap_cross' and 'trap_circle'"},
[OPTION_VIEW_TRAP_RADIUS] = {.section = "view", .key = "trap_radius", .flag = "trap-radius",
    .argument = "R", .type = OPTION_REAL, .low = 0, .high = SPEC_TRAP_MAX, .fallback = "0.5",
    .traits = OPTION_OF_PICTURE, .commands = ORBITS,
    .help = "radius of the circle of 'trap_circle'"},
[OPTION_VIEW_FORMULA] = {.section = "view", .key = "formula", .flag = "formula",
    .argument = "NAME", .type = OPTION_FORMULA, .choice = formula_choice,
    .traits = OPTION_OF_PICTURE, .commands = VIEWERS | COMMAND_BENCH,
    .help = "a name, operations or FILE.formula (deepfield help formulas)"},
[OPTION_VIEW_JULIA] = {.section = "view", .key = "julia", .flag = "julia", .argument = "RE,IM",
    .type = OPTION_POINT, .low = -FORMULA_C_MAX, .high = FORMULA_C_MAX,
    .traits = OPTION_OF_PICTURE, .commands = VIEWERS,
    .help = "compute the formula's Julia set of this c"},
[OPTION_VIEW_LIST] = {.section = "view", .flag = "list", .argument = "FILE", .type = OPTION_LIST,
    .commands = COMMAND_RENDER,
    .help = "views to render, one a line; #: comment; -: from stdin"},

[OPTION_LOOK_PALETTE] = {.section = "look", .key = "palette", .flag = "palette", .letter = 'p',
    .argument = "NAME", .type = OPTION_PALETTE, .fallback = "auto",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "auto, safe: by the place; name, file, '#rrggbb#...'; +NAME: --layer"},
[OPTION_LOOK_DENSITY] = {.section = "look", .key = "density", .flag = "density",
    .argument = "X", .type = OPTION_REAL, .low = 1e-3, .high = 1e3, .fallback = "auto",
    .traits = OPTION_OF_PICTURE | OPTION_AUTO, .commands = PAINTERS,
    .help = "palette lengths per unit of count^(1/4); auto fits the picture"},
[OPTION_LOOK_RUNS] = {.section = "look", .key = "runs", .flag = "runs",
    .argument = "X", .type = OPTION_REAL, .low = 1e-3, .high = 1e3, .fallback = "auto",
    .traits = OPTION_OF_PICTURE | OPTION_AUTO, .commands = PAINTERS,
    .help = "palette lengths over the whole picture, of automatic density"},
[OPTION_LOOK_CONTRAST] = {.section = "look", .key = "contrast", .flag = "contrast",
    .argument = "X", .type = OPTION_REAL, .low = 0, .high = 1, .fallback = "0.8",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "1: all colours cover the same area; 0: they follow the counts"},
[OPTION_LOOK_OFFSET] = {.section = "look", .key = "offset", .flag = "offset",
    .argument = "X", .type = OPTION_REAL, .low = 0, .high = 1, .fallback = "auto",
    .traits = OPTION_OF_PICTURE | OPTION_AUTO, .commands = PAINTERS,
    .help = "position in the palette at which colours begin"},
[OPTION_LOOK_RELIEF] = {.section = "look", .key = "relief", .flag = "relief",
    .argument = "X", .type = OPTION_REAL, .low = 0, .high = 1, .fallback = "auto",
    .traits = OPTION_OF_PICTURE | OPTION_AUTO, .commands = PAINTERS,
    .help = "slopes around the set lit from the side; auto: 0.5 in deep views"},
[OPTION_LOOK_LIGHT] = {.section = "look", .key = "light", .flag = "light",
    .argument = "DEGREES", .type = OPTION_REAL, .low = -360, .high = 360, .fallback = "135",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "where it comes from, counter-clockwise from the right"},
[OPTION_LOOK_LINES] = {.section = "look", .key = "lines", .flag = "lines",
    .argument = "X", .type = OPTION_REAL, .low = 0, .high = 1, .fallback = "auto",
    .traits = OPTION_OF_PICTURE | OPTION_AUTO, .commands = PAINTERS,
    .help = "darkening close to the set; auto: 1 in deep views"},
[OPTION_LOOK_INTERIOR] = {.section = "look", .key = "interior", .flag = "interior",
    .argument = "HOW", .type = OPTION_INTERIOR, .fallback = "#000000",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "one colour inside, by period, or by the distance inside"},
[OPTION_LOOK_BY] = {.section = "look", .key = "by", .flag = "by", .argument = "PLANE",
    .type = OPTION_CHOICE, .choice = colour_source_name, .fallback = "count",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "what colours go by: counts, a plane, or both added"},
[OPTION_LOOK_BY_RUNS] = {.section = "look", .key = "by_runs", .flag = "by-runs",
    .argument = "X", .type = OPTION_REAL, .low = 1e-3, .high = 1e3, .fallback = "1",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "palette lengths for a value of 1 of the plane of --by"},
[OPTION_LOOK_LAYER] = {.section = "look", .key = "layer", .flag = "layer",
    .argument = "BLEND", .type = OPTION_CHOICE, .choice = colour_blend_name, .fallback = "none",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "blend a second layer of colours, of the palette behind the +"},
[OPTION_LOOK_LAYER_BY] = {.section = "look", .key = "layer_by", .flag = "layer-by",
    .argument = "PLANE", .type = OPTION_CHOICE, .choice = colour_source_name,
    .fallback = "count", .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "what the layer's colours go by"},
[OPTION_LOOK_LAYER_RUNS] = {.section = "look", .key = "layer_runs", .flag = "layer-runs",
    .argument = "X", .type = OPTION_REAL, .low = 1e-3, .high = 1e3, .fallback = "1",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "palette lengths for a value of 1 of the plane of --layer-by"},
[OPTION_LOOK_LAYER_OFFSET] = {.section = "look", .key = "layer_offset", .flag = "layer-offset",
    .argument = "X", .type = OPTION_REAL, .low = 0, .high = 1, .fallback = "0",
    .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "position in its palette at which the layer's colours begin"},
[OPTION_LOOK_LAYER_OPACITY] = {.section = "look", .key = "layer_opacity",
    .flag = "layer-opacity", .argument = "X", .type = OPTION_REAL, .low = 0, .high = 1,
    .fallback = "1", .traits = OPTION_OF_PICTURE, .commands = PAINTERS,
    .help = "1: the layer is blended in full; 0: not at all"},
[OPTION_LOOK_DISTRIBUTION] = {.section = "look", .key = "distribution", .flag = "distribution",
    .argument = "LIST", .type = OPTION_DISTRIBUTION, .fallback = "auto",
    .traits = OPTION_OF_PICTURE | OPTION_AUTO, .commands = PAINTERS,
    .help = "what automatic density goes by; pictures have it in their view"},
[OPTION_LOOK_SAMPLES] = {.section = "look", .key = "samples", .flag = "samples",
    .argument = "N", .type = OPTION_INTEGER, .least = 1, .most = SAMPLES_MOST,
    .in_film = "4", .traits = OPTION_OF_PICTURE | OPTION_AUTO,
    .commands = COMMAND_RENDER | COMMAND_VIEW | COMMAND_FILM,
    .help = "samples per pixel: 2 to 16 by cost; auto: more where they differ"},

[OPTION_OUTPUT] = {.section = "output", .flag = "output", .letter = 'o', .argument = "FILE",
    .type = OPTION_LIST,
    .commands = WRITERS,
    .help = "file to write; its suffix says the kind; may be repeated, but for films"},
[OPTION_FORCE] = {.section = "output", .flag = "force", .letter = 'f', .type = OPTION_SWITCH,
    .commands = WRITERS | COMMAND_BENCH,
    .help = "replace files that exist"},
[OPTION_OUTPUT_PLANES] = {.section = "output", .key = "planes", .flag = "planes",
    .argument = "LIST", .type = OPTION_PLANES, .fallback = "count,fraction",
    .traits = OPTION_OF_PICTURE, .commands = COMPUTERS,
    .help = "planes to save, as 'count,fraction,distance'"},
[OPTION_OUTPUT_BITS] = {.section = "output", .key = "bits", .flag = "bits",
    .argument = "N", .type = OPTION_CHOICE, .choice = bits_choice, .fallback = "auto",
    .traits = OPTION_OF_PICTURE, .commands = COMMAND_RENDER | COMMAND_COLOUR | COMMAND_FILM,
    .help = "bits per sample: the nearest that the kind of file has"},
[OPTION_OUTPUT_QUALITY] = {.section = "output", .key = "quality", .flag = "quality",
    .argument = "QUALITY", .type = OPTION_INTEGER, .least = 0, .most = 100, .fallback = "0",
    .traits = OPTION_OF_PICTURE, .commands = COMMAND_RENDER | COMMAND_COLOUR,
    .help = "quality of .jpg (0: 90), .webp (0: lossless), tiles of .dzi (0: PNG)"},
[OPTION_OUTPUT_OVERVIEWS] = {.section = "output", .key = "overviews", .flag = "overviews",
    .argument = "WHEN", .type = OPTION_CHOICE, .choice = sink_overviews_name, .fallback = "auto",
    .traits = OPTION_OF_PICTURE, .commands = COMMAND_RENDER | COMMAND_COLOUR,
    .help = "smaller copies in a .tif, for QGIS; auto: above 4096 pixels"},
[OPTION_OUTPUT_PART] = {.section = "output", .key = "part", .flag = "part", .argument = "K/N",
    .type = OPTION_TEXT, .commands = COMMAND_RENDER | COMMAND_FILM,
    .help = "make part K of N, for arrays of jobs; without it the parts are joined"},
[OPTION_OUTPUT_QUIET] = {.section = "output", .key = "quiet", .flag = "quiet", .letter = 'q',
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMPUTERS | COMMAND_FIND, .help = "show no progress"},

[OPTION_OUTPUT_WRITERS] = {.section = "output", .key = "writers", .flag = "writers",
    .argument = "WHO", .type = OPTION_CHOICE, .choice = plan_writers_name, .fallback = "auto",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_RENDER,
    .help = "ranks that write the files: rank 0 (one), or all, to a shared disk"},
[OPTION_OUTPUT_JOURNAL] = {.section = "output", .key = "journal", .type = OPTION_REAL,
    .low = 0, .high = 3600, .fallback = "1", .traits = OPTION_OF_MACHINE,
    .help = "seconds of work that a kill may cost; the rest is in FILE.deepfield; 0 keeps none"},
[OPTION_OUTPUT_LOG_JSON] = {.section = "output", .key = "log_json", .flag = "log-json",
    .argument = "FILE", .type = OPTION_TEXT, .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_RENDER | COMMAND_FILM,
    .help = "add a line of JSON for each event of the run; - is stdout"},

[OPTION_COMPUTE_ACCURACY] = {.section = "compute", .key = "accuracy", .flag = "accuracy",
    .argument = "PX", .type = OPTION_REAL, .low = 1e-30, .high = ERROR_MAX_PX,
    .fallback = "0.01", .traits = OPTION_OF_PICTURE, .commands = VIEWERS | COMMAND_BENCH,
    .help = "how far the computed point may lie from the pixel's, in pixels"},
[OPTION_EXACT] = {.section = "compute", .flag = "exact", .type = OPTION_SWITCH,
    .commands = VIEWERS | COMMAND_BENCH,
    .help = "the same as --accuracy 1e-9: as exact as doubles, and slower"},
[OPTION_COMPUTE_PRECISION] = {.section = "compute", .key = "precision", .flag = "precision",
    .argument = "NAME", .type = OPTION_CHOICE, .choice = precision_choice, .fallback = "auto",
    .traits = OPTION_OF_PICTURE, .commands = PLANNERS | COMMAND_BENCH,
    .help = "number type of the arithmetic"},
[OPTION_COMPUTE_BLOCKS] = {.section = "compute", .key = "blocks", .flag = "blocks",
    .argument = "NAME", .type = OPTION_CHOICE, .choice = blocks_choice, .fallback = "auto",
    .traits = OPTION_OF_PICTURE, .commands = PLANNERS,
    .help = "polynomials that skip iterations of deep views"},
[OPTION_COMPUTE_BACKEND] = {.section = "compute", .key = "backend", .flag = "backend",
    .argument = "NAME", .type = OPTION_CHOICE, .choice = backend_choice, .fallback = "auto",
    .commands = COMPUTERS | DRIVERS, .help = "kind of device: CUDA GPUs, or the CPU by an instruction set"},
[OPTION_COMPUTE_DEVICES] = {.section = "compute", .key = "devices", .flag = "devices",
    .argument = "LIST", .type = OPTION_DEVICES, .fallback = "all", .traits = OPTION_OF_MACHINE,
    .commands = DRIVERS, .help = "which GPUs of each machine may be used"},
[OPTION_COMPUTE_DEVICES_PER_RANK] = {.section = "compute", .key = "devices_per_rank",
    .flag = "devices-per-rank", .argument = "N", .type = OPTION_INTEGER, .least = 1,
    .most = DEVICES_MAX, .fallback = "auto", .traits = OPTION_OF_MACHINE | OPTION_AUTO,
    .commands = DRIVERS, .help = "GPUs of each computing rank; auto shares them out"},
[OPTION_COMPUTE_THREADS] = {.section = "compute", .key = "threads", .flag = "threads",
    .letter = 'j', .argument = "N", .type = OPTION_INTEGER, .least = 1, .most = 4096,
    .fallback = "auto", .traits = OPTION_OF_MACHINE | OPTION_AUTO,
    .commands = COMPUTERS | COMMAND_FIND | COMMAND_BENCH | COMMAND_VIEW | COMMAND_COLOUR,
    .help = "threads of each computing rank"},
[OPTION_COMPUTE_TILE] = {.section = "compute", .key = "tile", .flag = "tile",
    .argument = "PX", .type = OPTION_INTEGER, .least = 8, .most = 8192, .fallback = "auto",
    .traits = OPTION_AUTO, .commands = COMPUTERS | COMMAND_BENCH,
    .help = "side of a tile in pixels"},
[OPTION_COMPUTE_SHORTCUTS] = {.section = "compute", .key = "shortcuts", .type = OPTION_BOOLEAN,
    .fallback = "on", .help = "skip what is known to be interior; off only costs time"},
[OPTION_COMPUTE_ORBIT_CACHE] = {.section = "compute", .key = "orbit_cache", .flag = "orbit-cache",
    .argument = "DIR", .type = OPTION_TEXT, .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_RENDER | COMMAND_VIEW | COMMAND_FILM,
    .help = "folder that keeps reference orbits of deep views for the next run"},
[OPTION_COMPUTE_MEMORY] = {.section = "compute", .key = "memory", .flag = "memory",
    .argument = "GIB", .type = OPTION_REAL, .low = 0.0625, .high = 1e6, .fallback = "auto",
    .traits = OPTION_OF_MACHINE | OPTION_AUTO, .commands = COMMAND_RENDER,
    .help = "memory of a rank; larger pictures are computed and written in strips"},
[OPTION_COMPUTE_RANKS] = {.section = "compute", .key = "ranks", .flag = "ranks", .letter = 'n',
    .argument = "N", .type = OPTION_INTEGER, .least = 1, .most = 65536, .fallback = "auto",
    .traits = OPTION_OF_MACHINE | OPTION_AUTO, .commands = DRIVERS | COMMAND_DOCTOR,
    .help = "MPI ranks here; 2 or more start mpirun; --ranks 1: alone in a job"},
[OPTION_COMPUTE_OVERSUBSCRIBE] = {.section = "compute", .key = "oversubscribe",
    .flag = "oversubscribe", .type = OPTION_BOOLEAN, .fallback = "off",
    .traits = OPTION_OF_MACHINE, .commands = DRIVERS | COMMAND_DOCTOR,
    .help = "permit more than 16 ranks, and more than 4 a core"},
[OPTION_COMPUTE_RESTARTS] = {.section = "compute", .key = "restarts", .flag = "restarts",
    .argument = "N", .type = OPTION_INTEGER, .least = 0, .most = 1000000, .fallback = "3",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_RENDER | COMMAND_FILM,
    .help = "how often --ranks starts again what ended by a lost rank"},
[OPTION_COMPUTE_SCHEDULE] = {.section = "compute", .key = "schedule", .flag = "schedule",
    .argument = "NAME", .type = OPTION_CHOICE, .choice = schedule_choice, .fallback = "auto",
    .commands = COMPUTERS, .help = "order in which ranks get tiles: in turn, or on demand"},
[OPTION_COMPUTE_FORECAST] = {.section = "compute", .key = "forecast", .flag = "forecast",
    .argument = "WHEN", .type = OPTION_CHOICE, .choice = forecast_choice, .fallback = "auto",
    .commands = COMPUTERS,
    .help = "cut tiles by cost, measured in a coarse pass (schedule dynamic)"},
[OPTION_COMPUTE_TRANSPORT] = {.section = "compute", .key = "transport", .flag = "transport",
    .argument = "NAME", .type = OPTION_CHOICE, .choice = transport_choice, .fallback = "auto",
    .commands = COMPUTERS, .help = "how tiles travel to rank 0"},
[OPTION_COMPUTE_PACKING] = {.section = "compute", .key = "packing", .type = OPTION_CHOICE,
    .choice = packing_choice, .fallback = "auto", .traits = OPTION_OF_MACHINE,
    .help = "pack pixels on their way to rank 0, without loss: where the link is slower, or not"},
[OPTION_COMPUTE_MPI_DEVICE] = {.section = "compute", .key = "mpi_device", .flag = "mpi-device",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE, .commands = SENDERS,
    .help = "let MPI send GPU memory where a trial has proven it"},
[OPTION_COMPUTE_JOIN_FILE] = {.section = "compute", .key = "join_file", .flag = "join-file",
    .argument = "FILE", .type = OPTION_TEXT, .traits = OPTION_OF_MACHINE, .commands = JOINED,
    .help = "writes FILE, by which jobs that you trust join: deepfield join FILE"},
[OPTION_COMPUTE_JOIN_ADDRESS] = {.section = "compute", .key = "join_address",
    .flag = "join-address", .argument = "ADDRESS", .type = OPTION_TEXT, .fallback = "127.0.0.1",
    .traits = OPTION_OF_MACHINE, .commands = JOINED,
    .help = "IP address at which they join; 0.0.0.0: from all machines"},

[OPTION_FILM_FROM] = {.section = "film", .key = "from", .flag = "from", .argument = "ZOOM",
    .type = OPTION_NUMBER, .fallback = "1", .commands = COMMAND_FILM,
    .help = "zoom of the first frame"},
[OPTION_FILM_TO] = {.section = "film", .key = "to", .flag = "to", .argument = "ZOOM",
    .type = OPTION_NUMBER, .commands = COMMAND_FILM,
    .help = "zoom of the last frame; otherwise that of the place"},
[OPTION_FILM_SECONDS] = {.section = "film", .key = "seconds", .flag = "seconds",
    .argument = "S", .type = OPTION_REAL, .low = 0.01, .high = 36000, .fallback = "20",
    .commands = COMMAND_FILM, .help = "length of the film"},
[OPTION_FILM_FPS] = {.section = "film", .key = "fps", .flag = "fps", .argument = "N",
    .type = OPTION_RATE, .fallback = "60",
    .commands = COMMAND_FILM, .help = "frames per second; 23.976, 29.97 and 59.94 are 24000/1001, ..."},
[OPTION_FILM_PATH] = {.section = "film", .key = "path", .flag = "path", .argument = "FILE",
    .type = OPTION_TEXT, .commands = COMMAND_FILM,
    .help = "keyframes, instead of --from, --to and --seconds"},
[OPTION_FILM_TOUR] = {.section = "film", .key = "tour", .type = OPTION_TEXT,
    .help = "fly to the stops of a tour, by name or file, as --tour does"},
[OPTION_FILM_AUTOPILOT] = {.section = "film", .key = "autopilot", .flag = "autopilot",
    .argument = "SEED", .type = OPTION_INTEGER, .least = 0, .most = INT64_MAX,
    .fallback = "0", .in_film = "", .commands = COMMAND_FILM,
    .help = "fly by itself from the place, not beyond --to (1e12); a seed is a flight"},
[OPTION_FILM_METHOD] = {.section = "film", .key = "method", .flag = "method",
    .argument = "NAME", .type = OPTION_CHOICE, .choice = method_choice, .fallback = "auto",
    .commands = COMMAND_FILM, .help = "compute every frame, or resample them from key pictures"},
[OPTION_FILM_CHROMA] = {.section = "film", .key = "chroma", .flag = "chroma",
    .argument = "HOW", .type = OPTION_CHOICE, .choice = chroma_choice, .fallback = "420",
    .commands = COMMAND_FILM, .help = "colours of a video: halved in both directions, or whole"},
[OPTION_FILM_EFFORT] = {.section = "film", .key = "effort", .flag = "effort",
    .argument = "HOW", .type = OPTION_CHOICE, .choice = effort_choice, .fallback = "normal",
    .commands = COMMAND_FILM, .help = "what the encoder spends for small files"},
[OPTION_FILM_FLASH_SAFE] = {.section = "film", .key = "flash_safe", .flag = "flash-safe",
    .type = OPTION_BOOLEAN, .fallback = "false", .commands = COMMAND_FILM,
    .help = "limit changes of light to three flashes in any second"},

[OPTION_FIND_BOX] = {.section = "find", .key = "box", .flag = "box", .argument = "X,Y,WxH",
    .type = OPTION_TEXT, .traits = OPTION_OF_MACHINE, .commands = COMMAND_FIND,
    .help = "search this part of the picture, in pixels from the upper left; otherwise all"},
[OPTION_FIND_MISIUREWICZ] = {.section = "find", .key = "misiurewicz", .flag = "misiurewicz",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_FIND, .help = "find a Misiurewicz point, the middle of a spiral or branch"},
[OPTION_FIND_PERIOD] = {.section = "find", .key = "period", .flag = "period", .argument = "N",
    .type = OPTION_INTEGER, .least = 1, .most = INT32_MAX, .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_FIND, .help = "take this period instead of searching for the lowest"},
[OPTION_FIND_PREPERIOD] = {.section = "find", .key = "preperiod", .flag = "preperiod",
    .argument = "N", .type = OPTION_INTEGER, .least = 2, .most = INT32_MAX,
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_FIND,
    .help = "and this preperiod, of a Misiurewicz point"},
[OPTION_FIND_EMBEDDED] = {.section = "find", .key = "embedded", .flag = "embedded",
    .argument = "N", .type = OPTION_INTEGER, .least = 0, .most = FINDING_EMBEDDED_MOST,
    .fallback = "0", .traits = OPTION_OF_MACHINE, .commands = COMMAND_FIND,
    .help = "frame the N-th embedded Julia set about the nucleus; 0: its component"},

[OPTION_VERIFY_PIXELS] = {.section = "verify", .key = "pixels", .flag = "pixels",
    .argument = "N", .type = OPTION_INTEGER, .least = 1, .most = 1000000, .fallback = "256",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VERIFY, .help = "pixels to prove"},
[OPTION_VERIFY_SEED] = {.section = "verify", .key = "seed", .flag = "seed",
    .argument = "N", .type = OPTION_INTEGER, .least = 0, .most = INT64_MAX, .fallback = "1",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VERIFY,
    .help = "seed of the sample: the same seed takes the same pixels"},

[OPTION_VIEWER_UI_SCALE] = {.section = "viewer", .key = "ui_scale", .flag = "ui-scale",
    .argument = "X", .type = OPTION_REAL, .low = 1, .high = 4, .fallback = "auto",
    .traits = OPTION_OF_MACHINE | OPTION_AUTO, .commands = COMMAND_VIEW,
    .help = "size of text and controls; auto takes that of the screen"},
[OPTION_VIEWER_TEXT] = {.section = "viewer", .key = "text", .flag = "text",
    .argument = "HOW", .type = OPTION_CHOICE, .choice = text_choice, .fallback = "normal",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "large: text and controls 1.5 times as large, white on black"},
[OPTION_VIEWER_FULLSCREEN] = {.section = "viewer", .key = "fullscreen", .flag = "fullscreen",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW, .help = "start in fullscreen"},
[OPTION_VIEWER_DISPLAY] = {.section = "viewer", .key = "display", .flag = "display",
    .argument = "N", .type = OPTION_INTEGER, .least = 0, .most = 64, .fallback = "0",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "open the window on this screen, from 1; 0: where the desktop puts it"},
[OPTION_VIEWER_SOFTWARE] = {.section = "viewer", .key = "software", .flag = "software",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW, .help = "draw the window without the GPU"},
[OPTION_VIEWER_REDUCED_MOTION] = {.section = "viewer", .key = "reduced_motion",
    .flag = "reduced-motion", .type = OPTION_BOOLEAN, .fallback = "false",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "nothing moves by itself: no gliding, no flowing colours"},
[OPTION_VIEWER_SOUND] = {.section = "viewer", .key = "sound", .flag = "sound",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW,
    .help = "a quiet tone while the view moves in or out, lower the deeper"},
[OPTION_VIEWER_LANGUAGE] = {.section = "viewer", .key = "language", .flag = "language",
    .argument = "CODE", .type = OPTION_CHOICE, .choice = language_choice, .fallback = "auto",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW | COMMAND_FILM,
    .help = "language of texts; auto takes that of the locale"},
[OPTION_VIEWER_SERVE_PORT] = {.section = "viewer", .key = "serve_port", .flag = "serve",
    .argument = "[PORT]", .bare = "8042", .type = OPTION_INTEGER, .least = 0, .most = 65535,
    .fallback = "0", .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "show a page in a browser instead of a window, on port 8042; 0: none"},
[OPTION_VIEWER_SERVE_ADDRESS] = {.section = "viewer", .key = "serve_address",
    .flag = "serve-address", .argument = "ADDRESS", .type = OPTION_TEXT, .fallback = "127.0.0.1",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "IP address, or path of a Unix socket; 0.0.0.0: whole network"},
[OPTION_VIEWER_SERVE_CERTIFICATE] = {.section = "viewer", .key = "serve_certificate",
    .flag = "serve-certificate", .argument = "FILE", .type = OPTION_TEXT,
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "encrypt the page and the status feed by this certificate in PEM (https)"},
[OPTION_VIEWER_SERVE_KEY] = {.section = "viewer", .key = "serve_key", .flag = "serve-key",
    .argument = "FILE", .type = OPTION_TEXT, .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW, .help = "private key of that certificate, which you alone may read"},
[OPTION_VIEWER_SERVE_WATCH] = {.section = "viewer", .key = "serve_watch", .flag = "serve-watch",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW, .help = "print a second address, for visitors that only look"},
[OPTION_VIEWER_SERVE_HOSTS] = {.section = "viewer", .key = "serve_hosts", .type = OPTION_TEXT,
    .traits = OPTION_OF_MACHINE,
    .help = "other names by which a browser calls that page, as of a proxy: NAME,NAME"},
[OPTION_VIEWER_SERVE_PAGES] = {.section = "viewer", .key = "serve_pages", .type = OPTION_INTEGER,
    .least = 1, .most = 64, .fallback = "16", .traits = OPTION_OF_MACHINE,
    .help = "most browsers at a time"},
[OPTION_VIEWER_WINDOW] = {.section = "viewer", .key = "window", .flag = "window",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW, .help = "with --serve: a window, too, that shows the same"},
[OPTION_VIEWER_WALL] = {.section = "viewer", .key = "wall", .flag = "wall",
    .argument = "COLUMNSxROWS", .type = OPTION_TEXT, .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW,
    .help = "with --serve: screens that show one picture together, as 2x2"},

[OPTION_STAND_KIOSK] = {.section = "stand", .key = "kiosk", .flag = "kiosk",
    .type = OPTION_BOOLEAN, .fallback = "false", .traits = OPTION_OF_MACHINE,
    .commands = COMMAND_VIEW, .help = "for the public: full screen, buttons, no way out, no files"},
[OPTION_STAND_IDLE] = {.section = "stand", .key = "idle_s", .type = OPTION_REAL, .low = 1,
    .high = 86400, .fallback = "45", .traits = OPTION_OF_MACHINE,
    .help = "seconds without input after which a kiosk counts down"},
[OPTION_STAND_COUNTDOWN] = {.section = "stand", .key = "countdown_s", .type = OPTION_REAL,
    .low = 0, .high = 600, .fallback = "10", .traits = OPTION_OF_MACHINE,
    .help = "seconds of the countdown, before all is as at the start"},
[OPTION_STAND_PIN] = {.section = "stand", .key = "pin", .type = OPTION_TEXT,
    .traits = OPTION_OF_MACHINE,
    .help = "4 to 8 digits that end a kiosk, after both upper corners were held for 5 s"},
[OPTION_STAND_LOG] = {.section = "stand", .key = "log", .type = OPTION_TEXT,
    .traits = OPTION_OF_MACHINE,
    .help = "file with a line a day: visits, their seconds, places seen; nothing personal"},
[OPTION_STAND_STATUS_PORT] = {.section = "stand", .key = "status_port", .flag = "status-port",
    .argument = "N", .type = OPTION_INTEGER, .least = 0, .most = 65535, .fallback = "0",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "serve health and work of ranks by HTTP: page, JSON, events; 0: none"},
[OPTION_STAND_STATUS_ADDRESS] = {.section = "stand", .key = "status_address", .type = OPTION_TEXT,
    .fallback = "127.0.0.1", .traits = OPTION_OF_MACHINE,
    .help = "IPv4 or IPv6 address of that feed; 0.0.0.0 shows it to the whole network"},

[OPTION_STAND_SHARE] = {.section = "stand", .key = "share_minutes", .flag = "share",
    .argument = "MINUTES", .type = OPTION_REAL, .low = 0, .high = 1440, .fallback = "0",
    .traits = OPTION_OF_MACHINE, .commands = COMMAND_VIEW,
    .help = "let phones fetch pictures that visitors take away, for so long; 0: none"},
[OPTION_STAND_SHARE_ADDRESS] = {.section = "stand", .key = "share_address", .type = OPTION_TEXT,
    .traits = OPTION_OF_MACHINE,
    .help = "address of this machine in the network of the phones, as 192.168.1.5"},
[OPTION_STAND_SHARE_PORT] = {.section = "stand", .key = "share_port", .type = OPTION_INTEGER,
    .least = 1, .most = 65535, .fallback = "8018", .traits = OPTION_OF_MACHINE,
    .help = "port of the pictures that visitors take away"},

[OPTION_SET] = {.flag = "set", .argument = "SECTION.KEY=VALUE", .type = OPTION_LIST,
    .commands = EVERYONE, .help = "set any key of an ini file; may be repeated"},
[OPTION_CONFIG] = {.flag = "config", .letter = 'c', .argument = "FILE", .type = OPTION_LIST,
    .commands = EVERYONE, .help = "read settings from an ini file; may be repeated, later ones win"},
[OPTION_EXPLAIN] = {.flag = "explain", .type = OPTION_SWITCH,
    .commands = COMMAND_RENDER | COMMAND_FILM, .help = "print how the picture is computed, and why"},
[OPTION_PRINT_CONFIG] = {.flag = "print-config", .type = OPTION_SWITCH, .commands = EVERYONE,
    .help = "print every setting and where it comes from, and stop"},
[OPTION_DRY_RUN] = {.flag = "dry-run", .type = OPTION_SWITCH,
    .commands = COMMAND_RENDER | COMMAND_FILM, .help = "check everything, print what would be done and what it takes, and stop"},
[OPTION_PROVE] = {.flag = "prove", .type = OPTION_SWITCH, .commands = COMMAND_DEVICES,
    .help = "try with two ranks whether MPI can send GPU memory"},
[OPTION_FORECAST] = {.flag = "forecast", .type = OPTION_SWITCH, .commands = COMMAND_BENCH,
    .help = "of suite deep: times that GPUs would take by their published rates"},
[OPTION_BENCH_REPORT] = {.flag = "report", .argument = "FILE", .type = OPTION_LIST,
    .commands = COMMAND_BENCH, .help = "of suite scaling: also a page with plots, FILE.html"},
[OPTION_TOUR] = {.flag = "tour", .argument = "FILE", .type = OPTION_LIST,
    .commands = COMMAND_VIEW | COMMAND_FILM,
    .help = "play a tour, one of configs/tours/ by name, or a file"},
[OPTION_SCRIPT] = {.flag = "script", .argument = "FILE", .type = OPTION_LIST,
    .commands = COMMAND_VIEW, .help = "play input from a file, check its expectations, and end"},
[OPTION_REPORT] = {.flag = "report", .type = OPTION_SWITCH, .commands = COMMAND_VIEW,
    .help = "print timings at the end, as one line of JSON"},
[OPTION_JSON] = {.flag = "json", .type = OPTION_SWITCH, .commands = PRINTERS | LISTERS | COMMAND_STATUS | COMMAND_DOCTOR,
    .help = "print results as one line of JSON"},
[OPTION_HELP] = {.flag = "help", .letter = 'h', .type = OPTION_SWITCH,
    .commands = EVERYONE | LISTERS | WATCHERS | COMMAND_HELP,
    .help = "show this text"},
};
/* clang-format on */

enum option_key option_of_key(const char *section, const char *key)
{
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].key && !strcmp(option_rows[i].section, section) &&
            !strcmp(option_rows[i].key, key))
            return (enum option_key)i;
    return OPTIONS;
}

bool option_section_known(const char *section)
{
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].section && !strcmp(option_rows[i].section, section))
            return true;
    return false;
}

bool option_environment(enum option_key option, char *name, size_t bytes)
{
    const struct option_row *row = &option_rows[option];
    if (!row->key || !row->flag)
        return false;
    snprintf(name, bytes, "DEEPFIELD_%s", row->key);
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return true;
}

void option_name(enum option_key option, char *name, size_t bytes)
{
    const struct option_row *row = &option_rows[option];
    if (row->key)
        snprintf(name, bytes, "%s.%s", row->section, row->key);
    else
        snprintf(name, bytes, "--%s", row->flag);
}

bool option_is_zoom(enum option_key option)
{
    return option == OPTION_VIEW_ZOOM || option == OPTION_FILM_FROM || option == OPTION_FILM_TO;
}

void option_range(enum option_key option, char *text, size_t bytes)
{
    const struct option_row *row = &option_rows[option];
    const char *automatic = row->traits & OPTION_AUTO ? "auto, " : "";
    switch (row->type) {
    case OPTION_INTEGER:
        if (row->least == row->most)
            snprintf(text, bytes, "%lld", (long long)row->least);
        else
            snprintf(text, bytes, "%s%lld ... %lld", automatic, (long long)row->least,
                     (long long)row->most);
        break;
    case OPTION_BOOLEAN:
        snprintf(text, bytes, "true, false, yes, no, on, off, 1, 0");
        break;
    case OPTION_REAL:
        snprintf(text, bytes, "%s%g ... %g", automatic, row->low, row->high);
        break;
    case OPTION_POINT:
        snprintf(text, bytes, "RE,IM, each %g ... %g", row->low, row->high);
        break;
    case OPTION_CHOICE:
        convert_choices(row->choice, text, bytes);
        break;
    case OPTION_FORMULA:
        snprintf(text, bytes, "a name, FILE.formula, or operations: deepfield help formulas");
        break;
    case OPTION_NUMBER:
        snprintf(text, bytes, "decimal number of up to %d digits, exponent within +-%d",
                 option_is_zoom(option) ? ZOOM_DIGITS_MAX : NUMBER_DIGITS_MAX, NUMBER_EXPONENT_MAX);
        break;
    case OPTION_SIZE:
        snprintf(text, bytes, IMAGE_SIZE_FORMS);
        break;
    case OPTION_PLANES:
        plane_words(text, bytes);
        break;
    case OPTION_DEVICES:
        snprintf(text, bytes, "all, or numbers from 0 to %d with commas: 0,2", DEVICES_MAX - 1);
        break;
    case OPTION_INTERIOR:
        snprintf(text, bytes, "#rrggbb, period, distance");
        break;
    case OPTION_STRETCH:
        snprintf(text, bytes, "%g ... %g, and @ with an angle from -360 to 360",
                 1 / VIEW_STRETCH_MAX, VIEW_STRETCH_MAX);
        break;
    case OPTION_RATE:
        snprintf(text, bytes, "1 ... %d, 29.97, 24000/1001", FILM_FPS_MOST);
        break;
    case OPTION_DISTRIBUTION:
        snprintf(text, bytes, "%s%d numbers with commas", automatic, DISTRIBUTION_LEVELS + 2);
        break;
    case OPTION_TEXT:
    case OPTION_PALETTE:
        snprintf(text, bytes, "text of up to %d characters",
                 option_rows[option].type == OPTION_TEXT ? OPTION_TEXT_MAX : OPTION_PALETTE_MAX);
        break;
    default:
        text[0] = '\0';
    }
}
