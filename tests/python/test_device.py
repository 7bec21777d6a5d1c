"""Planes on a CUDA device: what arrives there, and what is said where there is none."""

import gc
import unittest

import deepfield
from deepfield import device
from support import SMALL, need

np = need("numpy")


def has_device():
    try:
        deepfield.render("whole-set", size=(8, 8), planes="count", device=-1)
    except deepfield.NoDeviceError:
        return False
    return True


class Played:
    """An array that says it lies on a device."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {
            "version": 3, "data": (array.ctypes.data, False), "typestr": array.dtype.str,
            "shape": array.shape, "strides": array.strides, **changes}


class Description(unittest.TestCase):
    """Without a device: the host's memory is described as if it lay on one."""

    def setUp(self):
        self.field = deepfield.render("seahorse", size=SMALL, planes=["count"])
        struct = self.field._pixels.get("count")
        self.plane = device.DeviceArray(self.field._pixels, "count", struct)
        self.address = struct.data

    def test_a_plane_is_described_for_others(self):
        face = self.plane.__cuda_array_interface__
        self.assertEqual((face["version"], face["shape"], face["typestr"], face["stream"]),
                         (3, (54, 96), "<u4", None))
        self.assertEqual(face["data"], (self.address, False))
        self.assertEqual(self.plane.__dlpack_device__(), (2, 0))
        np.testing.assert_array_equal(self.plane.get(), self.field.count)
        with self.assertRaises(TypeError):
            np.asarray(self.plane)

    def test_a_tensor_keeps_the_memory_and_gives_it_back(self):
        before = len(device._lent)
        capsule = self.plane.__dlpack__()
        self.assertEqual(len(device._lent), before + 1)
        del capsule
        gc.collect()
        self.assertEqual(len(device._lent), before)
        with self.assertRaises(BufferError):
            self.plane.__dlpack__(copy=True)
        with self.assertRaises(BufferError):
            self.plane.__dlpack__(dl_device=(1, 0))

    def test_tensors_of_others_are_read(self):
        waited = []
        plane, wait = self.plane, device._stream_wait

        class Tensor:
            def __dlpack_device__(self):
                return 2, 0

            def __dlpack__(self, stream=None):
                return plane.__dlpack__(stream=stream)

        device._stream_wait = lambda *words: waited.append(words)
        try:
            struct, keeps = device.device_struct(Tensor())
            self.assertEqual((struct.width, struct.height, struct.row_bytes, struct.data),
                             (96, 54, 384, self.address))
            device.device_struct(Played(np.empty((54, 96), np.uint32), stream=7))
        finally:
            device._stream_wait = wait
        self.assertEqual([words[0] for words in waited], [1, 7])
        self.assertIsNotNone(keeps)

    def test_arrays_that_cannot_take_pixels_are_refused(self):
        good = np.empty((54, 96), np.uint32)
        for array in (Played(good.T), Played(good.astype("i8")), Played(good[:, None]),
                      Played(good, data=(good.ctypes.data, True)), object()):
            with self.assertRaises(deepfield.UsageError):
                deepfield.render("seahorse", size=SMALL, out={"count": array})

    def test_without_a_device_the_reason_is_said(self):
        if has_device():
            self.skipTest("there is a device")
        for words in ({"device": 0}, {"out": {"count": Played(np.empty((54, 96), np.uint32))}}):
            with self.assertRaisesRegex(deepfield.NoDeviceError, "CUDA device, but "):
                deepfield.render("seahorse", size=SMALL, planes=["count"], **words)


@unittest.skipUnless(has_device(), "no CUDA device")
class Device(unittest.TestCase):
    def setUp(self):
        self.cupy = need("cupy")
        self.context = deepfield.Context(backend="cuda")
        self.addCleanup(self.context.close)
        self.host = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"],
                                     context=self.context)

    def test_planes_stay_on_the_device(self):
        field = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"], device=-1,
                                 context=self.context)
        number = self.context.devices()[0]["device"]
        self.assertEqual(field.count.__dlpack_device__(), (2, number))
        for plane in field.planes:
            there = self.cupy.asarray(field[plane])
            self.assertEqual(there.data.ptr, field[plane].__cuda_array_interface__["data"][0])
            np.testing.assert_array_equal(there.get(), self.host[plane])
            np.testing.assert_array_equal(self.cupy.from_dlpack(field[plane]).get(),
                                          self.host[plane])
            np.testing.assert_array_equal(field.host(plane), self.host[plane])
        np.testing.assert_array_equal(field.image(), self.host.image())
        np.testing.assert_array_equal(field.nu, self.host.nu)

    def test_the_memory_lives_as_long_as_its_views(self):
        field = deepfield.render("seahorse", size=SMALL, planes="count", device=-1,
                                 context=self.context)
        view = self.cupy.from_dlpack(field.count)
        del field
        gc.collect()
        deepfield.render("elephant", size=SMALL, planes="count", device=-1, context=self.context)
        np.testing.assert_array_equal(view.get(), self.host.count)
        del view
        gc.collect()
        self.assertFalse(device._lent)

    def test_planes_go_into_arrays_of_the_caller(self):
        cupy = self.cupy
        whole = cupy.zeros((60, 100), cupy.uint32)
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            packed = cupy.full((54, 96), 7, cupy.float32)
            out = {"count": whole[3:57, 2:98], "fraction": packed}
            field = deepfield.render("seahorse", size=SMALL, out=out, context=self.context)
        self.assertIs(field["fraction"], packed)
        np.testing.assert_array_equal(whole[3:57, 2:98].get(), self.host.count)
        np.testing.assert_array_equal(packed.get(), self.host["fraction"])
        np.testing.assert_array_equal(field.host("count"), self.host.count)
        self.assertFalse(whole[:3].any() or whole[:, :2].any() or whole[57:].any())

    def test_arrays_of_numba_and_torch(self):
        numba = need("numba.cuda")
        array = numba.device_array((54, 96), np.uint32)
        deepfield.render("seahorse", size=SMALL, out={"count": array}, context=self.context)
        np.testing.assert_array_equal(array.copy_to_host(), self.host.count)
        torch = need("torch")
        tensor = torch.zeros((54, 96), dtype=torch.float32, device="cuda")
        deepfield.render("seahorse", size=SMALL, out={"fraction": tensor}, context=self.context)
        np.testing.assert_array_equal(tensor.cpu().numpy(), self.host["fraction"])
        field = deepfield.render("seahorse", size=SMALL, planes=["count", "fraction"], device=-1,
                                 context=self.context)
        np.testing.assert_array_equal(torch.from_dlpack(field["fraction"]).cpu().numpy(),
                                      self.host["fraction"])

    def test_too_few_devices_are_named(self):
        with self.assertRaisesRegex(deepfield.NoDeviceError, "63"):
            deepfield.render("seahorse", size=SMALL, planes="count",
                             context=deepfield.Context(backend="cuda", devices=[63]))
        with self.assertRaisesRegex(deepfield.UsageError, "CUDA device 63"):
            deepfield.render("seahorse", size=SMALL, planes="count", device=63,
                             context=self.context)


