#include "render/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"

enum { BEYOND_BAILOUT = 100 }; /* so that the reference outlives every pixel */

/* 33 million steps with the shortest blocks. No more than twice the bytes of the orbit, which has
 * been found to take a quarter of the free memory at most. */
#define TABLE_BYTES_MOST ((size_t)1 << 30)

struct sent {                    /* before the points, and the tiny ones behind them */
    _Alignas(16) int64_t length; /* for the points behind it, which are loaded 16 bytes at a time */
    int64_t tiny_count, period;
    long bits;
    enum orbit_end end;
};

struct grid reference_grid(const struct view_numbers *numbers, int32_t x, int32_t y, int32_t width,
                           int32_t height)
{
    struct grid grid = view_grid(numbers, x, y, width, height);
    grid.centre_re = grid.centre_im = grid.centre_re_lo = grid.centre_im_lo = 0;
    grid.step_re = numbers->step_re;
    grid.step_im = numbers->step_im;
    grid.exponent = numbers->exponent;
    return grid;
}

/* Of a rank, for the orbit. */
static uint64_t bytes_share(const struct world *world)
{
    return memory_available() / 4 / (uint64_t)world_node_size(world);
}

enum status reference_make(struct reference *reference, const struct view *view,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct world *world, const volatile int *stop)
{
    double half_diagonal = 0.5 * hypot(view->width, view->height);
    struct orbit_options options = {.radius = BEYOND_BAILOUT * spec->bailout,
                                    .log2_disc = numbers->log2_step + log2(half_diagonal),
                                    .bytes_max = bytes_share(world),
                                    .stop = stop};
    TRY(orbit_bits(numbers->log2_step, spec->limit, &options.bits));
    TRY(orbit_create(&reference->orbit, &options, view->re, view->im));
    return orbit_extend(&reference->orbit, spec->limit);
}

/* All that the others need, in one block. */
static enum status pack(struct reference *reference, size_t *length)
{
    const struct orbit *orbit = &reference->orbit;
    struct sent head = {orbit->length, orbit->tiny_count, orbit->period, orbit->bits, orbit->end};
    size_t points = (size_t)orbit->length * sizeof *orbit->z;
    size_t tiny = (size_t)orbit->tiny_count * sizeof *orbit->tiny;
    *length = sizeof head + points + tiny;
    char *bytes = reference->bytes = malloc(*length);
    if (!bytes)
        return status_fail(STATUS_OUT_OF_MEMORY, "no memory to send a reference orbit of %zu bytes",
                           *length);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, orbit->z, points);
    if (tiny)
        memcpy(bytes + sizeof head + points, orbit->tiny, tiny);
    return STATUS_OK;
}

static void unpack(struct reference *reference)
{
    const char *bytes = reference->bytes;
    struct sent head;
    memcpy(&head, bytes, sizeof head);
    const char *points = bytes + sizeof head;
    const char *tiny = points + (size_t)head.length * sizeof(struct orbit_point);
    reference->orbit = (struct orbit){.z = (const struct orbit_point *)points,
                                      .tiny = (const struct orbit_tiny *)tiny,
                                      .length = head.length,
                                      .tiny_count = head.tiny_count,
                                      .end = head.end,
                                      .period = head.period,
                                      .bits = head.bits};
}

enum status reference_share(struct reference *reference, struct world *world)
{
    if (world_size(world) == 1)
        return STATUS_OK;
    bool root = world_rank(world) == 0;
    size_t length = 0;
    TRY(world_agree(world, root ? pack(reference, &length) : STATUS_OK));
    TRY(world_agree(world, world_share(world, &reference->bytes, &length)));
    if (!root) {
        unpack(reference);
        return STATUS_OK;
    }
    free(reference->bytes);
    reference->bytes = NULL;
    return STATUS_OK;
}

enum status reference_open(const struct reference *reference, struct crew *crew,
                           const struct view_numbers *numbers, const struct spec *spec,
                           double accuracy_px, const volatile int *stop)
{
    struct grid whole = reference_grid(numbers, 0, 0, numbers->width, numbers->height);
    struct deep_options options = {.blocks = BLOCKS_QUARTIC,
                                   .epsilon = deep_epsilon(accuracy_px, BLOCKS_QUARTIC, &whole),
                                   .bytes_max = TABLE_BYTES_MOST,
                                   .stop = stop};
    return crew_deep_open(crew, &options, &reference->orbit, spec, &whole);
}

void reference_close(struct reference *reference)
{
    if (reference->orbit.work)
        orbit_destroy(&reference->orbit);
    free(reference->bytes);
    *reference = (struct reference){0};
}
