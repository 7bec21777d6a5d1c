/* Palettes that are said by their colours. */
#include <math.h>
#include <string.h>

#include "render/colour/palette_colours.h"
#include "render/colour/srgb.h"
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
        strcpy(many + (size_t)7 * (size_t)i, "#123456");
    assert_int_equal(palette_load(&palette, "", many), STATUS_BAD_DATA);
    assert_non_null(strstr(status_text(), "more than 1024 colours"));
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
    assert_memory_equal(text, "#000000#000000#000000#000000#010101", 35); /* none is left out */
    struct palette *palette;
    assert_int_equal(palette_load(&palette, "", text), STATUS_OK);
    palette_destroy(palette);
}

/* Each colour is where it says, on the ring whose first place may be anywhere. */
TEST(test_colours_lie_at_their_places)
{
    struct palette *palette;
    assert_int_equal(palette_load(&palette, "", "#ff0000@0.125, #00ff00@0.25#0000ff@0.75"),
                     STATUS_OK);
    const float(*values)[4] = palette_values(palette);
    static const struct {
        int eighth;
        float rgb[3];
    } wanted[] = {{1, {255, 0, 0}}, {2, {0, 255, 0}}, {6, {0, 0, 255}}};
    for (int i = 0; i < 3; i++)
        for (int channel = 0; channel < 3; channel++)
            assert_true(fabsf(values[wanted[i].eighth * PALETTE_SAMPLES / 8][channel] -
                              wanted[i].rgb[channel]) < 0.5f);
    palette_destroy(palette);
    static const char *const cases[][2] = {
        {"#ff0000@0.5#00ff00@0.25", "colour 2 of the palette is at 0.25"},
        {"#ff0000@0.5#00ff00@0.5", "rise by 0.001"},
        {"#ff0000#00ff00@0.5", "for all of them #rrggbb@0.25"},
        {"#ff0000@0#00ff00", "for all of them"},
        {"#ff0000@0#00ff00@1", "colour 2 of the palette is '#00ff00@1'"},
        {"#ff0000@0#00ff00@-1", "colour 2"},
        {"#ff0000@0#00ff00@0.", "colour 2"},
        {"#ff0000@0#00ff00@nan", "colour 2"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(palette_load(&palette, "", cases[i][0]), STATUS_BAD_DATA);
        if (!strstr(status_text(), cases[i][1]))
            fail_msg("%s: %s", cases[i][0], status_text());
    }
}
