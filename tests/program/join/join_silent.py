#!/usr/bin/env python3
"""A device that hangs: stands between a run and a job that joins it, and keeps its results back.

usage: join_silent.py FILE OWN RESULTS: reads FILE, the run's, and writes OWN, for the job. So many
results pass, as if they had taken a hundredth of their time; later ones are dropped. All else that
the two say passes, so that the connection stays alive. At the end the number of results is printed that
belong to a later picture than the first, which has at most two instructions.
"""
import ctypes
import ctypes.util
import struct
import sys
import threading

from join_link import HELLO_BYTES, between, carry, receive

MESSAGE_BYTES, SUM_AT, KIND_AT, SEQUENCE_AT, LENGTH_AT, BUSY_AT = 128, 120, 6, 20, 32, 64
DONE = 8


def hash_function():
    hashes = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
    hashes.XXH3_64bits.restype = ctypes.c_uint64
    hashes.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return lambda data: hashes.XXH3_64bits(data, len(data))


def sped_up(header, hash_of):
    header = bytearray(header)
    busy_s, = struct.unpack_from("<d", header, BUSY_AT)
    struct.pack_into("<d", header, BUSY_AT, busy_s / 100)
    struct.pack_into("<Q", header, SUM_AT, hash_of(bytes(header[:SUM_AT])))
    return bytes(header)


def pass_up(job, run, results, hash_of, later):
    run.sendall(receive(job, HELLO_BYTES))
    while True:
        header = receive(job, MESSAGE_BYTES)
        kind, = struct.unpack_from("<H", header, KIND_AT)
        length, = struct.unpack_from("<Q", header, LENGTH_AT)
        payload = receive(job, length)
        if kind == DONE:
            results -= 1
            if results < 0:
                continue
            later.append(struct.unpack_from("<I", header, SEQUENCE_AT)[0] > 2)
            header = sped_up(header, hash_of)
        run.sendall(header + payload)


def main(path, own, results):
    hash_of = hash_function()
    job, run = between(path, own, 20)
    threading.Thread(target=carry, args=(run, job), daemon=True).start()
    later = []
    try:
        pass_up(job, run, int(results), hash_of, later)
    except OSError:
        pass  # the run or the job has ended
    print(sum(later))


if __name__ == "__main__":
    main(*sys.argv[1:])
