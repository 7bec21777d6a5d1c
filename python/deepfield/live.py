"""Live pictures: one is asked for, comes coarse at once, and is refined until it is exact."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_uint64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from ._library import WAKE, LiveState
from ._picture import World, settings_of
from .context import Context
from .errors import UsageError
from .field import array_struct
from .place import PlaceLike, picture_open

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
            keys: Optional[Dict[str, str]] = None, **settings: Any) -> int:
        """Asks for a picture; its number, for `State.serial`. moving: only previews."""
        values = {**settings_of(**settings), **(keys or {})}
        values["view.size"] = f"{self.size[0]}x{self.size[1]}"
        serial = c_uint64()
        picture = picture_open(self._places, place, values)
        self._places.library.live_ask(self._checked(), picture.handle, int(moving), byref(serial))
        return int(serial.value)

    def poll(self) -> State:
        """The state, and `pixels` ([height][width][4], alpha 0: no colour yet) as they are now."""
        state = LiveState(size=ctypes.sizeof(LiveState))
        self._places.library.live_poll(self._checked(), byref(state), byref(self._struct))
        return State(state.serial, state.version, STAGES[state.stage], bool(state.settled),
                     bool(state.covered), state.samples, state.done, state.limit,
                     state.error.decode(errors="replace"))

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
