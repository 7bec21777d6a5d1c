"""The package is built and installed without a network, by Debian's packages alone."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

from support import ROOT, Case

for name in ("pip", "setuptools", "wheel"):
    if importlib.util.find_spec(name) is None:
        raise unittest.SkipTest(f"no module {name}")


class Package(Case):
    def test_pip_installs_the_tree(self):
        source, target = self.path("source"), self.path("site")
        shutil.copytree(os.path.join(ROOT, "python"), source,
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        subprocess.run([sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-index",
                        "--no-deps", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore",
                        "--target", target, source], check=True, capture_output=True, timeout=250)
        code = ("import deepfield, importlib.metadata as m, os; print(m.version('deepfield'));"
                "print(os.path.exists(os.path.join(os.path.dirname(deepfield.__file__), 'py.typed')));"
                "print(deepfield.version())")
        told = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": target},
                              check=True, capture_output=True, text=True, cwd=self.folder)
        version, typed, library = told.stdout.split("\n")[:3]
        self.assertEqual((version, typed), ("0.1.0", "True"))
        self.assertTrue(library.startswith("0.1.0"))

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
