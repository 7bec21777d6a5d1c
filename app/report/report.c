#include "app/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "app/report/document.h"

enum status report_json(const char *view, const struct picture_settings *settings,
                        const struct outcome *outcome)
{
    struct json json = {.stream = stdout};
    outcome_json(&json, view, settings, outcome);
    return document_end(&json);
}

/* Mean over the pixels that were followed. */
static double per_pixel(const struct block_usage *survey, uint64_t count)
{
    return survey->pixels ? (double)count / (double)survey->pixels : 0;
}

/* "cuda, 4 devices of 2 ranks" or "avx512, 3 ranks of 2 threads" */
static void devices_text(const struct outcome *outcome, char *text, size_t bytes)
{
    const struct renderer *renderer = outcome->renderer;
    const char *backend = renderer_backend(outcome->renderer);
    const struct renderer_facts *facts = &renderer_info(renderer)->facts;
    int ranks = facts->computing_ranks, threads = renderer_info(renderer)->devices.threads;
    const char *mixed = facts->mixed ? " and others" : "";
    if (facts->gpus > 0)
        snprintf(text, bytes, "%s%s, %d device%s of %d rank%s", backend, mixed, facts->devices,
                 facts->devices == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s");
    else
        snprintf(text, bytes, "%s%s, %d rank%s of %d thread%s", backend, mixed, ranks,
                 ranks == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
}

void report_line(const struct picture_settings *settings, const struct outcome *outcome,
                 FILE *stream)
{
    const struct picture_report *report = outcome->report;
    const struct field shape = settings_shape(settings);
    double giga = (double)report->iterations * 1e-9;
    char devices[96];
    devices_text(outcome, devices, sizeof devices);
    fprintf(stream, "%d x %d, limit %lld: %.3g G %s in %.3g s (%.3g G/s) on %s; %.3g s in all\n",
            shape.width, shape.height, (long long)settings->picture.spec.limit, giga,
            report->plan.method == METHOD_DIRECT ? "iterations" : "steps and blocks",
            report->compute_s, report->compute_s > 0 ? giga / report->compute_s : 0, devices,
            outcome->total_s);
}

static void levels_print(const struct block_usage *survey, FILE *stream)
{
    int longest = survey->levels - 1;
    while (longest >= 0 && !survey->level[longest].taken)
        longest--;
    fprintf(stream, "            %10s %12s %12s %12s\n", "steps", "blocks", "hold", "per pixel");
    for (int l = 0; l < survey->levels; l++) {
        const struct deep_level *level = &survey->level[l];
        fprintf(stream, "            %10lld %12lld %12lld %12.4g%s\n",
                (long long)1 << (survey->shortest + l), (long long)level->blocks,
                (long long)level->hold, per_pixel(survey, level->taken),
                l == longest ? "  the longest that are used" : "");
    }
}

static void reference_print(const struct picture_reference *reference, FILE *stream)
{
    static const char *const origins[] = {[ORBIT_CACHE_NONE] = "computed",
                                          [ORBIT_CACHE_NEW] = "computed, and kept",
                                          [ORBIT_CACHE_LONGER] = "found, made longer, and kept",
                                          [ORBIT_CACHE_FOUND] = "found"};
    char period[48] = "";
    if (reference->period)
        snprintf(period, sizeof period, ", period %lld", (long long)reference->period);
    fprintf(stream, "orbit       %lld steps of %ld bits%s, %s in %.3g s\n",
            (long long)reference->steps, reference->bits, period, origins[reference->cache],
            reference->seconds);
    fprintf(stream, "reference   orbit %.1f MiB, blocks %.1f MiB on each computing rank\n",
            (double)reference->orbit_bytes / 0x1p20, (double)reference->table_bytes / 0x1p20);
}

static void ranks_print(const struct picture_report *report, FILE *stream)
{
    fprintf(stream, "ranks       %4s  %-16s %8s %9s %9s %14s %9s\n", "rank", "host", "tiles",
            "busy s", "idle s", "G iterations/s", "MiB sent");
    for (int i = 0; i < report->plan.facts.ranks; i++) {
        const struct job_rank *rank = &report->job.rank[i];
        if (!rank->computes)
            continue;
        double rate = rank->busy_s > 0 ? (double)rank->iterations * 1e-9 / rank->busy_s : 0;
        fprintf(stream, "            %4d  %-16s %8u %9.3g %9.3g %14.3g %9.3g%s\n", i, rank->host,
                rank->tiles, rank->busy_s, rank->wait_s, rate * rank->threads,
                (double)rank->bytes_sent / 0x1p20, rank->missing ? "  lost" : "");
    }
    fprintf(stream, "            balance %.2f: mean of the busy times over the largest\n",
            outcome_balance(report->job.rank, report->plan.facts.ranks));
}

void report_survey(const struct picture_settings *settings, const struct outcome *outcome,
                   FILE *stream)
{
    const struct field shape = settings_shape(settings);
    const struct picture_report *report = outcome->report;
    const struct block_usage *survey = &report->survey;
    if (report->plan.facts.ranks > 1)
        ranks_print(report, stream);
    if (report->plan.method != METHOD_PERTURBATION)
        return;
    reference_print(&report->reference, stream);
    fprintf(stream, "steps       %.4g per pixel, blocks counted as one\n",
            (double)report->iterations / ((double)shape.width * (double)shape.height));
    fprintf(stream,
            "blocks      of %lld pixels that were followed: %.4g iterations each, %.4g single "
            "steps, %.4g without the reference\n",
            (long long)survey->pixels, per_pixel(survey, survey->iterations),
            per_pixel(survey, survey->single), per_pixel(survey, survey->unreferenced));
    if (survey->levels)
        levels_print(survey, stream);
}
