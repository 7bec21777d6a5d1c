"""Area of the Mandelbrot set with an error bar, from grids of pixels that are moved at random.

    python3 area.py
"""
import numpy as np

import deepfield

random = np.random.default_rng(1)
size, zoom, limit = (640, 480), 1.5, 20_000
pixel = 4 / (zoom * size[1])  # pixels are squares with this side

# Each grid is as likely to begin anywhere in a pixel, so its count of pixels inside times their area
# is right on average; how the grids differ says how far their mean is off.
areas = []
for _ in range(16):
    dx, dy = random.uniform(0, pixel, 2)
    field = deepfield.render(deepfield.Place(-0.75 + dx, dy, zoom), size=size, limit=limit,
                             planes="count")
    areas.append((field.count == 0).sum() * pixel**2)

area, error = np.mean(areas), np.std(areas, ddof=1) / np.sqrt(len(areas))
print(f"area {area:.5f} +- {error:.5f}, of what has not escaped within {limit} steps")
print("known: 1.50659 (T. Förstemann, 2012, by counting pixels)")
assert abs(area - 1.50659) < 6 * error
