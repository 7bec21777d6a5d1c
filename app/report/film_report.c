#include "app/report/film_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/report/document.h"
#include "app/report/estimate_report.h"
#include "app/report/event_log.h"
#include "library/film/film_tour.h"
#include "kernels/spec.h"
#include "library/settings/settings_json.h"
#include "render/disk/json.h"

/* ---- which film? ----------------------------------------------------------------------------- */

static void keyframes_write(const struct film *film, FILE *stream)
{
    for (size_t i = 0; i < film->path.count; i++) {
        const struct film_keyframe *key = &film->path.keyframe[i];
        char stretch[VIEW_STRETCH_BYTES];
        view_stretch_text(&key->stretch, stretch);
        fprintf(stream,
                "keyframe %zu = time %.17g, zoom %s, rotation %.17g, offset %.17g, relief %.17g, "
                "ease %.17g, re %s, im %s%s%s\n",
                i + 1, key->time_s, key->zoom, key->rotation_deg, key->offset, key->relief,
                key->ease_s, key->re, key->im, key->stretch.stretch != 0 ? ", stretch " : "",
                key->stretch.stretch == 1 ? "1" : stretch);
    }
}

char *film_identity(const struct config *config, const struct film *film, const struct tour *tour)
{
    char *text = NULL, rate[FILM_RATE_BYTES];
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    film_rate_text(film->rate, rate);
    if (!stream)
        return NULL;
    fprintf(stream, "deepfield = %s\nfps = %s\nframes = %lld\nmethod = %s\nsamples = %d\n",
            DEEPFIELD_VERSION, rate, (long long)film->frames, film_method_name(film->method),
            film->picture.samples);
    fprintf(stream, "kind = %s\nvideo = %d bits, chroma %s, %s\nflash_safe = %d\n",
            film->video.kind->suffix, film->video.kind->frames ? film->bits : film->video.yuv.bits,
            film_chroma_name(film->video.yuv.chroma), film_effort_name(film->video.effort),
            film->limits_flashes);
    fprintf(stream, "arithmetic = %d\nwhole_keys = %d\npalette = %016llx\n", ARITHMETIC_VERSION,
            FILM_KEYS_WHOLE, (unsigned long long)palette_checksum(film->palette));
    keyframes_write(film, stream);
    for (const struct film *scene = film->next; scene; scene = scene->next) {
        fprintf(stream, "scene = %lld, limit %lld, palette %016llx\n", (long long)scene->first,
                (long long)scene->picture.spec.limit,
                (unsigned long long)palette_checksum(scene->palette));
        keyframes_write(scene, stream);
    }
    bool whole = film_tour_write(tour, stream);
    config_write(config, CONFIG_OF_PICTURE, stream);
    if (fclose(stream) == 0 && whole)
        return text;
    free(text);
    return NULL;
}

/* ---- before ---------------------------------------------------------------------------------- */

static double gib(double bytes)
{
    return bytes / 0x1p30;
}

/* Range of depth of all scenes. */
static struct film_depth depth_of(const struct film *film)
{
    struct film_depth all = film_path_depth(&film->path);
    while ((film = film->next)) {
        struct film_depth depth = film_path_depth(&film->path);
        all.low = fmin(all.low, depth.low);
        all.high = fmax(all.high, depth.high);
    }
    return all;
}

static void method_explain(const struct film *film, FILE *stream)
{
    int64_t scenes = 0, of_keys = 0;
    for (; film; film = film->next, scenes++)
        of_keys += film->method == FILM_KEYFRAMES;
    fprintf(stream, "scenes      %lld, of which %lld by method keyframes, the others by frames\n",
            (long long)scenes, (long long)of_keys);
}

static void keys_explain(const struct film *film, FILE *stream)
{
    struct film_depth depth = film_path_depth(&film->path);
    struct film_keys keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                                         !film_path_is_upright(&film->path));
    fprintf(stream, "keys        %d pictures of %dx%d, one for each half doubling of the zoom\n",
            keys.count, keys.width, keys.height);
}

/* NAN: it depends on the pictures. */
static double file_bytes(const struct film *film)
{
    struct film_offsets offsets = film_video_offsets(&film->video);
    return offsets.frame_bytes
               ? (double)offsets.head_bytes + (double)film->frames * (double)offsets.frame_bytes
               : NAN;
}

