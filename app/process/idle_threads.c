#include "app/process/idle_threads.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Variables of the standard, of libgomp and of LLVM's library. */
static bool policy_chosen(void)
{
    return getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME");
}

void idle_threads_sleep(char **argv)
{
    /* `ld.so deepfield ...`: no loader was loaded, and /proc/self/exe is the loader. */
    bool is_loaded = getauxval(AT_BASE) != 0;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (policy_chosen() || !is_loaded || length <= 0)
        return;
    program[length] = '\0'; /* by this name: processes are listed under it */
    if (setenv("OMP_WAIT_POLICY", "passive", 0) == 0)
        execv(program, argv);
}
