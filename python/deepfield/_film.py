"""Films: frames one by one, and films into files."""

from __future__ import annotations

import ctypes
import json
import operator
import os
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional, Tuple

from ._files import Path, Saved
from ._library import FilmOptions
from ._picture import Picture
from ._render import Planes, Samples, Size, request_of
from .context import Context, ProgressLike, default_context
from .field import Field, Pixels
from .place import Place, PlaceLike, picture_open

_OF_THE_PATH = ("view.re", "view.im", "view.zoom", "view.rotation")


@dataclass(frozen=True)
class Frame:
    """A frame of a film."""

    index: int
    seconds: float
    field: Field


class Film:
    """The frames of a film, as an iterator with a length: `film[i]` renders one. `save` makes a
    video of them, or a file of each."""

    def __init__(self, first: PlaceLike, last: PlaceLike, context: Context, planes: Planes,
                 samples: Samples, progress: ProgressLike, device: Optional[int],
                 settings: Dict[str, Any], keys: Optional[Mapping[str, Any]]) -> None:
        self._context, self._progress, self._device = context, progress, device
        self._request = request_of(last, planes, samples, None, keys, settings)
        self._centres = samples is None  # of frames alone: a film in a file has samples
        self._first = first
        self._handle: Optional[c_void_p] = None
        self._frames = 0
        self._fps = 0.0
        context._run(self._open)

    def _open(self) -> None:
        world = self._context._world
        assert world is not None
        shared = dict(self._request.settings)
        if self._centres:
            del shared["look.samples"]
        last = picture_open(world, self._request.place, shared)
        first = None if self._first is None else picture_open(world, self._first, shared)
        self._handle = c_void_p()
        self._world = world
        world.library.film_open(
            byref(self._handle), None if first is None else first.handle, last.handle)
        self._frames = int(world.library.film_frames(self._handle))
        self._fps = _rate(last.get("film.fps") or "60")

    # ---- frames ----

    def _render(self, index: int) -> Tuple[Pixels, Place]:
        world = self._context._world
        assert world is not None
        handle, pixels = c_void_p(), Pixels()
        world.library.film_picture(self._handle, index, byref(handle))
        picture = Picture(world, handle=handle)
        if self._centres:
            picture.set("look.samples", "1")
        pixels.place({}, self._device)
        world.library.render(
            self._context._renderer, picture.handle, self._request.wish, pixels.handle)
        return pixels, Place._of(picture)

    def __len__(self) -> int:
        return self._frames

    def __getitem__(self, index: int) -> Frame:
        index = operator.index(index)
        if not -self._frames <= index < self._frames:
            raise IndexError(f"frame {index}: the film has {self._frames}")
        index %= self._frames
        self._context._check_open()
        pixels, place = self._context._run(lambda: self._render(index), self._progress)
        settings = {key: value for key, value in self._request.settings.items()
                    if key not in _OF_THE_PATH}
        return Frame(index, index / self._fps, Field(pixels, place, settings))

    def __repr__(self) -> str:
        return f"<deepfield.Film of {self._frames} frames, {self._fps:g} each second>"

    def __iter__(self) -> Iterator[Frame]:
        for index in range(self._frames):
            yield self[index]

    # ---- files ----

    def save(self, path: Path, *, replace: bool = False,
             progress: ProgressLike = None) -> Saved:
        """Makes a video (.mp4, .webm, .mkv, .y4m), or a picture of each frame ("frame-%05d.png").

        Interrupted, by an exception of `progress`, Ctrl-C or a kill, the same call goes on from what
        is there. A film with part="2/3" makes one of three parts, in as many processes as you like;
        the call of one without it joins them. Frames have 4 samples a pixel, unless the film was
        made with another number. `facts` are what `deepfield film --json` says.
        """
        facts = self._call(path, progress or self._progress, replace=replace)
        complete = bool(facts["complete"])
        return Saved(tuple(facts["files"]) if complete else (),
                     complete and not facts["frames_made"], facts["seconds"]["total"], facts)

    def plan(self, path: Path) -> Dict[str, Any]:
        """What `save` would make: frames, depth, method, memory, bytes of the file."""
        return self._call(path, None, plan=True)

    def estimate(self, path: Path) -> Dict[str, Any]:
        """How long `save` would take: `["estimate"]` has "seconds_least" and "seconds_most"."""
        return self._call(path, None, dry_run=True)

    def _call(self, path: Path, progress: ProgressLike, replace: bool = False, plan: bool = False,
              dry_run: bool = False) -> Dict[str, Any]:
        name = os.fsencode(path)
        options = FilmOptions(ctypes.sizeof(FilmOptions), replace, plan, dry_run)
        self._context._check_open()

        def call() -> Dict[str, Any]:
            text, library = c_void_p(), self._world.library
            try:
                library.film_save(
                    self._context._renderer, self._handle, name, byref(options), byref(text))
            except BaseException:
                library.take(text)
                raise
            return dict(json.loads(library.take(text)))

        return self._context._run(call, progress)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and self._world.handle:
            self._world.library.film_destroy(handle)


def _rate(text: str) -> float:
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)


def film(to: PlaceLike = None, start: PlaceLike = None, *, seconds: Optional[float] = None,
         fps: Optional[float] = None, size: Size = None, planes: Planes = None,
         samples: Samples = None, context: Optional[Context] = None,
         progress: ProgressLike = None, keys: Optional[Mapping[str, Any]] = None,
         device: Optional[int] = None, **settings: Any) -> Film:
    """A film into a place: into a file, or its frames one after the other, each a field with its
    picture:

        deepfield.film("seahorse-deep", seconds=10).save("flight.mp4")
        for frame in deepfield.film("seahorse-deep", seconds=10, fps=25, size="720p"):
            writer.append_data(frame.field.image())

    start: where it begins. None: what the keys of the place say: the same centre at the zoom
    `film.from` (1), keyframes (path="flight.ini"), the autopilot (autopilot=SEED) or a tour
    (tour="journey"), which need no place.
    method ("frames", "keyframes"), chroma, effort, flash_safe, part: as the options of
    `deepfield film`, for `Film.save`.
    device: as that of `render`, of the frames' planes.
    """
    values = dict(settings, seconds=seconds, fps=fps, size=size)
    return Film(start, to, context or default_context(), planes, samples, progress, device, values,
                keys)
