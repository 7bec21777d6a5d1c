/* Any bytes as a palette file of one kind: refused with a sentence, or sampled without leaving
 * [0,1]. PALETTE_SUFFIX says which kind. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "render/colour/palette_kinds.h"
#include "tests/support/palette_sample.h"

enum { GRADIENTS_MOST = 4 };

struct gradients {
    int count;
    char name[GRADIENTS_MOST][PALETTE_NAME_BYTES];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(enum status status, struct palette *palette)
{
    if (status != STATUS_OK && (palette || !status_text()[0]))
        __builtin_trap();
    for (int i = -10; palette && i < 1000; i++) {
        float rgb[3];
        palette_sample(palette, i / 990.0, rgb);
        for (int c = 0; c < 3; c++)
            if (!(rgb[c] >= 0 && rgb[c] <= 1))
                __builtin_trap();
    }
    palette_destroy(palette);
}

static void named_read(const struct palette_kind *kind, const uint8_t *data, size_t size,
                       const char *gradient)
{
    struct palette *palette = NULL;
    struct palette_text text;
    enum status status = palette_text_open(&text, (const char *)data, size, "fuzz" PALETTE_SUFFIX);
    if (status == STATUS_OK)
        status = kind->read(&palette, &text, gradient);
    check(status, palette);
}

static enum status name_keep(void *context, const char *name, const struct palette *palette)
{
    struct gradients *gradients = context;
    if (!palette || gradients->count == GRADIENTS_MOST)
        return status_fail(STATUS_STOPPED, "enough");
    memcpy(gradients->name[gradients->count++], name, strlen(name) + 1);
    return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct palette_kind *kind = palette_kind_of("fuzz" PALETTE_SUFFIX);
    struct gradients gradients = {0};
    struct palette_text text;
    struct palette *palette;
    enum status status = palette_parse(&palette, (const char *)data, size, "fuzz" PALETTE_SUFFIX);
    check(status, palette);
    if (kind->each &&
        palette_text_open(&text, (const char *)data, size, "fuzz" PALETTE_SUFFIX) == STATUS_OK)
        kind->each(&text, PALETTE_COLOURS, name_keep, &gradients);
    for (int i = 0; i < gradients.count; i++)
        named_read(kind, data, size, gradients.name[i]);
    return 0;
}
