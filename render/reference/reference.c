#include "render/reference/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decomposition/thread/clock.h"
#include "kernels/deep/error_amplification.h"
#include "kernels/deep/number/late_error.h"
#include "kernels/escape/pixel.h"
#include "kernels/formula/rational.h"
#include "render/disk/memory.h"
#include "render/view/description.h"

/* bailout radius of the reference over that of pixels, so that the reference outlives every
 * pixel */
enum { BEYOND_BAILOUT = 100 };
/* Exactness of blocks for formulas. In a Julia set the pixels of the largest errors had 1e4 times
 * those in the middle, and a fifth of the accuracy asked for; so blocks leave out 16 times less. */
#define FORMULA_EXACTNESS 16.0

/* Most bytes of a stopped orbit that is written: 33 million steps with the shortest blocks. No more
 * than twice the bytes of the orbit, which was measured to take a quarter of the free memory at
 * most. */
#define STOPPED_BYTES_MOST ((uint64_t)1 << 29)
#define TABLE_BYTES_MOST ((size_t)1 << 30)

struct reference_head { /* message head; the points, the tape, and the points near 0 follow */
    /* length of the points behind it, which are loaded 16 bytes at a time */
    _Alignas(16) int64_t length;
    int64_t tiny_count, small_count, tape_steps, period;
    struct formula formula;
    struct orbit_point c;
    long bits;
    int phase, tape_width;
    enum orbit_end end;
    bool has_critical;     /* its block is the next one */
    struct orbit critical; /* the orbit of that block, unpacked */
};

double reference_orbit_most(const struct formula *formula, int64_t limit)
{
    return ((double)limit + 1) * orbit_count(formula) * (double)orbit_point_bytes(formula);
}

double reference_blocks_most(const struct formula *formula, int64_t limit, enum blocks blocks)
{
    size_t orbits = (size_t)orbit_count(formula);
    return blocks == BLOCKS_NONE
               ? 0
               : (double)orbits *
                     (double)deep_table_bytes(formula, limit, TABLE_BYTES_MOST / orbits);
}

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

/* Grid of the whole picture. Blocks of a mirrored view are those of the view without mirror, so
 * that its fields are equal, too. */
static struct grid whole_grid(const struct view_numbers *numbers)
{
    const struct view_numbers image = view_numbers_image(numbers);
    return grid_upright(reference_grid(&image, 0, 0, image.width, image.height));
}

/* Bytes that a rank may use for the orbit. */
static uint64_t bytes_share(const struct world *world)
{
    return memory_available() / 4 / (uint64_t)world_node_size(world);
}

/* Progress of a stage, passed on to the hooks. */
struct reference_watch {
    const struct reference_hooks *hooks;
    enum reference_stage stage;
    double begin_s;
};

static void watch_tell(void *context, int64_t done, int64_t most)
{
    const struct reference_watch *watch = context;
    struct reference_progress progress = {watch->stage, done, most, clock_s() - watch->begin_s};
    watch->hooks->progress(watch->hooks->context, &progress);
}

/* Begins an orbit, from the cache's file if it has one. */
static enum status orbit_begin(struct orbit *orbit, const struct orbit_options *options,
                               const struct view *view, int64_t limit, struct orbit_cache *cache,
                               const char *folder)
{
    TRY(orbit_create(orbit, options, view->re, view->im));
    if (!folder || orbit_cache_open(cache, folder, orbit, options->stop) != STATUS_OK ||
        orbit_cache_load(cache, orbit, limit, options->bytes_max))
        return STATUS_OK;
    orbit_destroy(orbit);
    return orbit_create(orbit, options, view->re, view->im);
}

/* Writes a stopped orbit, if its file takes about a second at most. Returns the reason of the
 * stop. */
static enum status stopped_keep(struct reference *reference, struct orbit_cache *cache)
{
    const struct orbit *orbit = &reference->orbit;
    char why[STATUS_TEXT_BYTES];
    snprintf(why, sizeof why, "%s", status_text());
    cache->stop = NULL;
    if (reference_packed(orbit) <= STOPPED_BYTES_MOST)
        reference->cache = orbit_cache_store(cache, orbit);
    bool kept = reference->cache != ORBIT_CACHE_NONE && !*cache->warning;
    return status_fail(STATUS_STOPPED, "%s%s", why,
                       kept ? "; the orbit cache has them, and the next run goes on from there"
                            : "");
}

