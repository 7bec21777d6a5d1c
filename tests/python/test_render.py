"""Fields: arrays without a copy, the numbers and colours of the program, files."""

import gc
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import deepfield
from support import ROOT, SMALL, Case, need, png_pixels, program

np = need("numpy")


class Arrays(Case):
    def test_planes_are_read_only_views_that_keep_the_field(self):
        field = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction", "distance"])
        count = field["count"]
        self.assertEqual((count.shape, count.dtype), ((54, 96), np.uint32))
        self.assertEqual(field.planes, ("count", "fraction", "distance_x", "distance_y"))
        self.assertFalse(count.flags.writeable)
        self.assertEqual(count.ctypes.data, field.count.ctypes.data)
        copy = count.copy()
        del field
        gc.collect()
        deepfield.render("elephant", size=SMALL)
        np.testing.assert_array_equal(count, copy)
        with self.assertRaises(ValueError):
            count[0, 0] = 1

    def test_numbers_are_those_of_the_program(self):
        program("render", "seahorse", "--size", "96x54", "--planes",
                "count,fraction,distance,phase", "-o", self.path("p.npy"), "--quiet")
        field = deepfield.render("seahorse", size=SMALL,
                                 planes=["count", "fraction", "distance", "phase"])
        for plane in field.planes:
            np.testing.assert_array_equal(field[plane], np.load(self.path(f"p.{plane}.npy")), plane)
        np.testing.assert_allclose(field.nu, field.count + field["fraction"].astype("f8"))
        self.assertEqual(field["distance"].shape, (54, 96))

    def test_planes_in_arrays_of_the_caller(self):
        whole = np.zeros((60, 100), np.uint32)
        window = whole[3:57, 2:98]
        packed = np.empty((54, 96), np.float32)
        field = deepfield.render("seahorse", size=SMALL, out={"count": window, "fraction": packed})
        plain = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"])
        np.testing.assert_array_equal(window, plain.count)
        np.testing.assert_array_equal(packed, plain["fraction"])
        self.assertIs(field["fraction"], packed)
        self.assertFalse(whole[:3].any() or whole[:, :2].any() or whole[57:].any())

    def test_arrays_that_do_not_fit_are_refused(self):
        for array in (np.empty((54, 95), np.uint32), np.empty((54, 96), np.float32),
                      np.empty((54, 96), np.int16), np.empty((54, 96, 1), np.uint32),
                      np.empty((96, 54), np.uint32).T):
            with self.assertRaises(deepfield.UsageError):
                deepfield.render("seahorse", size=SMALL, out={"count": array})
        with self.assertRaises(deepfield.UsageError):
            deepfield.render("seahorse", size=SMALL, out={"heat": np.empty((54, 96), np.uint32)})

    def test_planes_and_places_in_words(self):
        field = deepfield.render(re="-0.75", im=0.1, zoom=40, size=np.int64(40),
                                 planes="count, fraction distance_x")
        self.assertEqual(field.planes, ("count", "fraction", "distance_x", "distance_y"))
        same = deepfield.render(deepfield.Place("-0.75", "0.1", 40), size=(40, 40),
                                planes=field.planes)
        self.assertEqual(field.attrs["limit"], same.attrs["limit"])
        np.testing.assert_array_equal(field.count, same.count)
        for bad in ({"size": (1, 2, 3)}, {"size": 2.5}, {"region": (1, 2)}):
            with self.assertRaises(deepfield.UsageError):
                deepfield.render("seahorse", **bad)
        with self.assertRaisesRegex(TypeError, "did you mean 'limit'"):
            deepfield.render("seahorse", iterations=5)
        with self.assertRaises(FileNotFoundError):
            deepfield.render("no-such-place.kfr")
        with self.assertRaisesRegex(TypeError, "complex is no place"):
            deepfield.render(1j)

    def test_parts_belong_where_they_say(self):
        whole = np.zeros((54, 96), np.uint32)
        for y in range(0, 54, 18):
            part = deepfield.render("seahorse", size=SMALL, region=(0, y, 96, 18), planes="count")
            self.assertEqual(part.region, (0, y, 96, 18))
            whole[part.slices] = part.count
        np.testing.assert_array_equal(
            whole, deepfield.render("seahorse", size=SMALL, planes="count").count)

    def test_missing_planes_say_how_they_are_computed(self):
        field = deepfield.render("seahorse", size=(8, 8), planes="count")
        for plane in ("fraction", "nu", "distance"):
            with self.assertRaisesRegex((KeyError, AttributeError), "render.*planes"):
                getattr(field, plane)
        with self.assertRaisesRegex(KeyError, "samples"):
            field["light"]

    def test_fields_are_pickled(self):
        field = deepfield.render("seahorse", size=SMALL, region=(5, 6, 20, 10))
        again = pickle.loads(pickle.dumps(field))
        self.assertEqual(again.region, field.region)
        for plane in field:
            np.testing.assert_array_equal(again[plane], field[plane])
        np.testing.assert_array_equal(again.image(), field.image())
        with self.assertRaisesRegex(TypeError, "samples"):
            pickle.dumps(deepfield.render("seahorse", size=(8, 8), samples=2))

    def test_limits_beyond_32_bits(self):
        field = deepfield.render(None, size=(8, 8), planes="count", limit=2**33)
        self.assertEqual(field.count.dtype, np.uint64)

    def test_own_formulas_and_julia_sets(self):
        ship = deepfield.render(formula="burning_ship", size=SMALL, planes="count", limit=200)
        own = deepfield.render(formula="absx, absy, sqr, add c", size=SMALL, planes="count",
                               limit=200, keys=dict(ship.place.keys))
        np.testing.assert_array_equal(ship.count, own.count)
        julia = deepfield.render(julia=-0.8 + 0.156j, size=SMALL, planes="count", limit=300)
        same = deepfield.render(julia=np.complex128(-0.8 + 0.156j), size=SMALL, planes="count",
                                limit=300)
        np.testing.assert_array_equal(julia.count, same.count)
        np.testing.assert_array_equal(julia.count, julia.count[::-1, ::-1])

    def test_attributes(self):
        field = deepfield.render("seahorse", size=SMALL, limit=777)
        self.assertEqual((field.attrs["width"], field.attrs["limit"]), (96, 777))
        self.assertIn("96x54", repr(field))
        self.assertEqual(field.place.re, deepfield.Place.open("seahorse").re)
        self.assertIn("count", dir(field))
        with self.assertRaises(KeyError):
            field["heat"]
        with self.assertRaises(AttributeError):
            field.heat


