#include "render/colour/cells.h"

#include <math.h>
#include <string.h>

#include "kernels/colour/pixel.h"
#include "kernels/stop.h"

enum {
    SPAN_CELLS = 24, /* cells coloured at a time: their lines stay in the first-level caches */
    SPAN = SPAN_CELLS * GRID_CELL,
    SQUARES_AT_ONCE = 16 /* squares of one thread at a time */
};

uint32_t cells_most(int32_t width, int32_t height)
{
    uint64_t most = (uint64_t)(width / GRID_CELL) * (uint64_t)(height / GRID_CELL);
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static int32_t quotient_up(uint32_t number, int32_t by)
{
    return (int32_t)((number + (uint32_t)by - 1) / (uint32_t)by);
}

/* Shape of a sheet: about as high as wide, where the memory of the picture has room for that. */
static void sheet_shape(struct cell_sheet *sheet, const struct cell_stage *stage)
{
    int32_t widest = stage->width / GRID_CELL, highest = stage->height / GRID_CELL;
    int32_t square = (int32_t)ceil(sqrt(sheet->count)), least = quotient_up(sheet->count, highest);
    int32_t in_row = square > least ? square : least;
    sheet->in_row = in_row < widest ? in_row : widest;
    sheet->rows = quotient_up(sheet->count, sheet->in_row);
}

struct cell_sheet cell_sheet_at(const struct cell_stage *stage, uint64_t first)
{
    uint64_t all = (uint64_t)stage->count * (uint64_t)stage->samples;
    uint64_t left = first < all ? all - first : 0, most = cells_most(stage->width, stage->height);
    struct cell_sheet sheet = {.first = first, .count = (uint32_t)(left < most ? left : most)};
    if (sheet.count)
        sheet_shape(&sheet, stage);
    return sheet;
}

static struct light_rect square_of(const struct cell_stage *stage, uint64_t number)
{
    const struct colour_square at = colour_square_at(
        stage->squares[number / (uint64_t)stage->samples], stage->width, stage->height);
    return (struct light_rect){at.x, at.y, at.width, at.height};
}

void cell_sheet_grids(const struct cell_sheet *sheet, const struct cell_stage *stage,
                      struct grid_cell *cells)
{
    size_t count = (size_t)sheet->in_row * (size_t)sheet->rows;
    struct sample_offset moved[SAMPLES_MOST];
    for (int s = 0; s < stage->samples; s++)
        moved[s] = sample_offset(stage->from + s);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = sheet->first + (i < sheet->count ? i : sheet->count - 1);
        struct light_rect square = square_of(stage, number);
        const struct sample_offset *offset = &moved[number % (uint64_t)stage->samples];
        cells[i] =
            (struct grid_cell){(double)stage->left + square.x - (offset->x > 0) + offset->x,
                               (double)stage->above + square.y - (offset->y > 0) + offset->y};
    }
}

/* ---- adding ---------------------------------------------------------------------------------- */

struct cell_adder {
    const struct cell_sheet *sheet;
    const struct cell_stage *stage;
    const struct sample_share *shares;
    struct light *light;
    const struct look *look;
    const struct field *field;
};

/* Adds a cell. It begins at x of the lines, a pixel before its square in each direction that has
 * the samples' neighbours. Beyond the picture's edge neighbours are the samples at the edge. */
static void cell_add(struct light *light, const struct cell_stage *stage,
                     const struct light_rect *square, const struct sample_share *share,
                     float (*lines)[SPAN][3], int32_t x)
{
    int32_t before = share->to_x < 0, above = share->to_y < 0;
    int32_t first = x + before, last = first + square->width - 1, end = square->height - 1;
    bool left = before && square->x == 0, top = above && square->y == 0;
    bool right = !before && square->x + square->width == stage->width;
    bool bottom = !above && square->y + square->height == stage->height;
    for (int32_t j = 0; (left || right) && j <= square->height; j++)
        memcpy(lines[j][left ? x : last + 1], lines[j][left ? first : last], sizeof **lines);
    if (top || bottom)
        memcpy(lines[top ? 0 : end + 1][x], lines[top ? 1 : end][x], sizeof **lines * GRID_CELL);
    const float(*own)[3] = (const float(*)[3])lines[above] + first;
    light_add_lines(light, share, own, own + share->to_y * SPAN, SPAN, *square);
}

/* Adds cells side by side, from number `first` on. */
static void span_add(const struct cell_adder *to, uint32_t first, uint32_t count)
{
    float lines[GRID_CELL][SPAN][3];
    int32_t x = (int32_t)(first % (uint32_t)to->sheet->in_row) * GRID_CELL;
    int32_t y = (int32_t)(first / (uint32_t)to->sheet->in_row) * GRID_CELL;
    for (int32_t j = 0; j < GRID_CELL; j++)
        colour_span_light(to->look, to->field, x, y + j, (int32_t)count * GRID_CELL, lines[j]);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = to->sheet->first + first + i;
        struct light_rect square = square_of(to->stage, number);
        const struct sample_share *share = &to->shares[number % (uint64_t)to->stage->samples];
        cell_add(to->light, to->stage, &square, share, lines, (int32_t)i * GRID_CELL);
    }
}

void cell_sheet_add(const struct cell_sheet *sheet, const struct cell_stage *stage,
                    const struct sample_share *shares, struct light *light, const struct look *look,
                    const struct field *field, int threads)
{
    const struct cell_adder to = {sheet, stage, shares, light, look, field};
    uint64_t group = (uint64_t)stage->samples * SQUARES_AT_ONCE; /* a square is of one thread */
    uint64_t end = sheet->first + sheet->count, in_row = (uint64_t)sheet->in_row;
    int64_t from = (int64_t)(sheet->first / group), to_group = (int64_t)((end - 1) / group);
#pragma omp parallel for num_threads(threads > 0 ? threads : 1) schedule(dynamic)
    for (int64_t g = from; g <= to_group; g++) {
        uint64_t at = (uint64_t)g * group, last = at + group < end ? at + group : end;
        at = at > sheet->first ? at : sheet->first;
        for (uint64_t count; at < last && !stop_asked(light->stop); at += count) {
            uint64_t index = at - sheet->first, of_row = in_row - index % in_row;
            count = last - at < SPAN_CELLS ? last - at : SPAN_CELLS;
            count = count < of_row ? count : of_row;
            span_add(&to, (uint32_t)index, (uint32_t)count);
        }
    }
}
