/* Every view of a folder by a backend's devices on all ranks: the checksums of its planes are those
 * of the best CPU backend. Opening a GPU takes longer than a hundred such pictures, so one process
 * makes all of them.
 * usage: all_views VIEWS BACKEND WIDTH */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"
#include "library/config/config.h"
#include "library/settings/settings_description.h"
#include "library/settings/view_file.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"
#include "tests/support/world_end.h"

enum { SKIPPED = 77 };

static struct world *world;
static int32_t width;

static void must(enum status status)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "rank %d: %s\n", world ? world_rank(world) : 0, status_text());
    world_end(world, status);
}

static const char *cpu_backend(void)
{
    for (int i = 0; i < backend_kinds_count; i++)
        if (strcmp(backend_kinds[i]->name, "cuda") && backend_kinds[i]->devices())
            return backend_kinds[i]->name;
    return "scalar";
}

static struct renderer *renderer_for(const char *backend)
{
    struct renderer_options options = {.backend = backend};
    struct renderer *renderer;
    must(renderer_open(&renderer, world, world_rank(world) == 0 ? &options : NULL));
    return renderer;
}

/* The least makes most views ones of direct iteration, the default ones of perturbation. */
static const double accuracies[] = {ERROR_MAX_PX, ACCURACY_EXACT_PX};
enum { ACCURACIES = sizeof accuracies / sizeof accuracies[0] };

/* Rank 0: the picture of a view, with the program's own settings but for size and accuracy. */
static struct picture picture_of(const char *path, double accuracy_px)
{
    struct config config;
    struct view_file view;
    struct picture picture;
    must(config_create(&config));
    must(view_file_find(&view, path, &(struct data_source){.folder = NULL}, VIEW_WHOLE));
    must(config_apply(&config, &view.ini, path, STATUS_BAD_DATA));
    config.value[OPTION_VIEW_SIZE].integer = width;
    config.value[OPTION_VIEW_SIZE].second = width / 16 * 9;
    must(settings_picture(&config, &picture));
    picture.schedule = picture.transport = "auto"; /* not borrowed from `config` */
    picture.backend = NULL;
    picture.accuracy_px = accuracy_px;
    view_file_destroy(&view);
    config_destroy(&config);
    return picture;
}

/* Zeroed on ranks > 0. */
static struct picture_sums rendered(struct renderer *renderer, const struct picture *picture)
{
    struct picture_sums sums = {.pixels = 0};
    struct picture_report report = {.iterations = 0};
    struct field field;
    must(picture_render(renderer, world_rank(world) == 0 ? picture : NULL, NULL, &field, &report));
    if (world_rank(world) == 0)
        sums = picture_sum(&field);
    picture_report_destroy(&report);
    return sums;
}

/* Ways to a picture that differ in what is computed and copied where. */
struct way {
    const char *name;
    struct renderer *renderer;
    int32_t tile_px;
};

static int differences(const char *path, double accuracy_px, const struct way *ways, int count,
                       struct renderer *cpu)
{
    struct picture picture = {.spec.limit = 0};
    int failures = 0;
    if (world_rank(world) == 0)
        picture = picture_of(path, accuracy_px);
    struct picture_sums want = rendered(cpu, &picture);
    for (int i = 0; i < count; i++) {
        picture.tile_px = ways[i].tile_px;
        struct picture_sums got = rendered(ways[i].renderer, &picture);
        if (!memcmp(&want, &got, sizeof want))
            continue;
        failures++;
        printf(
            "%s within %g px, %s: count %016llx, fraction %016llx; on the CPU %016llx, %016llx\n",
            path, accuracy_px, ways[i].name, (unsigned long long)got.checksum[PLANE_COUNT],
            (unsigned long long)got.checksum[PLANE_FRACTION],
            (unsigned long long)want.checksum[PLANE_COUNT],
            (unsigned long long)want.checksum[PLANE_FRACTION]);
    }
    if (world_rank(world) == 0)
        view_destroy(&picture.view);
    return failures;
}

/* How many pictures differed, as rank 0 knows. */
static int all_differences(const glob_t *views, const char *backend)
{
    struct renderer *renderer = renderer_for(backend), *cpu = renderer_for(cpu_backend());
    const struct way ways[] = {
        {"as planned", renderer, 0}, {"tiles of 64", renderer, 64}, {"of 128", renderer, 128}};
    int count = sizeof ways / sizeof *ways, failures = 0;
    for (size_t i = 0; i < views->gl_pathc; i++)
        for (int a = 0; a < ACCURACIES; a++)
            failures += differences(views->gl_pathv[i], accuracies[a], ways, count, cpu);
    if (world_rank(world) == 0)
        printf("%zu views within %g and %g px in %d ways by %s, %d devices, %d ranks, beside %s: "
               "%d differences\n",
               views->gl_pathc, accuracies[0], accuracies[1], count, backend,
               renderer_info(renderer)->facts.devices, renderer_info(renderer)->facts.ranks,
               renderer_backend(cpu), failures);
    renderer_close(cpu);
    renderer_close(renderer);
    return failures;
}

int main(int argc, char **argv)
{
    char pattern[4096];
    const struct backend_kind *kind;
    glob_t found = {.gl_pathc = 0};
    width = argc == 4 ? (int32_t)strtol(argv[3], NULL, 10) : 0;
    if (width < 16) {
        fprintf(stderr, "usage: all_views VIEWS BACKEND WIDTH\n");
        return 64;
    }
    if (backend_kind_find(&kind, argv[2]) != STATUS_OK) {
        printf("skipped: %s\n", status_text());
        return SKIPPED;
    }
    snprintf(pattern, sizeof pattern, "%s/*.ini", argv[1]);
    if (glob(pattern, 0, NULL, &found) != 0) {
        fprintf(stderr, "no views: %s\n", pattern);
        return 1;
    }
    must(world_open(&world, NULL));
    int failures = all_differences(&found, argv[2]);
    globfree(&found);
    world_close(world);
    return failures > 0;
}
