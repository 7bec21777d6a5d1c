"""The finder, the proofs, plans, and lists of what there is."""

from __future__ import annotations

import ctypes
import json
import math
import os
from ctypes import byref, c_char_p, c_int32, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple, Union

from ._library import ORBIT_POINTS, RAY_POINTS, OrbitStruct
from ._picture import World, settings_of, value_text
from .context import Context, ProgressLike, default_context
from .errors import InternalError
from .place import Place, PlaceLike, picture_open

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Path = Union[str, "os.PathLike[str]"]

# ---- lists ----


class Entry(str):
    """A name with a sentence about it; `facts` has all that the library says of it."""

    facts: Dict[str, Any]

    def __new__(cls, facts: Dict[str, Any]) -> "Entry":
        entry = super().__new__(cls, facts["name"])
        entry.facts = facts
        return entry

    @property
    def summary(self) -> str:
        return str(self.facts.get("summary") or "")


def list_of(kind: str, data: Optional[str] = None) -> List[Entry]:
    """Names of "views", "palettes", "formulas", "planes", "keys", "files" (kinds of picture files),
    "films", "places" (formats of places), "backends", "machine", "transports" or "schedules"."""
    return [Entry(row) for row in World(data=data).list(kind)]


def views() -> List[Entry]:
    """Views that come with deepfield."""
    return list_of("views")


def palettes() -> List[Entry]:
    """Palettes that come with deepfield."""
    return list_of("palettes")


def formulas() -> List[Entry]:
    """Formulas by name."""
    return list_of("formulas")


# ---- stored fields ----


def recolour(field: Path, *files: Path, replace: bool = False, palette: Optional[str] = None,
             context: Optional[Context] = None, keys: Optional[Mapping[str, Any]] = None,
             **settings: Any) -> None:
    """Colours a field that was saved with its numbers (.exr, .npy) anew, into files of the kinds
    that their suffixes name: row by row, so that it may be larger than memory. The look is that of
    the field's own view, with these settings over it. All files appear, or none.
    """
    context = context or default_context()
    context._check_open()
    look = _settings(keys, dict(settings, palette=palette))
    paths = (c_char_p * len(files))(*[os.fsencode(file) for file in files])
    chosen = context

    def run() -> None:
        world = chosen._world
        assert world is not None
        picture = picture_open(world, None, look)
        world.library.recolour(chosen._renderer, os.fsencode(field), picture.handle, paths,
                               len(files), int(replace))

    context._run(run, None)


# ---- calls of a renderer ----


def _call(function: str, place: PlaceLike, settings: Dict[str, str], context: Optional[Context],
          progress: ProgressLike, picture_first: bool, *arguments: Any) -> Dict[str, Any]:
    context = context or default_context()
    context._check_open()
    chosen = context

    def run() -> Dict[str, Any]:
        world = chosen._world
        assert world is not None
        picture = picture_open(world, place, settings)
        handles = [chosen._renderer, picture.handle]
        text = c_void_p()
        call = getattr(world.library, function)
        try:
            call(*(handles[::-1] if picture_first else handles), *arguments, byref(text))
        except InternalError as error:
            found = world.library.take(text)
            if found:
                error.facts = json.loads(found)  # type: ignore[attr-defined]
            raise
        facts: Dict[str, Any] = json.loads(world.library.take(text))
        return facts

    return context._run(run, progress)


def _settings(keys: Optional[Mapping[str, Any]], values: Dict[str, Any]) -> Dict[str, str]:
    settings = settings_of(**values)
    settings.update({key: value_text(value) for key, value in (keys or {}).items()})
    return settings


def plan(place: PlaceLike = None, *, context: Optional[Context] = None,
         keys: Optional[Mapping[str, Any]] = None, **settings: Any) -> Dict[str, Any]:
    """How a picture would be computed. Computes nothing.

    Place, size, limit and samples; and in ["plan"] the method, number type, predicted error in
    pixels ("error_px"), tiles, and bytes of memory ("frame_bytes", "worker_bytes" and others).
    """
    return _call("picture_plan", place, _settings(keys, settings), context, None, True)


@dataclass(frozen=True)
class Found:
    """A nucleus of a minibrot, or a Misiurewicz point."""

    kind: str
    period: int
    preperiod: int
    re: str
    im: str
    proven: bool
    log10_size: Optional[float]
    place: Place
    """The view that shows it."""
    facts: Dict[str, Any]

    @property
    def size(self) -> float:
        """Size of the component against that of the whole set; 0 below the smallest float."""
        if self.log10_size is None:
            return math.nan
        return float(10.0 ** self.log10_size) if self.log10_size > -320 else 0.0


