/* Values as ini text. It loads back equal: iniparser joins no lines, so what is long is split. */
#include "library/config/config.h"

#include <string.h>

enum { PART_BYTES = 900 };

/* `quote`: "" or a double quote, for each part. */
static void parts_write(const char *key, const char *text, const char *quote, FILE *stream)
{
    size_t length = strlen(text);
    if (length <= PART_BYTES) {
        fprintf(stream, "%s = %s%s%s\n", key, quote, text, quote);
        return;
    }
    for (size_t at = 0, part = 0; at < length; at += PART_BYTES, part++)
        fprintf(stream, "%s.%zu = %s%.*s%s\n", key, part, quote, PART_BYTES, text + at, quote);
}

static void value_write(const struct option_row *row, const char *text, FILE *stream)
{
    switch (row->type) {
    case OPTION_NUMBER:
        parts_write(row->key, text, "", stream);
        break;
    case OPTION_FORMULA: /* ';' is one, too */
        fprintf(stream, strpbrk(text, ",; ") ? "%s = \"%s\"\n" : "%s = %s\n", row->key, text);
        break;
    case OPTION_PALETTE: /* '#' outside of quotes starts a comment */
        parts_write(row->key, text, "\"", stream);
        break;
    case OPTION_TEXT:
    case OPTION_INTERIOR:
        fprintf(stream, "%s = \"%s\"\n", row->key, text);
        break;
    default:
        fprintf(stream, "%s = %s\n", row->key, text);
    }
}

void config_write(const struct config *config, enum config_selection selection, FILE *stream)
{
    const char *section = "";
    for (int i = 0; i < OPTIONS; i++) {
        const struct option_row *row = &option_rows[i];
        const struct config_value *value = &config->value[i];
        bool wanted = selection == CONFIG_ALL || row->traits & OPTION_OF_PICTURE;
        if (!row->key || !value->text || !wanted)
            continue;
        if (strcmp(section, row->section) != 0)
            fprintf(stream, "%s[%s]\n", *section ? "\n" : "", row->section);
        section = row->section;
        if (selection == CONFIG_ALL)
            fprintf(stream, "; %s\n", value->origin);
        value_write(row, value->text, stream);
    }
    if (selection == CONFIG_ALL && config->keys.count)
        fputs("\n[keys]\n", stream);
    for (size_t i = 0; i < config->keys.count && selection == CONFIG_ALL; i++)
        fprintf(stream, "%s = \"%s\"\n", config->keys.entry[i].key, config->keys.entry[i].value);
}
