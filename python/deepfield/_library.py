"""The shared library by ctypes: where it is, its structures and functions.

ctypes needs no compiler and nothing beside Python, and is imported in a few milliseconds; cffi in
ABI mode takes 60 ms more, to parse declarations. A call costs a microsecond, and all that computes
takes longer by far.
"""

from __future__ import annotations

import ctypes
import glob
import os
import threading
from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
    c_uint32, c_uint64, c_uint8, c_void_p,
)
from typing import Any, Dict, Iterator, List, Optional, Tuple

from .errors import LibraryError, error_of

INTERFACE = (1, 0)  # major and minor version of deepfield.h that this package was written for

LOG = CFUNCTYPE(None, c_void_p, c_char_p)


class WorldOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("communicator", c_void_p),
        ("data", c_char_p),
        ("log", LOG),
        ("user", c_void_p),
    ]


class RankWorkStruct(Structure):
    _fields_ = [
        ("host", c_char_p),
        ("computes", c_int),
        ("tiles", c_uint64),
        ("iterations", c_uint64),
        ("busy_s", c_double),
        ("unheard_s", c_double),
    ]


class ProgressStruct(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("done", c_double),
        ("seconds", c_double),
        ("iterations", c_uint64),
        ("stage", c_char_p),
        ("count", c_uint64),
        ("of", c_uint64),
        ("stage_seconds", c_double),
        ("samples", c_int),
        ("ranks", c_int),
        ("rank", POINTER(RankWorkStruct)),
        ("frame", c_void_p),
    ]


class ArrayStruct(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("data", c_void_p),
        ("type", c_int),
        ("space", c_int),
        ("width", c_int32),
        ("height", c_int32),
        ("channels", c_int32),
        ("device", c_int32),
        ("row_bytes", c_int64),
    ]


class OrbitStruct(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("points", c_void_p),
        ("ray", c_void_p),
        ("points_most", c_int32),
        ("ray_most", c_int32),
        ("count", c_int32),
        ("ray_count", c_int32),
        ("escape", c_int64),
        ("period", c_int32),
        ("multiplier", c_double),
        ("log2_potential", c_double),
        ("ray_turn", c_double),
    ]


class LiveMoments(Structure):
    _fields_ = [(name, c_double) for name in
                ("asked", "begun", "planned", "cancelled", "covered", "fine", "settled")]


class LiveState(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("serial", c_uint64),
        ("version", c_uint64),
        ("width", c_int32),
        ("height", c_int32),
        ("stage", c_int),
        ("settled", c_int),
        ("covered", c_int),
        ("samples", c_int),
        ("done", c_double),
        ("limit", c_int64),
        ("error", c_char * 256),
        ("picture", c_uint64),
        ("planes", c_uint32),
        ("stride", c_int),
        ("stopped", c_int),
        ("samples_wanted", c_int),
        ("smooth", c_int),
        ("mixed", c_int),
        ("sample_done", c_double),
        ("orbit_s", c_double),
        ("orbit_steps", c_int64),
        ("orbit_most", c_int64),
        ("deep", c_int),
        ("method", c_char * 96),
        ("predicted_px", c_double),
        ("iterations", c_uint64),
        ("iterations_per_s", c_double),
        ("count_min", c_uint64),
        ("count_max", c_uint64),
        ("undecided", c_double),
        ("measured", c_uint64),
        ("measured_picture", c_uint64),
        ("moments", LiveMoments),
        ("threads_lost", c_int),
        ("troubles", c_int),
        ("late", c_uint64),
        ("workers", c_int),
        ("worker", c_void_p),
        ("trouble", c_char_p),
        ("sentence", c_char_p),
        ("load", c_void_p),
        ("computing", c_int),
        ("picture_s", c_double),
        ("picture_one_s", c_double),
        ("work_s", c_double),
        ("compose_s", c_double),
        ("arrivals", c_uint64),
        ("arrival", c_void_p),
    ]


class LiveRequest(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("pace", c_int),
        ("keep_colours", c_int),
        ("pointer_x", c_double),
        ("pointer_y", c_double),
        ("samples", c_int),
        ("workers", c_int),
        ("again", c_uint64),
        ("limit_most", c_int64),
        ("automatic_limit", c_int),
        ("without", c_uint64 * 4),
    ]


