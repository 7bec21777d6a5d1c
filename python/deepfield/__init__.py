"""Fields of the Mandelbrot set and its relatives as arrays of NumPy, exact at any depth.

    import deepfield
    field = deepfield.render("seahorse", size=(960, 540), planes=["count", "fraction", "distance"])
    field.count                    # uint32, [height][width], read-only, without a copy
    field.image(palette="ocean")   # uint8, [height][width][3]
    field.save("seahorse.png")

`deepfield help python` is the guide.
"""

from __future__ import annotations

from ._files import Saved, render_each, render_files
from ._film import Film, Frame, film
from ._library import library as _loaded
from ._library import program
from ._numbers import Number
from ._render import Piece, render, rows, share, submit, tiles
from ._tools import (
    Entry, Found, Orbit, Verification, find, formulas, orbit, palettes, plan, ray, recolour,
    verify, views,
)
from ._tools import list_of as list
from .axes import Axes
from .context import Context, Job, Progress, RankWork, default_context
from .device import DeviceArray
from .errors import (
    BadDataError, CannotCreateError, ConfigError, DeviceLostError, Error, InputOutputError,
    InternalError, LibraryError, NoDeviceError, NoInputError, OutOfMemoryError, StoppedError,
    SystemFailure, TooLargeError, UnreachableError, UsageError,
)
from .field import Field, load
from .live import Live, State
from .notebook import View
from .place import Place, PlaceLike

__version__ = "1.0.0-rc"


def version() -> str:
    """Version of the library that runs, with its revision."""
    return str(_loaded().version_text)


__all__ = [
    "Axes", "BadDataError", "CannotCreateError", "ConfigError", "Context", "DeviceArray",
    "DeviceLostError", "Entry", "Error", "Field", "Film", "Found", "Frame", "InputOutputError",
    "InternalError", "Job", "LibraryError", "Live", "NoDeviceError", "NoInputError", "Number",
    "Orbit", "OutOfMemoryError", "Piece", "Place", "PlaceLike", "Progress", "RankWork", "Saved",
    "State", "StoppedError", "SystemFailure", "TooLargeError", "UnreachableError", "UsageError",
    "Verification", "View", "default_context", "film", "find", "formulas", "list", "load", "orbit",
    "palettes", "plan", "program", "ray", "recolour", "render", "render_each", "render_files",
    "rows", "share", "submit", "tiles", "verify", "version", "views",
]
