/* The view that VIEW on the command line means: see library/settings/view_file.h; "-" is what stdin
 * gives. */
#ifndef APP_SETTINGS_VIEW_OPERAND_H
#define APP_SETTINGS_VIEW_OPERAND_H

#include "library/settings/view_file.h"

/* STATUS_NO_INPUT or STATUS_BAD_DATA with the file, the line and what would be right. */
enum status view_operand_load(struct view_file *file, const char *operand,
                              enum view_completeness completeness);

/* The stem of what view_operand_load would load, freed by the caller: see view_file_stem. */
enum status view_operand_stem(char **stem, const char *operand);

/* A view without a file, of which --re, --im and --zoom say all. */
enum status view_operand_none(struct view_file *file);

#endif
