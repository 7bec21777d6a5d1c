#include "library/film/film_json.h"

#include <math.h>

#include "library/settings/settings_json.h"
#include "render/colour/samples.h"
#include "render/motion/film_flash.h"

void film_json(struct json *json, const struct film *film)
{
    json_open(json, "files", '[');
    json_text(json, NULL, film->out);
    json_close(json);
    json_integer(json, "width", film->width);
    json_integer(json, "height", film->height);
    json_real(json, "fps", film_rate_per_s(film->rate));
    json_integer(json, "frames", film->frames);
    json_text(json, "method", film_method_name(film->method));
}

/* ---- before ---------------------------------------------------------------------------------- */

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

static void path_json(struct json *json, const struct film *film)
{
    char rate[FILM_RATE_BYTES];
    struct film_depth depth = depth_of(film);
    film_rate_text(film->rate, rate);
    json_text(json, "rate", rate);
    json_real(json, "length_s",
              film->next ? film_rate_seconds(film->rate, film->frames)
                         : film_path_seconds(&film->path));
    json_open(json, "log10_zoom", '{');
    json_real(json, "least", depth.low * log10(2));
    json_real(json, "most", depth.high * log10(2));
    json_close(json);
}

/* null: the film has several scenes, or frames of its own. */
static void keys_json(struct json *json, const struct film *film)
{
    if (film->next || film->method != FILM_KEYFRAMES) {
        json_text(json, "keys", NULL);
        return;
    }
    struct film_depth depth = film_path_depth(&film->path);
    struct film_keys keys = film_keys_of(depth.low, depth.high, film->width, film->height,
                                         !film_path_is_upright(&film->path));
    json_open(json, "keys", '{');
    json_integer(json, "count", keys.count);
    json_integer(json, "width", keys.width);
    json_integer(json, "height", keys.height);
    json_close(json);
}

static void methods_json(struct json *json, const struct film *film)
{
    int64_t scenes = 0, of_keys = 0;
    const bool chosen = film->picture.samples > 0;
    for (const struct film *scene = film; scene; scene = scene->next, scenes++)
        of_keys += scene->method == FILM_KEYFRAMES;
    json_integer(json, "scenes", scenes);
    json_integer(json, "scenes_by_keyframes", of_keys);
    keys_json(json, film);
    json_open(json, "samples", '{');
    json_integer(json, "least", chosen ? film->picture.samples : SAMPLES_AUTO_LEAST);
    json_integer(json, "most", chosen ? film->picture.samples : SAMPLES_AUTO_MOST);
    json_close(json);
}

/* NAN: it depends on the pictures. */
static double file_bytes(const struct film *film)
{
    struct film_offsets offsets = film_video_offsets(&film->video);
    return offsets.frame_bytes
               ? (double)offsets.head_bytes + (double)film->frames * (double)offsets.frame_bytes
               : NAN;
}

static void memory_json(struct json *json, const struct film *film,
                        const struct film_memory *memory)
{
    json_open(json, "memory", '{');
    json_count(json, "bytes", film_memory_all(memory));
    json_count(json, "picture", plan_memory(&memory->plan));
    json_count(json, "keys", memory->keys);
    json_count(json, "under_way", memory->under_way);
    json_close(json);
    json_real(json, "file_bytes", file_bytes(film));
}

static void devices_json(struct json *json, const struct renderer_info *renderer)
{
    const struct renderer_facts *facts = &renderer->facts;
    json_text(json, "backend", facts->backend);
    json_integer(json, "devices", facts->devices);
    json_integer(json, "ranks", facts->computing_ranks);
    json_integer(json, "gpus", facts->gpus);
    json_integer(json, "threads", facts->computing_ranks * renderer->devices.threads);
}

static void kind_json(struct json *json, const struct film *film)
{
    const struct film_kind *kind = film->video.kind;
    json_text(json, "kind", kind->suffix);
    json_text(json, "summary", kind->summary);
    json_boolean(json, "encoder", kind->container != NULL);
    json_boolean(json, "numbered", kind->frames);
    json_boolean(json, "numbers", kind->numbers);
}

static void part_json(struct json *json, const struct film *film)
{
    json_open(json, "part", '{');
    json_integer(json, "number", film->part);
    json_integer(json, "of", film->parts);
    json_integer(json, "pieces", film_cells_of_part(film));
    json_integer(json, "of_pieces", film_cells(film));
    json_integer(json, "piece_frames", FILM_CELL_FRAMES);
    json_close(json);
}

void film_plan_json(struct json *json, const struct film_target *target,
                    const struct film_memory *memory, const struct renderer_info *renderer)
{
    const struct film *film = target->scene;
    film_json(json, film);
    path_json(json, film);
    methods_json(json, film);
    memory_json(json, film, memory);
    devices_json(json, renderer);
    kind_json(json, film);
    part_json(json, film);
    json_integer(json, "stops", (int64_t)target->scenes->tour.stops);
    json_integer(json, "stops_left", (int64_t)target->scenes->stops_left);
    json_boolean(json, "relief", target->relief);
    json_text(json, "interior_missing", target->interior_missing);
}

void film_estimate_json(struct json *json, const struct film *film,
                        const struct film_estimate *estimate)
{
    struct estimate whole = estimate->sum;
    whole.file_bytes = file_bytes(film);
    json_integer(json, "pictures", estimate->pictures);
    json_integer(json, "sampled", estimate->sampled);
    estimate_json(json, &whole);
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

void film_report_json(struct json *json, const struct film_report *report)
{
    json_boolean(json, "complete", report->joined);
    json_integer(json, "frames_made", report->frames);
    json_integer(json, "frames_there", report->there);
    json_integer(json, "key_pictures", report->keys);
    json_real(json, "frames_per_second", rate_of(report));
    json_text(json, "limited_by", limit_of(report));
    json_open(json, "seconds", '{');
    json_real(json, "reference", report->reference_s);
    json_real(json, "colours", report->colours_s);
    json_real(json, "compute", report->compute_s);
    json_real(json, "prepare", report->prepare_s);
    json_real(json, "devices_busy", report->devices_s);
    json_real(json, "resample", report->resample_s);
    json_real(json, "writer_busy", report->writer.busy_s);
    json_real(json, "waited_for_writer", report->writer.waited_s);
    json_real(json, "join", report->join_s);
    json_real(json, "total", report->total_s);
    json_close(json);
    json_open(json, "change", '{'); /* change of lightness between frames, beyond the motion */
    json_integer(json, "frames", report->measured);
    json_real(json, "median", report->change_median);
    json_real(json, "most", report->change_most);
    json_integer(json, "most_at", report->change_frame);
    json_close(json);
    json_open(json, "flashes", '{');
    json_real(json, "most_per_second", report->flashes);
    json_integer(json, "most_at", report->flash_frame);
    json_boolean(json, "safe", report->flashes <= FLASH_MOST);
    json_integer(json, "frames_dimmed", report->writer.dimmed);
    json_close(json);
}
