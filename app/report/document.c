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

bool document_printed(void)
{
    return printed;
}
