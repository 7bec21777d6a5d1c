#include "app/viewer/files/bookmarks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "library/config/config.h"
#include "library/settings/place_text.h"
#include "app/viewer/files/user_data.h"
#include "app/viewer/overlays/strings.h"
#include "app/viewer/overlays/style.h"
#include "library/settings/thumbnail.h"
#include "library/settings/view_file.h"
#include "library/text/text_file.h"
#include "render/colour/srgb.h"
#include "render/disk/folder.h"
#include "render/window/capture.h"

enum {
    FILE_BYTES_MAX = THUMBNAIL_TEXT_BYTES + (8 << 20), /* most that is read; files may be longer */
    SLUG_BYTES = 40,
    SAME_SECOND_MAX = 100 /* bookmarks of one title and second */
};

void bookmark_destroy(struct bookmark *bookmark)
{
    free(bookmark->name);
    free(bookmark->text);
    free(bookmark->title);
    free(bookmark->pixels);
    *bookmark = (struct bookmark){0};
}

void bookmarks_destroy(struct bookmarks *bookmarks)
{
    for (size_t i = 0; i < bookmarks->count; i++)
        bookmark_destroy(&bookmarks->bookmark[i]);
    free(bookmarks->bookmark);
    *bookmarks = (struct bookmarks){0};
}

/* ---- listing ---- */

static bool is_bookmark_name(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && name[0] != '.' && !strchr(name, '/') && !strcmp(name + length - 4, ".png");
}

/* Title below a bookmark's picture, since names of files only have its time. */
static char *title_make(const struct place *place)
{
    char zoom[STYLE_ZOOM_BYTES], title[STYLE_ZOOM_BYTES + 64];
    string_fill(title, sizeof title,
                formula_julia(&place->formula) ? STRING_BOOKMARK_JULIA : STRING_HUD_ZOOM,
                style_zoom(place->view.zoom, zoom));
    return strdup(*place->title ? place->title : title);
}

/* Reads the title out of the text, which proves that it is a place. */
static enum status title_find(const char *text, const char *path, char **title)
{
    struct place place;
    TRY(place_create(&place, 1, 1));
    enum status status = place_text_read(&place, text, strlen(text), path);
    if (status == STATUS_OK) {
        *title = title_make(&place);
        if (!*title)
            status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the bookmark %s", path);
    }
    place_destroy(&place);
    return status;
}

static enum status bytes_take(struct bookmark *bookmark, const char *bytes, size_t length,
                              const char *path, enum bookmark_pixels pixels)
{
    TRY(thumbnail_text(bytes, length, path, &bookmark->text));
    bookmark->unfinished = strstr(bookmark->text, BOOKMARK_UNFINISHED);
    TRY(title_find(bookmark->text, path, &bookmark->title));
    if (pixels == BOOKMARK_TEXT_ONLY)
        return STATUS_OK;
    enum status status = thumbnail_pixels(bytes, length, path, BOOKMARK_PX, &bookmark->pixels,
                                          &bookmark->width, &bookmark->height);
    return status == STATUS_TOO_LARGE ? STATUS_OK : status;
}

/* Reads the file, which is no link, and of the user whose folder it is. */
static enum status file_read(const char *folder, const char *name, const char *path, char **bytes,
                             size_t *length)
{
    int opened = folder_open(folder);
    int file = opened >= 0 ? folder_file_open(opened, name, O_RDONLY) : -1;
    int reason = errno;
    if (opened >= 0)
        close(opened);
    if (file < 0)
        return status_fail(reason == ENOENT ? STATUS_NO_INPUT : STATUS_BAD_DATA, "%s: %s", path,
                           folder_reason(reason));
    enum status status = text_stream_head(file, path, FILE_BYTES_MAX, bytes, length);
    close(file);
    return status;
}

