#include "app/place/place_toml.h"

#include "app/text/convert.h"

enum status place_toml_add(struct ini *ini, const struct ini *toml, const struct place_text *text,
                           const struct place_toml_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ini_entry *entry = ini_find(toml, "", names[i].key);
        TRY(place_add(ini, text, entry ? entry->line : 1, names[i].name,
                      entry ? entry->value : names[i].fallback));
    }
    return STATUS_OK;
}

enum status place_toml_wrong(const struct place_text *text, const struct ini_entry *entry,
                             const char *what)
{
    char shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA, "%s:%d: %s is '%s': %s", text->name, entry->line,
                       entry->key, text_shown(entry->value, shown), what);
}

enum status place_toml_angle(const struct ini *toml, const struct place_text *text, const char *key,
                             double *angle, int *line)
{
    const struct ini_entry *entry = ini_find(toml, "", key);
    *angle = 0;
    if (entry)
        *line = entry->line;
    if (!entry || convert_real(entry->value, -ANGLE_MAX, ANGLE_MAX, angle) == STATUS_OK)
        return STATUS_OK;
    return place_toml_wrong(text, entry, "it must be a number from -1e6 to 1e6");
}
