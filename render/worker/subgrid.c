#include "render/worker/subgrid.h"

#include "render/colour/samples.h"

/* Number of multiples of `stride` from `first` on, below `end`. */
static int32_t samples_in(int32_t first, int32_t end, int32_t stride)
{
    return first < end ? (end - first - 1) / stride + 1 : 0;
}

static int subgrid_add(const struct work_piece *piece, int32_t dx, int32_t dy, int32_t stride,
                       struct subgrid *subgrid)
{
    *subgrid =
        (struct subgrid){.x = piece->x + dx,
                         .y = piece->y + dy,
                         .stride = stride,
                         .width = samples_in(piece->x + dx, piece->x + piece->width, stride),
                         .height = samples_in(piece->y + dy, piece->y + piece->height, stride)};
    return subgrid->width > 0 && subgrid->height > 0;
}

int work_piece_subgrids(const struct work_piece *piece, struct subgrid subgrid[SUBGRIDS_MOST])
{
    int count = 0;
    if (!piece->from)
        return subgrid_add(piece, 0, 0, piece->to, subgrid);
    for (int32_t s = piece->from / 2; s >= piece->to; s /= 2) {
        count += subgrid_add(piece, s, 0, 2 * s, &subgrid[count]);
        count += subgrid_add(piece, 0, s, 2 * s, &subgrid[count]);
        count += subgrid_add(piece, s, s, 2 * s, &subgrid[count]);
    }
    return count;
}

int64_t work_piece_samples(const struct work_piece *piece)
{
    struct subgrid subgrid[SUBGRIDS_MOST];
    int64_t samples = 0;
    for (int i = work_piece_subgrids(piece, subgrid) - 1; i >= 0; i--)
        samples += (int64_t)subgrid[i].width * subgrid[i].height;
    return samples;
}

struct grid subgrid_grid(const struct grid *whole, const struct subgrid *subgrid, int sample)
{
    struct grid grid = *whole;
    double stride = subgrid->stride;
    struct sample_offset offset = sample_offset(sample);
    double x = whole->x + subgrid->x + offset.x, y = whole->y + subgrid->y + offset.y;
    grid.half_width = (whole->half_width - 0.5 - x) / stride + 0.5;
    grid.half_height = (whole->half_height - 0.5 - y) / stride + 0.5;
    grid.step_re *= stride;
    grid.step_im *= stride;
    grid.x = grid.y = 0;
    grid.width = subgrid->width;
    grid.height = subgrid->height;
    grid.band = grid.band_step = 0;
    return grid;
}

size_t subgrid_bytes(const struct subgrid *subgrid, unsigned planes, int count_bytes)
{
    size_t samples = (size_t)subgrid->width * (size_t)subgrid->height;
    return (samples * planes_bytes(planes, count_bytes) + 63) / 64 * 64;
}

size_t work_piece_bytes(const struct work_piece *piece, unsigned planes, int count_bytes)
{
    struct subgrid subgrid[SUBGRIDS_MOST];
    size_t bytes = 0;
    for (int i = work_piece_subgrids(piece, subgrid) - 1; i >= 0; i--)
        bytes += subgrid_bytes(&subgrid[i], planes, count_bytes);
    return bytes;
}
