"""Pictures of the library, and a world of one process that serves what computes nothing."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import byref, c_char_p, c_double, c_void_p
from operator import index
from typing import Any, Dict, Mapping, Optional, Tuple

from ._library import LOG, WorldOptions, data_folder, library
from .errors import Error, UsageError


def log_drop(_user: Any, _sentence: Optional[bytes]) -> None:
    """Takes what nobody is to hear."""


def log_tell(_user: Any, sentence: Optional[bytes]) -> None:
    """Gives a sentence of the library to the logger "deepfield"."""
    import logging

    try:
        logging.getLogger("deepfield").info("%s", (sentence or b"").decode(errors="replace"))
    except Exception:  # noqa: BLE001: nothing may pass through C
        pass


class World:
    """A world of the library. Used by one thread at a time."""

    def __init__(self, communicator: Optional[int] = None, data: Optional[str] = None,
                 tell: bool = True) -> None:
        self.library = library()
        self._log = LOG(log_tell if tell else log_drop)
        folder = data if data is not None else data_folder()
        options = WorldOptions(
            size=ctypes.sizeof(WorldOptions), communicator=communicator,
            data=os.fsencode(folder) if folder else None, log=self._log, user=None)
        self.handle: Optional[c_void_p] = c_void_p()
        self.library.world_open(byref(self.handle), byref(options))

    def close(self) -> None:
        handle, self.handle = self.handle, None
        if handle:
            self.library.world_close(handle)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.close()

    def list(self, kind: str) -> Any:
        text = c_void_p()
        try:
            self.library.list(self.handle, kind.encode(), byref(text))
        except Error:
            self.library.take(text)
            raise
        return json.loads(self.library.take(text))


class Picture:
    """What is computed, and its colours. Used by one thread at a time."""

    def __init__(self, world: World, place: Optional[str] = None, *,
                 handle: Optional[c_void_p] = None) -> None:
        self.world = world
        self.library = world.library
        self.handle: Optional[c_void_p] = handle
        if handle is None:
            self.handle = c_void_p()
            self.library.picture_open(
                byref(self.handle), world.handle, None if place is None else place.encode())

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", None), None
        if handle and self.world.handle:
            self.library.picture_destroy(handle)

    def set(self, key: str, value: str) -> None:
        self.library.picture_set(self.handle, key.encode(), value.encode())

    def update(self, settings: Mapping[str, str]) -> "Picture":
        for key, value in settings.items():
            self.set(key, value)
        return self

    def get(self, key: str) -> Optional[str]:
        value = c_char_p()
        self.library.picture_get(self.handle, key.encode(), byref(value))
        return None if value.value is None else value.value.decode(errors="replace")

    def text(self, format: str) -> str:
        text = c_void_p()
        self.library.picture_text(self.handle, format.encode(), byref(text))
        return self.library.take(text)

    def info(self) -> Dict[str, Any]:
        text = c_void_p()
        self.library.picture_info(self.handle, byref(text))
        facts: Dict[str, Any] = json.loads(self.library.take(text))
        return facts

    def point(self, x: float, y: float) -> Tuple[str, str]:
        re, im = c_void_p(), c_void_p()
        self.library.picture_point(self.handle, x, y, byref(re), byref(im))
        return self.library.take(re), self.library.take(im)

    def pixel(self, re: str, im: str) -> Tuple[float, float]:
        x, y = c_double(), c_double()
        self.library.picture_pixel(self.handle, re.encode(), im.encode(), byref(x), byref(y))
        return x.value, y.value


# ---- what Python says as keys of ini files ----


def value_text(value: Any) -> str:
    """A value of a key as ini files write it."""
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return ",".join(value_text(part) for part in value)
    if isinstance(value, str):
        return value
    from ._numbers import number_text

    if isinstance(value, complex):  # of NumPy, too, whose parts print as np.float64(...)
        return f"{number_text(value.real)},{number_text(value.imag)}"
    return number_text(value)


def size_text(size: Any) -> str:
    """(1920, 1080), 512 (a square), or a name such as "4k"."""
    if isinstance(size, str):
        return size
    try:
        if hasattr(size, "__index__") and not hasattr(size, "__len__"):
            return f"{index(size)}x{index(size)}"
        width, height = size
        return f"{int(width)}x{int(height)}"
    except (TypeError, ValueError):
        raise UsageError(f"size={size!r}: a size is (width, height), the side of a square, or a "
                         'name such as "4k"') from None


def region_text(region: Any) -> str:
    """(x, y, width, height) in pixels, or "X,Y,WxH"."""
    if isinstance(region, str):
        return region
    try:
        x, y, width, height = (index(part) for part in region)
    except (TypeError, ValueError):
        raise UsageError(f"region={region!r}: a region is (x, y, width, height) in whole pixels"
                         ) from None
    return f"{x},{y},{width}x{height}"


def planes_text(planes: Any) -> str:
    """Names in a sequence, or in a text with commas or spaces between them."""
    names = planes.replace(",", " ").split() if isinstance(planes, str) else planes
    return ",".join(dict.fromkeys(
        "distance" if name in ("distance_x", "distance_y") else name for name in names))


def settings_of(**values: Any) -> Dict[str, str]:
    """Keys and their texts; None leaves a key as the place has it."""
    found: Dict[str, str] = {}
    for name, value in values.items():
        if value is None:
            continue
        key = SHORT.get(name)
        if key is None:
            raise TypeError(_unknown(name))
        found[key] = _TEXTS.get(name, value_text)(value)
    return found


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = [_ELSEWHERE[name]] if name in _ELSEWHERE else get_close_matches(name, SHORT, 1)
    return f"unexpected keyword argument {name!r}; " + (
        f"did you mean {near[0]!r}?" if near else
        'keys={"view.bailout": 4} sets any key that deepfield.list("keys") has')


_ELSEWHERE = {  # words of other programs
    "iterations": "limit", "max_iter": "limit", "maxiter": "limit", "width": "size",
    "height": "size", "shape": "size", "cmap": "palette", "colormap": "palette"}
_TEXTS = {"size": size_text, "region": region_text, "planes": planes_text}


# Keyword arguments and the keys that they set.
SHORT = {
    "re": "view.re",
    "im": "view.im",
    "zoom": "view.zoom",
    "rotation": "view.rotation",
    "size": "view.size",
    "region": "view.region",
    "limit": "view.limit",
    "bailout": "view.bailout",
    "formula": "view.formula",
    "julia": "view.julia",
    "mirror": "view.mirror",
    "stretch": "view.stretch",
    "stripes": "view.stripes",
    "trap": "view.trap",
    "trap_radius": "view.trap_radius",
    "planes": "output.planes",
    "bits": "output.bits",
    "quality": "output.quality",
    "overviews": "output.overviews",
    "journal": "output.journal",
    "part": "output.part",
    "writers": "output.writers",
    "accuracy": "compute.accuracy",
    "precision": "compute.precision",
    "schedule": "compute.schedule",
    "transport": "compute.transport",
    "tile": "compute.tile",
    "memory": "compute.memory",
    "orbit_cache": "compute.orbit_cache",
    "palette": "look.palette",
    "density": "look.density",
    "runs": "look.runs",
    "contrast": "look.contrast",
    "offset": "look.offset",
    "relief": "look.relief",
    "light": "look.light",
    "lines": "look.lines",
    "interior": "look.interior",
    "by": "look.by",
    "by_runs": "look.by_runs",
    "layer": "look.layer",
    "layer_by": "look.layer_by",
    "samples": "look.samples",
    "seconds": "film.seconds",
    "fps": "film.fps",
    "path": "film.path",
    "tour": "film.tour",
    "autopilot": "film.autopilot",
    "method": "film.method",
    "chroma": "film.chroma",
    "effort": "film.effort",
    "flash_safe": "film.flash_safe",
    "box": "find.box",
    "misiurewicz": "find.misiurewicz",
    "period": "find.period",
    "preperiod": "find.preperiod",
    "embedded": "find.embedded",
    "seed": "verify.seed",
}
