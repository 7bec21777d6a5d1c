/* Paths of films from hostile text. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "library/film/path_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct film_path path = {0};
    struct film_keyframe place = {.re = "-0.75", .im = "0.1", .relief = NAN};
    struct view view = {0};
    if (path_file_parse(&path, (const char *)data, size, "fuzz", &place) == STATUS_OK)
        for (int i = 0; i < 5; i++)
            film_path_view(&path, film_path_seconds(&path) * i / 4, 64, 36, &view);
    view_destroy(&view);
    film_path_destroy(&path);
    return 0;
}