static void memory_explain(const struct film *film, const struct film_memory *memory, FILE *stream)
{
    fprintf(stream,
            "memory      %.2f GiB: %s %.2f, kept key picture %.2f, frames under way %.2f%s\n",
            gib((double)film_memory_all(memory)), memory->keys ? "key picture" : "frame",
            gib((double)plan_memory(&memory->plan)), gib((double)memory->keys),
            gib((double)memory->under_way),
            film->video.kind->container ? "; the encoder's own beside" : "");
    if (!isnan(file_bytes(film)))
        fprintf(stream, "disk        %.2f GiB\n", gib(file_bytes(film)));
}

void film_explain(const struct invocation *invocation, const struct renderer *renderer,
                  const struct film *film, const struct film_memory *memory)
{
    bool json = arguments_has(&invocation->arguments, OPTION_JSON);
    FILE *stream = json ? stderr : stdout;
    struct film_depth depth = depth_of(film);
    char rate[FILM_RATE_BYTES];
    film_rate_text(film->rate, rate);
    fprintf(stream, "film        %lld frames of %dx%d, %.3g s at %s frames/s\n",
            (long long)film->frames, film->width, film->height,
            film->next ? film_rate_seconds(film->rate, film->frames)
                       : film_path_seconds(&film->path),
            rate);
    fprintf(stream, "zoom        1e%.1f to 1e%.1f\n", depth.low * log10(2), depth.high * log10(2));
    if (film->next)
        method_explain(film, stream);
    else
        fprintf(stream, "method      %s\n", film_method_name(film->method));
    if (!film->next && film->method == FILM_KEYFRAMES)
        keys_explain(film, stream);
    else if (film->picture.samples > 0)
        fprintf(stream, "samples     %d a pixel%s\n", film->picture.samples,
                film->next ? " of frames" : "");
    else
        fprintf(stream, "samples     auto: %d to %d a pixel, more where they differ\n",
                SAMPLES_AUTO_LEAST, SAMPLES_AUTO_MOST);
    memory_explain(film, memory, stream);
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    fprintf(stream, "devices     %d of %s on %d rank%s\n", facts->devices, facts->backend,
            facts->computing_ranks, facts->computing_ranks == 1 ? "" : "s");
    fprintf(stream, "writes      %s: %s\n", film->out, film->video.kind->summary);
    if (film->parts > 1)
        fprintf(stream, "part        %d of %d: %lld of %lld pieces of up to %d frames\n",
                film->part, film->parts, (long long)film_cells_of_part(film),
                (long long)film_cells(film), FILM_CELL_FRAMES);
}

/* What it is: the same before and after. */
static void film_json(struct json *json, const struct film *film)
{
    program_json(json);
    lines_json(json, "files", film->out);
    json_integer(json, "width", film->width);
    json_integer(json, "height", film->height);
    json_real(json, "fps", film_rate_per_s(film->rate));
    json_integer(json, "frames", film->frames);
    json_text(json, "method", film_method_name(film->method));
}

enum status film_estimate_print(const struct invocation *invocation,
                                const struct renderer *renderer, const struct film *film,
                                const struct film_estimate *estimate)
{
    char range[64], devices[64];
    double least_s, most_s;
    const struct estimate *sum = &estimate->sum;
    if (arguments_has(&invocation->arguments, OPTION_JSON)) {
        struct json json = {.stream = stdout};
        json_begin(&json, "film-estimate/1");
        film_json(&json, film);
        json_integer(&json, "pictures", estimate->pictures);
        struct estimate whole = *sum;
        whole.file_bytes = file_bytes(film);
        estimate_json(&json, &whole);
        return document_end(&json);
    }
    estimate_range(sum, &least_s, &most_s);
    estimate_text(least_s, most_s, range, sizeof range);
    estimate_devices(renderer, devices, sizeof devices);
    if (sum->cut) {
        printf("time        %s for the reference orbit alone; no pixel was sampled\n", range);
        return STATUS_OK;
    }
    printf("time        %s on %s, and what %s takes: %lld pictures %.*f s by %d of them", range,
           devices, film->video.kind->container ? "the encoder" : "writing",
           (long long)estimate->pictures, decimals_of(sum->compute_s), sum->compute_s,
           estimate->sampled);
    if (sum->files_s > 0)
        printf(", frames from these %.*f s", decimals_of(sum->files_s), sum->files_s);
    putchar('\n');
    return STATUS_OK;
}

