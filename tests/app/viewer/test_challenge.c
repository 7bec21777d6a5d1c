/* Challenges of a stand: each is met by a picture of what it names and by no other, and every
 * sentence is there. */
#include <math.h>
#include <string.h>

#include "app/viewer/kiosk/challenge.h"
#include "tests/support/check.h"

/* Principal Misiurewicz points of limbs, where the orbit comes to -alpha and then to alpha, ends of
 * arms, and an orbit that ends on a cycle of period 2. */
static const struct {
    double re, im;
    int preperiod, period, arms;
} points[] = {
    {-1.543689012692076, 0, 3, 1, 2},
    {-0.10109636384562, 0.95628651080914, 4, 1, 3},
    {0.366362983422764, 0.591533773261445, 5, 1, 4},
    {0.437924241359463, 0.341892084338116, 6, 1, 5},
    {-0.562202621523, 0.642817149073, 6, 1, 5},
    {0.437924241359463, -0.341892084338116, 6, 1, 5},
    {0.424512719050040, 0.207530228166745, 7, 1, 6},
    {-2, 0, 2, 1, 1},
    {0, 1, 2, 2, 0},
    {0.3, 0.3, 4, 1, 0},
};

TEST(arms_are_counted)
{
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        int arms =
            misiurewicz_arms(points[i].re, points[i].im, points[i].preperiod, points[i].period);
        if (arms != points[i].arms)
            fail_msg("%.15g %+.15g i: %d arms, not %d", points[i].re, points[i].im, arms,
                     points[i].arms);
    }
    assert_int_equal(misiurewicz_arms(NAN, INFINITY, 3, 1), 0);
    assert_int_equal(misiurewicz_arms(-2, 0, INT64_MAX, 1), 0);
}

static const struct challenge_found shown[CHALLENGES] = {
    {.period = 7, .size_heights = 0.3, .re = -1, .im = 0.3},
    {.period = 5, .disc = true, .size_heights = 0.3, .re = 0.38, .im = 0.33},
    {.period = 3, .size_heights = 0.3, .re = -1.7549},
    {.misiurewicz = true,
     .preperiod = 6,
     .period = 1,
     .re = 0.437924241359463,
     .im = 0.341892084338116},
    {.period = 4, .size_heights = 0.3, .re = -0.1565, .im = 1.0323},
    {.period = 6, .size_heights = 0.3, .re = -1, .im = 0.3},
};

TEST(each_is_met_by_what_it_names)
{
    for (int i = 0; i < CHALLENGES; i++) {
        assert_true(challenge_is_met(&challenges[i], &shown[i]));
        struct challenge_found small = shown[i], other = shown[i];
        small.size_heights = CHALLENGE_LARGE / 2;
        other.disc = !other.disc;
        other.preperiod = 2;
        assert_true(shown[i].misiurewicz || !challenge_is_met(&challenges[i], &small));
        assert_false(challenge_is_met(&challenges[i], &other));
        other = shown[i];
        other.misiurewicz = !other.misiurewicz;
        assert_false(challenge_is_met(&challenges[i], &other));
    }
    assert_false(challenge_is_met(&challenges[2], &shown[0]));
    assert_false(challenge_is_met(
        &challenges[4],
        &(struct challenge_found){.period = 4, .size_heights = 0.3, .re = -1.9408}));
}

TEST(runs_go_round_and_the_best_stays)
{
    struct challenge_run run = {0};
    char text[CHALLENGE_BYTES];
    assert_string_equal(challenge_sentence(&run, 5, text), "");
    for (int i = 0; i < 2 * CHALLENGES; i++) {
        double now_s = 1000 * (i + 1), took_s = i < CHALLENGES ? 20 : 30;
        challenge_begin(&run, now_s);
        assert_int_equal(run.number, i % CHALLENGES);
        run.touches = 3;
        assert_true(strlen(challenge_sentence(&run, now_s + 5, text)) > 20);
        challenge_meet(&run, now_s + took_s);
        assert_int_equal(run.best[run.number], challenges[run.number].touches ? 3 : 20);
        assert_non_null(strstr(challenge_sentence(&run, now_s + 90, text),
                               challenges[run.number].touches ? "3" : "20"));
        assert_false(challenge_step(&run, now_s + took_s + 1));
        assert_true(challenge_step(&run, now_s + took_s + CHALLENGE_PRAISED_S));
        assert_string_equal(challenge_sentence(&run, now_s + 99, text), "");
    }
}

TEST(the_best_is_of_the_day)
{
    struct challenge_run run = {0};
    challenge_begin(&run, 100);
    challenge_meet(&run, 110);
    challenge_day(&run);
    run.begun_s = 0; /* the first one again */
    challenge_begin(&run, 200);
    challenge_meet(&run, 250);
    assert_int_equal(run.best[0], 50);
}

int main(void)
{
    return check_run(NULL, NULL);
}
