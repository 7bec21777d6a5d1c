/* Statuses: exit codes as documented, the sentence kept whole or cut, one per thread. */
#include "tests/support/check.h"

#include <pthread.h>
#include <string.h>

#include "kernels/status.h"

TEST(every_status_has_a_code)
{
    assert_int_equal(status_exit_code(STATUS_OK), 0);
    for (int s = STATUS_OK + 1; s < STATUS_KINDS; s++)
        assert_in_range(status_exit_code((enum status)s), 64, 78);
    assert_int_equal(status_exit_code(STATUS_USAGE), 64);
    assert_int_equal(status_exit_code(STATUS_IO), 74);
    assert_int_equal(status_exit_code(STATUS_CONFIG), 78);
    assert_int_equal(status_exit_code((enum status)12345), 70);
}

TEST(a_sentence_is_kept_and_a_long_one_cut)
{
    assert_int_equal(status_fail(STATUS_IO, "cannot write %s: %d", "x.png", 5), STATUS_IO);
    assert_string_equal(status_text(), "cannot write x.png: 5");
    char longer[3 * STATUS_TEXT_BYTES];
    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = 0;
    status_fail(STATUS_IO, "%s", longer);
    assert_int_equal(strlen(status_text()), STATUS_TEXT_BYTES - 1);
}

static void *fail_elsewhere(void *seen)
{
    strcpy(seen, status_text());
    status_fail(STATUS_IO, "of the other thread");
    return NULL;
}

TEST(each_thread_has_its_own_sentence)
{
    char seen[STATUS_TEXT_BYTES] = "unset";
    pthread_t thread;
    status_fail(STATUS_IO, "of this thread");
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(seen, "");
    assert_string_equal(status_text(), "of this thread");
}
