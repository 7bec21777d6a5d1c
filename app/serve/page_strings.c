#include "app/serve/page_strings.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/serve/served_files.h"
#include "render/disk/json.h"

static void row_add(struct json *json, const struct served_string *row)
{
    json_open(json, row->name, '[');
    for (int language = 0; language < LANGUAGES; language++)
        json_text(json, NULL,
                  row->string == STRINGS ? string_action_in(row->action, (enum language)language)
                                         : string_in(row->string, (enum language)language));
    json_close(json);
}

enum status page_strings_make(char **script, size_t *length)
{
    struct json json = {.stream = open_memstream(script, length)};
    if (!json.stream)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the texts of the page");
    fputs("\"use strict\";\nvar deepfield_strings = ", json.stream);
    json_open(&json, NULL, '{');
    json_open(&json, "languages", '[');
    for (int language = 0; language < LANGUAGES; language++)
        json_text(&json, NULL, language_codes[language]);
    json_close(&json);
    json_open(&json, "rows", '{');
    for (int i = 0; i < served_strings_count; i++)
        row_add(&json, &served_strings[i]);
    json_close(&json);
    enum status status = json_end(&json);
    fputs(";\n", json.stream);
    if (fclose(json.stream) && status == STATUS_OK)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for the texts of the page");
    if (status == STATUS_OK)
        return STATUS_OK;
    free(*script);
    *script = NULL;
    return status;
}