/* Makes the orbit of the view's centre, again while it turns out to need more bits. */
static enum status orbit_of_centre(struct orbit *orbit, struct orbit_options *options,
                                   const struct view *view, int64_t limit,
                                   struct orbit_device device, struct orbit_cache *cache,
                                   const char *folder)
{
    TRY(orbit_bits(options->log2_step, limit, &options->bits));
    if (options->formula.step >= FORMULA_STEPS || !formula_holomorphic(&options->formula))
        options->bits += ORBIT_FOLD_BITS;
    while (true) {
        TRY(orbit_begin(orbit, options, view, limit, cache, folder));
        orbit_device_set(orbit, device);
        TRY(orbit_extend(orbit, limit));
        orbit_device_leave(orbit); /* pixels want its memory */
        long bits = orbit_bits_short(orbit);
        if (!bits)
            return STATUS_OK;
        if (cache->path) /* the cache tells the next run how many bits it needs */
            orbit_cache_store(cache, orbit);
        orbit_destroy(orbit);
        orbit_cache_close(cache);
        options->bits = bits;
    }
}

enum status reference_make(struct reference *reference, const struct view *view,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct world *world, const char *cache,
                           const struct reference_hooks *hooks)
{
    double half_diagonal = 0.5 * hypot(view->width, view->height);
    struct reference_watch watch = {hooks, REFERENCE_ORBIT, clock_s()};
    struct orbit_options options = {
        .formula = spec->formula,
        .log2_step = numbers->log2_step - numbers->log2_stretch,
        .radius = BEYOND_BAILOUT * spec->bailout,
        .log2_disc = numbers->log2_step + numbers->log2_stretch + log2(half_diagonal),
        .bytes_max = bytes_share(world) / (uint64_t)orbit_count(&spec->formula),
        .stop = hooks->stop,
        .progress = hooks->progress ? watch_tell : NULL,
        .context = &watch};
    struct orbit_cache file = {.path = NULL};
    static uint64_t made;
    reference->number = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    enum status status = orbit_of_centre(&reference->orbit, &options, view, spec->limit,
                                         hooks->device, &file, cache);
    if (status == STATUS_OK && file.path)
        reference->cache = orbit_cache_store(&file, &reference->orbit);
    if (status == STATUS_STOPPED && file.path && hooks->keeps_stopped)
        status = stopped_keep(reference, &file);
    memcpy(reference->warning, file.warning, sizeof reference->warning);
    const char *lost = orbit_device_lost(&reference->orbit);
    snprintf(reference->device_lost, sizeof reference->device_lost, "%s", lost ? lost : "");
    orbit_cache_close(&file);
    return status;
}

/* ---- as one block ---- */

static struct reference_head head_of(const struct orbit *orbit)
{
    return (struct reference_head){.length = orbit->length,
                                   .tiny_count = orbit->tiny_count,
                                   .small_count = orbit->small_count,
                                   .tape_steps = orbit->length - (orbit->end != ORBIT_CYCLE),
                                   .period = orbit->period,
                                   .formula = orbit->formula,
                                   .c = orbit->c,
                                   .bits = orbit->bits,
                                   .phase = orbit->phase,
                                   .tape_width = orbit->tape_width,
                                   .end = orbit->end,
                                   .has_critical = orbit->critical != NULL};
}

/* Number of arrays behind a head, in their order. */
enum { ARRAYS = 4 };

static void array_bytes(const struct reference_head *head, size_t bytes[ARRAYS])
{
    bytes[0] = (size_t)head->length * sizeof(struct orbit_point);
    bytes[1] = (size_t)head->tape_steps * (size_t)head->tape_width * sizeof(struct orbit_point);
    bytes[2] = (size_t)head->tiny_count * sizeof(struct orbit_tiny);
    bytes[3] = (size_t)head->small_count * sizeof(struct orbit_small);
}

static size_t orbit_packed(const struct orbit *orbit)
{
    struct reference_head head = head_of(orbit);
    size_t bytes[ARRAYS], all = sizeof head;
    array_bytes(&head, bytes);
    for (int i = 0; i < ARRAYS; i++)
        all += bytes[i];
    return all;
}

