"""Ranks that a plain interpreter starts."""

import unittest

import deepfield
from support import SMALL, need

np = need("numpy")
need("mpi4py.MPI")


class Spawn(unittest.TestCase):
    def test_workers_are_started_and_end(self):
        alone = deepfield.render("seahorse", size=SMALL, planes="count")
        with deepfield.Context(spawn=2, threads=1) as context:
            self.assertEqual((context.rank, context.size), (0, 3))
            field = deepfield.render("seahorse", size=SMALL, planes="count", context=context)
            np.testing.assert_array_equal(field.count, alone.count)
        with self.assertRaises(deepfield.UsageError):
            deepfield.Context(comm=object(), spawn=2)


if __name__ == "__main__":
    unittest.main()
