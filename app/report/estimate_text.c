#include "app/report/estimate_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Two figures are as many as it knows. */
static void figure_text(double value, char *text, size_t bytes)
{
    double step = value >= 10 ? pow(10, floor(log10(value)) - 1) : 0.1;
    double rounded = round(value / step) * step;
    snprintf(text, bytes, rounded >= 10 || rounded == floor(rounded) ? "%.0f" : "%.1f", rounded);
}

void estimate_text(double least_s, double most_s, char *text, size_t bytes)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{1, "s"}, {60, "min"}, {3600, "h"}, {86400, "days"}};
    char least[24], most[24];
    int unit = 0;
    if (most_s < 1) {
        snprintf(text, bytes, "less than 1 s");
        return;
    }
    while (unit < 3 && least_s >= 1.5 * units[unit + 1].seconds)
        unit++;
    figure_text(least_s / units[unit].seconds, least, sizeof least);
    figure_text(most_s / units[unit].seconds, most, sizeof most);
    if (!isfinite(most_s))
        snprintf(text, bytes, "at least %s %s", least, units[unit].name);
    else if (!strcmp(least, most))
        snprintf(text, bytes, "about %s %s", least, units[unit].name);
    else
        snprintf(text, bytes, "about %s to %s %s", least, most, units[unit].name);
}

int decimals_of(double value)
{
    return value < 0.1 ? 3 : value < 1 ? 2 : value < 10 ? 1 : 0;
}

void estimate_devices_text(int gpus, int threads, char *text, size_t bytes)
{
    if (gpus > 0)
        snprintf(text, bytes, "%d GPU%s", gpus, gpus == 1 ? "" : "s");
    else
        snprintf(text, bytes, "%d CPU core%s", threads, threads == 1 ? "" : "s");
}
