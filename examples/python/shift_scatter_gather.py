"""Counts of a picture go round all ranks: scatter, shift to the right neighbour, gather.

    mpirun -n 3 python3 shift_scatter_gather.py
"""
import numpy as np
from mpi4py import MPI

import deepfield

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
rows, width = 12, 120

# All ranks compute the picture, and rank 0 has its planes.
with deepfield.Context(comm=comm, threads=1) as context:
    if context.is_root:
        field = deepfield.render("seahorse", size=(width, rows * size), planes="count", context=context)
count = field.count if rank == 0 else None

# Between and after contexts MPI is the caller's: rank 0 scatters blocks of rows,
block = np.empty((rows, width), np.uint32)
comm.Scatter(count, block, root=0)

# each block moves one rank to the right, without a deadlock,
moved = np.empty_like(block)
comm.Sendrecv(block, dest=(rank + 1) % size, recvbuf=moved, source=(rank - 1) % size)

# and rank 0 gathers them.
shifted = np.empty((rows * size, width), np.uint32) if rank == 0 else None
comm.Gather(moved, shifted, root=0)
if rank == 0:
    assert (shifted == np.roll(count, rows, axis=0)).all()
    print(f"{size} ranks shifted {count.nbytes} bytes of counts; the largest is {count.max()}")
