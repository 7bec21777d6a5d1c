"""A job that joins the picture of a page has the number of one that was left out and has gone: it
computes, as nobody has left it out.

usage: serve_join.py PROGRAM FOLDER
"""
import os
import signal
import subprocess
import sys

from service import Service

NUMBER = 1  # of the joined job: the service has one rank


def computes(client, number=NUMBER):
    """Does a worker that is there take part? None: there is none of this number."""
    workers = client.facts["picture"]["workers"] if client.facts and client.facts["picture"] else []
    alive = len(workers) > number and workers[number]["alive"]
    return workers[number]["computes"] if alive else None


def joined(program, path):
    return subprocess.Popen([program, "join", path, "--ranks", "1"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main(program, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "join.txt")
    service = Service(program, "--join-file", path, "--size", "160x120", "-j", "1")
    jobs = []
    try:
        client = service.connect()
        client.send("size 160 120")
        jobs.append(joined(program, path))
        client.until(computes, 120)
        client.send(f"rank {NUMBER} 0")
        client.until(lambda c: computes(c) is False, 120)
        jobs[0].send_signal(signal.SIGKILL)
        jobs[0].wait()
        client.until(lambda c: computes(c) is None, 120)
        jobs.append(joined(program, path))
        client.until(computes, 120)
        client.close()
    finally:
        for job in jobs:
            if job.poll() is None:
                job.kill()
            job.wait()
        code = service.end()
    if code != 0:
        raise SystemExit(f"SIGTERM ends it with {code}")


main(*sys.argv[1:])
