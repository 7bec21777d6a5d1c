#include "app/report/film_report.h"

#include <math.h>

#include "app/report/document.h"
#include "app/report/estimate_text.h"
#include "library/settings/settings_json.h"

/* As printf prints integers of JSON. */
static long long integer(const struct json_object *object, const char *key)
{
    return json_integer_of(object, key);
}

static double gib(const struct json_object *object, const char *key)
{
    return json_real_of(object, key) / 0x1p30;
}

/* ---- before ---------------------------------------------------------------------------------- */

static void method_explain(const struct json_object *plan, FILE *stream)
{
    const struct json_object *keys = json_member(plan, "keys");
    const struct json_object *samples = json_member(plan, "samples");
    const bool several = integer(plan, "scenes") > 1;
    const long long least = integer(samples, "least"), most = integer(samples, "most");
    if (several)
        fprintf(stream,
                "scenes      %lld, of which %lld by method keyframes, the others by frames\n",
                integer(plan, "scenes"), integer(plan, "scenes_by_keyframes"));
    else
        fprintf(stream, "method      %s\n", json_text_of(plan, "method"));
    if (keys)
        fprintf(stream,
                "keys        %lld pictures of %lldx%lld, one for each half doubling of the zoom\n",
                integer(keys, "count"), integer(keys, "width"), integer(keys, "height"));
    else if (least == most)
        fprintf(stream, "samples     %lld a pixel%s\n", least, several ? " of frames" : "");
    else
        fprintf(stream, "samples     auto: %lld to %lld a pixel, more where they differ\n", least,
                most);
}

static void memory_explain(const struct json_object *plan, FILE *stream)
{
    const struct json_object *memory = json_member(plan, "memory");
    fprintf(stream,
            "memory      %.2f GiB: %s %.2f, kept key picture %.2f, frames under way %.2f%s\n",
            gib(memory, "bytes"), integer(memory, "keys") ? "key picture" : "frame",
            gib(memory, "picture"), gib(memory, "keys"), gib(memory, "under_way"),
            json_boolean_of(plan, "encoder") ? "; the encoder's own beside" : "");
    if (!isnan(json_real_of(plan, "file_bytes")))
        fprintf(stream, "disk        %.2f GiB\n", gib(plan, "file_bytes"));
}

static void part_explain(const struct json_object *part, FILE *stream)
{
    if (integer(part, "of") > 1)
        fprintf(stream, "part        %lld of %lld: %lld of %lld pieces of up to %lld frames\n",
                integer(part, "number"), integer(part, "of"), integer(part, "pieces"),
                integer(part, "of_pieces"), integer(part, "piece_frames"));
}

void film_explain(const struct json_object *plan, const char *path, FILE *stream)
{
    const struct json_object *zoom = json_member(plan, "log10_zoom");
    const long long ranks = integer(plan, "ranks");
    fprintf(stream, "film        %lld frames of %lldx%lld, %.3g s at %s frames/s\n",
            integer(plan, "frames"), integer(plan, "width"), integer(plan, "height"),
            json_real_of(plan, "length_s"), json_text_of(plan, "rate"));
    fprintf(stream, "zoom        1e%.1f to 1e%.1f\n", json_real_of(zoom, "least"),
            json_real_of(zoom, "most"));
    method_explain(plan, stream);
    memory_explain(plan, stream);
    fprintf(stream, "devices     %lld of %s on %lld rank%s\n", integer(plan, "devices"),
            json_text_of(plan, "backend"), ranks, ranks == 1 ? "" : "s");
    fprintf(stream, "writes      %s: %s\n", path, json_text_of(plan, "summary"));
    part_explain(json_member(plan, "part"), stream);
}

enum status film_document_print(const char *schema, struct json_object *said)
{
    static const char *const others[] = {"sampled", NULL};
    struct json json = {.stream = stdout};
    json_begin(&json, schema);
    program_json(&json);
    json_add_members(&json, said, others);
    return document_end(&json);
}

void film_estimate_print(const struct json_object *plan, const struct json_object *said)
{
    char range[64], devices[64];
    const struct json_object *estimate = json_member(said, "estimate");
    const double compute_s = json_real_of(estimate, "compute");
    const double files_s = json_real_of(estimate, "write");
    const double most_s = json_real_of(estimate, "seconds_most");
    estimate_text(json_real_of(estimate, "seconds_least"), isnan(most_s) ? INFINITY : most_s, range,
                  sizeof range);
    estimate_devices_text((int)integer(plan, "gpus"), (int)integer(plan, "threads"), devices,
                          sizeof devices);
    if (json_boolean_of(estimate, "reference_cut")) {
        printf("time        %s for the reference orbit alone; no pixel was sampled\n", range);
        return;
    }
    printf("time        %s on %s, and what %s takes: %lld pictures %.*f s by %lld of them", range,
           devices, json_boolean_of(plan, "encoder") ? "the encoder" : "writing",
           integer(said, "pictures"), decimals_of(compute_s), compute_s, integer(said, "sampled"));
    if (files_s > 0)
        printf(", frames from these %.*f s", decimals_of(files_s), files_s);
    putchar('\n');
}

/* ---- after ----------------------------------------------------------------------------------- */

static void frames_print(const struct json_object *part, const struct json_object *report)
{
    const long long frames = integer(report, "frames"), made = integer(report, "frames_made");
    const long long number = integer(part, "number"), parts = integer(part, "of");
    const long long pieces = integer(part, "of_pieces");
    if (!integer(part, "pieces"))
        fprintf(stderr,
                "part %lld of %lld has nothing to do: %lld frames are %lld piece%s of up to %lld\n",
                number, parts, frames, pieces, pieces > 1 ? "s" : "",
                integer(part, "piece_frames"));
    else if (made == 0 && parts > 1)
        fprintf(stderr, "all frames of part %lld of %lld were there\n", number, parts);
    else if (made == 0)
        fprintf(stderr, "all %lld frames were there\n", frames);
    else
        fprintf(stderr, "%lld of %lld frames in %.3g s, %.3g frames/s, limited by %s\n", made,
                frames, json_real_of(json_member(report, "seconds"), "total"),
                json_real_of(report, "frames_per_second"), json_text_of(report, "limited_by"));
}

static void change_print(const struct json_object *change, const struct json_object *flashes)
{
    const double most = json_real_of(flashes, "most_per_second");
    if (!integer(change, "frames"))
        return;
    fprintf(stderr, "change      %.3g L* a frame (median), at most %.3g at frame %lld\n",
            json_real_of(change, "median"), json_real_of(change, "most"),
            integer(change, "most_at"));
    fprintf(stderr, "flashes     %s%.3g in a second%s\n", most > 0 ? "at most " : "", most,
            json_boolean_of(flashes, "safe")
                ? ""
                : ": not safe for all viewers; --flash-safe limits them");
}

void film_report_print(const struct json_object *plan, const struct json_object *report,
                       const char *path, bool quiet)
{
    const bool complete = json_boolean_of(report, "complete");
    if (complete)
        printf("%s\n", path);
    if (quiet)
        return;
    frames_print(json_member(plan, "part"), report);
    change_print(json_member(report, "change"), json_member(report, "flashes"));
    if (!complete)
        fprintf(stderr,
                "%lld of %lld frames are there; the same command without --part, or deepfield "
                "resume %s, makes the rest and joins them\n",
                integer(report, "frames_there"), integer(report, "frames"), path);
}
