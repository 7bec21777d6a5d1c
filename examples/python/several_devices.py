"""Several GPUs in one process: on one picture together, and each on a picture of its own.

    python3 several_devices.py [HOW_MANY]
"""
import sys
from concurrent.futures import ThreadPoolExecutor

import cupy

import deepfield

here = cupy.cuda.runtime.getDeviceCount()
wanted = int(sys.argv[1]) if len(sys.argv) > 1 else here
try:
    together = deepfield.Context(backend="cuda", devices=list(range(wanted)))
    devices = together.devices()
except deepfield.NoDeviceError as few:
    sys.exit(f"too few GPUs for {wanted}: {few}")

# Together: tiles are shared out, and the planes lie on the first device.
first = deepfield.render("seahorse", size="4k", planes="count", device=0, context=together)
print(f"{len(devices)} x {devices[0]['name']}: mean count {cupy.asarray(first.count).mean():.3f}")


# Apart: a context for each, in a thread of its own; each plane stays where it was computed.
def julia(number):
    with deepfield.Context(backend="cuda", devices=[number]) as context:
        c = 0.7885 * complex(-0.8, 0.1 * (number + 1))
        field = deepfield.render(julia=c, size=(1920, 1080), planes="count", device=number,
                                 context=context)
    with cupy.cuda.Device(number):
        return number, float(cupy.asarray(field.count).mean())


with ThreadPoolExecutor(wanted) as threads:
    for number, mean in threads.map(julia, range(wanted)):
        print(f"device {number}: mean count {mean:.3f}")
