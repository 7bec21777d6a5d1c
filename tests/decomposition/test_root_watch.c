/* The end of rank 0's process is noticed by the others, and nothing else is taken for it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decomposition/world/root_watch.h"
#include "tests/support/check.h"

enum { LOOK_US = 10000, LOOKS = 500, CALLERS = 3 };

struct root { /* a process that listens */
    pid_t process;
    struct root_address at;
};

static struct root root_begin(void)
{
    struct root root;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    root.process = fork();
    assert_true(root.process >= 0);
    if (root.process == 0) {
        struct root_watch *watch = root_watch_listen(CALLERS, &root.at);
        if (!watch || write(pipes[1], &root.at, sizeof root.at) != sizeof root.at)
            _exit(1);
        for (;; usleep(LOOK_US))
            root_watch_admit(watch);
    }
    assert_int_equal(read(pipes[0], &root.at, sizeof root.at), sizeof root.at);
    close(pipes[0]);
    close(pipes[1]);
    assert_true(root.at.port != 0 && root.at.address[0] != 0);
    return root;
}

static void root_kill(const struct root *root)
{
    assert_int_equal(kill(root->process, SIGKILL), 0);
    assert_int_equal(waitpid(root->process, NULL, 0), root->process);
}

/* Is its end noticed, within 5 s? */
static bool is_missed(struct root_watch *watch)
{
    for (int i = 0; i < LOOKS; i++, usleep(LOOK_US))
        if (!root_watch_poll(watch))
            return true;
    return false;
}

static bool stays(struct root_watch *watch)
{
    for (int i = 0; i < LOOKS / 20; i++, usleep(LOOK_US))
        if (!root_watch_poll(watch))
            return false;
    return true;
}

TEST(all_ranks_notice_that_rank_0_was_killed)
{
    struct root_watch *watches[CALLERS];
    struct root root = root_begin();
    for (int i = 0; i < CALLERS; i++)
        watches[i] = root_watch_call(&root.at);
    for (int i = 0; i < CALLERS; i++)
        assert_true(stays(watches[i]));
    root_kill(&root);
    for (int i = 0; i < CALLERS; i++) {
        assert_true(is_missed(watches[i]));
        root_watch_close(watches[i]);
    }
}

/* The addresses of a machine may be those of others elsewhere, where nobody or somebody else
 * listens. */
TEST(the_right_address_is_found)
{
    struct root other = root_begin(), root = root_begin();
    struct root_address at = root.at;
    at.address[1] = at.address[0];
    at.address[0] = htonl(INADDR_LOOPBACK + 77); /* the same port there is nobody's, or root's */
    struct root_watch *watch = root_watch_call(&at);
    assert_true(stays(watch));
    root_kill(&root);
    assert_true(is_missed(watch));
    root_watch_close(watch);
    at = other.at;
    at.secret[0]++;
    watch = root_watch_call(&at);
    assert_true(stays(watch));
    root_kill(&other);
    assert_true(stays(watch)); /* it was not rank 0 */
    root_watch_close(watch);
}

TEST(without_a_way_to_rank_0_nothing_is_noticed)
{
    struct root root = root_begin();
    root_kill(&root);
    struct root_watch *watch = root_watch_call(&root.at);
    assert_true(stays(watch));
    root_watch_close(watch);
    assert_null(root_watch_call(&(struct root_address){.port = 0}));
    assert_true(root_watch_poll(NULL));
    root_watch_close(NULL);
}
