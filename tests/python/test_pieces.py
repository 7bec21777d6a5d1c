"""Rows, tiles and frames as they come."""

import unittest

import deepfield
from support import SMALL, Case, need

np = need("numpy")
SIZE = (192, 108)


class Pieces(Case):
    def setUp(self):
        super().setUp()
        self.whole = deepfield.render("seahorse", size=SIZE, planes=["count", "fraction"])

    def test_rows_come_from_the_top(self):
        counts, next_row = [], 0
        for block in deepfield.rows("seahorse", size=SIZE, planes=["count", "fraction"]):
            self.assertEqual((block.x, block.y), (0, next_row))
            next_row += len(block["count"])
            counts.append(block["count"])
        np.testing.assert_array_equal(np.concatenate(counts), self.whole.count)

    def test_rows_have_the_light_of_samples(self):
        light = [block["light"] for block in deepfield.rows("seahorse", size=SMALL, samples=2)]
        expected = deepfield.render("seahorse", size=SMALL, samples=2)
        np.testing.assert_array_equal(np.concatenate(light), expected.light)

    def test_tiles_come_once_each(self):
        deep = deepfield.Place.open("seahorse").replace(zoom="1e14", limit=3000)
        for place in ("seahorse", deep):
            whole = deepfield.render(place, size=SIZE, planes="count")
            count, seen = np.zeros(whole.shape, np.uint32), np.zeros(whole.shape, int)
            for tile in deepfield.tiles(place, size=SIZE, planes="count", tile=32):
                count[tile.slices] = tile["count"]
                seen[tile.slices] += 1
            np.testing.assert_array_equal(count, whole.count)
            self.assertTrue((seen == 1).all())

    def test_leaving_the_loop_ends_the_picture(self):
        with deepfield.Context() as context:
            for block in deepfield.rows("seahorse", size=(4000, 40000), context=context,
                                        keys={"compute.memory": 0.0625}):
                with self.assertRaises(deepfield.UsageError):
                    deepfield.render("seahorse", context=context)
                break
            self.assertEqual(block["count"].shape[1], 4000)
            field = deepfield.render("seahorse", size=SMALL, planes="count", context=context)
            self.assertEqual(field.shape, (54, 96))

    def test_a_context_that_is_closed_ends_the_loop(self):
        context = deepfield.Context()
        with self.assertRaises(deepfield.StoppedError):
            for _block in deepfield.rows("seahorse", size=(4000, 40000), context=context,
                                         keys={"compute.memory": 0.0625}):
                context.close()

    def test_failures_reach_the_loop(self):
        with self.assertRaises(deepfield.NoInputError):
            next(deepfield.rows("seahors"))
        with self.assertRaises(deepfield.UsageError):
            list(deepfield.tiles("seahorse", keys={"view.heat": 1}))

    def test_frames_of_a_film(self):
        film = deepfield.film("seahorse", seconds=1, fps=5, size=SMALL, planes="count")
        self.assertEqual(len(film), 5)
        frames = list(film)
        self.assertEqual([frame.index for frame in frames], [0, 1, 2, 3, 4])
        zooms = [float(frame.field.attrs["zoom"]) for frame in frames]
        self.assertEqual(zooms, sorted(zooms))
        self.assertAlmostEqual(zooms[0], 1)
        self.assertEqual(frames[2].field.image().shape, (54, 96, 3))
        np.testing.assert_array_equal(film[-1].field.count, frames[-1].field.count)
        with self.assertRaises(IndexError):
            film[5]


if __name__ == "__main__":
    unittest.main()
