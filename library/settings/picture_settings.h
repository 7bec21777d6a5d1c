/* A picture with its plan, its colours and files, as the settings describe them.
 *
 *     settings_create; settings_plan_choose; picture_render; settings_fit with the finished field;
 *     sink_write of settings_sink for each file; settings_destroy.
 *
 * Rows go to a consumer in strips of what picture.memory_bytes allows; who takes the whole field
 * sets that to 0 before picture_render. */
#ifndef LIBRARY_SETTINGS_PICTURE_SETTINGS_H
#define LIBRARY_SETTINGS_PICTURE_SETTINGS_H

#include "library/config/config.h"
#include "library/settings/settings_description.h"
#include "library/settings/settings_look.h"
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
    const char **paths;          /* files to write; owned array of borrowed texts */
    size_t path_count;
    char *part_path;       /* path of the rows of a part, among `paths`; owned; NULL: no part */
    bool coloured;         /* colours are wanted, or one of the files is of a kind that has them */
    bool quality;          /* one of the files is of a kind that has a quality */
    bool overviews;        /* likewise overviews */
    unsigned planes_saved; /* by kinds of numbers; picture.spec.planes has what colours need, too */
    enum overwrite overwrite;
    bool to_stdout;           /* a picture goes there: nothing else may */
    uint64_t memory_bytes;    /* limit of the picture and its files together */
    const volatile int *stop; /* borrowed; NULL: nothing stops it */
};

/* What the caller of a picture wants besides settings. */
struct settings_request {
    const char *const *paths; /* files to write, each of another name; borrowed until the end */
    size_t path_count;        /* 0: the field stays in memory */
    bool coloured;            /* colours are wanted, whatever files there are */
    bool survey;              /* the plan is to be explained: see struct picture */
    enum overwrite overwrite;
    const volatile int *stop; /* non-zero: calls return STATUS_STOPPED; NULL: nothing stops them */
};

/* Makes the picture, its colours and what its files ask, without a plan. settings_destroy also
 * after a failure. */
enum status settings_create(struct picture_settings *settings, const struct config *config,
                            const struct settings_request *request);

/* Makes the plan, for the devices that there are, and the texts of the files. Samples that nobody
 * has named are put into `config`, which is that of settings_create. */
enum status settings_plan_choose(struct picture_settings *settings, struct config *config,
                                 const struct renderer_facts *facts);
void settings_destroy(struct picture_settings *settings); /* accepts a zeroed one */

/* To be called where settings have been copied to, which leave the old place. */
void settings_moved(struct picture_settings *settings);

/* What settings_interior_missing says of the picture; NULL also where no file is coloured. */
const char *settings_interior_refusal(const struct picture_settings *settings);

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
