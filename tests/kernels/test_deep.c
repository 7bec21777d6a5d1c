/* Counts by perturbation against the truth, at published places and on the way down to them. */
#include "tests/kernels/test_deep_proof.h"

static void test_counts_at_published_places(void **state)
{
    (void)state;
    place_at(0, NULL, 0, 96);
    place_at(1, NULL, 0, 24);
    place_at(2, NULL, 0, 64);
    place_at(3, NULL, 0, 6);
}

static void test_counts_on_the_way_down(void **state)
{
    (void)state;
    place_at(1, "1e5", 20000, 96);
    place_at(1, "1e20", 20000, 96);
    place_at(1, "1e30", 0, 32);
}

/* Where squares of delta leave the doubles, and where delta itself is about to. */
static void test_counts_at_the_edges_of_doubles(void **state)
{
    (void)state;
    static const char *const zooms[] = {"1e147", "1e151", "1e153", "1e155",
                                        "1e157", "1e282", "1e290"};
    for (int i = 0; i < 7; i++)
        place_at(4, zooms[i], 0, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_on_the_way_down),
        cmocka_unit_test(test_counts_at_published_places),
        cmocka_unit_test(test_counts_at_the_edges_of_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
