"""Places: a centre with any number of digits, a zoom, and what else a view says."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields
from typing import Any, Dict, Mapping, Optional, Tuple, Union

from ._numbers import Number, number_decimal, number_text
from ._picture import Picture, World, settings_of, size_text, value_text

PlaceLike = Union[None, str, "os.PathLike[str]", "Place"]
"""A `Place`, the name of a view, the path of a file, or the text of one (it has a newline)."""

_EMPTY = "[view]\nre = 0\nim = 0\nzoom = 1\n"
_HOMED = ("view.formula", "view.julia")
_OWN = ("view.re", "view.im", "view.zoom", "view.rotation")


@dataclass(frozen=True)
class Place:
    """Where a picture is. The numbers are decimal texts of any length, whatever they are made from.

    `keys` are further keys of ini files with their texts, such as ("view.limit", "20000") and
    ("look.palette", "ocean"); a mapping is taken, too. Places are hashed, compared and pickled by
    their texts, and change by `replace` alone.
    """

    re: str
    im: str
    zoom: str = "1"
    rotation: str = "0"
    keys: Tuple[Tuple[str, str], ...] = field(default=())

    def __init__(self, re: Number, im: Number, zoom: Number = 1, rotation: Number = 0, *,
                 keys: Union[Mapping[str, Any], Tuple[Tuple[str, str], ...]] = (),
                 **settings: Any) -> None:
        for name, value in (("re", re), ("im", im), ("zoom", zoom), ("rotation", rotation)):
            object.__setattr__(self, name, number_text(value))
        merged: Dict[str, str] = {key: value_text(value) for key, value in dict(keys).items()}
        merged.update(settings_of(**settings))
        object.__setattr__(self, "keys", tuple(sorted(merged.items())))

    def replace(self, **changes: Any) -> "Place":
        """Another place, with these members or settings changed: `place.replace(zoom="1e40")`."""
        values: Dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self)}
        keys = dict(values.pop("keys"))
        keys.update(dict(changes.pop("keys", ())))
        values.update(changes)
        return Place(keys=keys, **values)

    def zoomed(self, factor: Number) -> "Place":
        """The same centre, `factor` times as large."""
        from decimal import Context

        context = Context(prec=40, Emin=-10**9, Emax=10**9)
        product = context.multiply(number_decimal(self.zoom), number_decimal(number_text(factor)))
        return self.replace(zoom=product.normalize(context))

    # ---- texts and files ----

    @classmethod
    def open(cls, place: PlaceLike, *, data: Optional[str] = None) -> "Place":
        """The place that a name, the path of a file of any format, or a text says."""
        if isinstance(place, Place):
            return place
        return cls._of(Picture(World(data=data), _open_text(place)))

    @classmethod
    def parse(cls, text: str) -> "Place":
        """The place of a text: an ini file, a .kfr, a .toml, "re im zoom", and others."""
        return cls.open(text if "\n" in text else text + "\n")

    def text(self, format: str = ".ini", *, size: Any = None) -> str:
        """The place as the text of a file: ".ini", ".kfr" or ".toml"."""
        picture = self._picture(World())
        if size is not None:
            picture.set("view.size", size_text(size))
        return picture.text(format)

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes `text()` into a file, whose suffix says the format."""
        text = self.text(os.path.splitext(os.fspath(path))[1] or ".ini")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    # ---- points ----

    def point(self, x: float, y: float, size: Any = None) -> Tuple[str, str]:
        """The point under a position of an image of this size (1920x1080 if the place has none),
        in pixels from its upper left corner (the first pixel's centre is 0.5, 0.5), as decimal
        texts."""
        return self._sized(size).point(x, y)

    def pixel(self, re: Number, im: Number, size: Any = None) -> Tuple[float, float]:
        """The position of a point; infinite where it is too far away for a float."""
        return self._sized(size).pixel(number_text(re), number_text(im))

    # ---- what is known ----

    def info(self, size: Any = None) -> Dict[str, Any]:
        """What `deepfield info --json` prints: depth, digits that are needed, cost of a reference
        orbit, predicted errors, plan. Computes nothing and opens no device."""
        facts: Dict[str, Any] = self._sized(size).info()
        return facts

    # ---- for the package ----

    def _sized(self, size: Any) -> Picture:
        picture = self._picture(World())
        if size is not None:
            picture.set("view.size", size_text(size))
        return picture

    def _picture(self, world: World) -> Picture:
        picture = Picture(world, _EMPTY)
        for key, value in zip(_OWN, (self.re, self.im, self.zoom, self.rotation)):
            picture.set(key, value)
        return picture.update(dict(self.keys))

    @classmethod
    def _of(cls, picture: Picture) -> "Place":
        keys = {}
        for key, plain in _plain(picture.world).items():
            value = picture.get(key)
            if value is not None and value != plain:
                keys[key] = value
        numbers = [picture.get(key) for key in _OWN]
        if None in numbers[:3]:  # a formula without a place shows all of itself
            settled = Picture(picture.world, picture.text(".ini"))
            numbers = [settled.get(key) for key in _OWN]
        re, im, zoom, rotation = (number or "0" for number in numbers)
        return cls(re, im, zoom, rotation, keys=keys)


_plain_values: Dict[str, Optional[str]] = {}


def _plain(world: World) -> Dict[str, Optional[str]]:
    """Keys that a place may have beside its numbers, and what they are where nothing is said."""
    if not _plain_values:
        empty = Picture(world, _EMPTY)
        names = [row["name"] for row in world.list("keys")]
        _plain_values.update({
            key: empty.get(key) for key in names
            if key.split(".")[0] in ("view", "look", "film") and key not in _OWN})
    return _plain_values


def _open_text(place: "Union[None, str, os.PathLike[str]]") -> Optional[str]:
    if place is None or isinstance(place, (str, os.PathLike)):
        return None if place is None else os.fspath(place)
    raise TypeError(f"{type(place).__name__} is no place: a place is a Place, the name of a view, "
                    "the path of a file, or the text of one; re=, im= and zoom= say numbers")


def picture_open(world: World, place: PlaceLike, settings: Mapping[str, str]) -> Picture:
    """A picture of a place with further settings."""
    if isinstance(place, Place):
        return place._picture(world).update(settings)
    text = _open_text(place)
    if text is None and not settings.keys().isdisjoint(_OWN):  # a place in words, as of Place
        text = _EMPTY
    elif text is None and not settings.keys().isdisjoint(_HOMED):  # all of that formula or set
        text = "[view]\n" + "".join(
            f"{key[5:]} = {settings[key]}\n" for key in _HOMED if key in settings)
    return Picture(world, text).update(settings)
