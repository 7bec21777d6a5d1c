"""Each rank computes Julia sets of its own; the sum and the extremes of their planes are reduced.

    mpirun -n 3 python3 allreduce.py
"""
import numpy as np
from mpi4py import MPI

import deepfield

comm = MPI.COMM_WORLD
alone = deepfield.Context(threads=1)
total = np.zeros((90, 160))
longest = np.zeros((90, 160), np.uint32)

# 12 points of a circle about the main cardioid are shared out, one set for each.
points = [0.7885 * np.exp(2j * np.pi * k / 12) for k in range(comm.rank, 12, comm.size)]
for c in points:
    field = deepfield.render(julia=c, size=(160, 90), limit=500, planes=["count", "fraction"],
                             context=alone)
    total += field.nu
    np.maximum(longest, field.count, out=longest)

# In place: afterwards every rank has the planes of all sets.
comm.Allreduce(MPI.IN_PLACE, total, MPI.SUM)
comm.Allreduce(MPI.IN_PLACE, longest, MPI.MAX)
sets = comm.allreduce(len(points))

assert sets == 12 and (total <= 12.0 * (longest + 1.0)).all()
if comm.rank == 0:
    print(f"{comm.size} ranks, {sets} sets: mean count {total.mean() / sets:.3f}, "
          f"largest {longest.max()}")
