#include "app/location.h"

#include <string.h>

#include "app/convert.h"
#include "app/nearest.h"

/* What a location file calls the keys of [view]. */
static const char *const names[][2] = {
    {"re", "re"}, {"im", "im"}, {"zoom", "zoom"}, {"iterations", "limit"}};

enum { NAMES = sizeof names / sizeof *names };

/* A comment never makes a file unreadable, so a credit that cannot be one is left out. */
static enum status credit_take(struct ini *ini, const struct key_line *line)
{
    static const char mark[] = "# credit:";
    if (strncmp(line->value, mark, sizeof mark - 1) != 0 || ini_find(ini, "view", "credit"))
        return STATUS_OK;
    const char *text = line->value + sizeof mark - 1;
    text += strspn(text, " \t");
    return *text && convert_text(text) == STATUS_OK
               ? ini_add(ini, "view", "credit", text, line->number)
               : STATUS_OK;
}

static enum status key_unknown(const struct key_line *line)
{
    char shown[SHOWN_BYTES], hint[96];
    struct nearest nearest = nearest_to(line->key);
    for (int i = 0; i < NAMES; i++)
        nearest_offer(&nearest, names[i][0]);
    nearest_hint(&nearest, hint, sizeof hint);
    return status_fail(STATUS_BAD_DATA,
                       "%s:%d: unknown key '%s'; known: re, im, zoom, iterations%s", line->name,
                       line->number, text_shown(line->key, shown), hint);
}

enum status location_add(struct ini *ini, const struct key_line *line, const char *key)
{
    const struct ini_entry *earlier = ini_find(ini, "view", key);
    if (earlier)
        return status_fail(STATUS_BAD_DATA, "%s:%d: %s was given in line %d already", line->name,
                           line->number, line->key, earlier->line);
    return ini_add(ini, "view", key, line->value, line->number);
}

static enum status line_take(void *context, const struct key_line *line)
{
    struct ini *ini = context;
    if (!line->key)
        return credit_take(ini, line);
    for (int i = 0; i < NAMES; i++)
        if (!strcmp(line->key, names[i][0]))
            return location_add(ini, line, names[i][1]);
    return key_unknown(line);
}

enum status location_parse(struct ini *ini, const char *text, size_t length, const char *name)
{
    *ini = (struct ini){0};
    enum status status = key_lines_each(text, length, '=', name, line_take, ini);
    if (status != STATUS_OK)
        ini_destroy(ini);
    return status;
}
