#include "render/disk/json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/number_text.h"

/* Length of the UTF-8 sequence at `text`, or 0 if it is invalid (RFC 3629: overlong forms,
 * surrogates and code points beyond U+10FFFF are). */
static size_t utf8_length(const unsigned char *text)
{
    unsigned char first = text[0], second = first ? text[1] : 0;
    size_t length = first < 0x80   ? 1
                    : first < 0xc2 ? 0
                    : first < 0xe0 ? 2
                    : first < 0xf0 ? 3
                    : first < 0xf5 ? 4
                                   : 0;
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
        (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

/* Makes a string of valid UTF-8, since json-c writes any bytes as they are. */
static struct json_object *string_make(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    char *sound = malloc(3 * strlen(text) + 1), *to = sound;
    for (const char *at = text; sound && *at;) {
        size_t length = utf8_length((const unsigned char *)at);
        memcpy(to, length ? at : replacement, length ? length : 3);
        to += length ? length : 3;
        at += length ? length : 1;
    }
    struct json_object *made = sound ? json_object_new_string_len(sound, (int)(to - sound)) : NULL;
    free(sound);
    return made;
}

/* Text of a value. json-c leaves out without an error what it has no memory for. */
static const char *text_of(struct json *json, struct json_object *value, int flags)
{
    errno = 0;
    const char *text = json_object_to_json_string_ext(value, flags);
    json->failed |= !text || errno == ENOMEM;
    return text ? text : "";
}

static const char *shown_text(struct json *json, struct json_object *value)
{
    if (json_object_is_type(value, json_type_string))
        return json_object_get_string(value);
    return text_of(json, value, JSON_C_TO_STRING_SPACED);
}

static void value_print(struct json *json, FILE *stream, struct json_object *value,
                        const char *between)
{
    size_t count =
        json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
    if (json_object_is_type(value, json_type_boolean))
        fputs(json_object_get_boolean(value) ? "yes" : "no", stream);
    else if (!value || (json_object_is_type(value, json_type_array) && !count))
        fputc('-', stream);
    else if (!count)
        fputs(shown_text(json, value), stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "%s%s", i ? between : "",
                shown_text(json, json_object_array_get_idx(value, i)));
}

static void cell_print(struct json *json, const struct json_column *column, const char *before,
                       struct json_object *value)
{
    char *text = NULL;
    size_t length = 0;
    if (!value && !column->width)
        return;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) {
        json->failed = true;
        return;
    }
    if (column->scale > 0 && value)
        fprintf(memory, "%.*f", column->decimals, column->scale * json_object_get_double(value));
    else
        value_print(json, memory, value, ",");
    if (fclose(memory) == 0)
        fprintf(json->stream, "%s%*s", before, column->width, text);
    else
        json->failed = true;
    free(text);
}

static void table_print(struct json *json, const struct json_table *table, struct json_object *rows)
{
    FILE *stream = json->stream;
    fprintf(stream, "%s\n", table->title);
    for (int c = 0; table->column->head && c < table->columns; c++)
        fprintf(stream, "%s%*s%s", c ? " " : "  ", table->column[c].width, table->column[c].head,
                c + 1 < table->columns ? "" : "\n");
    for (size_t r = 0; r < json_object_array_length(rows); r++) {
        struct json_object *row = json_object_array_get_idx(rows, r);
        for (int c = 0; c < table->columns; c++)
            cell_print(json, &table->column[c], c ? " " : "  ",
                       json_object_object_get(row, table->column[c].key));
        fputc('\n', stream);
    }
}

static void member_print(struct json *json, const char *key, struct json_object *value)
{
    for (int t = 0; t < json->tables; t++)
        if (!strcmp(json->table[t].key, key)) {
            table_print(json, &json->table[t], value);
            return;
        }
    fprintf(json->stream, "%-14s ", key);
    value_print(json, json->stream, value, " ");
    fputc('\n', json->stream);
}

static void print(struct json *json, struct json_object *value)
{
    if (json->table) {
        json_object_object_foreach(value, key, member) member_print(json, key, member);
        return;
    }
    const char *text =
        text_of(json, value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (!json->failed)
        fputs(text, json->stream);
}

/* Adds a value, which it takes; NULL becomes null. */
static void value_put(struct json *json, const char *key, struct json_object *value)
{
    struct json_object *in = json->depth > 0 ? json->open[json->depth - 1] : NULL;
    bool good = json->depth == 0;
    if (in && key)
        good = json_object_object_add(in, key, value) == 0;
    else if (in)
        good = json_object_array_add(in, value) == 0;
    json->failed |= !good;
    if (!good || json->depth == 0) {
        if (good)
            print(json, value);
        json_object_put(value);
    }
}

/* Adds a value that is not null; NULL means that memory ran out. */
static void value_add(struct json *json, const char *key, struct json_object *value)
{
    json->failed |= !value;
    if (value)
        value_put(json, key, value);
}

void json_open(struct json *json, const char *key, char bracket)
{
    assert(json->depth < JSON_DEPTH_MOST);
    struct json_object *value = bracket == '{' ? json_object_new_object() : json_object_new_array();
    json->failed |= !value;
    if (json->depth > 0)
        value_add(json, key, value);
    /* NULL: the value was not added and is freed */
    json->open[json->depth] = json->failed && json->depth > 0 ? NULL : value;
    json->depth++;
}

void json_begin(struct json *json, const char *schema)
{
    json_open(json, NULL, '{');
    if (!json->table)
        json_text(json, "schema", schema);
}

void json_close(struct json *json)
{
    assert(json->depth > 1);
    json->depth--;
}

enum status json_end(struct json *json)
{
    assert(json->depth == 1);
    json->depth = 0;
    if (!json->failed)
        print(json, json->open[0]);
    json_object_put(json->open[0]);
    return json->failed ? status_fail(STATUS_OUT_OF_MEMORY, "no memory for a text of JSON")
                        : STATUS_OK;
}

void json_drop(struct json *json)
{
    json->depth = 0;
    json_object_put(json->open[0]);
}

void json_text(struct json *json, const char *key, const char *text)
{
    if (text)
        value_add(json, key, string_make(text));
    else
        value_put(json, key, NULL);
}

void json_integer(struct json *json, const char *key, int64_t value)
{
    value_add(json, key, json_object_new_int64(value));
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    value_add(json, key, json_object_new_uint64(value));
}

void json_real(struct json *json, const char *key, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value); /* 0.1 rather than 0.10000000000000001 */
    if (number_real(text) != value)
        snprintf(text, sizeof text, "%.17g", value);
    if (isfinite(value))
        value_add(json, key, json_object_new_double_s(value, text));
    else
        value_put(json, key, NULL);
}

void json_boolean(struct json *json, const char *key, bool value)
{
    value_add(json, key, json_object_new_boolean(value));
}

void json_hex(struct json *json, const char *key, uint64_t value)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    json_text(json, key, text);
}

