#include "app/command/invocation_load.h"

#include "app/arguments/config_load.h"
#include "app/command/batch.h"
#include "app/command/command.h"
#include "app/settings/view_operand.h"
#include "app/viewer/input/actions.h"
#include "library/config/config_view.h"
#include "library/settings/view_file.h"
#include "render/disk/atomic_file.h"

enum status invocation_view_missing(const struct command *command)
{
    return status_fail(STATUS_USAGE,
                       "deepfield %s needs a VIEW, or --re, --im and --zoom, or --formula "
                       "(deepfield %s --help)",
                       command->name, command->name);
}

/* Loads the file that the command line names; without one, the whole set or nothing. Three numbers
 * in flags are a place like those in a file, and a formula or a Julia set has one: nothing of the
 * whole set goes with them. A tour has its own places. */
static enum status view_load(struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    const char *operand = arguments->operand;
    enum command_operand takes = invocation->command->takes;
    bool flagged = arguments_has(arguments, OPTION_VIEW_RE) &&
                   arguments_has(arguments, OPTION_VIEW_IM) &&
                   arguments_has(arguments, OPTION_VIEW_ZOOM);
    flagged |= arguments_has(arguments, OPTION_VIEW_FORMULA) ||
               arguments_has(arguments, OPTION_VIEW_JULIA);
    bool needed = takes == OPERAND_VIEW || takes == OPERAND_VIEWS;
    if (!needed && takes != OPERAND_VIEW_OR_HOME)
        return STATUS_OK;
    bool toured = arguments_has(arguments, OPTION_TOUR);
    if (!operand && !toured && (needed || flagged))
        return view_operand_none(&invocation->view);
    return view_operand_load(&invocation->view, operand ? operand : "whole-set", VIEW_PART);
}

/* Do the settings say where to look? */
static enum status place_check_whole(struct invocation *invocation)
{
    const struct view_file *view = &invocation->view;
    int there;
    if (!view->format)
        return STATUS_OK;
    TRY(config_home(&invocation->config));
    const char *missing = config_place_missing(&invocation->config, &there);
    if (!missing)
        return STATUS_OK;
    if (view->format != &place_options)
        return view_file_lacks(view, missing);
    if (!there)
        return invocation_view_missing(invocation->command);
    return status_fail(STATUS_USAGE,
                       "--%s is missing: without a VIEW, --re, --im and --zoom are "
                       "needed",
                       missing);
}

/* An ini file with compute.join_file is shared with commands that nobody joins. */
static enum status join_file_restrict(struct invocation *invocation)
{
    if (option_rows[OPTION_COMPUTE_JOIN_FILE].commands & invocation->command->bit)
        return STATUS_OK;
    return config_set(&invocation->config, OPTION_COMPUTE_JOIN_FILE, "", invocation->command->name,
                      STATUS_INTERNAL);
}

/* The picture would take the place of the file while jobs join by it. */
static enum status join_file_apart(const struct invocation *invocation)
{
    const char *output, *path = config_text_or_null(&invocation->config, OPTION_COMPUTE_JOIN_FILE);
    for (size_t i = 0; path && (output = arguments_output(&invocation->arguments, i)); i++)
        if (atomic_file_same(path, output))
            return status_fail(STATUS_USAGE, "-o %s and --join-file %s are the same file", output,
                               path);
    return STATUS_OK;
}

enum status invocation_load_view(struct invocation *invocation)
{
    struct view_file *view = &invocation->view;
    TRY(view_load(invocation));
    TRY(config_load(&invocation->config, action_check, &invocation->arguments,
                    view->path ? &view->ini : NULL, view->path));
    TRY(join_file_restrict(invocation));
    TRY(join_file_apart(invocation));
    TRY(place_check_whole(invocation));
    return config_colours(&invocation->config);
}

/* Loads the settings that all pictures share; each adds those of its view. */
static enum status batch_load(struct invocation *invocation)
{
    TRY(config_load(&invocation->config, action_check, &invocation->arguments, NULL, NULL));
    TRY(join_file_apart(invocation));
    return batch_create(&invocation->batch, invocation);
}

enum status invocation_load(struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    bool several = invocation->command->takes == OPERAND_VIEWS && batch_is_wanted(arguments);
    return several ? batch_load(invocation) : invocation_load_view(invocation);
}
