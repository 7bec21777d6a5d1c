"""A plane in a window of MPI: rank 0 renders into it, the others read their rows from it.

    mpirun -n 3 python3 window.py
"""
import numpy as np
from mpi4py import MPI

import deepfield

comm = MPI.COMM_WORLD
width, height = 240, 45 * comm.size

# Memory of the window lies on rank 0, and the picture is written to it without a copy.
bytes_here = 4 * width * height if comm.rank == 0 else 0
window = MPI.Win.Allocate(bytes_here, disp_unit=4, comm=comm)
with deepfield.Context(comm=comm, threads=1) as context:
    if context.is_root:
        plane = np.frombuffer(window.tomemory(), np.uint32).reshape(height, width)
        deepfield.render("seahorse", size=(width, height), out={"count": plane}, context=context)

# One-sided: rank 0 does nothing while the others fetch the rows that are theirs.
rows = np.empty((45, width), np.uint32)
window.Lock(0, MPI.LOCK_SHARED)
window.Get(rows, target_rank=0, target=[45 * comm.rank * width, rows.size, MPI.UINT32_T])
window.Unlock(0)

inside = comm.reduce(int((rows == 0).sum()), root=0)
comm.Barrier()
if comm.rank == 0:
    assert inside == int((plane == 0).sum())
    print(f"{comm.size} ranks read their rows from the window: {inside} pixels are inside")
    del plane
window.Free()
