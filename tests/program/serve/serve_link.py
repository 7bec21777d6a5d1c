"""Figures of the served page over a link: a client zooms for some seconds and confirms frames as
they come, then rests.

usage: serve_link.py PROGRAM [RATE_MBIT DELAY_MS [WATCHERS]]

A rate of 0 is the loopback itself. Else the link is a relay of this script, which carries so much
towards the client, holds at most 100 kB, and delays both directions by half of DELAY_MS.
"""
import collections
import os
import socket
import sys
import threading
import time

from service import Client, Service, port_free
from websocket import Closed, WebSocket

SECONDS, STEP_S = 8, 1 / 60


class Link:
    """A relay between a port of its own and that of a service."""

    def __init__(self, target, rate, delay_s):
        self.target, self.rate, self.delay_s = target, rate, delay_s
        self.port = port_free()
        listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            near, _ = listener.accept()
            far = socket.socket()
            far.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
            far.connect(("127.0.0.1", self.target))
            for one in (near, far):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._carry, args=(near, far, 0), daemon=True).start()
            threading.Thread(target=self._carry, args=(far, near, self.rate), daemon=True).start()

    def _carry(self, from_, to, rate):
        pieces, room = collections.deque(), threading.Semaphore(12)
        ready = threading.Semaphore(0)
        threading.Thread(target=self._deliver, args=(to, rate, pieces, room, ready),
                         daemon=True).start()
        while True:
            room.acquire()
            try:
                piece = from_.recv(8192)
            except OSError:
                piece = b""
            pieces.append((time.monotonic(), piece))
            ready.release()
            if not piece:
                return

    def _deliver(self, to, rate, pieces, room, ready):
        free_s = 0
        while True:
            ready.acquire()
            at_s, piece = pieces.popleft()
            free_s = max(free_s, at_s) + (len(piece) / rate if rate else 0)
            time.sleep(max(0, free_s + self.delay_s - time.monotonic()))
            room.release()
            try:
                if not piece:
                    to.shutdown(socket.SHUT_WR)
                    return
                to.sendall(piece)
            except OSError:
                return


def connect(service, url, port):
    origin = f"http://localhost:{port}"
    folder = service.folder_of(url).split("/", 3)[3]
    return Client(WebSocket(f"ws://localhost:{port}/{folder}socket", "deepfield",
                            {"Origin": origin, "Cookie": "deepfield=" + service.token(url)}))


def watch(client):
    try:
        while True:
            client.take()
    except (Closed, OSError):
        pass


def cpu_s(service):
    with open(f"/proc/{service.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def zoom(client):
    """Zooms at 60 motions a second; returns their number, and seconds from each to its frame."""
    sent_s, delays, shown = {}, [], 0
    number, begun_s = 0, time.monotonic()
    while time.monotonic() - begun_s < SECONDS:
        number += 1
        client.send(f"move {number} 30 20 30 20 1.012 0 1")
        sent_s[number] = time.monotonic()
        while time.monotonic() < sent_s[number] + STEP_S:
            if client.socket.waits(max(0, sent_s[number] + STEP_S - time.monotonic())):
                client.take()
                for one in range(shown + 1, client.motion + 1):
                    delays.append(time.monotonic() - sent_s[one])
                shown = max(shown, client.motion)
    return number, sorted(delays)


def main(program, rate_mbit="0", delay_ms="0", watchers="0"):
    service = Service(program)
    port = service.port
    if float(rate_mbit) > 0:
        port = Link(service.port, float(rate_mbit) * 1e6 / 8, float(delay_ms) / 2e3).port
    client = connect(service, service.page, port)
    for _ in range(int(watchers)):
        one = connect(service, service.watch, service.port)
        threading.Thread(target=watch, args=(one,), daemon=True).start()
    client.until(lambda c: c.facts is not None)
    client.send("size 1280 720")
    client.until(lambda c: c.exact and c.frames[-1]["width"] == 1280, 120)
    client.frames, before_s = [], cpu_s(service)
    number, delays = zoom(client)
    frames, client.frames, client.exact = client.frames, [], False
    used_s, rested_s = cpu_s(service) - before_s, time.monotonic()
    client.send("rest")
    client.until(lambda c: c.exact and c.motion == number, 120)
    taken_s = time.monotonic() - rested_s
    size = sum(frame["bytes"] for frame in frames)
    pictures = sum(frame["flags"] & 1 for frame in frames)
    print(f"{len(frames) / SECONDS:.1f} frames/s ({pictures / SECONDS:.1f} of new pictures), "
          f"{size / len(frames) / 1e3:.0f} kB a frame, {size * 8e-6 / SECONDS:.1f} Mbit/s; "
          f"motion to its frame p50 {1e3 * delays[len(delays) // 2]:.0f} ms, "
          f"p99 {1e3 * delays[len(delays) * 99 // 100]:.0f} ms; "
          f"exact {taken_s:.2f} s after the last motion; {used_s:.1f} s of processors")
    service.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
