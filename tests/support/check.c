#include "tests/support/check.h"

#include <string.h>

static struct check_test *first;

/* Constructors run file by file, in the order of linking, but those of one file in an order that
 * compilers choose. */
void check_add(struct check_test *test)
{
    struct check_test **at = &first;
    while (*at && (strcmp((*at)->file, test->file) || (*at)->line < test->line))
        at = &(*at)->next;
    test->next = *at;
    *at = test;
}

int check_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    enum { TESTS_MAX = 200 };
    static struct CMUnitTest tests[TESTS_MAX];
    size_t count = 0;
    for (const struct check_test *test = first; test; test = test->next) {
        if (count == TESTS_MAX)
            abort();
        tests[count++] = test->test;
    }
    cmocka_set_test_filter(getenv("DEEPFIELD_TESTS")); /* NULL: all */
    return _cmocka_run_group_tests("tests", tests, count, setup, teardown);
}
