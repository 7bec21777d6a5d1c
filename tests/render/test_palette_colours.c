/* Palettes that are said by their colours. */
#include <math.h>
#include <string.h>

#include "render/palette_colours.h"
#include "render/srgb.h"
#include "tests/support/check.h"

TEST(test_colours_lie_evenly_along_a_ring)
{
    struct palette *palette;
    static const float wanted[4][3] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {255, 255, 255}};
    assert_int_equal(palette_load(&palette, "/nowhere", "#ff0000, #00FF00#0000ff #ffffff"),
                     STATUS_OK);
    assert_true(palette_about(palette)->cyclic);
    const float(*values)[4] = palette_values(palette);
    for (int i = 0; i <= 4; i++)
        for (int channel = 0; channel < 3; channel++) /* 8 bits */
            assert_true(fabsf(values[i * PALETTE_SAMPLES / 4][channel] - wanted[i % 4][channel]) <
                        0.5f);
    palette_destroy(palette);
}

TEST(test_what_is_no_list_of_colours)
{
    static const char *const cases[][2] = {
        {"#", "colour 1 of the palette is '#'"},
        {"#12345", "colour 1 of the palette is '#12345'"},
        {"#123456", "a palette of one colour"},
        {"#123456#12345g", "colour 2 of the palette is '#12345g'"},
        {"#123456 blue", "colour 2 of the palette is 'blue'; it must be #rrggbb"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct palette *palette;
        assert_int_equal(palette_load(&palette, "", cases[i][0]), STATUS_BAD_DATA);
        assert_null(palette);
        assert_non_null(strstr(status_text(), cases[i][1]));
    }
    char many[7 * (PALETTE_COLOURS_MAX + 1) + 1] = "";
    struct palette *palette;
    for (int i = 0; i <= PALETTE_COLOURS_MAX; i++)
        strcat(many, "#123456");
    assert_int_equal(palette_load(&palette, "", many), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "more than 128 colours"));
}

TEST(test_the_text_of_colours)
{
    char text[PALETTE_COLOURS_BYTES];
    static const uint8_t three[3][3] = {{1, 2, 3}, {255, 0, 16}, {0, 0, 0}};
    palette_colours_text(text, three, 3);
    assert_string_equal(text, "#010203#ff0010#000000");
    palette_colours_text(text, three, 1); /* a ring needs two */
    assert_string_equal(text, "#010203#010203");
    uint8_t ramp[1024][3];
    for (int i = 0; i < 1024; i++)
        ramp[i][0] = ramp[i][1] = ramp[i][2] = (uint8_t)(i / 4);
    palette_colours_text(text, (const uint8_t(*)[3])ramp, 1024);
    assert_int_equal(strlen(text), PALETTE_COLOURS_BYTES - 1);
    assert_memory_equal(text, "#000000#020202#040404", 21);
    struct palette *palette;
    assert_int_equal(palette_load(&palette, "", text), STATUS_OK);
    palette_destroy(palette);
}
