#include "render/device/devices.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decomposition/pool/job.h"
#include "kernels/number_text.h"

/* ---- the list of --devices ---- */

static enum status parse_failed(const char *text, const char *why)
{
    return status_fail(STATUS_CONFIG,
                       "%s; it must be all, or numbers from 0 to %d with commas: 0,2",
                       *text ? why : "empty", DEVICES_MAX - 1);
}

enum status devices_parse(const char *text, struct devices_wanted *wanted)
{
    uint64_t *chosen = &wanted->chosen;
    *chosen = 0;
    if (!strcmp(text, "all"))
        return STATUS_OK;
    for (const char *at = text;; at++) {
        size_t digits = strspn(at, "0123456789");
        if (digits < 1 || digits > 2 || (digits == 2 && *at == '0') ||
            (at[digits] && at[digits] != ','))
            return parse_failed(text, "not a list of devices");
        int device = (int)number_whole(at);
        if (device >= DEVICES_MAX)
            return parse_failed(text, "a number is too large");
        if (*chosen >> device & 1)
            return status_fail(STATUS_CONFIG, "device %d was given twice", device);
        *chosen |= UINT64_C(1) << device;
        at += digits;
        if (!*at)
            return STATUS_OK;
    }
}

/* ---- assignment of devices to ranks ---- */

/* "0 ... 3", "0" or "none". */
static void found_words(int visible, char *text, size_t bytes)
{
    if (visible > 1)
        snprintf(text, bytes, "0 ... %d", visible - 1);
    else
        snprintf(text, bytes, "%s", visible ? "0" : "none");
}

/* The devices that may be used, in order. */
static enum status devices_usable(const struct devices_question *question, int *device, int *count)
{
    char found[24];
    found_words(question->visible, found, sizeof found);
    *count = 0;
    for (int d = 0; d < DEVICES_MAX; d++) {
        if (d >= question->visible && question->wanted.chosen >> d & 1)
            return status_fail(STATUS_NO_DEVICE, "there is no device %d here; found: %s", d, found);
        if (d < question->visible && (!question->wanted.chosen || question->wanted.chosen >> d & 1))
            device[(*count)++] = d;
    }
    return STATUS_OK;
}

static enum status devices_exact(const struct devices_question *question, int usable, int *first,
                                 int *count)
{
    if ((int64_t)question->wanted.per_rank * question->workers > usable)
        return status_fail(STATUS_NO_DEVICE,
                           "%d devices for each of %d ranks of this machine are %lld, but there "
                           "are %d%s",
                           question->wanted.per_rank, question->workers,
                           (long long)question->wanted.per_rank * question->workers, usable,
                           question->wanted.chosen ? " in the list given" : "");
    *first = question->worker * question->wanted.per_rank;
    *count = question->wanted.per_rank;
    return STATUS_OK;
}

static void devices_spread(const struct devices_question *question, int usable, int *first,
                           int *count)
{
    int worker = question->worker, workers = question->workers;
    if (workers >= usable) {
        *first = worker % usable;
        *count = 1;
        return;
    }
    int each = usable / workers, more = usable % workers;
    *first = worker * each + (worker < more ? worker : more);
    *count = each + (worker < more);
}

enum status devices_assign(const struct devices_question *question, int *device, int *count)
{
    int usable = 0, first = 0;
    assert(question->worker >= 0 && question->worker < question->workers);
    assert(question->visible >= 0 && question->visible <= DEVICES_MAX);
    *count = 0;
    TRY(devices_usable(question, device, &usable));
    if (question->wanted.per_rank)
        TRY(devices_exact(question, usable, &first, count));
    else if (usable)
        devices_spread(question, usable, &first, count);
    memmove(device, device + first, (size_t)*count * sizeof *device);
    return STATUS_OK;
}

int devices_worth(int devices, double iterations, double speed)
{
    double seconds = speed > 0 ? iterations / speed : devices;
    int worth = seconds < devices ? (int)seconds + 1 : devices;
    return worth < devices ? worth : devices;
}

