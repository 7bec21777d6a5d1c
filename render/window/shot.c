#include "render/window/shot.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "render/png_text.h"
#include "render/png_writer.h"

struct shot {
    const struct paint_image *image;
    const char *view_text, *path;
    struct whole_file file;
    png_structp png;
    png_infop info;
    uint8_t *row;
    char reason[PNG_REASON_BYTES];
};

static void texts_write(struct shot *shot)
{
    png_text text[2] = {{.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)(uintptr_t) "Software",
                         .text = (char *)(uintptr_t) "deepfield",
                         .text_length = strlen("deepfield")},
                        {.compression = PNG_TEXT_COMPRESSION_NONE,
                         .key = (char *)(uintptr_t)PNG_TEXT_KEY,
                         .text = (char *)(uintptr_t)shot->view_text, /* libpng copies it */
                         .text_length = shot->view_text ? strlen(shot->view_text) : 0}};
    png_set_text(shot->png, shot->info, text, shot->view_text ? 2 : 1);
}

static void row_write(struct shot *shot, int32_t y)
{
    const uint32_t *pixels = shot->image->pixels + (int64_t)y * shot->image->stride;
    for (int32_t x = 0; x < shot->image->width; x++)
        for (int k = 0; k < 3; k++)
            shot->row[3 * x + k] = (uint8_t)(pixels[x] >> (16 - 8 * k));
    png_write_row(shot->png, shot->row);
}

/* The one function that libpng jumps back into; it has no local that changes after setjmp. */
static enum status picture_write(struct shot *shot)
{
    errno = 0;
    if (setjmp(png_jmpbuf(shot->png)))
        return status_fail(STATUS_IO, "cannot write %s: %s", shot->path, shot->reason);
    png_init_io(shot->png, shot->file.stream);
    png_set_IHDR(shot->png, shot->info, (png_uint_32)shot->image->width,
                 (png_uint_32)shot->image->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(shot->png, shot->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(shot->png, 1); /* as render/sink_png.c has measured */
    png_set_filter(shot->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    texts_write(shot);
    png_write_info(shot->png, shot->info);
    for (int32_t y = 0; y < shot->image->height; y++)
        row_write(shot, y);
    png_write_end(shot->png, NULL);
    return STATUS_OK;
}

enum status shot_write(const struct paint_image *image, const char *view_text, const char *path,
                       enum overwrite overwrite)
{
    struct shot shot = {.image = image, .view_text = view_text, .path = path};
    shot.row = malloc((size_t)image->width * 3);
    shot.png = png_writer_create(shot.reason);
    shot.info = shot.png ? png_create_info_struct(shot.png) : NULL;
    enum status status = STATUS_OK;
    if (!shot.row || !shot.info)
        status = status_fail(STATUS_OUT_OF_MEMORY, "no memory to write %s", path);
    if (status == STATUS_OK)
        status = whole_file_open(&shot.file, path, overwrite, NULL);
    if (status == STATUS_OK)
        status = picture_write(&shot);
    if (status == STATUS_OK)
        status = whole_file_commit(&shot.file);
    whole_file_abandon(&shot.file);
    png_destroy_write_struct(&shot.png, &shot.info);
    free(shot.row);
    return status;
}