/* Loads a bookmark; the caller destroys it, after a failure, too. */
static enum status bookmark_load(struct bookmark *bookmark, const char *folder, const char *name,
                                 enum bookmark_pixels pixels)
{
    char path[USER_DATA_PATH_BYTES], *bytes = NULL;
    size_t length = 0;
    *bookmark = (struct bookmark){.name = strdup(name)};
    if (!bookmark->name)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the bookmark %s", name);
    TRY(user_data_path(path, folder, name));
    TRY(file_read(folder, name, path, &bytes, &length));
    enum status status = bytes_take(bookmark, bytes, length, path, pixels);
    free(bytes);
    return status;
}

static enum status bookmark_append(struct bookmarks *bookmarks, const char *folder,
                                   const char *name, enum bookmark_pixels pixels)
{
    size_t bytes = (bookmarks->count + 1) * sizeof *bookmarks->bookmark;
    struct bookmark *grown = realloc(bookmarks->bookmark, bytes);
    if (!grown)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the list of bookmarks");
    bookmarks->bookmark = grown;
    enum status status = bookmark_load(&grown[bookmarks->count], folder, name, pixels);
    if (status == STATUS_OK) {
        bookmarks->count++;
        return STATUS_OK;
    }
    bookmark_destroy(&grown[bookmarks->count]);
    if (status == STATUS_OUT_OF_MEMORY)
        return status;
    if (bookmarks->passed_over++ == 0)
        snprintf(bookmarks->warning, sizeof bookmarks->warning, "%s", status_text());
    return STATUS_OK;
}

