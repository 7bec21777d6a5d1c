/* Text in lines, painted and measured by paint_text. */
#include "render/window/paint.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 1024 }; /* longest line; longer ones would be illegible */

/* Number of bytes of the text on the next line; at least one, so that the loop ends. */
static size_t line_end(struct paint *paint, double size, const char *text, double width)
{
    size_t fits = paint_text_fit(paint, size, text, width), end = fits;
    if (text[fits] == '\0' || text[fits] == ' ')
        return fits;
    while (end && text[end - 1] != ' ')
        end--;
    while (end && text[end - 1] == ' ')
        end--;
    if (end || fits)
        return end ? end : fits;
    do
        end++;
    while (((unsigned char)text[end] & 0xc0) == 0x80);
    return end;
}

int paint_paragraph(struct paint *paint, double x, double y, double size, double line, double width,
                    uint32_t colour, const char *text)
{
    char part[LINE_BYTES];
    int lines = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " "), lines++) {
        size_t end = line_end(paint, size, text, width);
        end = end < sizeof part ? end : sizeof part - 1;
        snprintf(part, end + 1, "%s", text);
        if (colour)
            paint_text(paint, x, y + lines * line, size, colour, part);
        text += end;
    }
    return lines;
}
