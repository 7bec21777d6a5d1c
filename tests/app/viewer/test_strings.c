/* The table of texts: whole in every language, with the same marks, and in letters that the font
 * has. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/process/environment.h"
#include "app/viewer/overlays/strings.h"
#include "render/window/utf8.h"
#include "tests/support/check.h"

/* ---- the font: format 4 of the table cmap (OpenType 1.9, characters up to 0xffff) ---- */

static uint8_t *font;
static const uint8_t *cmap;

static unsigned u16(const uint8_t *at)
{
    return (unsigned)at[0] << 8 | at[1];
}

static uint32_t u32(const uint8_t *at)
{
    return (uint32_t)u16(at) << 16 | u16(at + 2);
}

static int font_open(void **state)
{
    FILE *file = fopen(FONT_FILE, "rb");
    enum { BYTES_MAX = 1 << 21 };
    (void)state;
    font = calloc(1, BYTES_MAX);
    if (!file || !font || !fread(font, 1, BYTES_MAX - 1, file))
        return -1;
    fclose(file);
    for (unsigned i = 0; i < u16(font + 4); i++) {
        const uint8_t *row = font + 12 + 16 * i;
        const uint8_t *table = font + u32(row + 8);
        for (unsigned j = 0; !memcmp(row, "cmap", 4) && j < u16(table + 2); j++)
            if (u16(table + u32(table + 8 + 8 * j)) == 4)
                cmap = table + u32(table + 8 + 8 * j);
    }
    return cmap ? 0 : -1;
}

static int font_close(void **state)
{
    (void)state;
    free(font);
    return 0;
}

static bool font_has(int32_t c)
{
    unsigned segments = u16(cmap + 6) / 2;
    const uint8_t *ends = cmap + 14, *starts = ends + 2 * segments + 2;
    const uint8_t *deltas = starts + 2 * segments, *offsets = deltas + 2 * segments;
    for (unsigned i = 0; i < segments; i++) {
        unsigned start = u16(starts + 2 * i), offset = u16(offsets + 2 * i);
        if (c > (int32_t)u16(ends + 2 * i))
            continue;
        if (c < (int32_t)start)
            return false;
        unsigned glyph = (unsigned)c;
        if (offset)
            glyph = u16(offsets + 2 * i + offset + 2 * ((unsigned)c - start));
        return ((glyph + u16(deltas + 2 * i)) & 0xffff) != 0;
    }
    return false;
}

/* ---- rows ---- */

static unsigned marks_of(const char *text)
{
    unsigned marks = 0;
    for (; *text; text++)
        if (text[0] == '%' && text[1] >= '1' && text[1] <= '9')
            marks |= 1u << (text[1] - '0');
    return marks;
}

static void check_text(const char *text, const char *english, enum language language)
{
    if (!text || !*text)
        fail_msg("'%s' has no text in %s", english, language_names[language]);
    if (marks_of(text) != marks_of(english))
        fail_msg("'%s' has other marks than '%s'", text, english);
    const char *at = text;
    for (int32_t c; (c = utf8_next(&at));)
        if (c == UTF8_WRONG || !font_has(c))
            fail_msg("'%s': the font has no U+%04x", text, (unsigned)c);
}

TEST(every_text_is_whole_in_every_language)
{
    assert_true(font_has('a') && font_has(0x142) && !font_has(0x4e00));
    for (int language = 0; language < LANGUAGES; language++) {
        check_text(language_names[language], language_names[language], LANGUAGE_EN);
        for (int i = 0; i < STRINGS; i++)
            check_text(string_in((enum string)i, (enum language)language),
                       string_in((enum string)i, LANGUAGE_EN), (enum language)language);
        for (int i = ACTION_NONE + 1; i < ACTIONS; i++)
            check_text(string_action_in((enum action)i, (enum language)language),
                       action_rows[i].help, (enum language)language);
    }
}

/* A row that was copied and never translated is seen: few are the same in all languages. */
TEST(languages_differ)
{
    for (int language = LANGUAGE_EN + 1; language < LANGUAGES; language++) {
        int same = 0;
        for (int i = 0; i < STRINGS; i++)
            same += !strcmp(string_in((enum string)i, (enum language)language),
                            string_in((enum string)i, LANGUAGE_EN));
        assert_in_range(same, 0, STRINGS / 8);
    }
}

TEST(the_language_in_use_is_asked)
{
    language_use(LANGUAGE_PL);
    assert_int_equal(language_used(), LANGUAGE_PL);
    assert_string_equal(string_of(STRING_WORDS_SPACE), "Spacja");
    assert_string_equal(string_action(ACTION_HELP), "ta pomoc");
    language_use(LANGUAGE_EN);
    assert_string_equal(string_of(STRING_WORDS_SPACE), "Space");
    assert_string_equal(string_action(ACTION_HELP), action_rows[ACTION_HELP].help);
}

/* ---- the locale ---- */

TEST(locales_have_languages)
{
    static const struct {
        const char *locale;
        enum language language;
    } rows[] = {{"de_AT.UTF-8", LANGUAGE_DE}, {"fr", LANGUAGE_FR},    {"es@euro", LANGUAGE_ES},
                {"pl-PL", LANGUAGE_PL},       {"C", LANGUAGE_EN},     {"POSIX", LANGUAGE_EN},
                {"deu", LANGUAGE_EN},         {"ja_JP", LANGUAGE_EN}, {"", LANGUAGE_EN},
                {NULL, LANGUAGE_EN},          {"d", LANGUAGE_EN},     {"en_GB", LANGUAGE_EN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(language_of_locale(rows[i].locale), rows[i].language);
}

/* As POSIX has it: LC_ALL before LC_MESSAGES before LANG, and one that is empty says nothing. */
TEST(the_environment_is_asked_in_order)
{
    setenv("LANG", "fr_FR.UTF-8", 1);
    unsetenv("LC_MESSAGES");
    setenv("LC_ALL", "", 1);
    assert_int_equal(environment_language(), LANGUAGE_FR);
    setenv("LC_MESSAGES", "es_ES", 1);
    assert_int_equal(environment_language(), LANGUAGE_ES);
    setenv("LC_ALL", "C.UTF-8", 1);
    assert_int_equal(environment_language(), LANGUAGE_EN);
}

/* ---- filling in ---- */

TEST(marks_are_filled_in_any_order)
{
    char text[64];
    const char *const values[] = {"one", "two %1", NULL};
    strings_fill(text, sizeof text, "%2 and %1, 5 %, %3 %", values);
    assert_string_equal(text, "two %1 and one, 5 %, %3 %");
    string_fill(text, sizeof text, STRING_HUD_ZOOM, "8");
    assert_string_equal(text, "zoom 8");
}

/* Whatever the room, it ends with a whole character. */
TEST(texts_are_cut_between_characters)
{
    static const char whole[] = "\xc5\x82\xe2\x80\xa6\xf0\x9f\x8c\x80z";
    const char *const values[] = {whole, NULL};
    for (size_t room = 1; room < 24; room++) {
        char text[24] = "";
        strings_fill(text, room, "%1", values);
        const char *at = text;
        assert_true(strlen(text) < room && !strncmp(text, whole, strlen(text)));
        for (int32_t c; (c = utf8_next(&at));)
            assert_int_not_equal(c, UTF8_WRONG);
        if (room > sizeof whole)
            assert_string_equal(text, whole);
    }
}

int main(void)
{
    return check_run(font_open, font_close);
}
