/* Counts where c leaves the exponents of doubles. */
#include "tests/kernels/test_deep_proof.h"

static void test_counts_on_both_sides_of_the_border(void **state)
{
    (void)state;
    static const char *const zooms[] = {"1e290", "1e292", "1e293", "1e294", "1e300", "1e305",
                                        "1e308", "1e310", "1e316", "1e320", "1e324", "1e331"};
    for (int i = 0; i < 12; i++)
        place_at(4, zooms[i], 0, 4);
}

static void test_counts_at_published_places(void **state)
{
    (void)state;
    place_at(4, NULL, 0, 8);
    place_at(5, NULL, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_on_both_sides_of_the_border),
        cmocka_unit_test(test_counts_at_published_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
