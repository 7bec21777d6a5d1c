/* Any bytes as a file of each format of places, whatever they look like: refused with a sentence,
 * or numbers of which those that are good ones make a place that can be written and read again. The
 * first line may name one of several places: `:NAME`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/settings/view_file.h"
#include "library/place/place_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        __builtin_trap();
}

static void written_again(const struct config *config, const struct place_format *format)
{
    struct view_file file;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    must(stream != NULL);
    enum status status = format->write(config, stream);
    must(fclose(stream) == 0);
    if (status == STATUS_OK && length < 400000) { /* an ini text is 512 KiB */
        must(view_file_parse(&file, text, length, "again") == STATUS_OK);
        must(file.format == format);
        must(
            !strcmp(ini_find(&file.ini, "view", "re")->value, config_text(config, OPTION_VIEW_RE)));
        view_file_destroy(&file);
    } else
        must(status == STATUS_OK || *status_text());
    free(text);
}

static void place_check_whole(const struct ini *ini)
{
    struct config config;
    must(config_create(&config) == STATUS_OK);
    enum status status = config_apply(&config, ini, "fuzz", STATUS_BAD_DATA);
    if (status != STATUS_OK)
        must(*status_text());
    else if (config_text(&config, OPTION_VIEW_RE) && config_text(&config, OPTION_VIEW_IM) &&
             config_text(&config, OPTION_VIEW_ZOOM))
        for (int i = 0; i < place_formats_count; i++)
            if (place_formats[i]->write)
                written_again(&config, place_formats[i]);
    config_destroy(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct place_text text = {.bytes = (const char *)data, .length = size, .name = "fuzz"};
    const char *newline = size && *data == ':' ? memchr(data, '\n', size) : NULL;
    char *entry = NULL;
    if (newline) {
        entry = strndup(text.bytes + 1, (size_t)(newline - text.bytes) - 1);
        text.length -= (size_t)(newline + 1 - text.bytes);
        text.bytes = newline + 1;
        text.entry = entry;
    }
    for (int i = 0; i < place_formats_count; i++) {
        struct ini ini = {0};
        if (!place_formats[i]->read)
            continue;
        if (place_formats[i]->read(&ini, &text) == STATUS_OK)
            place_check_whole(&ini);
        else
            must(*status_text());
        ini_destroy(&ini);
    }
    free(entry);
    return 0;
}