void json_add(struct json *json, const char *key, struct json_object *value)
{
    value_put(json, key, json_object_get(value));
}

static bool is_one_of(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

void json_add_members(struct json *json, struct json_object *object, const char *const *but)
{
    json_object_object_foreach(object, key, value)
    {
        if (!is_one_of(but, key))
            json_add(json, key, value);
    }
}

/* ---- reading ---- */

struct json_object *json_read(const char *text)
{
    struct json_object *value = json_tokener_parse(text);
    if (!value)
        status_fail(STATUS_BAD_DATA, "a text is no JSON, or there is no memory for it");
    return value;
}

void json_free(struct json_object *value)
{
    json_object_put(value);
}

struct json_object *json_member(const struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    if (json_object_is_type(object, json_type_object))
        json_object_object_get_ex(object, key, &value);
    return value;
}

static const char *string_of(struct json_object *value)
{
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
}

const char *json_text_of(const struct json_object *object, const char *key)
{
    return string_of(json_member(object, key));
}

int64_t json_integer_of(const struct json_object *object, const char *key)
{
    struct json_object *value = json_member(object, key);
    return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : 0;
}

double json_real_of(const struct json_object *object, const char *key)
{
    struct json_object *value = json_member(object, key);
    bool number =
        json_object_is_type(value, json_type_double) || json_object_is_type(value, json_type_int);
    return number ? json_object_get_double(value) : NAN;
}

bool json_boolean_of(const struct json_object *object, const char *key)
{
    struct json_object *value = json_member(object, key);
    return json_object_is_type(value, json_type_boolean) && json_object_get_boolean(value);
}

int json_length(const struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? (int)json_object_array_length(array) : 0;
}

struct json_object *json_element(const struct json_object *array, int number)
{
    return number < json_length(array) ? json_object_array_get_idx(array, (size_t)number) : NULL;
}

int64_t json_element_integer(const struct json_object *array, int number)
{
    return json_object_get_int64(json_element(array, number));
}

const char *json_element_text(const struct json_object *array, int number)
{
    return string_of(json_element(array, number));
}

char *json_text_find(const char *json, const char *key)
{
    struct json_object *all = json_tokener_parse(json), *found = NULL;
    char *text = NULL;
    if (json_object_is_type(all, json_type_object) && json_object_object_get_ex(all, key, &found) &&
        json_object_is_type(found, json_type_string) &&
        strlen(json_object_get_string(found)) == (size_t)json_object_get_string_len(found))
        text = strdup(json_object_get_string(found));
    json_object_put(all);
    return text;
}
