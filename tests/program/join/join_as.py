#!/usr/bin/env python3
"""Stands between a run and a job that joins it, and names another backend in the job's hello.

usage: join_as.py FILE FOR_THE_JOB BACKEND: writes FOR_THE_JOB, with which one job may join the run
of FILE. It computes as it does, and is to the run what BACKEND says.
"""
import sys
import threading

from join_link import HEAD_BYTES, HELLO_BYTES, between, carry, receive


def main(path, for_the_job, backend):
    job, run = between(path, for_the_job, 200)
    hello = receive(job, HELLO_BYTES)
    run.sendall(hello[:HEAD_BYTES] + backend.encode().ljust(16, b"\0") + hello[HEAD_BYTES + 16:])
    threading.Thread(target=carry, args=(run, job), daemon=True).start()
    carry(job, run)


if __name__ == "__main__":
    main(*sys.argv[1:])
