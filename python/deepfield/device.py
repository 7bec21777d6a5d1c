"""Planes in memory of a CUDA device, in the terms of CuPy, Numba, PyTorch and JAX: the CUDA array
interface (version 3) and DLPack. Nothing here needs one of them."""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16,
    c_uint64, c_void_p, py_object, pythonapi, sizeof,
)
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

from ._library import TYPES, ArrayStruct
from .errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

CUDA, FIRST = 1, -1  # of enum deepfield_space; the renderer's first device


# ---- DLPack (dlpack.h, version 0.8) ----


class _Tensor(Structure):
    _fields_ = [
        ("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
        ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
    ]


class _Managed(Structure):
    pass


_DELETE = CFUNCTYPE(None, c_void_p)
_Managed._fields_ = [("tensor", _Tensor), ("context", c_void_p), ("delete", _DELETE)]

_NAME = b"dltensor"  # of capsules that nobody has taken
_KDL_CUDA, _KDL_MANAGED = 2, 13
_CODES = {1: "u", 2: "f"}

_capsule_new = pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
_capsule_pointer = pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [py_object, c_char_p]
# The destructor is called with a capsule that has no references: it must not become an object.
_dying_is = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", pythonapi))
_dying_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(
    ("PyCapsule_GetPointer", pythonapi))

_lent: Dict[int, Tuple[Any, ...]] = {}  # what tensors that others have are made of


def _tensor_forget(address: int) -> None:
    _lent.pop(address, None)


def _capsule_end(capsule: int) -> None:
    if _dying_is(capsule, _NAME):  # nobody has taken it
        _tensor_forget(_dying_pointer(capsule, _NAME))


_tensor_delete, _capsule_destroy = _DELETE(_tensor_forget), _DELETE(_capsule_end)


# ---- planes ----


class DeviceArray:
    """A plane of a field in memory of a CUDA device, [height][width], as `cupy.asarray`,
    `numba.cuda.as_cuda_array`, `torch.from_dlpack` and others take it, without a copy. The memory
    lives as long as the array. All pixels are there: no stream has to wait. `get()` copies it to
    the host."""

    def __init__(self, owner: Any, plane: str, array: ArrayStruct) -> None:
        self._owner, self._plane, self._array = owner, plane, array
        self._kind: str = TYPES[array.type]

    @property
    def shape(self) -> Tuple[int, int]:
        """(height, width)"""
        return self._array.height, self._array.width

    @property
    def dtype(self) -> Any:
        import numpy as np

        return np.dtype(self._kind)

    @property
    def device(self) -> int:
        """Number of the device."""
        return int(self._array.device)

    @property
    def nbytes(self) -> int:
        return int(self._array.height * self._array.width * int(self._kind[2]))

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        return {"version": 3, "data": (self._array.data, False), "typestr": self._kind,
                "shape": self.shape, "strides": None, "stream": None}

    def get(self) -> "NDArray[Any]":
        """A copy in memory of the host."""
        return fetch(self._owner, self._plane, self._array)

    def __array__(self, *_arguments: Any, **_keywords: Any) -> Any:
        raise TypeError("the plane lies on a CUDA device: get() copies it to the host")

    def __dlpack_device__(self) -> Tuple[int, int]:
        return _KDL_CUDA, self.device

    def __dlpack__(self, *, stream: Optional[int] = None,
                   max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("the plane is given as it lies: copy it afterwards")
        height, width = self.shape
        shape = (c_int64 * 2)(height, width)
        managed = _Managed(delete=_tensor_delete)
        managed.tensor = _Tensor(
            data=self._array.data, device_type=_KDL_CUDA, device_id=self.device, ndim=2,
            code=1 if self._kind[1] == "u" else 2, bits=8 * int(self._kind[2]), lanes=1,
            shape=shape, strides=None, byte_offset=0)
        address = ctypes.addressof(managed)
        _lent[address] = (self, managed, shape)
        return _capsule_new(address, _NAME, ctypes.cast(_capsule_destroy, c_void_p))

    def __len__(self) -> int:
        return int(self._array.height)

    def __repr__(self) -> str:
        height, width = self.shape
        return (f"<deepfield.DeviceArray {self._plane}: {width}x{height} "
                f"on CUDA device {self.device}>")


def fetch(pixels: Any, plane: str, array: ArrayStruct) -> "NDArray[Any]":
    """A plane of a field, wherever it lies, as a new array of NumPy."""
    import numpy as np

    from .field import array_struct

    into = np.empty((array.height, array.width), np.dtype(TYPES[array.type]))
    struct = array_struct(into)
    pixels.library.field_copy(pixels.handle, plane.encode(), byref(struct))
    return into


# ---- memory of the caller ----


def is_device_array(array: Any) -> bool:
    """Is it an array in memory of a CUDA device?"""
    if hasattr(array, "__cuda_array_interface__"):
        return True
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and device()[0] in (_KDL_CUDA, _KDL_MANAGED)


def _stream_wait(stream: int, address: int) -> None:
    """Waits for what a stream has begun on memory, by the driver, which all libraries share. 1 is
    the default stream, 2 that of this thread, others are handles."""
    driver = ctypes.CDLL("libcuda.so.1")
    context, ordinal = c_void_p(), c_int()
    device_of = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    failed = driver.cuInit(0) or driver.cuPointerGetAttribute(
        byref(ordinal), device_of, c_uint64(address))
    failed = failed or driver.cuDevicePrimaryCtxRetain(byref(context), ordinal)
    if failed:
        raise UsageError(f"the stream of the array cannot be waited for (CUDA error {failed})")
    driver.cuCtxPushCurrent_v2(context)
    try:
        failed = driver.cuStreamSynchronize(c_void_p(stream))
    finally:
        driver.cuCtxPopCurrent_v2(byref(c_void_p()))
        driver.cuDevicePrimaryCtxRelease_v2(ordinal)
    if failed:
        raise UsageError(f"the stream of the array has failed (CUDA error {failed})")


def _struct(data: int, kind: str, shape: Tuple[int, ...],
            strides: Optional[Tuple[int, ...]]) -> ArrayStruct:
    if kind not in TYPES:
        raise UsageError(f"the array is of {kind}: planes are uint32, uint64 or float32")
    if len(shape) != 2:
        raise UsageError(f"the array has the shape {tuple(shape)}, not (height, width)")
    item = int(kind[2])
    row, pixel = strides if strides is not None else (shape[1] * item, item)
    if pixel != item or row < 0:
        raise UsageError("the pixels of a row of the array do not lie side by side")
    return ArrayStruct(size=sizeof(ArrayStruct), data=data, type=TYPES.index(kind), space=CUDA,
                       width=shape[1], height=shape[0], channels=1, device=FIRST, row_bytes=row)


def _of_interface(face: Dict[str, Any]) -> ArrayStruct:
    data, read_only = face["data"]
    if read_only or face.get("mask") is not None:
        raise UsageError("the array is read-only or has a mask: it cannot take pixels")
    struct = _struct(data, face["typestr"], face["shape"], face.get("strides"))
    if face.get("stream") is not None and data:
        _stream_wait(face["stream"], data)
    return struct


def _of_dlpack(array: Any) -> Tuple[ArrayStruct, Any]:
    default = 1
    capsule = array.__dlpack__(stream=default)  # afterwards that stream waits for the array's
    tensor = ctypes.cast(_capsule_pointer(capsule, _NAME), POINTER(_Managed)).contents.tensor
    item = tensor.bits // 8
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[i] * item for i in range(tensor.ndim))
    kind = f"<{_CODES.get(tensor.code, '?')}{item}" if tensor.lanes == 1 else "vectors"
    data = (tensor.data or 0) + tensor.byte_offset
    struct = _struct(data, kind, shape, strides)
    if data:
        _stream_wait(default, data)
    return struct, capsule


def device_struct(array: Any) -> Tuple[ArrayStruct, Any]:
    """Memory of an array on a CUDA device, and what keeps it, once what its own stream has begun on
    it has ended."""
    if hasattr(array, "__cuda_array_interface__"):
        return _of_interface(array.__cuda_array_interface__), array
    struct, capsule = _of_dlpack(array)
    return struct, (array, capsule)


def field_struct(number: int) -> ArrayStruct:
    """Memory of a field on a device."""
    return ArrayStruct(size=sizeof(ArrayStruct), data=None, type=0, space=CUDA, width=0, height=0,
                       channels=1, device=number, row_bytes=0)
