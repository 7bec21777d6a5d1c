/* The table of settings: keys of ini files, flags, environment variables, types, ranges, defaults
 * and help lines. The parsers, `--help`, `--print-config` and configs/KEYS.md all come from it. */
#ifndef LIBRARY_CONFIG_OPTIONS_H
#define LIBRARY_CONFIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/colour/palette_colours.h"

/* The order is that of help texts and of saved views. */
enum option_key {
    OPTION_VIEW_VERSION,
    OPTION_VIEW_TITLE,
    OPTION_VIEW_CREDIT,
    OPTION_VIEW_RE,
    OPTION_VIEW_IM,
    OPTION_VIEW_ZOOM,
    OPTION_VIEW_ROTATION,
    OPTION_VIEW_MIRROR,
    OPTION_VIEW_STRETCH,
    OPTION_VIEW_SIZE,
    OPTION_VIEW_REGION,
    OPTION_VIEW_LIMIT,
    OPTION_VIEW_BAILOUT,
    OPTION_VIEW_STRIPES,
    OPTION_VIEW_TRAP,
    OPTION_VIEW_TRAP_RADIUS,
    OPTION_VIEW_FORMULA,
    OPTION_VIEW_JULIA,
    OPTION_VIEW_LIST,
    OPTION_LOOK_PALETTE,
    OPTION_LOOK_DENSITY,
    OPTION_LOOK_RUNS,
    OPTION_LOOK_CONTRAST,
    OPTION_LOOK_OFFSET,
    OPTION_LOOK_RELIEF,
    OPTION_LOOK_LIGHT,
    OPTION_LOOK_LINES,
    OPTION_LOOK_INTERIOR,
    OPTION_LOOK_BY,
    OPTION_LOOK_BY_RUNS,
    OPTION_LOOK_LAYER,
    OPTION_LOOK_LAYER_BY,
    OPTION_LOOK_LAYER_RUNS,
    OPTION_LOOK_LAYER_OFFSET,
    OPTION_LOOK_LAYER_OPACITY,
    OPTION_LOOK_DISTRIBUTION,
    OPTION_LOOK_SAMPLES,
    OPTION_OUTPUT,
    OPTION_FORCE,
    OPTION_OUTPUT_PLANES,
    OPTION_OUTPUT_BITS,
    OPTION_OUTPUT_QUALITY,
    OPTION_OUTPUT_OVERVIEWS,
    OPTION_OUTPUT_PART,
    OPTION_OUTPUT_QUIET,
    OPTION_OUTPUT_WRITERS,
    OPTION_OUTPUT_JOURNAL,
    OPTION_OUTPUT_LOG_JSON,
    OPTION_COMPUTE_ACCURACY,
    OPTION_EXACT,
    OPTION_COMPUTE_PRECISION,
    OPTION_COMPUTE_BLOCKS,
    OPTION_COMPUTE_BACKEND,
    OPTION_COMPUTE_DEVICES,
    OPTION_COMPUTE_DEVICES_PER_RANK,
    OPTION_COMPUTE_THREADS,
    OPTION_COMPUTE_TILE,
    OPTION_COMPUTE_SHORTCUTS,
    OPTION_COMPUTE_ORBIT_CACHE,
    OPTION_COMPUTE_MEMORY,
    OPTION_COMPUTE_RANKS,
    OPTION_COMPUTE_OVERSUBSCRIBE,
    OPTION_COMPUTE_RESTARTS,
    OPTION_COMPUTE_SCHEDULE,
    OPTION_COMPUTE_FORECAST,
    OPTION_COMPUTE_TRANSPORT,
    OPTION_COMPUTE_PACKING,
    OPTION_COMPUTE_MPI_DEVICE,
    OPTION_COMPUTE_JOIN_FILE,
    OPTION_COMPUTE_JOIN_ADDRESS,
    OPTION_FILM_FROM,
    OPTION_FILM_TO,
    OPTION_FILM_SECONDS,
    OPTION_FILM_FPS,
    OPTION_FILM_PATH,
    OPTION_FILM_TOUR,
    OPTION_FILM_AUTOPILOT,
    OPTION_FILM_METHOD,
    OPTION_FILM_CHROMA,
    OPTION_FILM_EFFORT,
    OPTION_FILM_FLASH_SAFE,
    OPTION_FIND_BOX,
    OPTION_FIND_MISIUREWICZ,
    OPTION_FIND_PERIOD,
    OPTION_FIND_PREPERIOD,
    OPTION_FIND_EMBEDDED,
    OPTION_VERIFY_PIXELS,
    OPTION_VERIFY_SEED,
    OPTION_VIEWER_UI_SCALE,
    OPTION_VIEWER_TEXT,
    OPTION_VIEWER_FULLSCREEN,
    OPTION_VIEWER_DISPLAY,
    OPTION_VIEWER_SOFTWARE,
    OPTION_VIEWER_REDUCED_MOTION,
    OPTION_VIEWER_SOUND,
    OPTION_VIEWER_LANGUAGE,
    OPTION_VIEWER_SERVE_PORT,
    OPTION_VIEWER_SERVE_ADDRESS,
    OPTION_VIEWER_SERVE_CERTIFICATE,
    OPTION_VIEWER_SERVE_KEY,
    OPTION_VIEWER_SERVE_WATCH,
    OPTION_VIEWER_SERVE_HOSTS,
    OPTION_VIEWER_SERVE_PAGES,
    OPTION_VIEWER_WINDOW,
    OPTION_VIEWER_WALL,
    OPTION_STAND_KIOSK,
    OPTION_STAND_IDLE,
    OPTION_STAND_COUNTDOWN,
    OPTION_STAND_PIN,
    OPTION_STAND_LOG,
    OPTION_STAND_STATUS_PORT,
    OPTION_STAND_STATUS_ADDRESS,
    OPTION_STAND_SHARE,
    OPTION_STAND_SHARE_ADDRESS,
    OPTION_STAND_SHARE_PORT,
    OPTION_SET,
    OPTION_CONFIG,
    OPTION_EXPLAIN,
    OPTION_PRINT_CONFIG,
    OPTION_DRY_RUN,
    OPTION_PROVE,
    OPTION_FORECAST,
    OPTION_BENCH_REPORT,
    OPTION_TOUR,
    OPTION_SCRIPT,
    OPTION_REPORT,
    OPTION_JSON,
    OPTION_HELP,
    OPTIONS
};

