/* An MPI program whose ranks call another program between MPI_Init and MPI_Finalize, as scripts in
 * Python do. Ends with 0 if that did on all ranks.
 * usage: calling PROGRAM WORD...; '@' in a word becomes the rank */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mpi.h>

static char *word_of(const char *word, int rank)
{
    size_t room = strlen(word) + 16;
    char *made = malloc(room);
    const char *at = strchr(word, '@');
    if (!made)
        exit(2);
    if (at)
        snprintf(made, room, "%.*s%d%s", (int)(at - word), word, rank, at + 1);
    else
        snprintf(made, room, "%s", word);
    return made;
}

/* Its exit code. */
static int call(int argc, char **argv, int rank)
{
    int result = 0;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 1; i < argc; i++)
            argv[i] = word_of(argv[i], rank);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &result, 0) != child)
        return 2;
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

int main(int argc, char **argv)
{
    int rank = 0, worst = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int code = argc > 1 ? call(argc, argv, rank) : 2;
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return worst;
}
