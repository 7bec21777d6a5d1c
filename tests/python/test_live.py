"""Live pictures: asked for, refined, settled; and the moves of a notebook's view."""

import threading
import time
import unittest

import deepfield
from support import Case, need

np = need("numpy")
SIZE = (160, 90)


def settle(poll, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = poll()
        if state.settled and state.covered:
            return state
        time.sleep(0.005)
    raise AssertionError(f"not settled: {state}")


class LivePictures(Case):
    def test_the_newest_request_is_shown(self):
        woken = threading.Event()
        with deepfield.Live(SIZE, wake=woken.set, threads=1) as live:
            self.assertEqual(live.poll().serial, 0)
            live.ask("elephant")
            newest = live.ask("seahorse")
            self.assertTrue(woken.wait(60))
            while (state := settle(live.poll)).serial != newest:
                time.sleep(0.005)
            self.assertEqual((state.stage in deepfield.live.STAGES, state.error), (True, ""))
            self.assertTrue((live.pixels[..., 3] == 255).all())
            self.assertGreater(len(np.unique(live.pixels.reshape(-1, 4), axis=0)), 1000)

    def test_at_rest_it_is_what_render_makes(self):
        with deepfield.Live(SIZE, threads=1) as live:
            for place in ("elephant", "seahorse"):
                serial = live.ask(place, samples=1)
                while (state := settle(live.poll)).serial != serial:
                    time.sleep(0.005)
                self.assertEqual(state.samples, 1)
                field = deepfield.render(place, size=SIZE, samples=1)
                np.testing.assert_array_equal(live.pixels[..., :3], field.image())
            live.ask("seahorse", palette="ocean", samples=1)
            settle(live.poll)
            ocean = field.recolour("ocean")
            np.testing.assert_array_equal(live.pixels[..., :3], ocean.image())

        with self.assertRaises(deepfield.UsageError):
            live.ask("seahorse")
        with self.assertRaises(deepfield.UsageError):
            live.field()
        with self.assertRaises(deepfield.UsageError):
            deepfield.Live(SIZE, spawn=2)

    def test_the_settled_field_is_held_while_the_picture_moves_on(self):
        with deepfield.Live(SIZE, threads=1) as live:
            with self.assertRaises(deepfield.NoInputError):
                live.field()
            live.ask("seahorse", samples=2, pointer=(20, 30), workers=1)
            while not (state := settle(live.poll)).smooth:
                time.sleep(0.005)
            self.assertIn("direct", state.method)
            field = live.field()
            live.ask("elephant", samples=1)
            with self.assertRaises(deepfield.NoInputError):
                live.field()
            settle(live.poll)
            live.stop()
        rendered = deepfield.render("seahorse", size=SIZE, samples=2)
        np.testing.assert_array_equal(field.count, rendered.count)  # outlives the live picture
        np.testing.assert_array_equal(field.light, rendered.light)
        np.testing.assert_array_equal(field.image(), rendered.image())
        self.assertEqual(field.attrs["limit"], rendered.attrs["limit"])

    def test_a_view_keeps_the_point_under_the_hand(self):
        view = deepfield.View("seahorse", SIZE)
        self.addCleanup(view.close)
        re, im = view._picture().point(100, 50)
        view.move(2, 100, 50)
        x, y = view._picture().pixel(re, im)
        self.assertAlmostEqual(x, 100, places=2)
        self.assertAlmostEqual(y, 50, places=2)
        view.move(1, dx=30, dy=-10)
        x, y = view._picture().pixel(re, im)
        self.assertAlmostEqual(x, 130, places=2)
        self.assertAlmostEqual(y, 40, places=2)

    def test_a_view_goes_deep(self):
        view = deepfield.View("seahorse", SIZE)
        self.addCleanup(view.close)
        for _ in range(60):
            view.move(10, 81.3, 44.9, moving=True)
        self.assertEqual(float(view.place.zoom), 4e65)
        view._rest_now()
        settle(lambda: view.frame()[0])
        self.assertTrue(view.frame()[2].startswith(b"\x89PNG"))


if __name__ == "__main__":
    unittest.main()
