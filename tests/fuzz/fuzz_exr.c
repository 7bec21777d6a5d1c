/* Any bytes as an EXR: a header is refused with a sentence, or has texts that lie in the bytes; the
 * field of a whole file is refused, or has values that colours can take. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "render/file/exr_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void header_walk(const uint8_t *data, size_t size)
{
    struct exr_header header;
    enum status status = exr_header_read(data, size, "fuzz", &header);
    for (int i = 0; i < EXR_TEXTS; i++)
        if (header.text[i] &&
            (status != STATUS_OK || !memmem(data, size, header.text[i], strlen(header.text[i]))))
            __builtin_trap();
    if (status == STATUS_OK ? header.width < 1 || header.height < 1 : !status_text()[0])
        __builtin_trap();
    exr_header_destroy(&header);
}

static void parts_check(const struct field *rows, enum plane plane)
{
    const float *part = rows->plane[plane];
    for (size_t i = 0; part && i < (size_t)rows->width * (size_t)rows->height; i++)
        if (!(part[i] >= 0 && part[i] < 1))
            __builtin_trap();
}

static void rows_read(struct exr_reader *reader)
{
    struct exr_field_facts facts = exr_reader_facts(reader);
    struct field rows;
    int32_t step = facts.chunk_rows;
    for (int32_t y = 0; y < facts.height && y < 4 * step; y += step) {
        int32_t height = facts.height - y < step ? facts.height - y : step;
        if (field_create(&rows, facts.width, height, facts.planes, facts.count_bytes) != STATUS_OK)
            return;
        if (exr_reader_rows(reader, y, &rows) == STATUS_OK) {
            parts_check(&rows, PLANE_FRACTION);
            parts_check(&rows, PLANE_PHASE);
        }
        field_destroy(&rows);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exr_reader *reader;
    header_walk(data, size);
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0)
        return 0;
    if (write(file, data, size) == (ssize_t)size &&
        exr_reader_open(&reader, file, "fuzz") == STATUS_OK) {
        rows_read(reader);
        exr_reader_close(reader);
    }
    close(file);
    return 0;
}
