"""Points of the pixels of a view as coordinates of arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, Any, Mapping, Tuple

from ._numbers import number_decimal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EXACT = Context(prec=60, Emin=-10**9, Emax=10**9, rounding=ROUND_HALF_EVEN)


@dataclass(frozen=True, eq=False)
class Axes:
    """Coordinates of the centres of all pixels.

    re, im: float64. Of an upright view re is [width], im is [height], and they are the numbers that
    direct iteration in doubles computes with, bit for bit; of one that is turned or stretched both
    are [height][width].
    relative: they are offsets from `centre` in units of `unit`, because float64 cannot tell
    neighbours apart. Otherwise they are the coordinates themselves.
    x, y: positions in the image, in pixels from its upper left corner: 0.5, 1.5, ...
    """

    re: "NDArray[np.float64]"
    im: "NDArray[np.float64]"
    centre: Tuple[str, str]
    step: str
    unit: str
    relative: bool
    x: "NDArray[np.float64]"
    y: "NDArray[np.float64]"

    @property
    def upright(self) -> bool:
        """Do columns have one real part, and rows one imaginary part?"""
        return self.re.ndim == 1

    def __repr__(self) -> str:
        kind = f"offsets in {self.unit} from" if self.relative else "coordinates around"
        re, im = (text if len(text) <= 24 else text[:21] + "..." for text in self.centre)
        return (f"<deepfield.Axes {len(self.x)}x{len(self.y)}: {kind} {re}, {im}; "
                f"step {float(self.step):g}>")

    def points(self) -> "NDArray[np.complex128]":
        """re + i im of all pixels, [height][width]; offsets if `relative`."""
        import numpy as np

        if not self.upright:
            return self.re + 1j * self.im
        points = np.empty((len(self.y), len(self.x)), np.complex128)
        points.real, points.imag = self.re[None, :], self.im[:, None]
        return points


def _split(value: Decimal) -> Tuple[float, float]:
    """A double and what its rounding left."""
    high = float(value)
    with_rest = Context(prec=max(60, len(value.as_tuple().digits) + 30), Emin=-10**9, Emax=10**9)
    return high, float(with_rest.subtract(value, Decimal(high)))


def _linear(facts: Mapping[str, Any]) -> Tuple[float, float, float, float]:
    """a, b, c, d: the offset of a pixel in steps is (a u + b v) + i (c u + d v), v down."""
    angle = math.radians(facts["rotation_deg"] or 0)
    cos, sin = (1.0, 0.0) if angle == 0 else (math.cos(angle), math.sin(angle))
    down = 1.0 if facts["mirrored"] else -1.0
    # u + i down v, turned: (cos + i sin)(u + i down v)
    a, b, c, d = cos, -sin * down, sin, cos * down
    stretch = facts.get("stretch") or 1.0
    if stretch != 1.0:
        turn = math.radians(facts["stretch_deg"] or 0)
        e, f = math.cos(turn), math.sin(turn)
        along, across = 1 / math.sqrt(stretch), math.sqrt(stretch)
        p, q, r = e * e * along + f * f * across, e * f * (along - across), (
            f * f * along + e * e * across)
        a, b, c, d = p * a + q * c, p * b + q * d, q * a + r * c, q * b + r * d
    return a, b, c, d


def axes_of(facts: Mapping[str, Any]) -> Axes:
    """Axes of a field, from what it says of itself."""
    import numpy as np

    left, top, columns, rows = facts["region"]
    x = np.arange(columns) + (left + 0.5)
    y = np.arange(rows) + (top + 0.5)
    u, v = x - facts["width"] / 2, y - facts["height"] / 2
    re, im = number_decimal(facts["re"]), number_decimal(facts["im"])
    step = _EXACT.divide(Decimal(4),
                         _EXACT.multiply(number_decimal(facts["zoom"]), Decimal(facts["height"])))
    largest = max(abs(float(re)), abs(float(im)))
    relative = float(step) < 16 * float(np.spacing(largest or 1e-300))
    unit = "1"
    if float(step) < 1e-290:
        unit = f"1e{step.adjusted()}"
        step = _EXACT.divide(step, Decimal(unit))
    a, b, c, d = _linear(facts)
    size = float(step)
    upright = b == 0 and c == 0
    offset_re = (a * size) * u if upright else (a * size) * u + (b * size) * v[:, None]
    offset_im = (d * size) * v if upright else (c * size) * u + (d * size) * v[:, None]
    if not relative:
        for offset, centre in ((offset_re, re), (offset_im, im)):
            high, low = _split(centre)
            offset += low
            offset += high
    for array in (offset_re, offset_im, x, y):
        array.flags.writeable = False
    return Axes(offset_re, offset_im, (facts["re"], facts["im"]), str(step), unit, relative, x, y)
