"""Figures of a wall of 2x2 over links: screens without a browser, each behind a link of its own,
decode a frame in 4 ms and show it at the next of 60 times a second, while a hand zooms.

usage: serve_wall_link.py PROGRAM [RATE_MBIT DELAY_MS]
"""
import sys
import threading
import time

from serve_link import Link, connect
from service import Service
from websocket import Closed

SECONDS, STEP_S, DECODE_S, VSYNC_S = 8, 1 / 60, 0.004, 1 / 60
SCREENS = [(0, 0), (1, 0), (0, 1), (1, 1)]


class Screen(threading.Thread):
    """Answers as app/serve/page/wall.js does."""

    def __init__(self, service, port, column, row):
        super().__init__(daemon=True)
        self.client = connect(service, service.screens, port)
        self.client.send(f"screen {column} {row}")
        self.phase_s = (column + 2 * row) * VSYNC_S / 7
        self.shown, self.bytes = [], 0
        self.start()

    def run(self):
        try:
            while True:
                said = self.client.take(confirm=False)
                if said["kind"] == "frame" and said["flags"] & 4:
                    self.bytes += said["bytes"]
                    time.sleep(DECODE_S)
                    self.client.send(f"ready {said['sequence']}")
                elif said["kind"] == "frame":
                    self.client.send(f"shown {said['sequence']}")
                elif said["kind"] == "present":
                    time.sleep(VSYNC_S - (time.monotonic() + self.phase_s) % VSYNC_S)
                    self.shown.append((time.monotonic(), said["frame"], said["late"]))
                    self.client.send(f"shown {said['frame']}")
        except (Closed, OSError):
            pass


def apart(screens):
    """Largest distance of the frames of two screens at any time, but for those left behind."""
    now, most = [0] * len(screens), 0
    behind = {frame for screen in screens for _, frame, late in screen.shown if late}
    for _, number, frame in sorted((at_s, number, frame) for number, screen in enumerate(screens)
                                   for at_s, frame, _ in screen.shown):
        now[number] = frame
        if 0 not in now and not behind & {min(now), max(now), max(now) - 1}:
            most = max(most, max(now) - min(now))
    return most


def main(program, rate_mbit="20", delay_ms="30"):
    service = Service(program, "--wall", "2x2", "--size", "1280x720")
    hand = service.connect()
    hand.until(lambda c: c.facts and c.facts["leads"])
    screens = [Screen(service, Link(service.port, float(rate_mbit) * 1e6 / 8,
                                    float(delay_ms) / 2e3).port, column, row)
               for column, row in SCREENS]
    time.sleep(3)
    for screen in screens:
        screen.bytes = 0
    begun_s = time.monotonic()
    for number in range(1, int(SECONDS / STEP_S)):
        hand.send(f"move {number} 30 20 30 20 1.012 0 1")
        while time.monotonic() < begun_s + number * STEP_S:
            if hand.socket.waits(max(0, begun_s + number * STEP_S - time.monotonic())):
                hand.take()
    end_s = time.monotonic()
    frames = [sum(begun_s < at_s < end_s for at_s, _, _ in screen.shown) for screen in screens]
    size = sum(screen.bytes for screen in screens) / max(1, sum(frames))
    print(f"{min(frames) / (end_s - begun_s):.1f} frames/s, {size / 1e3:.0f} kB for a screen, "
          f"frames apart: at most {apart(screens)}")
    service.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
