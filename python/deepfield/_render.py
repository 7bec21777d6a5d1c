"""Rendering: whole fields, rows and tiles as they come."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import CancelledError
from typing import (
    TYPE_CHECKING, Any, Dict, Iterable, Iterator, Mapping, NamedTuple, Optional, Tuple, Union,
)

from ._library import COLOURS, NUMBERS, RECEIVE, ROWS, TILES
from ._picture import planes_text, settings_of, value_text
from .context import Context, Job, ProgressLike, _teller, default_context
from .errors import OutOfMemoryError, StoppedError, UsageError
from .field import Field, Out, Pixels, array_view
from .place import PlaceLike, picture_open

if TYPE_CHECKING:
    from numpy.typing import NDArray

Size = Union[None, int, str, Tuple[int, int]]
Planes = Union[None, str, Iterable[str]]
Samples = Union[None, int, str]


class Request(NamedTuple):
    """What is rendered: a place, keys over it, and whether samples are coloured."""

    place: PlaceLike
    settings: Dict[str, str]
    wish: int


def request_of(place: PlaceLike, planes: Planes, samples: Samples, out: Optional[Out],
               keys: Optional[Mapping[str, Any]], values: Dict[str, Any]) -> Request:
    """Without samples the pixels' centres alone are computed: the planes that were named, or else
    those that the colours need. "plan": as many samples as the place and the plan say."""
    settings = settings_of(**values)
    settings.update({key: value_text(value) for key, value in (keys or {}).items()})
    names = planes_text(planes or out or ())
    if names:
        settings["output.planes"] = names
    if samples is None:
        settings["look.samples"] = "1"
    elif samples != "plan":
        settings["look.samples"] = value_text(samples)
    wish = NUMBERS if names and samples is None else COLOURS
    return Request(place, settings, wish)


def compute(context: Context, request: Request, pixels: Pixels) -> Pixels:
    """On the thread of the context."""
    assert context._world is not None
    picture = picture_open(context._world, request.place, request.settings)
    context._world.library.render(
        context._renderer, picture.handle, request.wish, pixels.handle)
    return pixels


def render(place: PlaceLike = None, *, size: Size = None, planes: Planes = None,
           samples: Samples = None, palette: Optional[str] = None, limit: Optional[int] = None,
           accuracy: Optional[float] = None, formula: Optional[str] = None,
           out: Optional[Out] = None, progress: ProgressLike = None,
           context: Optional[Context] = None, keys: Optional[Mapping[str, Any]] = None,
           device: Optional[int] = None, **settings: Any) -> Field:
    """Computes a picture.

    place: a `Place`, the name of a view ("seahorse"), the path of a file of any format that
    `deepfield help formats` lists, or the text of one. None: the whole set; re=, im=, zoom= and
    rotation= say another place.
    size: (width, height), or a name such as "4k".
    planes: names such as ["count", "fraction", "distance"]. None: those that the colours need.
    region: (x, y, width, height) of the image in pixels: that part alone, with the same bits.
    samples: None: the pixels' centres; a number, "auto" or "plan": also the mean colour of so many
    samples of each pixel (`field.light`, and what `image` and `save` take).
    formula: a name ("burning_ship") or operations ("sqr, absx, add c").
    out: arrays that planes are written to: of NumPy, or in memory of the context's first CUDA
    device (of CuPy, Numba, PyTorch, whatever has `__cuda_array_interface__` or `__dlpack__`).
    device: number of the CUDA device that planes stay on, that of the context's first; -1:
    whichever that is. They are then a `DeviceArray`.
    keys, settings: further keys of ini files ({"view.bailout": 4}, or bailout=4).
    Ctrl-C, or an exception of `progress`, ends the call within a tenth of a second.
    """
    context = context or default_context()
    context._check_open()
    request = request_of(place, planes, samples, out, keys, dict(
        settings, size=size, palette=palette, limit=limit, accuracy=accuracy, formula=formula))
    pixels = Pixels()
    pixels.place(out or {}, device)
    chosen = context
    try:
        context._run(lambda: compute(chosen, request, pixels), progress)
    except OutOfMemoryError as error:
        error.args = (f"{error}; deepfield.rows gives it block by block, region= a part of it",)
        raise
    return Field(pixels, place, request.settings)


def submit(place: PlaceLike = None, *, context: Optional[Context] = None,
           progress: ProgressLike = None, out: Optional[Out] = None, planes: Planes = None,
           samples: Samples = None, keys: Optional[Mapping[str, Any]] = None,
           device: Optional[int] = None, **settings: Any) -> "Job[Field]":
    """`render` in the background: a `concurrent.futures.Future` of the field, whose `cancel` also
    ends what is being computed. Jobs of a context are computed in their order. `progress` is called
    on the context's thread."""
    context = context or default_context()
    context._check_open()
    request = request_of(place, planes, samples, out, keys, settings)
    pixels = Pixels()
    pixels.place(out or {}, device)
    chosen = context

    def run() -> Field:
        return Field(compute(chosen, request, pixels), place, request.settings)

    return context._submit(run, _teller(progress))


