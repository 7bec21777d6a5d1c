#include "render/plan/plan.h"

#include <stdio.h>

#include "kernels/grid.h"
#include "render/colour/refine.h"
#include "render/plan/plan_question.h"

enum {
    /* Unit of strips: whole squares of adaptive samples, bands of interleaved tiles for 4 GPUs. */
    STRIP_ROWS_UNIT = 64,
    STRIP_ROWS_LEAST = 16, /* whole squares, and a row of cells (render/colour/cells.h) */
    /* Pixels of a writer's strip, which other ranks and a stop wait for; and of a picture from
     * which on the other ranks wait for rank 0. */
    WRITER_STRIP_PX = 1 << 25,
    WRITERS_PX_LEAST = 1 << 28
};

const char *plan_method_name(enum method method)
{
    return method == METHOD_DIRECT ? "direct" : "perturbation";
}

const char *plan_number_name(enum number number)
{
    static const char *const names[NUMBERS] = {
        [NUMBER_FP32] = "fp32", [NUMBER_FP64] = "fp64", [NUMBER_DS] = "ds"};
    return names[number];
}

const char *plan_blocks_name(enum blocks blocks)
{
    static const char *const names[BLOCKS_KINDS] = {
        [BLOCKS_NONE] = "none", [BLOCKS_QUARTIC] = "quartic"};
    return names[blocks];
}

/* With strips of `rows` rows. */
static enum status strips_layout(struct plan *plan, const struct plan_question *question,
                                 int32_t rows)
{
    struct view_numbers view = *question->view;
    struct plan_question strip = *question;
    int32_t height = question->view->height;
    strip.view = &view;
    plan->strip_rows = rows;
    if (plan->lights && (rows < height || plan->writers > 0)) {
        plan->lights = false;
        plan->why.lights = "it takes strip by strip";
    }
    if (plan->lights && question->picture->region.width) { /* its subgrid is read here */
        plan->lights = false;
        plan->why.lights = "it takes a region";
    }
    plan->halo_rows =
        rows < height && samples_most(question->picture->samples) > 1 ? REFINE_SQUARE_PX : 0;
    if (rows < height)
        view.height = rows + 2 * plan->halo_rows;
    TRY(plan_tiles_choose(plan, &strip));
    plan_forecast_choose(plan, &strip);
    plan_memory_sum(plan, &strip);
    return STATUS_OK;
}

static int32_t strip_half(int32_t rows)
{
    int32_t half = rows / 2, unit = half > STRIP_ROWS_UNIT ? STRIP_ROWS_UNIT : STRIP_ROWS_LEAST;
    half -= half % unit;
    return half > STRIP_ROWS_LEAST ? half : STRIP_ROWS_LEAST;
}

/* With the fewest rows. */
static enum status strips_admit(const struct plan *plan, const struct plan_question *question)
{
    uint64_t frame = plan->bytes.frame + plan->bytes.light;
    if (frame <= question->picture->memory_bytes)
        return STATUS_OK;
    return status_fail(
        STATUS_TOO_LARGE,
        "%d rows of %d pixels take %.2f GiB, and %.2f may be taken for them%s; choose "
        "a smaller --size, or more --memory",
        plan->strip_rows, question->view->width, (double)frame / 0x1p30,
        (double)question->picture->memory_bytes / 0x1p30,
        question->view->width < GRID_CELL
            ? ", as a picture narrower than 9 pixels is not cut into strips"
            : "");
}

const char *plan_writers_name(int writers)
{
    static const char *const names[] = {
        [WRITERS_AUTO] = "auto", [WRITERS_ONE] = "one", [WRITERS_ALL] = "all"};
    return writers >= 0 && writers <= WRITERS_ALL ? names[writers] : NULL;
}

/* Whole stripes of the files, and whole squares. */
static int64_t writer_unit(const struct picture *picture)
{
    int64_t unit = picture->part_rows;
    while (unit % STRIP_ROWS_LEAST != 0)
        unit += picture->part_rows;
    return unit;
}

/* Rows of a writer's strip; 0: it would have none. */
static int32_t writer_rows(const struct plan_question *question)
{
    int64_t unit = writer_unit(question->picture),
            share = question->view->height / question->facts->computing_ranks;
    int64_t most = WRITER_STRIP_PX / question->view->width, rows = most < share ? most : share;
    rows = rows > unit ? rows - rows % unit : unit;
    if (question->picture->strip_rows > 0) /* strips of an interrupted run */
        rows = question->picture->strip_rows % unit == 0 ? question->picture->strip_rows : 0;
    return rows < question->view->height ? (int32_t)rows : 0;
}

