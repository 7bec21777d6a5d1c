/* A live picture of the interface, as the files of this room see it. */
#ifndef LIBRARY_HANDLE_LIVE_H
#define LIBRARY_HANDLE_LIVE_H

#include <pthread.h>

#include "library/handle/handle.h"
#include "library/settings/place_text.h"
#include "render/live/live.h"

struct deepfield_live {
    struct deepfield_renderer *renderer;
    struct live *live;
    bool is_program; /* library/handle/program_live.h: it runs the engine, and asks for places */
    pthread_t thread;
    void (*wake)(void *user);
    void *user;
    struct live_pixels pixels; /* memory of deepfield_live_poll, as the engine paints; owned */

    /* What the thread that polls was told last. */
    struct live_state now;
    deepfield_live_worker worker[LIVE_WORKERS_MAX];
    deepfield_live_load load[LIVE_WORKERS_MAX];
    deepfield_live_arrival arrival[DEEPFIELD_LIVE_ARRIVALS];
    char error[STATUS_TEXT_BYTES], trouble[STATUS_TEXT_BYTES];

    struct live_owners owners; /* memory for deepfield_live_owners; owned */

    pthread_mutex_t mutex; /* guards all below */
    struct place asked;    /* the newest request; owned view. The program's: nothing */
    struct config config;  /* settings of it; zeroed: the program's */
    deepfield_live_request request;
    bool fits, fitted; /* its colours follow what is measured; those of the request before did */
    uint64_t measured; /* the measurement that its colours have */
    /* Numbers for the engine: the last one, that with which the newest request began, which its
     * caller knows, and that of the request before. */
    uint64_t serial, first, before;
};

/* Devices and the engine, of which the caller runs live_run. */
enum status live_engine_open(struct deepfield_live *live, struct deepfield_renderer *renderer,
                             const char *orbit_cache);
enum status live_engine_close(struct deepfield_live *live);

/* A live picture without an engine. */
enum status live_create(struct deepfield_live **live);
void live_destroy(struct deepfield_live *live); /* accepts NULL */

/* Posts a picture of a place, with the mutex. fits: its colours follow what is measured. */
enum status live_request_take(struct deepfield_live *live, const struct place *place,
                              const deepfield_live_request *request, bool fits);

#endif
