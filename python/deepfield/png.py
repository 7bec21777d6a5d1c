"""What a notebook shows of a field."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .field import Field

WIDTH_MOST = 1280  # of a picture in a notebook; larger fields are averaged in whole squares


def encode(image: Any, level: int = 4) -> bytes:
    """A PNG of [height][width][3] or [4] uint8."""
    import numpy as np

    height, width, channels = image.shape
    rows = np.empty((height, 1 + channels * width), np.uint8)
    rows[:, 0] = 1  # filter "sub": neighbours of smooth colours differ little
    flat = image.reshape(height, channels * width)
    rows[:, 1:channels + 1] = flat[:, :channels]
    rows[:, channels + 1:] = flat[:, channels:] - flat[:, :-channels]

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
            + chunk(b"IDAT", zlib.compress(rows.tobytes(), level)) + chunk(b"IEND", b""))


def small(field: "Field") -> Any:
    """Colours of a field, at most WIDTH_MOST wide, averaged as light."""
    import numpy as np

    height, width = field.shape
    times = -(-width // WIDTH_MOST)
    if times == 1:
        return field.image()
    light = field.image("float32")[:height // times * times, :width // times * times]
    light = light.reshape(height // times, times, width // times, times, 3).mean((1, 3))
    coded = np.where(light <= 0.0031308, 12.92 * light,
                     1.055 * np.maximum(light, 0.0031308) ** (1 / 2.4) - 0.055)
    return (coded.clip(0, 1) * 255 + 0.5).astype(np.uint8)


def thumbnail(field: "Field") -> bytes:
    return encode(small(field))


def html(field: "Field") -> str:
    """The picture and a table of what it is of."""
    import base64
    from html import escape

    facts = field.attrs
    height, width = field.shape
    picture = base64.b64encode(thumbnail(field)).decode()
    rows = {
        "re": facts["re"], "im": facts["im"], "zoom": facts["zoom"],
        "limit": facts["limit"], "size": f"{width} x {height}",
        "planes": ", ".join(field.planes),
    }
    cells = "".join(
        f"<tr><th style='text-align:left'>{name}</th>"
        "<td style='text-align:left;max-width:60em;overflow-wrap:anywhere'>"
        f"{escape(str(value))}</td></tr>" for name, value in rows.items())
    return (f"<img src='data:image/png;base64,{picture}' style='max-width:100%' "
            f"alt='{escape(repr(field))}'><table>{cells}</table>")
