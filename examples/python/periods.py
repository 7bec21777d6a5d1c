"""How much of the set has which period, against the two components whose areas are known.

    python3 periods.py
"""
import numpy as np

import deepfield

width, height, zoom = 1024, 768, 1.5
field = deepfield.render(deepfield.Place("-0.75", "0", zoom), size=(width, height), limit=20_000,
                         planes=["count", "period"])
pixel = 4 / (zoom * height)
inside = field.count == 0
periods, pixels = np.unique(field["period"][inside].astype(int), return_counts=True)
areas = dict(zip(periods.tolist(), (pixels * pixel**2).tolist()))

known = {1: 3 * np.pi / 8, 2: np.pi / 16}  # the main cardioid, and the disc to its left
for period in range(1, 9):
    exact = f", exactly {known[period]:.5f}" if period in known else ""
    print(f"period {period}: area {areas.get(period, 0):.5f}{exact}")
print(f"{len(periods)} periods; without one {areas.get(0, 0):.5f}, of {sum(areas.values()):.5f}")
for period, area in known.items():
    assert abs(areas[period] - area) < 0.005
