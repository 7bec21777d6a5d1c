#include "tests/kernels/device_orbits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/orbit/orbit_state.h"
#include "render/reference/orbit_cache.h"
#include "tests/support/check.h"
#include "tests/support/same_orbit.h"

/* In the period-3 bulb: neither escapes nor closes a cycle, and uses all digits. */
const struct device_place device_goes_on = {"goes on", "-0.037025667466868806",
                                            "0.7788796699113392", -INFINITY, ORBIT_LIMIT};

const struct device_place device_ends[DEVICE_ENDS] = {
    {"escapes", "-1.7686104930146770", "0.0012666135038687", -INFINITY, ORBIT_ESCAPED},
    {"has a nucleus of period 56", "-0.152798914097725817683071418500971942958746819756406879",
     "1.03970834614509756051427993780664960162934312669", -60, ORBIT_NUCLEUS},
    {"has a real nucleus", "-1.7548776662466927600495", "0", -60, ORBIT_NUCLEUS},
    {"closes a cycle", "-1.01", "0.01", -200, ORBIT_CYCLE},
    {"has few digits", "0", "1", -INFINITY, ORBIT_CYCLE},
    {"comes near zero", "-1", "1e-170", -2000, ORBIT_CYCLE},
    {"is real", "-1.7", "0", -INFINITY, ORBIT_LIMIT},
    {"is on the boundary", "0.25", "0", -INFINITY, ORBIT_LIMIT},
};

static void orbit_open(struct orbit *orbit, const struct device_place *place, long bits,
                       const struct orbit_device *device)
{
    struct orbit_options options = {
        .bits = bits, .radius = 1e5, .log2_disc = place->log2_disc, .threads = 2};
    assert_int_equal(orbit_create(orbit, &options, place->re, place->im), STATUS_OK);
    if (device)
        orbit_device_set(orbit, *device);
}

/* Both parts of z and of the remembered z, and all else that is saved. */
static void states_compare(const struct device_place *place, const struct orbit *a,
                           const struct orbit *b)
{
    struct orbit_saved saved[2][ORBIT_CHAIN_MOST];
    size_t bytes = orbit_numbers_bytes(a);
    uint64_t *numbers = malloc(2 * bytes), *others = numbers + bytes / sizeof *numbers;
    assert_non_null(numbers);
    assert_int_equal(orbit_save(a, saved[0]), orbit_save(b, saved[1]));
    orbit_save_numbers(a, numbers);
    orbit_save_numbers(b, others);
    if (memcmp(saved[0], saved[1], sizeof saved[0]) || memcmp(numbers, others, bytes))
        fail_msg("%s: the states differ after %lld steps", place->name, (long long)a->length - 1);
    free(numbers);
}

static void orbits_compare(const struct device_place *place, const struct orbit *ours,
                           const struct orbit *expected)
{
    for (int64_t i = 0; i < ours->length && i < expected->length; i++)
        if (memcmp(&ours->z[i], &expected->z[i], sizeof *ours->z))
            fail_msg("%s: z_%lld is %.17g %.17g, expected %.17g %.17g", place->name, (long long)i,
                     ours->z[i].x, ours->z[i].y, expected->z[i].x, expected->z[i].y);
    if (!same_orbits(ours, expected))
        fail_msg("%s: %lld points, end %d, expected %lld, %d", place->name, (long long)ours->length,
                 (int)ours->end, (long long)expected->length, (int)expected->end);
    states_compare(place, ours, expected);
}

int64_t device_orbit_compare(const struct device_place *place, long bits,
                             const struct orbit_device *device, int64_t steps)
{
    struct orbit ours, expected;
    orbit_open(&ours, place, bits, device);
    orbit_open(&expected, place, bits, NULL);
    for (int64_t limit = steps / 3; limit <= steps; limit += steps - steps / 3) {
        if (orbit_extend(&ours, limit) != STATUS_OK)
            fail_msg("%s: %s", place->name, status_text());
        assert_int_equal(orbit_extend(&expected, limit), STATUS_OK);
        orbits_compare(place, &ours, &expected);
    }
    assert_int_equal(ours.end, place->end);
    int64_t taken = orbit_device_steps(&ours);
    orbit_destroy(&ours);
    orbit_destroy(&expected);
    return taken;
}

/* Begins an orbit, with what a folder keeps of it. */
static void orbit_load(struct orbit *orbit, struct orbit_cache *cache,
                       const struct device_place *place, long bits,
                       const struct orbit_device *device, const char *folder, int64_t limit)
{
    orbit_open(orbit, place, bits, device);
    assert_int_equal(orbit_cache_open(cache, folder, orbit, NULL), STATUS_OK);
    assert_true(orbit_cache_load(cache, orbit, limit, 0));
}

void device_orbit_resume(const struct device_place *place, long bits,
                         const struct orbit_device *device, int64_t saved, int64_t steps)
{
    char folder[] = "/tmp/deepfield_orbit_XXXXXX";
    struct orbit first, ours, expected;
    struct orbit_cache cache = {.path = NULL};
    assert_non_null(mkdtemp(folder));
    orbit_load(&first, &cache, place, bits, device, folder, saved);
    assert_int_equal(orbit_extend(&first, saved), STATUS_OK);
    assert_int_equal(orbit_cache_store(&cache, &first), ORBIT_CACHE_NEW);
    orbit_cache_close(&cache);
    orbit_destroy(&first);
    orbit_load(&ours, &cache, place, bits, device, folder, steps);
    assert_int_equal(unlink(cache.path) | rmdir(folder), 0);
    orbit_cache_close(&cache);
    assert_int_equal(ours.length - 1, saved);
    assert_int_equal(orbit_extend(&ours, steps), STATUS_OK);
    assert_int_equal(orbit_device_steps(&ours), steps - saved);
    orbit_open(&expected, place, bits, NULL);
    assert_int_equal(orbit_extend(&expected, steps), STATUS_OK);
    orbits_compare(place, &ours, &expected);
    orbit_destroy(&ours);
    orbit_destroy(&expected);
}
