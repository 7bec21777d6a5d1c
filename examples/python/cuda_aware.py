"""Planes in GPUs' memory are sent and reduced by MPI: directly if it is CUDA-aware.

    mpirun -n 3 python3 cuda_aware.py
"""
import ctypes

import cupy
from mpi4py import MPI

import deepfield

comm = MPI.COMM_WORLD
number = comm.Split_type(MPI.COMM_TYPE_SHARED).rank % cupy.cuda.runtime.getDeviceCount()
cupy.cuda.Device(number).use()
ask = getattr(ctypes.CDLL(None), "MPIX_Query_cuda_support", None)
aware = bool(ask and ask())
if not aware and comm.rank == 0:
    print("this MPI is not CUDA-aware: planes are staged through the host")
c = 0.7885 * complex(-0.9, 0.1 * comm.rank)  # a Julia set for each rank
field = deepfield.render(julia=c, size=(640, 360), planes="count", device=number,
                         context=deepfield.Context(backend="cuda", devices=[number]))
mine = cupy.asarray(field.count)


def buffer(array):
    return array if aware else array.get()  # the memory of the GPU, or a copy on the host


# Around the ring, each to the next.
before = buffer(cupy.empty_like(mine))
comm.Sendrecv(buffer(mine), (comm.rank + 1) % comm.size, recvbuf=before,
              source=(comm.rank - 1) % comm.size)
# The sum of all planes, on every rank.
total = buffer(cupy.empty_like(mine))
comm.Allreduce(buffer(mine), total, MPI.SUM)
sums = comm.allgather((int(mine.sum()), int(before.sum())))
assert int(total.sum()) == sum(own for own, _ in sums)
assert all(sums[rank][1] == sums[rank - 1][0] for rank in range(comm.size))
if comm.rank == 0:
    print(f"{comm.size} ranks, CUDA-aware: {aware}; sum of all planes {int(total.sum())}")
