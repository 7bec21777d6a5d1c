#include "app/serve/bookmark_picture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

#define PREFIX "data:image/jpeg;base64,"

enum { QUALITY = 85 };

/* RFC 4648, 4. */
static void base64_write(const unsigned char *bytes, size_t length, char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0u);
        *text++ = digits[three >> 18];
        *text++ = digits[three >> 12 & 63];
        *text++ = left > 1 ? digits[three >> 6 & 63] : '=';
        *text++ = left > 2 ? digits[three & 63] : '=';
    }
    *text = '\0';
}

enum status bookmark_picture(const uint32_t *pixels, uint32_t width, uint32_t height, char **url)
{
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    *url = NULL;
    tjhandle jpeg = tjInitCompress();
    bool made =
        jpeg && tjCompress2(jpeg, (const unsigned char *)pixels, (int)width, 4 * (int)width,
                            (int)height, TJPF_BGRX, &bytes, &length, TJSAMP_420, QUALITY, 0) == 0;
    if (made)
        *url = malloc(sizeof PREFIX + (length + 2) / 3 * 4);
    if (*url) {
        memcpy(*url, PREFIX, sizeof PREFIX - 1);
        base64_write(bytes, length, *url + sizeof PREFIX - 1);
    }
    tjFree(bytes);
    if (jpeg)
        tjDestroy(jpeg);
    return *url ? STATUS_OK
                : status_fail(STATUS_OUT_OF_MEMORY, "no memory for the picture of a bookmark");
}
