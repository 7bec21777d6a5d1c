"""Every function of the package has types that mypy finds no fault with."""

import os
import subprocess
import sys
import unittest

from support import ROOT, Case, need

need("mypy")
need("numpy")


class Types(Case):
    def test_mypy_has_no_complaint(self):
        told = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--package", "deepfield", "--cache-dir",
             self.path("cache")], capture_output=True, text=True, cwd=os.path.join(ROOT, "python"))
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)


if __name__ == "__main__":
    unittest.main()
