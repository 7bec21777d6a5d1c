/* Any bytes as NAME.planes.json: a text is found in them, or none. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/disk/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *json = strndup((const char *)data, size);
    char *text = json ? json_text_find(json, "view") : NULL;
    if (text && strlen(text) >= size)
        __builtin_trap();
    free(text);
    free(json);
    return 0;
}
