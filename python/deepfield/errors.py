"""Exceptions: one class for each status of the library."""

from __future__ import annotations

from typing import Dict, Optional, Type


class Error(Exception):
    """A call of the library failed. `status` is its number in deepfield.h; 1 where Python refused.

    The text is one sentence that says what failed, with the values, and the remedy.
    """

    status: int = 1

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class UsageError(Error, ValueError):
    """A call or a word that makes no sense by itself."""

    status = 1


class BadDataError(Error, ValueError):
    """A place, a file or a text that says something impossible."""

    status = 2


class NoInputError(Error, FileNotFoundError, LookupError):
    """A file or a name that is not there."""

    status = 3


class NoDeviceError(Error, RuntimeError):
    """No device as was asked for."""

    status = 4


class InternalError(Error, RuntimeError):
    """A fault of the library."""

    status = 5


class SystemFailure(Error, RuntimeError):
    """The operating system or MPI failed, or a rank is lost."""

    status = 6


class OutOfMemoryError(Error, MemoryError):
    """Memory that was asked for was refused."""

    status = 7


class CannotCreateError(Error, OSError):
    """A file that cannot be created, or is there already."""

    status = 8


class InputOutputError(Error, OSError):
    """Reading or writing failed, or the disk is full."""

    status = 9


class StoppedError(Error):
    """The call was cancelled."""

    status = 10


class UnreachableError(Error, ArithmeticError):
    """The view is beyond what the method can compute."""

    status = 11


class DeviceLostError(Error, RuntimeError):
    """A device failed while it computed."""

    status = 12


class TooLargeError(Error, MemoryError):
    """More memory or disk than there is; the sentence has the sums."""

    status = 13


class ConfigError(Error, ValueError):
    """Values that are right by themselves and do not go together."""

    status = 14


class LibraryError(Error, ImportError):
    """The shared library is not there, or does not fit this package or the MPI of mpi4py."""

    status = 6


CLASSES: Dict[int, Type[Error]] = {
    kind.status: kind
    for kind in (
        UsageError, BadDataError, NoInputError, NoDeviceError, InternalError, SystemFailure,
        OutOfMemoryError, CannotCreateError, InputOutputError, StoppedError, UnreachableError,
        DeviceLostError, TooLargeError, ConfigError,
    )
}


def error_of(status: int, sentence: Optional[str]) -> Error:
    """The exception of a status, which a newer library may have more of."""
    error = CLASSES.get(status, Error)(sentence or f"status {status} without a sentence")
    error.status = status
    return error
