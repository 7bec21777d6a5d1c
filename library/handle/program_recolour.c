#include "library/handle/program_recolour.h"

#include "kernels/backend.h"
#include "render/file/field_file.h"
#include "render/file/sink.h"

enum status program_recolour(const struct recolour_request *request)
{
    return recolour(request);
}

char *program_field_stem(const char *path)
{
    return field_file_stem(path);
}

enum status program_output_kind(const char *path, bool *quality, bool *overviews)
{
    const struct sink_kind *kind;
    TRY(sink_for_output(&kind, path));
    *quality = kind->quality;
    *overviews = kind->overviews;
    return STATUS_OK;
}

int program_cores(void)
{
    return backend_cores_usable();
}
