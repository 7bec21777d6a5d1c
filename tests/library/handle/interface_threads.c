/* Renders pictures by the C interface, all at the same time, each by a thread with a world of its
 * own: interface_threads SIZE VIEW FILE [VIEW FILE]... */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "include/deepfield/deepfield.h"

enum { THREADS_MAX = 16 };

struct task {
    const char *size, *view, *path;
    int failed;
};

static deepfield_status task_render(struct task *task, deepfield_world *world)
{
    deepfield_renderer *renderer = NULL;
    deepfield_picture *picture = NULL;
    deepfield_field *field = NULL;
    deepfield_status status = deepfield_renderer_create(&renderer, world);
    if (status == DEEPFIELD_OK)
        status = deepfield_picture_open(&picture, world, task->view);
    if (status == DEEPFIELD_OK)
        status = deepfield_picture_set(picture, "view.size", task->size);
    if (status == DEEPFIELD_OK)
        status = deepfield_field_create(&field);
    if (status == DEEPFIELD_OK)
        status = deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field);
    if (status == DEEPFIELD_OK)
        status = deepfield_field_save(field, picture, task->path, 1);
    if (status != DEEPFIELD_OK)
        fprintf(stderr, "%s: %s\n", task->view, deepfield_error());
    deepfield_field_destroy(field);
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
    return status;
}

static void *task_run(void *context)
{
    struct task *task = context;
    deepfield_world *world;
    if (deepfield_world_open(&world, NULL) != DEEPFIELD_OK) {
        fprintf(stderr, "%s: %s\n", task->view, deepfield_error());
        task->failed = 1;
        return NULL;
    }
    task->failed = task_render(task, world) != DEEPFIELD_OK;
    deepfield_world_close(world);
    return NULL;
}

int main(int count, char **words)
{
    struct task tasks[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    int n = 0, failed = 0;
    for (int i = 2; i + 1 < count && n < THREADS_MAX; i += 2, n++) {
        tasks[n] = (struct task){words[1], words[i], words[i + 1], 0};
        if (pthread_create(&threads[n], NULL, task_run, &tasks[n]) != 0)
            return 71;
    }
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        failed |= tasks[i].failed;
    }
    return n == 0 || failed;
}
