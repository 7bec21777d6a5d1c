"""A plain interpreter starts ranks, computes with them, and lets them go.

    python3 spawned_workers.py
"""
from mpi4py import MPI

import deepfield

view = {"place": "elephant", "size": (240, 135), "planes": "count"}
if MPI.COMM_WORLD.rank == 0:  # under mpirun, too, one rank starts the others
    with deepfield.Context(spawn=2, threads=1) as context:
        drivers = {device["rank"] for device in context.devices()}
        field = deepfield.render(**view, context=context)

    alone = deepfield.render(**view)
    assert (field.count == alone.count).all()
    print(f"{context.size} ranks, of which {sorted(drivers)} computed: the counts are those of one")
MPI.COMM_WORLD.Barrier()
