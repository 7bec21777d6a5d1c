#include "app/settings/place_files.h"

#include <stdio.h>

#include "app/process/stop.h"
#include "library/place/place_format.h"
#include "render/disk/atomic_file_set.h"

static enum status place_file_add(struct atomic_file_set *set, const struct config *config,
                                  const char *path, enum overwrite overwrite)
{
    const struct place_format *format;
    struct atomic_file file = {0};
    TRY(place_format_named(&format, path));
    TRY(atomic_file_open(&file, path, overwrite, NULL));
    enum status status = format->write(config, file.stream);
    if (status == STATUS_OK)
        return atomic_file_set_add(set, &file);
    atomic_file_abandon(&file);
    return status;
}

enum status place_files_write(const struct invocation *invocation)
{
    const struct arguments *arguments = &invocation->arguments;
    enum overwrite overwrite =
        arguments_has(arguments, OPTION_FORCE) ? OVERWRITE_YES : OVERWRITE_NO;
    struct atomic_file_set set = {0};
    enum status status = arguments_outputs_differ(arguments);
    for (size_t i = 0; arguments_output(arguments, i) && status == STATUS_OK; i++)
        status =
            place_file_add(&set, &invocation->config, arguments_output(arguments, i), overwrite);
    if (status == STATUS_OK)
        status = stop_held_commit(&set);
    atomic_file_set_abandon(&set);
    return status;
}

void place_files_print(const struct invocation *invocation)
{
    for (size_t i = 0; arguments_output(&invocation->arguments, i); i++)
        puts(arguments_output(&invocation->arguments, i));
}
