"""Rank 0 hands out regions of a picture to whichever rank is free; each computes alone.

    mpirun -n 3 python3 dynamic_workers.py
"""
import numpy as np
from mpi4py import MPI

import deepfield

comm, status = MPI.COMM_WORLD, MPI.Status()
width, height, rows = 256, 144, 16
tops = list(range(0, height, rows))
alone = deepfield.Context(threads=1)  # this process, without the others


def compute(top, rows=rows):
    region = f"0,{top},{width}x{rows}"
    return deepfield.render("seahorse", size=(width, height), region=region, context=alone).count


count, done = np.zeros((height, width), np.uint32), [0] * comm.size
if comm.size == 1:
    count[:] = np.concatenate([compute(top) for top in tops])
elif comm.rank > 0:  # a free worker shows itself by its last result, and gets the next region
    result = None
    while (top := comm.sendrecv(result, dest=0, source=0)) is not None:
        result = top, compute(top)
else:
    waiting, busy = tops.copy(), comm.size - 1
    while busy:
        result = comm.recv(source=MPI.ANY_SOURCE, status=status)
        if result:
            count[result[0]:result[0] + rows] = result[1]
            done[status.source] += 1
        comm.send(top := waiting.pop(0) if waiting else None, dest=status.source)
        busy -= top is None

if comm.rank == 0:
    assert (count == compute(0, height)).all()
    print(f"{len(tops)} regions of one picture; by rank: {done}")
