#include "app/viewer/kiosk/take_away.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef DEEPFIELD_QRENCODE
#include <qrencode.h>
#endif

#include "app/viewer/overlays/style.h"

#define LETTER 20.0
#define LINE 27.0
#define SHARE 0.62 /* share of the height that the code may have */
#define WHITE UINT32_C(0xffffffff)
#define BLACK UINT32_C(0xff000000)

enum { DECIMALS = 2 }; /* digits of a coordinate beyond the step of a pixel */
enum { QUIET = 4 };    /* modules of white around a code (ISO/IEC 18004) */

/* ---- the text ---- */

/* Cuts what a number has beyond so many decimals. */
static void decimals_cut(char *number, int decimals)
{
    char *point = strchr(number, '.');
    if (point && !strpbrk(number, "eE") && strlen(point) > (size_t)decimals + 1)
        point[decimals + 1] = '\0';
}

/* Rounds the view to what a pixel of it needs. */
static enum status view_shorten(struct view *view)
{
    char zoom[STYLE_ZOOM_BYTES];
    struct view_numbers numbers;
    char *re = strdup(view->re), *im = strdup(view->im);
    enum status status = re && im ? view_numbers(view, &numbers)
                                  : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a place");
    if (status == STATUS_OK) {
        int decimals = DECIMALS - (int)floor(numbers.log2_step * log10(2));
        decimals_cut(re, decimals);
        decimals_cut(im, decimals);
        status = view_set(view, re, im, style_zoom(view->zoom, zoom), view->rotation_deg,
                          view->width, view->height);
    }
    free(re);
    free(im);
    return status;
}

/* Has the text this line? */
static bool has_line(const char *text, const char *line, size_t length)
{
    for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        if (!strncmp(text, line, length) && text[length] == '\n')
            return true;
    return false;
}

/* Keeps the lines that `usual` has not, each after its section's name. */
static void lines_keep(char *text, const char *usual)
{
    char *to = text;
    const char *section = NULL;
    size_t section_length = 0;
    for (const char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        size_t length = (size_t)(end - line);
        end += *end == '\n';
        if (*line == '[') {
            section = line;
            section_length = length + 1;
        } else if (length && !has_line(usual, line, length)) {
            if (section) {
                memmove(to, section, section_length);
                to += section_length;
                section = NULL;
            }
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    *to = '\0';
}

enum status take_away_text(const struct place *place, char **text)
{
    struct place short_place = {0}, usual = {0};
    char *usual_text = NULL;
    *text = NULL;
    enum status status = place_copy(&short_place, place);
    if (status == STATUS_OK)
        status = place_create(&usual, place->view.width, place->view.height);
    if (status == STATUS_OK)
        status = view_shorten(&short_place.view);
    if (status == STATUS_OK) /* a view that no place has: its lines are always kept */
        status = view_set(&usual.view, "1e6", "1e6", "1e-6", 0, 1, 1);
    if (status == STATUS_OK)
        status = place_text_write_step(&short_place, text);
    if (status == STATUS_OK)
        status = place_text_write_step(&usual, &usual_text);
    if (status == STATUS_OK)
        lines_keep(*text, usual_text);
    place_destroy(&short_place);
    place_destroy(&usual);
    free(usual_text);
    return status;
}

/* ---- the code ---- */

#ifdef DEEPFIELD_QRENCODE

bool take_away_possible(void)
{
    return true;
}

enum status take_away_make(struct take_away *code, const char *text)
{
    static const QRecLevel levels[] = {QR_ECLEVEL_Q, QR_ECLEVEL_M, QR_ECLEVEL_L};
    QRcode *made = NULL;
    take_away_destroy(code);
    for (size_t i = 0; !made && i < sizeof levels / sizeof *levels; i++)
        if (!(made = QRcode_encodeString8bit(text, 0, levels[i])) && errno == ENOMEM)
            break;
    if (!made)
        return errno == ENOMEM
                   ? status_fail(STATUS_OUT_OF_MEMORY, "no memory for a code of this place")
                   : status_fail(STATUS_TOO_LARGE,
                                 "the place has %zu characters, more than a code "
                                 "holds",
                                 strlen(text));
    size_t modules = (size_t)made->width * (size_t)made->width;
    code->modules = malloc(modules);
    for (size_t i = 0; code->modules && i < modules; i++)
        code->modules[i] = made->data[i] & 1;
    code->side = code->modules ? made->width : 0;
    QRcode_free(made);
    return code->side ? STATUS_OK
                      : status_fail(STATUS_OUT_OF_MEMORY, "no memory for a code of this place");
}

#else

bool take_away_possible(void)
{
    return false;
}

enum status take_away_make(struct take_away *code, const char *text)
{
    (void)text;
    take_away_destroy(code);
    return status_fail(STATUS_CONFIG, "this program was built without libqrencode; install "
                                      "libqrencode-dev and build it again");
}

#endif

void take_away_destroy(struct take_away *code)
{
    free(code->modules);
    *code = (struct take_away){0};
}

/* Draws the dark modules of a row, each run of them as one rectangle. */
static void row_draw(struct paint *paint, const struct take_away *code, int row,
                     const struct paint_area *module)
{
    const uint8_t *modules = code->modules + (size_t)row * (size_t)code->side;
    for (int x = 0, end; x < code->side; x = end) {
        for (end = x + 1; end < code->side && modules[end] == modules[x]; end++) {
        }
        if (modules[x])
            paint_rectangle(paint,
                            (struct paint_area){module->x + x * module->width,
                                                module->y + row * module->height,
                                                (end - x) * module->width, module->height},
                            BLACK);
    }
}

void take_away_draw(struct paint *paint, const struct take_away *code, const char *sentence)
{
    double wide = paint_units(paint, paint->width), high = paint_units(paint, paint->height);
    int modules = code->side + 2 * QUIET;
    double room = fmin(SHARE * paint->height, paint->width - 4 * STYLE_GAP * paint->scale);
    double module = fmax(1, floor(room / modules)) / paint->scale, side = module * modules;
    double text_wide = fmin(fmax(side, 420), wide - 4 * STYLE_GAP);
    int lines = paint_paragraph(paint, 0, 0, LETTER, LINE, text_wide, 0, sentence);
    struct paint_area page = {.width = fmax(side, text_wide) + 2 * STYLE_GAP,
                              .height = side + lines * LINE + 3 * STYLE_GAP};
    page.x = (wide - page.width) / 2;
    page.y = fmax(0, (high - page.height) / 3);
    paint_rectangle(paint, page, STYLE_PAGE);
    struct paint_area white = {floor((wide - side) / 2 * paint->scale) / paint->scale,
                               floor((page.y + STYLE_GAP) * paint->scale) / paint->scale, side,
                               side};
    paint_rectangle(paint, white, WHITE);
    struct paint_area first = {white.x + QUIET * module, white.y + QUIET * module, module, module};
    for (int row = 0; row < code->side; row++)
        row_draw(paint, code, row, &first);
    paint_paragraph(paint, (wide - text_wide) / 2, white.y + side + STYLE_GAP, LETTER, LINE,
                    text_wide, STYLE_TEXT, sentence);
}
