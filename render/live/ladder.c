#include "render/live/ladder.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int32_t parts_of(int32_t side, int32_t px)
{
    return (side - 1) / px + 1;
}

enum status ladder_open(struct ladder *ladder, int32_t width, int32_t height, int32_t cell_px)
{
    while ((int64_t)parts_of(width, cell_px) * parts_of(height, cell_px) > LADDER_CELLS_MOST)
        cell_px *= 2;
    int32_t columns = parts_of(width, cell_px), rows = parts_of(height, cell_px);
    struct ladder_cell *cell = calloc((size_t)columns * (size_t)rows, sizeof *cell);
    if (!cell)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d cells", columns * rows);
    *ladder = (struct ladder){.width = width,
                              .height = height,
                              .cell_px = cell_px,
                              .columns = columns,
                              .rows = rows,
                              .cells = columns * rows,
                              .cell = cell};
    for (int32_t i = 0; i < ladder->cells; i++) {
        int32_t x = i % columns * cell_px, y = i / columns * cell_px;
        cell[i].x = x;
        cell[i].y = y;
        cell[i].width = width - x < cell_px ? width - x : cell_px;
        cell[i].height = height - y < cell_px ? height - y : cell_px;
    }
    ladder_begin(ladder, LATTICE_STRIDE_MOST, 1);
    ladder_point(ladder, width / 2.0, height / 2.0);
    return STATUS_OK;
}

void ladder_close(struct ladder *ladder)
{
    free(ladder->cell);
    *ladder = (struct ladder){0};
}

static struct piece cell_piece(const struct ladder *ladder, const struct ladder_cell *cell,
                               int8_t from, int8_t to)
{
    return (struct piece){cell->x, cell->y, cell->width, cell->height, from, to, ladder->sample};
}

static int64_t samples_at(const struct ladder *ladder, int8_t stride)
{
    struct piece all = {.width = ladder->width, .height = ladder->height, .to = stride};
    return piece_samples(&all);
}

void ladder_begin(struct ladder *ladder, int coarsest, int finest)
{
    ladder->coarsest = (int8_t)coarsest;
    ladder->finest = (int8_t)finest;
    ladder->jump = false;
    ladder->sample = 0;
    ladder->sample_s = 0;
    ladder->samples_home = 0;
    ladder->samples_all = samples_at(ladder, ladder->finest);
    for (int32_t i = 0; i < ladder->cells; i++) {
        struct ladder_cell *cell = &ladder->cell[i];
        cell->home = cell->to = 0;
        cell->open = cell->out = 0;
        cell->busy_s = cell->weight = 0;
        cell->samples = 0;
    }
}

void ladder_finish(struct ladder *ladder)
{
    ladder->sample = 0;
    ladder->samples_home = ladder->samples_all;
    for (int32_t i = 0; i < ladder->cells; i++) {
        struct ladder_cell *cell = &ladder->cell[i];
        cell->home = ladder->finest;
        cell->to = 0;
        cell->open = cell->out = 0;
    }
}

void ladder_extend(struct ladder *ladder, int finest)
{
    ladder->finest = (int8_t)finest;
    ladder->samples_all = samples_at(ladder, ladder->finest);
}

void ladder_point(struct ladder *ladder, double x, double y)
{
    for (int32_t i = 0; i < ladder->cells; i++) {
        struct ladder_cell *cell = &ladder->cell[i];
        double dx = cell->x + cell->width / 2.0 - x, dy = cell->y + cell->height / 2.0 - y;
        double ring = hypot(dx, dy) / (2.0 * ladder->cell_px);
        cell->ring = ring < 1e6 ? (int32_t)ring : 1000000;
    }
}

/* ---- dealing --------------------------------------------------------------------------------- */

static double sample_cost(const struct ladder *ladder, const struct ladder_cell *cell)
{
    return cell->weight > 0 ? cell->busy_s / cell->weight : ladder->sample_s;
}

static int8_t next_stride(const struct ladder *ladder, const struct ladder_cell *cell)
{
    if (ladder->jump)
        return ladder->finest;
    int stride = cell->home ? cell->home / 2 : ladder->coarsest;
    return (int8_t)(stride > ladder->finest ? stride : ladder->finest);
}

static bool may_deal(const struct ladder *ladder, const struct ladder_cell *cell)
{
    if (cell->to)
        return cell->open != 0;
    return cell->home == 0 || cell->home > ladder->finest;
}

