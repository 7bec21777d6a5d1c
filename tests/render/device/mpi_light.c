/* Samples that are averaged in the memory of rank 0's device, which is played: the light is that of
 * processors, for pictures that follow each other too, and where the device has no room or is lost.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/colour/palette_colours.h"
#include "render/picture/picture.h"
#include "render/picture/picture_sums.h"
#include "tests/render/device/mpi_renderer.h"
#include "tests/support/world_end.h"

enum { WIDTH = 47, HEIGHT = 35, PICTURES = 3, MOST = WIDTH * HEIGHT };

static struct world *world;
static struct palette *palette;
static struct look look;

static void must(enum status status)
{
    if (status == STATUS_OK)
        return;
    fprintf(stderr, "rank %d: %s\n", world_rank(world), status_text());
    world_end(world, status);
}

static void expect(bool good, const char *what)
{
    if (!good)
        must(status_fail(STATUS_INTERNAL, "%s", what));
}

static enum status look_give(void *context, const struct field *field, const struct look **given)
{
    (void)context, (void)field;
    *given = &look;
    return STATUS_OK;
}

static const char *const zooms[PICTURES] = {"400", "300", "350"};

static struct picture picture_of(const char *zoom, const char *transport, int samples, bool of_many)
{
    struct picture picture = {.spec.limit = 150,
                              .spec.bailout = 1024,
                              .spec.planes =
                                  PLANE_MASK_COUNT | PLANE_MASK_FRACTION | PLANE_MASK_DISTANCE,
                              .samples = samples,
                              .accuracy_px = ACCURACY_EXACT_PX,
                              .tile_px = 32,
                              .schedule = "auto",
                              .transport = transport,
                              .backend = device_backend(),
                              .of_many = of_many,
                              .light_alone = true};
    must(view_set(&picture.view, "-0.7453", "0.1127", zoom, 20, WIDTH, HEIGHT));
    return picture;
}

static enum status rendered(struct renderer *renderer, const struct picture *picture, bool late,
                            struct picture_report *report, struct field *field)
{
    struct picture_hooks hooks = {.look = look_give, .late_light = late};
    *report = (struct picture_report){.iterations = 0};
    return picture_render(renderer, world_rank(world) == 0 ? picture : NULL, &hooks, field, report);
}

/* What a film does with it: the light, or the colours of a field of centres. */
static void light_take(struct picture_report *report, const struct field *field, float (*light)[3])
{
    float(*made)[3] = report->light;
    if (report->late_light) {
        must(average_end(report->late_light, &made));
        report->late_light = NULL;
        report->light = made;
    }
    for (int32_t y = 0; y < HEIGHT && !made; y++)
        colour_span_light(&look, field, 0, y, WIDTH, light + (size_t)y * WIDTH);
    if (made)
        memcpy(light, made, sizeof(float[MOST][3]));
    picture_report_destroy(report);
}

/* Pictures one after the other, each taken when the next is there. */
static void pictures_make(struct renderer *renderer, const char *transport, int samples,
                          bool of_many, float (*light)[MOST][3])
{
    struct picture_report before = {.iterations = 0};
    struct field field, field_before;
    bool root = world_rank(world) == 0;
    for (int i = 0; i < PICTURES; i++) {
        struct picture picture = picture_of(zooms[i], transport, samples, of_many);
        struct picture_report report;
        must(rendered(renderer, &picture, of_many, &report, &field));
        if (root && i && before.late_light)
            light_take(&before, &field_before, light[i - 1]);
        if (root && !report.late_light)
            light_take(&report, &field, light[i]);
        before = report;
        field_before = field;
        view_destroy(&picture.view);
    }
    if (root && before.late_light)
        light_take(&before, &field_before, light[PICTURES - 1]);
}

static void renderer_begin(struct renderer **renderer)
{
    struct renderer_options options = {.backend = device_backend()};
    must(renderer_open(renderer, world, world_rank(world) == 0 ? &options : NULL));
}

