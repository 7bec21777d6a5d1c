/* Our own kind of palette; its form stands at the top of palette.h. */
#include "render/colour/palette_kinds.h"

#include <string.h>

static enum status stop_read(struct palette_draft *draft, const struct palette_text *text,
                             struct text line)
{
    static const char *const columns[4] = {"position", "red", "green", "blue"};
    double number[4];
    for (int i = 0; i < 4; i++) {
        text_blanks_skip(&line);
        if (!palette_number_take(&line, &number[i]) || !(number[i] >= 0 && number[i] <= 1))
            return palette_fail(text,
                                "the %s is not a number from 0 to 1; expected "
                                "'position, red, green, blue' such as '0.25, 1, 0.5, 0'",
                                columns[i]);
        text_blanks_skip(&line);
        bool good = i < 3 ? line.begin < line.end && *line.begin++ == ',' : line.begin == line.end;
        if (!good)
            return palette_fail(text,
                                "expected %s after the %s; a line is 'position, red, green, blue'",
                                i < 3 ? "a comma" : "nothing", columns[i]);
    }
    if (draft->count == PALETTE_STOPS_MAX)
        return palette_fail(text, "more than %d colours", PALETTE_STOPS_MAX);
    if (draft->count == 0 ? number[0] != 0
                          : number[0] - draft->stops[draft->count - 1].position < 1e-6)
        return palette_fail(text,
                            "position %g; the first must be 0 and every other one greater than the "
                            "one before it (by 0.000001 or more)",
                            number[0]);
    struct palette_stop *stop = &draft->stops[draft->count++];
    stop->position = number[0];
    memcpy(stop->rgb, &number[1], sizeof stop->rgb);
    return STATUS_OK;
}

static enum status answer_read(const struct palette_text *text, const char *key,
                               const struct text *value, bool *answer)
{
    bool yes = text_is(value, "yes");
    if (!yes && !text_is(value, "no"))
        return palette_fail(text, "%s must be yes or no", key);
    *answer = yes;
    return STATUS_OK;
}

static enum status comment_read(struct palette_about *about, const struct palette_text *text,
                                struct text line)
{
    text_blanks_skip(&line);
    const char *colon = memchr(line.begin, ':', (size_t)(line.end - line.begin));
    if (!colon)
        return STATUS_OK;
    struct text key = {line.begin, colon}, value = {colon + 1, line.end};
    text_blanks_skip(&value);
    if (text_is(&key, "title"))
        palette_text_keep(&value, about->title, sizeof about->title);
    else if (text_is(&key, "source"))
        palette_text_keep(&value, about->source, sizeof about->source);
    else if (text_is(&key, "licence"))
        palette_text_keep(&value, about->licence, sizeof about->licence);
    else if (text_is(&key, "cvd-safe"))
        return answer_read(text, "cvd-safe", &value, &about->cvd_safe);
    else if (text_is(&key, "cyclic"))
        return answer_read(text, "cyclic", &value, &about->cyclic);
    return STATUS_OK;
}

static enum status csv_stops(struct palette_draft *draft, struct palette_text *text)
{
    struct text line;
    while (palette_line_next(text, &line)) {
        bool comment = *line.begin == '#';
        line.begin += comment;
        TRY(comment ? comment_read(&draft->about, text, line) : stop_read(draft, text, line));
    }
    int count = draft->count;
    if (count < 2)
        return palette_fail(text, "the file ends after %d colour%s; two or more are needed", count,
                            count == 1 ? "" : "s");
    const struct palette_stop *first = draft->stops, *last = &draft->stops[count - 1];
    if (last->position != 1)
        return palette_fail(text, "the file ends at position %g; the last must be 1",
                            last->position);
    if (draft->about.cyclic && memcmp(first->rgb, last->rgb, sizeof first->rgb) != 0)
        return palette_fail(text, "cyclic, so the last colour must be the first one");
    return STATUS_OK;
}

static void comment_write(FILE *stream, const char *key, const char *value)
{
    if (*value)
        fprintf(stream, "# %s: %s\n", key, value);
}

static void csv_write(const struct palette_draft *draft, FILE *stream)
{
    const struct palette_about *about = &draft->about;
    comment_write(stream, "title", about->title);
    comment_write(stream, "source", about->source);
    comment_write(stream, "licence", about->licence);
    comment_write(stream, "cvd-safe", about->cvd_safe ? "yes" : "no");
    comment_write(stream, "cyclic", about->cyclic ? "yes" : "no");
    fputs("# position, red, green, blue\n", stream);
    for (int i = 0; i < draft->count; i++) {
        const struct palette_stop *stop = &draft->stops[i];
        fprintf(stream, "%.9g, %.6f, %.6f, %.6f\n", stop->position, stop->rgb[0], stop->rgb[1],
                stop->rgb[2]);
    }
}

static bool line_is_stop(const struct text *line)
{
    double number;
    int commas = 0;
    struct text rest = *line;
    bool numeric = palette_number_take(&rest, &number);
    for (; rest.begin < rest.end; rest.begin++)
        commas += *rest.begin == ',';
    return numeric && commas == 3;
}

static bool is_csv(struct text text)
{
    return text_first_line(text, line_is_stop);
}

const struct palette_kind palette_csv = {
    .suffix = ".csv",
    .summary = "palettes of deepfield",
    .recognise = is_csv,
    .stops = csv_stops,
    .write = csv_write,
    .course = PALETTE_CURVE,
};
