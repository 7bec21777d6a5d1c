"""Each rank computes every n-th band of rows, and all write them into one .npy, collectively.

    mpirun -n 3 python3 mpi_io.py counts.npy
"""
import sys

import numpy as np
from mpi4py import MPI

import deepfield

comm = MPI.COMM_WORLD
path = sys.argv[1] if len(sys.argv) > 1 else "counts.npy"
width, band = 320, 12
height = 5 * band * comm.size

# The header of a .npy of format 1.0: 128 bytes, so that pixels begin on a multiple of 64.
words = f"{{'descr': '<u4', 'fortran_order': False, 'shape': ({height}, {width}), }}"
header = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + words.ljust(117).encode() + b"\n"

alone = deepfield.Context(threads=1)
mine = [piece["count"] for piece in deepfield.share("seahorse", comm, rows=band,
                                                    size=(width, height), context=alone)]

file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Set_size(len(header) + 4 * width * height)
if comm.rank == 0:
    file.Write_at(0, header)
bands = MPI.UINT32_T.Create_vector(len(mine), band * width, comm.size * band * width).Commit()
file.Set_view(len(header) + 4 * comm.rank * band * width, MPI.UINT32_T, bands)
file.Write_all(np.concatenate(mine))
file.Close()

if comm.rank == 0:
    whole = deepfield.render("seahorse", size=(width, height), planes="count", context=alone).count
    assert (np.load(path) == whole).all()
    print(f"{comm.size} ranks wrote {path}: {height} rows, equal to those of one render")
