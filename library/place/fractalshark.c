/* Saved places of FractalShark (locations.txt), one a line: width and height in pixels, the least
 * and the largest x and y as `min_x min_y max_x max_y`, the limit, samples a pixel, and a name. */
#include <stdlib.h>
#include <string.h>

#include "library/place/place_choice.h"
#include "library/place/place_format.h"
#include "render/file/frame.h"

enum { WIDTH, HEIGHT, MIN_X, MIN_Y, MAX_X, MAX_Y, LIMIT, SAMPLES, NUMBERS };

static bool is_of(const struct text *word, const char *set)
{
    for (const char *at = word->begin; at < word->end; at++)
        if (!*at || !strchr(set, *at))
            return false;
    return word->begin < word->end;
}

/* The numbers of a line; what is left of it is the name. */
static bool line_split(struct text *line, struct text number[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        bool whole = i < MIN_X || i > MAX_Y;
        if (!text_word_next(line, &number[i]) ||
            !is_of(&number[i], whole ? "0123456789" : "+-.0123456789eE"))
            return false;
    }
    text_blanks_skip(line);
    return true;
}

static bool line_is_place(const struct text *line)
{
    struct text rest = *line, number[NUMBERS];
    return line_split(&rest, number);
}

static enum status lines_offer(struct place_choice *choice, struct text text)
{
    struct place_item item = {.line = 0};
    for (struct text line, number[NUMBERS], ignored; text_line_take(&text, &line);) {
        item.line++;
        item.body = item.name = line;
        if (!text_word_next(&line, &ignored))
            continue;
        if (!line_split(&item.name, number))
            return status_fail(STATUS_BAD_DATA,
                               "%s:%d: not a place: width height min_x min_y max_x max_y limit "
                               "samples name",
                               choice->text->name, item.line);
        text_trim(&item.name);
        TRY(place_offer(choice, &item));
    }
    return place_choose(choice);
}

static enum status corners_read(struct ini *ini, const struct place_text *text, int line,
                                char *const number[NUMBERS])
{
    struct frame frame;
    const char *const corner[6] = {number[MIN_X], number[MAX_X], number[MIN_Y], number[MAX_Y]};
    TRY(place_blame(text, line, "its corners", frame_of_corners(&frame, corner)));
    enum status status = place_add(ini, text, line, "re", frame.re);
    if (status == STATUS_OK)
        status = place_add(ini, text, line, "im", frame.im);
    if (status == STATUS_OK)
        status = place_add(ini, text, line, "zoom", frame.zoom);
    if (status == STATUS_OK)
        status = place_add(ini, text, line, "limit", number[LIMIT]);
    frame_destroy(&frame);
    return status;
}

static enum status fractalshark_read(struct ini *ini, const struct place_text *text)
{
    struct place_choice choice = {.text = text};
    struct text word[NUMBERS];
    char *number[NUMBERS] = {0};
    TRY(place_check_text(text));
    TRY(lines_offer(&choice, text_lines_of(text->bytes, text->length)));
    struct text body = choice.chosen.body;
    int line = choice.chosen.line;
    enum status status = STATUS_OK;
    line_split(&body, word);
    for (int i = 0; i < NUMBERS && status == STATUS_OK; i++)
        status = place_copy_text(&word[i], text, line, &number[i]);
    if (status == STATUS_OK)
        status = corners_read(ini, text, line, number);
    for (int i = 0; i < NUMBERS; i++)
        free(number[i]);
    return status;
}

const struct place_format place_fractalshark = {.name = "FractalShark file",
                                                .suffix = ".txt",
                                                .summary = "FractalShark, its saved places",
                                                .several = true,
                                                .first_line = line_is_place,
                                                .read = fractalshark_read};
