/* What a picture would take, as --dry-run says it. */
#ifndef APP_REPORT_ESTIMATE_REPORT_H
#define APP_REPORT_ESTIMATE_REPORT_H

#include <stdio.h>

#include "render/disk/json.h"

/* "time        about 4 to 6 min on 2 CPU cores: ...", of the report of a dry run. */
void estimate_print(const struct json_object *report, FILE *stream);

#endif
