/* Any bytes as a WebP: refused with a sentence, or a text that is no longer than they are. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/webp_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    struct png_facts facts;
    if (webp_text_find(data, size, "fuzz", &text, &facts) != STATUS_OK) {
        if (text || !status_text()[0])
            __builtin_trap();
        return 0;
    }
    size_t length = strlen(text);
    if (!webp_text_is_webp(data, size) || length >= size || facts.width == 0 || facts.height == 0)
        __builtin_trap();
    free(text);
    return 0;
}
