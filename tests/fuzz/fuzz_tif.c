/* Any bytes as a TIFF: refused with a sentence, or a text that lies in the bytes. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render/file/tif/tif_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text;
    struct png_facts facts;
    if (tif_text_find(data, size, "fuzz", &text, &facts) != STATUS_OK) {
        if (text || !status_text()[0])
            __builtin_trap();
        return 0;
    }
    size_t length = strlen(text);
    if (!tif_text_is_tif(data, size) || length >= size || !memmem(data, size, text, length) ||
        facts.width == 0 || facts.height == 0)
        __builtin_trap();
    free(text);
    return 0;
}
