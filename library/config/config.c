#include "library/config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/field.h"
#include "library/text/convert.h"
#include "library/text/image_size.h"
#include "library/text/spelling.h"
#include "library/text/text_file.h"
#include "render/colour/colour.h"
#include "render/colour/distribution.h"
#include "render/device/devices.h"
#include "render/film/video/film_rate.h"
#include "render/view/view.h"

enum status config_create(struct config *config)
{
    *config = (struct config){0};
    enum status status = STATUS_OK;
    for (int i = 0; i < OPTIONS && status == STATUS_OK; i++)
        if (option_rows[i].fallback)
            status = config_set(config, (enum option_key)i, option_rows[i].fallback, "default",
                                STATUS_INTERNAL);
    if (status != STATUS_OK)
        config_destroy(config);
    return status;
}

void config_destroy(struct config *config)
{
    for (int i = 0; i < OPTIONS; i++) {
        free(config->value[i].text);
        free(config->value[i].origin);
    }
    ini_destroy(&config->keys);
    *config = (struct config){0};
}

static void value_clear(struct config_value *value)
{
    free(value->text);
    free(value->origin);
    *value = (struct config_value){0};
}

static bool text_copy(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

enum status config_copy(struct config *copy, const struct config *config)
{
    bool whole = true;
    *copy = (struct config){.data = config->data};
    for (int i = 0; i < OPTIONS; i++) {
        const struct config_value *value = &config->value[i];
        copy->value[i] = *value;
        whole &= text_copy(&copy->value[i].text, value->text);
        whole &= text_copy(&copy->value[i].origin, value->origin);
    }
    if (whole)
        return STATUS_OK;
    config_destroy(copy);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a copy of settings");
}

void config_move(struct config *to, struct config *from, enum option_key option)
{
    value_clear(&to->value[option]);
    to->value[option] = from->value[option];
    from->value[option] = (struct config_value){0};
}

/* ---- one value ---- */

static enum status convert_planes(const char *text, int64_t *mask)
{
    unsigned planes = 0;
    TRY(planes_parse(text, &planes));
    *mask = planes;
    return STATUS_OK;
}

static enum status convert_devices(const char *text, int64_t *mask)
{
    struct devices_wanted wanted = {0};
    TRY(devices_parse(text, &wanted));
    *mask = (int64_t)wanted.chosen;
    return STATUS_OK;
}

static enum status convert_image_size(const char *text, struct config_value *value)
{
    struct image_size size;
    TRY(image_size_read(text, &size));
    value->integer = size.width;
    value->second = size.height;
    value->real = size.dpi;
    return STATUS_OK;
}

static enum status convert_truth(const char *text, int64_t *number)
{
    bool truth = false;
    TRY(convert_boolean(text, &truth));
    *number = truth;
    return STATUS_OK;
}

static enum status convert_interior(const char *text)
{
    enum interior_kind kind;
    float ignored[3];
    return *text ? interior_parse(text, &kind, ignored)
                 : status_fail(STATUS_CONFIG,
                               "not a colour; in ini files it stands in quotes: \"#rrggbb\"");
}

static enum status convert_value(enum option_key option, const char *text,
                                 struct config_value *value)
{
    const struct option_row *row = &option_rows[option];
    if (row->traits & OPTION_AUTO && !strcmp(text, "auto"))
        return STATUS_OK;
    switch (row->type) {
    case OPTION_NUMBER:
        return option_is_zoom(option) ? view_zoom_check(text, "it") : view_centre_check(text, "it");
    case OPTION_INTEGER:
        return convert_integer(text, row->least, row->most, &value->integer);
    case OPTION_REAL:
        return convert_real(text, row->low, row->high, &value->real);
    case OPTION_POINT:
        return convert_point(text, row->low, row->high, &value->real, &value->imaginary);
    case OPTION_BOOLEAN:
        return convert_truth(text, &value->integer);
    case OPTION_SIZE:
        return convert_image_size(text, value);
    case OPTION_CHOICE:
        return convert_choice(text, row->choice, &value->integer);
    case OPTION_PLANES:
        return convert_planes(text, &value->integer);
    case OPTION_DEVICES:
        return convert_devices(text, &value->integer);
    case OPTION_INTERIOR:
        return convert_interior(text);
    case OPTION_DISTRIBUTION:
        return distribution_parse(&(struct distribution){.runs = 0}, text);
    case OPTION_STRETCH:
        return view_stretch_read(text, &(struct view_shape){.mirrored = 0});
    case OPTION_RATE:
        return film_rate_read(text, &(struct film_rate){.frames = 0});
    case OPTION_FORMULA: /* text_kept has read it */
        return STATUS_OK;
    case OPTION_PALETTE:
        return convert_text(text, OPTION_PALETTE_MAX);
    default:
        return convert_text(text, OPTION_TEXT_MAX);
    }
}

/* Puts the place and the value before the sentence that says what is wrong with it. */
static enum status value_wrong(enum option_key option, const char *text, const char *origin,
                               enum status blame)
{
    char name[64], shown[SHOWN_BYTES], unit[64] = "";
    option_name(option, name, sizeof name);
    const struct option_row *row = &option_rows[option];
    if (row->type == OPTION_REAL && row->argument && row->argument[1]) /* a unit, not X */
        snprintf(unit, sizeof unit, " (--%s %s)", row->flag, row->argument);
    return status_fail(blame, "%s: %s = '%s': %s%s%s", origin, name, text_shown(text, shown),
                       status_text(), row->traits & OPTION_AUTO ? ", or auto" : "", unit);
}

static bool is_number(enum option_type type)
{
    return type == OPTION_NUMBER || type == OPTION_INTEGER || type == OPTION_REAL ||
           type == OPTION_POINT || type == OPTION_SIZE || type == OPTION_STRETCH;
}

/* Text that is kept for a value: numbers lose the underscores between their digits, formulas get
 * their shortest text. */
static enum status text_kept(enum option_key option, const char *text, enum status blame,
                             char **kept)
{
    enum option_type type = option_rows[option].type;
    if (is_number(type))
        return convert_ungrouped(text, kept);
    if (type == OPTION_FORMULA)
        return convert_formula(text, option_rows[option].choice, blame != STATUS_BAD_DATA, kept);
    *kept = strdup(text);
    return *kept ? STATUS_OK : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the value");
}

enum status config_set(struct config *config, enum option_key option, const char *text,
                       const char *origin, enum status blame)
{
    struct config_value fresh = {.origin = strdup(origin)};
    enum status status = text_kept(option, text, blame, &fresh.text);
    bool of_file = status == STATUS_NO_INPUT || status == STATUS_BAD_DATA; /* its name is said */
    if (status == STATUS_OK)
        status = convert_value(option, fresh.text, &fresh);
    if (status == STATUS_OUT_OF_MEMORY || !fresh.origin)
        status = status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for the value", origin);
    else if (of_file)
        status = status_fail(status, "%s: %s", origin, status_text());
    else if (status != STATUS_OK)
        status = value_wrong(option, text, origin, blame);
    if (status != STATUS_OK) {
        free(fresh.text);
        free(fresh.origin);
        return status;
    }
    struct config_value *value = &config->value[option];
    free(value->text);
    free(value->origin);
    *value = fresh;
    return STATUS_OK;
}

enum status config_blame(const struct config *config, enum option_key option, enum status status)
{
    const struct config_value *value = &config->value[option];
    return status == STATUS_OK ? status : value_wrong(option, value->text, value->origin, status);
}

/* ---- by name ---- */

enum status config_unknown(const char *section, const char *key, const char *origin,
                           enum status blame)
{
    bool known = option_section_known(section);
    char full[OPTIONS][64], wanted[96], shown[SHOWN_BYTES], hint[96];
    snprintf(wanted, sizeof wanted, "%.40s.%.40s", section, key);
    struct spelling spelling = spelling_of(wanted);
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].key) {
            option_name((enum option_key)i, full[i], sizeof full[i]);
            spelling_offer(&spelling, full[i]);
        }
    /* The right key in the wrong section is nearer than any spelling. */
    for (int i = 0; i < OPTIONS; i++)
        if (option_rows[i].key && !strcmp(option_rows[i].key, key))
            spelling.best = full[i];
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(blame, "%s: unknown %s '%s'%s", origin, known ? "key" : "section",
                       text_shown(known ? wanted : section, shown), hint);
}

