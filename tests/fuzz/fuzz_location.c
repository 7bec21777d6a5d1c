/* Any bytes as a file that `deepfield render` is given: refused with a sentence, or a view whose
 * numbers are finite. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/settings_description.h"
#include "library/settings/view_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static void view_check(const struct config *config)
{
    struct picture picture;
    struct view_numbers numbers;
    if (settings_picture(config, &picture) != STATUS_OK) {
        must(*status_text());
        return;
    }
    must(!strcmp(picture.view.re, config_text(config, OPTION_VIEW_RE)));
    must(view_numbers(&picture.view, &numbers) == STATUS_OK);
    must(fabs(numbers.centre_re) <= VIEW_CENTRE_MAX && fabs(numbers.centre_im) <= VIEW_CENTRE_MAX);
    must(isfinite(numbers.step) && isfinite(numbers.log2_step) && numbers.step >= 0);
    must(picture.spec.limit >= 1);
    view_destroy(&picture.view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view_file file;
    struct config config;
    if (view_file_parse(&file, (const char *)data, size, "fuzz") != STATUS_OK) {
        must(*status_text() && !file.path);
        return 0;
    }
    must(config_create(&config) == STATUS_OK);
    if (config_apply(&config, &file.ini, file.path, STATUS_BAD_DATA) == STATUS_OK)
        view_check(&config);
    config_destroy(&config);
    view_file_destroy(&file);
    return 0;
}
