/* Any bytes as an ini view: refused with a sentence, or saved and loaded again as the same view. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "library/config/config.h"
#include "library/place/place_format.h"
#include "library/text/ini.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

/* The settings of a view file; false if it is refused. */
static int settings_load(struct config *config, const char *text, size_t length)
{
    struct ini ini;
    must(config_create(config) == STATUS_OK);
    enum status status = ini_parse(&ini, text, length, "fuzz", STATUS_BAD_DATA);
    must(status != STATUS_OK || ini.count <= INI_KEYS_MAX);
    must(status == STATUS_OK || (ini.count == 0 && !ini.entry));
    if (status == STATUS_OK)
        status = config_apply(config, &ini, "fuzz", STATUS_BAD_DATA);
    must(status == STATUS_OK || (status == STATUS_BAD_DATA && *status_text()));
    ini_destroy(&ini);
    return status == STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config, back;
    if (settings_load(&config, (const char *)data, size)) {
        char *text;
        must(place_to_text(&text, &place_view, &config) == STATUS_OK);
        must(settings_load(&back, text, strlen(text)));
        for (int i = 0; i < OPTIONS; i++)
            if (option_rows[i].traits & OPTION_OF_PICTURE && config.value[i].text)
                must(!strcmp(config.value[i].text, back.value[i].text));
        config_destroy(&back);
        free(text);
    }
    config_destroy(&config);
    return 0;
}
