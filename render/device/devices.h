/* The assignment of devices to ranks, and the list of all devices.
 *
 * Devices are numbered per machine and kind of backend. Every worker (a rank that computes) decides
 * alone, from its number among the workers of its machine; all come to fitting answers. */
#ifndef RENDER_DEVICE_DEVICES_H
#define RENDER_DEVICE_DEVICES_H

#include <stdint.h>

#include "decomposition/world/world.h"
#include "kernels/backend.h"

struct devices_wanted { /* devices that the user asks for; the same on every rank */
    uint64_t chosen;    /* bit d: device d may be used; 0 = all may */
    int per_rank;       /* devices of each worker; 0 = spread them over the workers */
};

struct devices_question {
    int visible; /* devices of the kind that this machine has, 0 ... DEVICES_MAX */
    struct devices_wanted wanted;
    int worker;  /* number of this worker on its machine, from 0 */
    int workers; /* workers of its machine, >= 1 */
};

/* Sets wanted->chosen: "all" -> 0, "0,2" -> a mask. STATUS_CONFIG for anything else, and for a
 * number given twice. */
enum status devices_parse(const char *text, struct devices_wanted *wanted);

/* The devices of one worker: device[0 ... count-1] (room for DEVICES_MAX). Pure.
 * One worker drives all; fewer workers than devices share them out in order, the first ones take
 * one more; as many or more take one each, in turn. With per_rank each takes exactly so many.
 * STATUS_NO_DEVICE, naming what was found, when a chosen device does not exist or there are too few
 * for per_rank. visible 0 and nothing asked for: OK, count 0. */
enum status devices_assign(const struct devices_question *question, int *device, int *count);

/* Number of `devices` that are worth opening for one picture of at most `iterations`. Each GPU
 * takes some tenths of a second to open, so each is to have a second's work at `speed` iterations
 * per second. Pure. */
int devices_worth(int devices, double iterations, double speed);

/* STATUS_NO_DEVICE, with the reason on this machine, when devices are chosen by number although the
 * ranks found none (`found`: those with a PCI id, of all ranks): CPUs have no numbers. */
enum status devices_wanted_check(const struct devices_wanted *wanted, int found);

/* This rank's number among the workers of its machine (-1: it does not compute) and how many there
 * are. */
void devices_worker(const struct world *world, int *worker, int *workers);

struct device_row { /* one device as one rank drives it; plain data */
    char host[64];
    char backend[16];
    int32_t rank;
    int32_t device;
    int32_t shared_with; /* other ranks that drive the same one; filled by devices_gather */
    struct device_facts facts;
};

/* The row of a device of this rank. Fails as the kind's facts do. */
enum status device_row_make(struct device_row *row, const struct world *world,
                            const struct backend_kind *kind, int device);

/* Rows of all ranks to rank 0, in the order of ranks: *rows has *count there and is freed by the
 * caller; elsewhere NULL and 0. `mine` has mine_count >= 0 rows. Collective; every rank returns the
 * same status. */
enum status devices_gather(struct world *world, const struct device_row *mine, int mine_count,
                           struct device_row **rows, int *count);

/* Fills shared_with: devices are the same when host and PCI id are, and UUIDs do not differ. Pure.
 */
void devices_mark_shared(struct device_row *rows, int count);

#endif
