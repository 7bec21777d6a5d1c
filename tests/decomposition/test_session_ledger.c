/* Is it known at any time who has which task, and is each delivered once? */
#include "tests/support/check.h"

#include "decomposition/session_ledger.h"

static struct ledger *ledger;
static struct session_task back;

static void begin(void)
{
    assert_int_equal(ledger_open(&ledger, 3, (const int[]){2, 1, 4}), STATUS_OK);
}

static uint32_t give(int worker, uint64_t id)
{
    return ledger_give(ledger, worker, &(struct session_task){.epoch = 9, .id = id});
}

static void tasks_are_known_by_number_and_worker(void **state)
{
    (void)state;
    begin();
    uint32_t a = give(0, 10), b = give(0, 11), c = give(1, 12);
    assert_true(a != b && b != c && a != c);
    assert_int_equal(ledger_out(ledger, 0), 2);
    assert_int_equal(ledger_out(ledger, 1), 1);
    assert_int_equal(ledger_out(ledger, 2), 0);
    assert_int_equal(ledger_home(ledger, 1, a, &back), LEDGER_UNKNOWN); /* it is worker 0's */
    assert_int_equal(ledger_home(ledger, 0, b, &back), LEDGER_WANTED);
    assert_true(back.id == 11 && back.epoch == 9);
    assert_int_equal(ledger_home(ledger, 0, b, &back), LEDGER_UNKNOWN);
    assert_int_equal(ledger_out(ledger, 0), 1);
    ledger_close(ledger);
    ledger_close(NULL);
}

static void what_is_settled_is_not_wanted_again(void **state)
{
    (void)state;
    begin();
    uint32_t a = give(0, 5), b = give(1, 5), c = give(2, 5), other = give(2, 6);
    assert_int_equal(ledger_home(ledger, 1, b, &back), LEDGER_WANTED);
    ledger_settle(ledger, &back);
    assert_int_equal(ledger_out(ledger, 0), 1); /* it is still at it */
    assert_int_equal(ledger_home(ledger, 0, a, &back), LEDGER_TWICE);
    assert_int_equal(ledger_home(ledger, 2, c, &back), LEDGER_TWICE);
    assert_int_equal(ledger_home(ledger, 2, other, &back), LEDGER_WANTED);
    a = give(0, 5); /* given again, it is a task again */
    assert_int_equal(ledger_home(ledger, 0, a, &back), LEDGER_WANTED);
    ledger_close(ledger);
}

static void forgotten_tasks_come_home_unknown(void **state)
{
    (void)state;
    begin();
    uint32_t old[4];
    for (int i = 0; i < 4; i++)
        old[i] = give(2, (uint64_t)i);
    ledger_forget(ledger, 2);
    assert_int_equal(ledger_out(ledger, 2), 0);
    uint32_t fresh = give(2, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ledger_home(ledger, 2, old[i], &back), LEDGER_UNKNOWN);
    assert_int_equal(ledger_home(ledger, 2, fresh, &back), LEDGER_WANTED);
    ledger_close(ledger);
}

/* What somebody else has brought home is not given back. */
static void the_dead_leave_what_is_wanted(void **state)
{
    (void)state;
    begin();
    for (uint64_t id = 0; id < 4; id++)
        give(2, id);
    ledger_settle(ledger, &(struct session_task){.epoch = 9, .id = 0});
    ledger_settle(ledger, &(struct session_task){.epoch = 8, .id = 1}); /* of another scene */
    ledger_settle(ledger, &(struct session_task){.epoch = 9, .id = 2});
    assert_true(ledger_reclaim(ledger, 2, &back) && back.id == 1);
    assert_true(ledger_reclaim(ledger, 2, &back) && back.id == 3);
    assert_false(ledger_reclaim(ledger, 2, &back));
    assert_int_equal(ledger_out(ledger, 2), 0);
    ledger_close(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_known_by_number_and_worker),
        cmocka_unit_test(what_is_settled_is_not_wanted_again),
        cmocka_unit_test(forgotten_tasks_come_home_unknown),
        cmocka_unit_test(the_dead_leave_what_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