class LivePixels(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("pixels", c_void_p),
        ("width", c_int32),
        ("height", c_int32),
        ("stride", c_int32),
        ("written", c_int),
        ("picture", c_uint64),
        ("version", c_uint64),
        ("changed", c_uint8 * 128 * 128),
    ]


class FilmOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("replace", c_int),
        ("plan", c_int),
        ("dry_run", c_int),
    ]


class OutputOptions(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("replace", c_int),
        ("dry_run", c_int),
        ("survey", c_int),
    ]


PROGRESS = CFUNCTYPE(c_int, c_void_p, POINTER(ProgressStruct))
RECEIVE = CFUNCTYPE(
    c_int, c_void_p, c_int32, c_int32, c_int32, c_int32, POINTER(ArrayStruct), POINTER(c_char_p),
    c_int,
)
WAKE = CFUNCTYPE(None, c_void_p)

TYPES = ("|u1", "<u2", "<u4", "<u8", "<f4")  # of NumPy, in the order of enum deepfield_type
ROWS, TILES = 0, 1
ORBIT_POINTS, RAY_POINTS = 10001, 2464
NUMBERS, COLOURS = 0, 1

_HANDLE = c_void_p
_OUT = POINTER(c_void_p)
_TEXT_OUT = POINTER(c_void_p)  # a `char **`, as an address, so that it can be freed

# Name -> result, arguments. Everything that returns c_int here is a status, but for two.
FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "deepfield_error": (c_char_p, []),
    "deepfield_version": (c_char_p, []),
    "deepfield_free": (None, [c_void_p]),
    "deepfield_world_open": (c_int, [_OUT, POINTER(WorldOptions)]),
    "deepfield_world_close": (None, [_HANDLE]),
    "deepfield_world_rank": (c_int, [_HANDLE, POINTER(c_int)]),
    "deepfield_serve": (c_int, [_HANDLE]),
    "deepfield_list": (c_int, [_HANDLE, c_char_p, _TEXT_OUT]),
    "deepfield_renderer_create": (c_int, [_OUT, _HANDLE]),
    "deepfield_renderer_destroy": (None, [_HANDLE]),
    "deepfield_renderer_set": (c_int, [_HANDLE, c_char_p, c_char_p]),
    "deepfield_renderer_describe": (c_int, [_HANDLE, _TEXT_OUT]),
    "deepfield_renderer_ranks": (c_int, [_HANDLE, _TEXT_OUT]),
    "deepfield_renderer_progress": (None, [_HANDLE, PROGRESS, c_void_p]),
    "deepfield_renderer_cancel": (None, [_HANDLE]),
    "deepfield_picture_open": (c_int, [_OUT, _HANDLE, c_char_p]),
    "deepfield_picture_destroy": (None, [_HANDLE]),
    "deepfield_picture_set": (c_int, [_HANDLE, c_char_p, c_char_p]),
    "deepfield_picture_get": (c_int, [_HANDLE, c_char_p, POINTER(c_char_p)]),
    "deepfield_recolour": (c_int, [_HANDLE, c_char_p, _HANDLE, POINTER(c_char_p), c_int, c_int]),
    "deepfield_picture_info": (c_int, [_HANDLE, _TEXT_OUT]),
    "deepfield_picture_text": (c_int, [_HANDLE, c_char_p, _TEXT_OUT]),
    "deepfield_picture_point": (c_int, [_HANDLE, c_double, c_double, _TEXT_OUT, _TEXT_OUT]),
    "deepfield_picture_pixel": (
        c_int, [_HANDLE, c_char_p, c_char_p, POINTER(c_double), POINTER(c_double)]),
    "deepfield_picture_orbit": (c_int, [_HANDLE, c_double, c_double, POINTER(OrbitStruct)]),
    "deepfield_ray": (c_int, [c_int64, c_int64, c_void_p, c_int32, POINTER(c_int32)]),
    "deepfield_picture_plan": (c_int, [_HANDLE, _HANDLE, _TEXT_OUT]),
    "deepfield_field_create": (c_int, [_OUT]),
    "deepfield_field_destroy": (None, [_HANDLE]),
    "deepfield_field_place": (c_int, [_HANDLE, c_char_p, POINTER(ArrayStruct)]),
    "deepfield_field_receive": (None, [_HANDLE, c_int, RECEIVE, c_void_p]),
    "deepfield_render": (c_int, [_HANDLE, _HANDLE, c_int, _HANDLE]),
    "deepfield_field_get": (c_int, [_HANDLE, c_char_p, POINTER(ArrayStruct)]),
    "deepfield_field_copy": (c_int, [_HANDLE, c_char_p, POINTER(ArrayStruct)]),
    "deepfield_field_facts": (c_int, [_HANDLE, _TEXT_OUT]),
    "deepfield_field_colour": (c_int, [_HANDLE, _HANDLE, POINTER(ArrayStruct)]),
    "deepfield_field_save": (c_int, [_HANDLE, _HANDLE, c_char_p, c_int]),
    "deepfield_field_load": (c_int, [_OUT, _OUT, _HANDLE, c_char_p]),
    "deepfield_output_open": (
        c_int,
        [_OUT, _HANDLE, _HANDLE, POINTER(c_char_p), c_int, POINTER(OutputOptions)]),
    "deepfield_output_render": (c_int, [_HANDLE]),
    "deepfield_output_close": (c_int, [_HANDLE, _TEXT_OUT]),
    "deepfield_film_open": (c_int, [_OUT, _HANDLE, _HANDLE]),
    "deepfield_film_destroy": (None, [_HANDLE]),
    "deepfield_film_frames": (c_int64, [_HANDLE]),
    "deepfield_film_picture": (c_int, [_HANDLE, c_int64, _OUT]),
    "deepfield_film_save": (
        c_int, [_HANDLE, _HANDLE, c_char_p, POINTER(FilmOptions), _TEXT_OUT]),
    "deepfield_live_open": (c_int, [_OUT, _HANDLE, WAKE, c_void_p]),
    "deepfield_live_close": (None, [_HANDLE]),
    "deepfield_live_ask": (c_int, [_HANDLE, _HANDLE, c_int, POINTER(c_uint64)]),
    "deepfield_live_ask_with": (
        c_int, [_HANDLE, _HANDLE, POINTER(LiveRequest), POINTER(c_uint64)]),
    "deepfield_live_update": (c_int, [_HANDLE, POINTER(LiveState), POINTER(LivePixels)]),
    "deepfield_live_version": (c_uint64, [_HANDLE]),
    "deepfield_live_owners": (c_int, [_HANDLE, POINTER(ArrayStruct), POINTER(c_int32)]),
    "deepfield_live_field": (c_int, [_HANDLE, c_uint64, _OUT]),
    "deepfield_live_poll": (c_int, [_HANDLE, POINTER(LiveState), POINTER(ArrayStruct)]),
    "deepfield_find": (c_int, [_HANDLE, _HANDLE, _TEXT_OUT]),
    "deepfield_verify": (c_int, [_HANDLE, _HANDLE, c_int, _TEXT_OUT]),
}

