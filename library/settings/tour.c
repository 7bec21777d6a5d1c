#include "library/settings/tour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/config/config_view.h"
#include "library/place/data.h"
#include "library/text/convert.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"

enum { WORKERS_MOST = 65536, TEXT_MARK = sizeof "text-" - 1 };

static const char *const view_keys[] = {"re",      "im",    "zoom",    "rotation", "mirror",
                                        "stretch", "limit", "bailout", "formula",  "julia"};
static const char *const look_keys[] = {"palette", "density", "runs",  "contrast", "offset",
                                        "relief",  "light",   "lines", "interior", "distribution"};
static const char *const own_keys[] = {"text-en", "flight", "dwell", "tiles", "workers", "repeat"};

enum {
    VIEW_KEYS = sizeof view_keys / sizeof *view_keys,
    LOOK_KEYS = sizeof look_keys / sizeof *look_keys,
    OWN_KEYS = sizeof own_keys / sizeof *own_keys
};

static bool is_among(const char *key, const char *const *keys, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

/* ---- values ---- */

static enum status key_unknown(const char *name, const struct ini_entry *entry)
{
    struct spelling spelling = spelling_of(entry->key);
    char hint[96], shown[SHOWN_BYTES];
    for (int i = 0; i < VIEW_KEYS; i++)
        spelling_offer(&spelling, view_keys[i]);
    for (int i = 0; i < LOOK_KEYS; i++)
        spelling_offer(&spelling, look_keys[i]);
    for (int i = 0; i < OWN_KEYS; i++)
        spelling_offer(&spelling, own_keys[i]);
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'%s; a stop has the keys of a place, text-en ... "
                       "text-pl, flight, dwell, tiles, workers, repeat",
                       name, entry->line, text_shown(entry->key, shown), hint);
}

static enum status real_take(const struct ini_entry *entry, const char *name, double *value)
{
    bool good =
        !entry->parts && convert_real(entry->value, 0, TOUR_SECONDS_MOST, value) == STATUS_OK;
    return good ? STATUS_OK : ini_value_wrong(name, entry);
}

static enum status answer_take(const struct ini_entry *entry, const char *name, bool *answer)
{
    *answer = !strcmp(entry->value, "yes");
    if (*answer || !strcmp(entry->value, "no"))
        return STATUS_OK;
    status_fail(STATUS_BAD_DATA, "it must be yes or no");
    return ini_value_wrong(name, entry);
}

static enum status workers_take(const struct ini_entry *entry, const char *name, int *workers)
{
    int64_t value = 0;
    if (entry->parts || convert_integer(entry->value, 0, WORKERS_MOST, &value) != STATUS_OK)
        return ini_value_wrong(name, entry);
    *workers = (int)value;
    return STATUS_OK;
}

static enum status text_take(const struct ini_entry *entry, const char *name, const char *language,
                             char *text[LANGUAGES])
{
    for (int i = 0; i < LANGUAGES; i++) {
        if (strcmp(language, language_codes[i]) != 0)
            continue;
        if (strlen(entry->value) > TOUR_TEXT_MOST)
            return status_fail(STATUS_BAD_DATA, "%s:%d: %s is longer than %d bytes", name,
                               entry->line, entry->key, TOUR_TEXT_MOST);
        text[i] = strdup(entry->value);
        return text[i] ? STATUS_OK
                       : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the text of a tour");
    }
    char shown[SHOWN_BYTES];
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: '%s' is no language of texts; they are en, de, fr, es, pl", name,
                       entry->line, text_shown(language, shown));
}

/* ---- stops ---- */

static enum status setting_take(struct config *config, const struct ini_entry *entry,
                                const char *name, const char *section)
{
    char origin[SHOWN_BYTES + 16], shown[SHOWN_BYTES];
    snprintf(origin, sizeof origin, "%s:%d", text_shown(name, shown), entry->line);
    return config_set_named(config, section, entry->key, entry->value, origin, STATUS_BAD_DATA);
}