class Axes(Case):
    def test_coordinates_are_those_of_the_pixels(self):
        field = deepfield.render("seahorse", size=SMALL, planes="count")
        axes = field.axes
        self.assertEqual((axes.re.shape, axes.im.shape), ((96,), (54,)))
        self.assertFalse(axes.relative)
        self.assertGreater(axes.im[0], axes.im[-1])
        re, im = field.point(10.5, 20.5)
        self.assertAlmostEqual(axes.re[10], float(re), delta=1e-3 * float(axes.step))
        self.assertAlmostEqual(axes.im[20], float(im), delta=1e-3 * float(axes.step))
        x, y = field.pixel(float(axes.re[10]), float(axes.im[20]))
        self.assertAlmostEqual(x, 10.5, places=3)
        self.assertAlmostEqual(y, 20.5, places=3)

    def test_turned_and_stretched_views(self):
        for settings in ({}, {"mirror": True}, {"stretch": "2@20"}):
            place = deepfield.Place("-0.5", "0.1", "3", 30, **settings)
            field = deepfield.render(place, size=SMALL, planes="count")
            points = field.axes.points()
            self.assertFalse(field.axes.upright)
            for row, column in ((0, 0), (53, 95), (7, 60)):
                re, im = field.point(column + 0.5, row + 0.5)
                self.assertAlmostEqual(points[row, column], complex(float(re), float(im)), places=4)

    def test_deep_views_have_offsets(self):
        place = deepfield.Place("-1.76", "0.01", "1e400", limit=100)
        field = deepfield.render(place, size=(16, 9), planes="count")
        axes = field.axes
        self.assertTrue(axes.relative)
        self.assertEqual(axes.centre, ("-1.76", "0.01"))
        self.assertAlmostEqual(axes.re[8] - axes.re[7], float(axes.step))
        self.assertTrue(axes.unit.startswith("1e-40"))

    def test_xarray(self):
        need("xarray")
        field = deepfield.render("seahorse", size=SMALL, planes=["count", "distance"])
        data = field.to_xarray()
        self.assertEqual(data["count"].dims, ("y", "x"))
        self.assertEqual(data["count"].attrs["units"], "iterations")
        self.assertEqual(data["count"].values.ctypes.data, field.count.ctypes.data)
        self.assertEqual(data.re.dims, ("x",))
        self.assertEqual(data.attrs["limit"], field.attrs["limit"])
        self.assertNotIn(bool, map(type, data.attrs.values()))  # NetCDF has none
        nearest = data.swap_dims(x="re", y="im").sel(
            re=field.axes.re[7], im=field.axes.im[3], method="nearest")
        self.assertEqual(nearest["count"], field.count[3, 7])


