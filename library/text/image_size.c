#include "library/text/image_size.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "library/text/convert.h"
#include "render/view/view.h"

enum { SIZE_TEXT_BYTES = 64 };

static const struct screen {
    const char *name;
    int32_t width, height;
} screens[] = {
    {"720p", 1280, 720}, {"1080p", 1920, 1080}, {"1440p", 2560, 1440},
    {"4k", 3840, 2160},  {"8k", 7680, 4320},    {"16k", 15360, 8640},
};

static const struct unit {
    const char *name;
    double per_inch;
} units[] = {{"mm", 25.4}, {"cm", 2.54}, {"in", 1}};

enum { MILLIMETRE, INCH = 2 };

/* ISO 216, and two sizes of ANSI; sides of the landscape format. */
static const struct paper {
    const char *name;
    int unit;
    double width, height;
} papers[] = {
    {"A0", MILLIMETRE, 1189, 841}, {"A1", MILLIMETRE, 841, 594}, {"A2", MILLIMETRE, 594, 420},
    {"A3", MILLIMETRE, 420, 297},  {"A4", MILLIMETRE, 297, 210}, {"A5", MILLIMETRE, 210, 148},
    {"A6", MILLIMETRE, 148, 105},  {"letter", INCH, 11, 8.5},    {"tabloid", INCH, 17, 11},
};

static enum status size_unknown(void)
{
    return status_fail(STATUS_CONFIG, "not a size; it must be " IMAGE_SIZE_FORMS);
}

/* ---- pixels ---- */

static enum status side_read(const char *text, int32_t *side)
{
    double number;
    int64_t pixels;
    if (!isdigit((unsigned char)*text) || convert_real(text, 0, DBL_MAX, &number) != STATUS_OK)
        return size_unknown();
    if (convert_integer(text, 1, IMAGE_SIDE_MAX, &pixels) != STATUS_OK)
        return status_fail(STATUS_CONFIG, "each side must be 1 ... %d pixels", IMAGE_SIDE_MAX);
    *side = (int32_t)pixels;
    return STATUS_OK;
}

static enum status pixels_read(char *text, struct image_size *size)
{
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++)
        if (!strcasecmp(text, screens[i].name)) {
            size->width = screens[i].width;
            size->height = screens[i].height;
            return STATUS_OK;
        }
    char *times = text + strcspn(text, "xX"), *second = *times ? times + 1 : times;
    *times = '\0';
    TRY(side_read(text, &size->width));
    return side_read(second, &size->height);
}

/* ---- paper ---- */

/* Cuts the suffix off, ignoring case. */
static bool suffix_take(char *text, const char *suffix)
{
    size_t length = strlen(text), end = strlen(suffix);
    if (length <= end || strcasecmp(text + length - end, suffix) != 0)
        return false;
    text[length - end] = '\0';
    return true;
}

static bool paper_find(char *text, struct paper *found)
{
    bool portrait = suffix_take(text, ":portrait");
    if (!portrait)
        (void)suffix_take(text, ":landscape");
    for (size_t i = 0; i < sizeof papers / sizeof *papers; i++)
        if (!strcasecmp(text, papers[i].name)) {
            *found = papers[i];
            found->width = portrait ? papers[i].height : papers[i].width;
            found->height = portrait ? papers[i].width : papers[i].height;
            return true;
        }
    return false;
}

/* Reads "84x59cm". */
static bool lengths_read(char *text, struct paper *paper)
{
    enum { LENGTH_MOST = 1000000 };
    int unit = MILLIMETRE;
    while (unit <= INCH && !suffix_take(text, units[unit].name))
        unit++;
    char *times = strpbrk(text, "xX");
    if (unit > INCH || !times)
        return false;
    *times = '\0';
    *paper = (struct paper){.unit = unit};
    return convert_real(text, 0, LENGTH_MOST, &paper->width) == STATUS_OK &&
           convert_real(times + 1, 0, LENGTH_MOST, &paper->height) == STATUS_OK;
}

static enum status paper_pixels(const struct paper *paper, struct image_size *size)
{
    if (size->dpi == 0)
        return status_fail(STATUS_CONFIG,
                           "paper needs a resolution, as in A1@150dpi or 84x59cm@200dpi");
    double width = round(paper->width * size->dpi / units[paper->unit].per_inch);
    double height = round(paper->height * size->dpi / units[paper->unit].per_inch);
    if (width < 1 || height < 1 || width > IMAGE_SIDE_MAX || height > IMAGE_SIDE_MAX)
        return status_fail(STATUS_CONFIG,
                           "that is %.0f x %.0f pixels; each side must be 1 ... %d pixels: choose "
                           "another size or resolution",
                           width, height, IMAGE_SIDE_MAX);
    size->width = (int32_t)width;
    size->height = (int32_t)height;
    return STATUS_OK;
}

/* Takes "@150dpi" off the end. */
static enum status resolution_take(char *text, struct image_size *size)
{
    char *at = strchr(text, '@');
    if (!at)
        return STATUS_OK;
    *at = '\0';
    if (suffix_take(at + 1, "dpi") &&
        convert_real(at + 1, 1, IMAGE_DPI_MAX, &size->dpi) == STATUS_OK)
        return STATUS_OK;
    return status_fail(STATUS_CONFIG,
                       "not a resolution; it must be 1dpi ... %ddpi, as in A1@150dpi",
                       IMAGE_DPI_MAX);
}

enum status image_size_read(const char *text, struct image_size *size)
{
    char body[SIZE_TEXT_BYTES];
    struct paper paper;
    *size = (struct image_size){0};
    if ((size_t)snprintf(body, sizeof body, "%s", text) >= sizeof body)
        return size_unknown();
    TRY(resolution_take(body, size));
    if (paper_find(body, &paper) || lengths_read(body, &paper))
        return paper_pixels(&paper, size);
    return pixels_read(body, size);
}
