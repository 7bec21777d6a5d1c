"""Fields: the numbers of a picture's pixels as arrays, with axes, colours and files."""

from __future__ import annotations

import ctypes
import json
import os
import tempfile
import threading
from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional, Tuple, Union

from ._library import ArrayStruct, Library, TYPES, library
from ._numbers import Number, number_text
from ._picture import Picture, World, settings_of
from .axes import Axes, axes_of
from .device import DeviceArray, device_struct, fetch, field_struct, is_device_array
from .errors import CannotCreateError, UsageError
from .place import Place, PlaceLike, picture_open

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Out = Mapping[str, Any]
"""Names of planes and the arrays that they are written to: of NumPy, or on a CUDA device."""


# ---- memory ----


class _Memory:
    """What a NumPy array is a view of, and what keeps the field alive as long as the array."""

    def __init__(self, owner: Any, array: ArrayStruct) -> None:
        item = int(TYPES[array.type][2])
        shape: Tuple[int, ...] = (array.height, array.width)
        strides: Tuple[int, ...] = (array.row_bytes, item * array.channels)
        if array.channels > 1:
            shape, strides = shape + (array.channels,), strides + (item,)
        self._owner = owner
        self.__array_interface__ = {
            "version": 3, "data": (array.data, True), "typestr": TYPES[array.type],
            "shape": shape, "strides": strides}


def array_view(owner: Any, array: ArrayStruct) -> "NDArray[Any]":
    """A read-only array over memory of the library, without a copy."""
    import numpy as np

    return np.asarray(_Memory(owner, array))


def array_struct(array: "NDArray[Any]", channels: int = 1) -> ArrayStruct:
    """Memory of an array of NumPy, [height][width] or [height][width][channels], as it is."""
    if not array.flags.writeable:
        raise UsageError("the array is read-only: it cannot take pixels")
    kind = array.dtype.str.replace("=", "<")
    if kind not in TYPES:
        raise UsageError(f"the array is of {array.dtype}: planes are uint32, uint64 or float32")
    if array.ndim != (2 if channels == 1 else 3):
        raise UsageError(f"the array has the shape {array.shape}, not (height, width)")
    packed = array.strides[1] == array.itemsize * channels and array.strides[0] >= 0
    if channels > 1:
        packed = packed and array.strides[2] == array.itemsize
    if not packed:
        raise UsageError("the pixels of a row of the array do not lie side by side")
    return ArrayStruct(
        size=ctypes.sizeof(ArrayStruct), data=array.ctypes.data, type=TYPES.index(kind), space=0,
        width=array.shape[1], height=array.shape[0], channels=channels, device=0,
        row_bytes=array.strides[0])


class Pixels:
    """A field of the library, and the arrays of the caller that it writes to."""

    def __init__(self, loaded: Optional[c_void_p] = None) -> None:
        self.library: Library = library()
        self.handle: Optional[c_void_p] = loaded
        self.placed: Dict[str, Any] = {}
        self.kept: Dict[str, Any] = {}  # what keeps memory of devices that is placed
        if loaded is None:
            self.handle = c_void_p()
            self.library.field_create(byref(self.handle))

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            self.library.field_destroy(handle)

    def place(self, out: Out, device: Optional[int] = None) -> None:
        """device: number of a CUDA device that all other planes are to lie on; -1: the first."""
        for plane, array in out.items():
            if hasattr(array, "__array_interface__"):
                struct = array_struct(array)
            elif is_device_array(array):
                struct, self.kept[plane] = device_struct(array)
            else:
                raise UsageError(f"out[{plane!r}] is no array of NumPy or of a CUDA device")
            self.library.field_place(self.handle, plane.encode(), byref(struct))
            self.placed[plane] = array
        if device is not None:
            self.library.field_place(self.handle, None, byref(field_struct(device)))

    def host(self, plane: str) -> "NDArray[Any]":
        """A plane in memory of the host: a view, or a copy of what lies on a device."""
        array = self.get(plane)
        return fetch(self, plane, array) if array.space else array_view(self, array)

    def get(self, plane: str) -> ArrayStruct:
        array = ArrayStruct(size=ctypes.sizeof(ArrayStruct))
        self.library.field_get(self.handle, plane.encode(), byref(array))
        return array

    def facts(self) -> Dict[str, Any]:
        text = c_void_p()
        self.library.field_facts(self.handle, byref(text))
        facts: Dict[str, Any] = json.loads(self.library.take(text))
        return facts


# ---- fields ----

_LONG_NAMES = {
    "count": "iterations until escape, 0 inside",
    "fraction": "fraction of the continuous iteration count",
    "distance_x": "distance from the set, to the right",
    "distance_y": "distance from the set, down",
    "distance": "estimated distance from the set",
    "phase": "argument of the last iterate",
    "stripe": "stripe average along the orbit",
    "triangle": "triangle inequality average along the orbit",
    "period": "length of the attracting cycle",
    "inside": "estimated distance to the boundary of the component",
}


