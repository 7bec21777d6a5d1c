#!/usr/bin/env python3
"""Stands between a run and a job that joins it, and names another backend in the job's hello.

usage: join_as.py FILE FOR_THE_JOB BACKEND: writes FOR_THE_JOB, with which one job may join the run
of FILE. It computes as it does, and is to the run what BACKEND says.
"""
import os
import socket
import sys
import threading

HEAD_BYTES = 8 + 160 + 33 + 64  # of the hello, before the 16 bytes of the backend
HELLO_BYTES = HEAD_BYTES + 16 + 3 + 8


def receive(link, length):
    data = b""
    while len(data) < length:
        part = link.recv(length - len(data))
        if not part:
            raise SystemExit("the job ends the connection")
        data += part
    return data


def carry(source, target):
    """All bytes, until one of both ends."""
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:
        pass
    for link in (source, target):
        try:
            link.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main(path, for_the_job, backend):
    title, host, port, token = open(path, encoding="ascii").read().split("\n")[:4]
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(200)
    with open(for_the_job + ".new", "w", encoding="ascii") as file:
        file.write(f"{title}\n127.0.0.1\n{server.getsockname()[1]}\n{token}\n")
    os.rename(for_the_job + ".new", for_the_job)
    job = server.accept()[0]
    hello = receive(job, HELLO_BYTES)
    run = socket.create_connection((host, int(port)))
    run.sendall(hello[:HEAD_BYTES] + backend.encode().ljust(16, b"\0") + hello[HEAD_BYTES + 16:])
    threading.Thread(target=carry, args=(run, job), daemon=True).start()
    carry(job, run)


if __name__ == "__main__":
    main(*sys.argv[1:])
