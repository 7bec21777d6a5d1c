#include "app/kfr.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "app/convert.h"
#include "app/key_lines.h"
#include "app/location.h"
#include "render/view.h"

enum { KEY_MAX = 40 };

/* What is called what in [view]. */
static const char *const names[][2] = {
    {"Re", "re"}, {"Im", "im"}, {"Zoom", "zoom"}, {"Iterations", "limit"}};

/* What must have one value, for the picture to be one of ours. */
static const struct {
    const char *key;
    double value;
    const char *what;
} fixed[] = {{"FractalType", 0, "only the Mandelbrot set (0) is computed here"},
             {"Power", 2, "only power 2 is computed here"},
             {"UseHybridFormula", 0, "no hybrid formulas are computed here"},
             {"SeedR", 0, "iteration begins at 0 here"},
             {"SeedI", 0, "iteration begins at 0 here"},
             {"Rotate", 0, "only newer files are read when rotated; put 0 and use view.rotation"},
             {"StretchAmount", 0, "stretched files are not read; put 0 there"},
             {"Ratio", 360, "stretched files are not read; put 360 there"}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static enum status key_check(const struct key_line *line)
{
    char shown[SHOWN_BYTES];
    size_t length = strlen(line->key);
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)line->key[i]) && line->key[i] != '_')
            length = 0;
    if (length < 1 || length > KEY_MAX)
        return status_fail(STATUS_BAD_DATA, "%s:%d: '%s' is not a key of a .kfr file", line->name,
                           line->number, text_shown(line->key, shown));
    return STATUS_OK;
}

static enum status value_check(const struct key_line *line, double wanted, const char *what)
{
    char shown[SHOWN_BYTES];
    double value;
    if (convert_real(line->value, -1e9, 1e9, &value) == STATUS_OK && value == wanted)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s': %s", line->name, line->number,
                       line->key, text_shown(line->value, shown), what);
}

/* That program turns the frame clockwise: its pixel (x, y), y down, is centre + (x + i y) e^(-i
 * angle) over the mirror image, and centre + (x - i y) e^(-i angle) where ImagPointsUp is 1. */
static enum status angle_take(struct ini *ini, const struct key_line *line)
{
    char shown[SHOWN_BYTES], turned[64];
    double angle;
    if (convert_real(line->value, -VIEW_ROTATION_MAX_DEG, VIEW_ROTATION_MAX_DEG, &angle) !=
        STATUS_OK)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s'; it must be a number from %g to %g",
                           line->name, line->number, line->key, text_shown(line->value, shown),
                           -VIEW_ROTATION_MAX_DEG, VIEW_ROTATION_MAX_DEG);
    if (angle == 0)
        return STATUS_OK;
    snprintf(turned, sizeof turned, "%.17g", -angle);
    struct key_line rotation = *line;
    rotation.value = turned;
    return location_add(ini, &rotation, "rotation");
}

static enum status line_take(void *context, const struct key_line *line)
{
    if (!line->key)
        return STATUS_OK;
    TRY(key_check(line));
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(line->key, names[i][0]))
            return location_add(context, line, names[i][1]);
    if (!strcmp(line->key, "RotateAngle"))
        return angle_take(context, line);
    for (size_t i = 0; i < COUNT(fixed); i++)
        if (!strcmp(line->key, fixed[i].key))
            return value_check(line, fixed[i].value, fixed[i].what);
    return STATUS_OK;
}

bool kfr_is_one(const char *text, size_t length)
{
    const char *end = text + length;
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    while (text < end && (isspace((unsigned char)*text) || *text == '#' || *text == ';')) {
        const char *line =
            isspace((unsigned char)*text) ? text : memchr(text, '\n', (size_t)(end - text));
        text = line ? line + 1 : end;
    }
    const char *key = text;
    while (text < end && isalnum((unsigned char)*text))
        text++;
    return text > key && text < end && *text == ':';
}

enum status kfr_parse(struct ini *ini, const char *text, size_t length, const char *name)
{
    *ini = (struct ini){0};
    enum status status = key_lines_each(text, length, ':', name, line_take, ini);
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}