_NO_STATUS = {"deepfield_world_rank"}


# ---- where it is ----


def _package_folder() -> str:
    return os.path.dirname(os.path.abspath(__file__))


def _tree() -> Optional[str]:
    """Root of the source tree that this package lies in."""
    root = os.path.dirname(os.path.dirname(_package_folder()))
    header = os.path.join(root, "include", "deepfield", "deepfield.h")
    return root if os.path.exists(header) else None


def _prefixes() -> Iterator[str]:
    """Folders above an installed package that may have lib/ and share/ of an installation."""
    folder = _package_folder()
    for _ in range(5):
        folder = os.path.dirname(folder)
        if os.path.basename(folder) in ("lib", "lib64"):
            yield os.path.dirname(folder)


def _candidates() -> Iterator[str]:
    given = os.environ.get("DEEPFIELD_LIBRARY")
    if given:
        yield given
        return
    yield from sorted(glob.glob(os.path.join(_package_folder(), "libdeepfield.so*")))
    tree = _tree()
    if tree:
        built = glob.glob(os.path.join(tree, "build", "*", "libdeepfield.so"))
        built += glob.glob(os.path.join(tree, "build", "*", "library", "libdeepfield.so"))
        yield from sorted(built, key=os.path.getmtime, reverse=True)
    for prefix in _prefixes():
        for folder in ("lib", "lib/*", "lib64"):
            yield from sorted(glob.glob(os.path.join(prefix, folder, "libdeepfield.so.1")))
    yield "libdeepfield.so.1"
    yield "libdeepfield.so"


