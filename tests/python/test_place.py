"""Places: texts in and out, points and pixels at any depth."""

import pickle
import unittest
from decimal import Decimal

import deepfield
from support import Case, need

DEEP_RE = "-0.7436438870371587047" + "3" * 120
DEEP_IM = "0.1318259042053119705" + "7" * 120


class Places(Case):
    def test_a_place_is_its_texts(self):
        place = deepfield.Place(-0.75, "0.1", Decimal("1e5"), 30, limit=2000, palette="ocean")
        self.assertEqual((place.re, place.im, place.zoom, place.rotation),
                         ("-0.75", "0.1", "1E+5", "30"))
        self.assertEqual(dict(place.keys), {"view.limit": "2000", "look.palette": "ocean"})
        self.assertEqual(place, pickle.loads(pickle.dumps(place)))
        self.assertEqual(len({place, place.replace(limit=2000)}), 1)
        self.assertEqual(eval(repr(place), {"Place": deepfield.Place}), place)  # noqa: S307
        with self.assertRaises(AttributeError):
            place.re = "0"

    def test_replace_changes_one_thing(self):
        place = deepfield.Place("0.1", "0.2", "10", limit=500)
        moved = place.replace(zoom="1e400", palette="ocean")
        self.assertEqual((moved.re, moved.zoom), ("0.1", "1e400"))
        self.assertEqual(dict(moved.keys), {"view.limit": "500", "look.palette": "ocean"})
        self.assertEqual(Decimal(place.zoomed("2.5").zoom), 25)

    def test_unknown_words_are_refused(self):
        with self.assertRaises(TypeError):
            deepfield.Place(0, 0, colour="red")
        with self.assertRaises(deepfield.NoInputError):
            deepfield.Place.open("seahors")

    def test_a_view_opens_and_comes_back(self):
        place = deepfield.Place.open("seahorse")
        self.assertTrue(place.re.startswith("-0.74"))
        again = deepfield.Place.parse(place.text(".ini"))
        self.assertEqual((again.re, again.im, again.zoom), (place.re, place.im, place.zoom))
        self.assertEqual(dict(again.keys)["view.title"], dict(place.keys)["view.title"])

    def test_texts_of_other_programs(self):
        place = deepfield.Place(DEEP_RE, DEEP_IM, "1e100", limit=9000)
        for suffix in (".ini", ".kfr", ".toml"):
            place.save(self.path("p" + suffix))
            again = deepfield.Place.open(self.path("p" + suffix))
            self.assertEqual(Decimal(again.re), Decimal(DEEP_RE), suffix)
            self.assertEqual(dict(again.keys)["view.limit"], "9000", suffix)

    def test_points_and_pixels_at_depth(self):
        place = deepfield.Place(DEEP_RE, DEEP_IM, "1e130")
        size = (640, 360)
        re, im = place.point(0.5, 0.5, size)
        x, y = place.pixel(re, im, size)
        self.assertAlmostEqual(x, 0.5, places=2)
        self.assertAlmostEqual(y, 0.5, places=2)
        self.assertGreater(Decimal(im), Decimal(DEEP_IM))  # up is up
        mpmath = need("mpmath")
        with mpmath.workdps(200):
            step = mpmath.mpf(4) / (mpmath.mpf("1e130") * 360)
            re, im = mpmath.mpf(DEEP_RE) + 10 * step, mpmath.mpf(DEEP_IM) - 20 * step
            x, y = place.pixel(re, im, size)
        self.assertAlmostEqual(x, 330, places=6)
        self.assertAlmostEqual(y, 200, places=6)

    def test_what_is_known_of_a_place(self):
        known = deepfield.Place.open("seahorse").info(size=(64, 36))
        self.assertEqual((known["width"], known["plan"]["method"], known["refused"]),
                         (64, "direct", None))
        self.assertGreater(known["places_needed"], 2)

    def test_lists(self):
        self.assertIn("seahorse", deepfield.views())
        self.assertIn("ocean", deepfield.palettes())
        self.assertIn("burning_ship", deepfield.formulas())
        self.assertTrue(deepfield.palettes()[0].summary)
        self.assertEqual(deepfield.list("palettes:ocean"), ["ocean"])
        self.assertEqual(deepfield.views()[0].facts["file"][-4:], ".ini")
        with self.assertRaises(deepfield.UsageError):
            deepfield.list("vews")
