#include "app/settings/view_operand.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/process/environment.h"

enum status view_operand_load(struct view_file *file, const char *operand,
                              enum view_completeness completeness)
{
    const struct data_source data = environment_data();
    return strcmp(operand, "-") != 0 ? view_file_find(file, operand, &data, completeness)
                                     : view_file_read(file, STDIN_FILENO, "stdin", completeness);
}

enum status view_operand_stem(char **stem, const char *operand)
{
    const struct data_source data = environment_data();
    return view_file_stem(stem, operand, &data);
}

enum status view_operand_none(struct view_file *file)
{
    *file = (struct view_file){
        .format = &place_options, .path = strdup("the command line"), .stem = strdup("view")};
    if (file->path && file->stem)
        return STATUS_OK;
    view_file_destroy(file);
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for the name of the view");
}