static int only_bookmarks(const struct dirent *entry)
{
    return is_bookmark_name(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

enum status bookmarks_load(struct bookmarks *bookmarks, const char *folder,
                           enum bookmark_pixels pixels)
{
    struct dirent **entry = NULL;
    *bookmarks = (struct bookmarks){0};
    int opened = folder_open(folder);
    int found = opened >= 0 ? scandirat(opened, ".", &entry, only_bookmarks, by_name) : -1;
    int reason = errno;
    if (opened >= 0)
        close(opened);
    if (found < 0)
        return reason == ENOENT
                   ? STATUS_OK
                   : status_fail(reason == ENOMEM ? STATUS_OUT_OF_MEMORY : STATUS_IO,
                                 "cannot list the bookmarks in %s: %s", folder, strerror(reason));
    enum status status = STATUS_OK;
    for (int i = 0; i < found; i++) {
        if (status == STATUS_OK && bookmarks->count < BOOKMARKS_MAX)
            status = bookmark_append(bookmarks, folder, entry[i]->d_name, pixels);
        free(entry[i]);
    }
    free(entry);
    if (status != STATUS_OK)
        bookmarks_destroy(bookmarks);
    return status;
}

/* ---- adding ---- */

/* Mean of the linear values of a rectangle of the screen. */
static uint32_t mean_of(const struct paint_image *screen, const double linear[256], int32_t left,
                        int32_t top, int32_t right, int32_t bottom)
{
    double sum[3] = {0}, count = (double)(right - left) * (bottom - top);
    for (int32_t y = top; y < bottom; y++)
        for (int32_t x = left; x < right; x++) {
            uint32_t pixel = screen->pixels[(int64_t)y * screen->stride + x];
            for (int k = 0; k < 3; k++)
                sum[k] += linear[pixel >> (16 - 8 * k) & 255];
        }
    uint32_t mean = 0xff000000u;
    for (int k = 0; k < 3; k++)
        mean |= (uint32_t)lrint(255 * srgb_encode(sum[k] / count)) << (16 - 8 * k);
    return mean;
}

/* Bound i of n intervals, which are never empty and cover `length`. */
static int32_t bound(int32_t length, int32_t i, int32_t n)
{
    return (int32_t)((int64_t)length * i / n);
}

/* Shrinks an image so that the longer side is BOOKMARK_PX at most. The caller frees *pixels, which
 * is NULL without memory. */
static struct paint_image shrink(const struct paint_image *screen, uint32_t **pixels)
{
    int32_t longer = screen->width > screen->height ? screen->width : screen->height;
    int32_t most = longer < BOOKMARK_PX ? longer : BOOKMARK_PX;
    int32_t width = bound(screen->width, most, longer),
            height = bound(screen->height, most, longer);
    struct paint_image small = {.width = width > 0 ? width : 1, .height = height > 0 ? height : 1};
    double linear[256];
    for (int i = 0; i < 256; i++)
        linear[i] = srgb_decode(i / 255.0);
    *pixels = malloc((size_t)small.width * (size_t)small.height * sizeof **pixels);
    for (int32_t y = 0; *pixels && y < small.height; y++)
        for (int32_t x = 0; x < small.width; x++)
            (*pixels)[y * small.width + x] = mean_of(
                screen, linear, bound(screen->width, x, small.width),
                bound(screen->height, y, small.height), bound(screen->width, x + 1, small.width),
                bound(screen->height, y + 1, small.height));
    small.pixels = *pixels;
    small.stride = small.width;
    return small;
}

/* "The whole set!" -> "-the-whole-set"; "" for what has no letters. */
static void slug_make(const char *title, char slug[SLUG_BYTES])
{
    size_t used = 0;
    bool gap = true;
    for (; title && *title && used + 2 < SLUG_BYTES; title++) {
        unsigned char c = (unsigned char)*title;
        if (c >= 128 || !isalnum(c)) {
            gap = true;
            continue;
        }
        if (gap)
            slug[used++] = '-';
        gap = false;
        slug[used++] = (char)tolower(c);
    }
    slug[used] = '\0';
}

static enum status name_make(char name[BOOKMARK_NAME_BYTES], const char *title, int64_t seconds,
                             int number)
{
    char slug[SLUG_BYTES], again[16] = "", date[24];
    struct tm utc;
    time_t time = (time_t)seconds;
    if (!gmtime_r(&time, &utc) || !strftime(date, sizeof date, "%Y%m%d-%H%M%S", &utc))
        return status_fail(STATUS_INTERNAL, "no date is %lld seconds after 1970",
                           (long long)seconds);
    slug_make(title, slug);
    if (number > 1)
        snprintf(again, sizeof again, "-%d", number);
    snprintf(name, BOOKMARK_NAME_BYTES, "%s%s%s.png", date, slug, again);
    return STATUS_OK;
}

/* Writes the picture under the first name that is free. */
static enum status image_write(const struct paint_image *image, const char *folder,
                               const char *text, const char *title, int64_t seconds,
                               char name[BOOKMARK_NAME_BYTES])
{
    char path[USER_DATA_PATH_BYTES];
    for (int number = 1; number <= SAME_SECOND_MAX; number++) {
        TRY(name_make(name, title, seconds, number));
        TRY(user_data_path(path, folder, name));
        if (access(path, F_OK) != 0)
            return capture_write(image, text, path, OVERWRITE_NO);
    }
    return status_fail(STATUS_CANNOT_CREATE, "%s is there already, %d times", path,
                       SAME_SECOND_MAX);
}

enum status bookmarks_add(const char *folder, const char *text, const char *title,
                          const struct paint_image *screen, int64_t seconds,
                          char name[BOOKMARK_NAME_BYTES])
{
    char own[BOOKMARK_NAME_BYTES];
    uint32_t *pixels = NULL;
    TRY(user_data_make(folder));
    struct paint_image small = shrink(screen, &pixels);
    enum status status =
        pixels ? image_write(&small, folder, text, title, seconds, name ? name : own)
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the picture of a bookmark");
    free(pixels);
    return status;
}

/* Finds the path of a bookmark, and checks that the file is one. */
static enum status bookmark_find(char path[USER_DATA_PATH_BYTES], const char *folder,
                                 const char *name)
{
    if (!is_bookmark_name(name))
        return status_fail(STATUS_BAD_DATA, "'%.60s' is no name of a bookmark", name);
    TRY(user_data_path(path, folder, name));
    struct bookmark bookmark;
    enum status status = bookmark_load(&bookmark, folder, name, BOOKMARK_TEXT_ONLY);
    bookmark_destroy(&bookmark);
    return status;
}

enum status bookmarks_retake(const char *folder, const char *name, const char *text,
                             const struct paint_image *screen)
{
    char path[USER_DATA_PATH_BYTES];
    uint32_t *pixels = NULL;
    TRY(bookmark_find(path, folder, name));
    struct paint_image small = shrink(screen, &pixels);
    enum status status =
        pixels ? capture_write(&small, text, path, OVERWRITE_YES)
               : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the picture of a bookmark");
    free(pixels);
    return status;
}

enum status bookmark_get(struct bookmark *bookmark, const char *folder, const char *name,
                         enum bookmark_pixels pixels)
{
    *bookmark = (struct bookmark){.name = NULL};
    return is_bookmark_name(name)
               ? bookmark_load(bookmark, folder, name, pixels)
               : status_fail(STATUS_BAD_DATA, "'%.60s' is no name of a bookmark", name);
}

/* The size of the picture in a text; without one that of a view. */
static enum status size_find(const struct bookmark *bookmark, int32_t *width, int32_t *height)
{
    struct config config = {0};
    struct view_file file = {0};
    enum status status = config_create(&config);
    if (status == STATUS_OK)
        status = view_file_parse(&file, bookmark->text, strlen(bookmark->text), bookmark->name);
    const struct ini_entry *size = status == STATUS_OK ? ini_find(&file.ini, "view", "size") : NULL;
    if (size)
        status =
            config_set(&config, OPTION_VIEW_SIZE, size->value, bookmark->name, STATUS_BAD_DATA);
    *width = (int32_t)config.value[OPTION_VIEW_SIZE].integer;
    *height = (int32_t)config.value[OPTION_VIEW_SIZE].second;
    view_file_destroy(&file);
    config_destroy(&config);
    return status;
}

/* The text of a bookmark with another title. */
static enum status title_replace(const struct bookmark *bookmark, const char *title, char **text)
{
    struct place place;
    int32_t width, height;
    TRY(size_find(bookmark, &width, &height));
    TRY(place_create(&place, width, height));
    enum status status =
        place_text_read(&place, bookmark->text, strlen(bookmark->text), bookmark->name);
    snprintf(place.title, sizeof place.title, "%s", title);
    if (status == STATUS_OK)
        status = place_text_write(&place, text);
    place_destroy(&place);
    if (status != STATUS_OK || !bookmark->unfinished)
        return status;
    size_t length = strlen(*text);
    char *marked = realloc(*text, length + sizeof BOOKMARK_UNFINISHED);
    if (!marked)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the text of a bookmark");
    memcpy(marked + length, BOOKMARK_UNFINISHED, sizeof BOOKMARK_UNFINISHED);
    *text = marked;
    return STATUS_OK;
}

enum status bookmarks_rename(const char *folder, const char *name, const char *title)
{
    struct bookmark bookmark;
    char *text = NULL;
    enum status status = bookmark_get(&bookmark, folder, name, BOOKMARK_WITH_PIXELS);
    if (status == STATUS_OK && !bookmark.pixels)
        status = status_fail(STATUS_BAD_DATA, "%s is a picture of full size", bookmark.name);
    if (status == STATUS_OK)
        status = title_replace(&bookmark, title, &text);
    const struct paint_image image = {bookmark.pixels, (int32_t)bookmark.width,
                                      (int32_t)bookmark.height, (int32_t)bookmark.width};
    if (status == STATUS_OK)
        status = bookmarks_retake(folder, name, text, &image);
    free(text);
    bookmark_destroy(&bookmark);
    return status;
}

enum status bookmarks_remove(const char *folder, const char *name)
{
    char path[USER_DATA_PATH_BYTES];
    TRY(bookmark_find(path, folder, name));
    return folder_path_remove(path) == 0
               ? STATUS_OK
               : status_fail(STATUS_IO, "cannot remove %s: %s", path, strerror(errno));
}
