#include "app/bench/scaling_report.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "app/bench/plot.h"
#include "app/report/markup.h"

/* Devices double from row to row, so there are few; forecasts go on for some doublings. */
enum { POINTS = 32, FORECAST_DOUBLINGS = 3 };

struct scaling_parts scaling_parts_of(const struct scaling_row *row)
{
    const double most = fmin(row->compute_s / row->seconds, 1);
    const double compute = fmin(row->mean_s / row->seconds, most);
    return (struct scaling_parts){compute, most - compute, 1 - most};
}

double scaling_forecast_s(const struct scaling_row *one, int devices)
{
    const double shared_s = fmin(one->compute_s, one->seconds);
    return one->seconds - shared_s + shared_s / devices;
}

/* ---- one view ---- */

struct view_points {                       /* the same counts of devices in all arrays */
    const struct scaling_row *row[POINTS]; /* NULL: was not measured */
    double devices[POINTS];
    double speedup[POINTS], efficiency[POINTS]; /* NAN: was not measured */
    double forecast_s[POINTS], forecast[POINTS],
        forecast_part[POINTS]; /* time, speed-up, efficiency */
    int count, measured;
};

static void point_add(struct view_points *points, const struct scaling_row *one,
                      const struct scaling_row *row, int devices)
{
    if (points->count == POINTS)
        return;
    const int i = points->count++;
    const double forecast_s = scaling_forecast_s(one, devices);
    points->row[i] = row;
    points->devices[i] = devices;
    points->speedup[i] = row ? one->seconds / row->seconds : NAN;
    points->efficiency[i] = 100 * points->speedup[i] / devices;
    points->forecast_s[i] = forecast_s;
    points->forecast[i] = one->seconds / forecast_s;
    points->forecast_part[i] = 100 * points->forecast[i] / devices;
    points->measured += row != NULL;
}

static void points_make(struct view_points *points, const struct scaling_row *row, size_t count)
{
    *points = (struct view_points){.count = 0};
    for (size_t i = 0; i < count; i++)
        point_add(points, row, &row[i], row[i].devices);
    for (int i = 0, devices = row[count - 1].devices; i < FORECAST_DOUBLINGS; i++)
        point_add(points, row, NULL, devices *= 2);
}

static void figure_begin(FILE *stream, const char *title)
{
    fputs("<figure><figcaption>", stream);
    markup_write(stream, title);
    fputs("</figcaption>\n", stream);
}

static void speedup_draw(FILE *stream, int number, const struct view_points *points)
{
    char id[24], text[200];
    const int last = points->measured - 1;
    const struct plot_curve curves[] = {
        {"ideal", "ideal", points->devices, points->devices, points->count},
        {"forecast", "forecast", points->devices, points->forecast, points->count},
        {"measured", "measured", points->devices, points->speedup, points->count},
    };
    snprintf(id, sizeof id, "speedup%d", number);
    snprintf(text, sizeof text,
             "Measured up to %.0f devices: %.2f times one device, forecast %.2f.",
             points->devices[last], points->speedup[last], points->forecast[last]);
    const struct plot plot = {id, "Speed-up over the number of devices", text, "devices"};
    figure_begin(stream, "Speed-up");
    plot_curves(stream, &plot, PLOT_POWERS, curves, 3);
    fputs("</figure>\n", stream);
}

static void efficiency_draw(FILE *stream, int number, const struct view_points *points)
{
    char id[24], text[200];
    const int last = points->measured - 1;
    const struct plot_curve curves[] = {
        {"forecast", "forecast", points->devices, points->forecast_part, points->count},
        {"measured", "measured", points->devices, points->efficiency, points->count},
    };
    snprintf(id, sizeof id, "efficiency%d", number);
    snprintf(text, sizeof text, "Measured with %.0f devices: %.0f %%, forecast %.0f %%.",
             points->devices[last], points->efficiency[last], points->forecast_part[last]);
    const struct plot plot = {id, "Efficiency over the number of devices", text, "devices"};
    figure_begin(stream, "Efficiency");
    plot_curves(stream, &plot, PLOT_PERCENT, curves, 2);
    fputs("</figure>\n", stream);
}

