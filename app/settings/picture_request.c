#include "app/settings/picture_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/process/stop.h"
#include "app/settings/idle_flags.h"
#include "library/settings/part.h"

/* ---- names of files ---- */

struct output_paths {
    const char **path; /* owned array of borrowed texts */
    size_t count;
};

static enum status path_add(struct output_paths *paths, const char *path)
{
    if (!*path)
        return status_fail(STATUS_USAGE, "-o needs the name of a file");
    for (size_t i = 0; i < paths->count; i++)
        if (!strcmp(paths->path[i], path))
            return status_fail(STATUS_USAGE, "-o %s was given twice", path);
    paths->path[paths->count++] = path;
    return STATUS_OK;
}

/* Without -o it is the view's name as a .png. */
static enum status paths_make(struct output_paths *paths, struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    paths->path = calloc(arguments->count + 1, sizeof *paths->path);
    if (!paths->path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == OPTION_OUTPUT)
            TRY(path_add(paths, arguments->given[i].text));
    if (paths->count)
        return STATUS_OK;
    free(invocation->default_path);
    if (asprintf(&invocation->default_path, "%s.png", invocation->view.stem) < 0) {
        invocation->default_path = NULL; /* asprintf leaves it undefined */
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the file");
    }
    return path_add(paths, invocation->default_path);
}

/* The files of a part are its rows alone, from which those of the picture are made. */
static enum status part_path_take(struct picture_settings *settings, struct invocation *invocation,
                                  int part, int parts)
{
    if (parts == 1)
        return STATUS_OK;
    free(invocation->part_path);
    invocation->part_path = settings_part_path(settings->paths[0], part, parts);
    if (!invocation->part_path)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of a file");
    settings->paths[0] = invocation->part_path;
    settings->path_count = 1;
    settings->to_stdout = false;
    return STATUS_OK;
}

/* ---- the picture ---- */

static enum status described_make(struct picture_settings *settings, struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    struct output_paths paths = {.count = 0};
    enum status status = paths_make(&paths, invocation);
    const struct settings_request request = {
        .paths = paths.path,
        .path_count = paths.count,
        .survey = arguments_has(arguments, OPTION_EXPLAIN),
        .overwrite = arguments_has(arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO,
        .stop = &stop_requested};
    if (status == STATUS_OK)
        status = settings_create(settings, &invocation->config, &request);
    free(paths.path);
    return status;
}

enum status picture_request_make(struct picture_settings *settings, struct invocation *invocation,
                                 const struct renderer_facts *facts)
{
    int part = 1, parts = 1;
    *settings = (struct picture_settings){.path_count = 0};
    if (!invocation->listed)
        TRY(settings_part(&invocation->config, &part, &parts));
    TRY(described_make(settings, invocation));
    TRY(settings_part_region(&settings->picture, part, parts));
    TRY(settings_forecast_flag(&invocation->config, &invocation->arguments));
    TRY(settings_flags_check(settings, &invocation->arguments));
    TRY(settings_plan_choose(settings, &invocation->config, facts));
    TRY(settings_shading_flags_check(settings, &invocation->arguments));
    TRY(part_path_take(settings, invocation, part, parts));
    if (settings->to_stdout && arguments_has(&invocation->arguments, OPTION_JSON))
        return status_fail(STATUS_USAGE, "standard output cannot take both a picture and --json; "
                                         "name a file for -o");
    return STATUS_OK;
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

enum status picture_request_check(struct picture_settings *settings)
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
