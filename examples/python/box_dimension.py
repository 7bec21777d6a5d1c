"""Box dimension of the boundary of a minibrot, which is found first.

    python3 box_dimension.py
"""
import numpy as np

import deepfield

nucleus = deepfield.find("seahorse", size=(320, 180))
print(f"a minibrot of period {nucleus.period}, {nucleus.size:.2g} times the size of the set")

side = 512
place = nucleus.place.replace(zoom=deepfield.Place(0, 0, nucleus.place.zoom).zoomed("0.5").zoom)
field = deepfield.render(place, size=side, planes=["count", "distance"], limit=50_000)

# The boundary runs through a pixel where the estimated distance is below the pixel's size, and where
# pixels inside have neighbours outside.
inside = field.count == 0
edge = ~inside & (field.distance < 1)
edge[1:] |= inside[1:] != inside[:-1]
edge[:, 1:] |= inside[:, 1:] != inside[:, :-1]

boxes = 2 ** np.arange(1, 7)
filled = [edge.reshape(side // b, b, side // b, b).any((1, 3)).sum() for b in boxes]
slope, _ = np.polyfit(np.log(boxes), np.log(filled), 1)
for b, n in zip(boxes, filled):
    print(f"{n:8d} boxes of {b:2d} x {b:2d} pixels")
print(f"dimension {-slope:.2f} at these sizes; in the limit it is 2 (M. Shishikura, 1998)")
assert 1 < -slope < 2
