"""What tests share: optional modules, the program, small views."""

import importlib
import os
import struct
import subprocess
import tempfile
import unittest
import zlib

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SMALL = (96, 54)


def need(name):
    """A module, or the reason why tests are skipped."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise unittest.SkipTest(f"no module {name} ({error})") from None


def need_one_mpi():
    """Skips a test where mpi4py is of another MPI than the library."""
    from deepfield import LibraryError, _library

    try:
        _library.mpi_check()
    except LibraryError as why:
        raise unittest.SkipTest(str(why)) from None


def program(*words, **options):
    """Runs the program of the same build."""
    path = os.environ.get("DEEPFIELD_PROGRAM")
    if not path:
        raise unittest.SkipTest("DEEPFIELD_PROGRAM does not say which program to compare with")
    return subprocess.run([path, *words], check=True, capture_output=True, text=True, **options)


def png_pixels(path):
    """[height][width][3] of a PNG of 8 bits and three channels."""
    import numpy as np

    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
            assert (bits, colour) == (8, 2), path
        packed += body if kind == b"IDAT" else b""
        at += length + 12
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    above = np.zeros(3 * width + 3, int)
    image = np.empty((height, 3 * width), np.uint8)
    for y, row in enumerate(rows.astype(int)):
        line = np.zeros(3 * width + 3, int)
        for x in range(3, 3 * width + 3):
            a, b, c = line[x - 3], above[x], above[x - 3]
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[x] = (row[x - 2] + (0, a, b, (a + b) // 2, nearest)[row[0]]) & 255
        image[y], above = line[3:], line
    return image.reshape(height, width, 3)


class Case(unittest.TestCase):
    """Has a folder of its own, `self.folder`."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="deepfield-python-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)