static void lights_agree(int samples, bool of_many, const float (*wanted)[MOST][3])
{
    static float light[PICTURES][MOST][3];
    struct renderer *renderer;
    bool root = world_rank(world) == 0;
    for (int room = 1; room >= 0; room--) {
        int before = device_lit;
        memset(light, 0, sizeof light);
        renderer_begin(&renderer);
        device_room(room);
        pictures_make(renderer, "auto", samples, of_many, light);
        expect(!root || (device_lit > before) == room, "the device has lit, or has not");
        expect(!root || (renderer_refusal(renderer) == NULL) == room, "nobody says why");
        device_room(true);
        renderer_close(renderer);
        expect(!root || !memcmp(wanted, light, sizeof light), "another light");
    }
}

static void lights_check(int samples)
{
    static float wanted[PICTURES][MOST][3];
    struct renderer *renderer;
    int before = device_lit;
    renderer_begin(&renderer);
    pictures_make(renderer, "staged", samples, false, wanted);
    renderer_close(renderer);
    expect(device_lit == before, "the transport asked for was not taken");
    for (int of_many = 0; of_many < 2; of_many++)
        lights_agree(samples, of_many, (const float(*)[MOST][3])wanted);
}

/* A system that does not let processes share a device's memory is no reason to fail. */
static void device_alone(void)
{
    static float light[PICTURES][MOST][3];
    struct renderer *renderer;
    int before = device_lit;
    bool refused = world_size(world) > 1;
    device_shares(false);
    renderer_begin(&renderer);
    pictures_make(renderer, "auto", 1, true, light);
    expect(!renderer_refusal(renderer) == !refused, "it was asked to share, or was not");
    expect(world_rank(world) != 0 || (device_lit > before) == !refused, "it has lit, or has not");
    renderer_close(renderer);
    device_shares(true);
}

/* Whoever waits for the light learns it, and all ranks go on. */
static void device_lost(bool late)
{
    struct renderer *renderer;
    struct picture picture = picture_of("400", "auto", 4, true);
    struct picture_report report;
    struct field field;
    float(*light)[3];
    renderer_begin(&renderer);
    device_lights(false);
    enum status status = rendered(renderer, &picture, late, &report, &field);
    if (world_rank(world) == 0 && late) {
        must(status);
        status = average_end(report.late_light, &light);
        report.late_light = NULL;
        expect(!light, "light of nothing");
    }
    if (world_rank(world) == 0)
        expect(status == STATUS_DEVICE_LOST && strstr(status_text(), "that lights is lost"),
               "nobody noticed that the device was lost");
    device_lights(true);
    picture_report_destroy(&report);
    view_destroy(&picture.view);
    renderer_close(renderer);
}

/* ---- stills, whose numbers are wanted, too ---- */

enum { KEPT_MOST = 512 };

struct still {
    struct field field;
    float light[MOST][3];
    struct kept {
        struct tile tile;
        uint64_t job;
        struct field pixels;
    } kept[KEPT_MOST];
    int kept_count, restored;
    bool due;
};

static enum status strip_take(void *context, int32_t y, const struct field *field,
                              const float (*light)[3])
{
    struct still *still = context;
    expect(y == 0 && light && field->space == MEMORY_HOST, "no light, or no numbers");
    field_copy(&still->field, field);
    memcpy(still->light, light, sizeof still->light);
    return STATUS_OK;
}

static bool tile_due(void *context)
{
    return ((const struct still *)context)->due;
}

static enum status tile_take(void *context, int32_t y, uint64_t job, const struct tile *tile,
                             const struct field *field)
{
    struct still *still = context;
    expect(y == 0 && still->kept_count < KEPT_MOST, "too many tiles");
    struct kept *kept = &still->kept[still->kept_count++];
    struct field window = tile_window(tile, field);
    *kept = (struct kept){.tile = *tile, .job = job};
    TRY(field_create(&kept->pixels, tile->width, tile->height, field->planes, field->count_bytes));
    field_copy(&kept->pixels, &window);
    return STATUS_OK;
}

