/* Files that list colours without saying where they stand: maps of Fractint, palettes of GIMP,
 * colours of Kalles Fraktaler. They stand evenly along a ring here, as Fractint and Kalles
 * Fraktaler use them, and a curve runs through them. */
#include "render/colour/palette_kinds.h"

#include <string.h>

/* Closes an even ring: the first colour again at its end. */
static enum status ring_close(struct palette_draft *draft, const struct palette_text *text)
{
    int count = draft->count;
    if (count < 2)
        return palette_fail(text, "the file ends after %d colour%s; two or more are needed", count,
                            count == 1 ? "" : "s");
    for (int i = 0; i < count; i++)
        draft->stops[i].position = (double)i / count;
    draft->stops[count] = draft->stops[0];
    draft->stops[count].position = 1;
    draft->count++;
    draft->about.cyclic = true;
    return STATUS_OK;
}

/* Reads `r g b` up to `most`, of which the lower eight bits count, and ignores the rest of the
 * line. */
static enum status triplet_read(struct palette_draft *draft, const struct palette_text *text,
                                struct text line, int most)
{
    static const char *const names[3] = {"red", "green", "blue"};
    int rgb[3];
    for (int c = 0; c < 3; c++) {
        struct text word;
        bool there = text_word_next(&line, &word);
        if (!there || !palette_whole_take(&word, 0, most, &rgb[c]) || word.begin != word.end)
            return palette_fail(text,
                                "the %s is not a whole number from 0 to 255; expected 'red green "
                                "blue' such as '255 128 0'",
                                names[c]);
        rgb[c] &= 255;
    }
    return palette_draft_add(draft, text, rgb);
}

/* ---- .map: a line for each colour; words behind it are a comment ---- */

/* Most lines that Fractint reads, and largest value, of which it takes the lower 8 bits. */
enum { MAP_COLOURS = 256, MAP_VALUE_MAX = 65535 };

static enum status map_stops(struct palette_draft *draft, struct palette_text *text)
{
    struct text line;
    while (draft->count < MAP_COLOURS && palette_line_next(text, &line))
        TRY(triplet_read(draft, text, line, MAP_VALUE_MAX));
    return ring_close(draft, text);
}

static bool whole_follows(struct text *rest)
{
    struct text word;
    int number;
    return text_word_next(rest, &word) && palette_whole_take(&word, 0, MAP_VALUE_MAX, &number) &&
           word.begin == word.end;
}

static bool line_is_triplet(const struct text *line)
{
    struct text rest = *line;
    return whole_follows(&rest) && whole_follows(&rest) && whole_follows(&rest) &&
           !whole_follows(&rest);
}

static bool is_map(struct text text)
{
    return text_first_line(text, line_is_triplet);
}

const struct palette_kind palette_map = {
    .suffix = ".map",
    .summary = "colour maps of Fractint",
    .recognise = is_map,
    .stops = map_stops,
};

/* ---- .gpl ---- */

static enum status gpl_stops(struct palette_draft *draft, struct palette_text *text)
{
    struct text line;
    bool there = palette_line_next(text, &line);
    if (!there || !text_is(&line, "GIMP Palette"))
        return palette_fail(text, "not a palette of GIMP; the first line must be 'GIMP Palette'");
    while (palette_line_next(text, &line)) {
        bool header = draft->count == 0;
        if (header && text_begins(&line, "Name:")) {
            line.begin += strlen("Name:");
            text_blanks_skip(&line);
            palette_text_keep(&line, draft->about.title, sizeof draft->about.title);
        } else if (*line.begin != '#' && !(header && (text_begins(&line, "Columns:") ||
                                                      text_begins(&line, "Channels:")))) {
            TRY(triplet_read(draft, text, line, 255));
        }
    }
    return ring_close(draft, text);
}

static bool line_is_gpl(const struct text *line)
{
    return text_is(line, "GIMP Palette");
}

static bool is_gpl(struct text text)
{
    return text_first_line(text, line_is_gpl);
}

const struct palette_kind palette_gpl = {
    .suffix = ".gpl",
    .summary = "palettes of GIMP and Inkscape",
    .recognise = is_gpl,
    .stops = gpl_stops,
};

/* ---- .kfp, .kfr: `Colors: b,g,r,b,g,r,` among other keys ---- */

static enum status colours_read(struct palette_draft *draft, const struct palette_text *text,
                                struct text line)
{
    int bgr[3], channel = 0;
    if (draft->count)
        return palette_fail(text, "'Colors:' a second time; there must be one such line");
    for (text_blanks_skip(&line); line.begin < line.end; text_blanks_skip(&line)) {
        if (!palette_whole_take(&line, 0, 255, &bgr[channel]))
            return palette_fail(text,
                                "number %d of Colors is not a whole number from 0 to 255; expected "
                                "'blue,green,red,' again and again",
                                3 * draft->count + channel + 1);
        if (++channel == 3) {
            const int rgb[3] = {bgr[2], bgr[1], bgr[0]};
            TRY(palette_draft_add(draft, text, rgb));
            channel = 0;
        }
        text_blanks_skip(&line);
        if (line.begin < line.end && *line.begin++ != ',')
            return palette_fail(text, "expected a comma after number %d of Colors",
                                3 * draft->count + channel);
    }
    if (channel)
        return palette_fail(text, "%d numbers in Colors; every colour takes three: blue,green,red",
                            3 * draft->count + channel);
    return STATUS_OK;
}

static enum status kf_stops(struct palette_draft *draft, struct palette_text *text)
{
    static const char key[] = "Colors:";
    struct text line;
    bool found = false;
    while (palette_line_next(text, &line))
        if (text_begins(&line, key)) {
            line.begin += strlen(key);
            found = true;
            TRY(colours_read(draft, text, line));
        }
    return found ? ring_close(draft, text)
                 : palette_fail(text, "the file ends without a line 'Colors: blue,green,red,...'");
}

static bool line_is_colors(const struct text *line)
{
    return text_begins(line, "Colors:");
}

static bool is_kf(struct text text)
{
    return text_any_line(text, line_is_colors);
}

const struct palette_kind palette_kfp = {
    .suffix = ".kfp",
    .summary = "palettes of Kalles Fraktaler",
    .recognise = is_kf,
    .stops = kf_stops,
};
const struct palette_kind palette_kfr = {
    .suffix = ".kfr",
    .summary = "the colours of places of Kalles Fraktaler",
    .recognise = is_kf,
    .stops = kf_stops,
};
