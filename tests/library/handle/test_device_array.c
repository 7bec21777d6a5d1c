/* Planes in memory of a CUDA device: by default what is refused where there is none, with the
 * argument `gpu` what arrives there. */
#include <stdlib.h>
#include <string.h>

#include "kernels/backend.h"
#include "tests/library/handle/interface_bench.h"

enum { SKIPPED = 77, WIDTH = 96, HEIGHT = 54, GAP = 5 };

static bool on_gpu; /* the argument */

static void refused(deepfield_status status, deepfield_status wanted, const char *part)
{
    if (status != wanted || !strstr(deepfield_error(), part))
        print_error("%d: %s\n", status, deepfield_error());
    assert_int_equal(status, wanted);
    assert_non_null(strstr(deepfield_error(), part));
}

/* With the planes of the tests. */
static void planes_open(struct bench *bench, const char *backend, const char *place)
{
    bench_open(bench, backend, place, "96x54");
    must(deepfield_picture_set(bench->picture, "output.planes", "count,fraction"));
}

static deepfield_status rendered(struct bench *bench, deepfield_wish wish)
{
    return deepfield_render(bench->renderer, bench->picture, wish, bench->field);
}

static deepfield_array array_over(void *data, deepfield_space space, int64_t row_bytes)
{
    return (deepfield_array){.size = sizeof(deepfield_array),
                             .data = data,
                             .type = DEEPFIELD_U32,
                             .space = space,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .channels = 1,
                             .row_bytes = row_bytes};
}

static const struct backend_kind *cuda(void)
{
    const struct backend_kind *kind = NULL;
    for (int i = 0; i < backend_kinds_count; i++)
        if (!strcmp(backend_kinds[i]->name, "cuda"))
            kind = backend_kinds[i];
    return kind;
}

/* ---- everywhere ---- */

TEST(a_device_array_says_why_there_is_none)
{
    struct bench bench;
    deepfield_array of_field = array_over(NULL, DEEPFIELD_CUDA, 0);
    if (cuda()->devices() > 0)
        return;
    planes_open(&bench, "cpu", "seahorse");
    refused(deepfield_field_place(bench.field, "count", &of_field), DEEPFIELD_NO_DEVICE,
            "plane count is wanted on a CUDA device, but ");
    refused(deepfield_field_place(bench.field, NULL, &of_field), DEEPFIELD_NO_DEVICE, "CUDA");
    must(rendered(&bench, DEEPFIELD_NUMBERS)); /* the field is as it was */
    bench_close(&bench);
}

TEST(memory_without_the_name_of_a_plane_is_refused)
{
    struct bench bench;
    static uint32_t pixels[HEIGHT][WIDTH];
    deepfield_array array = array_over(pixels, DEEPFIELD_HOST, sizeof pixels[0]);
    planes_open(&bench, "cpu", "seahorse");
    refused(deepfield_field_place(bench.field, NULL, &array), DEEPFIELD_USAGE, "name of a plane");
    must(deepfield_field_place(bench.field, NULL, NULL));
    array.data = NULL;
    refused(deepfield_field_place(bench.field, "count", &array), DEEPFIELD_USAGE, "without memory");
    bench_close(&bench);
}

TEST(a_plane_is_copied_to_the_caller)
{
    struct bench bench;
    static uint32_t pixels[HEIGHT][WIDTH + GAP];
    deepfield_array into = array_over(pixels, DEEPFIELD_HOST, sizeof pixels[0]), plane;
    planes_open(&bench, "cpu", "seahorse");
    refused(deepfield_field_copy(bench.field, "count", &into), DEEPFIELD_USAGE, "no pixels yet");
    must(rendered(&bench, DEEPFIELD_NUMBERS));
    plane.size = sizeof plane;
    must(deepfield_field_get(bench.field, "count", &plane));
    must(deepfield_field_copy(bench.field, "count", &into));
    for (int y = 0; y < HEIGHT; y++)
        assert_memory_equal(pixels[y], (char *)plane.data + y * plane.row_bytes, WIDTH * 4);
    static uint32_t wide[HEIGHT][WIDTH + GAP], tight[HEIGHT][WIDTH];
    const deepfield_array apart = array_over(wide, DEEPFIELD_HOST, sizeof wide[0]);
    must(deepfield_field_place(bench.field, "count", &apart));
    must(rendered(&bench, DEEPFIELD_NUMBERS));
    const deepfield_array close = array_over(tight, DEEPFIELD_HOST, sizeof tight[0]);
    must(deepfield_field_copy(bench.field, "count", &close));
    for (int y = 0; y < HEIGHT; y++)
        assert_memory_equal(wide[y], tight[y], sizeof tight[y]);
    into.type = DEEPFIELD_F32;
    refused(deepfield_field_copy(bench.field, "count", &into), DEEPFIELD_USAGE, "32-bit integers");
    into.type = DEEPFIELD_U32;
    into.width--;
    refused(deepfield_field_copy(bench.field, "count", &into), DEEPFIELD_USAGE, "95 x 54");
    bench_close(&bench);
}

/* ---- on a GPU ---- */