class Field:
    """Planes of numbers, [height][width], the row at the top first.

    `field["count"]` and `field.count` are read-only views of the library's memory without a copy,
    which keep it as long as they live; planes of `out=` are the caller's arrays, and those of
    `device=` a `DeviceArray`, of which `host` makes arrays of NumPy. Fields do not change:
    `recolour` gives another one with the same numbers.
    """

    def __init__(self, pixels: Pixels, place: PlaceLike, settings: Mapping[str, str],
                 world: Optional[World] = None, picture: Optional[Picture] = None) -> None:
        self._pixels = pixels
        self._place, self._settings = place, dict(settings)
        self._world = world or World()
        self._picture = picture or picture_open(self._world, place, self._settings)
        self._lock = threading.Lock()
        self._facts = pixels.facts()
        self._axes: Optional[Axes] = None
        self._distance: Any = None
        self._names = tuple(row["name"] for row in self._facts["planes"])

    # ---- planes ----

    @property
    def planes(self) -> Tuple[str, ...]:
        """Names of the planes: `deepfield.list("planes")` says what each is."""
        return self._names

    @property
    def shape(self) -> Tuple[int, int]:
        """(height, width)"""
        _, _, width, height = self._facts["region"]
        return height, width

    @property
    def region(self) -> Tuple[int, int, int, int]:
        """(x, y, width, height) of the image that the field has; all of it without region=."""
        x, y, width, height = self._facts["region"]
        return x, y, width, height

    @property
    def slices(self) -> Tuple[slice, slice]:
        """Where it belongs in an array of the image: `whole[field.slices] = field.count`."""
        x, y, width, height = self.region
        return slice(y, y + height), slice(x, x + width)

    def __getitem__(self, plane: str) -> "NDArray[Any]":
        if plane in self._pixels.placed:
            return self._pixels.placed[plane]  # type: ignore[no-any-return]
        if plane == "distance" and "distance_x" in self._names:
            return self.distance
        if plane not in self._names and plane != "light":
            raise KeyError(self._missing(plane))
        try:
            array = self._pixels.get(plane)
        except UsageError:
            if plane != "light":
                raise
            raise KeyError("light: the field has no mean of samples; "
                           'render(..., samples="plan") computes it') from None
        if array.space:
            return DeviceArray(self._pixels, plane, array)  # type: ignore[return-value]
        return array_view(self._pixels, array)

    def _missing(self, plane: str) -> str:
        wanted = "distance" if plane.startswith("distance_") else plane
        return (f"{plane}: the field has {', '.join(self._names)}; "
                f"render(..., planes=[..., {wanted!r}]) computes it")

    def host(self, plane: str) -> "NDArray[Any]":
        """A plane as an array of NumPy: as `field[plane]`, or a copy where it lies on a device."""
        if plane == "distance":
            return self.distance
        if plane not in self._names and plane != "light":
            raise KeyError(self._missing(plane))
        return self._pixels.host(plane) if self._pixels.get(plane).space else self[plane]

    def __contains__(self, plane: object) -> bool:
        return plane in self._names or (plane == "distance" and "distance_x" in self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.__dict__.get("_names", ()):
            return self[name]
        raise AttributeError(
            self._missing(name) if name in _LONG_NAMES else f"the field has no {name!r}")

    def __dir__(self) -> Any:
        return sorted({*super().__dir__(), *self._names})

    @property
    def count(self) -> "NDArray[Any]":
        """Iterations until escape, 0 inside: uint32, or uint64 where the limit needs it."""
        return self["count"]

    @property
    def distance(self) -> "NDArray[np.float32]":
        """Length of (distance_x, distance_y) in pixels; computed at the first use."""
        if self._distance is None:
            import numpy as np

            self._distance = np.hypot(self.host("distance_x"), self.host("distance_y"))
            self._distance.flags.writeable = False
        return self._distance  # type: ignore[no-any-return]

    @property
    def light(self) -> "NDArray[np.float32]":
        """Mean colour of all samples, linear RGB, of a field that was rendered with samples."""
        return self["light"]

    @property
    def nu(self) -> "NDArray[np.float64]":
        """The continuous count, count + fraction; 0 inside."""
        count: NDArray[Any] = self.host("count")
        nu: NDArray[np.float64] = count + self.host("fraction").astype("f8")
        return nu

    # ---- where it is ----

    @property
    def attrs(self) -> Dict[str, Any]:
        """What the field says of itself: place, formula, limit, plan, seconds, version."""
        return dict(self._facts)

    @property
    def place(self) -> Place:
        """The place, with all keys that were set."""
        with self._lock:
            return Place._of(self._picture)

    @property
    def axes(self) -> Axes:
        """Points of the pixels."""
        if self._axes is None:
            self._axes = axes_of(self._facts)
        return self._axes

    def point(self, x: float, y: float) -> Tuple[str, str]:
        """The point under a position of the image, in pixels from its upper left corner (the first
        pixel's centre is 0.5, 0.5), as decimal texts that tell pixels apart at any depth."""
        with self._lock:
            return self._picture.point(x, y)

    def pixel(self, re: Number, im: Number) -> Tuple[float, float]:
        """The position of a point, which is a decimal text or a number of any length."""
        with self._lock:
            return self._picture.pixel(number_text(re), number_text(im))

    # ---- colours ----

    def _coloured(self, look: Dict[str, Any]) -> Picture:
        keys = dict(look.pop("keys", None) or {})
        settings = {**self._settings, **settings_of(**look), **keys}
        if settings == self._settings:
            return self._picture
        if self._place is None:  # of a file
            return Picture(self._world, self._picture.text(".ini")).update(settings)
        return picture_open(self._world, self._place, settings)

    def image(self, dtype: Any = "uint8", *, palette: Optional[str] = None, alpha: bool = False,
              **look: Any) -> "NDArray[Any]":
        """Colours, [height][width][3], or 4 with alpha: uint8 and uint16 are sRGB, float32 is
        linear light. `palette` and other keys of [look] serve for this image alone."""
        import numpy as np

        height, width = self.shape
        channels = 4 if alpha else 3
        image = np.empty((height, width, channels), np.dtype(dtype))
        if image.dtype not in (np.uint8, np.uint16, np.float32):
            raise UsageError(f"colours are uint8, uint16 or float32, not {image.dtype}")
        struct = array_struct(image, channels)
        with self._lock:
            picture = self._coloured({"palette": palette, **look})
            self._pixels.library.field_colour(self._pixels.handle, picture.handle, byref(struct))
        return image

    def recolour(self, palette: Optional[str] = None, **look: Any) -> "Field":
        """A field of the same numbers with other colours: `field.recolour("ocean", relief=0.4)`."""
        with self._lock:
            keys = dict(look.pop("keys", None) or {})
            settings = {**self._settings, **settings_of(palette=palette, **look), **keys}
            place = self._place
            if place is None:
                place = self._picture.text(".ini")
        return Field(self._pixels, place, settings)

    def save(self, path: "Union[str, os.PathLike[str]]", replace: bool = False,
             **look: Any) -> None:
        """Writes a file of the kind that its suffix names, whole or not at all: .png, .tif, .jpg,
        .exr, .npy and others (`deepfield.list("files")`), with the place inside."""
        if not replace and os.path.exists(path):
            raise CannotCreateError(f"{os.fspath(path)} exists; replace=True replaces it")
        with self._lock:
            picture = self._coloured(look)
            self._pixels.library.field_save(
                self._pixels.handle, picture.handle, os.fsencode(path), int(replace))

    # ---- for others ----

    def to_xarray(self) -> Any:
        """A Dataset of all planes: dimensions y and x, coordinates, units, attributes."""
        from .xarray import dataset

        return dataset(self)

    def __reduce__(self) -> Any:
        """Fields are pickled as the files that `save` writes and `load` reads."""
        if (self._facts.get("samples") or 1) > 1:  # files of numbers have no mean of samples
            raise TypeError("a field with samples cannot be pickled: send field.image() or its "
                            "planes")
        with tempfile.TemporaryDirectory(prefix="deepfield-") as folder:
            self.save(os.path.join(folder, "field.npy"))
            files = {}
            for name in os.listdir(folder):
                with open(os.path.join(folder, name), "rb") as file:
                    files[name] = file.read()
        return _of_files, (files,)

    def _repr_png_(self) -> bytes:
        from .png import thumbnail

        return thumbnail(self)

    def _repr_html_(self) -> str:
        from .png import html

        return html(self)

    def __repr__(self) -> str:
        height, width = self.shape
        where = ", ".join(f"{key} {_short(self._facts[key])}" for key in ("re", "im", "zoom"))
        return f"<deepfield.Field {width}x{height}: {', '.join(self._names)}; {where}>"


def _short(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[:most - 3] + "..."


def load(path: "Union[str, os.PathLike[str]]") -> Field:
    """A field that was saved with its numbers: .npy with its .planes.json, .exr."""
    world = World()
    field, picture = c_void_p(), c_void_p()
    world.library.field_load(byref(field), byref(picture), world.handle, os.fsencode(path))
    return Field(Pixels(field), None, {}, world, Picture(world, handle=picture))


def _of_files(files: Dict[str, bytes]) -> Field:
    """A field that was pickled."""
    with tempfile.TemporaryDirectory(prefix="deepfield-") as folder:
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        return load(os.path.join(folder, "field.npy"))