static void time_draw(FILE *stream, int number, const struct view_points *points)
{
    static const char *const names[] = {"computing", "waiting for the slowest", "the rest"};
    struct plot_bar bars[POINTS];
    char id[24];
    int count = 0;
    for (int i = 0; i < points->measured; i++) {
        const struct scaling_row *row = points->row[i];
        const struct scaling_parts parts = scaling_parts_of(row);
        struct plot_bar *bar = &bars[count++];
        *bar = (struct plot_bar){.part = {parts.compute, parts.slowest, parts.rest}};
        snprintf(bar->name, sizeof bar->name, "%d device%s", row->devices,
                 row->devices > 1 ? "s" : "");
        snprintf(bar->value, sizeof bar->value, "%.*f ms", row->seconds < 0.1 ? 2 : 0,
                 1e3 * row->seconds);
    }
    snprintf(id, sizeof id, "time%d", number);
    const struct plot plot = {id, "Where the time of the devices goes",
                              "A bar for each number of devices; its parts are in the table.", ""};
    figure_begin(stream, "Where the time goes");
    plot_bars(stream, &plot, names, bars, count);
    fputs("</figure>\n", stream);
}

/* ---- the table ---- */

static void cell_write(FILE *stream, double number, int decimals)
{
    if (isfinite(number))
        fprintf(stream, "<td>%.*f</td>", decimals, number);
    else
        fputs("<td>–</td>", stream);
}

static void point_write(FILE *stream, const struct view_points *points, int i)
{
    const struct scaling_row *row = points->row[i];
    fprintf(stream, "<tr><th scope=\"row\">%.0f</th>", points->devices[i]);
    cell_write(stream, row ? 1e3 * row->seconds : NAN, 3);
    cell_write(stream, points->speedup[i], 2);
    cell_write(stream, points->efficiency[i], 1);
    cell_write(stream, 1e3 * points->forecast_s[i], 3);
    cell_write(stream, points->forecast[i], 2);
    cell_write(stream, points->forecast_part[i], 1);
    const struct scaling_parts parts =
        row ? scaling_parts_of(row) : (struct scaling_parts){NAN, NAN, NAN};
    cell_write(stream, 100 * parts.compute, 1);
    cell_write(stream, 100 * parts.slowest, 1);
    cell_write(stream, 100 * parts.rest, 1);
    cell_write(stream, row ? row->tiles : NAN, 0);
    cell_write(stream, row ? 1e-9 * (double)row->iterations : NAN, 2);
    fputs("</tr>\n", stream);
}

static void table_write(FILE *stream, const struct view_points *points)
{
    fputs("<div class=\"wide\"><table><caption>Numbers of these plots</caption><thead>\n"
          "<tr><td></td><th colspan=\"3\" scope=\"colgroup\">measured</th>"
          "<th colspan=\"3\" scope=\"colgroup\">forecast</th>"
          "<th colspan=\"3\" scope=\"colgroup\">part of the time, %</th>"
          "<th colspan=\"2\" scope=\"colgroup\">work</th></tr>\n<tr>",
          stream);
    static const char *const heads[] = {"devices", "ms",       "speed-up",      "efficiency, %",
                                        "ms",      "speed-up", "efficiency, %", "computing",
                                        "waiting", "the rest", "tiles",         "10⁹ iterations"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(stream, "<th scope=\"col\">%s</th>", heads[i]);
    fputs("</tr></thead><tbody>\n", stream);
    for (int i = 0; i < points->count; i++)
        point_write(stream, points, i);
    fputs("</tbody></table></div>\n", stream);
}

static void view_write(FILE *stream, int number, const struct scaling_row *row, size_t count)
{
    struct view_points points;
    points_make(&points, row, count);
    fputs("<section><h2>", stream);
    markup_write(stream, row->view);
    fprintf(stream, ", %d × %d, limit %lld</h2>\n<div class=\"plots\">\n", row->width, row->height,
            (long long)row->limit);
    speedup_draw(stream, number, &points);
    efficiency_draw(stream, number, &points);
    time_draw(stream, number, &points);
    fputs("</div>\n", stream);
    table_write(stream, &points);
    fputs("</section>\n", stream);
}

/* ---- the page ---- */

static void fact_write(FILE *stream, const char *name, const char *text)
{
    fprintf(stream, "<dt>%s</dt><dd>", name);
    markup_write(stream, text);
    fputs("</dd>\n", stream);
}

static void head_write(FILE *stream)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
          "<title>deepfield: what more devices gain</title>\n<style>\n",
          stream);
    fputs(plot_style, stream);
    fputs("body{margin:0 auto;max-width:84rem;padding:1rem 1.25rem 2rem;background:var(--paper);"
          "color:var(--ink);font:16px/1.45 system-ui,sans-serif}\n"
          "h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}p{max-width:46rem}\n"
          "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:1rem 0}"
          "dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}\n"
          ".plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(19rem,1fr));"
          "gap:1rem 1.5rem}figure{margin:0}figcaption{font-weight:600;margin-bottom:.25rem}\n"
          ".wide{overflow-x:auto}table{border-collapse:collapse;margin-top:.75rem;"
          "font-variant-numeric:tabular-nums;font-size:.9rem}caption{text-align:left;"
          "color:var(--faint);padding-bottom:.25rem}\n"
          "th,thead td,tbody td{padding:.15rem .6rem;text-align:right;border-bottom:1px solid "
          "var(--grid)}th[scope=colgroup]{text-align:center}\n"
          "@media print{body{max-width:none;padding:0;font-size:10pt}section{break-inside:avoid}"
          ".plots{grid-template-columns:repeat(3,1fr)}table{font-size:7.5pt}"
          "th,thead td,tbody td{padding:.1rem .3rem}"
          ".bar,[class^=part]{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n"
          "</style></head>\n<body><main>\n",
          stream);
}

