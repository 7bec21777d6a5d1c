#include "app/palette_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/window/capture.h"

enum {
    SHEET_WIDTH = 1120,
    ROW_HEIGHT = 28,
    STRIP_TOP = 3,
    NAME_LEFT = 12,
    MARK_LEFT = 118,
    STRIP_LEFT = 164,
    STRIP_WIDTH = 512,
    TITLE_LEFT = STRIP_LEFT + STRIP_WIDTH + 16,
    TEXT_TOP = 5,
    TEXT_SIZE = 14
};

static const uint32_t paper = 0xff1c1c1e, ink = 0xffe8e8e8, faint = 0xffa0a0a4;

enum status palette_sheet_open(struct palette_sheet *sheet, size_t rows, const char *font)
{
    *sheet = (struct palette_sheet){.rows = rows};
    if (rows > PALETTE_SHEET_ROWS)
        return status_fail(STATUS_TOO_LARGE, "%zu palettes; a sheet has room for %d", rows,
                           PALETTE_SHEET_ROWS);
    int32_t height = (int32_t)rows * ROW_HEIGHT + ROW_HEIGHT / 2;
    sheet->pixels = malloc((size_t)height * SHEET_WIDTH * sizeof *sheet->pixels);
    if (!sheet->pixels)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a sheet of palettes");
    if (paint_fonts_open(&sheet->fonts, font) != STATUS_OK)
        sheet->fonts = NULL;
    sheet->paint = paint_on(sheet->pixels, SHEET_WIDTH, height, SHEET_WIDTH, 1, sheet->fonts);
    paint_rectangle(&sheet->paint, (struct paint_area){0, 0, SHEET_WIDTH, height}, paper);
    return STATUS_OK;
}

static uint32_t colour_of(const float value[4])
{
    return 0xff000000u | (uint32_t)lroundf(value[0]) << 16 | (uint32_t)lroundf(value[1]) << 8 |
           (uint32_t)lroundf(value[2]);
}

static void text_fitted(struct paint *paint, double x, double y, uint32_t colour, const char *text,
                        double width)
{
    char cut[200];
    size_t fits = paint_text_fit(paint, TEXT_SIZE, text, width);
    size_t length = fits < sizeof cut ? fits : sizeof cut - 1;
    memcpy(cut, text, length);
    cut[length] = '\0';
    paint_text(paint, x, y, TEXT_SIZE, colour, cut);
}

void palette_sheet_row(struct palette_sheet *sheet, size_t row, const struct palette *palette,
                       const char *name, const char *summary)
{
    double top = (double)row * ROW_HEIGHT + ROW_HEIGHT / 4.0;
    const float(*values)[4] = palette_values(palette);
    int run = palette_about(palette)->cyclic ? PALETTE_SAMPLES : PALETTE_SAMPLES / 2;
    for (int x = 0; x < STRIP_WIDTH; x++)
        paint_rectangle(
            &sheet->paint,
            (struct paint_area){STRIP_LEFT + x, top + STRIP_TOP, 1, ROW_HEIGHT - 2 * STRIP_TOP},
            colour_of(values[(2 * x + 1) * run / (2 * STRIP_WIDTH)]));
    if (!sheet->fonts)
        return;
    text_fitted(&sheet->paint, NAME_LEFT, top + TEXT_TOP, ink, name, MARK_LEFT - NAME_LEFT - 6);
    if (palette_about(palette)->cvd_safe)
        paint_text(&sheet->paint, MARK_LEFT, top + TEXT_TOP, TEXT_SIZE, faint, "safe");
    text_fitted(&sheet->paint, TITLE_LEFT, top + TEXT_TOP, faint, summary,
                SHEET_WIDTH - TITLE_LEFT - NAME_LEFT);
}

enum status palette_sheet_write(const struct palette_sheet *sheet, const char *path,
                                enum overwrite overwrite)
{
    const struct paint_image image = {sheet->pixels, sheet->paint.width, sheet->paint.height,
                                      sheet->paint.stride};
    return capture_write(&image, NULL, path, overwrite);
}

void palette_sheet_close(struct palette_sheet *sheet)
{
    paint_fonts_close(sheet->fonts);
    free(sheet->pixels);
    *sheet = (struct palette_sheet){.rows = 0};
}
