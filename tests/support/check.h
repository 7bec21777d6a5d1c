/* Tests that register themselves, over cmocka. */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* TEST(name) { ... } is a test: it is run without being listed anywhere. One program's tests run in
 * the order of their files' names and lines. TEST_WITH has a setup and a teardown, or NULL, as
 * cmocka defines them; `state` is what the setup has left. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)                                     \
    static void name(void **state);                                          \
    __attribute__((constructor)) static void name##_add(void)                \
    {                                                                        \
        static struct check_test test = {                                    \
            {#name, name, setup, teardown, NULL}, __FILE__, __LINE__, NULL}; \
        check_add(&test);                                                    \
    }                                                                        \
    static void name(__attribute__((unused)) void **state)

struct check_test {
    struct CMUnitTest test;
    const char *file;
    int line;
    struct check_test *next;
};

void check_add(struct check_test *test);

/* How many failed; before and after all of them come `setup` and `teardown`, or NULL. A program
 * without a main() of its own does just that. */
int check_run(CMFixtureFunction setup, CMFixtureFunction teardown);

/* At full strength, whatever time that takes? The default suite is over in three minutes on two
 * cores; what it leaves out is done by the tests with the label `long`. */
static inline bool check_long(void)
{
    const char *wanted = getenv("DEEPFIELD_LONG");
    return wanted && *wanted;
}

/* A seeded generator (splitmix64), so that random tests can print their seed and be repeated. */
static inline uint64_t check_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In [0, 1). */
static inline double check_random_unit(uint64_t *state)
{
    return (double)(check_random(state) >> 11) * 0x1p-53;
}

#endif
