/* What a picture or a film would take, as --dry-run says it. */
#ifndef APP_REPORT_ESTIMATE_REPORT_H
#define APP_REPORT_ESTIMATE_REPORT_H

#include <stdio.h>

#include "render/device/renderer.h"
#include "render/picture/estimate.h"

/* "time        about 4 to 6 min on 2 CPU cores: ..." */
void estimate_print(const struct estimate *estimate, const struct renderer *renderer, FILE *stream);

/* estimate_devices_text of a renderer. */
void estimate_devices(const struct renderer *renderer, char *text, size_t bytes);

#endif