/* Bindings of the viewer; the later ones win. */
static enum status keys_set(struct config *config, const char *action, const char *text,
                            const char *origin, enum status blame)
{
    if (config->keys_check(action, text) != STATUS_OK)
        return status_fail(blame, "%s: %s", origin, status_text());
    for (size_t i = 0; i < config->keys.count; i++)
        if (!strcmp(config->keys.entry[i].key, action)) {
            char *copy = strdup(text);
            if (!copy)
                return status_fail(STATUS_OUT_OF_MEMORY, "%s: no memory for the value", origin);
            free(config->keys.entry[i].value);
            config->keys.entry[i].value = copy;
            return STATUS_OK;
        }
    return ini_add(&config->keys, "keys", action, text, 0);
}

enum status config_set_named(struct config *config, const char *section, const char *key,
                             const char *text, const char *origin, enum status blame)
{
    if (config->keys_check && !strcmp(section, "keys"))
        return keys_set(config, key, text, origin, blame);
    enum option_key option = option_of_key(section, key);
    if (option == OPTIONS)
        return config_unknown(section, key, origin, blame);
    return config_set(config, option, text, origin, blame);
}

/* ---- files ---- */

static enum status entry_allowed(const struct ini_entry *entry, const char *origin,
                                 enum status blame)
{
    enum option_key option = option_of_key(entry->section, entry->key);
    if (blame == STATUS_BAD_DATA && !strcmp(entry->section, "keys"))
        return status_fail(blame, "%s: a view may not set [keys]; use a configuration file",
                           origin);
    if (option == OPTIONS)
        return STATUS_OK; /* told by config_set_named */
    if (blame == STATUS_BAD_DATA && option_rows[option].traits & OPTION_OF_MACHINE)
        return status_fail(blame,
                           "%s: a view may not set %s.%s; use a flag, the environment or a "
                           "configuration file",
                           origin, entry->section, entry->key);
    if (entry->parts && option_rows[option].type != OPTION_NUMBER &&
        option_rows[option].type != OPTION_PALETTE)
        return status_fail(blame, "%s: %s.%s is no number or palette that could be split", origin,
                           entry->section, entry->key);
    return STATUS_OK;
}

