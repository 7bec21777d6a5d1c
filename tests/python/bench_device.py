"""Times of one picture from Python, by hand: CONTRIBUTING.md, Measuring.

usage: bench_device.py PLACE SIZE [BACKEND]

Milliseconds of the call, and of the engine in it, into arrays of NumPy and of CuPy; medians of 7
after 2.
"""

import statistics
import sys
import time

import numpy as np

import deepfield

ROUNDS, BEFORE = 7, 2
PLANES = ["count", "fraction"]


def measure(name, context, **words):
    calls, engine = [], []
    for _ in range(BEFORE + ROUNDS):
        begin = time.perf_counter()
        field = deepfield.render(sys.argv[1], size=sys.argv[2], planes=PLANES, context=context,
                                 **words)
        calls.append(1e3 * (time.perf_counter() - begin))
        engine.append(1e3 * field.attrs["seconds"])
    whole, inside = statistics.median(calls[BEFORE:]), statistics.median(engine[BEFORE:])
    print(f"{name:28} call {whole:9.3f} ms, engine {inside:9.3f} ms, first call {calls[0]:9.1f} ms")
    return field


def main():
    context = deepfield.Context(backend=sys.argv[3] if len(sys.argv) > 3 else "auto")
    shape = measure("NumPy, of the field", context).shape
    kinds = np.uint32, np.float32
    measure("NumPy, of the caller", context,
            out={plane: np.zeros(shape, kind) for plane, kind in zip(PLANES, kinds)})
    try:
        import cupy
    except ImportError:
        print("no module cupy")
        return
    measure("device, of the field", context, device=-1)
    measure("CuPy, of the caller", context,
            out={plane: cupy.zeros(shape, kind) for plane, kind in zip(PLANES, kinds)})


main()
