/* Any bytes as the JSON beside .npy planes: refused with a sentence, or a text, or none. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/planes_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text, *json = malloc(size ? size : 1); /* so that a byte beyond it is found */
    if (!json)
        return 0;
    if (size)
        memcpy(json, data, size);
    enum status status = planes_text_find(json, size, "fuzz.planes.json", &text);
    if (status != STATUS_OK && (text || !status_text()[0]))
        __builtin_trap();
    if (text && strlen(text) > size)
        __builtin_trap();
    free(text);
    free(json);
    return 0;
}
