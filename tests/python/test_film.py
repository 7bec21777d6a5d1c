"""Films into files, and paths that keys say."""

import os
import unittest

from support import Case, need, program

need("numpy")
import numpy as np  # noqa: E402

import deepfield  # noqa: E402

SMALL = (48, 32)
KEYFRAMES = "[a]\ntime = 0\nzoom = 10\n[b]\ntime = 0.5\nzoom = 40\nrotation = 90\n"
TOUR = ("[tour]\n[a]\nre = -0.5\nim = 0\nzoom = 1\nflight = 0.2\ndwell = 0.1\ntext-en = A\n"
        "[b]\nre = 0\nim = 0\nzoom = 1\nflight = 0.2\ndwell = 0.1\nformula = tricorn\n")


def _interrupt(now):
    if now.stage == "frames" and now.count >= 2:
        raise KeyboardInterrupt


class Films(Case):
    def text(self, name, text):
        path = self.path(name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def bytes_of(self, path):
        with open(path, "rb") as file:
            return file.read()

    def film(self, **more):
        return deepfield.film("seahorse", **{"size": SMALL, "fps": 10, "seconds": 0.5, **more})

    def test_a_video(self):
        path = self.path("flight.y4m")
        stages, ranks = [], []

        def note(now):
            stages.append(now.stage)
            ranks.extend(now.ranks)

        saved = self.film().save(path, progress=note)
        self.assertEqual(saved.files, (path,))
        self.assertFalse(saved.already_complete)
        self.assertEqual(saved.facts["frames_made"], 5)
        self.assertIn("frames", stages)
        self.assertTrue(ranks[-1].computes and ranks[-1].iterations > 0)
        head = self.bytes_of(path).split(b"\n", 1)[0]
        self.assertEqual(head.split()[:3], [b"YUV4MPEG2", b"W48", b"H32"])
        with self.assertRaises(deepfield.CannotCreateError):
            self.film().save(path)
        self.assertEqual(self.film().save(path, replace=True).facts["frames_made"], 5)

    def test_it_goes_on(self):
        whole, again = self.path("whole.y4m"), self.path("again.y4m")
        film = self.film(method="frames", seconds=12)
        film.save(whole)

        with self.assertRaises(KeyboardInterrupt):
            film.save(again, progress=_interrupt)
        if not os.path.exists(again):  # it was not faster
            self.assertLess(film.save(again).facts["frames_made"], 120)
        self.assertEqual(self.bytes_of(whole), self.bytes_of(again))

    def test_the_program_makes_the_same(self):
        ours, theirs = self.path("ours.y4m"), self.path("theirs.y4m")
        words = ("film", "seahorse", "--size", "48x32", "--fps", "10", "--seconds", "0.5", "--to",
                 "300", "--method", "frames", "--quiet", "-o")
        film = self.film(method="frames", keys={"film.to": 300})
        film.save(ours)
        program(*words, theirs)
        self.assertEqual(self.bytes_of(ours), self.bytes_of(theirs))
        with self.assertRaises(KeyboardInterrupt):
            film.save(self.path("begun.y4m"), progress=_interrupt)
        if not os.path.exists(self.path("begun.y4m")):
            program(*words, self.path("begun.y4m"))  # it goes on
        self.assertEqual(self.bytes_of(ours), self.bytes_of(self.path("begun.y4m")))

    def test_parts(self):
        whole, parts = self.path("whole.y4m"), self.path("parts.y4m")
        self.film().save(whole)
        saved = self.film(part="1/2").save(parts)
        self.assertEqual(saved.files, ())
        self.film(part="2/2").save(parts)
        self.assertTrue(self.film().save(parts).already_complete)
        self.assertEqual(self.bytes_of(whole), self.bytes_of(parts))

    def test_numbered_frames(self):
        saved = self.film(samples=1, method="frames").save(self.path("f%02d.exr"))
        self.assertEqual(saved.facts["frames_made"], 5)
        third = deepfield.load(self.path("f02.exr"))
        frame = self.film(planes="count")[2].field
        np.testing.assert_array_equal(third.count, frame.count)

    def test_plan_and_estimate(self):
        path = self.path("flight.y4m")
        plan = self.film().plan(path)
        self.assertEqual((plan["frames"], plan["width"], plan["numbered"]), (5, 48, False))
        estimate = self.film().estimate(path)["estimate"]
        self.assertLessEqual(estimate["seconds_least"], estimate["seconds_most"])
        self.assertEqual(os.listdir(os.path.dirname(path)), [])
        with self.assertRaises(deepfield.UsageError):
            self.film().plan(self.path("flight.gif"))

    def test_keyframes(self):
        path = self.text("path.ini", KEYFRAMES)
        film = deepfield.film("seahorse", path=path, size=SMALL, fps=10)
        self.assertEqual(len(film), 5)
        self.assertAlmostEqual(float(film[0].field.attrs["zoom"]), 10)
        with self.assertRaises(deepfield.ConfigError) as caught:
            deepfield.film("seahorse", path=path, seconds=3)
        self.assertIn("film.seconds", str(caught.exception))

    def test_autopilot(self):
        films = [self.film(autopilot=seed) for seed in (3, 3, 4)]
        places = [film[4].field.place for film in films]
        self.assertEqual(places[0].zoom, places[1].zoom)
        self.assertNotEqual((places[0].re, places[0].zoom), (places[2].re, places[2].zoom))

    def test_a_tour(self):
        film = deepfield.film(tour=self.text("tour.ini", TOUR), size=SMALL, fps=10)
        last = film[-1].field
        self.assertEqual(last.attrs["formula"]["name"] if isinstance(last.attrs["formula"], dict)
                         else last.attrs["formula"], "tricorn")
        film.save(self.path("tour.y4m"))
        self.assertIn(b"A", self.bytes_of(self.path("tour.srt")))


if __name__ == "__main__":
    unittest.main()
