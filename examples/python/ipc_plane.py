"""A plane in a GPU's memory is opened by another process, by its IPC handle.

    python3 ipc_plane.py
"""
import multiprocessing

import cupy

import deepfield


def other(handle, shape, answers):
    address = cupy.cuda.runtime.ipcOpenMemHandle(handle)
    memory = cupy.cuda.UnownedMemory(address, shape[0] * shape[1] * 4, None)
    count = cupy.ndarray(shape, cupy.uint32, cupy.cuda.MemoryPointer(memory, 0))
    answers.put((int(count.max()), float(count.mean())))
    cupy.cuda.runtime.ipcCloseMemHandle(address)


def main():
    # Memory of the field has an allocation of its own for each plane, so its handle is the plane's.
    field = deepfield.render("seahorse", size=(1920, 1080), planes="count", device=-1)
    count = cupy.asarray(field.count)
    handle = cupy.cuda.runtime.ipcGetMemHandle(count.data.ptr)

    spawn = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
    answers = spawn.Queue()
    process = spawn.Process(target=other, args=(handle, count.shape, answers))
    process.start()
    found = answers.get(timeout=120)
    process.join()

    assert found == (int(count.max()), float(count.mean()))
    print(f"the other process sees the same plane: largest count {found[0]}, mean {found[1]:.3f}")


if __name__ == "__main__":
    main()
