/* The program of the user, which counts how often its ranks meet, and says so when MPI ends. Every
 * such call costs all ranks the time of the slowest. */
#include <stdio.h>

#include <mpi.h>

#include "app/command/program.h"

static int met;

int MPI_Ibcast(void *bytes, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    met++;
    return PMPI_Ibcast(bytes, count, type, root, comm, request);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op operation,
                   MPI_Comm comm, MPI_Request *request)
{
    met++;
    return PMPI_Iallreduce(from, to, count, type, operation, comm, request);
}

int MPI_Iallgather(const void *from, int sent, MPI_Datatype type, void *to, int received,
                   MPI_Datatype other, MPI_Comm comm, MPI_Request *request)
{
    met++;
    return PMPI_Iallgather(from, sent, type, to, received, other, comm, request);
}

int MPI_Igather(const void *from, int sent, MPI_Datatype type, void *to, int received,
                MPI_Datatype other, int root, MPI_Comm comm, MPI_Request *request)
{
    met++;
    return PMPI_Igather(from, sent, type, to, received, other, root, comm, request);
}

int MPI_Finalize(void)
{
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "%d collectives\n", met);
    return PMPI_Finalize();
}

int main(int argc, char **argv)
{
    return program_run(argc, argv);
}
