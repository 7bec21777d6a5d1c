/* OpenEXR files as other programs write them: by the library's own encoder, with any compression,
 * types and attributes. */
#ifndef TESTS_RENDER_FILE_EXR_FOREIGN_H
#define TESTS_RENDER_FILE_EXR_FOREIGN_H

#include <openexr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { FOREIGN_CHANNELS = 12 };

struct foreign_channel {
    const char *name;
    exr_pixel_type_t type; /* in the file; the data are of 32 bits */
    const void *data;      /* [height][width] */
};

struct foreign {
    int32_t x, y, width, height;
    exr_compression_t compression;
    const char *bias; /* attribute IterationsBias: an int, or a string when it begins with '"' */
    const char *kfr;  /* attribute KallesFraktaler2+ */
    struct foreign_channel channel[FOREIGN_CHANNELS]; /* up to the first without a name */
};

#define EXR(call) assert_int_equal(call, EXR_ERR_SUCCESS)

static inline void foreign_header(const struct foreign *foreign, exr_context_t context)
{
    exr_attr_box2i_t window;
    exr_attr_v2f_t centre;
    window.min.x = foreign->x;
    window.min.y = foreign->y;
    window.max.x = foreign->x + foreign->width - 1;
    window.max.y = foreign->y + foreign->height - 1;
    centre.x = centre.y = 0;
    int part;
    EXR(exr_add_part(context, "", EXR_STORAGE_SCANLINE, &part));
    EXR(exr_initialize_required_attr(context, 0, &window, &window, 1, &centre, 1,
                                     EXR_LINEORDER_INCREASING_Y, foreign->compression));
    for (int c = 0; c < FOREIGN_CHANNELS && foreign->channel[c].name; c++)
        EXR(exr_add_channel(context, 0, foreign->channel[c].name, foreign->channel[c].type,
                            EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1));
    if (foreign->bias && *foreign->bias == '"')
        EXR(exr_attr_set_string(context, 0, "IterationsBias", foreign->bias + 1));
    else if (foreign->bias)
        EXR(exr_attr_set_int(context, 0, "IterationsBias", atoi(foreign->bias)));
    if (foreign->kfr)
        EXR(exr_attr_set_string(context, 0, "KallesFraktaler2+", foreign->kfr));
    EXR(exr_write_header(context));
}

/* The library sorts channels by name. */
static inline const struct foreign_channel *foreign_named(const struct foreign *foreign,
                                                          const char *name)
{
    for (int c = 0; c < FOREIGN_CHANNELS && foreign->channel[c].name; c++)
        if (!strcmp(foreign->channel[c].name, name))
            return &foreign->channel[c];
    fail_msg("no channel %s", name);
    return NULL;
}

static inline void foreign_chunk(const struct foreign *foreign, exr_context_t context, int32_t row,
                                 exr_encode_pipeline_t *pipeline, bool first)
{
    exr_chunk_info_t chunk;
    EXR(exr_write_scanline_chunk_info(context, 0, foreign->y + row, &chunk));
    if (first)
        EXR(exr_encoding_initialize(context, 0, &chunk, pipeline));
    else
        EXR(exr_encoding_update(context, 0, &chunk, pipeline));
    for (int c = 0; c < pipeline->channel_count; c++) {
        exr_coding_channel_info_t *info = &pipeline->channels[c];
        const struct foreign_channel *channel = foreign_named(foreign, info->channel_name);
        info->user_bytes_per_element = 4;
        info->user_data_type =
            channel->type == EXR_PIXEL_UINT ? (uint16_t)EXR_PIXEL_UINT : (uint16_t)EXR_PIXEL_FLOAT;
        info->user_pixel_stride = 4;
        info->user_line_stride = 4 * foreign->width;
        info->encode_from_ptr =
            (const uint8_t *)channel->data + (size_t)row * 4 * (size_t)foreign->width;
    }
    if (first)
        EXR(exr_encoding_choose_default_routines(context, 0, pipeline));
    EXR(exr_encoding_run(context, 0, pipeline));
}

static inline void foreign_write(const struct foreign *foreign, const char *path)
{
    exr_context_t context;
    int32_t lines;
    EXR(exr_start_write(&context, path, EXR_WRITE_FILE_DIRECTLY, NULL));
    foreign_header(foreign, context);
    EXR(exr_get_scanlines_per_chunk(context, 0, &lines));
    exr_encode_pipeline_t pipeline = EXR_ENCODE_PIPELINE_INITIALIZER;
    for (int32_t row = 0; row < foreign->height; row += lines)
        foreign_chunk(foreign, context, row, &pipeline, row == 0);
    EXR(exr_encoding_destroy(context, &pipeline));
    EXR(exr_finish(&context));
}

#endif
