#include "app/viewer/screen/figures.h"

#include <unistd.h>

#include "render/disk/json.h"

uint64_t figures_memory(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    int found = fscanf(file, "%llu %llu", &size, &resident);
    fclose(file);
    return found == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void trend_add(struct memory_trend *trend, double hours, double bytes)
{
    trend->count++;
    trend->time += hours;
    trend->bytes += bytes;
    trend->time_time += hours * hours;
    trend->time_bytes += hours * bytes;
}

void figures_level(struct figures *figures, double now_s, uint64_t resident)
{
    struct memory_level *window = &figures->window;
    if (!(window->at_s > 0))
        *window = (struct memory_level){now_s + FIGURES_WINDOW_S, resident};
    if (resident < window->resident)
        window->resident = resident;
    if (now_s < window->at_s)
        return;
    if (now_s - figures->begun_s >= FIGURES_STEADY_S)
        trend_add(&figures->trend, (now_s - figures->begun_s - FIGURES_STEADY_S) / 3600,
                  (double)window->resident);
    window->at_s = 0;
}

void figures_poll(struct figures *figures, double now_s)
{
    bool settles = !figures->settled_bytes && figures->settled_pictures;
    if (!settles && now_s < figures->polled_s + FIGURES_POLL_S)
        return;
    uint64_t bytes = figures_memory();
    figures->polled_s = now_s;
    figures->end_bytes = bytes;
    if (bytes > figures->most_bytes)
        figures->most_bytes = bytes;
    if (settles)
        figures->settled_bytes = bytes;
    figures_level(figures, now_s, bytes);
}

static void measure_json(struct json *json, const char *name, const struct measure *measure)
{
    json_open(json, name, '{');
    json_count(json, "count", measure->count);
    json_real(json, "p50_ms", 1e3 * measure_quantile(measure, 0.5));
    json_real(json, "p99_ms", 1e3 * measure_quantile(measure, 0.99));
    json_real(json, "max_ms", 1e3 * measure->max_s);
    json_close(json);
}

static void frame_json(struct json *json, const struct frame_figures *parts)
{
    json_open(json, "frame_parts", '{');
    measure_json(json, "compose", &parts->compose);
    measure_json(json, "paint", &parts->paint);
    measure_json(json, "upload", &parts->upload);
    measure_json(json, "present", &parts->present);
    json_close(json);
}

static void coarse_json(struct json *json, const struct coarse_figures *parts)
{
    json_open(json, "coarse_parts", '{');
    measure_json(json, "request", &parts->request);
    measure_json(json, "begin", &parts->begin);
    measure_json(json, "plan", &parts->plan);
    measure_json(json, "compute", &parts->compute);
    measure_json(json, "show", &parts->show);
    json_close(json);
}

static void flash_json(struct json *json, const struct figures *figures)
{
    const struct flash_report *flash = &figures->flash;
    json_open(json, "flash", '{');
    json_real(json, "worst_flashes_per_s", flash->flashes);
    json_real(json, "worst_at_s", flash->flashes > 0 ? flash->at_s - figures->begun_s : 0);
    json_count(json, "pictures", flash->pictures);
    json_count(json, "limited", flash->limited);
    json_real(json, "one_colour_s", flash->flat_s);
    measure_json(json, "meter", &flash->meter);
    json_close(json);
}

static void flight_json(struct json *json, const struct flight_figures *flight)
{
    double frames = flight->frames > 0 ? flight->frames : 1;
    json_open(json, "flight", '{');
    json_real(json, "frames", flight->frames);
    measure_json(json, "interval", &flight->interval);
    json_real(json, "stale_share", flight->stale / frames);
    json_real(json, "missing_share", flight->missing / frames);
    json_real(json, "coarser_than_8_share", flight->coarse_8 / frames);
    json_real(json, "coarser_than_4_share", flight->coarse_4 / frames);
    json_real(json, "coarsest_px", flight->coarsest_px);
    json_real(json, "misplaced_px", flight->misplaced_px);
    json_close(json);
}

/* The slope of the line, since levels of one busy minute and the next differ by half a megabyte
 * without any growth. */
static void growth_json(struct json *json, const struct memory_trend *trend)
{
    double spread = trend->count * trend->time_time - trend->time * trend->time;
    if (trend->count >= 3 && spread > 0)
        json_real(json, "growth_bytes_per_hour",
                  (trend->count * trend->time_bytes - trend->time * trend->bytes) / spread);
}

enum status figures_json(const struct figures *figures, FILE *stream)
{
    struct json json = {.stream = stream};
    json_open(&json, NULL, '{');
    json_real(&json, "seconds", figures->ended_s - figures->begun_s);
    json_text(&json, "driver", figures->driver);
    json_text(&json, "renderer", figures->renderer);
    json_integer(&json, "width", figures->width);
    json_integer(&json, "height", figures->height);
    measure_json(&json, "reaction", &figures->reaction);
    measure_json(&json, "cancel", &figures->cancel);
    measure_json(&json, "coarse", &figures->coarse);
    measure_json(&json, "fine", &figures->fine);
    measure_json(&json, "settled", &figures->settled);
    measure_json(&json, "frame", &figures->frame);
    measure_json(&json, "fetch", &figures->fetch);
    frame_json(&json, &figures->parts);
    coarse_json(&json, &figures->coarse_parts);
    flight_json(&json, &figures->flight);
    json_count(&json, "events", figures->events);
    json_count(&json, "frames", figures->frames);
    json_count(&json, "requests", figures->requests);
    json_count(&json, "pictures", figures->pictures);
    json_count(&json, "settled_pictures", figures->settled_pictures);
    json_count(&json, "late", figures->late);
    json_count(&json, "settled_bytes", figures->settled_bytes);
    json_count(&json, "end_bytes", figures->end_bytes);
    json_count(&json, "most_bytes", figures->most_bytes);
    growth_json(&json, &figures->trend);
    if (figures->flash.pictures)
        flash_json(&json, figures);
    TRY(json_end(&json));
    fputc('\n', stream);
    return STATUS_OK;
}