static enum status entry_take(struct tour_stop *stop, struct config *config,
                              const struct ini_entry *entry, const char *name)
{
    const char *key = entry->key;
    if (is_among(key, view_keys, VIEW_KEYS))
        return setting_take(config, entry, name, "view");
    if (is_among(key, look_keys, LOOK_KEYS))
        return setting_take(config, entry, name, "look");
    if (!strncmp(key, "text-", TEXT_MARK))
        return text_take(entry, name, key + TEXT_MARK, stop->text);
    if (!strcmp(key, "flight"))
        return real_take(entry, name, &stop->flight_s);
    if (!strcmp(key, "dwell"))
        return real_take(entry, name, &stop->dwell_s);
    if (!strcmp(key, "tiles"))
        return answer_take(entry, name, &stop->tiles);
    if (!strcmp(key, "repeat"))
        return answer_take(entry, name, &stop->repeats);
    if (!strcmp(key, "workers"))
        return workers_take(entry, name, &stop->workers);
    return key_unknown(name, entry);
}

static enum status place_take(struct tour_stop *stop, const struct config *config, const char *name,
                              int line)
{
    const int needed[] = {OPTION_VIEW_RE, OPTION_VIEW_IM, OPTION_VIEW_ZOOM};
    for (int i = 0; i < 3; i++)
        if (!config_text(config, (enum option_key)needed[i]))
            return status_fail(STATUS_BAD_DATA, "%s:%d: [%s] has no %s", name, line, stop->name,
                               view_keys[i]);
    enum status status = place_of_settings(&stop->place, config);
    if (status == STATUS_OK)
        status = place_check(&stop->place);
    if (status != STATUS_OK && status != STATUS_OUT_OF_MEMORY)
        return status_fail(STATUS_BAD_DATA, "%s:%d: [%s]: %.700s", name, line, stop->name,
                           status_text());
    if (!config_was_set(config, OPTION_VIEW_LIMIT))
        stop->place.limit = 0;
    return status;
}

/* The entries from `first` on that are of its section; *next: the first that is not. */
static enum status stop_take(struct tour_stop *stop, const struct ini *ini, size_t first,
                             const char *name, size_t *next)
{
    const char *section = ini->entry[first].section;
    struct config config = {0};
    *stop = (struct tour_stop){
        .name = strdup(section), .flight_s = TOUR_FLIGHT_S, .dwell_s = TOUR_DWELL_S};
    if (!stop->name)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the stops of a tour");
    TRY(config_create(&config));
    enum status status = config_colours(&config); /* without a place: the same in all stops */
    size_t i = first;
    for (; status == STATUS_OK && i < ini->count && !strcmp(ini->entry[i].section, section); i++)
        status = entry_take(stop, &config, &ini->entry[i], name);
    *next = i;
    if (status == STATUS_OK)
        status = config_colours(&config);
    if (status == STATUS_OK)
        status = place_take(stop, &config, name, ini->entry[first].line);
    config_destroy(&config);
    return status;
}

static enum status title_take(struct tour *tour, const struct ini_entry *entry, const char *name)
{
    char shown[SHOWN_BYTES];
    if (!strncmp(entry->key, "title-", TEXT_MARK + 1))
        return text_take(entry, name, entry->key + TEXT_MARK + 1, tour->title);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'; [tour] has title-en, title-de, title-fr, "
                       "title-es, title-pl",
                       name, entry->line, text_shown(entry->key, shown));
}

static enum status sections_take(struct tour *tour, const struct ini *ini, const char *name)
{
    for (size_t i = 0; i < ini->count;) {
        if (!strcmp(ini->entry[i].section, "tour")) {
            TRY(title_take(tour, &ini->entry[i++], name));
            continue;
        }
        if (tour->stops == TOUR_STOPS_MOST)
            return status_fail(STATUS_BAD_DATA, "%s:%d: more than %d stops", name,
                               ini->entry[i].line, TOUR_STOPS_MOST);
        struct tour_stop *grown = realloc(tour->stop, (tour->stops + 1) * sizeof *tour->stop);
        if (!grown)
            return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the stops of a tour");
        tour->stop = grown;
        tour->stop[tour->stops] = (struct tour_stop){.name = NULL};
        TRY(stop_take(&tour->stop[tour->stops++], ini, i, name, &i));
    }
    return tour->stops ? STATUS_OK : status_fail(STATUS_BAD_DATA, "%s: a tour has no stop", name);
}

