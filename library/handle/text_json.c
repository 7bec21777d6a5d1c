#include "library/handle/text_json.h"

#include <stdlib.h>

enum status text_json_open(struct text_json *text, char bracket)
{
    *text = (struct text_json){.text = NULL};
    FILE *stream = open_memstream(&text->text, &text->bytes);
    if (!stream)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a text");
    text->json.stream = stream;
    json_open(&text->json, NULL, bracket);
    return STATUS_OK;
}

enum status text_json_end(struct text_json *text, enum status status, char **given)
{
    FILE *stream = text->json.stream;
    if (status == STATUS_OK)
        status = json_end(&text->json);
    else
        json_drop(&text->json);
    if (fclose(stream) != 0 && status == STATUS_OK)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory for a text");
    if (status != STATUS_OK) {
        free(text->text);
        text->text = NULL;
    }
    *given = text->text;
    return status;
}
