/* Counts by perturbation against the truth, at published places and on the way down to them. */
#include "tests/kernels/test_deep_proof.h"

TEST(test_counts_at_published_places)
{
    place_at(0, NULL, 0, 96);
    place_at(1, NULL, 0, 24);
    place_at(2, NULL, 0, 64);
    if (check_long()) /* whose orbit takes as long as all else here */
        place_at(3, NULL, 0, 6);
}

/* Where direct iteration would do: distances are computed by perturbation there, too. References
 * inside, outside, and far from every pixel that does not escape at once. */
TEST(test_counts_of_shallow_views)
{
    static const struct fixture_wanted wanted[] = {
        {.re = "-0.75", .im = "0", .zoom = "0.9", .limit = 1000},
        {.re = "0.3", .im = "0.6", .zoom = "1.5", .limit = 3000, .rotation_deg = 20},
        {.re = "-0.743643887037151", .im = "0.131825904205330", .zoom = "3e4", .limit = 5000},
        {.re = "2.5", .im = "-2", .zoom = "0.5", .limit = 500},
        {.re = "1000", .im = "1", .zoom = "1e-3", .limit = 500},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct fixture_wanted at = wanted[i];
        at.width = 512;
        at.height = 288;
        place_prove(at.re, &at, 96);
    }
}

TEST(test_counts_on_the_way_down)
{
    place_at(1, "1e5", 20000, 96);
    place_at(1, "1e20", 20000, 96);
    place_at(1, "1e30", 0, 32);
}

/* Where squares of delta leave the doubles, and where delta itself is about to. */
TEST(test_counts_at_the_edges_of_doubles)
{
    static const char *const zooms[] = {"1e147", "1e151", "1e153", "1e155",
                                        "1e157", "1e282", "1e290"};
    for (int i = 0; i < 7; i++)
        place_at(4, zooms[i], 0, 12);
}
