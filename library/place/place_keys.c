#include "library/place/place_keys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "library/text/convert.h"
#include "library/text/toml.h"

static enum status value_wrong(const struct place_text *text, int line, const char *key,
                               const char *value, const char *what)
{
    char shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s': %s", text->name, line, key,
                       text_shown(value, shown), what);
}

static enum status value_take(struct ini *ini, const struct place_text *text,
                              const struct place_key *row, int line, const char *value)
{
    char *number = NULL;
    if (row->only && (row->any_case ? strcasecmp : strcmp)(value, row->only) != 0)
        return value_wrong(text, line, row->key, value, row->what);
    if (!row->name)
        return STATUS_OK;
    if (row->convert)
        TRY(place_blame(text, line, row->key, row->convert(value, &number)));
    enum status status = place_add(ini, text, line, row->name, number ? number : value);
    free(number);
    return status;
}

/* ---- lines ---- */

struct keys_reading { /* state of place_keys_read */
    struct ini *ini;
    const struct place_text *text;
    const struct place_keys *keys;
    void *context;
    bool here; /* the line is in the section that is read */
};

static enum status line_take(void *context, const struct key_line *line)
{
    struct keys_reading *reading = context;
    const struct place_keys *keys = reading->keys;
    if (keys->section && !line->key && *line->value == '[')
        reading->here = !strcasecmp(line->value, keys->section);
    for (const struct place_key *row = keys->key, *end = row + keys->count; row < end; row++)
        if (line->key && reading->here &&
            !(keys->section ? strcasecmp : strcmp)(line->key, row->key))
            return value_take(reading->ini, reading->text, row, line->number, line->value);
    return keys->other ? keys->other(reading->context, line) : STATUS_OK;
}

enum status place_keys_read(struct ini *ini, const struct place_text *text,
                            const struct place_keys *keys, void *context)
{
    struct keys_reading reading = {ini, text, keys, context, .here = !keys->section};
    TRY(key_lines_each(text->bytes, text->length, keys->separator, text->name, line_take,
                       &reading));
    for (const struct place_key *row = keys->key, *end = row + keys->count; row < end; row++)
        if (row->fallback && !ini_find(ini, "view", row->name))
            TRY(place_add(ini, text, 1, row->name, row->fallback));
    return STATUS_OK;
}

/* ---- TOML ---- */

static enum status entries_add(struct ini *ini, const struct place_text *text,
                               const struct place_keys *keys, const struct ini *toml)
{
    for (const struct place_key *row = keys->key, *end = row + keys->count; row < end; row++) {
        const struct ini_entry *entry = ini_find(toml, "", row->key);
        if (entry)
            TRY(value_take(ini, text, row, entry->line, entry->value));
        else if (row->fallback)
            TRY(place_add(ini, text, 1, row->name, row->fallback));
    }
    return STATUS_OK;
}

enum status place_toml_read(struct ini *ini, const struct place_text *text,
                            const struct place_keys *keys,
                            enum status (*rest)(struct ini *ini, const struct ini *toml,
                                                const struct place_text *text))
{
    struct ini toml = {0};
    enum status status = toml_parse(&toml, text->bytes, text->length, text->name);
    if (status == STATUS_OK)
        status = entries_add(ini, text, keys, &toml);
    if (status == STATUS_OK)
        status = rest(ini, &toml, text);
    ini_destroy(&toml);
    return status;
}

enum status place_toml_wrong(const struct place_text *text, const struct ini_entry *entry,
                             const char *what)
{
    return value_wrong(text, entry->line, entry->key, entry->value, what);
}

enum status place_toml_angle(const struct ini *toml, const struct place_text *text, const char *key,
                             struct place_number *angle)
{
    const struct ini_entry *entry = ini_find(toml, "", key);
    *angle = (struct place_number){.line = entry ? entry->line : 0};
    if (!entry || convert_real(entry->value, -ANGLE_MAX, ANGLE_MAX, &angle->value) == STATUS_OK)
        return STATUS_OK;
    return place_toml_wrong(text, entry, "it must be a number from -1e6 to 1e6");
}
