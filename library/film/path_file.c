#include "library/film/path_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/text/convert.h"
#include "library/text/ini.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"

/* Key of a number of a keyframe, and where it is stored. */
struct real_key {
    const char *key;
    size_t offset; /* bytes from the start of struct film_keyframe */
    double low, high;
};

static const struct real_key real_keys[] = {
    {"time", offsetof(struct film_keyframe, time_s), 0, FILM_SECONDS_MOST},
    {"rotation", offsetof(struct film_keyframe, rotation_deg), -FILM_TURNS_MOST_DEG,
     FILM_TURNS_MOST_DEG},
    {"offset", offsetof(struct film_keyframe, offset), -FILM_OFFSET_MOST, FILM_OFFSET_MOST},
    {"relief", offsetof(struct film_keyframe, relief), 0, 1},
    {"ease", offsetof(struct film_keyframe, ease_s), 0, FILM_SECONDS_MOST},
};
enum { REAL_KEYS = sizeof real_keys / sizeof *real_keys };

static const char *const text_keys[] = {"re", "im", "zoom", "stretch"};
enum { TEXT_KEYS = sizeof text_keys / sizeof *text_keys };

/* State of reading one keyframe. */
struct section {
    const char *name;
    int line;
    struct film_keyframe keyframe; /* texts are borrowed */
    bool timed, zoomed, eased;
};

static enum status key_unknown(const char *name, const struct ini_entry *entry)
{
    struct spelling spelling = spelling_of(entry->key);
    char hint[96], shown[SHOWN_BYTES];
    for (int i = 0; i < REAL_KEYS; i++)
        spelling_offer(&spelling, real_keys[i].key);
    for (int i = 0; i < TEXT_KEYS; i++)
        spelling_offer(&spelling, text_keys[i]);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'%s; a keyframe has time, zoom, re, im, rotation, "
                       "stretch, offset, relief, ease",
                       name, entry->line, text_shown(entry->key, shown), hint);
}

static enum status entry_take(struct section *section, const struct ini_entry *entry,
                              const char *name)
{
    struct film_keyframe *keyframe = &section->keyframe;
    const char **texts[] = {&keyframe->re, &keyframe->im, &keyframe->zoom};
    for (int i = 0; i < 3; i++)
        if (!strcmp(entry->key, text_keys[i])) {
            *texts[i] = entry->value;
            section->zoomed = section->zoomed || i == 2;
            if ((i == 2 ? view_zoom_check : view_centre_check)(entry->value, "it") != STATUS_OK)
                return ini_value_wrong(name, entry);
            return STATUS_OK;
        }
    if (!strcmp(entry->key, "stretch"))
        return view_stretch_read(entry->value, &keyframe->stretch) == STATUS_OK
                   ? STATUS_OK
                   : ini_value_wrong(name, entry);
    for (int i = 0; i < REAL_KEYS; i++)
        if (!strcmp(entry->key, real_keys[i].key)) {
            double value;
            if (entry->parts || convert_real(entry->value, real_keys[i].low, real_keys[i].high,
                                             &value) != STATUS_OK)
                return ini_value_wrong(name, entry);
            memcpy((char *)keyframe + real_keys[i].offset, &value, sizeof value);
            section->timed = section->timed || !strcmp(entry->key, "time");
            section->eased = section->eased || !strcmp(entry->key, "ease");
            return STATUS_OK;
        }
    return key_unknown(name, entry);
}

static enum status section_add(struct film_path *path, const struct section *section,
                               const char *name)
{
    if (!section->timed || !section->zoomed)
        return status_fail(STATUS_BAD_DATA, "%s:%d: [%s] has no %s", name, section->line,
                           section->name, section->timed ? "zoom" : "time");
    if (film_path_add(path, &section->keyframe) == STATUS_OK)
        return STATUS_OK;
    return status_fail(STATUS_BAD_DATA, "%s:%d: [%s]: %.700s", name, section->line, section->name,
                       status_text());
}

static enum status sections_take(struct film_path *path, const struct ini *ini, const char *name,
                                 const struct film_keyframe *place)
{
    bool last_eased = false;
    for (size_t i = 0; i < ini->count;) {
        const char *own = ini->entry[i].section;
        struct section section = {.name = own, .line = ini->entry[i].line, .keyframe = *place};
        section.keyframe.zoom = NULL;
        section.keyframe.ease_s = path->count ? 0 : FILM_EASE_S;
        for (; i < ini->count && !strcmp(ini->entry[i].section, own); i++)
            TRY(entry_take(&section, &ini->entry[i], name));
        TRY(section_add(path, &section, name));
        last_eased = section.eased;
    }
    if (path->count < 2)
        return status_fail(STATUS_BAD_DATA, "%s: a film needs two keyframes or more", name);
    if (!last_eased)
        path->keyframe[path->count - 1].ease_s = FILM_EASE_S;
    return STATUS_OK;
}

enum status path_file_parse(struct film_path *path, const char *text, size_t length,
                            const char *name, const struct film_keyframe *place)
{
    struct ini ini;
    TRY(ini_parse(&ini, text, length, name, STATUS_BAD_DATA));
    enum status status = sections_take(path, &ini, name, place);
    ini_destroy(&ini);
    return status;
}

enum status path_file_read(struct film_path *path, const char *name,
                           const struct film_keyframe *place)
{
    char *text;
    size_t length;
    TRY(text_file_read(name, INI_BYTES_MAX, &text, &length));
    enum status status = path_file_parse(path, text, length, name, place);
    free(text);
    return status;
}
