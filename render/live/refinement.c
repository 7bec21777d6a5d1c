#include "render/live/refinement.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int32_t parts_of(int32_t side, int32_t px)
{
    return (side - 1) / px + 1;
}

enum status refinement_open(struct refinement *refinement, int32_t width, int32_t height,
                            int32_t cell_px)
{
    while ((int64_t)parts_of(width, cell_px) * parts_of(height, cell_px) > REFINEMENT_CELLS_MOST)
        cell_px *= 2;
    int32_t columns = parts_of(width, cell_px), rows = parts_of(height, cell_px);
    struct refinement_cell *cell = calloc((size_t)columns * (size_t)rows, sizeof *cell);
    if (!cell)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory for %d cells", columns * rows);
    *refinement = (struct refinement){.width = width,
                                      .height = height,
                                      .cell_px = cell_px,
                                      .columns = columns,
                                      .rows = rows,
                                      .cells = columns * rows,
                                      .cell = cell};
    for (int32_t i = 0; i < refinement->cells; i++) {
        int32_t x = i % columns * cell_px, y = i / columns * cell_px;
        cell[i].x = x;
        cell[i].y = y;
        cell[i].width = width - x < cell_px ? width - x : cell_px;
        cell[i].height = height - y < cell_px ? height - y : cell_px;
    }
    refinement_begin(refinement, SUBGRID_STRIDE_MOST, 1);
    refinement_point(refinement, width / 2.0, height / 2.0);
    return STATUS_OK;
}

void refinement_close(struct refinement *refinement)
{
    free(refinement->cell);
    *refinement = (struct refinement){0};
}

static struct work_piece cell_piece(const struct refinement *refinement,
                                    const struct refinement_cell *cell, int8_t from, int8_t to)
{
    return (struct work_piece){.x = cell->x,
                               .y = cell->y,
                               .width = cell->width,
                               .height = cell->height,
                               .from = from,
                               .to = to,
                               .sample = refinement->sample};
}

static int64_t samples_at(const struct refinement *refinement, int8_t stride)
{
    struct work_piece all = {
        .width = refinement->width, .height = refinement->height, .to = stride};
    return work_piece_samples(&all);
}

void refinement_begin(struct refinement *refinement, int coarsest, int finest)
{
    refinement->coarsest = (int8_t)coarsest;
    refinement->finest = (int8_t)finest;
    refinement->jump = false;
    refinement->sample = 0;
    refinement->sample_s = 0;
    refinement->samples_done = 0;
    refinement->samples_all = samples_at(refinement, refinement->finest);
    for (int32_t i = 0; i < refinement->cells; i++) {
        struct refinement_cell *cell = &refinement->cell[i];
        cell->known = cell->to = 0;
        cell->open = cell->out = 0;
        cell->busy_s = cell->weight = 0;
        cell->samples = 0;
    }
}

void refinement_finish(struct refinement *refinement)
{
    refinement->sample = 0;
    refinement->samples_done = refinement->samples_all;
    for (int32_t i = 0; i < refinement->cells; i++) {
        struct refinement_cell *cell = &refinement->cell[i];
        cell->known = refinement->finest;
        cell->to = 0;
        cell->open = cell->out = 0;
    }
}

void refinement_extend(struct refinement *refinement, int finest)
{
    refinement->finest = (int8_t)finest;
    refinement->samples_all = samples_at(refinement, refinement->finest);
}

void refinement_point(struct refinement *refinement, double x, double y)
{
    for (int32_t i = 0; i < refinement->cells; i++) {
        struct refinement_cell *cell = &refinement->cell[i];
        double dx = cell->x + cell->width / 2.0 - x, dy = cell->y + cell->height / 2.0 - y;
        double ring = hypot(dx, dy) / (2.0 * refinement->cell_px);
        cell->ring = ring < 1e6 ? (int32_t)ring : 1000000;
    }
}

/* ---- dealing --------------------------------------------------------------------------------- */

static double sample_cost(const struct refinement *refinement, const struct refinement_cell *cell)
{
    return cell->weight > 0 ? cell->busy_s / cell->weight : refinement->sample_s;
}

static int8_t next_stride(const struct refinement *refinement, const struct refinement_cell *cell)
{
    if (refinement->jump)
        return refinement->finest;
    int stride = cell->known ? cell->known / 2 : refinement->coarsest;
    return (int8_t)(stride > refinement->finest ? stride : refinement->finest);
}

static bool may_deal(const struct refinement *refinement, const struct refinement_cell *cell)
{
    if (cell->to)
        return cell->open != 0;
    return cell->known == 0 || cell->known > refinement->finest;
}

