#include "library/settings/output_settings.h"

#include "library/settings/part.h"

/* ---- the picture ---- */

/* The files of a part are its rows alone, from which those of the picture are made. */
static enum status part_path_take(struct picture_settings *settings, int part, int parts)
{
    if (parts == 1)
        return STATUS_OK;
    settings->part_path = settings_part_path(settings->paths[0], part, parts);
    if (!settings->part_path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a file");
    settings->paths[0] = settings->part_path;
    settings->path_count = 1;
    settings->to_stdout = false;
    return STATUS_OK;
}

static enum status caller_check(const struct output_request *request,
                                const struct picture_settings *settings, enum output_check stage)
{
    return request->check ? request->check(request->context, settings, stage) : STATUS_OK;
}

enum status output_settings_make(struct picture_settings *settings,
                                 const struct output_request *request,
                                 const struct renderer_facts *facts)
{
    int part = 1, parts = 1;
    const struct settings_request described = {.paths = request->paths,
                                               .path_count = request->path_count,
                                               .survey = request->survey,
                                               .overwrite = request->overwrite,
                                               .stop = request->stop};
    *settings = (struct picture_settings){.path_count = 0};
    if (!request->of_list)
        TRY(settings_part(request->config, &part, &parts));
    TRY(settings_create(settings, request->config, &described));
    TRY(settings_part_region(&settings->picture, part, parts));
    TRY(caller_check(request, settings, OUTPUT_CHECK_DESCRIBED));
    TRY(settings_plan_choose(settings, request->config, facts));
    TRY(part_path_take(settings, part, parts));
    return caller_check(request, settings, OUTPUT_CHECK_PLANNED);
}

/* ---- checks of files ---- */

static enum status requests_differ(const struct sink_request *before,
                                   const struct sink_request *sink)
{
    char path[SINK_PATH_BYTES];
    if (!sink_requests_meet(before, sink, path))
        return STATUS_OK;
    return status_fail(STATUS_USAGE, "-o %s and -o %s are both the file %s", before->path,
                       sink->path, path);
}

enum status output_settings_check(const struct picture_settings *settings)
{
    struct field shape = settings_shape(settings);
    for (size_t i = 0; i < settings->path_count; i++) {
        struct sink_request sink = settings_sink(settings, i, &shape);
        for (size_t j = 0; j < i; j++) {
            struct sink_request before = settings_sink(settings, j, &shape);
            TRY(requests_differ(&before, &sink));
            uint64_t bytes = sink_bytes_on_disk(&before, sink.path);
            if (__builtin_add_overflow(sink.other_files_bytes, bytes, &sink.other_files_bytes))
                sink.other_files_bytes = UINT64_MAX;
        }
        TRY(sink_check(&sink));
    }
    return STATUS_OK;
}
