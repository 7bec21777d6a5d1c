#include "app/view_file.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/data.h"
#include "app/kfr.h"
#include "app/location.h"
#include "app/text_file.h"

/* The view stands before the pixels of a picture, which may be larger than the memory. */
enum { HEAD_BYTES = 4 * PNG_TEXT_BYTES_MAX };

const char *view_kind_name(enum view_kind kind)
{
    static const char *const names[] = {[VIEW_INI] = "view file",
                                        [VIEW_LOCATION] = "location file",
                                        [VIEW_KFR] = "kfr file",
                                        [VIEW_PICTURE] = "picture",
                                        [VIEW_OPTIONS] = "options"};
    return names[kind];
}

/* Does any line begin with '['? No line of a location file does. */
static bool looks_like_ini(const char *text, size_t length)
{
    const char *end = text + length;
    if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    while (text < end) {
        while (text < end && isspace((unsigned char)*text))
            text++;
        if (text < end && *text == '[')
            return true;
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        text = newline ? newline + 1 : end;
    }
    return false;
}

static enum status picture_parse(struct view_file *file, const char *bytes, size_t length,
                                 const char *path)
{
    char *text = NULL;
    TRY(png_text_find((const uint8_t *)bytes, length, path, &text, &file->facts));
    enum status status = ini_parse(&file->ini, text, strlen(text), path, STATUS_BAD_DATA);
    free(text);
    return status;
}

static enum status keys_check(const struct view_file *file, const char *path)
{
    static const char *const needed[] = {"re", "im", "zoom"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!ini_find(&file->ini, "view", needed[i]))
            return status_fail(STATUS_BAD_DATA, "%s: %s is missing; a %s needs re, im and zoom",
                               path, needed[i], view_kind_name(file->kind));
    return STATUS_OK;
}

enum status view_file_parse(struct view_file *file, const char *bytes, size_t length,
                            const char *path)
{
    *file = (struct view_file){.path = strdup(path), .stem = path_stem(path)};
    enum status status = STATUS_OK;
    if (!file->path || !file->stem)
        status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its name", path);
    else if (png_text_is_png((const uint8_t *)bytes, length)) {
        file->kind = VIEW_PICTURE;
        status = picture_parse(file, bytes, length, path);
    } else if (length > LOCATION_BYTES_MAX)
        status = status_fail(STATUS_BAD_DATA,
                             "%s: no picture, and too long for a view (more than %d bytes)", path,
                             LOCATION_BYTES_MAX);
    else if (looks_like_ini(bytes, length))
        status = ini_parse(&file->ini, bytes, length, path, STATUS_BAD_DATA);
    else if (kfr_is_one(bytes, length)) {
        file->kind = VIEW_KFR;
        status = kfr_parse(&file->ini, bytes, length, path);
    } else {
        file->kind = VIEW_LOCATION;
        status = location_parse(&file->ini, bytes, length, path);
    }
    if (status == STATUS_OK)
        status = keys_check(file, path);
    if (status != STATUS_OK)
        view_file_destroy(file);
    return status;
}

enum status view_file_load(struct view_file *file, const char *operand)
{
    char found[4200];
    *file = (struct view_file){0};
    const char *path = operand;
    bool standard_input = !strcmp(operand, "-");
    if (standard_input)
        path = "stdin";
    else if (!strchr(operand, '/') && !strchr(operand, '.') && access(operand, F_OK) != 0) {
        TRY(data_view(operand, found, sizeof found));
        path = found;
    }
    char *bytes = NULL;
    size_t length = 0;
    if (standard_input)
        TRY(text_stdin_head(HEAD_BYTES, &bytes, &length));
    else
        TRY(text_file_head(path, HEAD_BYTES, &bytes, &length));
    enum status status = view_file_parse(file, bytes, length, path);
    free(bytes);
    return status;
}

enum status view_file_none(struct view_file *file)
{
    *file = (struct view_file){
        .kind = VIEW_OPTIONS, .path = strdup("the command line"), .stem = strdup("view")};
    if (file->path && file->stem)
        return STATUS_OK;
    view_file_destroy(file);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the view");
}

void view_file_destroy(struct view_file *file)
{
    free(file->path);
    free(file->stem);
    ini_destroy(&file->ini);
    *file = (struct view_file){0};
}
