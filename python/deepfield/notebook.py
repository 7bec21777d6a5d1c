"""A live picture in a notebook: a canvas that is moved and zoomed by hand, at any depth."""

from __future__ import annotations

import importlib
import os
import threading
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from ._picture import Picture, World
from ._render import render
from .live import Live, State
from .place import Place, PlaceLike
from .png import encode

if TYPE_CHECKING:
    import asyncio

REST_S = 0.25  # after the last turn of a wheel, which has no end of its own


class View:
    """A place that is explored: the last line of a cell shows it.

        view = deepfield.View("seahorse")
        view
        view.place      # in another cell: where the hand has come to

    Drag to move, wheel to zoom, double click to go in (Shift: out). `go` sets another place.
    It needs the classic notebook (`Jupyter` in the page); elsewhere it is a still picture.
    """

    def __init__(self, place: PlaceLike = None, size: Tuple[int, int] = (960, 540),
                 **settings: Any) -> None:
        self._world = World()
        self._lock = threading.RLock()
        self._comm: Any = None
        self._loop: "Optional[asyncio.AbstractEventLoop]" = None
        self._waiting = False  # for the browser to show the last frame
        self._sent = -1
        self._moves: Dict[int, int] = {}  # number of a request -> of the last move in it
        self._last_move = 0
        self._rest: Optional[threading.Timer] = None
        self.size = size
        self.place = Place.open("whole-set" if place is None else place).replace(**settings)
        self.live = Live(size, wake=self._woken)
        self._ask(False)

    # ---- moves ----

    def go(self, place: PlaceLike) -> None:
        """Shows another place."""
        self.place = Place.open(place)
        self._ask(False)

    def _ask(self, moving: bool, pointer: Optional[Tuple[float, float]] = None) -> None:
        with self._lock:
            serial = self.live.ask(self.place, moving=moving, pointer=pointer)
            self._moves[serial] = self._last_move

    def _picture(self) -> Picture:
        picture = self.place._picture(self._world)
        picture.set("view.size", f"{self.size[0]}x{self.size[1]}")
        return picture

    def move(self, factor: float = 1, x: float = 0, y: float = 0, dx: float = 0, dy: float = 0,
             moving: bool = False) -> None:
        """The point under (x, y) stays there while all becomes `factor` times as large; then all
        moves by (dx, dy) pixels."""
        width, height = self.size
        re, im = self._picture().point(x + (width / 2 - dx - x) / factor,
                                       y + (height / 2 - dy - y) / factor)
        with self._lock:
            self.place = self.place.zoomed(factor).replace(re=re, im=im)
            self._ask(moving, (x, y) if factor != 1 else None)

    def _rest_later(self) -> None:
        if self._rest:
            self._rest.cancel()
        self._rest = threading.Timer(REST_S, self._rest_now)
        self._rest.daemon = True
        self._rest.start()

    def _rest_now(self) -> None:
        self._ask(False)

    # ---- frames ----

    def frame(self) -> Tuple[State, int, bytes]:
        """The state, the number of the last move that the picture has, and the picture as a PNG."""
        state = self.live.poll()
        for serial in [serial for serial in self._moves if serial < state.serial]:
            del self._moves[serial]
        return state, self._moves.get(state.serial, 0), encode(self.live.pixels, 1)

    def _woken(self) -> None:
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._send)

    def _send(self) -> None:
        if self._comm is None or self._waiting:
            return
        state, move, png = self.frame()
        if state.version == self._sent or state.serial == 0:
            return
        self._sent, self._waiting = state.version, True
        self._comm.send({"move": move, "version": state.version}, buffers=[png])

    def _receive(self, message: Any) -> None:
        data = message["content"]["data"]
        if "shown" in data:
            self._waiting = False
            self._send()
        elif "rest" in data:
            self._rest_now()
        elif "move" in data:
            self._last_move = int(data["move"])
            moving = bool(data["moving"])
            self.move(float(data["factor"]), float(data["x"]), float(data["y"]), float(data["dx"]),
                      float(data["dy"]), moving)
            if moving:
                self._rest_later()

    # ---- the notebook ----

    def _opened(self, comm: Any, _message: Any) -> None:
        self._comm, self._waiting, self._sent = comm, False, -1
        self._last_move = 0
        self._moves.clear()
        comm.on_msg(self._receive)
        self._ask(False)
        self._send()  # wakes the next time: the library calls once until it is polled

    def _ipython_display_(self) -> None:
        import asyncio

        shell: Any = importlib.import_module("IPython")
        kernel = getattr(shell.get_ipython(), "kernel", None)
        if kernel is None:
            print(self)
            return
        self._loop = asyncio.get_event_loop()
        target = f"deepfield.view.{id(self)}"
        kernel.comm_manager.register_target(target, self._opened)
        shell.display.display(shell.display.HTML(self._page(target)))

    def _page(self, target: str) -> str:
        import base64

        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "view.js")
        with open(path, encoding="utf-8") as file:
            script = file.read()
        width, height = self.size
        still = base64.b64encode(encode(render(self.place, size=self.size).image())).decode()
        return f"""<canvas id="{target}" width="{width}" height="{height}" tabindex="0"
style="max-width:100%;touch-action:none;cursor:crosshair;
background:url(data:image/png;base64,{still}) 0 0 / 100% 100%"></canvas><script>
{script}
(function () {{
    if (!window.Jupyter)
        return;
    const comm = Jupyter.notebook.kernel.comm_manager.new_comm("{target}", {{}});
    const channel = {{send: (message) => comm.send(message)}};
    comm.on_msg((message) => channel.onframe(
        message.content.data, new Blob([message.buffers[0]], {{type: "image/png"}})));
    deepfieldView(document.getElementById("{target}"), channel);
}})();
</script>"""

    def close(self) -> None:
        """Ends the live picture."""
        self._loop = None
        if self._rest:
            self._rest.cancel()
        self.live.close()

    def __repr__(self) -> str:
        return f"<deepfield.View {self.size[0]}x{self.size[1]}: zoom {self.place.zoom}>"