static char *orbit_pack(const struct orbit *orbit, char *at)
{
    const void *const from[ARRAYS] = {orbit->z, orbit->tape, orbit->tiny, orbit->small};
    struct reference_head head = head_of(orbit);
    size_t bytes[ARRAYS];
    array_bytes(&head, bytes);
    memcpy(at, &head, sizeof head);
    at += sizeof head;
    for (int i = 0; i < ARRAYS; at += bytes[i++])
        if (bytes[i])
            memcpy(at, from[i], bytes[i]);
    return at;
}

static char *orbit_unpack(struct orbit *orbit, char *at)
{
    const char *array[ARRAYS];
    struct reference_head head;
    size_t bytes[ARRAYS];
    memcpy(&head, at, sizeof head);
    array_bytes(&head, bytes);
    at += sizeof head;
    for (int i = 0; i < ARRAYS; at += bytes[i++])
        array[i] = at;
    *orbit = (struct orbit){.formula = head.formula,
                            .phase = head.phase,
                            .c = head.c,
                            .z = (const struct orbit_point *)array[0],
                            .tape = (const struct orbit_point *)array[1],
                            .tiny = (const struct orbit_tiny *)array[2],
                            .small = (const struct orbit_small *)array[3],
                            .length = head.length,
                            .tiny_count = head.tiny_count,
                            .small_count = head.small_count,
                            .tape_width = head.tape_width,
                            .end = head.end,
                            .period = head.period,
                            .bits = head.bits};
    return at;
}

size_t reference_packed(const struct orbit *orbit)
{
    size_t bytes = 0;
    for (; orbit; orbit = orbit->critical)
        bytes += orbit_packed(orbit);
    return bytes;
}

void reference_pack(const struct orbit *orbit, void *bytes)
{
    for (char *at = bytes; orbit; orbit = orbit->critical)
        at = orbit_pack(orbit, at);
}

void reference_unpack(struct reference *reference)
{
    struct orbit *orbit = &reference->orbit;
    for (char *at = reference->bytes; orbit; orbit = orbit->critical) {
        struct reference_head *head = (struct reference_head *)at;
        at = orbit_unpack(orbit, at);
        orbit->critical = head->has_critical ? &head->critical : NULL;
    }
}

enum status reference_share(struct reference *reference, struct world *world)
{
    if (world_size(world) == 1)
        return STATUS_OK;
    bool root = world_rank(world) == 0;
    size_t length = root ? reference_packed(&reference->orbit) : 0;
    enum status mine = STATUS_OK;
    reference->bytes = root ? malloc(length) : NULL;
    if (root && !reference->bytes)
        mine = status_fail(STATUS_OUT_OF_MEMORY, "no memory to send a reference orbit of %zu bytes",
                           length);
    else if (root)
        reference_pack(&reference->orbit, reference->bytes);
    TRY(world_share(world, mine, &reference->bytes, &length));
    if (!root) {
        reference_unpack(reference);
        return STATUS_OK;
    }
    free(reference->bytes);
    reference->bytes = NULL;
    return STATUS_OK;
}

double reference_exactness(const struct formula *formula)
{
    return formula_mandelbrot(formula) ? 1 : FORMULA_EXACTNESS;
}

/* Options of the blocks. watch: progress of the building; NULL: none. */
static struct deep_options blocks_options(const struct reference *reference,
                                          const struct view_numbers *numbers,
                                          const struct reference_request *request,
                                          struct grid *whole, const struct reference_hooks *hooks,
                                          struct reference_watch *watch)
{
    *whole = whole_grid(numbers);
    whole->centre_re = request->offset_re;
    whole->centre_im = request->offset_im;
    double exactness = reference_exactness(&reference->orbit.formula);
    double epsilon = deep_epsilon(request->accuracy_px / exactness, whole);
    return (struct deep_options){.blocks = request->blocks,
                                 .epsilon = epsilon_amplified(epsilon, request->amplification),
                                 .bytes_max = TABLE_BYTES_MOST,
                                 .threads = request->threads,
                                 .kernels = request->kernels,
                                 .orbit = request->orbit,
                                 .ready = &reference->settled,
                                 .stop = hooks->stop,
                                 .progress = watch && hooks->progress ? watch_tell : NULL,
                                 .context = watch};
}

