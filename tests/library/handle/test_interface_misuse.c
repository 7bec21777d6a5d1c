/* Every function of the C interface with what makes no sense: no objects, wrong arguments, calls in
 * the wrong order. A caller's mistake is DEEPFIELD_USAGE with a sentence, and what was to be filled
 * is NULL. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/library/handle/interface_bench.h"

/* A refusal has one sentence without a newline at its end, and without flags of the program. */
static void refused_as(deepfield_status status, deepfield_status wanted)
{
    const char *said = deepfield_error();
    if (status != wanted)
        print_error("%d, not %d: %s\n", status, wanted, said);
    assert_int_equal(status, wanted);
    assert_true(*said && said[strlen(said) - 1] != '\n');
    assert_null(strstr(said, "--"));
    assert_null(strstr(said, "deepfield help"));
    assert_null(strstr(said, "deepfield devices"));
}

static void refused(deepfield_status status)
{
    refused_as(status, DEEPFIELD_USAGE);
}

static int objects_open(void **state)
{
    static struct bench objects;
    bench_open(&objects, "scalar", NULL, "16x16");
    *state = &objects;
    return 0;
}

static int objects_close(void **state)
{
    bench_close(*state);
    return 0;
}

#define CASE(name)                                                                               \
    static void name##_of(struct bench *objects, deepfield_world *world,                         \
                          deepfield_renderer *renderer, deepfield_picture *picture,              \
                          deepfield_field *field);                                               \
    TEST_WITH(name, objects_open, objects_close)                                                 \
    {                                                                                            \
        struct bench *objects = *state;                                                          \
        name##_of(objects, objects->world, objects->renderer, objects->picture, objects->field); \
    }                                                                                            \
    static void name##_of(__attribute__((unused)) struct bench *objects,                         \
                          __attribute__((unused)) deepfield_world *world,                        \
                          __attribute__((unused)) deepfield_renderer *renderer,                  \
                          __attribute__((unused)) deepfield_picture *picture,                    \
                          __attribute__((unused)) deepfield_field *field)

TEST(destroyers_accept_null)
{
    deepfield_world_close(NULL);
    deepfield_renderer_destroy(NULL);
    deepfield_picture_destroy(NULL);
    deepfield_field_destroy(NULL);
    deepfield_film_destroy(NULL);
    deepfield_live_close(NULL);
    deepfield_free(NULL);
    deepfield_renderer_cancel(NULL);
    deepfield_renderer_progress(NULL, NULL, NULL);
    deepfield_field_receive(NULL, DEEPFIELD_ROWS, NULL, NULL);
    assert_int_equal(deepfield_film_frames(NULL), 0);
}

TEST(version_is_that_of_the_header)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%d.%d.%d", DEEPFIELD_VERSION_MAJOR, DEEPFIELD_VERSION_MINOR,
             DEEPFIELD_VERSION_PATCH);
    assert_memory_equal(deepfield_version(), wanted, strlen(wanted));
}

TEST(wrong_worlds)
{
    deepfield_world *world = (void *)1;
    deepfield_world_options options = {.size = 0};
    int size = 7;
    refused(deepfield_world_open(NULL, NULL));
    refused(deepfield_world_open(&world, &options));
    assert_null(world);
    options.size = sizeof options;
    options.data = "/no/such/folder";
    refused_as(deepfield_world_open(&world, &options), DEEPFIELD_NO_INPUT);
    assert_null(world);
    assert_non_null(strstr(deepfield_error(), "/no/such/folder"));
    refused(deepfield_serve(NULL));
    assert_int_equal(deepfield_world_rank(NULL, &size), -1);
    assert_int_equal(size, 0);
}

CASE(wrong_words_to_a_world)
{
    char *json = (void *)1;
    int size = 0;
    assert_int_equal(deepfield_world_rank(world, &size), 0);
    assert_int_equal(deepfield_world_rank(world, NULL), 0);
    assert_int_equal(size, 1);
    refused(deepfield_serve(world));
    refused(deepfield_list(NULL, "views", &json));
    refused(deepfield_list(world, NULL, &json));
    refused(deepfield_list(world, "views", NULL));
    refused_as(deepfield_list(world, "palettes:no-such", &json), DEEPFIELD_NO_INPUT);
    deepfield_free(json);
    refused(deepfield_list(world, "palete", &json));
    assert_null(json);
    assert_non_null(strstr(deepfield_error(), "palettes"));
}

