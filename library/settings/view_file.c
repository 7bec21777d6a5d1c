#include "library/settings/view_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/config/config_view.h"
#include "library/place/data.h"
#include "library/text/convert.h"
#include "library/text/text_file.h"
#include "render/file/jpg_text.h"
#include "render/file/tif/tif_text.h"
#include "render/file/webp_text.h"

/* The view stands before the pixels of a picture, which may be larger than the memory. */
enum { HEAD_BYTES = 4 * PNG_TEXT_BYTES_MAX };

enum status view_text_parse(struct ini *ini, const char *text, const char *path)
{
    const struct place_text inside = {.bytes = text, .length = strlen(text), .name = path};
    const char *what;
    const struct place_format *format = place_format_of(text, inside.length, &what);
    if (!format || !format->read)
        return status_fail(STATUS_BAD_DATA,
                           "%s: a picture without a view: another program made or rewrote it",
                           path);
    enum status status = format->read(ini, &inside);
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}

/* Our own says most; Fraktaler-3 writes that of Kalles Fraktaler beside its own. */
const char *view_text_choose(const char *const text[EXR_TEXTS])
{
    static const enum exr_text order[] = {EXR_TEXT_INI, EXR_TEXT_TOML, EXR_TEXT_KFR};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (text[order[i]])
            return text[order[i]];
    return NULL;
}

static enum status exr_parse(struct view_file *file, const struct place_text *picture)
{
    struct exr_header header;
    TRY(exr_header_read((const uint8_t *)picture->bytes, picture->length, picture->name, &header));
    const char *text = view_text_choose((const char *const *)header.text);
    file->facts = (struct png_facts){.width = (uint32_t)header.width,
                                     .height = (uint32_t)header.height,
                                     .bits = header.type[EXR_R] == EXR_FLOAT ? 32 : 16};
    file->text = strdup(text ? text : "");
    exr_header_destroy(&header);
    if (!file->text)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its view", picture->name);
    return view_text_parse(&file->ini, file->text, picture->name);
}

static enum status text_find(struct view_file *file, const struct place_text *picture)
{
    const uint8_t *start = (const uint8_t *)picture->bytes;
    TRY((tif_text_is_tif(start, picture->length)   ? tif_text_find
         : jpg_text_is_jpg(start, picture->length) ? jpg_text_find
         : webp_text_is_webp(start, picture->length)
             ? webp_text_find
             : png_text_find)(start, picture->length, picture->name, &file->text, &file->facts));
    return view_text_parse(&file->ini, file->text, picture->name);
}

static enum status picture_parse(struct view_file *file, const struct place_text *picture)
{
    bool exr = exr_is_one((const uint8_t *)picture->bytes, picture->length);
    return exr ? exr_parse(file, picture) : text_find(file, picture);
}

enum status view_file_lacks(const struct view_file *file, const char *key)
{
    return status_fail(STATUS_BAD_DATA, "%s: %s is missing; a %s needs re, im and zoom (or --%s)",
                       file->path, key, file->format->name, key);
}

static enum status keys_check(const struct view_file *file)
{
    static const char *const needed[] = {"re", "im", "zoom"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!ini_find(&file->ini, "view", needed[i]))
            return view_file_lacks(file, needed[i]);
    return STATUS_OK;
}

static bool has(const struct view_file *file, const char *key)
{
    return ini_find(&file->ini, "view", key);
}

/* A formula without a place means all of its set. */
static enum status home_add(struct view_file *file)
{
    static const enum option_key added[] = {OPTION_VIEW_RE, OPTION_VIEW_IM, OPTION_VIEW_ZOOM,
                                            OPTION_VIEW_MIRROR};
    struct config config;
    if (has(file, "re"))
        return STATUS_OK;
    TRY(config_create(&config));
    enum status status = config_apply(&config, &file->ini, file->path, STATUS_BAD_DATA);
    if (status == STATUS_OK)
        status = config_home(&config);
    for (size_t i = 0; i < sizeof added / sizeof *added && status == STATUS_OK; i++)
        if (config_was_set(&config, added[i]) && !has(file, option_rows[added[i]].key))
            status = ini_add(&file->ini, "view", option_rows[added[i]].key,
                             config_text(&config, added[i]), 1);
    config_destroy(&config);
    return status;
}

/* The error shows how the text begins, since it may have been pasted by mistake. */
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

/* Whose rules were broken is part of the sentence: a wrong guess of the format explains itself. */
static enum status format_tell(const struct view_file *file, enum status status)
{
    if (status != STATUS_BAD_DATA)
        return status;
    return status_fail(status, "%s (read as a %s)", status_text(), file->format->name);
}

static enum status text_read(struct view_file *file, const struct place_text *text,
                             enum view_completeness completeness)
{
    char shown[SHOWN_BYTES];
    bool picture = file->format == &place_picture;
    if (!picture && text->length > PLACE_BYTES_MAX)
        return status_fail(STATUS_BAD_DATA,
                           "%s: no picture, and too long for a view (more than %d bytes)",
                           text->name, PLACE_BYTES_MAX);
    if (text->entry && !file->format->several)
        return status_fail(STATUS_BAD_DATA, "%s: a %s has one place, so '%s' cannot be chosen",
                           text->name, file->format->name, text_shown(text->entry, shown));
    TRY(picture ? picture_parse(file, text) : file->format->read(&file->ini, text));
    if (completeness == VIEW_PART)
        return STATUS_OK;
    TRY(home_add(file));
    return keys_check(file);
}

