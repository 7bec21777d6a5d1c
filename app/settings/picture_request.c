#include "app/settings/picture_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/process/stop.h"
#include "app/settings/idle_flags.h"

/* ---- names of files ---- */

static enum status path_add(struct output_request *request, const char **paths, const char *path)
{
    if (!*path)
        return status_fail(STATUS_USAGE, "-o needs the name of a file");
    for (size_t i = 0; i < request->path_count; i++)
        if (!strcmp(paths[i], path))
            return status_fail(STATUS_USAGE, "-o %s was given twice", path);
    paths[request->path_count++] = path;
    return STATUS_OK;
}

/* Without -o it is the view's name as a .png. */
static enum status paths_make(struct output_request *request, struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    const char **paths = calloc(arguments->count + 1, sizeof *paths);
    if (!paths)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the names of the files");
    invocation_names_free(invocation);
    request->paths = invocation->paths = paths;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->given[i].option == OPTION_OUTPUT)
            TRY(path_add(request, paths, arguments->given[i].text));
    if (request->path_count)
        return STATUS_OK;
    if (asprintf(&invocation->default_path, "%s.png", invocation->view.stem) < 0) {
        invocation->default_path = NULL; /* asprintf leaves it undefined */
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the file");
    }
    return path_add(request, paths, invocation->default_path);
}

/* ---- flags ---- */

static enum status flags_check(void *context, const struct picture_settings *settings,
                               enum output_check stage)
{
    const struct invocation *invocation = context;
    const struct arguments *arguments = &invocation->arguments;
    if (stage == OUTPUT_CHECK_DESCRIBED) {
        TRY(settings_forecast_flag(&invocation->config, arguments));
        TRY(settings_join_flags(&invocation->config, arguments));
        return settings_flags_check(settings, arguments);
    }
    TRY(settings_shading_flags_check(settings, arguments));
    if (settings->to_stdout && arguments_has(arguments, OPTION_JSON))
        return status_fail(STATUS_USAGE, "standard output cannot take both a picture and --json; "
                                         "name a file for -o");
    return STATUS_OK;
}

enum status picture_request_make(struct output_request *request, struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    *request = (struct output_request){
        .config = &invocation->config,
        .of_list = invocation->listed,
        .survey = arguments_has(arguments, OPTION_EXPLAIN),
        .overwrite = arguments_has(arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO,
        .stop = &stop_requested,
        .check = flags_check,
        .context = invocation};
    return paths_make(request, invocation);
}