/* ---- all ---- */

enum status tour_parse(struct tour *tour, const char *text, size_t length, const char *name)
{
    struct ini ini;
    *tour = (struct tour){.stops = 0};
    TRY(ini_parse(&ini, text, length, name, STATUS_BAD_DATA));
    enum status status = sections_take(tour, &ini, name);
    ini_destroy(&ini);
    if (status != STATUS_OK)
        tour_destroy(tour);
    return status;
}

enum status tour_read(struct tour *tour, const char *path)
{
    char *text;
    size_t length;
    *tour = (struct tour){.stops = 0};
    TRY(text_file_read(path, INI_BYTES_MAX, &text, &length));
    enum status status = tour_parse(tour, text, length, path);
    free(text);
    return status;
}

static enum status tour_unknown(const char *folder, const char *name)
{
    char tours[4300], shown[SHOWN_BYTES], known[256] = "", hint[96];
    struct data_names names = {0};
    struct spelling spelling = spelling_of(name);
    snprintf(tours, sizeof tours, "%s/configs/tours", folder);
    TRY(data_names_list(&names, tours, ".ini"));
    for (size_t i = 0, used = 0; i < names.count && used < sizeof known; i++) {
        spelling_offer(&spelling, names.name[i]);
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 names.name[i]);
    }
    spelling_hint(&spelling, hint, sizeof hint);
    data_names_destroy(&names);
    return status_fail(STATUS_NO_INPUT, "no tour '%s'; there are %s, and files: ./%s.ini%s",
                       text_shown(name, shown), known, shown, hint);
}

enum status tour_load(struct tour *tour, const char *folder, const char *name)
{
    char path[4400];
    bool ours = !strpbrk(name, "/.") && strlen(name) < 64;
    snprintf(path, sizeof path, "%s/configs/tours/%s.ini", folder, name);
    if (ours && access(path, F_OK) != 0)
        return tour_unknown(folder, name);
    return tour_read(tour, ours ? path : name);
}

void tour_stem(const char *name, char *stem, size_t bytes)
{
    const char *slash = strrchr(name, '/');
    snprintf(stem, bytes, "%s", slash ? slash + 1 : name);
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem)
        *dot = '\0';
}

static void stop_destroy(struct tour_stop *stop)
{
    free(stop->name);
    place_destroy(&stop->place);
    for (int j = 0; j < LANGUAGES; j++)
        free(stop->text[j]);
}

size_t tour_leave_ranks(struct tour *tour)
{
    size_t kept = 0, stops = tour->stops;
    for (size_t i = 0; i < stops; i++) {
        struct tour_stop *stop = &tour->stop[i];
        if (stop->tiles || stop->repeats || stop->workers)
            stop_destroy(stop);
        else
            tour->stop[kept++] = *stop;
    }
    tour->stops = kept;
    return stops - kept;
}

void tour_destroy(struct tour *tour)
{
    for (size_t i = 0; i < tour->stops; i++)
        stop_destroy(&tour->stop[i]);
    for (int j = 0; j < LANGUAGES; j++)
        free(tour->title[j]);
    free(tour->stop);
    *tour = (struct tour){.stops = 0};
}

const char *tour_text(char *const text[LANGUAGES], const char *language)
{
    for (int i = 0; i < LANGUAGES; i++)
        if (text[i] && !strcmp(language, language_codes[i]))
            return text[i];
    for (int i = 0; i < LANGUAGES; i++)
        if (text[i])
            return text[i];
    return "";
}
