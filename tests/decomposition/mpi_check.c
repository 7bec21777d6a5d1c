#include "mpi_check.h"

#include "tests/support/check.h"

struct world *world;
char wrong[1024];

bool check_begin(void)
{
    if (world_open(&world, NULL) != STATUS_OK) {
        fprintf(stderr, "%s\n", status_text());
        return false;
    }
    return world_rank(world) == 0 || freopen("/dev/null", "w", stdout);
}

void settle(void)
{
    check_undo();
    enum status mine = STATUS_OK;
    if (wrong[0])
        mine = status_fail(STATUS_INTERNAL, "%s", wrong);
    enum status all = world_agree(world, mine);
    wrong[0] = '\0';
    if (all != STATUS_OK && world_rank(world) == 0)
        print_error("%s\n", status_text());
    assert_int_equal(all, STATUS_OK);
}
