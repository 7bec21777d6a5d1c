#include "app/view_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/convert.h"
#include "app/data.h"
#include "app/kfr.h"
#include "app/location.h"
#include "app/text_file.h"
#include "render/tif_text.h"

/* The view stands before the pixels of a picture, which may be larger than the memory. */
enum { HEAD_BYTES = 4 * PNG_TEXT_BYTES_MAX };

static enum status picture_parse(struct view_file *file, const char *bytes, size_t length,
                                 const char *path)
{
    char *text = NULL;
    const uint8_t *start = (const uint8_t *)bytes;
    TRY(tif_text_is_tif(start, length) ? tif_text_find(start, length, path, &text, &file->facts)
                                       : png_text_find(start, length, path, &text, &file->facts));
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

/* How it begins is shown: it may have been pasted by mistake. */
static enum status foreign_fail(const char *bytes, size_t length, const char *path,
                                const char *what)
{
    char shown[SHOWN_BYTES];
    const char *end = memchr(bytes, '\n', length);
    if (!what)
        return status_fail(STATUS_BAD_DATA,
                           "%s: there is nothing in it; a place is read from " PLACE_FORMATS, path);
    text_shown_until(bytes, end ? end : bytes + length, shown);
    return status_fail(STATUS_BAD_DATA, "%s: '%s' is %s; a place is read from " PLACE_FORMATS, path,
                       shown, what);
}

static enum status text_parse(struct view_file *file, const char *bytes, size_t length,
                              const char *path)
{
    switch (file->kind) {
    case VIEW_PICTURE:
        return picture_parse(file, bytes, length, path);
    case VIEW_INI:
        return ini_parse(&file->ini, bytes, length, path, STATUS_BAD_DATA);
    case VIEW_KFR:
        return kfr_parse(&file->ini, bytes, length, path);
    case VIEW_NUMBERS:
        return location_numbers_parse(&file->ini, bytes, length, path);
    default:
        return location_parse(&file->ini, bytes, length, path);
    }
}

/* Whose rules were broken is part of the sentence: a wrong guess of the format explains itself. */
static enum status format_tell(const struct view_file *file, enum status status)
{
    char why[STATUS_TEXT_BYTES];
    if (status != STATUS_BAD_DATA)
        return status;
    snprintf(why, sizeof why, "%s", status_text());
    return status_fail(status, "%s (read as a %s)", why, view_kind_name(file->kind));
}

enum status view_file_parse(struct view_file *file, const char *bytes, size_t length,
                            const char *path)
{
    const char *what;
    *file = (struct view_file){.path = strdup(path), .stem = path_stem(path)};
    enum status status = STATUS_OK;
    file->kind = place_format(bytes, length, &what);
    if (!file->path || !file->stem)
        status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its name", path);
    else if (file->kind == VIEW_FOREIGN)
        status = foreign_fail(bytes, length, path, what);
    else if (file->kind != VIEW_PICTURE && length > LOCATION_BYTES_MAX)
        status = status_fail(STATUS_BAD_DATA,
                             "%s: no picture, and too long for a view (more than %d bytes)", path,
                             LOCATION_BYTES_MAX);
    else {
        status = text_parse(file, bytes, length, path);
        if (status == STATUS_OK)
            status = keys_check(file, path);
        status = format_tell(file, status);
    }
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
    if (strstr(operand, "://") && access(operand, F_OK) != 0)
        return foreign_fail(operand, strlen(operand), "VIEW", "a web address, not a file");
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
