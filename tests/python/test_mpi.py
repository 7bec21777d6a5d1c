"""Contexts of communicators of mpi4py. Run under mpirun; every rank runs every test."""

import unittest

import deepfield
from support import SMALL, need

np = need("numpy")
MPI = need("mpi4py.MPI")
COMM = MPI.COMM_WORLD


class Ranks(unittest.TestCase):
    def test_rank_0_calls_and_the_others_serve(self):
        alone = deepfield.render("seahorse", size=SMALL, planes="count", limit=2000)
        with deepfield.Context(comm=COMM, threads=1) as context:
            self.assertEqual((context.rank, context.size), (COMM.rank, COMM.size))
            if context.is_root:
                for place in ("seahorse", "seahorse"):
                    field = deepfield.render(place, size=SMALL, planes="count", limit=2000,
                                             context=context)
                    np.testing.assert_array_equal(field.count, alone.count)
                self.assertEqual({row["rank"] for row in context.devices()} - set(range(COMM.size)),
                                 set())
                ranks = context.ranks()
                self.assertEqual([row["rank"] for row in ranks], list(range(COMM.size)))
                self.assertTrue(any(row["computes"] and row["transport"] for row in ranks))
            else:
                with self.assertRaisesRegex(deepfield.UsageError, "rank 0 makes the calls"):
                    deepfield.render("seahorse", context=context)
        COMM.Barrier()

    def test_contexts_one_after_the_other(self):
        for _ in range(3):
            with deepfield.Context(comm=COMM, threads=1) as context:
                if context.is_root:
                    deepfield.render("seahorse", size=(16, 9), planes="count", context=context)
        self.assertEqual(COMM.allreduce(1), COMM.size)

    def test_parts_of_a_communicator(self):
        part = COMM.Split(COMM.rank % 2, COMM.rank)
        with deepfield.Context(comm=part, threads=1) as context:
            self.assertEqual(context.size, part.size)
            if context.is_root:
                field = deepfield.render("seahorse", size=(16 + part.size, 9), planes="count",
                                         context=context)
                self.assertEqual(field.shape, (9, 16 + part.size))
        part.Free()

    def test_a_failure_of_rank_0_lets_the_others_go(self):
        with self.assertRaises(deepfield.NoInputError) if COMM.rank == 0 else self.subTest():
            with deepfield.Context(comm=COMM, threads=1) as context:
                if context.is_root:
                    deepfield.render("seahors", context=context)
        self.assertEqual(COMM.allreduce(1), COMM.size)

    def test_tiles_of_all_ranks(self):
        with deepfield.Context(comm=COMM, threads=1) as context:
            if context.is_root:
                seen = np.zeros((54, 96), int)
                for tile in deepfield.tiles("seahorse", size=SMALL, planes="count", tile=16,
                                            context=context):
                    seen[tile.slices] += 1
                self.assertTrue((seen == 1).all())

    def test_a_share_stays_with_its_rank(self):
        alone = deepfield.Context(threads=1)
        whole = deepfield.render("seahorse", size=SMALL, planes="count,fraction", context=alone)
        seen = np.zeros(SMALL[::-1], int)
        for rows in (None, 1, 7, 1000):
            for piece in deepfield.share("seahorse", COMM, rows=rows, size=SMALL,
                                         planes=("count", "fraction"), context=alone):
                np.testing.assert_array_equal(piece["count"], whole.count[piece.slices])
                np.testing.assert_array_equal(piece["fraction"], whole.fraction[piece.slices])
                seen[piece.slices] += 1
        total = np.zeros_like(seen)
        COMM.Allreduce(seen, total)
        self.assertTrue((total == 4).all())
        with self.assertRaisesRegex(deepfield.UsageError, "needs the communicator"):
            next(deepfield.share("seahorse", context=alone))
        with self.assertRaisesRegex(deepfield.UsageError, "region="):
            next(deepfield.share("seahorse", COMM, region=(0, 0, 4, 4), context=alone))

    def test_a_context_that_is_left_open_is_closed_at_the_end(self):
        Ranks.left_open = deepfield.Context(comm=COMM, threads=1)


if __name__ == "__main__":
    unittest.main()
