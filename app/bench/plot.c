#include "app/bench/plot.h"

#include <math.h>
#include <string.h>

#include "app/report/markup.h"

const char plot_style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--faint:#59616b;--grid:#d9dde3;"
    "--measured:#0b62a8;--forecast:#a8480f;--ideal:#6a727d;--part0:#0b62a8;--on0:#fff;"
    "--part1:#f0a94b;--on1:#1b1f24;--part2:#c3c9d1;--on2:#1b1f24}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#14171b;--ink:#e8eaed;"
    "--faint:#aab2bc;--grid:#353b44;--measured:#6bb8f7;--forecast:#f2a766;--ideal:#98a1ad;"
    "--part0:#3f8fd0;--on0:#0a0c0e;--part1:#e7b04f;--on1:#0a0c0e;--part2:#59626e;"
    "--on2:#fff}}\n"
    "svg{width:100%;height:auto;display:block;font:13px system-ui,sans-serif}\n"
    "svg text{fill:var(--ink)}svg .tick{fill:var(--faint)}.grid{stroke:var(--grid)}\n"
    ".line{fill:none;stroke-width:2.5;stroke-linejoin:round}.ideal{stroke:var(--ideal)}"
    ".measured{stroke:var(--measured)}.forecast{stroke:var(--forecast)}"
    ".ideal.line{stroke-width:1.5;stroke-dasharray:2 4}.forecast.line{stroke-dasharray:8 5}\n"
    "circle{fill:var(--measured)}rect.forecast{fill:var(--paper);stroke-width:2}\n"
    ".part0{fill:var(--part0)}.part1{fill:var(--part1)}.part2{fill:var(--part2)}"
    ".bar{stroke:var(--paper);stroke-width:1.5}"
    "svg .on0{fill:var(--on0)}svg .on1{fill:var(--on1)}svg .on2{fill:var(--on2)}\n";

/* Geometry in units of the view box. */
enum { WIDTH = 420, HEIGHT = 290, LEFT = 50, RIGHT = 404, TOP = 40, BOTTOM = 240, LETTER = 7 };
enum { BAR_LEFT = 88, BAR_RIGHT = 336, BAR_HEIGHT_MOST = 30, MARK = 4 };

static void svg_begin(FILE *stream, const struct plot *plot)
{
    fprintf(stream,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"%s-t %s-d\"><title "
            "id=\"%s-t\">",
            WIDTH, HEIGHT, plot->id, plot->id, plot->id);
    markup_write(stream, plot->title);
    fprintf(stream, "</title><desc id=\"%s-d\">", plot->id);
    markup_write(stream, plot->text);
    fputs("</desc>\n", stream);
}

static void text_write(FILE *stream, double x, double y, const char *anchor, const char *class,
                       const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">", x, y, anchor,
            class);
    markup_write(stream, text);
    fputs("</text>\n", stream);
}

/* ---- curves ---- */

struct axes {
    enum plot_scale scale;
    double x_most, y_least, y_most; /* powers of two where the axis has them */
};

/* Position of a value along its axis, as a power of two where the axis has them. */
static double power_of(double value)
{
    return log2(value);
}

static bool is_shown(const struct plot_curve *curve, int i)
{
    return isfinite(curve->y[i]) && curve->y[i] > 0 && curve->x[i] >= 1;
}

static struct axes axes_make(enum plot_scale scale, const struct plot_curve *curve, int count)
{
    struct axes axes = {.scale = scale, .x_most = 1, .y_most = scale == PLOT_POWERS ? 1 : 100};
    for (int c = 0; c < count; c++)
        for (int i = 0; i < curve[c].count; i++) {
            if (!is_shown(&curve[c], i))
                continue;
            const double y = curve[c].y[i];
            axes.x_most = fmax(axes.x_most, ceil(power_of(curve[c].x[i])));
            axes.y_most =
                fmax(axes.y_most, scale == PLOT_POWERS ? ceil(power_of(y)) : 25 * ceil(y / 25));
            if (scale == PLOT_POWERS)
                axes.y_least = fmin(axes.y_least, floor(power_of(y)));
        }
    return axes;
}

static double x_of(const struct axes *axes, double x)
{
    return LEFT + (RIGHT - LEFT) * power_of(x) / axes->x_most;
}

static double y_of(const struct axes *axes, double y)
{
    const double at = axes->scale == PLOT_POWERS ? power_of(y) : y;
    return BOTTOM - (BOTTOM - TOP) * (at - axes->y_least) / (axes->y_most - axes->y_least);
}

static void number_write(FILE *stream, double x, double y, const char *anchor, double number,
                         const char *unit)
{
    char text[32];
    snprintf(text, sizeof text, "%g%s", number, unit);
    text_write(stream, x, y, anchor, "tick", text);
}