class Colours(Case):
    def test_colours_are_those_of_the_program(self):
        for samples in (None, 4):
            field = deepfield.render("seahorse", size=SMALL, samples=samples)
            field.save(self.path("python.png"), replace=True)
            program("render", "seahorse", "--size", "96x54", "--samples", str(samples or 1),
                    "-o", self.path("program.png"), "--quiet", "--force")
            np.testing.assert_array_equal(
                png_pixels(self.path("python.png")), png_pixels(self.path("program.png")))
            np.testing.assert_array_equal(field.image(), png_pixels(self.path("program.png")))

    def test_kinds_of_colours(self):
        field = deepfield.render("seahorse", size=SMALL)
        eight, light = field.image(), field.image("float32")
        self.assertEqual(eight.shape, (54, 96, 3))
        self.assertEqual((eight.dtype, light.dtype), (np.uint8, np.float32))
        self.assertEqual(field.image("uint16", alpha=True)[0, 0, 3], 65535)
        self.assertTrue((field.image(palette="ocean") != eight).any())
        ocean = field.recolour("ocean")
        np.testing.assert_array_equal(ocean.image(), field.image(palette="ocean"))
        self.assertEqual(ocean.count.ctypes.data, field.count.ctypes.data)
        with self.assertRaises(deepfield.UsageError):
            field.image("float64")
        with self.assertRaises(deepfield.Error):
            field.image(palette="no such palette")

    def test_notebooks_see_the_picture(self):
        field = deepfield.render("seahorse", size=SMALL)
        data = field._repr_png_()
        self.assertTrue(data.startswith(b"\x89PNG"))
        with open(self.path("n.png"), "wb") as file:
            file.write(data)
        np.testing.assert_array_equal(png_pixels(self.path("n.png")), field.image())
        self.assertIn("zoom", field._repr_html_())

    def test_samples(self):
        field = deepfield.render("seahorse", size=SMALL, samples=3)
        self.assertEqual((field.light.shape, field.light.dtype), ((54, 96, 3), np.float32))
        np.testing.assert_array_equal(field.image("float32"), field.light)


class Files(Case):
    def test_what_is_saved_is_loaded(self):
        field = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"],
                                 palette="ocean")
        for name in ("f.npy", "f.exr"):
            field.save(self.path(name))
            again = deepfield.load(self.path(name))
            np.testing.assert_array_equal(again.count, field.count)
            self.assertEqual(again.place.re, field.place.re)
            np.testing.assert_array_equal(again.image(), field.image())
            self.assertTrue((again.image(palette="fire") != field.image()).any())

    def test_files_are_not_replaced_unasked(self):
        field = deepfield.render("seahorse", size=SMALL)
        field.save(self.path("a.png"))
        with self.assertRaises(deepfield.CannotCreateError) as caught:
            field.save(self.path("a.png"))
        self.assertEqual(caught.exception.status, 8)
        field.save(self.path("a.png"), replace=True)
        self.assertEqual(deepfield.Place.open(self.path("a.png")).re, field.place.re)

    def test_failures_are_classes(self):
        with self.assertRaises(deepfield.NoInputError):
            deepfield.render("seahors")
        with self.assertRaises(deepfield.ConfigError):
            deepfield.render("seahorse", limit=-1)
        with self.assertRaises(deepfield.UsageError):
            deepfield.render("seahorse", keys={"view.limmit": 1})
        with self.assertRaises(TypeError):
            deepfield.render("seahorse", colour="red")
        with self.assertRaises(deepfield.Error):
            deepfield.load(self.path("none.npy"))


