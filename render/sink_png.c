/* The coloured picture as PNG. */
#include <stdio.h>
#include <string.h>

#include "render/png_text.h"
#include "render/png_writer.h"
#include "render/sink.h"

struct png {
    const struct sink_order *order;
    struct whole_file file;
    struct png_writer *writer;
};

static struct png_shape shape_of(const struct sink_order *order)
{
    return (struct png_shape){order->field->width, order->field->height, order->bits};
}

static uint64_t png_bytes_max(const struct sink_order *order)
{
    struct png_shape shape = shape_of(order);
    return png_bytes_most(&shape, (order->view_text ? strlen(order->view_text) : 0) +
                                      (order->title ? strlen(order->title) : 0));
}

static enum status png_begin(void *state, const struct sink_order *order)
{
    struct png *png = state;
    const struct png_shape shape = shape_of(order);
    const struct png_note notes[] = {
        {"Software", "deepfield"}, {"Title", order->title}, {PNG_TEXT_KEY, order->view_text}, {0}};
    png->order = order;
    TRY(whole_file_open(&png->file, order->path, order->overwrite, order->stop));
    return png_writer_create(&png->writer, &png->file, &shape, notes);
}

struct coloured {
    const struct sink_order *order;
    const struct sink_rows *rows;
};

static void row_colour(const void *context, int32_t row, void *samples)
{
    const struct coloured *coloured = context;
    sink_colour_row(coloured->order, coloured->rows, row, samples);
}

static enum status png_rows(void *state, const struct sink_rows *rows)
{
    struct png *png = state;
    const struct coloured coloured = {png->order, rows};
    const struct png_rows added = {row_colour, &coloured, rows->height};
    return png_writer_add(png->writer, &added);
}

static enum status png_end(void *state, struct whole_set *set)
{
    struct png *png = state;
    return whole_set_add(set, &png->file);
}

static void png_close(void *state)
{
    struct png *png = state;
    png_writer_destroy(png->writer);
    whole_file_abandon(&png->file);
}

extern const struct sink_kind sink_png;
const struct sink_kind sink_png = {
    .name = "png",
    .suffix = ".png",
    .summary = "the coloured picture, 8 or 16 bit, with the view inside",
    .bits_least = 8,
    .bits_most = 16,
    .needs = PLANE_MASK_COUNT | PLANE_MASK_FRACTION,
    .file = sink_file_alone,
    .bytes_max = png_bytes_max,
    .state_bytes = sizeof(struct png),
    .begin = png_begin,
    .rows = png_rows,
    .end = png_end,
    .close = png_close,
};