enum status config_apply(struct config *config, const struct ini *ini, const char *name,
                         enum status blame)
{
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_entry *entry = &ini->entry[i];
        char origin[600];
        snprintf(origin, sizeof origin, "%.560s:%d", name, entry->line);
        TRY(entry_allowed(entry, origin, blame));
        TRY(config_set_named(config, entry->section, entry->key, entry->value, origin, blame));
    }
    return STATUS_OK;
}

enum status config_apply_file(struct config *config, const char *path)
{
    char *bytes = NULL;
    size_t length = 0;
    enum status status = text_file_read(path, INI_BYTES_MAX, &bytes, &length);
    if (status == STATUS_BAD_DATA) /* a folder, or empty: what is wrong is the configuration */
        return STATUS_CONFIG;
    TRY(status);
    struct ini ini = {0};
    status = ini_parse(&ini, bytes, length, path, STATUS_CONFIG);
    if (status == STATUS_OK)
        status = config_apply(config, &ini, path, STATUS_CONFIG);
    ini_destroy(&ini);
    free(bytes);
    return status;
}

/* ---- contradictions ---- */

/* "FILE:LINE" is the only origin with a colon. */
static bool is_from_file(const struct config_value *value)
{
    return value->origin && strchr(value->origin, ':');
}

static void title_check(struct config *config)
{
    static const enum option_key names[] = {OPTION_VIEW_TITLE, OPTION_VIEW_CREDIT,
                                            OPTION_LOOK_DISTRIBUTION};
    if (is_from_file(&config->value[OPTION_VIEW_RE]) &&
        is_from_file(&config->value[OPTION_VIEW_IM]))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct config_value *name = &config->value[names[i]];
        if (is_from_file(name))
            value_clear(name);
    }
}

/* Drops the c of a file where the command line names the Mandelbrot set, which means the plane of
 * c, so that no contradiction is saved. */
static void c_check(struct config *config)
{
    const struct config_value *formula = &config->value[OPTION_VIEW_FORMULA];
    struct config_value *c = &config->value[OPTION_VIEW_JULIA];
    if (formula->text && !strcmp(formula->text, "mandelbrot") && !is_from_file(formula) &&
        is_from_file(c))
        value_clear(c);
}

void config_settle(struct config *config)
{
    title_check(config);
    c_check(config);
}

/* ---- reading ---- */

const char *config_text(const struct config *config, enum option_key option)
{
    return config->value[option].text;
}

const char *config_text_or_null(const struct config *config, enum option_key option)
{
    const char *text = config_text(config, option);
    return text && *text ? text : NULL;
}

int64_t config_integer(const struct config *config, enum option_key option)
{
    return config->value[option].integer;
}

double config_real(const struct config *config, enum option_key option)
{
    return config->value[option].real;
}

bool config_boolean(const struct config *config, enum option_key option)
{
    return config->value[option].integer != 0;
}

bool config_is_auto(const struct config *config, enum option_key option)
{
    const char *text = config_text(config, option);
    return !text || !strcmp(text, "auto");
}

bool config_was_set(const struct config *config, enum option_key option)
{
    const char *origin = config->value[option].origin;
    return origin && strcmp(origin, "default") != 0;
}
