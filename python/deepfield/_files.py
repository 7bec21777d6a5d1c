"""Pictures that go into files row by row as they are computed, of any size, one or many."""

from __future__ import annotations

import ctypes
import json
import os
from collections import deque
from ctypes import byref, c_char_p, c_void_p
from dataclasses import dataclass
from typing import Any, Deque, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union

from ._library import OutputOptions
from ._picture import settings_of, value_text
from .context import Context, ProgressLike, default_context
from .errors import UsageError
from .place import PlaceLike, picture_open

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]


@dataclass(frozen=True)
class Saved:
    """Files of a picture that was computed into them."""

    files: Tuple[str, ...]
    """All files, those that a kind has several of, too."""
    already_complete: bool
    """They were there before, of the same picture."""
    seconds: Optional[float]
    """From `render_files` to the names of the files; None: nothing was computed."""
    facts: Dict[str, Any]
    """What `deepfield render --json` says: plan, seconds, checksums, iterations, ranks."""


@dataclass(frozen=True)
class _Request:
    place: PlaceLike
    paths: Tuple[str, ...]
    settings: Dict[str, str]
    options: Tuple[bool, bool, bool]  # replace, dry_run, survey


def _names(paths: Paths) -> Tuple[str, ...]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    return tuple(os.fspath(path) for path in several)


class _Output:
    """A picture on its way, on the thread of its context."""

    def __init__(self, context: Context, request: _Request) -> None:
        world = context._world
        assert world is not None
        self.world, self.context = world, context
        self.handle: Optional[c_void_p] = c_void_p()
        picture = picture_open(world, request.place, request.settings)
        count = len(request.paths)
        names = (c_char_p * count)(*(os.fsencode(path) for path in request.paths))
        replace, dry_run, survey = request.options
        options = OutputOptions(ctypes.sizeof(OutputOptions), replace, dry_run, survey)
        world.library.output_open(
            byref(self.handle), context._renderer, picture.handle, names, count, byref(options))
        context._outputs.add(self)

    def render(self) -> None:
        self.world.library.output_render(self.handle)

    def close(self) -> Saved:
        handle, self.handle = self.handle, None
        self.context._outputs.discard(self)
        text = c_void_p()
        try:
            self.world.library.output_close(handle, byref(text))
        except BaseException:
            self.world.library.take(text)
            raise
        facts: Dict[str, Any] = json.loads(self.world.library.take(text))
        seconds = facts.get("seconds") or {}
        return Saved(tuple(facts["files"]), bool(facts["already_complete"]), seconds.get("total"),
                     facts)

    def drop(self) -> None:
        """Ends it whatever came of it."""
        handle, self.handle = self.handle, None
        self.context._outputs.discard(self)
        if handle:
            try:
                self.world.library.output_close(handle, None)
            except Exception:  # noqa: BLE001: another failure is on its way
                pass


def _request(place: PlaceLike, paths: Paths, replace: bool, dry_run: bool, survey: bool,
             keys: Optional[Mapping[str, Any]], values: Dict[str, Any]) -> _Request:
    settings = settings_of(**values)
    settings.update({key: value_text(value) for key, value in (keys or {}).items()})
    return _Request(place, _names(paths), settings, (replace, dry_run, survey))


def _whole(context: Context, request: _Request) -> Saved:
    output = _Output(context, request)
    try:
        output.render()
        return output.close()
    finally:
        output.drop()


def render_files(place: PlaceLike, paths: Paths, *, replace: bool = False, dry_run: bool = False,
                 survey: bool = False, context: Optional[Context] = None,
                 progress: ProgressLike = None, keys: Optional[Mapping[str, Any]] = None,
                 **settings: Any) -> Saved:
    """Computes a picture into files that grow row by row, so that it may be larger than memory.

        deepfield.render_files("seahorse", "out.tif", size=(100_000, 60_000), memory=4)

    paths: a file or several, each of the kind that its suffix names.
    Interrupted, by an exception of `progress`, Ctrl-C or a kill, the same call goes on from what is
    there (`journal=` seconds of work are lost, 1), as does `deepfield resume FILE`. Files of the
    same picture that are complete stay; `replace=True` makes them again.
    memory: GiB for all of it. part="3/8": these rows alone; the call without it joins the parts.
    writers="all": every rank writes rows of its own.
    dry_run: an estimate alone (`facts["estimate"]`). survey: counts the blocks of perturbation.
    keys, settings: as those of `render`.
    """
    context = context or default_context()
    context._check_open()
    request = _request(place, paths, replace, dry_run, survey, keys, settings)
    chosen = context
    return context._run(lambda: _whole(chosen, request), progress)


Item = Union[Tuple[PlaceLike, Paths], Tuple[PlaceLike, Paths, Mapping[str, Any]]]


def _items(pictures: Iterable[Item], replace: bool, keys: Optional[Mapping[str, Any]],
           values: Dict[str, Any]) -> Iterator[_Request]:
    for item in pictures:
        place, paths, *own = item
        if len(own) > 1:
            raise UsageError("a picture is (place, paths) or (place, paths, settings)")
        yield _request(place, paths, replace, False, False, keys,
                       {**values, **(own[0] if own else {})})


COMING_MOST = 8  # pictures that are made ready while one is computed, as many as half the cores
ENDING = 3  # pictures whose files are completed behind it


def _coming() -> int:
    """Pictures to make ready at once, as `deepfield render` does."""
    return max(1, min(COMING_MOST, len(os.sched_getaffinity(0)) // 2))


class _Batch:
    """Pictures in their order: some coming, one computed, some ending."""

    def __init__(self, context: Context, requests: Iterator[_Request]) -> None:
        self.context, self.requests = context, requests
        self.most = _coming()
        self.coming: Deque[_Output] = deque()
        self.ending: Deque[_Output] = deque()

    def next(self) -> Optional[Saved]:
        """The next that is complete; None: there is none."""
        while True:
            self._open()
            if not self.coming:
                return self.ending.popleft().close() if self.ending else None
            output = self.coming.popleft()
            self.ending.append(output)
            output.render()
            if len(self.ending) > ENDING:
                return self.ending.popleft().close()

    def _open(self) -> None:
        while len(self.coming) <= self.most:
            request = next(self.requests, None)
            if request is None:
                return
            self.coming.append(_Output(self.context, request))

    def drop(self) -> None:
        for output in (*self.coming, *self.ending):
            output.drop()


def render_each(pictures: Iterable[Item], *, replace: bool = False,
                context: Optional[Context] = None, progress: ProgressLike = None,
                keys: Optional[Mapping[str, Any]] = None, **settings: Any) -> Iterator[Saved]:
    """`render_files` of one picture after the other, which overlap: plans and orbits of the next are
    made while one is computed, and files of those before are completed.

        for saved in deepfield.render_each((view, f"{view}.png") for view in deepfield.views()):
            print(saved.files[0])

    pictures: (place, paths), or (place, paths, settings) with keywords of that picture alone.
    """
    context = context or default_context()
    context._check_open()
    batch = _Batch(context, _items(pictures, replace, keys, settings))
    try:
        while True:
            saved = context._run(batch.next, progress)
            if saved is None:
                return
            yield saved
    finally:
        if context._renderer is not None:
            context._run(batch.drop)