/* Each kind is an array of objects with a name and a summary. */
CASE(lists_are_there)
{
    static const char *const kinds[] = {
        "views",      "palettes", "formulas",  "planes",  "keys",  "files",         "places",
        "transports", "backends", "schedules", "machine", "films", "palettes:ocean"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *json;
        must(deepfield_list(world, kinds[i], &json));
        assert_true(*json == '[' && json[strlen(json) - 1] == ']');
        assert_non_null(strstr(json, "\"name\":"));
        assert_non_null(strstr(json, "\"summary\":"));
        deepfield_free(json);
    }
}

CASE(wrong_renderers)
{
    deepfield_renderer *other = (void *)1;
    char *json = (void *)1;
    refused(deepfield_renderer_create(NULL, world));
    refused(deepfield_renderer_create(&other, NULL));
    assert_null(other);
    refused(deepfield_renderer_set(NULL, "compute.threads", "1"));
    refused(deepfield_renderer_set(renderer, NULL, "1"));
    refused(deepfield_renderer_set(renderer, "compute.threads", NULL));
    refused(deepfield_renderer_set(renderer, "view.size", "4x4"));
    refused(deepfield_renderer_set(renderer, "compute.thread", "1"));
    assert_non_null(strstr(deepfield_error(), "compute.threads"));
    refused_as(deepfield_renderer_set(renderer, "compute.threads", "many"), DEEPFIELD_CONFIG);
    refused(deepfield_renderer_describe(NULL, &json));
    refused(deepfield_renderer_describe(renderer, NULL));
    refused(deepfield_renderer_ranks(NULL, &json));
    refused(deepfield_picture_info(NULL, &json));
    refused(deepfield_renderer_ranks(renderer, NULL));
    must(deepfield_renderer_describe(renderer, &json));
    assert_non_null(strstr(json, "\"backend\":\"scalar\""));
    deepfield_free(json);
    refused(deepfield_renderer_set(renderer, "compute.threads", "1")); /* the devices are open */
}

CASE(a_device_that_is_not_there)
{
    deepfield_renderer *other;
    char *json = (void *)1;
    must(deepfield_renderer_create(&other, world));
    must(deepfield_renderer_set(other, "compute.backend", "cuda"));
    deepfield_status status = deepfield_renderer_describe(other, &json);
    if (status != DEEPFIELD_OK) { /* where there is a GPU, it is one */
        refused_as(status, DEEPFIELD_NO_DEVICE);
        assert_null(json);
    }
    deepfield_free(json);
    deepfield_renderer_destroy(other);
}

CASE(wrong_pictures)
{
    deepfield_picture *other = (void *)1;
    const char *value = (void *)1;
    refused(deepfield_picture_open(NULL, world, NULL));
    refused(deepfield_picture_open(&other, NULL, NULL));
    assert_null(other);
    refused_as(deepfield_picture_open(&other, world, "no_such_view"), DEEPFIELD_NO_INPUT);
    assert_null(other);
    refused_as(deepfield_picture_open(&other, world, "/"), DEEPFIELD_BAD_DATA);
    refused_as(deepfield_picture_open(&other, world, "[view]\nzoom = wide\n"), DEEPFIELD_BAD_DATA);
    assert_null(other);
    refused(deepfield_picture_set(NULL, "view.zoom", "1"));
    refused(deepfield_picture_set(picture, NULL, "1"));
    refused(deepfield_picture_set(picture, "view.zoom", NULL));
    refused(deepfield_picture_set(picture, "", "1"));
    refused(deepfield_picture_set(picture, "zoom", "1"));
    refused(deepfield_picture_get(NULL, "view.zoom", &value));
    assert_ptr_equal(value, (void *)1);
    refused(deepfield_picture_get(picture, NULL, &value));
    refused(deepfield_picture_get(picture, "view.zoom", NULL));
    refused(deepfield_picture_get(picture, "view.zom", &value));
    assert_null(value);
    must(deepfield_picture_get(picture, "view.title", &value));
}

