/* Devices with what the launcher has proven of MPI. */
#ifndef APP_BENCH_RENDERER_PROBED_H
#define APP_BENCH_RENDERER_PROBED_H

#include "library/config/config.h"
#include "render/device/renderer.h"

/* The devices that the settings name, and whether MPI can send their memory
 * (app/process/probe_result.h); names are borrowed from the config. */
struct renderer_options renderer_probed(const struct config *config);

#endif
