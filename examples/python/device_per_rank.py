"""Each rank takes the GPU of its number on its machine, and computes a band of one picture there.

    mpirun -n 3 python3 device_per_rank.py
"""
import cupy
import numpy as np
from mpi4py import MPI

import deepfield

WIDTH, HEIGHT = 960, 540
comm = MPI.COMM_WORLD
beside = comm.Split_type(MPI.COMM_TYPE_SHARED)  # the ranks of this machine
gpus = cupy.cuda.runtime.getDeviceCount()
if gpus < beside.size and beside.rank == 0:
    print(f"too few GPUs: {gpus} for {beside.size} ranks of {MPI.Get_processor_name()}; "
          "ranks take them in turn")
number = beside.rank % gpus
cupy.cuda.Device(number).use()

# Rows top ... bottom of the picture, with the bits that they have in the whole.
top, bottom = (HEIGHT * rank // comm.size for rank in (comm.rank, comm.rank + 1))
context = deepfield.Context(backend="cuda", devices=[number])
band = deepfield.render("seahorse", size=(WIDTH, HEIGHT), planes="count", device=number,
                        region=f"0,{top},{WIDTH}x{bottom - top}", context=context)
total = comm.allreduce(int(cupy.asarray(band.count).sum(dtype=cupy.uint64)))

rows = np.array(comm.gather(bottom - top) or [0])
whole = np.empty((HEIGHT, WIDTH), np.uint32) if comm.rank == 0 else None
comm.Gatherv(band.host("count"), [whole, rows * WIDTH] if comm.rank == 0 else None)
if comm.rank == 0:
    alone = deepfield.render("seahorse", size=(WIDTH, HEIGHT), planes="count", context=context)
    assert (alone.count == whole).all() and int(whole.sum(dtype="u8")) == total
    print(f"{comm.size} ranks on {min(gpus, comm.size)} GPUs: the picture of one, sum {total}")