CASE(values_are_checked_at_once)
{
    static const char *const wrong[][2] = {
        {"view.zoom", ""},       {"view.zoom", "0"},      {"view.zoom", "-1"},
        {"view.re", "1e"},       {"view.size", "0x5"},    {"view.size", "9e9x1"},
        {"view.limit", "0"},     {"view.limit", "nan"},   {"view.formula", "z^"},
        {"look.density", "inf"}, {"output.planes", "it"}, {"compute.accuracy", "-1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *before, *after;
        char kept[64] = "";
        must(deepfield_picture_get(picture, wrong[i][0], &before));
        snprintf(kept, sizeof kept, "%s", before ? before : "");
        refused_as(deepfield_picture_set(picture, wrong[i][0], wrong[i][1]), DEEPFIELD_CONFIG);
        must(deepfield_picture_get(picture, wrong[i][0], &after));
        assert_string_equal(after ? after : "", kept);
    }
}

/* Sentences of the engine name keys, where the program has flags. */
CASE(keys_that_do_not_go_together)
{
    static const char *const wrong[][4] = {
        /* a key, its value, a plane, what the sentence names */
        {"view.formula", "julia", "count", "view.julia"},
        {"view.formula", "burning_ship", "period", "output.planes"},
        {"compute.precision", "fp32", "distance", "compute.precision"},
        {"view.rotation", "0", "count", NULL}};
    deepfield_picture *other;
    refused_as(deepfield_picture_set(picture, "view.rotation", "999"), DEEPFIELD_CONFIG);
    refused_as(deepfield_picture_open(&other, world, "burning_ship"), DEEPFIELD_NO_INPUT);
    refused_as(deepfield_picture_open(&other, world, "[compute]\nthreads = 1\n"),
               DEEPFIELD_BAD_DATA);
    for (int i = 0; wrong[i][3]; i++) {
        must(deepfield_picture_open(&other, world, "[view]\nre = 0\nim = 0\nzoom = 1\n"));
        must(deepfield_picture_set(other, "view.size", "16x16"));
        must(deepfield_picture_set(other, wrong[i][0], wrong[i][1]));
        must(deepfield_picture_set(other, "output.planes", wrong[i][2]));
        refused_as(deepfield_render(renderer, other, DEEPFIELD_NUMBERS, field), DEEPFIELD_CONFIG);
        assert_non_null(strstr(deepfield_error(), wrong[i][3]));
        deepfield_picture_destroy(other);
    }
}

CASE(wrong_points)
{
    char *re = (void *)1, *im = (void *)1;
    double x, y;
    refused(deepfield_picture_point(NULL, 0, 0, &re, &im));
    refused(deepfield_picture_point(picture, 0, 0, NULL, &im));
    refused(deepfield_picture_point(picture, 0, 0, &re, NULL));
    refused(deepfield_picture_point(picture, (double)NAN, 0, &re, &im));
    refused(deepfield_picture_point(picture, 0, (double)INFINITY, &re, &im));
    assert_null(re);
    assert_null(im);
    refused(deepfield_picture_pixel(NULL, "0", "0", &x, &y));
    refused(deepfield_picture_pixel(picture, NULL, "0", &x, &y));
    refused(deepfield_picture_pixel(picture, "0", NULL, &x, &y));
    refused(deepfield_picture_pixel(picture, "0", "0", NULL, &y));
    refused(deepfield_picture_pixel(picture, "0", "0", &x, NULL));
    assert_int_not_equal(deepfield_picture_pixel(picture, "x", "0", &x, &y), DEEPFIELD_OK);
    assert_int_not_equal(deepfield_picture_pixel(picture, "0", "", &x, &y), DEEPFIELD_OK);
}

CASE(far_points_are_infinite)
{
    double x, y;
    must(deepfield_picture_set(picture, "view.zoom", "1e2000"));
    must(deepfield_picture_set(picture, "view.re", "0"));
    must(deepfield_picture_set(picture, "view.im", "0"));
    must(deepfield_picture_pixel(picture, "1", "0", &x, &y));
    assert_true(isinf(x) && x > 0);
    assert_true(fabs(y - 8) < 1e-3);
}

CASE(wrong_texts)
{
    char *text = (void *)1;
    refused(deepfield_picture_text(NULL, ".ini", &text));
    refused(deepfield_picture_text(picture, NULL, &text));
    refused(deepfield_picture_text(picture, ".ini", NULL));
    assert_int_not_equal(deepfield_picture_text(picture, ".docx", &text), DEEPFIELD_OK);
    assert_null(text);
    refused(deepfield_picture_plan(NULL, renderer, &text));
    refused(deepfield_picture_plan(picture, NULL, &text));
    refused(deepfield_picture_plan(picture, renderer, NULL));
}

/* A place that goes out as a text and comes in again has the same texts, to the last digit. */
CASE(texts_come_back)
{
    static const char *const formats[] = {".ini", ".kfr", ".toml"};
    static const char *const keys[] = {"view.re", "view.im", "view.zoom"};
    must(deepfield_picture_set(picture, "view.re", "-1.768529112029387398420983209483209483"));
    must(deepfield_picture_set(picture, "view.im", "0.00170324098230948230948230948230948"));
    must(deepfield_picture_set(picture, "view.zoom", "1e30"));
    must(deepfield_picture_set(picture, "view.limit", "5000"));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        deepfield_picture *again;
        char *text;
        must(deepfield_picture_text(picture, formats[i], &text));
        must(deepfield_picture_open(&again, world, text));
        for (int k = 0; k < 2; k++) {
            const char *before, *after;
            must(deepfield_picture_get(picture, keys[k], &before));
            must(deepfield_picture_get(again, keys[k], &after));
            assert_string_equal(before, after);
        }
        deepfield_picture_destroy(again);
        deepfield_free(text);
    }
}