def find(place: PlaceLike = None, *, period: Optional[int] = None,
         box: Optional[Tuple[float, float, float, float]] = None, misiurewicz: bool = False,
         preperiod: Optional[int] = None, embedded: Optional[int] = None,
         context: Optional[Context] = None, progress: ProgressLike = None,
         keys: Optional[Mapping[str, Any]] = None, **settings: Any) -> Found:
    """The nucleus of the lowest period in a picture, by the ball method and Newton's method at the
    precision that it needs, with a proof of its period.

    box: (x, y, width, height) of the picture in pixels. misiurewicz: a Misiurewicz point instead.
    """
    values: Dict[str, Any] = dict(settings, period=period, preperiod=preperiod, embedded=embedded)
    if misiurewicz:
        values["misiurewicz"] = True
    if box is not None:
        x, y, width, height = box
        values["box"] = f"{x:g},{y:g},{width:g}x{height:g}"
    facts = _call("find", place, _settings(keys, values), context, progress, False)
    view = dict(facts["view"])
    shown = Place(view.pop("view.re"), view.pop("view.im"), view.pop("view.zoom"),
                  view.pop("view.rotation", None) or 0, keys=view)
    return Found(facts["kind"], facts["period"], facts.get("preperiod") or 0, facts["re"],
                 facts["im"], bool(facts["proven"]), facts.get("log10_size"), shown, facts)


@dataclass(frozen=True)
class Verification:
    """Counts of a picture against counts that are proven at full precision."""

    verdict: str
    """"right"; "rounded" or "noise": some or most counts differ, as many as rounding explains."""
    pixels: int
    proven: int
    """Pixels whose count is proven; only these are compared."""
    matches: int
    mismatches: int
    predicted: Optional[float]
    """Mismatches that the rounding errors explain."""
    facts: Dict[str, Any]


def verify(place: PlaceLike = None, *, pixels: int = 256, context: Optional[Context] = None,
           progress: ProgressLike = None, keys: Optional[Mapping[str, Any]] = None,
           **settings: Any) -> Verification:
    """Computes a picture and compares counts of `pixels` of its pixels with proven ones.
    `InternalError` for counts that rounding does not explain; its `facts` say which. `facts` has
    what `deepfield verify --json` prints: "list" of the mismatches, "moved_px", "seconds"."""
    facts = _call("verify", place, _settings(keys, settings), context, progress, False, pixels)
    return Verification(facts["verdict"], facts["pixels"], facts["proven"], facts["matches"],
                        facts["mismatches"], facts.get("predicted"), facts)


# ---- orbits ----


@dataclass(frozen=True)
class Orbit:
    """The orbit of a point of z^2 + c."""

    points: "NDArray[np.float64]"
    """z_0, z_1, ...: [count][2], (re, im)."""
    escape: int
    """n with |z_n|^2 > 8; 0: none in so many steps."""
    period: int
    """Of the cycle that it comes to; 0: none was found."""
    multiplier: float
    log2_potential: float
    ray: "NDArray[np.float64]"
    """The external ray through the point, outwards: [count][2]; empty where it is not known."""
    ray_turn: float
    """Its angle in turns."""


def orbit(place: PlaceLike, x: float, y: float, *, keys: Optional[Mapping[str, Any]] = None,
          **settings: Any) -> Orbit:
    """The orbit of the point under a position of a picture, in pixels, with as many digits as its
    view has: at most 10,001 points, with its cycle or escape, and its external ray."""
    import numpy as np

    world = World()
    picture = picture_open(world, place, _settings(keys, settings))
    points, ray = np.zeros((ORBIT_POINTS, 2)), np.zeros((RAY_POINTS, 2))
    struct = OrbitStruct(size=ctypes.sizeof(OrbitStruct), points=points.ctypes.data,
                         ray=ray.ctypes.data, points_most=ORBIT_POINTS, ray_most=RAY_POINTS)
    world.library.picture_orbit(picture.handle, x, y, byref(struct))
    return Orbit(points[:struct.count], struct.escape, struct.period, struct.multiplier,
                 struct.log2_potential, ray[:struct.ray_count], struct.ray_turn)


def ray(numerator: int, denominator: int) -> "NDArray[np.float64]":
    """The external ray of the Mandelbrot set at a part of a turn, from outside in: [count][2]."""
    import numpy as np

    points, count = np.zeros((RAY_POINTS, 2)), c_int32()
    World().library.ray(numerator, denominator, points.ctypes.data, RAY_POINTS, byref(count))
    return points[:count.value]
