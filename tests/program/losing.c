/* The program of the user, with a device that fails in the middle of a picture.
 *
 * LOSING_RANK, LOSING_DEVICE (-1: all) and LOSING_AFTER in the environment say which and when;
 * without LOSING_RANK nothing is lost. `losing gpus` prints how many GPUs there are. */
#include "losing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command/program.h"
#include "kernels/backend.h"

static int number(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (int)strtol(text, NULL, 10) : otherwise;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "gpus")) {
        const struct backend_kind *kind;
        bool any = backend_kind_find(&kind, "cuda") == STATUS_OK;
        printf("%d\n", any ? kind->devices() : 0);
        return 0;
    }
    int rank = number("OMPI_COMM_WORLD_RANK", number("PMIX_RANK", number("PMI_RANK", 0)));
    if (number("LOSING_RANK", -1) == rank)
        losing_begin(number("LOSING_DEVICE", -1), number("LOSING_AFTER", 1));
    return program_run(argc, argv);
}