CASE(wrong_fields)
{
    deepfield_array array = {.size = sizeof array};
    char *json = (void *)1;
    refused(deepfield_field_create(NULL));
    refused(deepfield_field_place(NULL, "count", NULL));
    refused(deepfield_field_place(field, NULL, &array)); /* of which plane? */
    refused(deepfield_field_place(field, "counts", NULL));
    refused(deepfield_field_place(field, "count", &array)); /* no memory */
    array.size = 8;
    refused(deepfield_field_place(field, "count", &array));
    must(deepfield_field_place(field, "count", NULL));
    array.size = sizeof array;
    refused(deepfield_field_get(NULL, "count", &array));
    refused(deepfield_field_get(field, NULL, &array));
    refused(deepfield_field_get(field, "count", NULL));
    refused(deepfield_field_get(field, "count", &array));
    refused(deepfield_field_facts(NULL, &json));
    refused(deepfield_field_facts(field, NULL));
    refused(deepfield_field_facts(field, &json));
    refused(deepfield_field_colour(NULL, picture, &array));
    refused(deepfield_field_colour(field, NULL, &array));
    refused(deepfield_field_colour(field, picture, NULL));
    refused(deepfield_field_colour(field, picture, &array));
    const char *const names[] = {"x.png", ""};
    refused(deepfield_recolour(NULL, "x.exr", NULL, names, 1, 0));
    refused(deepfield_recolour(renderer, NULL, NULL, names, 1, 0));
    refused(deepfield_recolour(renderer, "x.exr", NULL, NULL, 1, 0));
    refused(deepfield_recolour(renderer, "x.exr", NULL, names, 0, 0));
    refused(deepfield_recolour(renderer, "x.exr", NULL, names, 2, 0));
    refused_as(deepfield_recolour(renderer, "no_such.exr", NULL, names, 1, 0), DEEPFIELD_NO_INPUT);
    refused(deepfield_field_save(NULL, picture, "x.png", 0));
    refused(deepfield_field_save(field, NULL, "x.png", 0));
    refused(deepfield_field_save(field, picture, NULL, 0));
    refused(deepfield_field_save(field, picture, "x.png", 0));
}

CASE(wrong_loads)
{
    deepfield_field *loaded = (void *)1;
    deepfield_picture *seen = (void *)1;
    refused(deepfield_field_load(NULL, &seen, world, "x.npy"));
    refused(deepfield_field_load(&loaded, &seen, NULL, "x.npy"));
    refused(deepfield_field_load(&loaded, &seen, world, NULL));
    refused_as(deepfield_field_load(&loaded, &seen, world, "/no/such/file.exr"),
               DEEPFIELD_NO_INPUT);
    assert_null(loaded);
    assert_null(seen);
    assert_int_not_equal(deepfield_field_load(&loaded, NULL, world, "/proc/version"), DEEPFIELD_OK);
    assert_null(loaded);
}

/* More than any machine has is refused before it is taken, with the sums. */
CASE(more_than_there_is)
{
    must(deepfield_picture_set(picture, "view.size", "10000000x1000000"));
    refused_as(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field), DEEPFIELD_TOO_LARGE);
    assert_non_null(strstr(deepfield_error(), "GiB"));
}

