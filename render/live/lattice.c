#include "render/live/lattice.h"

#include "render/samples.h"

/* Multiples of `stride` from `first` on, below `end`. */
static int32_t samples_in(int32_t first, int32_t end, int32_t stride)
{
    return first < end ? (end - first - 1) / stride + 1 : 0;
}

static int lattice_add(const struct piece *piece, int32_t dx, int32_t dy, int32_t stride,
                       struct lattice *lattice)
{
    *lattice =
        (struct lattice){.x = piece->x + dx,
                         .y = piece->y + dy,
                         .stride = stride,
                         .width = samples_in(piece->x + dx, piece->x + piece->width, stride),
                         .height = samples_in(piece->y + dy, piece->y + piece->height, stride)};
    return lattice->width > 0 && lattice->height > 0;
}

int piece_lattices(const struct piece *piece, struct lattice lattice[LATTICES_MOST])
{
    int count = 0;
    if (!piece->from)
        return lattice_add(piece, 0, 0, piece->to, lattice);
    for (int32_t s = piece->from / 2; s >= piece->to; s /= 2) {
        count += lattice_add(piece, s, 0, 2 * s, &lattice[count]);
        count += lattice_add(piece, 0, s, 2 * s, &lattice[count]);
        count += lattice_add(piece, s, s, 2 * s, &lattice[count]);
    }
    return count;
}

int64_t piece_samples(const struct piece *piece)
{
    struct lattice lattice[LATTICES_MOST];
    int64_t samples = 0;
    for (int i = piece_lattices(piece, lattice) - 1; i >= 0; i--)
        samples += (int64_t)lattice[i].width * lattice[i].height;
    return samples;
}

struct grid lattice_grid(const struct grid *whole, const struct lattice *lattice, int sample)
{
    struct grid grid = *whole;
    double stride = lattice->stride;
    struct sample_place place = sample_place(sample);
    double x = lattice->x + place.x, y = lattice->y + place.y;
    grid.half_width = (whole->half_width - 0.5 - x) / stride + 0.5;
    grid.half_height = (whole->half_height - 0.5 - y) / stride + 0.5;
    grid.step_re *= stride;
    grid.step_im *= stride;
    grid.x = grid.y = 0;
    grid.width = lattice->width;
    grid.height = lattice->height;
    grid.band = grid.band_step = 0;
    return grid;
}

size_t lattice_bytes(const struct lattice *lattice, unsigned planes, int count_bytes)
{
    size_t samples = (size_t)lattice->width * (size_t)lattice->height;
    return (samples * planes_bytes(planes, count_bytes) + 63) / 64 * 64;
}

size_t piece_bytes(const struct piece *piece, unsigned planes, int count_bytes)
{
    struct lattice lattice[LATTICES_MOST];
    size_t bytes = 0;
    for (int i = piece_lattices(piece, lattice) - 1; i >= 0; i--)
        bytes += lattice_bytes(&lattice[i], planes, count_bytes);
    return bytes;
}
