"""Contexts: devices and memory that are kept from picture to picture, of one process or ranks."""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import queue
import sys
import threading
import weakref
from collections import deque
from concurrent.futures import CancelledError, Future
from ctypes import byref, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional, Set, Tuple, TypeVar, Union

from ._library import PROGRESS, library, mpi_check
from ._picture import World, value_text
from .errors import Error, StoppedError, SystemFailure, UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class RankWork:
    """What a rank has done in a call so far."""

    host: str
    computes: bool
    """Else it coordinates."""
    tiles: int
    iterations: int
    busy: float
    """Seconds of its devices, sum over their threads."""
    unheard: float
    """Seconds that rank 0 has waited for it in vain."""


@dataclass(frozen=True)
class Progress:
    """How far a call is."""

    done: float
    """Part that is done, 0 ... 1."""
    seconds: float
    """Seconds since the call began."""
    iterations: int
    """Iterations of all devices so far."""
    stage: str
    """"orbit", "blocks", "pixels", "frames", "proof", "search" or "newton"."""
    count: int = 0
    """What of the stage is done: steps of the orbit, blocks, pixels, frames, proven pixels."""
    of: int = 0
    """All of it, at most; 0: not known."""
    stage_seconds: float = 0.0
    """Seconds since the stage began."""
    ranks: Tuple[RankWork, ...] = ()
    """Work of the ranks, of "pixels" and "frames"."""


def _progress_of(row: Any) -> Progress:
    ranks = tuple(
        RankWork((rank.host or b"").decode(errors="replace"), bool(rank.computes), rank.tiles,
                 rank.iterations, rank.busy_s, rank.unheard_s)
        for rank in row.rank[:row.ranks]) if row.ranks else ()
    return Progress(row.done, row.seconds, row.iterations, (row.stage or b"").decode(), row.count,
                    row.of, row.stage_seconds, ranks)


ProgressLike = Union[None, Callable[[Progress], Any], Any]
"""A function of `Progress`, or a bar with `update`, `n` and `total`, such as one of tqdm."""


def _teller(progress: ProgressLike) -> Optional[Callable[[Progress], None]]:
    if progress is None:
        return None
    if hasattr(progress, "update") and hasattr(progress, "n"):
        return _bar_teller(progress)
    if not callable(progress):
        raise TypeError("progress is a function of a Progress, or a bar such as tqdm's")
    return progress


def _bar_teller(bar: Any) -> Callable[[Progress], None]:
    if bar.total is None:
        bar.total = 1.0

    def advance(state: Progress) -> None:
        bar.update(state.done * bar.total - bar.n)

    return advance


class Job(Future[T]):
    """A call that is computed in the background: a `concurrent.futures.Future`, which can also be
    cancelled while it runs. `progress` is the last state, or None."""

    def __init__(self, cancel_running: Callable[[], None]) -> None:
        super().__init__()
        self.progress: Optional[Progress] = None
        self.wanted = True
        self._cancel_running = cancel_running

    def cancel(self) -> bool:
        """Ends the call, within a tenth of a second if it computes. False: it was done before."""
        if super().cancel():
            return True
        if self.done():
            return False
        self.wanted = False
        self._cancel_running()
        return True

    def cancelled(self) -> bool:
        """Was it cancelled, before it began or while it ran?"""
        return super().cancelled() or (
            self.done() and isinstance(self.exception(), CancelledError))


# ---- the thread of a context ----