static void facts_write(FILE *stream, const struct scaling_facts *facts)
{
    fputs("<h1>What more devices gain</h1>\n<dl>\n", stream);
    fact_write(stream, "measured", facts->date);
    fact_write(stream, "program", facts->program);
    fact_write(stream, "command", facts->command);
    for (int i = 0; i < facts->devices; i++)
        fact_write(stream, i ? "" : "devices", facts->device[i]);
    fact_write(stream, "ranks", facts->ranks);
    fact_write(stream, "MPI", facts->library);
    fprintf(
        stream,
        "</dl>\n<p>Times are medians of %d pictures, from the moment that all ranks know what is"
        " wanted until the counts of the whole picture are in rank 0's memory. Speed-up: time"
        " of one device over that of several; efficiency: speed-up over their number.</p>\n"
        "<p>The forecast knows one device alone: the time in which it computed is shared by n"
        " devices, the rest (messages, start and end) stays. Where less is measured tiles were"
        " not shared evenly, messages took longer, or others used the machine; where more is,"
        " others used it while one device was measured, or tiles were cut otherwise.</p>\n",
        facts->repeats);
}

static bool is_same_view(const struct scaling_row *a, const struct scaling_row *b)
{
    return !strcmp(a->view, b->view) && a->width == b->width && a->height == b->height &&
           a->limit == b->limit;
}

void scaling_page_write(FILE *stream, const struct scaling_facts *facts,
                        const struct scaling_row *row, size_t count)
{
    int number = 0;
    head_write(stream);
    facts_write(stream, facts);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && is_same_view(&row[begin], &row[end]); end++)
            ;
        view_write(stream, number++, &row[begin], end - begin);
    }
    fputs("</main></body></html>\n", stream);
}

/* ---- the file ---- */

enum status scaling_report_check(const char *path, enum overwrite overwrite)
{
    const char *suffix = strrchr(path, '.');
    if (!suffix || (strcasecmp(suffix, ".html") != 0 && strcasecmp(suffix, ".htm") != 0))
        return status_fail(STATUS_USAGE, "--report writes a page: %.300s has to end in .html",
                           path);
    return atomic_file_check(path, overwrite);
}

enum status scaling_report_save(const char *path, enum overwrite overwrite,
                                const volatile int *stop, const struct scaling_facts *facts,
                                const struct scaling_row *row, size_t count)
{
    struct atomic_file file;
    TRY(atomic_file_open(&file, path, overwrite, stop));
    scaling_page_write(file.stream, facts, row, count);
    return atomic_file_commit(&file);
}
