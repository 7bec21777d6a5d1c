#include "library/settings/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "library/text/convert.h"
#include "render/picture/region.h"

enum status settings_part(const struct config *config, int *part, int *parts)
{
    const char *text = config_text(config, OPTION_OUTPUT_PART);
    const char *slash = text ? strchr(text, '/') : NULL;
    *part = *parts = 1;
    if (!text || !*text)
        return STATUS_OK;
    char *first = slash ? strndup(text, (size_t)(slash - text)) : NULL;
    int64_t k = 0, n = 0;
    bool good = first && convert_integer(slash + 1, 1, 100000, &n) == STATUS_OK &&
                convert_integer(first, 1, n, &k) == STATUS_OK;
    free(first);
    *part = (int)k;
    *parts = (int)n;
    return good ? STATUS_OK
                : status_fail(STATUS_USAGE,
                              "--part %.40s: it must be K/N, as 1/8 ... 8/8 for eight parts", text);
}

char *settings_part_path(const char *target, int part, int parts)
{
    char *path;
    return asprintf(&path, "%s.part-%d-of-%d.rows", target, part, parts) < 0 ? NULL : path;
}

enum status settings_part_region(struct picture *picture, int part, int parts)
{
    struct tile all = region_wanted(picture);
    int64_t from = (int64_t)all.height * (part - 1) / parts;
    int64_t to = (int64_t)all.height * part / parts;
    if (parts == 1)
        return STATUS_OK;
    if (from == to)
        return status_fail(STATUS_CONFIG, "--part %d/%d: the picture has only %d rows", part, parts,
                           all.height);
    picture->region = all;
    picture->region.y += (int32_t)from;
    picture->region.height = (int32_t)(to - from);
    return STATUS_OK;
}
