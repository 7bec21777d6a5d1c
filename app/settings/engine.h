/* The engine as commands reach it: objects of include/deepfield/deepfield.h that are made from an
 * invocation. */
#ifndef APP_SETTINGS_ENGINE_H
#define APP_SETTINGS_ENGINE_H

#include <stdbool.h>

#include "app/settings/invocation.h"
#include "library/handle/program.h"

/* Work of rank 0 in its world; `found` is what it fills in for its caller. */
typedef enum status engine_work(struct invocation *invocation, struct deepfield_world *world);
typedef enum status engine_search(struct invocation *invocation, struct deepfield_world *world,
                                  void *found);

/* Does the work on rank 0, while the other ranks serve it. What the engine has to say comes on
 * stderr, unless --quiet is set. Collective. */
enum status engine_run(struct invocation *invocation, engine_work *work);
enum status engine_run_for(struct invocation *invocation, engine_search *search, void *found);

/* engine_run in a world of this process, for commands that rank 0 alone runs. */
enum status engine_run_alone(struct invocation *invocation, engine_work *work);

/* The renderer of the devices that the settings name; iterations and once as in struct
 * program_devices. */
enum status engine_renderer(struct deepfield_renderer **renderer, struct deepfield_world *world,
                            const struct invocation *invocation, double iterations, bool once);

/* The same for the picture of the invocation alone, which the cores may make sooner than a GPU
 * opens. */
enum status engine_renderer_of_one(struct deepfield_renderer **renderer,
                                   struct deepfield_world *world,
                                   const struct invocation *invocation, double iterations);

/* A list of the library (deepfield_list), freed by json_free; NULL with a sentence. */
struct json_object *engine_list(const char *kind);

#endif
