/* Renders a picture, prints its counts and writes it as a file:
 *     render_picture VIEW FILE [KEY VALUE]...
 *     render_picture seahorse seahorse.png view.size 1920x1080 look.palette glacier */
#include <deepfield/deepfield.h>
#include <inttypes.h>
#include <stdio.h>

static int progress_print(void *user, const deepfield_progress *progress)
{
    (void)user;
    fprintf(stderr, "\r%-8s %3.0f %%", progress->stage, 100 * progress->done);
    return 0; /* anything else cancels */
}

static void counts_print(const deepfield_array *count)
{
    uint64_t inside = 0, most = 0;
    for (int32_t y = 0; y < count->height; y++) {
        const void *row = (const char *)count->data + y * count->row_bytes;
        for (int32_t x = 0; x < count->width; x++) {
            uint64_t n = count->type == DEEPFIELD_U64 ? ((const uint64_t *)row)[x]
                                                      : ((const uint32_t *)row)[x];
            inside += n == 0;
            most = n > most ? n : most;
        }
    }
    printf("%d x %d pixels, %" PRIu64 " of them inside; the largest count is %" PRIu64 "\n",
           count->width, count->height, inside, most);
}

int main(int count, char **words)
{
    deepfield_world *world = NULL;
    deepfield_renderer *renderer = NULL;
    deepfield_picture *picture = NULL;
    deepfield_field *field = NULL;
    deepfield_array counts = {.size = sizeof counts};
    if (count < 3 || count % 2 == 0) {
        fprintf(stderr, "usage: %s VIEW FILE [KEY VALUE]...\n", words[0]);
        return 64;
    }
    int failed =
        deepfield_world_open(&world, NULL) || deepfield_renderer_create(&renderer, world) ||
        deepfield_picture_open(&picture, world, words[1]) || deepfield_field_create(&field);
    for (int i = 3; !failed && i < count; i += 2)
        failed = deepfield_picture_set(picture, words[i], words[i + 1]) != DEEPFIELD_OK;
    if (!failed) {
        deepfield_renderer_progress(renderer, progress_print, NULL);
        failed = deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field) ||
                 deepfield_field_get(field, "count", &counts) ||
                 deepfield_field_save(field, picture, words[2], 1);
        fputc('\n', stderr);
    }
    if (failed)
        fprintf(stderr, "%s: %s\n", words[0], deepfield_error());
    else
        counts_print(&counts);
    deepfield_field_destroy(field);
    deepfield_picture_destroy(picture);
    deepfield_renderer_destroy(renderer);
    deepfield_world_close(world);
    return failed;
}