/* "seahorse", and "list-Spiral" of list.par:Spiral. */
static char *stem_of(const struct place_text *text)
{
    char *stem = path_stem(text->name);
    if (!stem || !text->entry)
        return stem;
    size_t used = strlen(stem), bytes = used + strlen(text->entry) + 2;
    char *whole = malloc(bytes);
    if (whole)
        snprintf(whole, bytes, "%s-%s", stem, text->entry);
    for (char *at = whole ? whole + used : NULL; at && *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-", *at))
            *at = '-';
    free(stem);
    return whole;
}

static enum status parse_plain(struct view_file *file, const struct place_text *text,
                               enum view_completeness completeness)
{
    const char *what;
    *file = (struct view_file){.path = strdup(text->name), .stem = stem_of(text)};
    enum status status = STATUS_OK;
    file->format = place_format_of(text->bytes, text->length, &what);
    if (!file->path || !file->stem)
        status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its name", text->name);
    else if (!file->format)
        status = foreign_fail(text->bytes, text->length, text->name, what);
    else
        status = format_tell(file, text_read(file, text, completeness));
    if (status != STATUS_OK)
        view_file_destroy(file);
    return status;
}

/* Pages and word processors write U+2212 for a minus. */
static enum status parse(struct view_file *file, const struct place_text *text,
                         enum view_completeness completeness)
{
    const char *what;
    struct place_text plain = *text;
    *file = (struct view_file){0};
    if (!memmem(text->bytes, text->length, TEXT_MINUS, strlen(TEXT_MINUS)) ||
        place_format_of(text->bytes, text->length, &what) == &place_picture)
        return parse_plain(file, text, completeness);
    char *bytes = malloc(text->length + 1);
    if (!bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for %zu bytes", text->name,
                           text->length);
    memcpy(bytes, text->bytes, text->length);
    plain.bytes = bytes;
    plain.length = text_minus_plain(bytes, text->length);
    bytes[plain.length] = '\0';
    enum status status = parse_plain(file, &plain, completeness);
    free(bytes);
    return status;
}

enum status view_file_parse(struct view_file *file, const char *bytes, size_t length,
                            const char *path)
{
    return parse(file, &(struct place_text){.bytes = bytes, .length = length, .name = path},
                 VIEW_WHOLE);
}

/* A folder that has the name of a view does not hide it. */
static bool file_is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
}

/* FILE:NAME is the place NAME of FILE, unless there is a file of that whole name. Both may have
 * colons: FILE is the longest that is there. */
static const char *entry_split(const char *operand, char path[static 4200])
{
    if (file_is_there(operand))
        return NULL;
    for (const char *at = operand + strlen(operand); at > operand; at--) {
        if (*at != ':' || !at[1])
            continue;
        int length = snprintf(path, 4200, "%.*s", (int)(at - operand), operand);
        if (length < 4200 && file_is_there(path))
            return at + 1;
    }
    return NULL;
}

/* The view of this name, as data_view finds it. A name with a slash that is none stays a path,
 * whose absence is told by who opens it. */
static enum status name_find(const char *name, const struct data_source *data,
                             char found[static 4200], const char **path, const char **entry)
{
    char named[4200];
    enum status status = data_view(data, name, named, sizeof named);
    if (status != STATUS_OK)
        return strchr(name, '/') ? STATUS_OK : status;
    *entry = entry_split(named, found);
    if (!*entry)
        snprintf(found, 4200, "%s", named);
    else
        *entry = strchr(name, ':') + 1; /* as data_view_path has it */
    *path = found;
    return STATUS_OK;
}

/* Finds the file that the operand names, whose path may be in `found`, and the place in it. */
static enum status operand_find(const char *operand, const struct data_source *data,
                                char found[static 4200], const char **path, const char **entry)
{
    *path = operand;
    *entry = entry_split(operand, found);
    if (*entry)
        *path = found;
    else if (*operand != '/' && !strchr(operand, '.') && !file_is_there(operand))
        TRY(name_find(operand, data, found, path, entry));
    if (!*entry && strstr(operand, "://") && access(operand, F_OK) != 0)
        return foreign_fail(operand, strlen(operand), "VIEW", "a web address, not a file");
    return STATUS_OK;
}

enum status view_file_stem(char **stem, const char *operand, const struct data_source *data)
{
    char found[4200];
    struct place_text text = {.bytes = ""};
    *stem = NULL;
    TRY(operand_find(operand, data, found, &text.name, &text.entry));
    if (access(text.name, F_OK) != 0)
        return status_fail(STATUS_NO_INPUT, "%s: %s", text.name, strerror(errno));
    *stem = stem_of(&text);
    return *stem ? STATUS_OK
                 : status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for its name", text.name);
}

enum status view_file_find(struct view_file *file, const char *operand,
                           const struct data_source *data, enum view_completeness completeness)
{
    char found[4200], *bytes = NULL;
    const char *path, *entry;
    size_t length = 0;
    *file = (struct view_file){0};
    TRY(operand_find(operand, data, found, &path, &entry));
    TRY(text_file_head(path, HEAD_BYTES, &bytes, &length));
    enum status status =
        parse(file, &(struct place_text){bytes, length, path, entry}, completeness);
    free(bytes);
    return status;
}

enum status view_file_read(struct view_file *file, int stream, const char *name,
                           enum view_completeness completeness)
{
    char *bytes = NULL;
    size_t length = 0;
    *file = (struct view_file){0};
    TRY(text_stream_head(stream, name, HEAD_BYTES, &bytes, &length));
    enum status status = parse(
        file, &(struct place_text){.bytes = bytes, .length = length, .name = name}, completeness);
    free(bytes);
    return status;
}

void view_file_destroy(struct view_file *file)
{
    free(file->path);
    free(file->stem);
    free(file->text);
    ini_destroy(&file->ini);
    *file = (struct view_file){0};
}
