#include "app/process/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum terminal_colours terminal_colours_from(bool is_terminal, const char *no_colour,
                                            const char *colour_term, const char *term)
{
    if (!is_terminal || (no_colour && *no_colour) || !term || !strcmp(term, "dumb"))
        return TERMINAL_NONE;
    if ((colour_term && (!strcmp(colour_term, "truecolor") || !strcmp(colour_term, "24bit"))) ||
        strstr(term, "-direct"))
        return TERMINAL_TRUE;
    return strstr(term, "256color") || (colour_term && *colour_term) ? TERMINAL_256 : TERMINAL_NONE;
}

enum terminal_colours terminal_colours_of_stdout(void)
{
    return terminal_colours_from(isatty(STDOUT_FILENO), getenv("NO_COLOR"), getenv("COLORTERM"),
                                 getenv("TERM"));
}

static int squared(const int a[3], int r, int g, int b)
{
    return (a[0] - r) * (a[0] - r) + (a[1] - g) * (a[1] - g) + (a[2] - b) * (a[2] - b);
}

int terminal_index(const int rgb[3])
{
    static const int levels[6] = {0, 95, 135, 175, 215, 255};
    int cube[3];
    for (int c = 0; c < 3; c++)
        cube[c] = rgb[c] < 48 ? 0 : rgb[c] < 115 ? 1 : (rgb[c] - 35) / 40;
    int mean = (rgb[0] + rgb[1] + rgb[2]) / 3, grey = mean < 3 ? 0 : (mean - 3) / 10;
    grey = grey < 23 ? grey : 23;
    int shade = 8 + 10 * grey;
    bool greyer = squared(rgb, shade, shade, shade) <
                  squared(rgb, levels[cube[0]], levels[cube[1]], levels[cube[2]]);
    return greyer ? 232 + grey : 16 + 36 * cube[0] + 6 * cube[1] + cube[2];
}

void terminal_cell(FILE *stream, enum terminal_colours colours, const int rgb[3])
{
    if (colours == TERMINAL_TRUE)
        fprintf(stream, "\033[48;2;%d;%d;%dm ", rgb[0], rgb[1], rgb[2]);
    else
        fprintf(stream, "\033[48;5;%dm ", terminal_index(rgb));
}

void terminal_halves(FILE *stream, enum terminal_colours colours, const int upper[3],
                     const int lower[3])
{
    if (colours == TERMINAL_TRUE)
        fprintf(stream, "\033[38;2;%d;%d;%d;48;2;%d;%d;%dm", upper[0], upper[1], upper[2], lower[0],
                lower[1], lower[2]);
    else
        fprintf(stream, "\033[38;5;%d;48;5;%dm", terminal_index(upper), terminal_index(lower));
    fputs("\xe2\x96\x80", stream); /* U+2580, upper half block */
}

bool terminal_utf8_from(const char *all, const char *ctype, const char *lang)
{
    const char *locale = all && *all ? all : ctype && *ctype ? ctype : lang ? lang : "";
    return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
}

bool terminal_utf8(void)
{
    return terminal_utf8_from(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG"));
}

void terminal_reset(FILE *stream)
{
    fputs("\033[0m", stream);
}
