#include "app/arguments/config_load.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/process/environment.h"
#include "library/text/convert.h"
#include "library/text/spelling.h"

extern char **environ;

/* ---- files ---- */

static enum status file_apply_if_there(struct config *config, const char *path)
{
    return access(path, F_OK) == 0 ? config_apply_file(config, path) : STATUS_OK;
}

enum status config_apply_standard_files(struct config *config)
{
    TRY(file_apply_if_there(config, "/etc/xdg/deepfield/deepfield.ini"));
    /* XDG Base Directory Specification 0.8: a path that is not absolute is to be ignored. */
    const char *own = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char path[4096];
    if (own && own[0] == '/')
        snprintf(path, sizeof path, "%s/deepfield/deepfield.ini", own);
    else if (home && home[0] == '/')
        snprintf(path, sizeof path, "%s/.config/deepfield/deepfield.ini", home);
    else
        return STATUS_OK;
    return file_apply_if_there(config, path);
}

/* ---- environment ---- */

/* Other programs may have variables with our prefix, so only a near miss is an error. */
static enum status variable_check(const char *variable)
{
    char wanted[64], names[OPTIONS][64], hint[96];
    snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(variable, "="), variable);
    struct spelling spelling = {.wanted = wanted, .distance = 3};
    spelling_offer(&spelling, "DEEPFIELD_DATA");
    for (int i = 0; i < OPTIONS; i++)
        if (option_environment((enum option_key)i, names[i], sizeof names[i]))
            spelling_offer(&spelling, names[i]);
    if (!spelling.best || !spelling.distance)
        return STATUS_OK;
    spelling_hint(&spelling, hint, sizeof hint);
    return status_fail(STATUS_CONFIG, "environment: unknown variable '%s'%s", wanted, hint);
}

enum status config_apply_environment(struct config *config)
{
    for (char **variable = environ; variable && *variable; variable++)
        if (!strncmp(*variable, "DEEPFIELD_", 10))
            TRY(variable_check(*variable));
    for (int i = 0; i < OPTIONS; i++) {
        char name[64];
        const char *text = NULL;
        if (option_environment((enum option_key)i, name, sizeof name))
            text = getenv(name);
        if (text)
            TRY(config_set(config, (enum option_key)i, text, name, STATUS_CONFIG));
    }
    return STATUS_OK;
}

/* ---- flags ---- */

/* "section.key=value" */
static enum status set_apply(struct config *config, const char *text)
{
    char section[64], key[64], shown[SHOWN_BYTES];
    const char *equals = strchr(text, '='), *dot = strchr(text, '.');
    if (!equals || !dot || dot > equals || dot == text || dot + 1 == equals ||
        equals - text >= (ptrdiff_t)sizeof section)
        return status_fail(STATUS_USAGE, "--set '%s': it must be section.key=value",
                           text_shown(text, shown));
    snprintf(section, sizeof section, "%.*s", (int)(dot - text), text);
    snprintf(key, sizeof key, "%.*s", (int)(equals - dot - 1), dot + 1);
    return config_set_named(config, section, key, equals + 1, "--set", STATUS_USAGE);
}

static enum status files_apply(struct config *config, const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == OPTION_CONFIG)
            TRY(config_apply_file(config, arguments->given[i].text));
    return STATUS_OK;
}

enum status config_apply_flags(struct config *config, const struct arguments *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const struct argument *given = &arguments->given[i];
        const struct option_row *row = &option_rows[given->option];
        char origin[64];
        snprintf(origin, sizeof origin, "--%s", row->flag);
        if (given->option == OPTION_SET)
            TRY(set_apply(config, given->text));
        else if (given->option == OPTION_EXACT)
            TRY(config_set(config, OPTION_COMPUTE_ACCURACY, "1e-9", origin, STATUS_USAGE));
        else if (row->key)
            TRY(config_set(config, given->option, given->text ? given->text : "true", origin,
                           STATUS_USAGE));
    }
    return STATUS_OK;
}

/* The order of these lines is the order of precedence. */
enum status config_load(struct config *config, config_keys_check *keys_check,
                        const struct arguments *arguments, const struct ini *view, const char *name)
{
    TRY(config_create(config));
    config->keys_check = keys_check;
    config->data = environment_data();
    TRY(config_apply_standard_files(config));
    TRY(files_apply(config, arguments));
    if (view)
        TRY(config_apply(config, view, name, STATUS_BAD_DATA));
    TRY(config_apply_environment(config));
    TRY(config_apply_flags(config, arguments));
    config_settle(config);
    return STATUS_OK;
}
