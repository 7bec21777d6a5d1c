#include "app/doctor/gpus.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/process/environment.h"
#include "include/deepfield/deepfield.h"
#include "render/disk/json.h"

/* One of each kind, with its number: "2 x NVIDIA H200 (139 GiB)". */
static void devices_name(const struct json_object *devices, char *text, int bytes)
{
    int length = 0, count = json_length(devices);
    for (int i = 0, same; i < count && length < bytes - 1; i += same) {
        const struct json_object *device = json_element(devices, i);
        const char *name = json_text_of(device, "name");
        for (same = 1; i + same < count; same++) {
            const char *next = json_text_of(json_element(devices, i + same), "name");
            if (!name || !next || strcmp(name, next) != 0)
                break;
        }
        length += snprintf(text + length, (size_t)(bytes - length), "%s%d x %s", i ? ", " : "",
                           same, name ? name : "a GPU");
    }
}

static void found_tell(struct diagnoses *diagnoses, const char *json)
{
    char text[320] = "";
    struct json_object *devices = json_read(json);
    devices_name(devices, text, sizeof text);
    json_free(devices);
    diagnosis_add(diagnoses, VERDICT_FINE, "GPUs", NULL, "%s", text);
}

static void refusal_tell(struct diagnoses *diagnoses)
{
    bool card = access("/dev/nvidia0", F_OK) == 0 || access("/proc/driver/nvidia", F_OK) == 0;
    if (card)
        diagnosis_add(diagnoses, VERDICT_WRONG, "GPUs",
                      "nvidia-smi says whether the driver works; containers get it by apptainer "
                      "exec --nv, docker run --gpus all",
                      "there is an NVIDIA card, but: %s", deepfield_error());
    else
        diagnosis_add(diagnoses, VERDICT_NOTE, "GPUs", NULL, "no NVIDIA card; the cores compute");
}

/* GPUs that this build has code for, said without one, too: the machine may be that where a program
 * is installed for others. */
static void code_tell(struct diagnoses *diagnoses)
{
#ifdef CUDA_HELD
    diagnosis_add(diagnoses, VERDICT_FINE, "GPU code", NULL,
                  "for %s (real: machine code; all else is PTX, which the driver of a later GPU "
                  "compiles at its first start)",
                  CUDA_HELD);
#else
    (void)diagnoses;
#endif
}

void gpus_examine(struct diagnoses *diagnoses)
{
    code_tell(diagnoses);
    char data[PATH_MAX];
    const bool is_there = environment_data_folder(data, sizeof data) == STATUS_OK;
    const deepfield_world_options options = {.size = sizeof options,
                                             .data = is_there ? data : NULL};
    deepfield_world *world;
    deepfield_renderer *renderer = NULL;
    char *json = NULL;
    if (deepfield_world_open(&world, &options) == DEEPFIELD_OK &&
        deepfield_renderer_create(&renderer, world) == DEEPFIELD_OK &&
        deepfield_renderer_set(renderer, "compute.backend", "cuda") == DEEPFIELD_OK &&
        deepfield_renderer_describe(renderer, &json) == DEEPFIELD_OK)
        found_tell(diagnoses, json);
    else
        refusal_tell(diagnoses);
    deepfield_free(json);
    deepfield_renderer_destroy(renderer);
    deepfield_world_close(world);
}
