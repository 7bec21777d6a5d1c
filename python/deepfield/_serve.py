"""A rank that `Context(spawn=...)` has started: serves until the one that started it closes."""

from mpi4py import MPI

from .context import Context

_parent = MPI.Comm.Get_parent()
_comm = _parent.Merge(high=True)
Context(_comm).close()
_comm.Free()
_parent.Disconnect()
