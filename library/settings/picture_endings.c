#include "library/settings/picture_endings.h"

#include <stddef.h>

#include "render/file/sink.h"

_Static_assert((int)PICTURE_PATH_BYTES == (int)SINK_PATH_BYTES, "paths of files have one length");

const char *picture_ending(int number)
{
    for (int i = 0; i < sink_kinds_count; i++)
        if (!sink_kinds[i]->partial && number-- == 0)
            return sink_kinds[i]->suffix;
    return NULL;
}

enum status picture_path_check(const char *path)
{
    const struct sink_kind *kind;
    return sink_for_path(&kind, path);
}
