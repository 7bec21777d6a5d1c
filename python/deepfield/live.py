"""Live pictures: one is asked for, comes coarse at once, and is refined until it is exact."""

from __future__ import annotations

import ctypes
import math
from ctypes import byref, c_uint64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional, Tuple

from ._library import WAKE, LiveRequest, LiveState
from ._picture import World, settings_of
from .context import Context
from .errors import UsageError
from .field import Field, Pixels, array_struct
from .place import PlaceLike, picture_open

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PACE_MOVE, PACE_STOP = 1, 2
STAGES = ("nothing", "orbit", "coarse", "quarter", "half", "fine", "done", "samples", "failed")


@dataclass(frozen=True)
class State:
    """What a live picture shows."""

    serial: int
    """Number of the request that the pixels are of; 0: none yet."""
    version: int
    """Rises with every change."""
    stage: str
    settled: bool
    """The field is final: what `render` makes."""
    covered: bool
    """Every pixel has a colour."""
    samples: int
    done: float
    limit: int
    error: str
    method: str
    """How it is computed: "direct, fp32", "perturbation, 12345 steps at 320 bits"."""
    smooth: bool
    """Settled, and the mean has all samples."""


class Live:
    """A picture that changes, with the devices of a context of its own.

    `ask` wants a picture, and the newest wins; `poll` brings what there is of it. `wake` is called
    on any thread when there is something newer than at the last poll, and must return at once.
    """

    def __init__(self, size: Tuple[int, int] = (960, 540), *,
                 wake: Optional[Callable[[], Any]] = None, **context: Any) -> None:
        import numpy as np

        if "comm" in context or "spawn" in context:
            raise UsageError("a live picture is of one process")
        if isinstance(size, (str, int)) or len(size) != 2:
            raise UsageError(f"size={size!r}: the size of a live picture is (width, height)")
        self.size = size
        self.pixels: "NDArray[np.uint8]" = np.zeros((size[1], size[0], 4), np.uint8)
        self._struct = array_struct(self.pixels, 4)
        self._wake = WAKE(lambda _user: self._woken(wake))
        self._places = World()
        self._asked: Tuple[int, PlaceLike, Dict[str, str]] = (0, None, {})
        self._context = Context(**context)
        self._handle: Optional[c_void_p] = self._context._run(self._open)

    def _open(self) -> c_void_p:
        handle = c_void_p()
        self._places.library.live_open(byref(handle), self._context._renderer, self._wake, None)
        return handle

    @staticmethod
    def _woken(wake: Optional[Callable[[], Any]]) -> None:
        try:
            if wake is not None:
                wake()
        except Exception:  # noqa: BLE001: nothing may pass through C
            pass

    def ask(self, place: PlaceLike = None, *, moving: bool = False,
            pointer: Optional[Tuple[float, float]] = None, workers: int = 0,
            without: Iterable[int] = (),
            keys: Optional[Dict[str, str]] = None, **settings: Any) -> int:
        """Asks for a picture; its number, for `State.serial`.

        moving: only previews. pointer: the pixel at which refinement begins, else the middle.
        workers: of so many ranks, the first ones; 0: of all. without: numbers of workers that are
        left out, by which no pixel changes.
        """
        values = {**settings_of(**settings), **(keys or {})}
        values["view.size"] = f"{self.size[0]}x{self.size[1]}"
        serial = c_uint64()
        picture = picture_open(self._places, place, values)
        x, y = pointer or (math.nan, math.nan)
        request = LiveRequest(size=ctypes.sizeof(LiveRequest), pace=PACE_MOVE if moving else 0,
                              pointer_x=x, pointer_y=y, workers=workers)
        for worker in without:
            request.without[worker // 64] |= 1 << worker % 64
        self._places.library.live_ask_with(
            self._checked(), picture.handle, byref(request), byref(serial))
        self._asked = int(serial.value), place, values
        return int(serial.value)

    def stop(self) -> None:
        """Computes nothing until another picture is asked for; what there is stays."""
        request = LiveRequest(size=ctypes.sizeof(LiveRequest), pace=PACE_STOP)
        self._places.library.live_ask_with(self._checked(), None, byref(request), None)

    def field(self) -> Field:
        """The field of the newest request, once it is settled, without a copy; NoInputError:
        it is not. With the mean of samples (`light`) once `State.smooth`."""
        serial, place, values = self._asked
        handle = c_void_p()
        self._places.library.live_field(self._checked(), serial, byref(handle))
        return Field(Pixels(handle), place, values)

    def poll(self) -> State:
        """The state, and `pixels` ([height][width][4], alpha 0: no colour yet) as they are now."""
        state = LiveState(size=ctypes.sizeof(LiveState))
        self._places.library.live_poll(self._checked(), byref(state), byref(self._struct))
        return State(state.serial, state.version, STAGES[state.stage], bool(state.settled),
                     bool(state.covered), state.samples, state.done, state.limit,
                     state.error.decode(errors="replace"), state.method.decode(),
                     bool(state.smooth))

    def _checked(self) -> c_void_p:
        if not self._handle:
            raise UsageError("the live picture is closed")
        return self._handle

    def close(self) -> None:
        """Ends it, and its context."""
        handle, self._handle = self._handle, None
        if handle:
            close: Callable[[Any], None] = self._places.library.live_close
            self._context._run(lambda: close(handle))
            self._context.close()

    def __enter__(self) -> "Live":
        return self

    def __exit__(self, *_failure: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and self._context._world is not None:
            self.close()