/* Is a to be dealt before b? */
static bool before(const struct ladder *ladder, const struct ladder_cell *a,
                   const struct ladder_cell *b)
{
    int a_home = a->home ? a->home : 2 * LATTICE_STRIDE_MOST;
    int b_home = b->home ? b->home : 2 * LATTICE_STRIDE_MOST;
    if (a_home != b_home)
        return a_home > b_home;
    if (a->ring != b->ring)
        return a->ring < b->ring;
    return sample_cost(ladder, a) > sample_cost(ladder, b);
}

static int part_columns(const struct ladder_cell *cell)
{
    return parts_of(cell->width, cell->part_width);
}

static struct piece part_piece(const struct ladder *ladder, const struct ladder_cell *cell,
                               int part)
{
    struct piece piece = cell_piece(ladder, cell, cell->home, cell->to);
    int32_t columns = part_columns(cell);
    int32_t x = part % columns * cell->part_width, y = part / columns * cell->part_height;
    piece.x += x;
    piece.y += y;
    piece.width = cell->width - x < cell->part_width ? cell->width - x : cell->part_width;
    piece.height = cell->height - y < cell->part_height ? cell->height - y : cell->part_height;
    return piece;
}

/* Half a side: a multiple of the largest stride, so that every lattice is cut where it has a
 * sample. */
static int32_t halved(int32_t side)
{
    return (side / 2 + LATTICE_STRIDE_MOST - 1) / LATTICE_STRIDE_MOST * LATTICE_STRIDE_MOST;
}

/* Halves the parts, rows first, until each is cheap enough or there are as many as may be. */
static void cell_split(const struct ladder *ladder, struct ladder_cell *cell)
{
    cell->to = next_stride(ladder, cell);
    cell->part_width = cell->part_height = ladder->cell_px;
    struct piece piece = cell_piece(ladder, cell, cell->home, cell->to);
    double cost = sample_cost(ladder, cell) * (double)piece_samples(&piece);
    for (int parts = 1; ladder->split_s > 0 && cost > ladder->split_s * parts &&
                        parts < LADDER_PARTS_MOST && cell->part_width > LATTICE_STRIDE_MOST;
         parts *= 2) {
        bool wide = cell->part_width > cell->part_height;
        int32_t *side = wide ? &cell->part_width : &cell->part_height;
        *side = halved(*side);
    }
    int parts = part_columns(cell) * parts_of(cell->height, cell->part_height);
    cell->open = parts < 64 ? ((uint64_t)1 << parts) - 1 : UINT64_MAX;
    cell->out = 0;
}

static struct ladder_cell *best_cell(struct ladder *ladder)
{
    struct ladder_cell *best = NULL;
    for (int32_t i = 0; i < ladder->cells; i++) {
        struct ladder_cell *cell = &ladder->cell[i];
        if (may_deal(ladder, cell) && (!best || before(ladder, cell, best)))
            best = cell;
    }
    return best;
}

/* A row of cells that stand alike, as one piece. */
static bool row_deal(struct ladder *ladder, const struct ladder_cell *cell,
                     struct ladder_deal *deal)
{
    int32_t begin = (int32_t)(cell - ladder->cell) / ladder->columns * ladder->columns;
    struct ladder_cell *row = &ladder->cell[begin];
    int8_t to = next_stride(ladder, cell), home = cell->home;
    double cost = 0;
    for (int32_t i = 0; i < ladder->columns; i++) {
        struct piece own = cell_piece(ladder, &row[i], home, to);
        if (row[i].to || row[i].home != home)
            return false;
        cost += sample_cost(ladder, &row[i]) * (double)piece_samples(&own);
    }
    struct piece piece = cell_piece(ladder, row, home, to);
    piece.width = ladder->width;
    if (ladder->wave && ladder->jump && home == ladder->coarsest)
        piece.from = 0;
    bool known = cost > 0 || ladder->wave;
    if (!known || cost > ladder->row_s || piece_samples(&piece) == 0)
        return false;
    for (int32_t i = 0; i < ladder->columns; i++) {
        row[i].to = to;
        row[i].open = 0;
        row[i].out = 1;
    }
    *deal = (struct ladder_deal){.piece = piece, .cell = begin, .cells = ladder->columns};
    return true;
}

