"""Pictures that go into files: the files of the program, of any size, resumed, several at once."""

import os
import subprocess
import sys
import unittest

import deepfield
from support import ROOT, SMALL, Case, program


def data(path):
    with open(path, "rb") as file:
        return file.read()


class Files(Case):
    def test_files_are_those_of_the_program(self):
        program("render", "seahorse", "--size", "96x54", "-o", self.path("p.png"), "-o",
                self.path("p.exr"), "--quiet")
        saved = deepfield.render_files("seahorse", [self.path("l.png"), self.path("l.exr")],
                                       size=SMALL)
        self.assertEqual(saved.files, (self.path("l.png"), self.path("l.exr")))
        self.assertFalse(saved.already_complete)
        self.assertGreater(saved.seconds, 0)
        for end in (".png", ".exr"):
            self.assertEqual(data(self.path("p" + end)), data(self.path("l" + end)), end)

    def test_what_is_there_stays_or_is_replaced(self):
        path = self.path("x.png")
        deepfield.render_files("seahorse", path, size=SMALL)
        again = deepfield.render_files("seahorse", path, size=SMALL)
        self.assertTrue(again.already_complete)
        self.assertIsNone(again.seconds)
        before = data(path)
        with self.assertRaisesRegex(deepfield.CannotCreateError, "view.limit.*`replace`"):
            deepfield.render_files("seahorse", path, size=SMALL, limit=77)
        self.assertEqual(data(path), before)
        self.assertFalse(deepfield.render_files("seahorse", path, size=SMALL, limit=77,
                                                replace=True).already_complete)
        self.assertNotEqual(data(path), before)

    def test_parts_become_the_picture(self):
        whole, joined = self.path("whole.png"), self.path("joined.png")
        deepfield.render_files("seahorse", whole, size=SMALL)
        for part in ("1/3", "2/3", "3/3"):
            (rows,) = deepfield.render_files("seahorse", joined, size=SMALL, part=part).files
            self.assertTrue(os.path.exists(rows))
        deepfield.render_files("seahorse", joined, size=SMALL)
        self.assertEqual(data(whole), data(joined))
        self.assertEqual(sorted(os.listdir(self.folder)), ["joined.png", "whole.png"])

    def test_pictures_larger_than_memory(self):
        pixels = dict(size=(3000, 2200), samples=1, limit=20)
        deepfield.render_files("whole-set", self.path("all.tif"), **pixels)
        saved = deepfield.render_files("whole-set", self.path("rows.tif"), memory=0.0625, **pixels)
        self.assertLess(saved.facts["plan"]["frame_bytes"], 3000 * 2200 * 8)
        self.assertEqual(data(self.path("all.tif")), data(self.path("rows.tif")))

    def test_dry_runs_and_wrong_calls(self):
        estimate = deepfield.render_files("seahorse", self.path("x.png"), size=SMALL,
                                          dry_run=True).facts["estimate"]
        self.assertGreater(estimate["seconds_most"], 0)
        for paths in ([], "", [self.path("x.png")] * 2):
            with self.assertRaises(deepfield.UsageError):
                deepfield.render_files("seahorse", paths, size=SMALL)
        with self.assertRaisesRegex(deepfield.UsageError, "suffix|kind|\\.xyz"):
            deepfield.render_files("seahorse", self.path("x.xyz"), size=SMALL)
        with self.assertRaises(deepfield.CannotCreateError):
            deepfield.render_files("seahorse", self.path("no/x.png"), size=SMALL)
        self.assertEqual(os.listdir(self.folder), [])


class Resumed(Case):
    pixels = dict(size=(400, 400), samples=8, journal="0.01")

    def killed(self, path):
        """Renders until a third is there, and is killed; on a very fast machine it is complete."""
        code = ("import os, signal, sys, deepfield\n"
                "def kill(state):\n"
                "    if state.stage == 'pixels' and state.done > 0.3:\n"
                "        os.kill(os.getpid(), signal.SIGKILL)\n"
                f"deepfield.render_files('seahorse', sys.argv[1], progress=kill, **{self.pixels},\n"
                "    context=deepfield.Context(backend='scalar'))\n")
        environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "python"))
        return subprocess.run([sys.executable, "-c", code, path], env=environment).returncode != 0

    def test_the_same_call_goes_on_after_a_kill(self):
        deepfield.render_files("seahorse", self.path("whole.png"), **self.pixels)
        path = self.path("x.png")
        if self.killed(path) and os.path.isdir(path + ".deepfield"):
            with self.assertLogs("deepfield", "INFO") as log:
                deepfield.render_files("seahorse", path, **self.pixels)
            self.assertIn("goes on from", "\n".join(log.output))
        else:
            deepfield.render_files("seahorse", path, **self.pixels)
        self.assertEqual(data(path), data(self.path("whole.png")))
        self.assertEqual(sorted(os.listdir(self.folder)), ["whole.png", "x.png"])

    def test_the_program_goes_on_after_a_kill(self):
        deepfield.render_files("seahorse", self.path("whole.png"), **self.pixels)
        path = self.path("x.png")
        if not self.killed(path) or not os.path.isdir(path + ".deepfield"):
            self.skipTest("the machine is too fast: the picture was complete")
        self.assertIn("goes on from", program("resume", path).stderr)
        self.assertEqual(data(path), data(self.path("whole.png")))

    def test_exceptions_of_progress_leave_what_is_there(self):
        class Enough(Exception):
            pass

        def stop(_state):
            raise Enough

        path = self.path("x.png")
        try:
            deepfield.render_files("seahorse", path, progress=stop, **self.pixels)
        except Enough:
            self.assertFalse(os.path.exists(path))
        deepfield.render_files("seahorse", path, **self.pixels)
        deepfield.render_files("seahorse", self.path("whole.png"), **self.pixels)
        self.assertEqual(data(path), data(self.path("whole.png")))


class Many(Case):
    views = ["seahorse", "elephant", "needle", "whole-set", "double-spiral", "mast"]

    def test_pictures_overlap_and_come_in_their_order(self):
        pictures = [(view, self.path(f"{view}.png")) for view in self.views]
        found = list(deepfield.render_each(pictures, size=SMALL))
        self.assertEqual([saved.files for saved in found], [(path,) for _view, path in pictures])
        for view in self.views[:2]:
            deepfield.render_files(view, self.path("alone.png"), size=SMALL, replace=True)
            self.assertEqual(data(self.path("alone.png")), data(self.path(f"{view}.png")))
        again = deepfield.render_each(pictures, size=SMALL)
        self.assertEqual([saved.already_complete for saved in again], [True] * len(pictures))

    def test_settings_of_one_picture(self):
        found = list(deepfield.render_each(
            [("seahorse", self.path("a.png"), {"limit": 50}), ("seahorse", self.path("b.png"))],
            size=SMALL))
        self.assertEqual([saved.facts["limit"] for saved in found], [50, 10000])

    def test_failures_and_loops_that_are_left(self):
        wrong = self.path("no/such/folder/x.png")
        loop = deepfield.render_each(
            [("seahorse", self.path("a.png")), ("elephant", wrong), ("needle", self.path("c.png"))],
            size=SMALL)
        with self.assertRaises(deepfield.CannotCreateError):
            list(loop)
        self.assertFalse(deepfield.default_context()._outputs)
        with deepfield.Context() as context:
            kept = deepfield.render_each([(view, self.path(f"{view}.png")) for view in self.views],
                                         size=SMALL, context=context)
            next(kept)
        kept.close()


if __name__ == "__main__":
    unittest.main()
