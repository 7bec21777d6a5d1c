/* Texts of palette files that are read, or must be refused. */
#ifndef TESTS_RENDER_COLOUR_PALETTE_READ_H
#define TESTS_RENDER_COLOUR_PALETTE_READ_H

#include <string.h>

#include "render/colour/palette.h"
#include "tests/support/check.h"

static inline struct palette *read_as(const char *name, const char *text)
{
    struct palette *palette;
    if (palette_parse(&palette, text, strlen(text), name) != STATUS_OK)
        fail_msg("%s", status_text());
    return palette;
}

static inline void assert_refused(const char *name, const char *text, const char *message)
{
    struct palette *palette;
    size_t length = strlen(text);
    char *exact = malloc(length + 1); /* no NUL within reach */
    memcpy(exact, text, length);
    exact[length] = '7';
    if (palette_parse(&palette, exact, length, name) != STATUS_BAD_DATA)
        fail_msg("%s is not refused: %s", name, text);
    assert_null(palette);
    if (!strstr(status_text(), message))
        fail_msg("%s: '%s' lacks '%s'", text, status_text(), message);
    free(exact);
}

#endif
