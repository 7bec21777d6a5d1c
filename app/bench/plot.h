/* Plots of a benchmark's report, as SVG elements of an HTML page.
 *
 * Colours are classes of the page's style (plot_style), which has those of a light and of a dark
 * page and of paper. Each plot has a title and a description for those who do not see it; its
 * numbers belong into a table beside it. */
#ifndef APP_BENCH_PLOT_H
#define APP_BENCH_PLOT_H

#include <stdbool.h>
#include <stdio.h>

enum { PLOT_CURVES = 3, PLOT_PARTS = 3, PLOT_BAR_TEXT = 32 };

/* Rules of the classes, for a <style> element. */
extern const char plot_style[];

enum plot_scale { PLOT_POWERS, PLOT_PERCENT };

/* Both axes in powers of two; or percents over powers of two. */
struct plot_curve {
    const char *name;  /* for the key */
    const char *class; /* "ideal", "measured" or "forecast" */
    const double *x, *y;
    int count;
};

struct plot {
    const char *id;           /* unique in the page; letters and digits */
    const char *title, *text; /* what it shows; what is to be seen there */
    const char *x_label;
};

/* Draws the curves; points that are not finite and positive are left out. */
void plot_curves(FILE *stream, const struct plot *plot, enum plot_scale scale,
                 const struct plot_curve *curve, int count);

struct plot_bar {
    char name[PLOT_BAR_TEXT], value[PLOT_BAR_TEXT]; /* before and behind it */
    double part[PLOT_PARTS];                        /* shares of the bar; their sum is 1 at most */
};

/* Draws a bar for each row, from the top; names: of the parts, for the key. */
void plot_bars(FILE *stream, const struct plot *plot, const char *const names[PLOT_PARTS],
               const struct plot_bar *bar, int count);

#endif
