/* The main() of programs of tests that have none of their own. */
#include "tests/support/check.h"

int main(void)
{
    return check_run(NULL, NULL);
}