CASE(wrong_renders)
{
    deepfield_array array = {.size = sizeof array};
    refused(deepfield_render(NULL, picture, DEEPFIELD_NUMBERS, field));
    refused(deepfield_render(renderer, NULL, DEEPFIELD_NUMBERS, field));
    refused(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, NULL));
    refused(deepfield_render(renderer, picture, (deepfield_wish)17, field));
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    must(deepfield_field_get(field, "count", &array));
    must(deepfield_picture_set(picture, "view.size", "2000000000x2000000000"));
    refused_as(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field), DEEPFIELD_TOO_LARGE);
    refused(deepfield_field_get(field, "count", &array)); /* a failure leaves it empty */
    must(deepfield_picture_set(picture, "view.size", "16x16"));
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
}

/* Each member of the memory of a plane is looked at before anything is written. */
CASE(wrong_memory)
{
    static uint32_t memory[16][16];
    const deepfield_array right = {.size = sizeof right,
                                   .data = memory,
                                   .type = DEEPFIELD_U32,
                                   .width = 16,
                                   .height = 16,
                                   .channels = 1,
                                   .row_bytes = sizeof memory[0]};
    deepfield_array wrong[8];
    for (int i = 0; i < 8; i++)
        wrong[i] = right;
    wrong[0].type = DEEPFIELD_F32;
    wrong[1].width = 17;
    wrong[2].height = 15;
    wrong[3].channels = 3;
    wrong[4].row_bytes = 60;
    wrong[5].row_bytes = -64;
    wrong[6].space = (deepfield_space)9;
    wrong[7].type = (deepfield_type)77;
    for (int i = 0; i < 8; i++)
        if (deepfield_field_place(field, "count", &wrong[i]) == DEEPFIELD_OK) {
            refused(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
            assert_int_equal(memory[8][8], 0);
        }
    must(deepfield_field_place(field, "distance_x", &right)); /* of a plane that is not made */
    must(deepfield_field_place(field, "count", NULL));
    refused(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    must(deepfield_field_place(field, "distance_x", NULL));
    must(deepfield_field_place(field, "count", &right));
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    assert_int_equal(memory[8][0] > 0, 1);
    must(deepfield_picture_set(picture, "output.planes", "count,fraction"));
    wrong[0].data = &memory[15][15]; /* the last pixel of the other plane */
    must(deepfield_field_place(field, "fraction", &wrong[0]));
    refused(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
}

/* Memory at an odd address is filled, and never read as numbers. */
CASE(memory_at_an_odd_address)
{
    static char memory[16 * 64 + 1];
    const deepfield_array odd = {.size = sizeof odd,
                                 .data = memory + 1,
                                 .type = DEEPFIELD_U32,
                                 .width = 16,
                                 .height = 16,
                                 .channels = 1,
                                 .row_bytes = 64};
    deepfield_array count = {.size = sizeof count};
    must(deepfield_field_place(field, "count", &odd));
    must(deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field));
    must(deepfield_field_get(field, "count", &count));
    assert_ptr_not_equal(count.data, odd.data);
    assert_memory_equal(count.data, odd.data, 16 * 64);
    count.size = 8; /* a caller of an older header has less room */
    refused(deepfield_field_get(field, "count", &count));
}

/* A receiver that calls the library again: what needs the devices or the memory is refused. */
static int calls_again(void *user, int32_t x, int32_t y, int32_t width, int32_t height,
                       const deepfield_array *planes, const char *const *names, int count)
{
    struct bench *objects = user;
    deepfield_live *live;
    char *json;
    (void)x, (void)y, (void)width, (void)height, (void)planes, (void)names, (void)count;
    refused(
        deepfield_render(objects->renderer, objects->picture, DEEPFIELD_NUMBERS, objects->field));
    refused(deepfield_field_place(objects->field, "count", NULL));
    refused(deepfield_field_get(objects->field, "count", &(deepfield_array){.size = 72}));
    refused(deepfield_picture_plan(objects->picture, objects->renderer, &json));
    refused(deepfield_verify(objects->renderer, objects->picture, 1, &json));
    refused(deepfield_find(objects->renderer, objects->picture, &json));
    refused(deepfield_renderer_describe(objects->renderer, &json));
    refused(deepfield_renderer_ranks(objects->renderer, &json));
    refused(deepfield_live_open(&live, objects->renderer, NULL, NULL));
    must(deepfield_picture_set(objects->picture, "view.size", "8x8")); /* of the next call */
    deepfield_field_receive(objects->field, DEEPFIELD_ROWS, NULL, NULL);
    return 0;
}

CASE(receivers_that_call_again)
{
    deepfield_array count = {.size = sizeof count};
    deepfield_field_receive(field, DEEPFIELD_TILES, calls_again, objects);
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    must(deepfield_field_get(field, "count", &count));
    assert_int_equal(count.width, 16);
    deepfield_field_receive(field, DEEPFIELD_ROWS, calls_again, objects);
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    must(deepfield_field_get(field, "count", &count));
    assert_int_equal(count.width, 8);
}

CASE(wrong_colours)
{
    static float memory[16][16][4];
    const deepfield_array right = {.size = sizeof right,
                                   .data = memory,
                                   .type = DEEPFIELD_F32,
                                   .width = 16,
                                   .height = 16,
                                   .channels = 4,
                                   .row_bytes = sizeof memory[0]};
    deepfield_array wrong[8];
    for (int i = 0; i < 8; i++)
        wrong[i] = right;
    wrong[0].type = DEEPFIELD_U64;
    wrong[1].width = 15;
    wrong[2].channels = 2;
    wrong[3].row_bytes = 100;
    wrong[4].size = 8;
    wrong[5].data = NULL;
    wrong[6].space = DEEPFIELD_CUDA;
    wrong[7].type = (deepfield_type)-1;
    must(deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field));
    for (int i = 0; i < 8; i++)
        refused(deepfield_field_colour(field, picture, &wrong[i]));
    must(deepfield_field_colour(field, picture, &right));
    assert_true(memory[3][3][3] == 1); /* opaque */
}

CASE(wrong_saves)
{
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
    assert_int_not_equal(deepfield_field_save(field, picture, "picture", 0), DEEPFIELD_OK);
    assert_int_not_equal(deepfield_field_save(field, picture, "", 0), DEEPFIELD_OK);
    assert_int_not_equal(deepfield_field_save(field, picture, "x.docx", 0), DEEPFIELD_OK);
    assert_int_not_equal(deepfield_field_save(field, picture, "/no/such/folder/x.png", 0),
                         DEEPFIELD_OK);
    remove("interface_misuse.png");
    must(deepfield_field_save(field, picture, "interface_misuse.png", 0));
    refused_as(deepfield_field_save(field, picture, "interface_misuse.png", 0),
               DEEPFIELD_CANNOT_CREATE);
    must(deepfield_field_save(field, picture, "interface_misuse.png", 1));
    remove("interface_misuse.png");
}

/* A file says the place of its pixels, although the picture is of another by now, and its new look;
 * what is set for files counts. */
CASE(files_of_pictures_that_moved)
{
    deepfield_picture *read;
    const char *value;
    must(deepfield_picture_set(picture, "view.zoom", "3"));
    must(deepfield_render(renderer, picture, DEEPFIELD_COLOURS, field));
    must(deepfield_picture_set(picture, "view.zoom", "1e3000"));
    must(deepfield_picture_set(picture, "view.size", "999999x999999"));
    must(deepfield_picture_set(picture, "output.bits", "16"));
    for (int i = 0; i < 2; i++) { /* with the look as it was, and with another */
        must(deepfield_field_save(field, picture, "interface_moved.png", 1));
        must(deepfield_picture_open(&read, world, "interface_moved.png"));
        must(deepfield_picture_get(read, "view.zoom", &value));
        assert_string_equal(value, "3");
        must(deepfield_picture_get(read, "output.bits", &value));
        assert_string_equal(value, "16");
        must(deepfield_picture_get(read, "look.palette", &value));
        assert_int_equal(!strcmp(value, "ocean"), i);
        deepfield_picture_destroy(read);
        must(deepfield_picture_set(picture, "look.palette", "ocean"));
    }
    remove("interface_moved.png");
}

CASE(wrong_films)
{
    deepfield_film *film = (void *)1;
    deepfield_picture *frame = (void *)1;
    refused(deepfield_film_open(NULL, picture, picture));
    refused(deepfield_film_open(&film, picture, NULL));
    refused(deepfield_film_picture(NULL, 0, &frame));
    must(deepfield_picture_set(picture, "film.seconds", "1"));
    must(deepfield_picture_set(picture, "film.fps", "2"));
    must(deepfield_film_open(&film, picture, picture));
    assert_int_equal(deepfield_film_frames(film), 2);
    refused(deepfield_film_picture(film, 0, NULL));
    refused(deepfield_film_picture(film, -1, &frame));
    assert_null(frame);
    refused(deepfield_film_picture(film, 2, &frame));
    refused(deepfield_film_save(NULL, film, "film.y4m", NULL, NULL));
    refused(deepfield_film_save(renderer, NULL, "film.y4m", NULL, NULL));
    refused(deepfield_film_save(renderer, film, NULL, NULL, NULL));
    deepfield_film_options options = {.size = sizeof options, .plan = 1, .dry_run = 1};
    refused(deepfield_film_save(renderer, film, "film.y4m", &options, NULL));
    options.size = 8;
    refused(deepfield_film_save(renderer, film, "film.y4m", &options, NULL));
    refused(deepfield_film_save(renderer, film, "film.gif", NULL, NULL));
    deepfield_film_destroy(film);
}

CASE(wrong_paths_of_films)
{
    deepfield_film *film = (void *)1;
    must(deepfield_picture_set(picture, "film.path", "interface_no_path.ini"));
    assert_int_equal(deepfield_film_open(&film, NULL, picture), DEEPFIELD_NO_INPUT);
    assert_null(film);
    must(deepfield_picture_set(picture, "film.autopilot", "1"));
    assert_int_equal(deepfield_film_open(&film, NULL, picture), DEEPFIELD_CONFIG);
    assert_non_null(strstr(deepfield_error(), "film.path and film.autopilot"));
    assert_int_equal(deepfield_film_open(&film, picture, picture), DEEPFIELD_CONFIG);
    must(deepfield_picture_set(picture, "film.path", ""));
    must(deepfield_picture_set(picture, "film.tour", "journy"));
    assert_int_equal(deepfield_film_open(&film, NULL, picture), DEEPFIELD_NO_INPUT);
    assert_non_null(strstr(deepfield_error(), "journey"));
}

TEST(a_path_that_needs_a_renderer)
{
    deepfield_world *world;
    deepfield_picture *picture, *frame = (void *)1;
    deepfield_film *film;
    must(deepfield_world_open(&world, NULL));
    must(deepfield_picture_open(&picture, world, NULL));
    must(deepfield_picture_set(picture, "film.autopilot", "1"));
    must(deepfield_film_open(&film, NULL, picture));
    refused(deepfield_film_picture(film, 0, &frame));
    assert_null(frame);
    deepfield_film_destroy(film);
    deepfield_picture_destroy(picture);
    deepfield_world_close(world);
}

static void wrong_live_requests(deepfield_live *live)
{
    static deepfield_live_pixels pixels = {.size = sizeof pixels, .width = 16, .height = 16};
    deepfield_live_state now = {.size = sizeof now};
    deepfield_live_request request = {.size = sizeof request};
    deepfield_array into = {.size = sizeof into, .type = DEEPFIELD_U8, .channels = 1};
    deepfield_field *held = (void *)1;
    int32_t side;
    refused(deepfield_live_ask_with(NULL, NULL, &request, NULL));
    refused(deepfield_live_ask_with(live, NULL, NULL, NULL));
    refused(deepfield_live_ask_with(live, NULL, &request, NULL));
    request.pace = 3;
    refused(deepfield_live_ask_with(live, NULL, &request, NULL));
    request = (deepfield_live_request){.size = sizeof request, .workers = -1};
    refused(deepfield_live_ask_with(live, NULL, &request, NULL));
    request.size = 0;
    refused(deepfield_live_ask_with(live, NULL, &request, NULL));
    refused(deepfield_live_update(NULL, &now, NULL));
    refused(deepfield_live_update(live, NULL, NULL));
    refused(deepfield_live_update(live, &now, &pixels));
    refused(deepfield_live_owners(live, &into, &side));
    refused(deepfield_live_owners(live, NULL, &side));
    refused(deepfield_live_owners(NULL, &into, &side));
    assert_int_equal(deepfield_live_field(live, 1, &held), DEEPFIELD_NO_INPUT);
    assert_null(held);
    refused(deepfield_live_field(NULL, 1, &held));
    refused(deepfield_live_field(live, 1, NULL));
    assert_int_equal(deepfield_live_version(NULL), 0);
}

CASE(wrong_live_pictures)
{
    deepfield_live *live = (void *)1;
    deepfield_live_state now = {.size = sizeof now};
    static uint8_t memory[16][16][4];
    deepfield_array into = bytes_over(memory, 16, 16, 3);
    refused(deepfield_live_open(NULL, renderer, NULL, NULL));
    refused(deepfield_live_open(&live, NULL, NULL, NULL));
    assert_null(live);
    refused(deepfield_live_ask(NULL, picture, 0, NULL));
    refused(deepfield_live_poll(NULL, &now, NULL));
    must(deepfield_live_open(&live, renderer, NULL, NULL));
    deepfield_live *second = (void *)1;
    refused(deepfield_live_open(&second, renderer, NULL, NULL));
    assert_null(second);
    refused(deepfield_live_ask(live, NULL, 0, NULL));
    refused(deepfield_live_poll(live, NULL, NULL));
    refused(deepfield_live_poll(live, &now, &into));
    into.channels = 4;
    into.width = into.height = -1;
    refused(deepfield_live_poll(live, &now, &into));
    wrong_live_requests(live);
    now.size = 0;
    refused(deepfield_live_poll(live, &now, NULL));
    refused(deepfield_live_update(live, &now, NULL));
    refused(
        deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field)); /* its devices are taken */
    deepfield_live_close(live);
    must(deepfield_render(renderer, picture, DEEPFIELD_NUMBERS, field));
}

