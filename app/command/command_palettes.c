/* deepfield palettes: what can be given to --palette, as lines, as a sheet, as files of others. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/command/command.h"
#include "app/process/environment.h"
#include "app/process/terminal.h"
#include "app/report/document.h"
#include "app/settings/engine.h"
#include "include/deepfield/deepfield.h"
#include "library/place/data.h"
#include "render/colour/palette.h"
#include "render/colour/palette_file.h"
#include "render/disk/atomic_file.h"
#include "render/disk/json.h"
#include "render/window/capture.h"
#include "render/window/paint.h"

/* ---- a picture of many palettes ---- */

/* A sheet has a row for each palette: name, mark and one period of its colours. Text needs the
 * libraries of the viewer's text; without them the strips stand in the order of the rows. */

struct palette_sheet {
    uint32_t *pixels;          /* owned */
    struct paint_fonts *fonts; /* owned; NULL: no words */
    struct paint paint;
    size_t rows;
};

enum { PALETTE_SHEET_ROWS = 2000 };

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

/* An empty sheet of so many rows. A font that cannot be used is no failure. */
static enum status palette_sheet_open(struct palette_sheet *sheet, size_t rows, const char *font)
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

static void palette_sheet_row(struct palette_sheet *sheet, size_t row,
                              const struct palette *palette, const char *name, const char *summary)
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

/* Writes the sheet as a PNG. Fails as capture_write. */
static enum status palette_sheet_write(const struct palette_sheet *sheet, const char *path,
                                       enum overwrite overwrite)
{
    const struct paint_image image = {sheet->pixels, sheet->paint.width, sheet->paint.height,
                                      sheet->paint.stride};
    return capture_write(&image, NULL, path, overwrite);
}

static void palette_sheet_close(struct palette_sheet *sheet)
{
    paint_fonts_close(sheet->fonts);
    free(sheet->pixels);
    *sheet = (struct palette_sheet){.rows = 0};
}

/* Name, mark, strip and a title of 45 characters fit into 80 columns. */
enum { STRIP_CELLS = 16, WIDE_CELLS = 72 };

struct choice {          /* the palettes that the operand means */
    const char *operand; /* NULL: all below the assets */
    bool several;        /* `names` are gradients of the file `operand` */
    char data[4096], assets[4200], folder[4300];
    struct data_names names;
};

static enum status name_take(void *context, const char *gradient, const struct palette *palette)
{
    struct choice *choice = context;
    (void)palette;
    return data_names_add(&choice->names, gradient, strlen(gradient));
}

static enum status choice_make(struct choice *choice, const char *operand)
{
    char label[DATA_NAME_BYTES];
    *choice = (struct choice){.operand = operand};
    TRY(environment_data_folder(choice->data, sizeof choice->data));
    snprintf(choice->assets, sizeof choice->assets, "%s/assets", choice->data);
    snprintf(choice->folder, sizeof choice->folder, "%s/palettes", choice->assets);
    if (!operand)
        return data_names_list(&choice->names, choice->folder, ".csv");
    TRY(palette_gradients(operand, PALETTE_NAMES, name_take, choice, &choice->several));
    if (choice->several)
        return STATUS_OK;
    palette_label(operand, label, sizeof label);
    return data_names_add(&choice->names, label, strlen(label));
}

static enum status choice_load(const struct choice *choice, size_t index, struct palette **palette)
{
    return palette_load(palette, choice->assets,
                        choice->operand ? choice->operand : choice->names.name[index]);
}

typedef void choice_item(void *context, const struct choice *choice, size_t index,
                         const struct palette *palette);

struct round { /* through the gradients of a file, which is read once */
    const struct choice *choice;
    choice_item *item;
    void *context;
    size_t index;
};

/* The file may have changed since its names were read. */
static enum status gradient_visit(void *context, const char *gradient,
                                  const struct palette *palette)
{
    struct round *round = context;
    const struct data_names *names = &round->choice->names;
    if (round->index == names->count || strcmp(gradient, names->name[round->index]) != 0)
        return status_fail(STATUS_BAD_DATA, "palette %.300s changed while it was read",
                           round->choice->operand);
    round->item(round->context, round->choice, round->index++, palette);
    return STATUS_OK;
}

