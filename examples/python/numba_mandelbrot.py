"""A slow Mandelbrot of one's own, by Numba, that agrees with deepfield count for count.

    python3 numba_mandelbrot.py
"""
import time

import numba
import numpy as np

import deepfield


@numba.njit(fastmath=False)
def counts(re, im, limit, radius):
    """Iterations until |z| > radius, 0 inside: plain doubles, one pixel after the other."""
    found = np.zeros((im.size, re.size), np.uint32)
    for row in range(im.size):
        for column in range(re.size):
            x = y = 0.0
            for n in range(1, limit + 1):
                x, y = x * x - y * y + re[column], 2 * x * y + im[row]
                if x * x + y * y > radius * radius:
                    found[row, column] = n
                    break
    return found


place = deepfield.Place("-0.6", "0.0", "1.2", limit=256)
field = deepfield.render(place, size=(240, 135), planes="count", precision="fp64")
limit, radius = field.attrs["limit"], field.attrs["bailout"]

counts(field.axes.re[:1], field.axes.im[:1], 1, radius)  # compiles
began = time.perf_counter()
own = counts(field.axes.re, field.axes.im, limit, radius)
seconds = time.perf_counter() - began

differ = int((own != field.count).sum())
print(f"{own.size} pixels in {seconds * 1e3:.0f} ms by Numba, {differ} counts differ")
assert differ == 0
