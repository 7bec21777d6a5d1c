"""The package is built and installed without a network, by Debian's packages alone."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

from support import ROOT, Case


class Package(Case):
    @unittest.skipUnless(os.environ.get("DEEPFIELD_LONG"), "pip takes seconds: long.python.package")
    def test_pip_installs_the_tree(self):
        for name in ("pip", "setuptools", "wheel"):
            if importlib.util.find_spec(name) is None:
                self.skipTest(f"no module {name}")
        source, target = self.path("source"), self.path("site")
        shutil.copytree(os.path.join(ROOT, "python"), source,
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-index",
             "--no-deps", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
             "--target", target, source], check=True, capture_output=True, timeout=250)
        code = ("import deepfield, importlib.metadata as m, os\n"
                "folder = os.path.dirname(deepfield.__file__)\n"
                "print(m.version('deepfield'))\n"
                "print({'py.typed', 'view.js'} <= set(os.listdir(folder)))\n"
                "print(deepfield.version())")
        told = subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": target}, check=True,
            capture_output=True, text=True, cwd=self.folder)
        version, typed, library = told.stdout.split("\n")[:3]
        self.assertEqual((version, typed), ("1.0.0rc0", "True"))
        self.assertTrue(library.startswith("1.0.0"))

    def test_an_installed_tree_finds_its_parts(self):
        build, prefix = os.environ.get("DEEPFIELD_BUILD"), self.path("prefix")
        if not build:
            self.skipTest("DEEPFIELD_BUILD does not say what to install")
        for part in ("python", "library", "data"):
            subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", part],
                           check=True, capture_output=True)
        code = ("import deepfield\n"
                "from deepfield import _library\n"
                "print(deepfield.render('seahorse', size=(16, 9)).shape)\n"
                "print(_library.library().path, _library.data_folder())")
        own = {key: value for key, value in os.environ.items() if not key.startswith("DEEPFIELD_")}
        own["PYTHONPATH"] = os.path.join(prefix, "lib", "python3", "dist-packages")
        told = subprocess.run([sys.executable, "-c", code], env=own, check=True,
                              capture_output=True, text=True, cwd=self.folder).stdout.split()
        self.assertEqual(told[:2], ["(9,", "16)"])
        self.assertTrue(all(path.startswith(prefix) for path in told[2:]), told)

    def test_a_library_that_is_not_there_is_named(self):
        told = subprocess.run(
            [sys.executable, "-c", "import deepfield\n"
             "try: deepfield.version()\n"
             "except deepfield.LibraryError as e: print(e)"],
            env={**os.environ, "DEEPFIELD_LIBRARY": "/nowhere/libdeepfield.so",
                 "PYTHONPATH": os.path.join(ROOT, "python")},
            check=True, capture_output=True, text=True)
        self.assertIn("DEEPFIELD_LIBRARY", told.stdout)
        self.assertIn("/nowhere/libdeepfield.so", told.stdout)


if __name__ == "__main__":
    unittest.main()