CASE(wrong_outputs)
{
    deepfield_output *output = (void *)1;
    deepfield_output_options options = {.size = 4};
    const char *const names[] = {"x.png", "x.png"}, *const nothing[] = {"", NULL};
    char *json = (void *)1;
    refused(deepfield_output_open(NULL, renderer, picture, names, 1, NULL));
    refused(deepfield_output_open(&output, NULL, picture, names, 1, NULL));
    assert_null(output);
    refused(deepfield_output_open(&output, renderer, NULL, names, 1, NULL));
    refused(deepfield_output_open(&output, renderer, picture, NULL, 1, NULL));
    refused(deepfield_output_open(&output, renderer, picture, names, 0, NULL));
    refused(deepfield_output_open(&output, renderer, picture, names, -1, NULL));
    refused(deepfield_output_open(&output, renderer, picture, names, 2, NULL)); /* the same twice */
    refused(deepfield_output_open(&output, renderer, picture, nothing, 1, NULL));
    refused(deepfield_output_open(&output, renderer, picture, nothing + 1, 1, NULL));
    refused(deepfield_output_open(&output, renderer, picture, names, 1, &options));
    assert_null(output);
    refused(deepfield_output_render(NULL));
    must(deepfield_output_close(NULL, &json));
    assert_null(json);
}