static bool part_deal(struct ladder *ladder, struct ladder_cell *cell, struct ladder_deal *deal)
{
    if (!cell->to)
        cell_split(ladder, cell);
    int part = __builtin_ctzll(cell->open);
    cell->open &= ~((uint64_t)1 << part);
    cell->out |= (uint64_t)1 << part;
    *deal = (struct ladder_deal){.piece = part_piece(ladder, cell, part),
                                 .cell = (int32_t)(cell - ladder->cell),
                                 .cells = 1,
                                 .part = (int8_t)part};
    if (piece_samples(&deal->piece) > 0)
        return true;
    ladder_home(ladder, deal, 0); /* a sliver without a sample between those that it has */
    return false;
}

bool ladder_next(struct ladder *ladder, struct ladder_deal *deal)
{
    for (struct ladder_cell *cell; (cell = best_cell(ladder));) {
        if (ladder->row_s > 0 && !cell->to && row_deal(ladder, cell, deal))
            return true;
        if (part_deal(ladder, cell, deal))
            return true;
    }
    return false;
}

/* The samples of a cell are home, by a piece that took busy_s for `weight`. */
static void cell_home(struct ladder *ladder, struct ladder_cell *cell, const struct piece *piece,
                      double busy_s, double weight)
{
    int64_t samples = piece_samples(piece);
    if (!piece->from && cell->home) { /* also what it had */
        ladder->samples_home -= cell->samples;
        cell->samples = 0;
        cell->busy_s = cell->weight = 0;
    }
    cell->busy_s += busy_s;
    cell->weight += weight;
    cell->samples += samples;
    ladder->samples_home += samples;
}

void ladder_home(struct ladder *ladder, const struct ladder_deal *deal, double busy_s)
{
    int64_t all = piece_samples(&deal->piece);
    double weight = (double)(all > ladder->wave ? all : ladder->wave);
    for (int32_t i = 0; i < deal->cells; i++) {
        struct ladder_cell *cell = &ladder->cell[deal->cell + i];
        struct piece piece = deal->piece;
        if (deal->cells > 1)
            piece = cell_piece(ladder, cell, deal->piece.from, deal->piece.to);
        double share = all > 0 ? (double)piece_samples(&piece) / (double)all : 0;
        assert(cell->out & (uint64_t)1 << deal->part);
        cell->out &= ~((uint64_t)1 << deal->part);
        cell_home(ladder, cell, &piece, busy_s * share, weight * share);
        if (cell->open || cell->out)
            continue;
        cell->home = cell->to;
        cell->to = 0;
    }
}

void ladder_back(struct ladder *ladder, const struct ladder_deal *deal)
{
    for (int32_t i = 0; i < deal->cells; i++) {
        struct ladder_cell *cell = &ladder->cell[deal->cell + i];
        assert(cell->out & (uint64_t)1 << deal->part);
        cell->out &= ~((uint64_t)1 << deal->part);
        cell->open |= (uint64_t)1 << deal->part;
        if (deal->cells > 1)
            cell->to = 0; /* as a row again, or not */
    }
}

/* ---- where it stands ------------------------------------------------------------------------- */

int ladder_stride(const struct ladder *ladder)
{
    int stride = 1;
    for (int32_t i = 0; i < ladder->cells; i++) {
        if (!ladder->cell[i].home)
            return 0;
        stride = ladder->cell[i].home > stride ? ladder->cell[i].home : stride;
    }
    return stride;
}

bool ladder_done(const struct ladder *ladder)
{
    for (int32_t i = 0; i < ladder->cells; i++) {
        const struct ladder_cell *cell = &ladder->cell[i];
        if (cell->to || cell->home == 0 || cell->home > ladder->finest)
            return false;
    }
    return true;
}

double ladder_sample_s(const struct ladder *ladder)
{
    double busy = 0, weight = 0;
    for (int32_t i = 0; i < ladder->cells; i++) {
        busy += ladder->cell[i].busy_s;
        weight += ladder->cell[i].weight;
    }
    return weight > 0 ? busy / weight : -1;
}

double ladder_left_s(const struct ladder *ladder)
{
    double mean = ladder_sample_s(ladder), left = 0;
    if (mean < 0 && ladder->sample_s <= 0)
        return -1;
    if (mean < 0)
        mean = ladder->sample_s;
    for (int32_t i = 0; i < ladder->cells; i++) {
        const struct ladder_cell *cell = &ladder->cell[i];
        struct piece whole = cell_piece(ladder, cell, 0, ladder->finest);
        double cost = cell->weight > 0 ? cell->busy_s / cell->weight : mean;
        left += cost * (double)(piece_samples(&whole) - cell->samples);
    }
    return left;
}