# ---- piece by piece ----


class Piece(NamedTuple):
    """Pixels of a part of the image, in arrays of their own."""

    x: int
    y: int
    planes: "Dict[str, NDArray[Any]]"

    @property
    def slices(self) -> Tuple[slice, slice]:
        """Where it belongs in an array of the image: `whole[piece.slices] = piece["count"]`. With
        region= these are places in the whole image, too."""
        height, width = next(iter(self.planes.values())).shape[:2]
        return slice(self.y, self.y + height), slice(self.x, self.x + width)

    def __repr__(self) -> str:
        rows, columns = self.slices
        return (f"<deepfield.Piece {columns.stop - self.x}x{rows.stop - self.y} at "
                f"{self.x}, {self.y}: {', '.join(self.planes)}>")

    def __getitem__(self, plane: Any) -> Any:
        return self.planes[plane] if isinstance(plane, str) else tuple.__getitem__(self, plane)


WAIT_S = 0.1  # until a wait for a piece looks whether there is an end
PIECES_AHEAD = 2  # that wait for the caller's loop; the computation waits when there are so many


class _Stream:
    """Pieces between the thread of a context and the caller's loop."""

    def __init__(self) -> None:
        self.pieces: "queue.Queue[Optional[Piece]]" = queue.Queue(PIECES_AHEAD)
        self.ended = threading.Event()
        self.failure: Optional[BaseException] = None
        self.job: "Optional[Job[None]]" = None

    def receive(self, _user: Any, x: int, y: int, width: int, height: int, arrays: Any, names: Any,
                count: int) -> int:
        try:
            planes = {names[i].decode(): array_view(None, arrays[i]).copy() for i in range(count)}
            return int(not self._offer(Piece(x, y, planes)))
        except BaseException as failure:  # noqa: BLE001: nothing may pass through C
            self.failure = failure
            return 1

    def _offer(self, piece: Optional[Piece]) -> bool:
        while not self.ended.is_set() and (self.job is None or self.job.wanted):
            try:
                self.pieces.put(piece, timeout=WAIT_S)
                return True
            except queue.Full:
                pass
        return False

    def take(self, job: "Job[None]") -> Optional[Piece]:
        """The next piece; None at the end, and when the job has ended without one."""
        while True:
            try:
                return self.pieces.get(timeout=WAIT_S)
            except queue.Empty:
                if job.done() and self.pieces.empty():
                    return None

    def run(self, context: Context, request: Request, kind: int) -> None:
        pixels, callback = Pixels(), RECEIVE(self.receive)
        pixels.library.field_receive(pixels.handle, kind, callback, None)
        try:
            compute(context, request, pixels)
        finally:
            self._offer(None)

    def close(self) -> None:
        self.ended.set()


