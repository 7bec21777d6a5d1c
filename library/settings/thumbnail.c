#include "library/settings/thumbnail.h"

#include "render/file/png_pixels.h"
#include "render/file/png_text.h"

_Static_assert((int)THUMBNAIL_TEXT_BYTES == (int)PNG_TEXT_BYTES_MAX,
               "a text has one greatest length");

enum status thumbnail_text(const char *png, size_t length, const char *name, char **text)
{
    struct png_facts facts;
    return png_text_find((const uint8_t *)png, length, name, text, &facts);
}

enum status thumbnail_pixels(const char *png, size_t length, const char *name, uint32_t most_px,
                             uint32_t **pixels, uint32_t *width, uint32_t *height)
{
    return png_pixels_read((const uint8_t *)png, length, name, most_px, pixels, width, height);
}
