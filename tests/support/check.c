#include "tests/support/check.h"

#include <string.h>

static struct check_test *first;

/* Constructors of one file run in an order that compilers choose. */
static bool comes_before(const struct check_test *a, const struct check_test *b)
{
    int files = strcmp(a->file, b->file);
    return files ? files < 0 : a->line < b->line;
}

void check_add(struct check_test *test)
{
    struct check_test **at = &first;
    while (*at && comes_before(*at, test))
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
    return _cmocka_run_group_tests("tests", tests, count, setup, teardown);
}
