/* Bookmarks in a folder. Each bookmark is a PNG of at most 256 px a side with the place inside (the
 * same as every picture of deepfield: it can be rendered, opened and sent), in a folder.
 *
 * PNGs that are damaged, or no bookmarks, are passed over with a warning and never changed, as are
 * links and files of other users. The
 * functions wait for the disk, so they are called on the I/O thread. The folder is bookmarks/ in
 * user_data_folder (app/viewer/files/user_data.h). */
#ifndef APP_VIEWER_FILES_BOOKMARKS_H
#define APP_VIEWER_FILES_BOOKMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/status.h"
#include "render/window/paint.h"

enum {
    BOOKMARK_PX = 256,     /* longer side of a thumbnail */
    BOOKMARKS_MAX = 10000, /* limit of the list */
    BOOKMARK_NAME_BYTES = 96
};

struct bookmark {
    char *name;             /* file name, "20260102-101500-seahorse.png"; owned */
    char *text;             /* ini text of the place, for place_text_read; owned */
    bool unfinished;        /* its thumbnail was taken while the picture was being computed */
    char *title;            /* without one: its zoom, "zoom 4e533"; owned */
    uint32_t width, height; /* size of the thumbnail; 0 without pixels */
    uint32_t *pixels;       /* 0xffRRGGBB, [height][width]; owned; NULL for BOOKMARK_TEXT_ONLY, or
                               if the picture is no thumbnail but one of full size */
};

struct bookmarks {
    struct bookmark *bookmark; /* oldest first; owned */
    size_t count;
    size_t passed_over;              /* number of files that are no bookmarks */
    char warning[STATUS_TEXT_BYTES]; /* error of the first such file; "": none */
};

enum bookmark_pixels { BOOKMARK_TEXT_ONLY, BOOKMARK_WITH_PIXELS };

/* Lists the folder; one that is not there is empty. STATUS_OUT_OF_MEMORY, STATUS_IO. */
enum status bookmarks_load(struct bookmarks *bookmarks, const char *folder,
                           enum bookmark_pixels pixels);
void bookmarks_destroy(struct bookmarks *bookmarks); /* accepts a zeroed one */

/* Loads a bookmark by its name; bookmark_destroy frees it, after a failure, too. STATUS_NO_INPUT if
 * it is not there; STATUS_BAD_DATA if that is no bookmark, or a link. */
enum status bookmark_get(struct bookmark *bookmark, const char *folder, const char *name,
                         enum bookmark_pixels pixels);
void bookmark_destroy(struct bookmark *bookmark); /* accepts a zeroed one */

/* Keeps a place: its text, and a picture of it as it is on the screen, made smaller here. The
 * file's name comes from `seconds` (UTC since 1970) and the title, which may be NULL; it is told in
 * `name` if that is not NULL. The folder is made if need be; nothing is replaced.
 * STATUS_CANNOT_CREATE, STATUS_IO, STATUS_OUT_OF_MEMORY. Cost: 30 ms for 1920 x 1080. */
enum status bookmarks_add(const char *folder, const char *text, const char *title,
                          const struct paint_image *screen, int64_t seconds,
                          char name[BOOKMARK_NAME_BYTES]);

/* Ends the text of a bookmark whose thumbnail is to be taken again; a comment to all who read it.
 */
#define BOOKMARK_UNFINISHED "; the thumbnail is not finished\n"

/* Replaces text and picture of a bookmark. STATUS_NO_INPUT, STATUS_BAD_DATA as bookmarks_remove;
 * STATUS_CANNOT_CREATE, STATUS_IO, STATUS_OUT_OF_MEMORY leave what there was. */
enum status bookmarks_retake(const char *folder, const char *name, const char *text,
                             const struct paint_image *screen);

/* Gives a bookmark another title, up to OPTION_TEXT_MAX bytes; "" none. Fails as bookmarks_retake,
 * and with STATUS_BAD_DATA for a picture of full size, which would become a thumbnail. */
enum status bookmarks_rename(const char *folder, const char *name, const char *title);

/* Removes a bookmark by its name. STATUS_NO_INPUT if it is not there; STATUS_BAD_DATA, removing
 * nothing, if that file is no bookmark. */
enum status bookmarks_remove(const char *folder, const char *name);

#endif