class _Worker:
    """A thread on which all calls of one world are made, in their order.

    The caller's thread stays free for signals, so that Ctrl-C ends a call at once; OpenMP keeps its
    threads; and the world is used by one thread at a time, whoever calls.
    """

    def __init__(self) -> None:
        self._queue: "queue.SimpleQueue[Optional[Tuple[Job[Any], Callable[[], Any]]]]" = (
            queue.SimpleQueue())
        self.thread = threading.Thread(target=self._run, name="deepfield", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            job, call = item
            if job.set_running_or_notify_cancel():
                self._call(job, call)
            del job, call, item

    @staticmethod
    def _call(job: "Job[Any]", call: Callable[[], Any]) -> None:
        try:
            result = call()
        except StoppedError as error:
            job.set_exception(error if job.wanted else CancelledError(str(error)))
        except Error as error:  # its sentence says all: frames of this thread would hide the caller
            job.set_exception(error.with_traceback(None))
        except BaseException as error:  # noqa: BLE001: it is the caller's
            job.set_exception(error)
        else:
            job.set_result(result)

    def put(self, job: "Job[Any]", call: Callable[[], Any]) -> None:
        self._queue.put((job, call))

    def end(self) -> None:
        self._queue.put(None)


def _thread_level_serves() -> bool:
    """May a thread other than the one that initialised MPI call it?"""
    from mpi4py import MPI

    return bool(MPI.Query_thread() >= MPI.THREAD_SERIALIZED)


# ---- contexts ----

_open: "weakref.WeakSet[Context]" = weakref.WeakSet()


class Context:
    """A world and its renderer: this process, the ranks of a communicator, or started ranks.

    comm: a communicator of mpi4py. Rank 0 calls; the others serve from the end of their `with`
    block (or `serve`, or `close`) until rank 0 closes. Making and closing it are collective.
    spawn: so many further ranks are started by MPI_Comm_spawn, and end with the context.
    backend, devices, threads: as --backend, --devices ([0, 2]) and --threads (0: all) of the
    program.
    keys: further keys of [compute], such as {"compute.memory": 4}.

    Calls of a context are made one after the other, on a thread of its own; different contexts
    compute at the same time. Where MPI was initialised for fewer threads, they are made on the
    caller's.
    """

    def __init__(self, comm: Any = None, backend: str = "auto",
                 devices: Union[None, int, str, List[int]] = None, threads: int = 0, *,
                 spawn: int = 0, data: Optional[str] = None,
                 keys: Optional[Mapping[str, Any]] = None) -> None:
        library()  # on this thread, so that its failure is not deep in another one's
        self._settings = self._renderer_settings(backend, devices, threads, keys)
        self._world: Optional[World] = None
        self._renderer: Optional[c_void_p] = None
        self._spawned: Any = None
        self._worker: Optional[_Worker] = None
        self._call_lock = threading.Lock()
        self._job_lock = threading.Lock()
        self._late_cancel = False
        self._stream: Optional[object] = None
        self._job: Optional["Job[Any]"] = None
        self._outputs: Set[Any] = set()  # pictures on their way into files
        self._pid = os.getpid()
        self.rank, self.size = 0, 1
        if spawn:
            comm = self._spawn(spawn, comm)
        if comm is not None:
            mpi_check()
        if comm is None or _thread_level_serves():
            self._worker = _Worker()
        address = None if comm is None else _address(comm)
        self._comm = comm  # kept while the world has its duplicate
        try:
            self._run(lambda: self._open(address, data))
        except BaseException:
            if self._worker is not None:
                self._worker.end()
            raise
        _open.add(self)

    @staticmethod
    def _renderer_settings(backend: str, devices: Union[None, int, str, List[int]], threads: int,
                           keys: Optional[Mapping[str, Any]]) -> Dict[str, str]:
        settings = {key if "." in key else f"compute.{key}": value_text(value)
                    for key, value in (keys or {}).items()}
        if backend != "auto":
            settings["compute.backend"] = backend
        if devices is not None:
            settings["compute.devices"] = value_text(devices)
        if threads:
            settings["compute.threads"] = str(threads)
        return settings

    def _open(self, address: Optional[int], data: Optional[str]) -> None:
        self._world = World(address, data)
        library, size = self._world.library, c_int()
        self.rank = library.world_rank(self._world.handle, byref(size))
        self.size = size.value
        if self.rank == 0:
            self._renderer = c_void_p()
            library.renderer_create(byref(self._renderer), self._world.handle)
            for key, value in self._settings.items():
                library.renderer_set(self._renderer, key.encode(), value.encode())

    def _spawn(self, count: int, comm: Any) -> Any:
        if comm is not None:
            raise UsageError("comm and spawn: a context has one of them")
        from mpi4py import MPI

        mpi_check()
        if MPI.Get_library_version().startswith("Open MPI v5"):  # it waits for ever instead
            raise SystemFailure("spawn=: ranks that Open MPI 5 has started do not reach those that "
                                "start them; run the script by mpirun, with comm=MPI.COMM_WORLD")
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        code = f"import sys; sys.path.insert(0, {folder!r}); import deepfield._serve"
        try:
            between = MPI.COMM_SELF.Spawn(sys.executable, args=["-c", code], maxprocs=count)
        except MPI.Exception as error:
            raise SystemFailure(
                f"MPI_Comm_spawn of {count} ranks failed ({error.Get_error_string()}); where there "
                "are fewer cores, Open MPI wants OMPI_MCA_rmaps_base_oversubscribe=1") from None
        self._spawned = between
        return between.Merge(high=False)

    # ---- calls ----

    @property
    def is_root(self) -> bool:
        """Is this the rank that calls?"""
        return self.rank == 0

    def _check_open(self) -> None:
        if self._pid != os.getpid():
            raise UsageError("this context is of the process that was forked: make one here")
        if self._renderer is None:
            raise UsageError(
                f"rank {self.rank} of {self.size} serves: rank 0 makes the calls (if context.is_root: ...), "
                "and the others come to the end of the context's block" if self.rank
                else "the context is closed")
        if self._stream is not None:
            raise UsageError(
                "this context is giving pixels piece by piece: end that loop first, or use another "
                "Context")

    def cancel(self) -> None:
        """Ends what is computed, or the next call if nothing is. Any thread, signals too."""
        if self._renderer and self._world:
            self._world.library.renderer_cancel(self._renderer)

    def _submit(self, call: Callable[[], T], progress: Optional[Callable[[Progress], None]] = None
                ) -> "Job[T]":
        job: "Job[T]" = Job(self._cancel_if_current)
        job._owner = self  # type: ignore[attr-defined]

        def run() -> T:
            with self._job_lock:
                self._job = job
            try:
                return self._with_progress(call, job, progress)
            except StoppedError:
                if not job.wanted or not self._late_cancel:
                    raise
                self._late_cancel = False  # it was for the call before, which had just ended
                return self._with_progress(call, job, progress)
            finally:
                with self._job_lock:
                    self._job = None
                    self._late_cancel = not job.wanted

        if self._worker is not None:
            self._worker.put(job, run)
        else:
            with self._call_lock:
                job.set_running_or_notify_cancel()
                _Worker._call(job, run)
        return job

    def _cancel_if_current(self) -> None:
        with self._job_lock:
            if self._job is not None and not self._job.wanted:
                self.cancel()

    def _with_progress(self, call: Callable[[], T], job: "Job[T]",
                       tell: Optional[Callable[[Progress], None]]) -> T:
        """On the thread of the world: lets the library report to the job, and cancel by it."""
        if not job.wanted:
            raise StoppedError("the call was cancelled before it began")
        if not self._renderer or self._world is None:
            return call()
        failure: List[BaseException] = []

        def report(_user: Any, state: Any) -> int:
            try:
                job.progress = _progress_of(state.contents)
                if tell:
                    tell(job.progress)
            except BaseException as error:  # noqa: BLE001: nothing may pass through C
                failure.append(error)
            return int(bool(failure) or not job.wanted)

        callback, library = PROGRESS(report), self._world.library
        library.renderer_progress(self._renderer, callback, None)
        try:
            return call()
        except StoppedError:
            if failure:
                raise failure[0] from None
            raise
        finally:
            library.renderer_progress(self._renderer, PROGRESS(0), None)

    def _run(self, call: Callable[[], T], progress: ProgressLike = None) -> T:
        """A call that this thread waits for; signals are handled meanwhile."""
        tell = _teller(progress)
        if self._worker is None:
            return self._submit(call, tell).result()
        states: Deque[Progress] = deque(maxlen=1)
        news = threading.Condition()

        def notice(state: Optional[Progress] = None) -> None:
            with news:
                if isinstance(state, Progress):
                    states.append(state)
                news.notify()

        job = self._submit(call, notice if tell else None)
        job.add_done_callback(lambda _job: notice())
        try:
            while not job.done():
                with news:
                    if not states and not job.done():
                        news.wait()
                    state = states.pop() if states else None
                if state is not None and tell:
                    tell(state)
        except BaseException:
            job.cancel()
            with news:
                while not job.done():
                    news.wait()
            raise
        failure = job.exception()
        if failure is not None:  # raised here, without the frames of concurrent.futures
            raise failure
        return job.result()

    # ---- what there is ----

    def devices(self) -> List[Dict[str, Any]]:
        """Devices of all ranks: rank, host, backend, number, name, memory, limits. Opens them."""
        self._check_open()
        return self._run(lambda: list(self._json("renderer_describe", self._renderer)))

    def ranks(self) -> List[Dict[str, Any]]:
        """Ranks: whether each computes, by which transport its pixels come, and why."""
        self._check_open()
        return self._run(lambda: list(self._json("renderer_ranks", self._renderer)))

    def _json(self, function: str, *arguments: Any) -> Any:
        assert self._world is not None
        text = c_void_p()
        getattr(self._world.library, function)(*arguments, byref(text))
        return json.loads(self._world.library.take(text))

    # ---- the end ----

    def serve(self) -> None:
        """Ranks other than 0: takes part in all that rank 0 does, until that closes its context."""
        world = self._world
        if self.rank == 0 or world is None:
            raise UsageError("rank 0 makes the calls, and the others serve")
        serve, handle = world.library.serve, world.handle
        interrupted: Optional[BaseException] = None
        job: "Job[Any]" = self._submit(lambda: serve(handle))
        while True:
            try:
                job.result()
                break
            except KeyboardInterrupt as error:  # rank 0 has it, too, and ends the service
                if interrupted or job.done():
                    raise
                interrupted = error
        self._end()
        if interrupted:
            raise interrupted

    def _end(self) -> None:
        def close() -> None:
            for output in tuple(self._outputs):
                output.drop()
            world, self._world = self._world, None
            renderer, self._renderer = self._renderer, None
            if world is not None:
                if renderer:
                    world.library.renderer_destroy(renderer)
                world.close()

        if self._pid == os.getpid():
            self._submit(close).result()
        if self._worker is not None:
            self._worker.end()
        if self._spawned is not None:
            self._comm.Free()  # Open MPI 4 does not come back from Disconnect of merged ones
            self._spawned.Disconnect()
            self._spawned = None
        self._comm = None

    def close(self) -> None:
        """Ends the context: what is computed is cancelled. Ranks other than 0 serve first."""
        _open.discard(self)
        if self._world is None:
            return
        if self.rank != 0 and self._pid == os.getpid():
            self.serve()
            return
        job = self._job
        if job is not None:
            job.cancel()
        self._end()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_failure: Any) -> None:
        self.close()

    def __del__(self) -> None:
        worker, world = getattr(self, "_worker", None), getattr(self, "_world", None)
        if worker is not None and world is not None and self._comm is None:
            renderer = self._renderer
            self._world = self._renderer = None
            if self._pid == os.getpid():
                worker.put(Job(lambda: None), lambda: _destroy(world, renderer))
                worker.end()

    def __repr__(self) -> str:
        state = "" if self._world else ", closed"
        return f"<deepfield.Context: rank {self.rank} of {self.size}{state}>"


def _destroy(world: Any, renderer: Optional[c_void_p]) -> None:
    if renderer:
        world.library.renderer_destroy(renderer)
    world.close()


def _address(comm: Any) -> int:
    """Address of the MPI_Comm inside a communicator of mpi4py."""
    from mpi4py import MPI

    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is a communicator of mpi4py, not {type(comm).__name__}")
    if comm == MPI.COMM_NULL:
        raise UsageError("comm is MPI.COMM_NULL: this process is not in the communicator")
    return int(MPI._addressof(comm))


# ---- the default one of each thread ----

_local = threading.local()


def default_context() -> Context:
    """The context of calls that are given none: one for each thread, made at its first use."""
    context: Optional[Context] = getattr(_local, "context", None)
    if context is None or context._pid != os.getpid() or context._world is None:
        context = _local.context = Context()
    return context


@atexit.register
def _close_all() -> None:
    """Before MPI is finalised and the interpreter goes."""
    _local.__dict__.clear()
    for context in sorted(_open, key=lambda one: one.size):
        try:
            context.close()
        except Error:
            pass
