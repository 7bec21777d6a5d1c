/* Any bytes as a palette file: refused with a sentence, or sampled without leaving [0,1]. */
#include <stddef.h>
#include <stdint.h>

#include "render/palette.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct palette *palette;
    if (palette_parse(&palette, (const char *)data, size, "fuzz") != STATUS_OK) {
        if (palette || !status_text()[0])
            __builtin_trap();
        return 0;
    }
    for (int i = -10; i < 1000; i++) {
        float rgb[3];
        palette_sample(palette, i / 990.0, rgb);
        for (int c = 0; c < 3; c++)
            if (!(rgb[c] >= 0 && rgb[c] <= 1))
                __builtin_trap();
    }
    palette_destroy(palette);
    return 0;
}
