"""Planes that several ranks compute lie on the device of rank 0. Run at 1 and 3 ranks."""

import unittest

import deepfield
from support import SMALL, need

np = need("numpy")
MPI = need("mpi4py.MPI")


class Ranks(unittest.TestCase):
    def test_planes_lie_on_the_device_of_rank_0(self):
        missing = None
        with deepfield.Context(comm=MPI.COMM_WORLD) as context:
            if context.is_root:
                try:
                    field = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"],
                                             device=-1, context=context)
                except deepfield.NoDeviceError as error:
                    missing = str(error)
                else:
                    alone = deepfield.Context(backend="cpu")
                    host = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"],
                                            context=alone)
                    for plane in host.planes:
                        np.testing.assert_array_equal(field[plane].get(), host[plane])
        missing = MPI.COMM_WORLD.bcast(missing)
        if missing:
            self.skipTest(missing)