enum option_type {
    OPTION_SWITCH,       /* no argument; on the command line only */
    OPTION_LIST,         /* an argument; several times; on the command line only */
    OPTION_BOOLEAN,      /* true, false, yes, no, on, off, 1, 0; its flag has no argument: true */
    OPTION_TEXT,         /* printable ASCII without double quotes, at most OPTION_TEXT_MAX bytes */
    OPTION_PALETTE,      /* text of at most OPTION_PALETTE_MAX bytes: a name, a path, or colours */
    OPTION_NUMBER,       /* decimal text of any length, see render/view/view.h */
    OPTION_INTEGER,      /* a value in [least, most] */
    OPTION_REAL,         /* a value in [low, high] */
    OPTION_POINT,        /* RE,IM, each in [low, high] */
    OPTION_SIZE,         /* see library/text/image_size.h */
    OPTION_CHOICE,       /* one of choice(0), choice(1), ... */
    OPTION_FORMULA,      /* a name, operations, or FILE.formula: see kernels/formula_text.h */
    OPTION_PLANES,       /* count,fraction,distance, ...: see kernels/field.h */
    OPTION_DEVICES,      /* all, or 0,2: see render/device/devices.h */
    OPTION_INTERIOR,     /* #rrggbb, period or distance: see render/colour/interior.h */
    OPTION_DISTRIBUTION, /* see render/colour/distribution.h */
    OPTION_STRETCH,      /* FACTOR[@DEGREES]: see render/view/view_shape.h */
    OPTION_RATE          /* 25, 29.97, 24000/1001: see render/film/video/film_rate.h */
};

enum { OPTION_TEXT_MAX = 200, OPTION_PALETTE_MAX = PALETTE_COLOURS_BYTES - 1 };

enum option_trait {
    OPTION_OF_PICTURE = 1, /* saved in pictures: another value gives another picture */
    OPTION_OF_MACHINE = 2, /* how this machine is used: a view file may not set it */
    OPTION_AUTO = 4        /* the word "auto" stands for 0 */
};

enum command_bit {
    COMMAND_RENDER = 1,
    COMMAND_INFO = 2,
    COMMAND_DEVICES = 4,
    COMMAND_BENCH = 8,
    COMMAND_VERIFY = 16,
    COMMAND_VIEW = 32,
    COMMAND_VIEWS = 64,
    COMMAND_PALETTES = 128,
    COMMAND_HELP = 256,
    COMMAND_COLOUR = 512,
    COMMAND_FILM = 1024,
    COMMAND_STATUS = 2048,
    COMMAND_CLEAN = 4096,
    COMMAND_FIND = 8192,
    COMMAND_DOCTOR = 16384,
    COMMAND_JOIN = 32768
};

struct option_row {
    const char *section;  /* section of ini files and help texts; NULL: every command takes it */
    const char *key;      /* key in ini files; NULL: on the command line only */
    const char *flag;     /* without dashes; NULL: no flag and no environment variable */
    const char *opposite; /* the flag that sets a switch to false; NULL: none */
    char letter;          /* short flag, or 0 */
    const char *argument; /* as help texts call it; NULL for switches */
    const char *bare;     /* value of the flag without its argument, a number; NULL: it needs it */
    enum option_type type;
    double low, high;                  /* OPTION_REAL and OPTION_POINT, both included */
    int64_t least, most;               /* OPTION_INTEGER, both included */
    const char *fallback;              /* default value; NULL: none */
    const char *in_view, *in_film;     /* defaults of these commands; NULL: fallback; "": none */
    const char *(*choice)(int number); /* OPTION_CHOICE; NULL after the last */
    unsigned traits;
    unsigned commands; /* set of enum command_bit that take the flag */
    const char *help;  /* one line */
};

extern const struct option_row option_rows[OPTIONS];

/* OPTIONS if there is none. */
enum option_key option_of_key(const char *section, const char *key);
bool option_section_known(const char *section);

/* "DEEPFIELD_" and the key in capitals. False when the row has no environment variable. */
bool option_environment(enum option_key option, char *name, size_t bytes);

/* "section.key" */
void option_name(enum option_key option, char *name, size_t bytes);

/* Is its number a zoom? */
bool option_is_zoom(enum option_key option);

/* What a value may be, in words: "1 ... 1024", "auto, fp32, fp64". */
void option_range(enum option_key option, char *text, size_t bytes);

#endif
