#include "app/report/report.h"

#include <string.h>

#include "app/report/document.h"

/* ---- for programs ---- */

/* Members that stand before the view, and those of others than this command. */
static const char *const first[] = {"program", "version", "revision"};
static const char *const others[] = {"schema", "program", "version", "revision", "view",
                                     "gpus",   "cores",   "mixed",   NULL};

enum status report_json(const char *view, struct json_object *report)
{
    struct json json = {.stream = stdout};
    json_begin(&json, "render/1");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        json_add(&json, first[i], json_member(report, first[i]));
    json_text(&json, "view", view);
    json_add_members(&json, report, others);
    return document_end(&json);
}

/* ---- for people ---- */

static long long whole(const struct json_object *object, const char *key)
{
    return json_integer_of(object, key);
}

static const char *text(const struct json_object *object, const char *key)
{
    const char *found = json_text_of(object, key);
    return found ? found : "";
}

static bool is_direct(const struct json_object *report)
{
    return !strcmp(text(json_member(report, "plan"), "method"), "direct");
}

static const char *plural(long long number)
{
    return number == 1 ? "" : "s";
}

/* Pixels of the picture, or of its region: X, Y, width and height. */
static void size_of(const struct json_object *report, long long *width, long long *height)
{
    struct json_object *region = json_member(report, "region");
    bool part = json_length(region) == 4;
    *width = part ? json_element_integer(region, 2) : whole(report, "width");
    *height = part ? json_element_integer(region, 3) : whole(report, "height");
}

/* "cuda, 4 devices of 2 ranks" or "avx512, 3 ranks of 2 threads" */
static void devices_text(const struct json_object *report, char *out, size_t bytes)
{
    const char *backend = text(report, "backend");
    const char *mixed = json_boolean_of(report, "mixed") ? " and others" : "";
    long long ranks = whole(json_member(report, "plan"), "computing_ranks");
    long long devices = whole(report, "devices"), threads = whole(report, "threads");
    if (whole(report, "gpus") > 0)
        snprintf(out, bytes, "%s%s, %lld device%s of %lld rank%s", backend, mixed, devices,
                 plural(devices), ranks, plural(ranks));
    else
        snprintf(out, bytes, "%s%s, %lld rank%s of %lld thread%s", backend, mixed, ranks,
                 plural(ranks), threads, plural(threads));
}

void report_line(const struct json_object *report, FILE *stream)
{
    const struct json_object *seconds = json_member(report, "seconds");
    double giga = (double)whole(report, "iterations") * 1e-9;
    double compute_s = json_real_of(seconds, "compute");
    long long width, height;
    char devices[96];
    size_of(report, &width, &height);
    devices_text(report, devices, sizeof devices);
    fprintf(stream,
            "%lld x %lld, limit %lld: %.3g G %s in %.3g s (%.3g G/s) on %s; %.3g s in all\n", width,
            height, whole(report, "limit"), giga,
            is_direct(report) ? "iterations" : "steps and blocks", compute_s,
            compute_s > 0 ? giga / compute_s : 0, devices, json_real_of(seconds, "total"));
}

static void levels_print(struct json_object *levels, FILE *stream)
{
    int longest = json_length(levels) - 1;
    while (longest >= 0 && !(json_real_of(json_element(levels, longest), "taken_per_pixel") > 0))
        longest--;
    fprintf(stream, "            %10s %12s %12s %12s\n", "steps", "blocks", "hold", "per pixel");
    for (int l = 0; l < json_length(levels); l++) {
        const struct json_object *level = json_element(levels, l);
        fprintf(stream, "            %10lld %12lld %12lld %12.4g%s\n", whole(level, "steps"),
                whole(level, "blocks"), whole(level, "hold"),
                json_real_of(level, "taken_per_pixel"),
                l == longest ? "  the longest that are used" : "");
    }
}

static const char *origin_of(const char *cache)
{
    return !strcmp(cache, "new")      ? "computed, and kept"
           : !strcmp(cache, "longer") ? "found, made longer, and kept"
           : !strcmp(cache, "found")  ? "found"
                                      : "computed";
}

static void reference_print(const struct json_object *reference, FILE *stream)
{
    char period[48] = "", device[48] = "";
    if (whole(reference, "period"))
        snprintf(period, sizeof period, ", period %lld", whole(reference, "period"));
    if (whole(reference, "device_steps"))
        snprintf(device, sizeof device, ", %lld by the GPU", whole(reference, "device_steps"));
    fprintf(stream, "orbit       %lld steps of %lld bits%s%s, %s in %.3g s\n",
            whole(reference, "steps"), whole(reference, "bits"), period, device,
            origin_of(text(reference, "cache")), json_real_of(reference, "seconds"));
    fprintf(stream, "reference   orbit %.1f MiB, blocks %.1f MiB on each computing rank\n",
            (double)whole(reference, "orbit_bytes") / 0x1p20,
            (double)whole(reference, "table_bytes") / 0x1p20);
}

static void rank_print(const struct json_object *rank, FILE *stream)
{
    double busy_s = json_real_of(rank, "busy_s");
    double rate = busy_s > 0 ? (double)whole(rank, "iterations") * 1e-9 / busy_s : 0;
    if (!json_boolean_of(rank, "computes"))
        return;
    fprintf(stream, "            %4lld  %-16s %8lld %9.3g %9.3g %14.3g %9.3g%s\n",
            whole(rank, "rank"), text(rank, "host"), whole(rank, "tiles"), busy_s,
            json_real_of(rank, "wait_s"), rate * (double)whole(rank, "threads"),
            (double)whole(rank, "bytes") / 0x1p20,
            json_boolean_of(rank, "missing") ? "  lost" : "");
}

static void ranks_print(const struct json_object *report, FILE *stream)
{
    struct json_object *ranks = json_member(report, "ranks");
    fprintf(stream, "ranks       %4s  %-16s %8s %9s %9s %14s %9s\n", "rank", "host", "tiles",
            "busy s", "idle s", "G iterations/s", "MiB sent");
    for (int i = 0; i < json_length(ranks); i++)
        rank_print(json_element(ranks, i), stream);
    fprintf(stream, "            balance %.2f: mean of the busy times over the largest\n",
            json_real_of(report, "balance"));
}

void report_survey(const struct json_object *report, FILE *stream)
{
    const struct json_object *survey = json_member(report, "survey");
    long long width, height;
    if (json_length(json_member(report, "ranks")) > 1)
        ranks_print(report, stream);
    if (is_direct(report))
        return;
    size_of(report, &width, &height);
    reference_print(json_member(report, "reference"), stream);
    fprintf(stream, "steps       %.4g per pixel, blocks counted as one\n",
            (double)whole(report, "iterations") / ((double)width * (double)height));
    fprintf(stream,
            "blocks      of %lld pixels that were followed: %.4g iterations each, %.4g single "
            "steps, %.4g without the reference\n",
            whole(survey, "pixels"), json_real_of(survey, "iterations_per_pixel"),
            json_real_of(survey, "single_steps_per_pixel"),
            json_real_of(survey, "unreferenced_steps_per_pixel"));
    if (json_length(json_member(survey, "levels")))
        levels_print(json_member(survey, "levels"), stream);
}
