#include "library/place/place_format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "library/place/place_choice.h"
#include "render/file/exr_header.h"
#include "render/file/jpg_text.h"
#include "render/file/png_text.h"
#include "render/file/tif/tif_text.h"
#include "render/file/webp_text.h"

enum { HEAD_LOOKED_AT = 256, NAME_COLUMN = 20, SUFFIX_COLUMN = 25 };

/* ---- our own ---- */

static bool line_is_section(const struct text *line)
{
    return *line->begin == '[';
}

static bool line_is_place(const struct text *line)
{
    return text_begins(line, "[place ");
}

/* [place NAME], and behind it what is in [view], up to the next one. */
static enum status places_offer(struct place_choice *choice)
{
    const struct place_text *text = choice->text;
    struct text rest = text_lines_of(text->bytes, text->length), line;
    struct place_item item = {.line = 0};
    for (int number = 1; text_line_take(&rest, &line); number++) {
        const char *end = line.end;
        text_trim(&line);
        item.body.end = item.line ? end : NULL;
        if (!line_is_place(&line)) {
            if (!item.line && line.begin < line.end && !strchr(";#", *line.begin))
                return status_fail(STATUS_BAD_DATA, "%s:%d: this stands before the first [place]",
                                   text->name, number);
            continue;
        }
        if (line.end[-1] != ']')
            return status_fail(STATUS_BAD_DATA, "%s:%d: a place begins with [place NAME]",
                               text->name, number);
        if (item.line) {
            item.body.end = line.begin;
            TRY(place_offer(choice, &item));
        }
        item.line = number;
        item.name = (struct text){line.begin + strlen("[place "), line.end - 1};
        text_trim(&item.name);
        item.body = (struct text){end, end};
    }
    if (item.line)
        TRY(place_offer(choice, &item));
    return place_choose(choice);
}

/* Parses one place, behind as many empty lines as it has before it in the file, for messages. */
static enum status place_parse(struct ini *ini, const struct place_text *text,
                               const struct place_item *item)
{
    static const char section[] = "[view]";
    size_t before = (size_t)item->line - 1, head = before + sizeof section - 1;
    size_t body = (size_t)(item->body.end - item->body.begin);
    char *whole = malloc(head + body + 1);
    if (!whole)
        return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for a place", text->name);
    memset(whole, '\n', before);
    memcpy(whole + before, section, sizeof section - 1);
    memcpy(whole + head, item->body.begin, body);
    whole[head + body] = '\0';
    enum status status = ini_parse(ini, whole, head + body, text->name, STATUS_BAD_DATA);
    free(whole);
    return status;
}

static enum status view_read(struct ini *ini, const struct place_text *text)
{
    struct place_choice choice = {.text = text};
    if (text_any_line(text_lines_of(text->bytes, text->length), line_is_place)) {
        TRY(place_check_text(text));
        TRY(places_offer(&choice));
        return place_parse(ini, text, &choice.chosen);
    }
    if (text->entry)
        return status_fail(STATUS_BAD_DATA, "%s: there is no [place NAME] in it to be chosen",
                           text->name);
    return ini_parse(ini, text->bytes, text->length, text->name, STATUS_BAD_DATA);
}

static enum status view_write(const struct config *config, FILE *stream)
{
    config_write(config, CONFIG_OF_PICTURE, stream);
    return STATUS_OK;
}

const struct place_format place_view = {.name = "view file",
                                        .suffix = ".ini",
                                        .summary = "deepfield: [view] and all of the look",
                                        .several = true,
                                        .any_line = line_is_section,
                                        .read = view_read,
                                        .write = view_write};

/* What pictures say of themselves is found by render/file/png_text.h and its kin,
 * and read as one of the others. */
const struct place_format place_picture = {
    .name = "picture",
    .suffix = ".png .tif .jpg .webp .exr",
    .summary = "of deepfield; PNG or EXR of Kalles Fraktaler, EXR of Fraktaler-3"};

const struct place_format place_options = {.name = "options"}; /* the command line */

/* The first that recognises a text reads it. */
const struct place_format *const place_formats[] = {
    &place_picture,  &place_fraktaler, &place_deepdrill,    &place_xaos,
    &place_fractint, &place_view,      &place_fractalshark, &place_numbers,
    &place_imagina,  &place_kfr,       &place_rust_fractal, &place_location,
};

const int place_formats_count = sizeof place_formats / sizeof *place_formats;

/* ---- what is no place ---- */

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

/* scheme://, or www. */
static bool line_is_address(const struct text *line)
{
    const char *at = line->begin;
    if (text_begins(line, "www."))
        return true;
    while (at < line->end && (isalnum((unsigned char)*at) || is_one_of(*at, "+.-")))
        at++;
    const struct text mark = {at, line->end};
    return at > line->begin && text_begins(&mark, "://");
}

static bool line_is_toml_table(const struct text *line)
{
    return text_begins(line, "[[");
}

static bool line_is_json(const struct text *line)
{
    const char *next = line->begin + 1;
    while (next < line->end && isspace((unsigned char)*next))
        next++;
    bool inside = next == line->end || is_one_of(*next, "\"{}[]-0123456789");
    return inside && (*line->begin == '{' || (*line->begin == '[' && !text_begins(line, "[[")));
}

static bool line_is_markup(const struct text *line)
{
    return *line->begin == '<';
}

static bool line_is_gnofract4d(const struct text *line)
{
    return text_begins(line, "gnofract4d parameter file");
}

/* A section of a parameter set, which stands alone in its line. */
static bool line_is_ultra_fractal(const struct text *line)
{
    return text_is(line, "fractal:") || text_is(line, "layer:") || text_is(line, "mapping:") ||
           text_begins(line, "::");
}