def _load() -> Tuple[ctypes.CDLL, str]:
    failures: List[str] = []
    for path in _candidates():
        try:
            return ctypes.CDLL(path), path
        except OSError as failure:
            failures.append(str(failure))
    raise LibraryError(
        "libdeepfield.so was not found: set DEEPFIELD_LIBRARY to its path, or install it "
        f"(cmake --install build/release). Tried: {'; '.join(dict.fromkeys(failures))}")


class Library:
    """The functions that return a status raise its exception instead."""

    def __init__(self) -> None:
        self.handle, self.path = _load()
        for name, (result, arguments) in FUNCTIONS.items():
            try:
                function = getattr(self.handle, name)
            except AttributeError:
                raise LibraryError(f"{self.path} has no {name}: it is another version") from None
            function.restype = result
            function.argtypes = arguments
            if result is c_int and name not in _NO_STATUS:
                function.errcheck = self._check
            setattr(self, name[len("deepfield_"):], function)
        self.version_text = self.handle.deepfield_version().decode()
        found = tuple(int(part) for part in self.version_text.split(" ")[0].split(".")[:2])
        if found != INTERFACE:
            raise LibraryError(
                f"{self.path} is deepfield {self.version_text}, and this package needs "
                f"{INTERFACE[0]}.{INTERFACE[1]}: install both from the same source")

    def __getattr__(self, name: str) -> Any:  # for type checkers: functions are set above
        raise AttributeError(name)

    def _check(self, status: int, function: Any, arguments: Any) -> int:
        if status:
            sentence = self.handle.deepfield_error()
            raise error_of(status, sentence.decode(errors="replace") if sentence else None)
        return status

    def take(self, text: c_void_p) -> str:
        """A text that the library gave, which is freed."""
        if not text.value:
            return ""
        try:
            return ctypes.string_at(text.value).decode(errors="replace")
        finally:
            self.free(text)


_library: Optional[Library] = None
_lock = threading.Lock()


def library() -> Library:
    """The library, loaded at its first use."""
    global _library
    if _library is None:
        with _lock:
            if _library is None:
                _library = Library()
    return _library


def data_folder() -> Optional[str]:
    """Folder of views and palettes: DEEPFIELD_DATA, the source tree's, the library's prefix's."""
    given = os.environ.get("DEEPFIELD_DATA")
    if given:
        return given
    folders = [_tree()]
    folder = os.path.dirname(os.path.realpath(library().path))
    for _ in range(3):
        folder = os.path.dirname(folder)
        folders += [os.path.join(folder, "share", "deepfield"), folder]
    for candidate in folders:
        if candidate and os.path.isdir(os.path.join(candidate, "configs", "views")):
            return candidate
    return None


def program() -> Optional[str]:
    """The program `deepfield`: DEEPFIELD_PROGRAM, that of the library's build or prefix, PATH's."""
    given = os.environ.get("DEEPFIELD_PROGRAM")
    if given:
        return given
    folder = os.path.dirname(os.path.realpath(library().path))
    for _ in range(3):
        for beside in ("app/deepfield", "bin/deepfield"):
            path = os.path.join(folder, beside)
            if os.access(path, os.X_OK):
                return path
        folder = os.path.dirname(folder)
    import shutil

    return shutil.which("deepfield")


# ---- MPI ----


def _mpi_libraries() -> List[str]:
    """MPI libraries that this process has loaded."""
    found = set()
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                name = os.path.basename(line.rstrip("\n").rpartition(" ")[2])
                if name.startswith(("libmpi.so", "libmpich.so", "libmpi_abi.so")):
                    found.add(name)
    except OSError:
        pass
    return sorted(found)


def mpi_check() -> None:
    """One MPI must serve both mpi4py and the library: handles of another one are not understood."""
    from mpi4py import MPI

    library()
    names = _mpi_libraries()
    families = {name.split(".so")[0] for name in names}
    versions = {name.split(".so")[1].split(".")[1] for name in names if name.count(".") >= 2}
    if len(families) > 1 or len(versions) > 1:
        its = MPI.Get_library_version().split("\n")[0].split(",")[0]
        raise LibraryError(
            f"two MPI libraries are loaded ({', '.join(names)}): mpi4py uses {its}, and "
            f"{library().path} another one; build deepfield with the mpicc of that MPI, or install "
            "mpi4py for the other")