/* Checks that doubles suffice. Without rebasing a pixel may lose its digits. */
static enum status doubles_check(const struct deep *deep, const struct formula *formula,
                                 const struct grid *whole, double *roundings_px)
{
    double error_px = error_of_doubles(deep, whole), floats_px = error_of_floats(deep, whole);
    *roundings_px = fmax(error_px, floats_px);
    if (!(floats_px < INFINITY))
        return status_fail(STATUS_UNREACHABLE,
                           "how wrong fp32 would be here is not known; use --precision fp64");
    if (floats_px > ERROR_MAX_PX)
        return status_fail(STATUS_UNREACHABLE,
                           "fp32 would be wrong by up to %.2g pixels here; use --precision fp64",
                           floats_px);
    if (error_px <= ERROR_MAX_PX)
        return STATUS_OK;
    return status_fail(STATUS_UNREACHABLE,
                       "perturbation of %s in doubles would be wrong by %.2g pixels here, where "
                       "orbits come near to what contracts them",
                       formula_name(formula), error_px);
}

enum status reference_settle(struct reference *reference, const struct view_numbers *numbers,
                             const struct spec *spec, struct reference_request *request,
                             const struct reference_hooks *hooks)
{
    struct reference_watch watch = {hooks, REFERENCE_BLOCKS, clock_s()};
    struct grid whole;
    struct deep *deep = &reference->settled;
    struct deep_options options =
        blocks_options(reference, numbers, request, &whole, hooks, &watch);
    bool blocks = request->blocks != BLOCKS_NONE;
    if (!blocks && rational_by_last(&spec->formula) == 0)
        return STATUS_OK;
    enum status status = deep_open(deep, &options, &reference->orbit, spec, &whole);
    if (status == STATUS_OK && blocks)
        request->amplification = error_amplification(deep, &whole);
    if (status == STATUS_OK)
        status = doubles_check(deep, &spec->formula, &whole, &request->roundings_px);
    if (status != STATUS_OK || !blocks ||
        epsilon_amplified(options.epsilon, request->amplification) != options.epsilon)
        deep_close(deep);
    return status;
}

enum status reference_open(struct reference *reference, struct device_set *device_set,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct reference_request *request,
                           const struct reference_hooks *hooks)
{
    struct reference_watch watch = {hooks, REFERENCE_BLOCKS, clock_s()};
    struct grid whole;
    struct deep_options options =
        blocks_options(reference, numbers, request, &whole, hooks, &watch);
    enum status status =
        device_set_deep_open(device_set, &options, &reference->orbit, spec, &whole);
    if (!device_set_deep(device_set) && !hooks->keeps_settled)
        deep_close(&reference->settled); /* devices have blocks of their own */
    return status;
}

enum status reference_deep(const struct reference *reference, struct deep *deep,
                           const struct view_numbers *numbers, const struct spec *spec,
                           const struct reference_request *request,
                           const struct reference_hooks *hooks)
{
    struct grid whole;
    struct deep_options options = blocks_options(reference, numbers, request, &whole, hooks, NULL);
    return deep_open(deep, &options, &reference->orbit, spec, &whole);
}

enum status reference_table_bytes(const struct device_set *device_set, struct world *world,
                                  enum status mine, uint64_t *most)
{
    uint64_t own = device_set_deep_bytes(device_set);
    TRY(world_exchange(world, mine, &own, sizeof own));
    *most = 0;
    for (int rank = 0; rank < world_size(world); rank++) {
        uint64_t bytes;
        memcpy(&bytes, world_said(world, rank), sizeof bytes);
        *most = bytes > *most ? bytes : *most;
    }
    return STATUS_OK;
}

enum status reference_block_usage(const struct reference *reference,
                                  const struct device_set *device_set,
                                  const struct view_numbers *numbers, const struct spec *spec,
                                  const struct reference_request *request,
                                  const struct reference_hooks *hooks, struct block_usage *survey)
{
    struct grid whole = whole_grid(numbers);
    const struct deep *deep = device_set_deep(device_set);
    struct deep own = {.formula = NULL};
    enum status status =
        deep ? STATUS_OK : reference_deep(reference, &own, numbers, spec, request, hooks);
    if (status == STATUS_OK)
        block_usage_count(survey, deep ? deep : &own, &whole, hooks->stop);
    deep_close(&own);
    return status;
}

void reference_close(struct reference *reference)
{
    if (reference->orbit.work)
        orbit_destroy(&reference->orbit);
    free(reference->bytes);
    deep_close(&reference->settled);
    *reference = (struct reference){0};
}