static bool line_is_lfs(const struct text *line)
{
    return text_begins(line, "version https://git-lfs");
}

/* Recognises files by their first bytes. */
static const char *signature_of(const char *bytes, size_t length)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *what;
    } rows[] = {{"GIF8", 4, "a GIF picture, which has no place inside"},
                {"\x93NUMPY", 6, "a NumPy array, which has no place inside"},
                {"%PDF", 4, "a PDF document, not a place"},
                {"PK\x03\x04", 4, "a ZIP archive, not a place"},
                {"\x1f\x8b", 2, "compressed by gzip; unpack it first"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (length >= rows[i].length && !memcmp(bytes, rows[i].bytes, rows[i].length))
            return rows[i].what;
    return NULL;
}

/* Control characters near the beginning; a NUL alone may be an accident in a text. */
static bool is_binary(const struct text *text)
{
    for (const char *at = text->begin; at < text->end && at < text->begin + HEAD_LOOKED_AT; at++)
        if (*at && (unsigned char)*at < ' ' && !isspace((unsigned char)*at))
            return true;
    return false;
}

/* The first that matches is reported. */
static const struct {
    bool (*test)(const struct text *line);
    bool (*of)(struct text text, bool (*test)(const struct text *line));
    const char *what;
} foreign[] = {
    {line_is_address, text_first_line, "a web address, not a place"},
    {line_is_lfs, text_first_line, "a pointer of Git LFS; fetch the file itself (git lfs pull)"},
    {line_is_gnofract4d, text_first_line, "a Gnofract 4D file, which cannot be read"},
    {line_is_markup, text_first_line, "HTML, XML or SVG, not a place"},
    {line_is_json, text_first_line, "a JSON text, which cannot be read"},
    {line_is_ultra_fractal, text_any_line,
     "a parameter set of Ultra Fractal, which cannot be read"},
};

static const char *foreign_text(struct text text)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (foreign[i].of(text, foreign[i].test))
            return foreign[i].what;
    return NULL;
}

static bool is_recognised(const struct place_format *format, struct text text)
{
    return (format->any_line && text_any_line(text, format->any_line)) ||
           (format->first_line && text_first_line(text, format->first_line)) ||
           (format->recognise && format->recognise(text));
}

const struct place_format *place_format_of(const char *bytes, size_t length, const char **what)
{
    struct text text = text_lines_of(bytes, length), rest = text, line;
    *what = NULL;
    if (png_text_is_png((const uint8_t *)bytes, length) ||
        tif_text_is_tif((const uint8_t *)bytes, length) ||
        jpg_text_is_jpg((const uint8_t *)bytes, length) ||
        webp_text_is_webp((const uint8_t *)bytes, length) ||
        exr_is_one((const uint8_t *)bytes, length))
        return &place_picture;
    if ((*what = signature_of(bytes, length)) || (*what = foreign_text(text)))
        return NULL;
    if (is_binary(&text)) {
        *what = "a binary file, not a place";
        return NULL;
    }
    for (int i = 0; i < place_formats_count; i++)
        if (is_recognised(place_formats[i], text)) {
            bool toml = place_formats[i] == &place_view && text_any_line(text, line_is_toml_table);
            *what = toml ? "a TOML file of an unknown program, which cannot be read" : NULL;
            return toml ? NULL : place_formats[i];
        }
    *what = text_line_next(&rest, &line) ? "a text, not a place" : NULL;
    return NULL;
}

/* ---- the list ---- */

enum status place_format_named(const struct place_format **format, const char *path)
{
    char suffixes[128] = "";
    size_t length = strlen(path);
    for (int i = 0; i < place_formats_count; i++) {
        const char *suffix = place_formats[i]->suffix;
        size_t bytes = strlen(suffix), used = strlen(suffixes);
        if (!place_formats[i]->write)
            continue;
        *format = place_formats[i];
        if (length > bytes && !strcasecmp(path + length - bytes, suffix))
            return STATUS_OK;
        snprintf(suffixes + used, sizeof suffixes - used, "%s%s", used ? ", " : "", suffix);
    }
    return status_fail(STATUS_USAGE, "-o %s: places are written into files that end in one of %s",
                       path, suffixes);
}

bool place_format_suffix(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < place_formats_count; i++) {
        const char *found = strcasestr(place_formats[i]->suffix, dot);
        if (found && (found[strlen(dot)] == ' ' || !found[strlen(dot)]))
            return true;
    }
    return false;
}

enum status place_to_text(char **text, const struct place_format *format,
                          const struct config *config)
{
    char *written = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&written, &length);
    enum status status = stream ? format->write(config, stream) : STATUS_OK;
    bool whole = stream && !ferror(stream);
    if (stream)
        whole = fclose(stream) == 0 && whole;
    if (status == STATUS_OK && !whole)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the text of the view");
    *text = status == STATUS_OK ? written : NULL;
    if (status != STATUS_OK)
        free(written);
    return status;
}

enum status place_texts(char **view, char **kfr, const struct config *config)
{
    free(*view);
    free(*kfr);
    *view = *kfr = NULL;
    enum status status = place_to_text(kfr, &place_kfr, config);
    return status == STATUS_OK || status == STATUS_CONFIG ? place_to_text(view, &place_view, config)
                                                          : status;
}

void place_formats_print(FILE *stream)
{
    fputs("Places are read from, and written into (deepfield info VIEW -o FILE):\n", stream);
    for (int i = 0; i < place_formats_count; i++) {
        const struct place_format *format = place_formats[i];
        fprintf(stream, "  %-*s %-*s %-12s %s\n", NAME_COLUMN, format->name, SUFFIX_COLUMN,
                format->suffix, format->write ? "read, write" : "read", format->summary);
    }
}