/* Calls item for each palette; those that fail are reported after the others. */
static enum status choice_each(const struct choice *choice, choice_item *item, void *context)
{
    enum status worst = STATUS_OK;
    char text[STATUS_TEXT_BYTES] = "";
    struct round round = {choice, item, context, 0};
    bool several;
    if (choice->several)
        return palette_gradients(choice->operand, PALETTE_COLOURS, gradient_visit, &round,
                                 &several);
    for (size_t i = 0; i < choice->names.count; i++) {
        struct palette *palette;
        enum status status = choice_load(choice, i, &palette);
        if (status == STATUS_OK) {
            item(context, choice, i, palette);
            palette_destroy(palette);
            continue;
        }
        worst = status;
        snprintf(text, sizeof text, "%s", status_text());
    }
    return worst == STATUS_OK ? worst : status_fail(worst, "%s", text);
}

/* "Meridian: night blue, gold" says its name once. */
static const char *summary_of(const struct palette *palette, const char *name)
{
    const char *title = palette_about(palette)->title;
    size_t length = strlen(name);
    bool begins = !strncasecmp(title, name, length) && !strncmp(title + length, ": ", 2);
    return begins ? title + length + 2 : title;
}

/* ---- as text ---- */

/* Once through the palette; one that is not cyclic comes back in the second half of a run. */
static void strip_print(const struct palette *palette, enum terminal_colours colours, int cells)
{
    const float(*values)[4] = palette_values(palette);
    int run = palette_about(palette)->cyclic ? PALETTE_SAMPLES : PALETTE_SAMPLES / 2;
    for (int i = 0; i < cells; i++) {
        const float *value = values[(2 * i + 1) * run / (2 * cells)];
        const int rgb[3] = {(int)value[0], (int)value[1], (int)value[2]};
        terminal_cell(stdout, colours, rgb);
    }
    terminal_reset(stdout);
}

static void line_print(void *context, const struct choice *choice, size_t index,
                       const struct palette *palette)
{
    const enum terminal_colours *colours = context;
    const char *name = choice->names.name[index];
    printf("%-*s  %-4s  ", choice->names.longest, name,
           palette_about(palette)->cvd_safe ? "safe" : "");
    if (*colours != TERMINAL_NONE) {
        strip_print(palette, *colours, STRIP_CELLS);
        fputs("  ", stdout);
    }
    printf("%s\n", summary_of(palette, name));
}

