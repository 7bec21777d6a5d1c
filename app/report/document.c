#include "app/report/document.h"

#include <stdio.h>

static bool printed;

enum status document_end(struct json *json)
{
    TRY(json_end(json));
    fputc('\n', json->stream);
    printed = true;
    return STATUS_OK;
}

void document_failure(int code, const char *text, const char *view)
{
    struct json json = {.stream = stdout};
    json_begin(&json, "error/1");
    json_integer(&json, "code", code);
    json_text(&json, "text", text);
    json_text(&json, "view", view);
    (void)document_end(&json);
    fflush(stdout);
}

bool document_printed(void)
{
    return printed;
}