/* Is a to be dealt before b? */
static bool before(const struct refinement *refinement, const struct refinement_cell *a,
                   const struct refinement_cell *b)
{
    int a_known = a->known ? a->known : 2 * SUBGRID_STRIDE_MOST;
    int b_known = b->known ? b->known : 2 * SUBGRID_STRIDE_MOST;
    if (a_known != b_known)
        return a_known > b_known;
    if (a->ring != b->ring)
        return a->ring < b->ring;
    return sample_cost(refinement, a) > sample_cost(refinement, b);
}

static int part_columns(const struct refinement_cell *cell)
{
    return parts_of(cell->width, cell->part_width);
}

static struct work_piece part_piece(const struct refinement *refinement,
                                    const struct refinement_cell *cell, int part)
{
    struct work_piece piece = cell_piece(refinement, cell, cell->known, cell->to);
    int32_t columns = part_columns(cell);
    int32_t x = part % columns * cell->part_width, y = part / columns * cell->part_height;
    piece.x += x;
    piece.y += y;
    piece.width = cell->width - x < cell->part_width ? cell->width - x : cell->part_width;
    piece.height = cell->height - y < cell->part_height ? cell->height - y : cell->part_height;
    return piece;
}

/* Half a side, a multiple of the largest stride, so that every subgrid is cut where it has a
 * sample. */
static int32_t halved(int32_t side)
{
    return (side / 2 + SUBGRID_STRIDE_MOST - 1) / SUBGRID_STRIDE_MOST * SUBGRID_STRIDE_MOST;
}

/* Splits a cell: halves the parts, rows first, until each is cheap enough or their number is at its
 * limit. */
static void cell_split(const struct refinement *refinement, struct refinement_cell *cell)
{
    cell->to = next_stride(refinement, cell);
    cell->part_width = cell->part_height = refinement->cell_px;
    struct work_piece piece = cell_piece(refinement, cell, cell->known, cell->to);
    double cost = sample_cost(refinement, cell) * (double)work_piece_samples(&piece);
    for (int parts = 1; refinement->split_s > 0 && cost > refinement->split_s * parts &&
                        parts < REFINEMENT_PARTS_MOST && cell->part_width > SUBGRID_STRIDE_MOST;
         parts *= 2) {
        bool wide = cell->part_width > cell->part_height;
        int32_t *side = wide ? &cell->part_width : &cell->part_height;
        *side = halved(*side);
    }
    int parts = part_columns(cell) * parts_of(cell->height, cell->part_height);
    cell->open = parts < 64 ? ((uint64_t)1 << parts) - 1 : UINT64_MAX;
    cell->out = 0;
}

static struct refinement_cell *best_cell(struct refinement *refinement)
{
    struct refinement_cell *best = NULL;
    for (int32_t i = 0; i < refinement->cells; i++) {
        struct refinement_cell *cell = &refinement->cell[i];
        if (may_deal(refinement, cell) && (!best || before(refinement, cell, best)))
            best = cell;
    }
    return best;
}

/* Deals a row of cells of equal state as one piece. */
static bool row_deal(struct refinement *refinement, const struct refinement_cell *cell,
                     struct refinement_deal *deal)
{
    int32_t begin = (int32_t)(cell - refinement->cell) / refinement->columns * refinement->columns;
    struct refinement_cell *row = &refinement->cell[begin];
    int8_t to = next_stride(refinement, cell), known = cell->known;
    double cost = 0;
    for (int32_t i = 0; i < refinement->columns; i++) {
        struct work_piece own = cell_piece(refinement, &row[i], known, to);
        if (row[i].to || row[i].known != known)
            return false;
        cost += sample_cost(refinement, &row[i]) * (double)work_piece_samples(&own);
    }
    struct work_piece piece = cell_piece(refinement, row, known, to);
    piece.width = refinement->width;
    if (refinement->wave && refinement->jump && known == refinement->coarsest)
        piece.from = 0;
    bool predicted = cost > 0 || refinement->wave;
    if (!predicted || cost > refinement->row_s || work_piece_samples(&piece) == 0)
        return false;
    for (int32_t i = 0; i < refinement->columns; i++) {
        row[i].to = to;
        row[i].open = 0;
        row[i].out = 1;
    }
    *deal = (struct refinement_deal){.piece = piece, .cell = begin, .cells = refinement->columns};
    return true;
}

