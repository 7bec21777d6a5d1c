#include "render/window/capture.h"

#include "render/file/png_text.h"
#include "render/file/png_writer.h"

static void row_unpack(const void *context, int32_t row, void *samples)
{
    const struct paint_image *image = context;
    const uint32_t *pixels = image->pixels + (int64_t)row * image->stride;
    uint8_t *out = samples;
    for (int32_t x = 0; x < image->width; x++)
        for (int k = 0; k < 3; k++)
            *out++ = (uint8_t)(pixels[x] >> (16 - 8 * k));
}

static enum status picture_write(const struct paint_image *image, const char *view_text,
                                 struct atomic_file *file)
{
    const struct png_shape shape = {image->width, image->height, 8, 0};
    const struct png_note notes[] = {{"Software", "deepfield"}, {PNG_TEXT_KEY, view_text}, {0}};
    const struct png_rows rows = {row_unpack, image, image->height};
    struct png_writer *writer;
    enum status status = png_writer_create(&writer, file, &shape, notes);
    if (status == STATUS_OK)
        status = png_writer_add(writer, &rows);
    png_writer_destroy(writer);
    return status;
}

enum status capture_write(const struct paint_image *image, const char *view_text, const char *path,
                          enum overwrite overwrite)
{
    struct atomic_file file = {0};
    enum status status = atomic_file_open(&file, path, overwrite, NULL);
    if (status == STATUS_OK)
        status = picture_write(image, view_text, &file);
    if (status == STATUS_OK)
        status = atomic_file_commit(&file);
    atomic_file_abandon(&file);
    return status;
}