def _pieces(kind: int, place: PlaceLike, planes: Planes, samples: Samples,
            context: Optional[Context], progress: ProgressLike,
            keys: Optional[Mapping[str, Any]], settings: Dict[str, Any]) -> Iterator[Piece]:
    context = context or default_context()
    context._check_open()
    if context._worker is None:
        raise UsageError("pieces need an MPI that was initialised for MPI_THREAD_SERIALIZED")
    request = request_of(place, planes, samples, None, keys, settings)
    stream, chosen = _Stream(), context
    job = context._submit(lambda: stream.run(chosen, request, kind), _teller(progress))
    stream.job = job
    context._stream = stream
    try:
        while True:
            piece = stream.take(job)
            if piece is None:
                break
            yield piece
        job.result()
    except (StoppedError, CancelledError):
        raise stream.failure or StoppedError("the picture was cancelled") from None
    finally:
        stream.close()
        job.cancel()
        context._stream = None
        _settle(job)


def _settle(job: "Job[Any]") -> None:
    try:
        job.exception()
    except BaseException:  # noqa: BLE001: cancelled before it began
        pass


def rows(place: PlaceLike = None, *, planes: Planes = ("count",), samples: Samples = None,
         context: Optional[Context] = None, progress: ProgressLike = None,
         keys: Optional[Mapping[str, Any]] = None, **settings: Any) -> Iterator[Piece]:
    """Blocks of whole rows from the top, as they are ready. Nothing else is kept, so the picture
    may be larger than memory. Leaving the loop ends the computation."""
    return _pieces(ROWS, place, planes, samples, context, progress, keys, settings)


def tiles(place: PlaceLike = None, *, planes: Planes = ("count",),
          context: Optional[Context] = None, progress: ProgressLike = None,
          keys: Optional[Mapping[str, Any]] = None, **settings: Any) -> Iterator[Piece]:
    """Tiles as they finish, in any order, each once: `whole[tile.slices] = tile["count"]`."""
    return _pieces(TILES, place, planes, None, context, progress, keys, settings)


SHARE_BLOCKS = 4  # of a rank: rows cost differently, and each call prepares the picture anew


def share(place: PlaceLike = None, comm: Any = None, *, rows: Optional[int] = None,
          planes: Planes = ("count",), context: Optional[Context] = None,
          progress: ProgressLike = None, keys: Optional[Mapping[str, Any]] = None,
          **settings: Any) -> Iterator[Piece]:
    """This rank's share of a picture, which stays where it was computed: every comm.size-th block
    of rows, with the bits of `render`. For collective writing, windows and reductions of the
    caller's own; `piece.slices` says where a block belongs.

    comm: a communicator of mpi4py, of which nothing but rank and size is used: no call here is
    collective. rows: of a block; None: four blocks for each rank.
    context: one without comm=; None: the process's own, with all cores that it may use.
    """
    context = context or default_context()
    context._check_open()
    if comm is None:
        raise UsageError("share needs the communicator whose ranks share the picture")
    if context.size > 1:
        raise UsageError("the ranks of this context serve rank 0 together; share needs one of each "
                         "process: Context()")
    if "region" in settings:
        raise UsageError("region= and share: each block is a region of its own")
    width, height = _size_of(context, place, keys, settings)
    block = rows or max(1, -(-height // (SHARE_BLOCKS * comm.size)))
    for y in range(comm.rank * block, height, comm.size * block):
        field = render(place, planes=planes, context=context, progress=progress, keys=keys,
                       region=(0, y, width, min(block, height - y)), **settings)
        yield Piece(0, y, {name: field[name] for name in field.planes})


def _size_of(context: Context, place: PlaceLike, keys: Optional[Mapping[str, Any]],
             settings: Dict[str, Any]) -> Tuple[int, int]:
    """Width and height of the whole image."""
    request = request_of(place, None, None, None, keys, settings)

    def read() -> str:
        assert context._world is not None
        return picture_open(context._world, place, request.settings).get("view.size") or ""

    width, _, height = context._run(read).partition("x")
    return int(width), int(height)