/* Rank 0 takes longer to compress and write 8 bits a sample than GPUs of two machines to compute
 * them; processors that compute have no time to spare, and of one machine they are the same. */
static bool writers_pay(const struct plan_question *question)
{
    double pixels = (double)question->view->width * question->view->height;
    return question->facts->tile_px > 1 && question->facts->away_ranks > 0 &&
           pixels >= WRITERS_PX_LEAST;
}

static int32_t writers_choose(struct plan *plan, const struct plan_question *question)
{
    bool can = question->facts->computing_ranks > 1 && question->picture->part_rows > 0 &&
               !question->facts->joins;
    bool wanted = question->picture->writers == WRITERS_ALL ||
                  (question->picture->writers == WRITERS_AUTO && can && writers_pay(question));
    bool whole = !question->picture->region.width;
    int32_t rows = can && wanted && whole ? writer_rows(question) : 0;
    plan->writers = rows > 0 ? question->facts->computing_ranks : 0;
    return rows;
}

bool plan_writers_refusal(const struct plan *plan, const struct picture *picture,
                          const struct view_numbers *view, char *text, size_t bytes)
{
    int unit = (int)writer_unit(picture);
    if (picture->writers != WRITERS_ALL || plan->writers > 0)
        return false;
    if (plan->facts.computing_ranks < 2)
        snprintf(text, bytes, "rank 0 writes alone: no other rank computes");
    else if (plan->facts.joins)
        snprintf(text, bytes, "rank 0 writes alone: jobs that join do not write");
    else if (picture->region.width)
        snprintf(text, bytes, "rank 0 writes alone: a region is written by one rank");
    else if (picture->strip_rows > 0)
        snprintf(text, bytes,
                 "rank 0 writes alone: the interrupted run has strips of %d rows, and other ranks "
                 "write multiples of %d",
                 picture->strip_rows, unit);
    else
        snprintf(text, bytes,
                 "rank 0 writes alone: other ranks write multiples of %d rows, and the picture has "
                 "%d",
                 unit, view->height);
    return true;
}

/* As many rows at a time as the memory bears. */
static enum status strips_choose(struct plan *plan, const struct plan_question *question)
{
    int32_t rows = question->view->height;
    if (question->picture->strip_rows > 0)
        return strips_layout(plan, question,
                             question->picture->strip_rows < rows ? question->picture->strip_rows
                                                                  : rows);
    for (;;) {
        enum status status = strips_layout(plan, question, rows);
        bool fits = status == STATUS_OK && plan_memory(plan) <= question->picture->memory_bytes;
        bool least = rows <= STRIP_ROWS_LEAST || question->view->width < GRID_CELL;
        if (status != STATUS_OK && (status != STATUS_TOO_LARGE || least))
            return status;
        if (!question->picture->memory_bytes || fits)
            return status;
        if (least)
            return strips_admit(plan, question);
        rows = strip_half(rows);
    }
}

/* Fewer rows where the memory asks for it. */
static enum status writers_layout(struct plan *plan, const struct plan_question *question,
                                  int32_t rows)
{
    int32_t unit = (int32_t)writer_unit(question->picture);
    TRY(strips_layout(plan, question, rows));
    while (question->picture->memory_bytes && plan_memory(plan) > question->picture->memory_bytes &&
           question->picture->strip_rows == 0 && rows / 2 >= unit) {
        rows = rows / 2 - rows / 2 % unit;
        TRY(strips_layout(plan, question, rows));
    }
    return STATUS_OK;
}

enum status plan_choose(struct plan *plan, const struct picture *picture,
                        const struct view_numbers *view, const struct renderer_facts *facts,
                        const volatile int *stop)
{
    const struct plan_question question = {picture, view, facts, stop};
    const struct view_numbers image = view_numbers_image(view);
    const struct plan_question of_image = {picture, &image, facts, stop};
    *plan = (struct plan){.facts = *facts};
    TRY(plan_number_choose(plan, &of_image)); /* every part of it has the same counts */
    plan_lights_choose(plan, &question);
    TRY(plan_transports_choose(plan, &question));
    /* All bits set mean "not escaped" in .exr files, whose readers take two channels from here. */
    plan->count_bytes = picture->spec.limit < (int64_t)UINT32_MAX ? 4 : 8;
    int32_t rows = writers_choose(plan, &question);
    return rows > 0 ? writers_layout(plan, &question, rows) : strips_choose(plan, &question);
}
