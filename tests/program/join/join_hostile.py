#!/usr/bin/env python3
"""A joined job that knows the token and breaks every rule: the viewer goes on.

usage: join_hostile.py FILE SECONDS SEED: joins the viewer of FILE again and again, and sends
messages that are cut, changed, too long or not asked for.
"""
import random
import re
import socket
import struct
import sys
import time

from join_link import receive

MAGIC = b"dfjoin1\n"
HELLO = struct.Struct("<8s160s33s64s16s3xII")
REPLY = struct.Struct("<8si224s")
MESSAGE_BYTES = 128


def connect(host, port):
    link = socket.create_connection((host, port), timeout=5)
    link.settimeout(0.3)
    return link


def hello_of(identity, token, threads=1, credit=4):
    return HELLO.pack(MAGIC, identity, token, b"a host\x1b[31m\n%n", b"avx2", threads, credit)


def identity_of(host, port, token):
    """The viewer tells what it is to a job that is something else."""
    link = connect(host, port)
    link.sendall(hello_of(b"something else", token))
    _, rank, why = REPLY.unpack(receive(link, REPLY.size))
    why = why.split(b"\0")[0]
    if rank != -1 or not why.startswith(b"that run is "):
        raise SystemExit(f"another identity is taken: {rank}, {why}")
    return why[len(b"that run is "):]


def changed(random_, data):
    data = bytearray(data)
    for _ in range(random_.randint(1, 6)):
        data[random_.randrange(len(data))] = random_.randrange(256)
    return bytes(data)


def play(random_, host, port, token, identity):
    link = connect(host, port)
    strange = random_.random() < 0.2
    hello = hello_of(identity, token, random_.choice((1, 2, 1 << 31)) if strange else 3,
                     random_.choice((0, 64, 1 << 31)) if strange else 4)
    link.sendall(hello if random_.random() < 0.8 else changed(random_, hello))
    seen, welcome = [], False
    try:
        welcome = REPLY.unpack(receive(link, REPLY.size))[1] > 0
        while len(seen) < 2:
            seen.append(receive(link, MESSAGE_BYTES))
    except (OSError, ConnectionError):
        pass
    try:
        for _ in range(20):
            kind = random_.randrange(4)
            if kind == 0:
                link.sendall(random_.randbytes(random_.randrange(1, 3000)))
            elif seen:  # a header as the viewer writes it, with its sum or with a wrong one
                header = random_.choice(seen)
                link.sendall(header if kind == 1 else changed(random_, header))
            else:
                link.sendall(bytes(MESSAGE_BYTES))
            if random_.random() < 0.2:
                break
    except OSError:
        pass
    link.close()
    return welcome


def main(path, seconds, seed):
    _, host, port, token = open(path, encoding="ascii").read().split("\n")[:4]
    if not re.fullmatch("[0-9a-f]{32}", token):
        raise SystemExit(f"{path} has no token")
    random_ = random.Random(int(seed))
    identity = identity_of(host, int(port), token.encode())
    end_s, played, welcome = time.monotonic() + float(seconds), 0, 0
    while time.monotonic() < end_s:
        try:
            welcome += play(random_, host, int(port), token.encode(), identity)
        except (OSError, ConnectionError):
            pass
        played += 1
        time.sleep(0.01)
    print(f"{played} connections, {welcome} of them taken, seed {seed}")
    if not welcome:
        raise SystemExit("no connection is taken")


if __name__ == "__main__":
    main(*sys.argv[1:])
