"""Ranks that a plain interpreter starts."""

import unittest
import unittest.mock

import deepfield
from deepfield import _library
from support import SMALL, need, need_one_mpi

np = need("numpy")
MPI = need("mpi4py.MPI")


class Spawn(unittest.TestCase):
    def test_two_libraries_of_mpi_are_named(self):
        for names in (["libmpi.so.40.30.4", "libmpich.so.12.1.0"], ["libmpi.so.12", "libmpi.so.40"]):
            with unittest.mock.patch.object(_library, "_mpi_libraries", lambda: names):
                with self.assertRaisesRegex(deepfield.LibraryError, f"{names[0]}, {names[1]}"):
                    deepfield.Context(comm=MPI.COMM_SELF)

    @unittest.skipUnless(MPI.Get_library_version().startswith("Open MPI v5"), "it is not Open MPI 5")
    def test_open_mpi_5_is_refused(self):
        with self.assertRaisesRegex(deepfield.SystemFailure, "Open MPI 5"):
            deepfield.Context(spawn=2)

    @unittest.skipIf(MPI.Get_library_version().startswith("Open MPI v5"), "Open MPI 5 hangs here")
    def test_workers_are_started_and_end(self):
        need_one_mpi()
        alone = deepfield.render("seahorse", size=SMALL, planes="count")
        with deepfield.Context(spawn=2, threads=1) as context:
            self.assertEqual((context.rank, context.size), (0, 3))
            field = deepfield.render("seahorse", size=SMALL, planes="count", context=context)
            np.testing.assert_array_equal(field.count, alone.count)
        with self.assertRaises(deepfield.UsageError):
            deepfield.Context(comm=object(), spawn=2)


if __name__ == "__main__":
    unittest.main()