enum status devices_wanted_check(const struct devices_wanted *wanted, int found)
{
    char why[256] = "all GPUs are left out";
    if (found || (!wanted->chosen && !wanted->per_rank))
        return STATUS_OK;
    if (!backend_kinds[0]->devices())
        backend_kinds[0]->missing(why, sizeof why);
    return status_fail(STATUS_NO_DEVICE,
                       "devices are chosen among GPUs, and no rank computes with one: %s", why);
}

void devices_worker(const struct world *world, int *worker, int *workers)
{
    /* Rank 0 is the first of its machine. */
    int idle = world_beside_root(world) && !job_root_computes(world);
    *worker = world_node_rank(world) - idle;
    *workers = world_node_size(world) - idle;
}

/* ---- all devices of all ranks ---- */

enum status device_row_make(struct device_row *row, const struct world *world,
                            const struct backend_kind *kind, int device)
{
    *row = (struct device_row){.rank = world_rank(world), .device = device};
    gethostname(row->host, sizeof row->host - 1);
    snprintf(row->backend, sizeof row->backend, "%s", kind->name);
    return kind->facts(device, &row->facts);
}

static bool is_same(const struct device_row *a, const struct device_row *b)
{
    const struct device_facts *x = &a->facts, *y = &b->facts;
    bool parts = *x->uuid && *y->uuid && strcmp(x->uuid, y->uuid); /* slices of one GPU */
    return *x->bus && !strcmp(a->host, b->host) && !strcmp(x->bus, y->bus) && !parts;
}

void devices_mark_shared(struct device_row *rows, int count)
{
    for (int i = 0; i < count; i++) {
        rows[i].shared_with = 0;
        for (int j = 0; j < count; j++)
            rows[i].shared_with += rows[i].rank != rows[j].rank && is_same(&rows[i], &rows[j]);
    }
}

/* Gathers the number of rows of each rank (rank 0), and the most of any (all ranks). */
static enum status counts_gather(struct world *world, int32_t mine, int32_t *counts, int32_t *most)
{
    TRY(world_gather(world, &mine, sizeof mine, counts));
    *most = mine;
    for (int rank = 0; counts && rank < world_size(world); rank++)
        *most = counts[rank] > *most ? counts[rank] : *most;
    return world_tell(world, STATUS_OK, most, sizeof *most);
}

/* Rank 0: the rows of all ranks without the gaps after those of ranks with few. */
static int rows_close_up(struct device_row *rows, const int32_t *counts, int size, int32_t most)
{
    int count = 0;
    for (int rank = 0; rank < size; rank++)
        for (int i = 0; i < counts[rank]; i++)
            rows[count++] = rows[(size_t)rank * (size_t)most + (size_t)i];
    return count;
}

static enum status no_memory(void)
{
    return status_fail(STATUS_OUT_OF_MEMORY, "no memory for a list of the devices");
}

enum status devices_gather(struct world *world, const struct device_row *mine, int mine_count,
                           struct device_row **rows, int *count)
{
    bool root = world_rank(world) == 0;
    size_t size = (size_t)world_size(world);
    int32_t most = 0, *counts = root ? calloc(size, sizeof *counts) : NULL;
    struct device_row *own = NULL;
    *rows = NULL;
    *count = 0;
    enum status status = world_agree(world, root && !counts ? no_memory() : STATUS_OK);
    if (status == STATUS_OK)
        status = counts_gather(world, mine_count, counts, &most);
    if (status == STATUS_OK) {
        own = calloc((size_t)most + 1, sizeof *own);
        *rows = root ? calloc(size * (size_t)most + 1, sizeof **rows) : NULL;
        status = world_agree(world, !own || (root && !*rows) ? no_memory() : STATUS_OK);
    }
    if (status == STATUS_OK) {
        for (int i = 0; i < mine_count; i++)
            own[i] = mine[i];
        status = world_gather(world, own, (size_t)most * sizeof *own, *rows);
    }
    status = world_agree(world, status);
    if (status == STATUS_OK && root) {
        *count = rows_close_up(*rows, counts, world_size(world), most);
        devices_mark_shared(*rows, *count);
    } else {
        free(*rows);
        *rows = NULL;
    }
    free(own);
    free(counts);
    return status;
}