static void axes_draw(FILE *stream, const struct axes *axes, const char *x_label)
{
    const bool powers = axes->scale == PLOT_POWERS;
    const double step = powers ? (axes->y_most - axes->y_least > 8 ? 2 : 1) : 25;
    for (double at = axes->y_least; at <= axes->y_most; at += step) {
        const double value = powers ? exp2(at) : at, y = y_of(axes, fmax(value, 0));
        fprintf(stream, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
        number_write(stream, LEFT - 9, y + 4, "end", value, powers ? "" : " %");
    }
    const double x_step = axes->x_most > 8 ? 2 : 1;
    for (double at = 0; at <= axes->x_most; at += x_step) {
        const double x = x_of(axes, exp2(at));
        fprintf(stream, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", x, TOP, BOTTOM);
        number_write(stream, x, BOTTOM + 18, "middle", exp2(at), "");
    }
    text_write(stream, (LEFT + RIGHT) / 2.0, BOTTOM + 40, "middle", "", x_label);
}

/* Marks differ in shape, so that curves can be told apart on paper without colours. */
static void mark_draw(FILE *stream, const char *class, double x, double y)
{
    if (!strcmp(class, "measured"))
        fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"/>\n", x, y, MARK);
    else if (!strcmp(class, "forecast"))
        fprintf(stream,
                "<rect class=\"forecast\" x=\"%.1f\" y=\"%.1f\" width=\"6\" height=\"6\"/>\n",
                x - 3, y - 3);
}

static void curve_draw(FILE *stream, const struct axes *axes, const struct plot_curve *curve)
{
    int points = 0;
    for (int i = 0; i < curve->count; i++)
        points += is_shown(curve, i);
    if (points > 1) {
        fprintf(stream, "<path class=\"line %s\" d=\"", curve->class);
        for (int i = 0, drawn = 0; i < curve->count; i++)
            if (is_shown(curve, i))
                fprintf(stream, "%c%.1f %.1f", drawn++ ? 'L' : 'M', x_of(axes, curve->x[i]),
                        y_of(axes, curve->y[i]));
        fputs("\"/>\n", stream);
    }
    for (int i = 0; i < curve->count; i++)
        if (is_shown(curve, i))
            mark_draw(stream, curve->class, x_of(axes, curve->x[i]), y_of(axes, curve->y[i]));
}

static void key_draw(FILE *stream, const struct plot_curve *curve, int count)
{
    double x = LEFT;
    for (int c = 0; c < count; c++) {
        fprintf(stream, "<path class=\"line %s\" d=\"M%.1f 16h26\"/>\n", curve[c].class, x);
        mark_draw(stream, curve[c].class, x + 13, 16);
        text_write(stream, x + 32, 20, "start", "", curve[c].name);
        x += 32 + LETTER * (double)strlen(curve[c].name) + 16;
    }
}

void plot_curves(FILE *stream, const struct plot *plot, enum plot_scale scale,
                 const struct plot_curve *curve, int count)
{
    struct axes axes = axes_make(scale, curve, count);
    svg_begin(stream, plot);
    axes_draw(stream, &axes, plot->x_label);
    for (int c = 0; c < count; c++)
        curve_draw(stream, &axes, &curve[c]);
    key_draw(stream, curve, count);
    fputs("</svg>\n", stream);
}

/* ---- bars ---- */

static void part_draw(FILE *stream, int part, double x, double width, double y, double height,
                      double share)
{
    char text[16], class[8];
    fprintf(stream,
            "<rect class=\"bar part%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
            part, x, y, width, height);
    snprintf(text, sizeof text, "%.0f %%", 100 * share);
    snprintf(class, sizeof class, "on%d", part);
    if (width > LETTER * (double)(strlen(text) + 1))
        text_write(stream, x + width / 2, y + height / 2 + 4.5, "middle", class, text);
}

static void bar_draw(FILE *stream, const struct plot_bar *bar, double y, double height)
{
    double x = BAR_LEFT;
    text_write(stream, BAR_LEFT - 6, y + height / 2 + 4.5, "end", "", bar->name);
    text_write(stream, BAR_RIGHT + 6, y + height / 2 + 4.5, "start", "", bar->value);
    for (int part = 0; part < PLOT_PARTS; part++) {
        const double share = fmin(fmax(bar->part[part], 0), 1);
        const double width = (BAR_RIGHT - BAR_LEFT) * share;
        if (width > 0)
            part_draw(stream, part, x, width, y, height, share);
        x += width;
    }
}

void plot_bars(FILE *stream, const struct plot *plot, const char *const names[PLOT_PARTS],
               const struct plot_bar *bar, int count)
{
    double x = 4;
    const double row = fmin((double)(HEIGHT - TOP) / (count ? count : 1), BAR_HEIGHT_MOST / 0.7);
    svg_begin(stream, plot);
    for (int part = 0; part < PLOT_PARTS; part++) {
        fprintf(stream, "<rect class=\"part%d\" x=\"%.1f\" y=\"10\" width=\"12\" height=\"12\"/>\n",
                part, x);
        text_write(stream, x + 17, 20, "start", "", names[part]);
        x += 17 + LETTER * (double)strlen(names[part]) + 16;
    }
    for (int i = 0; i < count; i++)
        bar_draw(stream, &bar[i], TOP + row * i, 0.7 * row);
    fputs("</svg>\n", stream);
}