/* Every other one of those that were kept. */
static enum status tiles_give(void *context, uint64_t job, const struct tile *tiles, uint32_t count,
                              struct field *field, bool *known)
{
    struct still *still = context;
    for (int i = 0; i < still->kept_count; i += 2)
        for (uint32_t t = 0; t < count; t++)
            if (still->kept[i].job == job &&
                !memcmp(&tiles[t], &still->kept[i].tile, sizeof *tiles)) {
                struct field window = tile_window(&tiles[t], field);
                field_copy(&window, &still->kept[i].pixels);
                known[t] = true;
                still->restored++;
            }
    return STATUS_OK;
}

static void still_make(struct renderer *renderer, const char *zoom, const char *transport,
                       int samples, bool restores, struct still *still)
{
    struct picture picture = picture_of(zoom, transport, samples, false);
    struct picture_consumer consumer = {.context = still,
                                        .strip = strip_take,
                                        .tile = restores ? NULL : tile_take,
                                        .tile_due = tile_due,
                                        .restore = restores ? tiles_give : NULL};
    struct picture_hooks hooks = {.look = look_give, .consumer = &consumer};
    struct picture_report report = {.iterations = 0};
    bool root = world_rank(world) == 0;
    picture.light_alone = false;
    if (root && !still->field.base)
        must(field_create(&still->field, WIDTH, HEIGHT, picture.spec.planes, 4));
    must(picture_render(renderer, root ? &picture : NULL, root ? &hooks : NULL, NULL, &report));
    picture_report_destroy(&report);
    view_destroy(&picture.view);
}

static void still_end(struct still *still)
{
    field_destroy(&still->field);
    for (int i = 0; i < still->kept_count; i++)
        field_destroy(&still->kept[i].pixels);
}

static bool stills_agree(const struct still *a, const struct still *b)
{
    struct picture_sums sums = picture_sum(&a->field), others = picture_sum(&b->field);
    return !memcmp(a->light, b->light, sizeof a->light) && !memcmp(&sums, &others, sizeof sums);
}

/* The light and the numbers of processors; tiles on the device reach a journal, and come back. */
static void stills_check(int samples)
{
    static struct still wanted, still, other;
    struct renderer *renderer;
    bool root = world_rank(world) == 0;
    int before = device_lit;
    memset(&wanted, 0, sizeof wanted);
    memset(&still, 0, sizeof still);
    memset(&other, 0, sizeof other);
    wanted.due = true;
    renderer_begin(&renderer);
    still_make(renderer, "400", "staged", samples, false, &wanted);
    expect(device_lit == before, "the transport asked for was not taken");
    still_make(renderer, "400", "auto", samples, false, &still);
    expect(!root || (device_lit > before && still.kept_count == 0), "tiles that nobody wants");
    expect(!root || stills_agree(&wanted, &still), "another still");
    still.due = true;
    still_make(renderer, "400", "auto", samples, false, &still);
    expect(!root || still.kept_count == wanted.kept_count, "other tiles");
    still_make(renderer, "300", "auto", samples, false, &other); /* over the same memory */
    memset(still.light, 0, sizeof still.light);
    still_make(renderer, "400", "auto", samples, true, &still);
    expect(!root || still.restored > 0, "no tile was known");
    expect(!root || stills_agree(&wanted, &still), "another still after an interruption");
    renderer_close(renderer);
    still_end(&wanted);
    still_end(&still);
    still_end(&other);
}

int main(void)
{
    must(world_open(&world, NULL));
    must(palette_of_colours(&palette, "#000000#ffcc00#ffffff#102040"));
    struct look_options options = {.density = 1, .relief = 0.3, .lines = 0.5, .light_deg = 135};
    look_make(&look, &options, &(struct distribution){.runs = 0}, palette, HEIGHT);
    for (int wide = 0; wide < 2; wide++) {
        device_tile_px = wide ? 32 : 1;
        for (int samples = 1; samples <= 11; samples += samples < 4 ? 3 : 7)
            lights_check(samples);
        if (world_size(world) == 1) { /* else rank 0 would open its device for one picture */
            stills_check(5);
            if (wide)
                stills_check(SAMPLES_AUTO);
        }
        device_alone();
        device_lost(false);
        device_lost(true);
    }
    palette_destroy(palette);
    world_close(world);
    return 0;
}