/* The same picture by a processor. */
static void counts_of_host(const char *place, uint32_t (*counts)[WIDTH])
{
    struct bench bench;
    const deepfield_array into = array_over(counts, DEEPFIELD_HOST, sizeof *counts);
    planes_open(&bench, "cpu", place);
    must(rendered(&bench, DEEPFIELD_NUMBERS));
    must(deepfield_field_copy(bench.field, "count", &into));
    bench_close(&bench);
}

/* By direct iteration and by perturbation. */
static const char *const places[] = {"seahorse", "minibrot", KF_1E50};

TEST(planes_arrive_in_the_memory_of_the_caller)
{
    static uint32_t wanted[HEIGHT][WIDTH], found[HEIGHT][WIDTH + GAP], tight[HEIGHT][WIDTH];
    const deepfield_array host = array_over(found, DEEPFIELD_HOST, sizeof found[0]);
    const deepfield_array close = array_over(tight, DEEPFIELD_HOST, sizeof tight[0]);
    void *memory;
    if (!on_gpu)
        return;
    must((deepfield_status)cuda()->memory->number_create(0, sizeof found, &memory));
    deepfield_array device = array_over(memory, DEEPFIELD_CUDA, sizeof found[0]);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct bench bench;
        deepfield_array plane = {.size = sizeof plane};
        planes_open(&bench, "cuda", places[i]);
        counts_of_host(places[i], wanted);
        must(deepfield_field_place(bench.field, "count", &device));
        must(rendered(&bench, DEEPFIELD_NUMBERS));
        must(deepfield_field_get(bench.field, "count", &plane));
        assert_ptr_equal(plane.data, memory);
        assert_int_equal(plane.space, DEEPFIELD_CUDA);
        must(deepfield_field_copy(bench.field, "count", &host));
        for (int y = 0; y < HEIGHT; y++)
            assert_memory_equal(found[y], wanted[y], sizeof wanted[y]);
        must(deepfield_field_copy(bench.field, "count", &close));
        assert_memory_equal(tight, wanted, sizeof wanted);
        must(deepfield_field_get(bench.field, "fraction", &plane)); /* the other is the field's */
        assert_int_equal(plane.space, DEEPFIELD_HOST);
        bench_close(&bench);
    }
    cuda()->memory->number_destroy(0, memory);
}

TEST(planes_of_the_field_lie_on_the_device)
{
    static uint32_t wanted[HEIGHT][WIDTH], found[HEIGHT][WIDTH];
    static uint8_t here[HEIGHT][WIDTH][3], there[HEIGHT][WIDTH][3];
    const deepfield_array host = array_over(found, DEEPFIELD_HOST, sizeof found[0]);
    deepfield_array of_field = array_over(NULL, DEEPFIELD_CUDA, 0), plane = {.size = sizeof plane};
    deepfield_array image = {.size = sizeof image,
                             .type = DEEPFIELD_U8,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .channels = 3,
                             .row_bytes = WIDTH * 3};
    struct bench bench;
    if (!on_gpu)
        return;
    of_field.device = -1;
    counts_of_host("seahorse", wanted);
    planes_open(&bench, "cuda", "seahorse");
    must(rendered(&bench, DEEPFIELD_NUMBERS));
    image.data = here;
    must(deepfield_field_colour(bench.field, bench.picture, &image));
    must(deepfield_field_place(bench.field, NULL, &of_field));
    must(rendered(&bench, DEEPFIELD_COLOURS));
    must(deepfield_field_get(bench.field, "fraction", &plane));
    assert_int_equal(plane.space, DEEPFIELD_CUDA);
    must(deepfield_field_copy(bench.field, "count", &host));
    assert_memory_equal(found, wanted, sizeof wanted);
    image.data = there; /* colours fetch what they need */
    must(deepfield_field_colour(bench.field, bench.picture, &image));
    assert_memory_equal(here, there, sizeof here);
    must(deepfield_picture_set(bench.picture, "look.samples", "4"));
    refused(rendered(&bench, DEEPFIELD_COLOURS), DEEPFIELD_USAGE, "one sample a pixel");
    bench_close(&bench);
}

TEST(memory_of_another_place_is_refused)
{
    static uint32_t pixels[HEIGHT][WIDTH];
    deepfield_array array = array_over(pixels, DEEPFIELD_CUDA, sizeof pixels[0]);
    struct bench bench;
    if (!on_gpu)
        return;
    planes_open(&bench, "cpu", "seahorse");
    refused(deepfield_field_place(bench.field, "count", &array), DEEPFIELD_USAGE,
            "not that of a CUDA device");
    array.data = NULL;
    array.device = 0;
    must(deepfield_field_place(bench.field, "count", &array));
    refused(rendered(&bench, DEEPFIELD_NUMBERS), DEEPFIELD_NO_DEVICE, "compute.backend = cuda");
    bench_close(&bench);
    planes_open(&bench, "cuda", "seahorse");
    array.device = 63;
    must(deepfield_field_place(bench.field, "count", &array));
    refused(rendered(&bench, DEEPFIELD_NUMBERS), DEEPFIELD_USAGE, "CUDA device 63");
    bench_close(&bench);
}

int main(int argc, char **argv)
{
    on_gpu = argc > 1 && !strcmp(argv[1], "gpu");
    if (on_gpu && cuda()->devices() == 0) {
        char why[256];
        cuda()->missing(why, sizeof why);
        print_message("skipped: %s\n", why);
        return SKIPPED;
    }
    return check_run(NULL, NULL);
}