/* CIE L*, 0 ... 100. */
static double lightness(const float rgb[4])
{
    double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

static void fact_print(const char *key, const char *value)
{
    if (*value)
        printf("%-10s %s\n", key, value);
}

static void whole_print(void *context, const struct choice *choice, size_t index,
                        const struct palette *palette)
{
    const enum terminal_colours *colours = context;
    const struct palette_about *about = palette_about(palette);
    const float(*table)[4] = palette_table(palette);
    double least = 100, most = 0;
    for (int i = 0; i < PALETTE_SAMPLES; i++) {
        least = fmin(least, lightness(table[i]));
        most = fmax(most, lightness(table[i]));
    }
    for (int row = 0; row < 3 && *colours != TERMINAL_NONE; row++) {
        strip_print(palette, *colours, WIDE_CELLS);
        putchar('\n');
    }
    fact_print("name", choice->names.name[index]);
    fact_print("title", about->title);
    fact_print("source", about->source);
    fact_print("licence", about->licence);
    fact_print("runs", about->cyclic ? "round and round" : "there and back");
    fact_print("safe", about->cvd_safe ? "for colour-blind viewers too" : "");
    printf("%-10s L* %.0f to %.0f\n", "lightness", least, most);
}

/* A list that is not whole is none. */
static enum status rows_read(struct json_object **rows, struct deepfield_world *world,
                             const char *operand)
{
    char *kind = NULL, *text;
    *rows = NULL;
    if (operand && asprintf(&kind, "palettes:%s", operand) < 0)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a list");
    enum status status = status_take(deepfield_list(world, operand ? kind : "palettes", &text));
    if (operand)
        free(kind);
    if (status == STATUS_OK)
        *rows = json_read(text);
    deepfield_free(text);
    return status == STATUS_OK && !*rows ? STATUS_OUT_OF_MEMORY : status;
}

static enum status json_print(struct deepfield_world *world, const struct choice *choice)
{
    static const char *const but[] = {"summary", NULL};
    struct json json = {.stream = stdout};
    struct json_object *rows;
    TRY(rows_read(&rows, world, choice->operand));
    json_begin(&json, "palettes/1");
    json_text(&json, "folder", choice->operand ? NULL : choice->folder);
    json_text(&json, "palette", choice->operand);
    json_open(&json, "palettes", '[');
    for (int i = 0; i < json_length(rows); i++) {
        json_open(&json, NULL, '{');
        json_add_members(&json, json_element(rows, i), but);
        json_close(&json);
    }
    json_close(&json);
    json_free(rows);
    return document_end(&json);
}

static enum status text_print(const struct choice *choice)
{
    enum terminal_colours colours = terminal_colours_of_stdout();
    bool one = choice->operand && !choice->several;
    return choice_each(choice, one ? whole_print : line_print, &colours);
}

/* ---- as files ---- */

static void sheet_row(void *context, const struct choice *choice, size_t index,
                      const struct palette *palette)
{
    const char *name = choice->names.name[index];
    palette_sheet_row(context, index, palette, name, summary_of(palette, name));
}

static enum status sheet_save(const struct choice *choice, const char *path,
                              enum overwrite overwrite)
{
    char font[4300];
    struct palette_sheet sheet;
    snprintf(font, sizeof font, "%s/fonts/DejaVuSans.ttf", choice->assets);
    enum status status = palette_sheet_open(&sheet, choice->names.count, font);
    if (status == STATUS_OK && !sheet.fonts)
        fprintf(stderr,
                "deepfield: %s has no names: %s; its strips stand in the order of the list\n", path,
                status_text());
    if (status == STATUS_OK)
        status = choice_each(choice, sheet_row, &sheet);
    if (status == STATUS_OK)
        status = palette_sheet_write(&sheet, path, overwrite);
    palette_sheet_close(&sheet);
    return status;
}

static bool is_sheet(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && !strcasecmp(path + length - 4, ".png");
}

static enum status one_save(const struct choice *choice, const char *path, enum overwrite overwrite)
{
    struct palette *palette;
    TRY(palette_save_check(path));
    if (choice->names.count != 1 || !choice->operand)
        return status_fail(STATUS_USAGE,
                           "%.300s holds one palette; name it: deepfield palettes NAME -o %.300s",
                           path, path);
    TRY(choice_load(choice, 0, &palette));
    enum status status = palette_save(palette, path, overwrite);
    palette_destroy(palette);
    return status;
}

/* All files that -o names; *saved counts them. */
static enum status files_save(const struct choice *choice, const struct arguments *arguments,
                              int *saved)
{
    enum overwrite overwrite =
        arguments_has(arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO;
    TRY(arguments_outputs_differ(arguments));
    for (const char *path; (path = arguments_output(arguments, (size_t)*saved)); ++*saved) {
        if (is_sheet(path))
            TRY(sheet_save(choice, path, overwrite));
        else
            TRY(one_save(choice, path, overwrite));
        if (!atomic_file_is_stdout(path))
            printf("%s\n", path);
    }
    return STATUS_OK;
}

static enum status palettes_show(struct invocation *invocation, struct deepfield_world *world)
{
    const struct arguments *arguments = &invocation->arguments;
    struct choice choice;
    int saved = 0;
    enum status status = choice_make(&choice, arguments->operand);
    if (status == STATUS_OK)
        status = files_save(&choice, arguments, &saved);
    if (status == STATUS_OK && !saved)
        status = arguments_has(arguments, OPTION_JSON) ? json_print(world, &choice)
                                                       : text_print(&choice);
    data_names_destroy(&choice.names);
    return status;
}

enum status command_palettes(struct invocation *invocation)
{
    TRY(arguments_json_alone(&invocation->arguments));
    return engine_run_alone(invocation, palettes_show);
}
