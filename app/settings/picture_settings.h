/* A picture with its colours and files, as the settings describe them. */
#ifndef APP_SETTINGS_PICTURE_SETTINGS_H
#define APP_SETTINGS_PICTURE_SETTINGS_H

#include "app/settings/invocation.h"
#include "library/config/language.h"
#include "render/colour/colour.h"
#include "render/colour/palette.h"
#include "render/file/sink.h"
#include "render/picture/picture.h"

/* Beginning of a comment in the text of a view whose palette is a file: before its checksum. */
#define SETTINGS_PALETTE_NOTE "# checksum of the palette "

struct picture_settings { /* on rank 0 */
    struct picture picture;
    struct picture_known known;  /* facts that all plans of `picture` go by; see settings_moved */
    struct view_numbers numbers; /* numbers of the view of `picture` */
    struct plan plan;
    struct look_options look_options;
    struct look look;            /* look of the finished picture: see settings_fit */
    struct palette *palette;     /* owned; look borrows it */
    const struct config *config; /* borrowed */
    const char *title;           /* borrowed; NULL: the view has none */
    char *view_text;             /* embedded in pictures; owned */
    char *kfr_text;              /* likewise; NULL: a .kfr file cannot say it */
    char *default_path;          /* owned; NULL if -o was given */
    char *part_path;             /* rows of this part; owned; NULL: the whole picture is made */
    const char **paths;          /* to write; owned array of borrowed texts */
    size_t path_count;
    bool coloured, quality; /* one of the files is of a kind that has colours, a quality */
    unsigned planes_saved; /* by kinds of numbers; picture.spec.planes has what colours need, too */
    enum overwrite overwrite;
    bool to_stdout;        /* a picture goes there: nothing else may */
    uint64_t memory_bytes; /* limit of the picture and its files together */
};

/* The picture that the settings describe. picture->view is the caller's to destroy; the names are
 * borrowed from the config. Backend `auto` becomes `cpu` where GPUs cannot compute the view.
 * STATUS_BAD_DATA when the view cannot be. */
enum status settings_picture(const struct config *config, struct picture *picture);

/* What planes along orbits measure. */
struct orbit_rule settings_orbit(const struct config *config);

/* The region of it, which settings_picture leaves out, as only `render` has one. It counts pixels
 * of the size that it was given for. STATUS_CONFIG. */
enum status settings_region(const struct config *config, struct picture *picture);

/* The colours that the settings describe. */
enum status settings_look_options(const struct config *config, struct look_options *options);

/* STATUS_USAGE for a flag of the look that has no effect beside the others. */
enum status settings_look_flags(const struct look_options *look, const struct formula *formula,
                                const struct arguments *arguments);

/* STATUS_USAGE for --light without relief, once that is settled. */
enum status settings_light_flag(bool relief, const struct arguments *arguments);

/* STATUS_USAGE for --forecast on under a schedule that has none. */
enum status settings_forecast_flag(const struct picture *picture,
                                   const struct arguments *arguments);

/* Removes relief and lines, which a place or a file of settings may set, where the formula has no
 * distances. */
void settings_shading_drop(struct look_options *options, const struct formula *formula);

/* The distribution that the settings hold, or an unmeasured one. */
struct distribution settings_distribution(const struct config *config);

/* Distribution for automatic density: the one of the settings, or else measured in `field`, which
 * is a finished picture of `height` rows or its subgrid. `field` may be NULL if the settings have
 * one, or nothing escapes. */
struct distribution settings_measure(const struct config *config, const struct field *field,
                                     int32_t height);

/* The palette is the caller's to destroy. */
enum status settings_palette(const struct config *config, struct palette **palette);

/* Language of texts: the one that is chosen, or that of the locale. */
enum language settings_language(const struct config *config);

/* Samples a pixel, or SAMPLES_AUTO; 0: the settings do not say (plan_samples). */
int settings_samples(const struct config *config);

/* Path of the rows of a part of a picture, whose first file is `target`: TARGET.part-K-of-N.rows;
 * freed by the caller, NULL without memory. */
char *settings_part_path(const char *target, int part, int parts);

/* Part of a job that this run makes: --part K/N, else 1 of 1. STATUS_USAGE. */
enum status settings_part(const struct config *config, int *part, int *parts);

/* Bits of a sample in a file: those that are set, or the nearest that its kind has. */
int settings_bits(const struct config *config, const char *path);

/* The devices that the settings name; names are borrowed from the config. */
struct renderer_options settings_renderer(const struct config *config);

/* Makes all settings, with the plan for the devices there are. settings_destroy also after a
 * failure. */
enum status settings_create(struct picture_settings *settings, struct invocation *invocation,
                            const struct renderer_facts *facts);
void settings_destroy(struct picture_settings *settings); /* accepts a zeroed one */

/* To be called where settings have been copied to, which leave the old place. */
void settings_moved(struct picture_settings *settings);

/* Every file checked for being writable, before anything is computed. */
enum status settings_files_check(struct picture_settings *settings);

/* Why pixels inside have one colour although others are set; NULL: they have those. */
const char *settings_interior_missing(enum interior_kind kind, bool deep,
                                      const struct formula *formula);

/* The same of a picture; NULL also where no file is coloured. */
const char *settings_interior_refusal(const struct picture_settings *settings);

/* Do the settings want a distribution that they do not hold? */
bool settings_wants_distribution(const struct config *config);

/* The look of a finished picture, of which `shape` is the size and the planes; what was settled is
 * put into `config`, and so into the view. */
enum status settings_look(struct config *config, const struct distribution *distribution,
                          const struct palette *palette, const struct field *shape,
                          struct look_options *options, struct look *look);

/* Fits the look to the finished picture; the distribution is put into `config` and into the text of
 * the view. STATUS_OUT_OF_MEMORY. */
enum status settings_fit(struct picture_settings *settings, struct config *config,
                         const struct field *field);

/* One file of the settings; `field` may have no data when it is only to be checked. */
struct sink_request settings_sink(const struct picture_settings *settings, size_t number,
                                  const struct field *field);

/* A field of the picture's shape, or its region's, without memory. */
struct field settings_shape(const struct picture_settings *settings);

#endif