class Tools(Case):
    def test_orbits_and_rays(self):
        cycle = deepfield.orbit(deepfield.Place("-1", "0", "1"), 32, 32, size=(64, 64))
        self.assertEqual((cycle.period, cycle.escape, len(cycle.ray)), (2, 0, 0))
        np.testing.assert_array_equal(cycle.points[:4, 0], [0, -1, 0, -1])
        escapes = deepfield.orbit(deepfield.Place("1", "0", "1"), 32, 32, size=(64, 64))
        self.assertEqual((escapes.escape, len(escapes.points)), (3, 4))
        self.assertGreater(len(escapes.ray), 1)
        self.assertAlmostEqual(float(deepfield.ray(1, 3)[-1][0]), -0.75, places=1)
        with self.assertRaises(deepfield.ConfigError):
            deepfield.orbit(None, 1, 1, formula="burning_ship")

    def test_find_and_plan(self):
        found = deepfield.find("seahorse", size=SMALL)
        self.assertGreater(found.period, 1)
        self.assertTrue(found.proven)
        self.assertGreater(float(found.place.zoom), 1)
        self.assertEqual(found.facts["shown"]["mirrored"], False)
        mirrored = deepfield.find("seahorse", size=SMALL, mirror=True)
        self.assertEqual((mirrored.period, dict(mirrored.place.keys)["view.mirror"]),
                         (found.period, "true"))
        plan = deepfield.plan("seahorse", size="4k")
        self.assertEqual((plan["width"], plan["height"]), (3840, 2160))

    def test_verify(self):
        report = deepfield.verify("elephant", size=SMALL, pixels=8)
        self.assertIn(report.verdict, ("right", "rounded"))
        self.assertEqual((report.pixels, report.matches + report.mismatches), (8, 8))
        self.assertEqual(len(report.facts["list"]), report.mismatches)
        self.assertGreater(report.facts["moved_px"]["predicted"], 0)

    def test_a_stored_field_in_other_colours(self):
        with tempfile.TemporaryDirectory() as folder:
            stored, one, two = (os.path.join(folder, name) for name in ("a.exr", "1.png", "2.png"))
            field = deepfield.render("seahorse", size=SMALL, limit=1000)
            field.save(stored)
            deepfield.recolour(stored, one, two, palette="ocean")
            with open(one, "rb") as first, open(two, "rb") as second:
                self.assertEqual(first.read(), second.read())
            with self.assertRaisesRegex(deepfield.CannotCreateError, "replace"):
                deepfield.recolour(stored, one)
            with self.assertRaisesRegex(deepfield.ConfigError, "look.by"):
                deepfield.recolour(stored, one, by="phase", replace=True)

    def test_the_package_runs_the_program(self):
        told = subprocess.run([sys.executable, "-m", "deepfield", "--version"], check=True,
                              capture_output=True, text=True, cwd=os.path.join(ROOT, "python"))
        self.assertIn(deepfield.__version__, told.stdout)
        self.assertTrue(deepfield.version().startswith(deepfield.__version__))

    def test_slow_modules_come_when_they_are_needed(self):
        code = ("import deepfield, sys\n"
                "deepfield.version(), deepfield.views()\n"
                "print({'numpy', 'asyncio', 'mpi4py', 'html'} & set(sys.modules))")
        told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                              text=True, cwd=os.path.join(ROOT, "python"))
        self.assertEqual(told.stdout.strip(), "set()")


if __name__ == "__main__":
    unittest.main()