/* What cannot be made is found when it is rendered, since it is made ready in the background. */
CASE(outputs_that_fail)
{
    static const char *const wrong[] = {"/no/such/folder/x.png", "x.of-no-kind"};
    static const deepfield_status status[] = {DEEPFIELD_CANNOT_CREATE, DEEPFIELD_USAGE};
    for (int i = 0; i < 2; i++) {
        deepfield_output *output;
        char *json = (void *)1;
        must(deepfield_output_open(&output, renderer, picture, &wrong[i], 1, NULL));
        refused_as(deepfield_output_render(output), status[i]);
        refused(deepfield_output_render(output)); /* once for each */
        refused_as(deepfield_output_close(output, &json), status[i]);
        assert_null(json);
    }
}

CASE(wrong_orbits)
{
    deepfield_orbit orbit = {.size = sizeof orbit};
    double points[4][2];
    int32_t count;
    refused(deepfield_picture_orbit(NULL, 0, 0, &orbit));
    refused(deepfield_picture_orbit(picture, 0, 0, NULL));
    refused(deepfield_picture_orbit(picture, NAN, 0, &orbit));
    orbit.size = 0;
    refused(deepfield_picture_orbit(picture, 0, 0, &orbit));
    refused(deepfield_ray(0, 1, NULL, 4, &count));
    refused(deepfield_ray(0, 1, points, 4, NULL));
    refused(deepfield_ray(0, 0, points, 4, &count));
    refused(deepfield_ray(3, 2, points, 4, &count));
    refused(deepfield_ray(0, 1, points, 0, &count));
}

CASE(wrong_tools)
{
    char *json = (void *)1;
    refused(deepfield_find(NULL, picture, &json));
    refused(deepfield_find(renderer, NULL, &json));
    refused(deepfield_find(renderer, picture, NULL));
    refused(deepfield_verify(NULL, picture, 1, &json));
    refused(deepfield_verify(renderer, NULL, 1, &json));
    refused(deepfield_verify(renderer, picture, 1, NULL));
    refused(deepfield_verify(renderer, picture, 0, &json));
    refused(deepfield_verify(renderer, picture, -5, &json));
    assert_null(json);
}
