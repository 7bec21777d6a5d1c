/* A JSON document as a text in memory. */
#ifndef LIBRARY_HANDLE_TEXT_JSON_H
#define LIBRARY_HANDLE_TEXT_JSON_H

#include <stddef.h>

#include "kernels/status.h"
#include "render/disk/json.h"

struct text_json {
    struct json json; /* written to between open and end */
    char *text;
    size_t bytes;
};

/* Begins the document, an object '{' or an array '['. STATUS_OUT_OF_MEMORY. */
enum status text_json_open(struct text_json *text, char bracket);

/* Completes it: *given is the caller's to free. After a failure `status` there is no text: *given
 * is NULL, and the status is returned. */
enum status text_json_end(struct text_json *text, enum status status, char **given);

#endif