static bool part_deal(struct refinement *refinement, struct refinement_cell *cell,
                      struct refinement_deal *deal)
{
    if (!cell->to)
        cell_split(refinement, cell);
    int part = __builtin_ctzll(cell->open);
    cell->open &= ~((uint64_t)1 << part);
    cell->out |= (uint64_t)1 << part;
    *deal = (struct refinement_deal){.piece = part_piece(refinement, cell, part),
                                     .cell = (int32_t)(cell - refinement->cell),
                                     .cells = 1,
                                     .part = (int8_t)part};
    if (work_piece_samples(&deal->piece) > 0)
        return true;
    refinement_arrived(refinement, deal, 0); /* a sliver without a new sample */
    return false;
}

bool refinement_next(struct refinement *refinement, struct refinement_deal *deal)
{
    for (struct refinement_cell *cell; (cell = best_cell(refinement));) {
        if (refinement->row_s > 0 && !cell->to && row_deal(refinement, cell, deal))
            return true;
        if (part_deal(refinement, cell, deal))
            return true;
    }
    return false;
}

/* Notes the samples of a cell that have arrived, by a piece that took busy_s for `weight`. */
static void cell_arrived(struct refinement *refinement, struct refinement_cell *cell,
                         const struct work_piece *piece, double busy_s, double weight)
{
    int64_t samples = work_piece_samples(piece);
    if (!piece->from && cell->known) { /* also the samples it had */
        refinement->samples_done -= cell->samples;
        cell->samples = 0;
        cell->busy_s = cell->weight = 0;
    }
    cell->busy_s += busy_s;
    cell->weight += weight;
    cell->samples += samples;
    refinement->samples_done += samples;
}

void refinement_arrived(struct refinement *refinement, const struct refinement_deal *deal,
                        double busy_s)
{
    int64_t all = work_piece_samples(&deal->piece);
    double weight = (double)(all > refinement->wave ? all : refinement->wave);
    for (int32_t i = 0; i < deal->cells; i++) {
        struct refinement_cell *cell = &refinement->cell[deal->cell + i];
        struct work_piece piece = deal->piece;
        if (deal->cells > 1)
            piece = cell_piece(refinement, cell, deal->piece.from, deal->piece.to);
        double share = all > 0 ? (double)work_piece_samples(&piece) / (double)all : 0;
        assert(cell->out & (uint64_t)1 << deal->part);
        cell->out &= ~((uint64_t)1 << deal->part);
        cell_arrived(refinement, cell, &piece, busy_s * share, weight * share);
        if (cell->open || cell->out)
            continue;
        cell->known = cell->to;
        cell->to = 0;
    }
}

void refinement_back(struct refinement *refinement, const struct refinement_deal *deal)
{
    for (int32_t i = 0; i < deal->cells; i++) {
        struct refinement_cell *cell = &refinement->cell[deal->cell + i];
        assert(cell->out & (uint64_t)1 << deal->part);
        cell->out &= ~((uint64_t)1 << deal->part);
        cell->open |= (uint64_t)1 << deal->part;
        if (deal->cells > 1)
            cell->to = 0; /* dealt as a row again, or not */
    }
}

/* ---- where it stands ------------------------------------------------------------------------- */

int refinement_stride(const struct refinement *refinement)
{
    int stride = 1;
    for (int32_t i = 0; i < refinement->cells; i++) {
        if (!refinement->cell[i].known)
            return 0;
        stride = refinement->cell[i].known > stride ? refinement->cell[i].known : stride;
    }
    return stride;
}

bool refinement_done(const struct refinement *refinement)
{
    for (int32_t i = 0; i < refinement->cells; i++) {
        const struct refinement_cell *cell = &refinement->cell[i];
        if (cell->to || cell->known == 0 || cell->known > refinement->finest)
            return false;
    }
    return true;
}

double refinement_sample_s(const struct refinement *refinement)
{
    double busy = 0, weight = 0;
    for (int32_t i = 0; i < refinement->cells; i++) {
        busy += refinement->cell[i].busy_s;
        weight += refinement->cell[i].weight;
    }
    return weight > 0 ? busy / weight : -1;
}

double refinement_left_s(const struct refinement *refinement)
{
    double mean = refinement_sample_s(refinement), left = 0;
    if (mean < 0 && refinement->sample_s <= 0)
        return -1;
    if (mean < 0)
        mean = refinement->sample_s;
    for (int32_t i = 0; i < refinement->cells; i++) {
        const struct refinement_cell *cell = &refinement->cell[i];
        struct work_piece whole = cell_piece(refinement, cell, 0, refinement->finest);
        double cost = cell->weight > 0 ? cell->busy_s / cell->weight : mean;
        left += cost * (double)(work_piece_samples(&whole) - cell->samples);
    }
    return left;
}