/* ---- after ----------------------------------------------------------------------------------- */

/* What the frames waited for. */
static const char *limit_of(const struct film_report *report)
{
    double computed = report->compute_s, coloured = report->resample_s;
    if (report->writer.waited_s > computed && report->writer.waited_s > coloured)
        return "encoder";
    return computed >= coloured ? "compute" : "colour";
}

static double rate_of(const struct film_report *report)
{
    double seconds = report->total_s - report->join_s;
    return seconds > 0 ? (double)report->frames / seconds : 0;
}

static enum status json_print(const struct film *film, const struct film_report *report)
{
    struct json json = {.stream = stdout};
    json_begin(&json, "film/1");
    film_json(&json, film);
    json_boolean(&json, "complete", report->joined);
    json_integer(&json, "frames_made", report->frames);
    json_integer(&json, "frames_there", report->there);
    json_integer(&json, "key_pictures", report->keys);
    json_real(&json, "frames_per_second", rate_of(report));
    json_text(&json, "limited_by", limit_of(report));
    json_open(&json, "seconds", '{');
    json_real(&json, "reference", report->reference_s);
    json_real(&json, "colours", report->colours_s);
    json_real(&json, "compute", report->compute_s);
    json_real(&json, "prepare", report->prepare_s);
    json_real(&json, "devices_busy", report->devices_s);
    json_real(&json, "resample", report->resample_s);
    json_real(&json, "writer_busy", report->writer.busy_s);
    json_real(&json, "waited_for_writer", report->writer.waited_s);
    json_real(&json, "join", report->join_s);
    json_real(&json, "total", report->total_s);
    json_close(&json);
    json_open(&json, "change", '{'); /* change of lightness between frames, beyond the motion */
    json_integer(&json, "frames", report->measured);
    json_real(&json, "median", report->change_median);
    json_real(&json, "most", report->change_most);
    json_integer(&json, "most_at", report->change_frame);
    json_close(&json);
    json_open(&json, "flashes", '{');
    json_real(&json, "most_per_second", report->flashes);
    json_integer(&json, "most_at", report->flash_frame);
    json_boolean(&json, "safe", report->flashes <= FLASH_MOST);
    json_integer(&json, "frames_dimmed", report->writer.dimmed);
    json_close(&json);
    return document_end(&json);
}

static void line_print(const struct film *film, const struct film_report *report)
{
    if (film_cells_of_part(film) == 0)
        fprintf(stderr,
                "part %d of %d has nothing to do: %lld frames are %lld piece%s of up to %d\n",
                film->part, film->parts, (long long)film->frames, (long long)film_cells(film),
                film_cells(film) > 1 ? "s" : "", FILM_CELL_FRAMES);
    else if (report->frames == 0 && film->parts > 1)
        fprintf(stderr, "all frames of part %d of %d were there\n", film->part, film->parts);
    else if (report->frames == 0)
        fprintf(stderr, "all %lld frames were there\n", (long long)film->frames);
    else
        fprintf(stderr, "%lld of %lld frames in %.3g s, %.3g frames/s, limited by %s\n",
                (long long)report->frames, (long long)film->frames, report->total_s,
                rate_of(report), limit_of(report));
    if (report->measured)
        fprintf(stderr, "change      %.3g L* a frame (median), at most %.3g at frame %lld\n",
                report->change_median, report->change_most, (long long)report->change_frame);
    if (report->measured)
        fprintf(stderr, "flashes     %s%.3g in a second%s\n", report->flashes > 0 ? "at most " : "",
                report->flashes,
                report->flashes > FLASH_MOST
                    ? ": not safe for all viewers; --flash-safe limits them"
                    : "");
}

enum status film_report_print(const struct invocation *invocation, const struct renderer *renderer,
                              const struct film *film, const struct film_report *report)
{
    (void)renderer;
    if (arguments_has(&invocation->arguments, OPTION_JSON))
        return json_print(film, report);
    if (report->joined)
        printf("%s\n", film->out);
    if (config_boolean(&invocation->config, OPTION_OUTPUT_QUIET))
        return STATUS_OK;
    line_print(film, report);
    if (!report->joined)
        fprintf(stderr,
                "%lld of %lld frames are there; the same command without --part, or deepfield "
                "resume %s, makes the rest and joins them\n",
                (long long)report->there, (long long)film->frames, film->out);
    return STATUS_OK;
}
